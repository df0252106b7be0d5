"""``mind-box backup`` and ``mind-box restore``: games, cards and settings in one file, and back."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable
from pathlib import Path

from mind_box.backup import JOURNAL, BackupError, Content, back_up
from mind_box.backup import restore as put_back
from mind_box.commands import add_config, config_of
from mind_box.journal.file import JournalError
from mind_box.settings.loading import DEFAULT_PATH


def _explained(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """What cannot be done is said, and is 1 or, for a file that is no backup, 2."""

    @functools.wraps(run)
    def command(args: argparse.Namespace) -> int:
        try:
            return run(args)
        except (JournalError, BackupError) as e:
            print(e, file=sys.stderr)
            return 2 if isinstance(e, BackupError) else 1
        except PermissionError as e:
            print(f"{e.filename}: {e.strerror}: with sudo it may be done", file=sys.stderr)
            return 1
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as e:
            print(f"{e.filename}: {e.strerror}", file=sys.stderr)
            return 2

    return command


def backup(parser: argparse.ArgumentParser) -> None:
    """``mind-box backup``."""
    add_config(parser)
    parser.add_argument("file", metavar="FILE", type=Path, help="what to write; the box may be running meanwhile")
    parser.set_defaults(run=_backup)


@_explained
def _backup(args: argparse.Namespace) -> int:
    """0: all is in the file; 1: rows of the journal are damaged, or it cannot be read; 2: the file cannot be made."""
    config = config_of(args)
    content = back_up(config, args.config or DEFAULT_PATH, args.file)
    print(f"{args.file}: {_told(content)}, {args.file.stat().st_size // 1000 + 1} kB. Copy it off this card.")
    return _said_damage(content)


def restore(parser: argparse.ArgumentParser) -> None:
    """``mind-box restore``."""
    goes = f"where the settings go (default: {DEFAULT_PATH})"
    parser.add_argument("--config", metavar="FILE", type=Path, help=goes)
    parser.add_argument("file", metavar="FILE", type=Path, help="what `mind-box backup` wrote; stop the box first")
    parser.set_defaults(run=_restore)


@_explained
def _restore(args: argparse.Namespace) -> int:
    """0: all is back; 1: the box is running, or rows were damaged when it was saved; 2: that is no backup."""

    def kept(path: Path, aside: Path) -> None:
        if aside.exists():
            print(f"{path}: the one before is kept as {aside}")

    content = put_back(args.file, args.config, kept)
    print(f"{args.file}: back are {_told(content)}. Start the box: sudo systemctl start mind-box")
    return _said_damage(content)


def _told(content: Content) -> str:
    words = {"journal.db": "the journal", "cards.json": "the enrolled cards", "box.toml": "the settings"}
    if content.report is not None:
        words[JOURNAL] = f"{content.report.games} games"
    made = f", saved {content.made}" if content.made else ""
    return ", ".join(words[part] for part in content.parts) + f" (mind-box {content.version}{made})"


def _said_damage(content: Content) -> int:
    problems = content.report.problems if content.report is not None else ()
    for problem in problems:
        print(f"WRONG {problem}", file=sys.stderr)
    return 1 if problems else 0
