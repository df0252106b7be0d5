"""``mind-box journal import``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.journal.archive import ArchiveError, read_games, take_in
from mind_box.journal.file import claimed
from mind_box.journal.journal import Journal, JournalError
from mind_box.service.daemon import journal_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("file", metavar="FILE", type=Path, help="what `mind-box journal export` wrote")


def run(args: argparse.Namespace) -> int:
    """0: taken in; 1: the journal cannot be written (stop the box first); 2: the file is not one of games."""
    path = journal_path(config_of(args))
    try:
        with claimed(path), args.file.open(encoding="utf-8-sig") as lines:
            journal = Journal.open(path)
            taken, known = take_in(journal, read_games(lines))
            journal.close()
    except JournalError as e:
        print(e, file=sys.stderr)
        return 1
    except (ArchiveError, UnicodeDecodeError) as e:
        print(f"{args.file}: {e}. Nothing was taken in.", file=sys.stderr)
        return 2
    except OSError as e:
        print(f"{args.file}: cannot be read: {e.strerror}", file=sys.stderr)
        return 2
    print(f"{path}: {taken} games taken in, {known} were there already")
    return 0
