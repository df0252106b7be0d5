"""Games in words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mind_box.evening.book import Entry
from mind_box.evening.figures import GameFigures
from mind_box.evening.told import GameTold, Level

_ENDINGS = {"done": "done", "lost": "lost", "left": "left", "open": "under way"}


def line_of_list(entry: Entry) -> str:
    """One line of the list."""
    game = entry.game
    when = game.begun[:16].replace("T", " ") if game.begun else "no date"
    played = sum(level.play or 0.0 for level in game.levels)
    parts = [f"{entry.number:5}  {when:16}  {len(game.seats)} players", f"{what(game):22}", f"{result(game):24}"]
    parts += [f"{minutes(played):>8}" if played else " " * 8, entry.name or ""]
    return "  ".join(parts).rstrip()


def what(game: GameTold) -> str:
    """Which game it was."""
    setup = game.setup
    blind = ", blind" if setup.check else ""
    return f"{setup.variant}{blind}{', no stars' if setup.no_stars else ''}{', known' if setup.known else ''}"


def result(game: GameTold) -> str:
    """How it went."""
    if game.result == "won":
        return f"won, {game.best} levels"
    if game.result == "lost":
        return f"lost in level {game.levels[-1].number}"
    return f"{game.result}, {game.best} levels done"


def minutes(seconds: float) -> str:
    """A length of time to glance at."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def lines_of_game(entry: Entry) -> Iterator[str]:
    """A game, level by level."""
    figures = GameFigures(entry.game)
    yield line_of_list(entry)
    tempo = figures.tempo
    if tempo is not None:
        low, high = tempo.p95
        yield (
            f"       {tempo.p:.2f} s a number ({low:.2f} to {high:.2f}), {tempo.r0:.1f} s to lay a card, "
            f"spread {tempo.w:.0%}, from {tempo.n} cards"
        )
    for level in entry.game.levels:
        yield from _lines_of_level(figures, level)


def _lines_of_level(figures: GameFigures, level: Level) -> Iterator[str]:
    length = "" if level.play is None else f"  {level.play:.1f} s"
    kept = f"lives {level.lives[0]} to {level.lives[1]}, stars {level.stars[0]} to {level.stars[1]}"
    blind = " blind" if level.blind else ""
    left_out = "  (taken back or counted by hand: in no estimate)" if level.marked else ""
    yield f"  level {level.number}{blind} {_ENDINGS[level.ending]}{length}  {kept}{left_out}"
    yield "    " + " ".join(
        f"{card.card}{'' if card.how == 'laid' else f' {card.how}'}{'' if card.t is None else f'@{card.t:.1f}'}"
        for card in level.cards
    )
    tempo, closest = figures.tempo_of(level), figures.closest(level)
    if tempo is not None:
        yield f"    {tempo.p:.2f} s a number ({tempo.p95[0]:.2f} to {tempo.p95[1]:.2f}), spread {tempo.w:.0%}"
    if closest is not None:
        apart = f"{closest.seconds:.2f} s apart" if closest.seconds else "together"
        yield f"    closest: {closest.cards[0]} and {closest.cards[1]}, {apart}"
    hesitation = figures.hesitation(level)
    if hesitation is not None:
        yield f"    longest wait: {hesitation.seconds:.1f} s for {hesitation.card}, {hesitation.expected:.1f} expected"
    risk = figures.riskiest(level)
    if risk is not None and risk.chance >= 0.05:
        yield f"    riskiest: {risk.card}, an error in {risk.chance:.0%} of such moments"
    for slip in level.slips:
        apart = "" if slip.apart is None else f", {slip.apart:.1f} s apart"
        yield f"    error: {slip.early} before {' '.join(map(str, slip.late))}{apart}"
        saved = figures.saved(level, slip)
        if saved is not None:
            star = "hardly any difference" if saved.hardly else f"{saved.with_star:.0%}"
            yield f"      the level was won in {saved.chance:.0%} of such moments; with a star before: {star}"
