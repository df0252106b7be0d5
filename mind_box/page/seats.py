"""Who sits at the table, and whose hand, vote or card it waits for: a row of seats for those who look from afar."""

from __future__ import annotations

from typing import Any

from mind_box.page.spoken import page_words
from mind_box.show.sentences import choosing, lifting
from mind_box.show.words import Words, mark
from mind_box.table.view import View

STATES = {
    "plays": mark("plays"),
    "down": mark("hand down"),
    "up": mark("hand lifted"),
    "agreed": mark("agreed"),
    "next": mark("next card"),
    "hand": mark("hand missing"),
    "lift": mark("lift the hand"),
    "vote": mark("vote missing"),
    "choice": mark("choice missing"),
    "ghost": mark("ghost"),
}
"""What a seat is about, in words; the second half is what the table waits for."""
MISSING = ("hand", "lift", "vote", "choice", "next")


def seat_rows(view: View, language: str = "en") -> list[dict[str, Any]]:
    """One entry a seat: its number, what it is about (``""`` for nothing) in words, whether the table waits for it, and
    how many cards it holds, if that is known."""
    words = page_words(language)
    seats = view.seats or view.hands_down
    return [_row(view, seat, words) for seat in seats]


def _row(view: View, seat: int, words: Words) -> dict[str, Any]:
    state = _state(view, seat)
    count = view.counts.get(seat) if view.counts is not None else None
    return {
        "name": words.say("Seat {seat}", seat=seat),
        "seat": seat,
        "state": state,
        "word": words.say(STATES[state]) if state else "",
        "missing": state in MISSING,
        "cards": "" if count is None else words.many("{n} card", "{n} cards", count),
    }


def _state(view: View, seat: int) -> str:
    waited = seat in view.waiting
    if seat in view.ghosts and seat != view.next_seat:
        return "ghost"
    match view.phase:
        case "lobby":
            return "plays"
        case "vote":
            return "vote" if waited else "agreed"
        case "deal":
            return "next" if seat == view.next_seat else ""
        case "focus" if choosing(view):
            return "choice" if waited else ""
        case "focus" | "play" | "reveal" if view.phase == "focus" or view.asking == "level-done":
            if lifting(view):
                return "lift" if waited else "up"
            return "hand" if waited else "down"
    return "down" if seat in view.hands_down else ""
