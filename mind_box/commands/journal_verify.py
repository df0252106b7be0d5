"""``mind-box journal verify``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from mind_box.commands import add_config, config_of
from mind_box.journal.archive import verify
from mind_box.journal.journal import Journal, JournalError
from mind_box.service.daemon import journal_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON")


def run(args: argparse.Namespace) -> int:
    """0: every row is sound; 1: something is wrong, or there is nothing to read."""
    path = journal_path(config_of(args))
    try:
        journal = Journal.looking_on(path, load=False)
        report = verify(journal)
        journal.close()
    except JournalError as e:
        print(e, file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(asdict(report)))
    else:
        for problem in report.problems:
            print(f"WRONG {problem}")
        state = "something is wrong" if report.problems else "every row is sound"
        print(f"{path}: {report.games} games, {report.rows} events, {report.bytes // 1000} kB: {state}")
    return 1 if report.problems else 0
