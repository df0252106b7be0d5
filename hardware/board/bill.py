"""The board's own parts list, counted from the design: what to order, by whom and under which number."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import bom
from board import design

from mind_box.settings.schema import Config


@dataclass(frozen=True, slots=True)
class Order:
    """One sort of part as shops have it."""

    what: str
    number: str
    """A maker's order number; another maker's like it does as well."""
    each: float
    """Euro, typical, small quantities, estimated."""
    note: str = ""


def _resistor(value: str) -> Order:
    code = {"680 Ω": "680R", "1 kΩ": "1K", "10 kΩ": "10K", "220 Ω": "220R"}[value]
    return Order(f"resistor {value}, 1/4 W, 5 %", f"Yageo CFR-25JB-52-{code}", 0.03)


def _plug(footprint: str) -> Order | None:
    family = re.search(r"JST_(XH|VH)_(B\dP?B?)-?(XH-A|VH)_1x(\d\d)", footprint)
    if not family:
        return None
    poles = int(family[4])
    if family[1] == "XH":
        housing, contact = f"XHP-{poles}", "SXH-001T-P0.6"
        return Order(f"JST-XH plug, {poles} poles", f"JST B{poles}B-XH-A(LF)(SN)", 0.04 * poles,
                     f"its cable: housing JST {housing}, {poles} contacts {contact}, or a ready-made lead")  # fmt: skip
    return Order(f"JST-VH plug, {poles} poles", f"JST B{poles}P-VH(LF)(SN)", 0.15,
                 f"its cable: housing JST VHR-{poles}N, contacts SVH-21T-P1.1, wire of 0.75 mm2")  # fmt: skip


ORDERS = {
    design.HEADER: Order("2 x 20 stacking socket for the Raspberry Pi, 8.5 mm high, pins of 11 mm or longer",
                         "Adafruit 1979 or like it", 2.5, "from below; for the ribbon a box header from above"),
    design.ZENER: Order("Zener diode 5.6 V, 0.5 W", "Nexperia BZX79-C5V6,113", 0.05, "the ring is the cathode: square"),
    design.CLAMP: Order("Schottky diode", "Vishay BAT85S-TR", 0.10, "only with a reader on READER"),
    design.SURGE: Order("suppressor diode 5.8 V, 600 W", "Littelfuse P6KE6.8A", 0.30, "stands upright, ring up"),
    design.FET: Order("N-channel transistor, logic level, TO-220", "Infineon IRLZ44NPBF", 0.90, "or IRLB8721PBF"),
    design.FUSE: Order("resettable fuse, holds 4 A", "Bourns MF-RG400-0", 0.50, "either way round"),
    "100 nF": Order("ceramic capacitor 100 nF, 50 V, 2.5 mm", "Kemet C315C104M5U5TA", 0.08),
    "470 µF": Order("capacitor 470 µF, 10 V, 8 mm", "Panasonic EEU-FR1A471", 0.20, "the stripe is minus: round"),
    "two wires": Order("wire, bare, 0.8 mm", "2 x 3 mm, or a clipped leg of D10", 0.0, "only with the socket"),
    "CHANNELS": Order("pin header 2 x 10", "any, 2.54 mm; 4 jumpers for two table screens", 0.40),
}  # fmt: skip


def order(part: design.Part) -> Order | None:
    """What a part is ordered as; None for what is no part: holes and test points."""
    if part.ref[0] in "HT":
        return None
    if part.ref[0] == "R":
        return _resistor(part.value)
    return _plug(part.footprint) or ORDERS.get(part.footprint) or ORDERS[part.value]


def lines() -> dict[Order, list[design.Part]]:
    """Each sort of part with where it goes."""
    out: dict[Order, list[design.Part]] = {}
    for part in design.design().parts:
        sort = order(part)
        if sort is not None:
            out.setdefault(sort, []).append(part)
    return out


def total() -> float:
    """Of the parts on the board, euro."""
    return sum(sort.each * len(found) for sort, found in lines().items())


COLUMNS = ("Designator", "Quantity", "Value", "Footprint", "What", "Order number", "EUR each", "Note")


def as_csv() -> str:
    """The list as the fabs' order pages read it, a header line first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for sort, found in lines().items():
        where = ",".join(p.ref for p in found)
        footprint = found[0].footprint.partition(":")[2]
        writer.writerow(
            [where, len(found), found[0].value, footprint, sort.what, sort.number, f"{sort.each:.2f}", sort.note]
        )
    return out.getvalue()


BOARDS_EACH, POSTAGE, CABLES, SPACER = 1.0, 8.0, 8.0, 0.3
"""Euro: one of five boards, their way here, ready-made leads with XH plugs, the long spacer."""
ONLY_ON_PERFBOARD = ("perfboard", "ribbon", "box-header", "pin-strip", "jumpers", "c100n")


def board_way() -> float:
    """What the carrier costs with five boards ordered, its parts and its cables, euro."""
    return total() + 5 * BOARDS_EACH + POSTAGE + CABLES + SPACER


def perfboard_way(config: Config) -> float:
    """What the perfboard costs with its parts and wires, euro."""
    mine = [x for x in bom.bill(config) if x.part in ONLY_ON_PERFBOARD or re.fullmatch(r"r\d+", x.part)]
    return sum(x.total for x in mine)


def plug_rows() -> list[str]:
    """The plugs as a table's rows: name, sort, what its poles are, the first at the square pad."""
    out = []
    for part in design.design().parts:
        if "JST" in part.footprint:
            family = re.search(r"JST_(XH|VH).*1x(\d\d)", part.footprint)
            assert family is not None
            poles = [part.pads.get(str(i + 1), "-") for i in range(int(family[2]))]
            names = ", ".join(p.removeprefix(f"{part.name}_").replace("_", " ") for p in poles)
            out.append(f"| {part.name.replace('_', ' ')} | {family[1]} {len(poles)} | {names} |")
    return out
