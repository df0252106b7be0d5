"""``mind-box reader update``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mind_box.commands import add_config, config_of
from mind_box.devices.readers.update import run_update
from mind_box.pip import packaged
from mind_box.settings.loading import ConfigError

FILES = Path("firmware/build/files")
PACKAGED = Path("/usr/share/mind-box-firmware/files")
"""What the Debian package brings."""


def update(parser: argparse.ArgumentParser) -> None:
    """``mind-box reader update``."""
    add_config(parser)
    made = f"what `make firmware` made (default: {FILES}; of the Debian package {PACKAGED})"
    parser.add_argument("files", metavar="DIR", nargs="?", type=Path, help=made)
    parser.add_argument("--settings", action="store_true", help="replace the board's settings.py as well")
    parser.set_defaults(run=_update)


def _update(args: argparse.Namespace) -> int:
    """Copies the firmware's files to the reader board over USB."""
    for settings in config_of(args).reader:
        if settings.kind == "firmware":
            files = args.files or (PACKAGED if packaged() else FILES)
            return run_update(settings, files, sys.stdout, replace_settings=args.settings)
    raise ConfigError('the settings name no reader of kind "firmware": add one as a [[reader]] table')
