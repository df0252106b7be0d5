"""``mind-box status``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.service.status import show


def status(parser: argparse.ArgumentParser) -> None:
    """``mind-box status``."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON, the View in it")
    parser.set_defaults(run=_status)


def _status(args: argparse.Namespace) -> int:
    """0: a box runs and misses nothing; 1: something is missing; 3: none runs."""
    return show(Path(config_of(args).box.run_dir), args.json)
