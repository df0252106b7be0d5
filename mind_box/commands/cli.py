"""The command ``mind-box``: one table of commands.

A command is a function that gives a parser its arguments, and what runs it as ``run``; its module is imported only when
its command is the one that was typed, so that the box starts fast.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

from mind_box import __version__
from mind_box.settings.loading import ConfigError

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run the box", "run:run"),
    "try": ("a box without hardware, in a browser", "try_box:try_"),
    "replay": ("play table scripts and check what they expect", "scripts:replay"),
    "record": ("a game from the journal as a table script", "scripts:record"),
    "club": ("the hub of many boxes: results, a board of all tables, a league", "club:club"),
    "status": ("what the running box shows", "status:status"),
    "doctor": ("what is right, what is missing, what to do about it", "doctor:doctor"),
    "history": ("the games that were played, when, and how they went", "history:history"),
    "journal export": ("games as JSON lines", "journal:export"),
    "journal import": ("take games from such a file", "journal:take"),
    "journal verify": ("look at every row of the journal", "journal:look"),
    "journal prune": ("drop the oldest games", "journal:prune"),
    "backup": ("games, enrolled cards and settings into one file", "backup:backup"),
    "restore": ("games, enrolled cards and settings back from such a file", "backup:restore"),
    "update": ("the next version of the Debian package, and back if it does not work", "update:update"),
    "config check": ("say whether the settings are right, and what is wrong", "config:check"),
    "config example": ("every setting, its default and what it is for, as a file", "config:example"),
    "cards enrol": ("teach the box which tag is which card", "cards:enrol"),
    "cards labels": ("labels with QR codes, as PDF", "cards:labels"),
    "cards sleeves": ("sleeve inserts with QR codes, as PDF", "cards:sleeves"),
    "cards ndef": ("what to write on NFC tags", "cards:ndef"),
    "reader update": ("copy the firmware to the reader board over USB", "reader:update"),
    "pins": ("the wiring table of a box, and whether it is sound", "pins:pins"),
    "set-up": ("the first start: the box asks by its own screens and buttons", "set_up:first_start"),
    "self-test": ("every lamp, button, screen and the reader in turn", "self_test:self_test"),
    "screens": ("every screen in every language, as PNG", "screens:screens"),
}
"""What is typed, what it is for, and its module and function in ``mind_box.commands``."""


def add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Makes ``parser`` the one of this command."""
    module, _, function = COMMANDS[name][1].partition(":")
    getattr(importlib.import_module(f"mind_box.commands.{module}"), function)(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the exit status is 0 when all went well, 1 or 2 when not."""
    words = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that is not UTF-8 gets ? for an ohm sign
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            args = parser(words).parse_args(words)
            status: int = args.run(args)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, and not when Python ends: then it is too late to say anything
    except ConfigError as e:
        print(e, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has gone: that is its right
        _forget_output()
        return 1
    except OSError as e:
        if e.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        _forget_output()
        what = e.filename or "The output"
        print(f"{what}: cannot be written: {e.strerror}; make room and try again", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _forget_output() -> None:
    """What is left of the output goes nowhere: Python would try to write it once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def parser(words: Sequence[str] = (), whole: bool = False) -> argparse.ArgumentParser:
    """What reads these words; of the commands they do not name it knows the names alone, unless it is the ``whole``."""
    top = argparse.ArgumentParser(prog="mind-box", description="A referee for the card game The Mind.")
    top.add_argument("--version", action="version", version=f"mind-box {__version__}")
    places = {"": top.add_subparsers(metavar="COMMAND", required=True)}
    typed = [name for name in COMMANDS if list(words[: name.count(" ") + 1]) == name.split()]
    for name in typed or COMMANDS:  # nobody asks for the help of the others
        purpose, _ = COMMANDS[name]
        group, _, last = name.rpartition(" ")
        if group not in places:
            of_group = [n.rpartition(" ")[2] for n in COMMANDS if n.startswith(f"{group} ")]
            group_parser = places[""].add_parser(group, help=", ".join(of_group))
            places[group] = group_parser.add_subparsers(metavar="COMMAND", required=True)
        command = places[group].add_parser(last, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
        if typed or whole:
            add_arguments(name, command)
    return top


if __name__ == "__main__":
    sys.exit(main())
