"""``mind-box cards``: tags taught to the box, and labels, sleeve inserts and tags' contents to make."""

from __future__ import annotations

import argparse
import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path

from mind_box.cards import labels as label_sheets
from mind_box.cards import ndef as tag_list
from mind_box.cards import qr
from mind_box.cards import sleeves as insert_sheets
from mind_box.cards.enrol import run_enrol
from mind_box.cards.enrolment import ANY_DECK
from mind_box.cards.sheets import PAPERS, PRECUT, plain
from mind_box.cards.store import CardStore
from mind_box.commands import add_config, config_of
from mind_box.game.cards import DECKS
from mind_box.pip import pip
from mind_box.settings.loading import ConfigError
from mind_box.table.payload import parse


def enrol(parser: argparse.ArgumentParser) -> None:
    """``mind-box cards enrol``."""
    add_config(parser)
    parser.add_argument("cards", metavar="CARD", nargs="*", help="cards that get a new tag (default: all without one)")
    parser.add_argument("--deck", choices=DECKS, default=DECKS[0], help="the deck that is enrolled")
    parser.set_defaults(run=_enrol)


def _enrol(args: argparse.Namespace) -> int:
    """0: all are enrolled; 1: stopped before; 2: the tags cannot be read or kept."""
    config = config_of(args)
    if not config.reader:
        raise ConfigError("the settings name no reader: add a [[reader]] table")
    cards = []
    for word in args.cards:
        card = parse(word)
        if card not in ANY_DECK:
            print(f"{word!r} is no card: give 1 to 100, W1 to W50 or R1 to R50", file=sys.stderr)
            return 2
        cards.append(card)
    keys = sys.stdin.fileno() if sys.stdin is not None and not sys.stdin.closed else None
    return run_enrol(config.reader[0], CardStore(config.box.state_dir), sys.stdout, keys, cards or None, args.deck)


def _add_deck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deck", choices=DECKS, default="original", help="original: 1-100; extreme: W1-W50, R1-R50")


def _drawing(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Returns 2, with the reason on stderr, for what cannot be drawn or written."""

    @functools.wraps(run)
    def command(args: argparse.Namespace) -> int:
        try:
            return run(args)
        except ImportError as e:
            cure = pip("install", "reportlab", "segno")
            print(f"mind-box cards: {e.name} is not installed: {cure}", file=sys.stderr)
        except (ValueError, OSError) as e:
            print(f"mind-box cards {run.__name__.lstrip('_')}: {e}", file=sys.stderr)
        return 2

    return command


def labels(parser: argparse.ArgumentParser) -> None:
    """``mind-box cards labels``."""
    parser.add_argument("out", type=Path, help="the PDF to write")
    _add_deck(parser)
    parser.add_argument("--size", type=float, default=15.0, help="width of a code in millimetres (default: 15)")
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="uncut label paper to fill (default: a4)")
    parser.add_argument("--sheet", choices=("plain", *PRECUT), default="plain", help="pre-cut labels by Avery number")
    parser.add_argument("--copies", type=int, default=1, help="labels for each card; 2 to have one at either end")
    parser.add_argument("--skip", type=int, default=0, help="labels already gone from the first sheet")
    parser.add_argument("--shift", default="0,0", help="moves all print by X,Y millimetres: for a printer that is off")
    parser.set_defaults(run=_labels)


@_drawing
def _labels(args: argparse.Namespace) -> int:
    """Writes the PDF."""
    sheet = label_sheets.choose(args.sheet, args.paper, args.size)
    shift = _shift(args.shift)
    if not 1 <= args.copies <= 10:
        raise ValueError(f"--copies {args.copies}: from 1 to 10.")
    if not 0 <= args.skip < sheet.count:
        raise ValueError(f"--skip {args.skip}: this sheet has {sheet.count} labels; from 0 to {sheet.count - 1}.")
    cards = [c for c in qr.deck(args.deck) for _ in range(args.copies)]
    note = f"{args.deck} deck, {args.size:g} mm codes."
    pages = label_sheets.write(args.out, cards, sheet, args.size, args.skip, shift, note)
    print(f"{args.out}: {len(cards)} labels and the tray's on {pages} page(s). Print at 100 %, not 'fit to page'.")
    return 0


def _shift(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--shift {text}: two numbers in millimetres, e.g. --shift 0.5,-1.") from None
    if not (abs(x) <= 10 and abs(y) <= 10):  # also refuses nan
        raise ValueError(f"--shift {text}: at most 10 mm either way.")
    return x, y


def sleeves(parser: argparse.ArgumentParser) -> None:
    """``mind-box cards sleeves``."""
    parser.add_argument("out", type=Path, help="the PDF to write")
    _add_deck(parser)
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="paper to print on (default: a4)")
    parser.add_argument("--card", default="57x87", help="width x height of an insert in millimetres (default: 57x87)")
    parser.set_defaults(run=_sleeves)


@_drawing
def _sleeves(args: argparse.Namespace) -> int:
    """Writes the PDF."""
    sheet = plain(args.paper, _size(args.card))
    cards = qr.deck(args.deck)
    pages = insert_sheets.write(args.out, cards, sheet, f"{args.deck} deck, inserts of {args.card} mm.")
    print(f"{args.out}: {len(cards)} inserts on {pages} page(s). Print at 100 %; use sleeves with an opaque back.")
    return 0


def _size(text: str) -> tuple[float, float]:
    named = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    if named is None:
        raise ValueError(f"--card {text}: width x height in millimetres, e.g. 57x87.")
    width, height = float(named[1]), float(named[2])
    least = insert_sheets.LEAST
    if not (40 <= width <= 100 and least <= height <= 150):
        raise ValueError(f"--card {text}: from 40 to 100 mm wide and from {least:g} to 150 mm high.")
    return width, height


def ndef(parser: argparse.ArgumentParser) -> None:
    """``mind-box cards ndef``."""
    parser.add_argument("out", type=Path, nargs="?", help="file to write (default: to the terminal)")
    _add_deck(parser)
    parser.add_argument("--format", choices=("csv", "json"), default="csv", help="csv (default) or json")
    parser.set_defaults(run=_ndef)


def _ndef(args: argparse.Namespace) -> int:
    """Writes the list; 2, with the reason on stderr, where it cannot."""
    out = {"csv": tag_list.as_csv, "json": tag_list.as_json}[args.format](qr.deck(args.deck))
    if args.out is None:
        print(out, end="")
        return 0
    try:
        args.out.write_text(out, encoding="utf-8")
    except OSError as e:
        print(f"mind-box cards ndef: {args.out}: cannot be written: {e.strerror}. Give another file.", file=sys.stderr)
        return 2
    return 0
