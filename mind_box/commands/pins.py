"""``mind-box pins``: the wiring table of any settings file, and whether a board can carry it."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping

from mind_box.commands import add_config, config_of
from mind_box.hardware import parts
from mind_box.hardware import pins as table
from mind_box.hardware.boards import BOARDS
from mind_box.hardware.parts import Lamp


def pins(parser: argparse.ArgumentParser) -> None:
    """``mind-box pins``."""
    add_config(parser)
    formats = ("text", "markdown", "json")
    parser.add_argument("--format", choices=formats, default="text", help="text for a terminal (default)")
    parser.add_argument("--board", choices=("all", *BOARDS), default="all", help="check for this board only")
    parser.add_argument("--ohms", type=float, help="series resistor of all lamps (default: as in hardware/)")
    parser.add_argument("--volts", type=float, help="forward voltage of all lamps")
    parser.set_defaults(run=_pins)


def _pins(args: argparse.Namespace) -> int:
    """Prints the table. Returns 0, 1 when the build is refused, 2 for impossible lamps. Raises ``ConfigError``."""
    config = config_of(args)
    try:
        lamps = _lamps(args.ohms, args.volts)
    except ValueError as e:
        print(f"mind-box pins: {e}", file=sys.stderr)
        return 2
    boards = tuple(BOARDS.values()) if args.board == "all" else (BOARDS[args.board],)
    form = {"text": table.text, "markdown": table.markdown, "json": table.as_json}[args.format]
    print(form(config, boards, lamps), end="")
    refused = [f for f in table.findings(config, boards, lamps) if f.refused]
    if refused and args.format != "json":
        print(f"mind-box pins: refused, {len(refused)} reason(s) above.", file=sys.stderr)
    return 1 if refused else 0


def _lamps(ohms: float | None, volts: float | None) -> Mapping[str, Lamp]:
    """The lamps with what was measured or bought instead; ``ValueError`` for what no LED is."""
    if ohms is not None and not 10 <= ohms <= 100_000:
        raise ValueError(f"--ohms {ohms:g}: a series resistor is from 10 to 100000 Ω.")
    if volts is not None and not 1.2 <= volts <= 4.0:
        raise ValueError(f"--volts {volts:g}: an LED's forward voltage is from 1.2 to 4 V.")
    return {
        kind: dataclasses.replace(
            lamp,
            ohms=lamp.ohms if ohms is None else ohms,
            volts=lamp.volts if volts is None else volts,
            low_volts=lamp.low_volts if volts is None else volts - (lamp.volts - lamp.low_volts),
            high_volts=lamp.high_volts if volts is None else volts + (lamp.high_volts - lamp.volts),
        )
        for kind, lamp in parts.LAMPS.items()
    }
