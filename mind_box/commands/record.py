"""``mind-box record``: a game from the journal as a table script, for bug reports and for looking at it again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.journal.journal import FILE, JournalError
from mind_box.virtual.scripts.record import CannotRecord, comes_out_the_same, events_of, read_game, record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("--journal", metavar="FILE", type=Path, help="the journal (default: the box's own)")
    parser.add_argument("--game", metavar="N", type=int, default=-1, help="1: the oldest; -1: the newest, the default")


def run(args: argparse.Namespace) -> int:
    """0: the script is on standard output; 1: its replay comes out otherwise; 2: there is no such game."""
    path = args.journal or Path(config_of(args).box.state_dir) / FILE
    try:
        recording = record(events_of(read_game(path, args.game)))
    except CannotRecord as e:
        print(f"{path}: {e}", file=sys.stderr)
        return 2
    except JournalError as e:
        print(e, file=sys.stderr)
        return 2
    print(recording.text, end="")
    if not comes_out_the_same(recording):
        print("The replay of this script comes out otherwise than the game did.", file=sys.stderr)
        return 1
    return 0
