"""``mind-box config``: settings checked, and all of them as a file to begin from."""

from __future__ import annotations

import argparse

from mind_box.commands import add_config, config_of
from mind_box.settings.loading import described
from mind_box.settings.reference import example as example_file
from mind_box.settings.schema import cautions


def check(parser: argparse.ArgumentParser) -> None:
    """``mind-box config check``."""
    add_config(parser)
    parser.set_defaults(run=_check)


def _check(args: argparse.Namespace) -> int:
    """Says what the settings make of the box. Raises ``ConfigError`` for wrong ones."""
    config = config_of(args)
    source, what = described(config, args.config)
    print(f"{source}: right. {what}.")
    for caution in cautions(config):
        print(f"note: {caution}.")
    return 0


def example(parser: argparse.ArgumentParser) -> None:
    """``mind-box config example``, which takes no arguments."""
    parser.set_defaults(run=_example)


def _example(_: argparse.Namespace) -> int:
    print(example_file(), end="")
    return 0
