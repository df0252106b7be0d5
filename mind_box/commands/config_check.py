"""``mind-box config check``."""

from __future__ import annotations

import argparse

from mind_box.commands import add_config, config_of
from mind_box.config import DEFAULT_PATH, cautions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    """Says what the settings make of the box. Raises ``ConfigError`` for wrong ones."""
    config = config_of(args)
    source = args.config or (DEFAULT_PATH if DEFAULT_PATH.exists() else "the standard build")
    screens = ", ".join(screen.name for screen in config.screen) or "no screen"
    readers = ", ".join(f"{reader.kind} reader at {reader.device}" for reader in config.reader) or "no reader"
    print(f"{source}: right. {config.box.seats} seats; {screens}; {readers}.")
    for caution in cautions(config):
        print(f"note: {caution}.")
    return 0
