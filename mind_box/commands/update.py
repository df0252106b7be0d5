"""``mind-box update``."""

from __future__ import annotations

import argparse
import sys

from mind_box.commands import add_config, config_of
from mind_box.settings.loading import DEFAULT_PATH
from mind_box.updating import UpdateError, Updater, tell_box

NONE = 3
"""Exit status of ``--check`` where there is no update."""


def update(parser: argparse.ArgumentParser) -> None:
    """``mind-box update``."""
    add_config(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help=f"only say whether there is one; {NONE}: there is none")
    what.add_argument("--finish", action="store_true", help="go on where a power cut has interrupted one")
    parser.set_defaults(run=_update)


def _update(args: argparse.Namespace) -> int:
    """0: the new version runs; 1: it did not become ready, and the old one is back; 2: nothing was changed."""
    updater = Updater(config_of(args), args.config or DEFAULT_PATH, say=lambda text: print(text, flush=True))
    try:
        if args.check:
            versions = updater.look()
            tell_box(versions)
            print(f"mind-box {versions.installed}; {versions.newest if versions.there_is_one else 'nothing newer'}")
            return 0 if versions.there_is_one else NONE
        return 0 if (updater.finish() if args.finish else updater.update()) else 1
    except UpdateError as e:
        print(e, file=sys.stderr)
        return 2
    except PermissionError as e:
        print(f"{e.filename}: {e.strerror}: sudo mind-box update", file=sys.stderr)
        return 2
