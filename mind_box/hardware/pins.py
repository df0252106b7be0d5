"""The wiring table of any settings file, and whether a board can carry it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from mind_box.hardware import header, parts
from mind_box.hardware.boards import Board
from mind_box.hardware.checks import Finding, Sums, check, sums, supply_ma
from mind_box.hardware.parts import Lamp
from mind_box.hardware.wiring import Wire, lamp_kind, wires
from mind_box.settings.schema import Config

BESIDE = (("wake button", parts.WAKE), ("switch", parts.SWITCH))
"""What is wired past the header."""


def findings(config: Config, boards: Sequence[Board], lamps: Mapping[str, Lamp] = parts.LAMPS) -> tuple[Finding, ...]:
    """What the boards have to say, each thing once, refusals first."""
    seen = dict.fromkeys(f for board in boards for f in check(config, board, lamps))
    return tuple(sorted(seen, key=lambda f: not f.refused))


def text(config: Config, boards: Sequence[Board], lamps: Mapping[str, Lamp] = parts.LAMPS) -> str:
    """For a terminal: the header as it lies on the Pi, then what is wired where."""
    by_pin = {w.physical: w for w in wires(config) if w.on_header}
    lines = ["Header, pin 1 at the corner of the board, the Pi's edge on the right:", ""]
    for odd in range(1, 41, 2):
        left, right = (_side(by_pin, p) for p in (odd, odd + 1))
        lines.append(f"{left[0]:>15} {left[1]:<8}{odd:>3} o o {odd + 1:<3} {right[1]:<8}{right[0]}".rstrip())
    far = [w for w in wires(config) if not w.on_header]
    if far:
        lines += ["", f"On the expander ({config.gpio.expander}):", ""]
        lines += [f"  {w.line:<6} {w.what}" for w in far]
    lines += ["", "Between pin and part:", ""]
    lines += [f"  {what}: {via}" for what, via in (*_vias(config, lamps), *BESIDE)]
    lines += ["", *_sum_lines(config, boards, lamps), ""]
    lines += [f"{'REFUSED' if f.refused else 'note'}: {f.text}" for f in findings(config, boards, lamps)]
    return "\n".join(lines).rstrip() + "\n"


def markdown(config: Config, boards: Sequence[Board], lamps: Mapping[str, Lamp] = parts.LAMPS) -> str:
    """For the documentation."""
    lines = ["| header pin | line | goes to | nearest GND | setting |", "|---|---|---|---|---|"]
    for w in sorted(wires(config), key=lambda w: (not w.on_header, w.physical or w.pin)):
        ground = f"pin {header.near_ground(w.physical)}" if w.physical and w.kind != "bus" else ""
        pin = w.where if w.on_header else f"{w.where} {w.line}"
        lines.append(f"| {pin} | {w.line} | {w.what} | {ground} | `{w.setting}` |")
    lines += ["", "Between pin and part:", ""]
    lines += [f"- {what}: {via}" for what, via in (*_vias(config, lamps), *BESIDE)]
    lines += ["", *(f"- {line}" for line in _sum_lines(config, boards, lamps))]
    found = findings(config, boards, lamps)
    if found:
        lines += [""] + [f"- **{'Refused' if f.refused else 'Note'}**: {f.text}" for f in found]
    return "\n".join(lines) + "\n"


def as_json(config: Config, boards: Sequence[Board], lamps: Mapping[str, Lamp] = parts.LAMPS) -> str:
    """For programs: wires, sums, limits and findings."""
    total = sums(config, lamps)
    out: dict[str, Any] = {
        "wires": [
            {
                "setting": w.setting,
                "what": w.what,
                "kind": w.kind,
                "line": w.line,
                "bcm": w.pin if w.on_header else None,
                "pin": w.physical,
                "via": _via(w, lamps),
            }
            for w in wires(config)
        ],
        "milliamperes": {f.name: _rounded(getattr(total, f.name)) for f in dataclasses.fields(Sums)},
        "boards": {
            b.name: {
                "pin_ma": b.pin_ma,
                "total_ma": b.total_ma,
                "rail_ma": b.rail_ma,
                "supply_ma": _rounded(supply_ma(config, b, lamps)),
                "source": b.source,
            }
            for b in boards
        },
        "findings": [dataclasses.asdict(f) for f in findings(config, boards, lamps)],
    }
    return json.dumps(out, indent=2, ensure_ascii=False) + "\n"


def _rounded(value: float) -> float:
    return round(value, 1)


def _side(by_pin: Mapping[int | None, Wire], pin: int) -> tuple[str, str]:
    """What is wired to a header pin, and the pin's own name."""
    if pin in by_pin:
        return by_pin[pin].what, by_pin[pin].line
    name = header.SUPPLY.get(pin, f"GPIO{header.BCM.get(pin, '')}")
    return "", name


def _vias(config: Config, lamps: Mapping[str, Lamp]) -> list[tuple[str, str]]:
    """One line for each sort of part that is wired."""
    plural = {"button": "buttons", "buzzer": "piezo"}
    out: dict[str, str] = {}
    for w in wires(config):
        if w.kind != "bus":
            sort = plural.get(w.kind) or f"{lamp_kind(w.setting)} lamps"
            out[sort] = _via(w, lamps)
    return list(out.items())


def _via(wire: Wire, lamps: Mapping[str, Lamp]) -> str:
    """``Wire.via`` with the resistor that was asked for."""
    if wire.kind != "lamp":
        return wire.via
    kind = lamp_kind(wire.setting)
    return wire.via.replace(f"{parts.LAMPS[kind].ohms:g} Ω", f"{lamps[kind].ohms:g} Ω", 1)


def _sum_lines(config: Config, boards: Sequence[Board], lamps: Mapping[str, Lamp]) -> list[str]:
    total = sums(config, lamps)
    per_pin = min(b.pin_ma for b in boards)
    in_all = min(b.total_ma for b in boards)
    rail = min(b.rail_ma for b in boards)
    typical = sum(lamps[lamp_kind(w.setting)].ma for w in wires(config) if w.kind == "lamp")
    supply = max(supply_ma(config, b, lamps) for b in boards)
    lines = [
        f"One lamp: at most {total.pin_ma:.1f} mA of {per_pin:g} mA a pin.",
        f"All {total.lamps} lamps lit: {typical:.0f} mA typical. From the header's pins at worst "
        f"{total.gpio_ma:.0f} mA of {in_all:g} mA.",
        f"From 3V3 with every pixel lit: {total.rail_ma:.0f} mA of {rail:g} mA.",
        f"5 V supply: {supply / 1000:.1f} A at worst.",
    ]
    if total.expander_ma:
        lines.insert(2, f"From the expander: {total.expander_ma:.0f} mA of {parts.EXPANDER_TOTAL_MA:g} mA.")
    return lines
