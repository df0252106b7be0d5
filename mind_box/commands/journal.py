"""``mind-box journal``: games out of the journal and into it, the file looked at, the oldest dropped."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.files import replacing
from mind_box.journal.archive import ArchiveError, read_games, take_in, verify
from mind_box.journal.archive import export as export_games
from mind_box.journal.file import JournalError, claimed
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.settings.schema import Config

Run = Callable[[argparse.Namespace, Config, Path], int]


def _with_journal(run: Run) -> Callable[[argparse.Namespace], int]:
    """Gives it the settings and the journal's path; a journal that cannot be used is said, and is 1."""

    @functools.wraps(run)
    def command(args: argparse.Namespace) -> int:
        config = config_of(args)
        try:
            return run(args, config, journal_path(config.box.state_dir))
        except JournalError as e:
            print(e, file=sys.stderr)
            return 1

    return command


def export(parser: argparse.ArgumentParser) -> None:
    """``mind-box journal export``."""
    add_config(parser)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="where to write (default: standard output)")
    parser.add_argument("--last", metavar="N", type=int, help="only the N newest games, the one at the table included")
    parser.set_defaults(run=_export)


@_with_journal
def _export(args: argparse.Namespace, _: Config, path: Path) -> int:
    """0: all games were written; 1: rows had to be left out, or nothing could be read or written."""
    if args.last is not None and args.last < 1:
        print("--last takes a number from 1 on", file=sys.stderr)
        return 2
    with contextlib.closing(Journal.looking_on(path, load=False)) as journal:
        try:
            if args.file is None:
                games, left_out = export_games(journal, sys.stdout, args.last)
            else:
                games, left_out = _to_file(journal, args.file, args.last)
                print(f"{args.file}: {games} games", file=sys.stderr)
        except BrokenPipeError:
            raise
        except OSError as e:
            print(f"{args.file or 'standard output'}: cannot be written: {e.strerror}", file=sys.stderr)
            return 1
    if left_out:
        print(f"{path}: {left_out} rows were left out; mind-box journal verify names them", file=sys.stderr)
    return 1 if left_out else 0


def _to_file(journal: Journal, path: Path, last: int | None) -> tuple[int, int]:
    """The old file or the whole new one, whenever the power goes; for its owner only, hands are in it (R33)."""
    if path.exists() and not path.is_file():  # a pipe or a device stays what it is
        with path.open("w", encoding="utf-8") as out:
            return export_games(journal, out, last)
    with replacing(path, mode=0o600) as out:
        return export_games(journal, out, last)


def take(parser: argparse.ArgumentParser) -> None:
    """``mind-box journal import``."""
    add_config(parser)
    parser.add_argument("file", metavar="FILE", type=Path, help="what `mind-box journal export` wrote")
    parser.set_defaults(run=_take)


@_with_journal
def _take(args: argparse.Namespace, _: Config, path: Path) -> int:
    """0: taken in; 1: the journal cannot be written (stop the box first); 2: the file is not one of games."""
    try:
        with claimed(path), args.file.open(encoding="utf-8-sig") as lines:
            journal = Journal.open(path)
            taken, known = take_in(journal, read_games(lines))
            journal.close()
    except (ArchiveError, UnicodeDecodeError) as e:
        print(f"{args.file}: {e}. Nothing was taken in.", file=sys.stderr)
        return 2
    except OSError as e:
        print(f"{args.file}: cannot be read: {e.strerror}", file=sys.stderr)
        return 2
    print(f"{path}: {taken} games taken in, {known} were there already")
    return 0


def look(parser: argparse.ArgumentParser) -> None:
    """``mind-box journal verify``."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_look)


@_with_journal
def _look(args: argparse.Namespace, _: Config, path: Path) -> int:
    """0: every row is sound; 1: something is wrong, or there is nothing to read."""
    with contextlib.closing(Journal.looking_on(path, load=False)) as journal:
        report = verify(journal)
    if args.json:
        print(json.dumps(asdict(report)))
    else:
        for problem in report.problems:
            print(f"WRONG {problem}")
        state = "something is wrong" if report.problems else "every row is sound"
        print(f"{path}: {report.games} games, {report.rows} events, {report.bytes // 1000} kB: {state}")
    return 1 if report.problems else 0


def prune(parser: argparse.ArgumentParser) -> None:
    """``mind-box journal prune``."""
    add_config(parser)
    parser.add_argument("--keep", metavar="N", type=int, help="games to keep (default: journal.keep_games)")
    parser.add_argument("--megabytes", metavar="N", type=int, help="room for them (default: journal.keep_megabytes)")
    parser.set_defaults(run=_prune)


@_with_journal
def _prune(args: argparse.Namespace, config: Config, path: Path) -> int:
    """0: done; 1: the journal cannot be written (stop the box first). The newest game always stays."""
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
    except OSError as e:
        print(e, file=sys.stderr)
        return 1
    return 0
