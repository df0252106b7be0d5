"""``mind-box replay`` and ``mind-box record``: table scripts played, and made of a game in the journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.journal.file import JournalError
from mind_box.journal.opening import journal_path


def replay(parser: argparse.ArgumentParser) -> None:
    """``mind-box replay``."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a table script")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each action and each failure")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="leave the script's journal in this directory")
    parser.set_defaults(run=_replay)


def _replay(args: argparse.Namespace) -> int:
    """0: every expectation held; 1: one failed; 2: a file is not a script."""
    from mind_box.virtual.scripts.replay import replay_files

    if args.keep is not None and len(args.files) > 1:
        print("--keep keeps the journal of one script", file=sys.stderr)
        return 2
    return replay_files(args.files, args.json, args.keep)


def record(parser: argparse.ArgumentParser) -> None:
    """``mind-box record``: for bug reports, and for looking at a game again."""
    add_config(parser)
    parser.add_argument("--journal", metavar="FILE", type=Path, help="the journal (default: the box's own)")
    parser.add_argument("--game", metavar="N", type=int, default=-1, help="1: the oldest; -1: the newest, the default")
    parser.set_defaults(run=_record)


def _record(args: argparse.Namespace) -> int:
    """0: the script is on standard output; 1: its replay comes out otherwise; 2: there is no such game."""
    from mind_box.virtual.scripts import record

    path = args.journal or journal_path(config_of(args).box.state_dir)
    try:
        recording = record.record(record.events_of(record.read_game(path, args.game)))
    except record.CannotRecord as e:
        print(f"{path}: {e}", file=sys.stderr)
        return 2
    except JournalError as e:
        print(e, file=sys.stderr)
        return 2
    print(recording.text, end="")
    if not record.comes_out_the_same(recording):
        print("The replay of this script comes out otherwise than the game did.", file=sys.stderr)
        return 1
    return 0
