"""The league: what the results of the tables come to. Values in, values out.

A game counts when a level of it was completed, or when it was lost. It is worth the part of its levels that were
completed, in percent; a won game 100. Tables are ranked by won games, then by their best game, then by the mean of all,
then by the fewest errors a level; equal in all of them, they share a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mind_box.club.store import Stored
from mind_box.game.values import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """One table in the league."""

    place: int
    name: str
    games: int
    won: int
    best: float
    """Percent."""
    mean: float
    """Percent."""
    levels: int
    errors: int

    @property
    def errors_a_level(self) -> float:
        """Lives lost to errors, for each level that was begun."""
        return self.errors / self.levels if self.levels else 0.0


@dataclass(frozen=True, slots=True)
class Played:
    """What one result is worth."""

    won: bool
    percent: float
    levels: int
    errors: int


CSV_HEAD = ("place", "table", "games", "won", "best", "mean", "errors_a_level")
RESULTS_HEAD = (
    "id",
    "table",
    "at",
    "variant",
    "players",
    "result",
    "best",
    "last_level",
    "percent",
    "errors",
    "play_s",
)


def played(game: Mapping[str, Any]) -> Played | None:
    """What a game is worth; None: it does not count, or is not understood."""
    try:
        best, last, result = int(game["best"]), int(game["last_level"]), game["result"]
        levels = [level for level in game["levels"] if level["blind"] == game["blind"]]  # without the challenge
        errors = sum(int(level["errors"]) for level in levels)
    except (KeyError, TypeError, ValueError):
        return None
    if not (best > 0 or result == "lost") or last <= 0:
        return None
    return Played(result == "won", 100.0 * min(best, last) / last, len(levels), errors)


def league(results: Iterable[Stored]) -> list[Standing]:
    """All tables that have a game that counts, the best first."""
    by_name: dict[str, list[Played]] = {}
    for result in results:
        game = played(result.game)
        if game is not None:
            by_name.setdefault(result.name, []).append(game)
    rows = []
    for name, games in by_name.items():
        percents = [game.percent for game in games]
        levels, errors = sum(game.levels for game in games), sum(game.errors for game in games)
        won = sum(game.won for game in games)
        mean = sum(percents) / len(games)
        rows.append(Standing(0, name, len(games), won, max(percents), mean, levels, errors))
    rows.sort(key=lambda row: (_rank(row), row.name))
    placed: list[Standing] = []
    for number, row in enumerate(rows, 1):
        same = placed and _rank(placed[-1]) == _rank(row)
        place = placed[-1].place if same else number
        placed.append(Standing(place, row.name, row.games, row.won, row.best, row.mean, row.levels, row.errors))
    return placed


def _rank(row: Standing) -> tuple[float, ...]:
    return (-row.won, -row.best, -round(row.mean, 6), round(row.errors_a_level, 6))


def as_rows(standings: Iterable[Standing]) -> Iterator[tuple[Any, ...]]:
    """The league as a table; ``CSV_HEAD`` names its columns."""
    for row in standings:
        yield (row.place, row.name, row.games, row.won, *(round(v, 1) for v in (row.best, row.mean)),
               round(row.errors_a_level, 2))  # fmt: skip


def results_as_rows(results: Iterable[Stored]) -> Iterator[tuple[Any, ...]]:
    """Each game as a row; ``RESULTS_HEAD`` names the columns. What is not understood is left empty."""
    for result in results:
        game, worth = result.game, played(result.game)
        levels = game.get("levels")
        times = [level.get("play_s") or 0 for level in levels] if isinstance(levels, list) else []
        seats = game.get("seats")
        yield (
            result.id,
            result.name,
            result.at,
            game.get("variant"),
            len(seats) if isinstance(seats, list) else None,
            game.get("result"),
            game.get("best"),
            game.get("last_level"),
            None if worth is None else round(worth.percent, 1),
            None if worth is None else worth.errors,
            round(sum(times), 1),
        )
