"""``mind-box run``."""

from __future__ import annotations

import argparse

from mind_box.commands import add_config, config_of
from mind_box.daemon import run as run_daemon


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    """Runs the box until it is told to stop."""
    return run_daemon(config_of(args))
