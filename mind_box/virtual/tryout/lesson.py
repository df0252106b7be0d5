"""The first lesson: five minutes with a ghost, in which a newcomer does once whatever hands do at the box.

It follows the View and says what to do now. It waits for nothing but that, has no clock, and every step can be skipped;
so it says nothing new while a ghost is about to lay (R18).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mind_box.ghost import Kind
from mind_box.show.words import mark
from mind_box.table.view import View
from mind_box.virtual.tryout.place import EMPTY, PERSON

ALONE_WITH_A_GHOST: Mapping[int, str] = {1: PERSON, 2: Kind.STEADY}
"""Who sits at the first two seats in the lesson; nobody at the others."""


@dataclass(frozen=True, slots=True)
class Step:
    """``text`` says what to do; ``done``: whether the View (now, and before it) shows that it has been done."""

    name: str
    text: str
    done: Callable[[View, View], bool]


STEPS = (
    Step(
        "start",
        mark("A ghost sits opposite you. Start a game: your hand and its hand lie on the buttons, and level 1 begins."),
        lambda view, _: view.level > 0 and view.phase in ("deal", "focus", "play"),
    ),
    Step(
        "hands",
        mark(
            "Before each level everybody lays a hand down and lifts it. Do that: with the last hand lifted, "
            "play begins."
        ),
        lambda view, _: view.phase == "play",
    ),
    Step(
        "card",
        mark(
            "No turns, no talking. Lay your card when you feel that it is the lowest of all: the further it is from "
            "the pile, the longer everybody waits. The ghost feels time too, and learns your pace."
        ),
        lambda view, before: view.level > before.level or "error" in view.notices,
    ),
    Step(
        "stop",
        mark(
            "Out of step? Anybody may stop, at any time, at no cost. Go on to the next level, and press Stop while it "
            "is played."
        ),
        lambda view, _: view.phase == "focus" and view.reason == "stop",
    ),
    Step(
        "star",
        mark(
            "A star: everybody puts the lowest card aside, and nobody loses a life. Tap the star button, then agree; "
            "the ghost will."
        ),
        lambda view, _: "star_used" in view.notices,
    ),
    Step(
        "error",
        mark(
            "A card that comes too early costs the team a life, and the lower ones go aside. It happens to all of us: "
            "lay your lowest card at once for a change, until it does."
        ),
        lambda view, _: "error" in view.notices,
    ),
    Step(
        "end",
        mark("That is all there is to know: hands, cards, stop, star, error. Play on, and see how far you two get."),
        lambda view, before: view.phase in ("won", "lost", "lobby") and before.phase not in ("won", "lost", "lobby"),
    ),
)


class Lesson:
    """One lesson, from its first step to its end; ``step`` is None when it is over."""

    def __init__(self, view: View) -> None:
        self._at = 0
        self._before = view

    @property
    def step(self) -> Step | None:
        """What is to be done now."""
        return STEPS[self._at] if self._at < len(STEPS) else None

    def sees(self, view: View) -> None:
        """The View has come; a lost or left game leaves the lesson where it was, and the next one goes on with it."""
        before, self._before = self._before, view
        if self.step is not None and self.step.done(view, before):
            self._at += 1

    def skip(self) -> None:
        """On to the next step."""
        self._at += 1

    def to_json(self, say: Callable[[str], str]) -> dict[str, Any] | None:
        """For the page; None when it is over."""
        step = self.step
        if step is None:
            return None
        return {"name": step.name, "at": self._at + 1, "of": len(STEPS), "text": say(step.text)}


def seats_for(seats: int) -> dict[int, str]:
    """Who sits where, at a box with so many seats."""
    return {seat: ALONE_WITH_A_GHOST.get(seat, EMPTY) for seat in range(1, seats + 1)}
