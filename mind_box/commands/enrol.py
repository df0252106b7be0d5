"""``mind-box cards enrol``."""

from __future__ import annotations

import argparse
import sys

from mind_box.cards.enrol import run_enrol
from mind_box.cards.enrolment import ANY_DECK
from mind_box.cards.store import CardStore
from mind_box.commands import add_config, config_of
from mind_box.game.cards import DECKS
from mind_box.settings.loading import ConfigError
from mind_box.table.payload import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("cards", metavar="CARD", nargs="*", help="cards that get a new tag (default: all without one)")
    parser.add_argument("--deck", choices=DECKS, default=DECKS[0], help="the deck that is enrolled")


def run(args: argparse.Namespace) -> int:
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
