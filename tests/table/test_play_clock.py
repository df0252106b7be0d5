"""Play time (R35): from the lift that begins it; focus, votes and menus stand it still; a power cut loses nothing
that is on disk; undo takes nothing back."""

from __future__ import annotations

import pytest

from mind_box.game import events as ev
from mind_box.game.state import Setup, lobby_of
from mind_box.table.inputs import STAR, Edge, Scan
from mind_box.table.play_clock import remembered
from mind_box.table.table import Table

Kept = list[tuple[ev.Event, float | None, float]]


class Watched:
    """A table, and the play time at each of its events."""

    def __init__(self) -> None:
        self.now = 0.0
        self.kept: Kept = []
        self.lobby = lobby_of(Setup())
        self.table = Table(self.lobby, now=0.0)

    def take(self, outcome: object) -> None:
        for event, (at, play) in zip(outcome.events, outcome.times, strict=True):  # type: ignore[attr-defined]
            self.kept.append((event, play, at))

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while (due := self.table.deadline) is not None and due <= end:
            self.take(self.table.tick(due))
        self.now = end
        self.take(self.table.tick(end))

    def edge(self, button: int, down: bool) -> None:
        self.take(self.table.handle(Edge(button, down, self.now)))

    def tap(self, button: int) -> None:
        self.edge(button, True)
        self.wait(0.1)
        self.edge(button, False)
        self.wait(0.1)

    def hands(self) -> None:
        for down in (True, False):
            for seat in (1, 2):
                self.edge(seat, down)
            self.wait(2.5 if down else 0.1)

    def scan(self, card: int, ago: float = 0.0) -> None:
        self.take(self.table.handle(Scan(str(card), self.now - ago)))

    def power_cut(self) -> None:
        game, clock = remembered(((event, play) for event, play, _ in self.kept), self.lobby)
        self.table = Table(game, now=self.now, clock=clock)
        self.take(self.table.begin())

    def last(self, kind: type[ev.Event]) -> tuple[float | None, float]:
        return next((play, at) for event, play, at in reversed(self.kept) if isinstance(event, kind))


@pytest.fixture
def at_play() -> Watched:
    watched = Watched()
    watched.hands()
    watched.hands()
    assert watched.table.game.phase == "play"
    return watched  # 0.1 s after the lift


def test_it_begins_with_the_edge_of_the_last_lift(at_play: Watched) -> None:
    assert at_play.last(ev.Concentrated) == (0.0, pytest.approx(5.1))
    at_play.wait(1.9)
    at_play.scan(10)
    assert at_play.last(ev.Laid)[0] == pytest.approx(2.0)


def test_a_card_counts_from_when_it_was_seen(at_play: Watched) -> None:
    at_play.wait(1.9)
    at_play.scan(10, ago=0.5)
    assert at_play.last(ev.Laid) == (pytest.approx(1.5), pytest.approx(6.6))


def test_a_stop_and_the_hands_after_it_stand_it_still(at_play: Watched) -> None:
    at_play.wait(0.9)
    at_play.tap(1)
    assert at_play.last(ev.Stopped)[0] == pytest.approx(1.0)
    at_play.wait(60)
    at_play.hands()
    at_play.wait(0.4)
    at_play.scan(10)
    assert at_play.last(ev.Laid)[0] == pytest.approx(1.5)


def test_an_open_vote_stands_it_still(at_play: Watched) -> None:
    at_play.wait(0.8)
    at_play.tap(STAR)  # acts on its release, 0.1 s later
    at_play.wait(10)
    at_play.tap(STAR)
    at_play.wait(0.9)
    at_play.scan(10)
    assert at_play.last(ev.Laid)[0] == pytest.approx(1.0 + 1.0, abs=0.06)
    at_play.tap(STAR)
    at_play.wait(7)
    at_play.scan(20)  # the proposal lapses (R15)
    assert at_play.last(ev.Laid)[0] == pytest.approx(2.1, abs=0.06)


def test_undo_takes_no_time_back(at_play: Watched) -> None:
    at_play.wait(0.9)
    at_play.scan(10)
    at_play.wait(1)
    at_play.edge(STAR, True)
    at_play.wait(2)  # the menu opens after 1.5 s of it: until then it was play
    at_play.edge(STAR, False)
    at_play.wait(0.1)
    assert at_play.table.view().menu == "undo"
    at_play.edge(STAR, True)
    at_play.wait(2)
    at_play.edge(STAR, False)
    at_play.wait(0.1)
    assert at_play.table.game.piles == ((),)
    assert at_play.last(ev.Undone)[0] == pytest.approx(3.5)
    at_play.hands()
    at_play.wait(0.4)
    at_play.scan(11)
    assert at_play.last(ev.Laid)[0] == pytest.approx(4.0)


def test_after_a_power_cut_it_goes_on_from_the_last_event(at_play: Watched) -> None:
    at_play.wait(0.9)
    at_play.scan(10)
    at_play.wait(30)  # which nobody knows of any more
    at_play.power_cut()
    assert at_play.last(ev.Resumed)[0] == pytest.approx(1.0)
    at_play.wait(100)
    at_play.hands()
    at_play.wait(0.4)
    at_play.scan(20)
    assert isinstance(at_play.kept[-1][0], ev.LevelCompleted)
    assert at_play.last(ev.Laid)[0] == at_play.last(ev.LevelCompleted)[0] == pytest.approx(1.5)
    at_play.hands()
    assert at_play.last(ev.Concentrated)[0] == 0.0, "each level has its own"


def test_in_the_lobby_and_between_games_there_is_none(at_play: Watched) -> None:
    assert at_play.last(ev.Started)[0] is None
