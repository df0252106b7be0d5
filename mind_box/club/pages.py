"""The hub's pages: the board of all tables with the league, and the league by itself. Made from Views and results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from mind_box.club.league import Standing
from mind_box.club.live import TableNow
from mind_box.page.spoken import page_words, spoken_news, spoken_state
from mind_box.show.sentences import VARIANTS, fault
from mind_box.show.words import LANGUAGE_NAMES, Words, words_for
from mind_box.table.view import View

ON_BOARD = 12
"""Places of the league beside the tables."""


def board(tables: Sequence[TableNow], standings: Sequence[Standing], troubles: Iterable[str], language: str) -> str:
    """What stands in ``<main>``."""
    words = page_words(language)
    say = words.say
    names = {"tables": say("Tables"), "league": say("League")}
    told = "".join(f'<p class="trouble" role="status">{escape(text)}</p>' for text in troubles)
    cards = "".join(_table(table, language) for table in tables)
    if not cards:
        cards = f"<li class='nobody'>{escape(say('No table has said that it is there yet.'))}</li>"
    shown = league_table(standings[:ON_BOARD], words)
    return (
        f'{told}<section class="tables"><h2 class="spoken">{escape(names["tables"])}</h2>'
        f'<ul class="{"many" if len(tables) > 6 else "few"}">{cards}</ul></section>'
        f'<section class="league"><h2>{escape(names["league"])}</h2>{shown}</section>'
    )


def _table(table: TableNow, language: str) -> str:
    words, view = page_words(language), table.view
    kind = "off" if not table.online else view.phase if view is not None else "other"
    body = ""
    if table.other:
        body = f"<p>{escape(words.say('speaks another version than this hub'))}</p>"
    elif view is not None:
        body = _stands(view, language) if view.phase != "lobby" else f"<p>{escape(spoken_state(view, language))}</p>"
        if table.event and table.online:
            body += f'<p class="event">{escape(" ".join(spoken_news([dict(table.event)], language)))}</p>'
        wrong = fault(view, words_for(language))
        if wrong is not None and table.online:
            body += f'<p class="fault">{escape(wrong.what)}</p>'
    off = words.say("off")
    off = "" if table.online else f' <span class="word">{escape(off)}</span>'
    return f'<li class="{kind}"><h3>{escape(table.name)}{off}</h3>{body}</li>'


def _stands(view: View, language: str) -> str:
    words = page_words(language)
    signs = f'<span class="signs">{"♥" * view.lives} <i>{"★" * view.stars}</i></span>'
    tops = [str(pile[-1]) for pile in view.piles if pile] if not view.blind else []
    if view.phase in ("won", "lost"):
        tops = []
    top = "".join(f"<b>{escape(card)}</b>" for card in tops)
    how = {"won": words.say("Won."), "lost": words.say("Lost.")}.get(view.phase, "")
    kind, level = words_for(language).say(VARIANTS[view.variant]), words.say("Level")
    return (
        f'<p class="spoken">{escape(spoken_state(view, language))}</p>'
        f'<div class="stands" aria-hidden="true"><span class="level">{escape(level)} '
        f"<b>{view.level}/{view.last_level}</b></span>"
        f'{signs}<span class="tops">{top}{escape(how)}</span>'
        f'<span class="kind">{escape(kind)}</span></div>'
    )


def league_table(standings: Sequence[Standing], words: Words) -> str:
    """The league."""
    say = words.say
    title = say("League")
    if not standings:
        return f"<p>{escape(say('No game is over yet.'))}</p>"
    head = (say("Place"), say("Table"), say("Games"), say("Won"), say("Best"), say("Mean"), say("Errors a level"))
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    rows = "".join(
        f'<tr><td>{row.place}</td><th scope="row">{escape(row.name)}</th><td>{row.games}</td><td>{row.won}</td>'
        f"<td>{row.best:.0f} %</td><td>{row.mean:.0f} %</td><td>{row.errors_a_level:.2f}</td></tr>"
        for row in standings
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(title)}"><table>'
        f"<thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def page(title: str, body: str, language: str, live: bool) -> str:
    """A whole page; ``live``: its ``<main>`` follows the hub."""
    words = page_words(language)
    say = words.say
    others = " · ".join(
        f'<a href="?lang={code}" lang="{code}"{" aria-current=true" if code == language else ""}>{escape(name)}</a>'
        for code, name in LANGUAGE_NAMES.items()
    )
    ways = (("/", say("Tables")), ("/league", say("League")), ("/evenings", say("Evenings")))
    nav = " · ".join(f'<a href="{to}?lang={language}">{escape(name)}</a>' for to, name in ways)
    files = (("/league.csv", say("League")), ("/results.csv", say("Results")))
    data = " · ".join(f'<a href="{to}" download>{escape(name)} (CSV)</a>' for to, name in files)
    script = '<script type="module" src="/board.js"></script>' if live else ""
    pages, kept, speaks = say("Pages"), say("Files"), say("Language")
    lost = say("No connection to the hub: what you see is old. It is looked for …")
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} · mind-box</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/club.css">
{script}
</head>
<body>
<header><h1>{escape(title)}</h1><nav aria-label="{escape(pages)}">{nav}</nav></header>
<main>{body}</main>
<footer><nav aria-label="{escape(kept)}">{data}</nav>
<nav aria-label="{escape(speaks)}">{others}</nav></footer>
<p id="lost" class="lost" role="alert" data-lost="{escape(lost)}" hidden></p>
</body>
</html>
"""
