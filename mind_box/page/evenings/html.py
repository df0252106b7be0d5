"""The evenings as pages: a picture, and beside it the same as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape

from mind_box.evening.book import Entry
from mind_box.evening.figures import GameFigures
from mind_box.evening.told import Level
from mind_box.page.evenings.drawing import Drawing, svg
from mind_box.page.evenings.pictures import NARROW, WIDTH, evening_picture, level_picture
from mind_box.page.evenings.sentences import (
    DOUBTS,
    date_of,
    facts_of,
    result_of,
    row_of,
    rules_of,
    tempo_in_words,
    title_of,
)
from mind_box.show.words import Words


def list_page(entries: Sequence[Entry], older: str | None, words: Words, base: str = "") -> str:
    """The evenings, the newest first; ``older``: the address part that the next ones come after.

    ``base`` is what all addresses of evenings begin with.
    """
    rows: list[tuple[str, ...]] = [
        (
            f'<a href="{base}/evening/{entry.key}">{escape(title_of(entry, words))}</a>',
            escape(date_of(entry.game) if entry.name else ""),
            escape(rules_of(entry.game, words)),
            escape(result_of(entry.game, words)),
            _length(entry),
        )
        for entry in entries
    ]
    say = words.say
    head: tuple[str, ...] = (say("Evening"), say("Date"), say("Game"), say("Result"), say("Minutes"))
    if not any(entry.name for entry in entries):  # then each evening is called by its date
        head, rows = head[:1] + head[2:], [row[:1] + row[2:] for row in rows]
    body = _table(head, rows, say("All evenings")) if rows else f"<p>{escape(say('Nothing has been played yet.'))}</p>"
    if older is not None:
        body += f'<p><a href="{base}/evenings?before={older}">{escape(say("Older ones"))}</a></p>'
    return _page(say("Evenings"), body, words, up=("/", say("The table")))


def evening_page(entry: Entry, words: Words, base: str = "", figures: GameFigures | None = None) -> str:
    """One game: its picture, its levels, and what is told of it; by ``figures``, or by what its waits tell."""
    say, game = words.say, entry.game
    title = title_of(entry, words)
    figures = figures or GameFigures(game)
    told = [rules_of(game, words), result_of(game, words) + "."]
    if figures.tempo is not None:
        told.append(tempo_in_words(figures.tempo, words))
    told += [say(DOUBTS[doubt]) for doubt in game.doubts]
    rows = []
    for i, level in enumerate(game.levels, 1):
        tempo = figures.tempo_of(level)
        rows.append(
            (
                f'<a href="{base}/evening/{entry.key}/{i}">{escape(_level_name(level, words))}</a>',
                "" if level.play is None else f"{level.play:.1f}",
                f"{level.lives[0]} → {level.lives[1]}",
                f"{level.stars[0]} → {level.stars[1]}",
                str(level.errors),
                "" if tempo is None else f"{tempo.p:.2f} ({tempo.p95[0]:.2f}–{tempo.p95[1]:.2f})",
                "" if tempo is None else f"{tempo.w:.2f}",
            )
        )
    head = (say("Level"), say("Seconds"), say("Lives"), say("Stars"), say("Errors"), say("Seconds a number"),
            say("Spread of the waits"))  # fmt: skip
    body = "".join(f"<p>{escape(line)}</p>" for line in told)
    if game.levels:
        draw = partial(evening_picture, figures, title, words)
        body += _picture(draw, f"{base}/evening/{entry.key}", words)
        body += _table(head, rows, say("Levels"))
    return _page(title, body, words, up=(f"{base}/evenings", say("All evenings")))


def level_page(entry: Entry, which: int, words: Words, base: str = "", figures: GameFigures | None = None) -> str:
    """One level (1: the game's first): its picture, its cards, and what is told of it."""
    say, level = words.say, entry.game.levels[which - 1]
    figures = figures or GameFigures(entry.game)
    title = f"{title_of(entry, words)}: {_level_name(level, words)}"
    body = _picture(partial(level_picture, figures, level, words), f"{base}/evening/{entry.key}/{which}", words)
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in facts_of(figures, level, words))
    body += f"<ul>{facts}</ul>" if facts else ""
    head = (say("Card"), say("Seconds"), say("Seat"), say("How"))
    body += _table(head, [tuple(map(escape, row_of(card, words))) for card in level.cards], say("Cards"))
    ways = []
    for there, name in ((which - 1, say("The level before")), (which + 1, say("The next level"))):
        if 1 <= there <= len(entry.game.levels):
            ways.append(f'<a href="{base}/evening/{entry.key}/{there}">{escape(name)}</a>')
    body += f"<p>{' · '.join(ways)}</p>" if ways else ""
    return _page(title, body, words, up=(f"{base}/evening/{entry.key}", title_of(entry, words)))


def notice_page(title: str, text: str, words: Words) -> str:
    """A page that only says something."""
    return _page(title, f"<p>{escape(text)}</p>", words, up=("/", words.say("The table")))


def _level_name(level: Level, words: Words) -> str:
    name = words.say("Level {level}", level=level.number)
    return f"{name} ({words.say('blind')})" if level.blind else name


def _length(entry: Entry) -> str:
    played = sum(level.play or 0.0 for level in entry.game.levels)
    return f"{played / 60:.0f}" if played else ""


def _picture(draw: Callable[[float], Drawing], address: str, words: Words) -> str:
    """Both forms; the style sheet shows the one that fits, and on paper the broad one."""
    files = [f'<a href="{address}.svg" download>SVG</a>', f'<a href="{address}.pdf" download>PDF</a>']
    files.append(f'<a href="{address}.svg" class="as-png" hidden>PNG</a>')
    keep = escape(words.say("To keep:"))
    forms = (("broad", WIDTH), ("narrow", NARROW))
    pictures = "".join(f'<div class="{name}">{svg(draw(width), inline=True)}</div>' for name, width in forms)
    return f"<figure>{pictures}<figcaption>{keep} {' · '.join(files)}</figcaption></figure>"


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Cells are HTML already."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = "".join(
        f'<tr><th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _page(title: str, body: str, words: Words, up: tuple[str, str]) -> str:
    return f"""<!doctype html>
<html lang="{words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · mind-box</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/evenings.css">
<script type="module" src="/evenings.js"></script>
</head>
<body>
<header><nav><a href="{up[0]}">‹ {escape(up[1])}</a></nav></header>
<main>
<h1>{escape(title)}</h1>
{body}
</main>
</body>
</html>
"""
