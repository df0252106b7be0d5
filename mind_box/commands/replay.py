"""``mind-box replay``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.virtual.scripts.replay import replay_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a table script")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each action and each failure")


def run(args: argparse.Namespace) -> int:
    """0: every expectation held; 1: one failed; 2: a file is not a script."""
    return replay_files(args.files, args.json)
