"""Games as data: one JSON object each (docs/table.md), or a line of a table for each card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mind_box.evening.book import Entry
from mind_box.evening.figures import GameFigures
from mind_box.evening.tempo import Tempo
from mind_box.evening.told import Level

CSV_HEAD = ("game", "begun", "name", "level", "blind", "card", "t", "seat", "how")


def as_json(entry: Entry) -> dict[str, Any]:
    """One game; None where something is not known."""
    game, figures = entry.game, GameFigures(entry.game)
    return {
        "game": entry.number,
        "name": entry.name,
        "begun": game.begun,
        "variant": game.setup.variant,
        "deck": game.setup.deck,
        "hands": "known" if game.setup.known else "unknown",
        "blind": game.setup.check is not None,
        "seats": list(game.seats),
        "ghosts": list(game.ghosts),
        "result": game.result,
        "best": game.best,
        "levels": [_level(figures, level) for level in game.levels],
    }


def _level(figures: GameFigures, level: Level) -> dict[str, Any]:
    tempo, closest = figures.tempo_of(level), figures.closest(level)
    return {
        "level": level.number,
        "lives": list(level.lives),
        "stars": list(level.stars),
        "errors": level.errors,
        "stops": level.stops,
        "play_s": _rounded(level.play, 3),
        "cards": [{"card": c.card, "t": _rounded(c.t, 3), "seat": c.seat, "how": c.how} for c in level.cards],
        "tempo": tempo_as_json(tempo),
        "closest": closest and {"cards": list(closest.cards), "s": _rounded(closest.seconds, 2)},
    }


def tempo_as_json(tempo: Tempo | None) -> dict[str, Any] | None:
    """What waits tell."""
    return (
        None
        if tempo is None
        else {
            "p": _rounded(tempo.p, 3),
            "p95": [_rounded(end, 3) for end in tempo.p95],
            "r0": _rounded(tempo.r0, 2),
            "w": _rounded(tempo.w, 3),
            "n": tempo.n,
        }
    )


def as_rows(entries: Iterable[Entry]) -> Iterator[tuple[Any, ...]]:
    """A row for each card, as ``CSV_HEAD`` names the columns."""
    for entry in entries:
        begins = (entry.number, entry.game.begun, entry.name)
        for level in entry.game.levels:
            for card in level.cards:
                yield (*begins, level.number, int(level.blind), card.card, _rounded(card.t, 3), card.seat, card.how)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
