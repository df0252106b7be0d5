"""``mind-box history``: the games that were played, as people tell them, and as data."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.evening.book import Book, Entry
from mind_box.evening.speech import line_of_list, lines_of_game
from mind_box.files import replacing
from mind_box.journal.beside import beside
from mind_box.journal.file import JournalError
from mind_box.journal.opening import journal_path
from mind_box.journal.past import why_no_name

SHOWN = 20
"""Games of the list, if no number is asked for."""


def history(parser: argparse.ArgumentParser) -> None:
    """``mind-box history``: the list, a game, or something done with one."""
    _add_place(parser)
    parser.add_argument(
        "words",
        metavar="GAME",
        nargs="*",
        help="a game: 1 is the oldest, -1 the newest; left out: the list. Or: plot GAME FILE.(svg|png|pdf), "
        "name GAME NAME (an empty name takes it away), forget GAME",
    )
    parser.add_argument(
        "--last", metavar="N", type=int, help=f"of the list the N newest (default: {SHOWN}; all as data)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one line of JSON for each game")
    form.add_argument("--csv", action="store_true", help="a table, a line for each card")
    parser.set_defaults(run=_history)


def _add_place(parser: argparse.ArgumentParser) -> None:
    add_config(parser)
    parser.add_argument("--state", metavar="DIR", type=Path, help="where the journal is (default: box.state_dir)")


def _history(args: argparse.Namespace) -> int:
    """0: done; 1: the journal cannot be used, or not all of it could be read; 2: there is no such game."""
    path = journal_path(args.state if args.state is not None else config_of(args).box.state_dir)
    words: list[str] = args.words
    if args.last is not None and args.last < 1:
        return _wrong("--last takes a number from 1 on")
    try:
        match words:
            case ["name", game, *name] if name:
                return _name(path, game, " ".join(name))
            case ["forget", game]:
                return _forget(path, game)
            case ["plot", game, file]:
                return _plot(path, game, Path(file), config_of(args).box.language)
            case []:
                with Book.at(path) as book:
                    if args.json or args.csv:
                        return _print(book.oldest_first(args.last), args)
                    return _list(book, args.last or SHOWN)
            case [game]:
                with Book.at(path) as book:
                    return _print([_found(book, game)], args)
        return _wrong("expected GAME; plot GAME FILE; name GAME NAME; or forget GAME")
    except _NoGame as e:
        return _wrong(f"{path}: {e}")
    except JournalError as e:
        print(e, file=sys.stderr)
        return 1


class _NoGame(Exception):
    """There is no such game."""


def _wrong(why: str) -> int:
    print(why, file=sys.stderr)
    return 2


def _found(book: Book, word: str) -> Entry:
    """The game of this number."""
    count = book.games()
    try:
        number = int(word)
    except ValueError:
        raise _NoGame(f"{word!r} is no game: 1 is the oldest, -1 the newest") from None
    if not number or abs(number) > count:
        raise _NoGame(f"has no game {number}; it holds {count}")
    return book.game(number)


def _list(book: Book, many: int) -> int:
    entries = book.newest(many)
    for entry in reversed(entries):
        print(line_of_list(entry))
    more = book.games() - len(entries)
    if more > 0:
        print(f"{more} older ones: --last N")
    return _doubts(entries)


def _print(entries: Iterable[Entry], args: argparse.Namespace) -> int:
    from mind_box.evening.as_json import CSV_HEAD, as_json, as_rows

    seen: list[Entry] = []

    def noted(entry: Entry) -> Entry:
        if entry.game.doubts:
            seen.append(entry)
        return entry

    if args.csv:
        table = csv.writer(sys.stdout)
        table.writerows(chain([CSV_HEAD], as_rows(map(noted, entries))))
    for entry in () if args.csv else map(noted, entries):
        if args.json:
            print(json.dumps(as_json(entry), ensure_ascii=False))
        else:
            print("\n".join(lines_of_game(entry)))
    return _doubts(seen)


DOUBTS = {
    "rows": "some of its rows cannot be read, and are left out",
    "clock": "its times run backwards, or their runs are missing: of those levels none are told",
    "times": "only some of its levels have times",
}


def _doubts(entries: Sequence[Entry]) -> int:
    """Says what is wrong with games; 1 where something of them is left out."""
    for entry in entries:
        for doubt in entry.game.doubts:
            print(f"game {entry.number}: {DOUBTS[doubt]}", file=sys.stderr)
    return int(any("rows" in entry.game.doubts for entry in entries))


def _name(path: Path, game: str, name: str) -> int:
    if why := why_no_name(name):
        return _wrong(f"{name[:40]!a} is no name of a game: {why}")
    with Book.at(path) as book:
        entry = _found(book, game)
    with beside(path) as past:
        past.name(entry.start, name.strip())
    print(f"game {entry.number}: {name.strip() or 'no name'}")
    return 0


def _forget(path: Path, game: str) -> int:
    with Book.at(path) as book:
        entry = _found(book, game)
    with beside(path) as past:
        gone = past.forget(entry.start)
    if not gone:
        return _wrong(f"{path}: game {entry.number} is at the table: begin another one first, it is forgotten then")
    print(f"game {entry.number} is forgotten; what came after it is one number less now")
    return 0


def _plot(path: Path, game: str, file: Path, language: str) -> int:
    from mind_box.evening.figures import GameFigures
    from mind_box.page.evenings.files import CannotDraw, as_file, kind_of
    from mind_box.page.evenings.pictures import evening_picture
    from mind_box.page.evenings.sentences import title_of
    from mind_box.page.spoken import page_words

    try:
        kind = kind_of(file)
        with Book.at(path) as book:
            entry = _found(book, game)
        words = page_words(language)
        drawn = as_file(evening_picture(GameFigures(entry.game), title_of(entry, words), words), kind)
        with replacing(file) as out:
            out.buffer.write(drawn)
    except CannotDraw as e:
        return _wrong(str(e))
    except OSError as e:
        return _wrong(f"{file}: cannot be written: {e.strerror}")
    return 0
