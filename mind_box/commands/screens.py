"""``mind-box screens``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mind_box.show.sheets import write_screens


def screens(parser: argparse.ArgumentParser) -> None:
    """``mind-box screens``."""
    parser.add_argument("directory", metavar="DIR", help="where the pictures go; made if it is not there")
    parser.set_defaults(run=_screens)


def _screens(args: argparse.Namespace) -> int:
    """0: every screen in every language, enlarged four times, and a contact sheet; 2: they cannot be written."""
    if not args.directory:
        print("DIR is empty: name the directory for the pictures", file=sys.stderr)
        return 2
    try:
        count = write_screens(Path(args.directory))
    except OSError as e:
        where = e.filename or args.directory
        print(f"{where}: cannot be written: {e.strerror or e}; name another directory or make room", file=sys.stderr)
        return 2
    print(f"{args.directory}: {count} pictures")
    return 0
