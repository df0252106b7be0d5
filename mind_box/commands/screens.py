"""``mind-box screens``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.show.sheets import write_screens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("directory", metavar="DIR", type=Path, help="where the pictures go; made if it is not there")


def run(args: argparse.Namespace) -> int:
    """Writes every screen in every language, enlarged four times, and a contact sheet."""
    return write_screens(args.directory)
