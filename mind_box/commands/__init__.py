"""The commands, each one a function that takes a parser and says on it what its arguments are and what runs it."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.settings.loading import DEFAULT_PATH, settings
from mind_box.settings.schema import Config


def add_config(parser: argparse.ArgumentParser) -> None:
    """``--config FILE``."""
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help=f"settings (default: {DEFAULT_PATH}, else the defaults)"
    )


def config_of(args: argparse.Namespace) -> Config:
    """The settings that the command line asks for. Raises ``ConfigError``."""
    return settings(args.config)
