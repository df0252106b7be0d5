"""``mind-box journal export``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.files import sync_directory
from mind_box.journal.archive import export
from mind_box.journal.journal import Journal, JournalError
from mind_box.service.daemon import journal_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="where to write (default: standard output)")
    parser.add_argument("--last", metavar="N", type=int, help="only the N newest games, the one at the table included")


def run(args: argparse.Namespace) -> int:
    """0: all games were written; 1: rows had to be left out, or nothing could be read or written."""
    path = journal_path(config_of(args))
    if args.last is not None and args.last < 1:
        print("--last takes a number from 1 on", file=sys.stderr)
        return 2
    try:
        journal = Journal.looking_on(path, load=False)
    except JournalError as e:
        print(e, file=sys.stderr)
        return 1
    try:
        if args.file is None:
            games, left_out = export(journal, sys.stdout, args.last)
        else:
            games, left_out = _to_file(journal, args.file, args.last)
            print(f"{args.file}: {games} games", file=sys.stderr)
    except JournalError as e:
        print(e, file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except OSError as e:
        print(f"{args.file or 'standard output'}: cannot be written: {e.strerror}", file=sys.stderr)
        return 1
    finally:
        journal.close()
    if left_out:
        print(f"{path}: {left_out} rows were left out; mind-box journal verify names them", file=sys.stderr)
    return 1 if left_out else 0


def _to_file(journal: Journal, path: Path, last: int | None) -> tuple[int, int]:
    """The old file or the whole new one, whenever the power goes; for its owner only, hands are in it (R33)."""
    if path.exists() and not path.is_file():  # a pipe or a device stays what it is
        with path.open("w", encoding="utf-8") as out:
            return export(journal, out, last)
    path = Path(os.path.realpath(path))  # a link stays one too
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        result = export(journal, out, last)
        out.flush()
        os.fsync(out.fileno())
    os.replace(new, path)
    sync_directory(path.parent)
    return result
