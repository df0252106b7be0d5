"""The command ``mind-box``: one word, one job. Each command's code is imported when it is asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mind_box import __version__
from mind_box.config import DEFAULT_PATH, Config, ConfigError, load


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the exit status is 0 when all went well, 1 or 2 when not."""
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
    except ConfigError as e:
        print(e, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has gone: that is its right
        sys.stderr.close()
        return 1
    return status


def config_of(args: argparse.Namespace) -> Config:
    """The settings named on the command line; else the installed ones; else the standard build."""
    if args.config is not None:
        return load(args.config)
    return load(DEFAULT_PATH) if DEFAULT_PATH.exists() else Config()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mind-box", description="A referee for the card game The Mind.")
    parser.add_argument("--version", action="version", version=f"mind-box {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="run the box")
    _add_config(run)
    run.set_defaults(run=_run)

    replay = commands.add_parser("replay", help="play table scripts and check what they expect")
    replay.add_argument("files", metavar="FILE", nargs="+", type=Path)
    replay.add_argument("--json", action="store_true", help="one line of JSON for each action and each failure")
    replay.set_defaults(run=_replay)

    config = commands.add_parser("config", help="check the settings")
    config_commands = config.add_subparsers(metavar="COMMAND", required=True)
    check = config_commands.add_parser("check", help="say whether the settings are right, and what is wrong")
    _add_config(check)
    check.set_defaults(run=_config_check)
    return parser


def _add_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help=f"settings (default: {DEFAULT_PATH}, else the standard build)"
    )


def _run(args: argparse.Namespace) -> int:
    from mind_box.daemon import run

    return run(config_of(args))


def _replay(args: argparse.Namespace) -> int:
    from mind_box.virtual.replay import replay_files

    return replay_files(args.files, args.json)


def _config_check(args: argparse.Namespace) -> int:
    config = config_of(args)
    source = args.config or (DEFAULT_PATH if DEFAULT_PATH.exists() else "the standard build")
    screens = ", ".join(screen.name for screen in config.screen) or "no screen"
    readers = ", ".join(f"{reader.kind} reader at {reader.device}" for reader in config.reader) or "no reader"
    print(f"{source}: right. {config.box.seats} seats; {screens}; {readers}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
