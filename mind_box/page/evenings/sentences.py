"""What a level's times tell, in sentences of the language: for the pages, and for a voice."""

from __future__ import annotations

from collections.abc import Iterator

from mind_box.evening.book import Entry
from mind_box.evening.figures import GameFigures
from mind_box.evening.tempo import Tempo
from mind_box.evening.told import GameTold, Level, TurnedCard
from mind_box.show.sentences import VARIANTS
from mind_box.show.words import Words, mark, words_for

HOW = {"laid": mark("laid"), "late": mark("late"), "star": mark("by a star"), "aside": mark("aside, by an error")}
DOUBTS = {
    "rows": mark("Some of this game cannot be read, and is left out."),
    "clock": mark("Some of its times contradict each other: of those levels none are told."),
    "times": mark("Only some of its levels have times."),
}
RISKY = 0.05
"""A step less risky than this is not told."""


def title_of(entry: Entry, words: Words) -> str:
    """What the game is called: its name, else its date, else its number."""
    return entry.name or date_of(entry.game) or words.say("Game {n}", n=entry.number)


def date_of(game: GameTold) -> str:
    """Day and minute, as they are sorted; empty where nobody knew the date (UTC)."""
    return game.begun[:16].replace("T", " ") if game.begun else ""


def rules_of(game: GameTold, words: Words) -> str:
    """Which game it was."""
    parts = [words_for(words.language).say(VARIANTS[game.setup.variant])]
    if game.setup.check is not None:
        parts.append(words_for(words.language).say("Blind"))
    if game.setup.no_stars:
        parts.append(words_for(words.language).say("No ★"))
    return " · ".join([words.many("{n} player", "{n} players", len(game.seats)), *parts])


def result_of(game: GameTold, words: Words) -> str:
    """How it went."""
    if game.result == "won":
        return words.say("Won: {level} levels", level=game.best)
    if game.result == "lost":
        return words.say("Lost in level {level}", level=game.levels[-1].number)
    if game.result == "open":
        return words.say("At the table now: {level} levels done", level=game.best)
    return words.say("Left after {level} levels", level=game.best)


def tempo_in_words(tempo: Tempo, words: Words) -> str:
    """A tempo with how sure it is."""
    low, high = tempo.p95
    return words.say(
        "{p} seconds a number ({low} to {high}), {r0} s to lay a card; waits spread by {w} %. From {n} cards.",
        p=f"{tempo.p:.2f}", low=f"{low:.2f}", high=f"{high:.2f}", r0=f"{tempo.r0:.1f}", w=f"{100 * tempo.w:.0f}",
        n=tempo.n,
    )  # fmt: skip


def facts_of(figures: GameFigures, level: Level, words: Words) -> Iterator[str]:
    """A sentence for each thing worth telling of a level."""
    say = words.say
    if level.marked:
        yield say("Cards were taken back or counted by hand: this level is in no estimate.")
    tempo = figures.tempo_of(level)
    if tempo is not None:
        yield tempo_in_words(tempo, words)
    closest = figures.closest(level)
    if closest is not None:
        first, second = closest.cards
        if closest.seconds:
            yield say("Closest: {first} and {second}, {s} s apart.", first=first, second=second,
                      s=f"{closest.seconds:.2f}")  # fmt: skip
        else:
            yield say("{first} and {second} came together.", first=first, second=second)
    hesitation = figures.hesitation(level)
    if hesitation is not None:
        expected = f"{hesitation.expected:.1f}"
        yield say("The longest hesitation: {s} s before {card}; {expected} s were to be expected.",
                  s=f"{hesitation.seconds:.1f}", card=hesitation.card, expected=expected)  # fmt: skip
    risk = figures.riskiest(level)
    if risk is not None and risk.chance >= RISKY:
        yield say("The riskiest step was {card}: in {percent} of 100 such moments somebody errs.",
                  card=risk.card, percent=round(100 * risk.chance))  # fmt: skip
    for slip in level.slips:
        late = ", ".join(map(str, slip.late))
        if slip.apart is None:
            yield say("{early} was laid before {late}.", early=slip.early, late=late)
        else:
            yield say("{early} was laid before {late}, by {s} s.", early=slip.early, late=late, s=f"{slip.apart:.2f}")
        saved = figures.saved(level, slip)
        if saved is None:
            continue
        if saved.hardly:
            yield say("A star before it would have made hardly any difference.")
        else:
            yield say("Such a level is completed {chance} times in 100; with a star before it, {star} times.",
                      chance=round(100 * saved.chance), star=round(100 * saved.with_star))  # fmt: skip


def row_of(card: TurnedCard, words: Words) -> tuple[str, str, str, str]:
    """A card as a row of a table: the card, when, who, how."""
    return (
        str(card.card),
        "" if card.t is None else f"{card.t:.1f}",
        "" if card.seat is None else str(card.seat),
        words.say(HOW[card.how]),
    )
