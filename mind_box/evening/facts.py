"""What there is to tell of a level between levels (R36), the most telling first: for the table's screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mind_box.evening.figures import GameFigures
from mind_box.evening.telling import told
from mind_box.evening.told import Level
from mind_box.journal.stamps import Timed
from mind_box.table.facts import Fact

CLOSE = 0.5
"""Seconds: cards closer together than this are what is told first."""
RISKY = 0.05
LONGEST = 9

Facts = tuple[Fact, ...]


def facts_of_last_level(kept: list[Timed], go_on: Callable[[], bool] = lambda: True) -> tuple[int, Facts]:
    """The last level that is over, and what there is to tell of it, the most telling first.

    ``go_on`` false: nobody listens any more, since the next level is played; then there is nothing.
    """
    game = told(kept, over=False)
    if game is None or not game.levels:
        return 0, ()
    figures, level = GameFigures(game), game.levels[-1]
    facts: list[Fact] = []
    for fact in _facts(figures, level):
        if not go_on():
            return level.number, ()
        facts.append(fact)
    return level.number, tuple(sorted(facts, key=_rank))[:LONGEST]


def _rank(fact: Fact) -> int:
    """Errors come first, then what was close, then what was long, then the figures."""
    order = ("slip", "star", "together", "closest", "hesitation", "risk", "tempo", "spread", "play")
    late = fact.kind == "closest" and fact.figures[0] > CLOSE
    return order.index("risk") if late else order.index(fact.kind)


def _facts(figures: GameFigures, level: Level) -> Iterator[Fact]:
    for slip in reversed(level.slips):  # the last one, which may have cost the game, first
        if level.play is not None or slip.apart is None:
            apart = () if slip.apart is None or level.play is None else (slip.apart,)
            yield Fact("slip", (slip.early, slip.late[0]), apart)
        saved = figures.saved(level, slip)
        if saved is not None:
            yield Fact("star", (), (saved.chance, saved.with_star))
        break
    closest = figures.closest(level)
    if closest is not None:
        yield Fact("closest", closest.cards, (closest.seconds,)) if closest.seconds else Fact("together", closest.cards)
    hesitation = figures.hesitation(level)
    if hesitation is not None:
        yield Fact("hesitation", (hesitation.card,), (hesitation.seconds, hesitation.expected))
    risk = figures.riskiest(level)
    if risk is not None and risk.chance >= RISKY:
        yield Fact("risk", (risk.card,), (risk.chance,))
    tempo = figures.tempo_of(level)
    if tempo is not None:
        yield Fact("tempo", (), (tempo.p, *tempo.p95))
        yield Fact("spread", (), (tempo.w,))
    if level.play is not None:
        yield Fact("play", (), (level.play,))
