"""``mind-box doctor``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from mind_box.cards.store import enrolled
from mind_box.commands import add_config, config_of
from mind_box.doctor import boot, broker, clock, packages, pins, readers, screens, service
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.service.status import ask

PARTS: dict[str, Callable[[Scene], Iterator[Verdict]]] = {
    "python": packages.check,
    "boot": boot.check,
    "service": service.check,
    "pins": pins.check,
    "screens": screens.check,
    "reader": readers.check,
    "clock": clock.check,
    "broker": broker.check,
}
LISTEN = 20.0
"""Seconds that ``mind-box doctor reader`` listens."""
MARKS = {OK: "ok   ", NOTE: "note ", WRONG: "WRONG"}


def doctor(parser: argparse.ArgumentParser) -> None:
    """``mind-box doctor``."""
    add_config(parser)
    parser.add_argument(
        "part", nargs="?", choices=tuple(PARTS), help="only this; reader: then also hears it for a while"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON for each verdict")
    parser.set_defaults(run=_doctor)


def _doctor(args: argparse.Namespace) -> int:
    """0: nothing is wrong; 1: something is."""
    config = config_of(args)
    scene = Scene(config, running=ask(Path(config.box.run_dir)))
    worst = 0
    for name in [args.part] if args.part else PARTS:
        for verdict in examine(name, scene):
            worst = max(worst, int(verdict.state == WRONG))
            if args.json:
                print(json.dumps(asdict(verdict)))
            else:
                print(f"{MARKS[verdict.state]} {verdict.part}: {verdict.what}")
                if verdict.cure:
                    print(f"        -> {verdict.cure}")
    asked = sys.stdin is not None and sys.stdin.isatty()
    if args.part == "reader" and not args.json and not worst and not scene.running and asked:
        _listen(scene)
    return worst


def examine(part: str, scene: Scene) -> Iterator[Verdict]:
    """One part's verdicts; a check that goes wrong itself is one of them."""
    try:
        yield from PARTS[part](scene)
    except Exception as e:
        yield Verdict(part, WRONG, f"it could not be looked at: {type(e).__name__}: {e}", "please report this")


def _listen(scene: Scene) -> None:
    tags = enrolled(scene.config.box.state_dir)
    for number, settings in enumerate(scene.config.reader):
        print(f"\n{readers.name_of(number)}: show it cards (for {LISTEN:.0f} s, Ctrl-C ends it)")
        try:
            heard = asyncio.run(readers.listen(settings, LISTEN, print, tags))
        except KeyboardInterrupt:
            print()
            continue
        print(f"{heard} cards were read")
