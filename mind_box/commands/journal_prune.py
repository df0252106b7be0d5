"""``mind-box journal prune``."""

from __future__ import annotations

import argparse
import sys

from mind_box.commands import add_config, config_of
from mind_box.journal.file import claimed
from mind_box.journal.journal import Journal, JournalError
from mind_box.service.daemon import journal_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("--keep", metavar="N", type=int, help="games to keep (default: journal.keep_games)")
    parser.add_argument("--megabytes", metavar="N", type=int, help="room for them (default: journal.keep_megabytes)")


def run(args: argparse.Namespace) -> int:
    """0: done; 1: the journal cannot be written (stop the box first). The newest game always stays."""
    config = config_of(args)
    path = journal_path(config)
    keep = config.journal.keep_games if args.keep is None else args.keep
    megabytes = config.journal.keep_megabytes if args.megabytes is None else args.megabytes
    if keep < 1 or megabytes < 1:
        print("--keep and --megabytes take numbers from 1 on", file=sys.stderr)
        return 2
    try:
        if not path.exists():
            print(f"{path}: there is no journal", file=sys.stderr)
            return 1
        with claimed(path):
            journal = Journal.open(path)
            gone = 0
            while dropped := journal.prune(keep, megabytes * 1_000_000):
                gone += dropped
            journal.shrink()
            print(f"{path}: {gone} games dropped, {journal.size() // 1000} kB left")
            journal.close()
    except (JournalError, OSError) as e:
        print(e, file=sys.stderr)
        return 1
    return 0
