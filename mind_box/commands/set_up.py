"""``mind-box set-up``: what the service of the first start runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.first_start.helper import Places, set_up


def first_start(parser: argparse.ArgumentParser) -> None:
    """``mind-box set-up``."""
    usual = Places()
    goes = f"where the settings are written (default: {usual.settings})"
    parser.add_argument("--config", metavar="FILE", type=Path, default=usual.settings, help=goes)
    asked = f"what sets the box up without a question, if it is there (default: {usual.asked})"
    parser.add_argument("--file", metavar="FILE", type=Path, default=usual.asked, help=asked)
    parser.set_defaults(run=_set_up)


def _set_up(args: argparse.Namespace) -> int:
    """0: it is set up, or nobody was there; 1: what came of it cannot be kept."""
    return set_up(Places(settings=args.config, asked=args.file))
