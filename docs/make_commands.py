"""Makes docs/commands.md from the commands themselves: ``python -m docs.make_commands``, or ``make docs-pages``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.commands.cli import COMMANDS, add_arguments

PAGE = Path(__file__).parent / "commands.md"


def parser_of(command: str) -> argparse.ArgumentParser:
    """The arguments of one command, as the command line reads them."""
    parser = argparse.ArgumentParser(prog=f"mind-box {command}", add_help=False)
    add_arguments(command, parser)
    return parser


def actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """What ``--help`` lists."""
    return parser._actions  # noqa: SLF001 - argparse tells it no other way


def _value(action: argparse.Action) -> str:
    """What stands for the argument's value, like ``FILE``; empty for a switch."""
    if action.nargs == 0:
        return ""
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()


def _usage(action: argparse.Action) -> str:
    value = _value(action)
    if action.option_strings:
        word = f"{action.option_strings[-1]} {value}".strip()
        return word if action.required else f"[{word}]"
    return {"*": f"[{value}...]", "+": f"{value}...", "?": f"[{value}]"}.get(str(action.nargs), value)


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The argument's own words and what it may be, on one line."""
    words = (action.help or "") % {**vars(action), "prog": parser.prog}
    may_be = f"; one of {', '.join(f'`{choice}`' for choice in action.choices)}" if action.choices else ""
    return " ".join(words.split()).replace("|", "\\|") + may_be


def text() -> str:
    """The page."""
    lines = [
        "# Commands",
        "",
        "<!-- Made from the commands themselves by `make docs-pages`: change it there. -->",
        "",
        "`mind-box COMMAND --help` says the same on the box. A command ends with 0 when all went well,",
        "with 1 or 2 when not.",
    ]
    for command, (purpose, _) in COMMANDS.items():
        parser = parser_of(command)
        actions = actions_of(parser)
        usage = " ".join([f"mind-box {command}", *map(_usage, sorted(actions, key=lambda a: not a.option_strings))])
        lines += ["", f"## {command}", "", f"{purpose[0].upper()}{purpose[1:]}.", "", f"    {usage}"]
        if actions:
            lines += ["", "| argument | what it does |", "|---|---|"]
        for action in actions:
            name = " ".join([", ".join(action.option_strings), _value(action)]).strip()
            lines.append(f"| `{name}` | {_help(parser, action)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(f"{PAGE}: made anew")
