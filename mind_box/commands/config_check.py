"""``mind-box config check``."""

from __future__ import annotations

import argparse

from mind_box.commands import add_config, config_of
from mind_box.settings.loading import described
from mind_box.settings.schema import cautions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    """Says what the settings make of the box. Raises ``ConfigError`` for wrong ones."""
    config = config_of(args)
    source, what = described(config, args.config)
    print(f"{source}: right. {what}.")
    for caution in cautions(config):
        print(f"note: {caution}.")
    return 0
