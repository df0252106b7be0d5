"""What happens when a ribbon or a plug goes in the wrong way: which pin of the Pi would 5 V reach, and through what.

Works on the nets of a board as they are read back from its file. Currents are followed as they can flow, through a
diode only forwards, every button pressed, every jumper in, every module fitted: a module joins its supply to its
ground, and its signal pins to both through the diodes that every chip has. Ohms; what is below ``LEAST`` destroys.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from board.saved import Saved

from mind_box.hardware import header

LEAST = 600.0
"""Between 5 V and a pin: (5.2 - 3.3 - 0.6) V over it are 2 mA into the pin's clamp, half of what a Pi 5's drives."""
MODULE = 20.0
"""A display module between its supply pins, at the most it draws."""
FIVES, RAILS = (2, 4), (1, 17)
Nets = Mapping[tuple[str, str], str]
Edge = tuple[str, str, float]
"""From, to, ohms: current flows that way."""


@dataclass(frozen=True, slots=True)
class Harm:
    """5 V on something that it destroys."""

    how: str
    """What went in which way."""
    where: str
    ohms: float


def both(a: str, b: str, ohms: float) -> tuple[Edge, Edge]:
    """A resistor."""
    return (a, b, ohms), (b, a, ohms)


def on_board(saved: Saved, linked: bool) -> list[Edge]:
    """The parts that are soldered in; ``linked``: the wires W1 too, as with the socket."""
    nets = saved.pad_nets()
    out: list[Edge] = []
    for part in saved.parts:
        a, b = nets.get((part.ref, "1"), ""), nets.get((part.ref, "2"), "")
        kind = part.ref.rstrip("0123456789")
        if kind == "R":
            out += both(a, b, ohms_of(part.value))
        elif kind == "D":  # the cathode is pad 1; a Zener of 5.6 V and more does not conduct backwards
            out.append((b, a, 0.0))
        elif part.value == "CHANNELS":  # every jumper in
            for row in range(1, 20, 2):
                out += both(nets[part.ref, str(row)], nets[part.ref, str(row + 1)], 0.0)
        elif kind == "W" and linked:
            out += both(a, nets[part.ref, "3"], 0.0) + both(b, nets[part.ref, "4"], 0.0)
    return out


def ohms_of(value: str) -> float:
    """``10 kΩ``."""
    number, unit = value.split()
    return float(number) * (1000 if unit.startswith("k") else 1)


def hung_on(name: str, poles: list[str]) -> list[Edge]:
    """What a cable's far end joins, by the plug that it was made for; ``poles``: the nets that its poles meet."""
    if name.startswith("SEAT"):
        button, lamp, ground = poles
        return [*both(button, ground, 0.0), (lamp, ground, 0.0)]
    if name == "STAR":
        return [*both(poles[0], poles[1], 0.0)]
    if name == "PIEZO":
        return []
    if name in ("LIVES", "STARS"):
        count = 5 if name == "LIVES" else 3
        return [(p, poles[-1], 0.0) for p in poles[:count]] + list(
            itertools.chain(*(both(p, poles[-1], 0.0) for p in poles[count:]))
        )
    if name.startswith(("SCREEN", "MUX")):
        ground, rail, *lines = poles
        return [*both(rail, ground, MODULE), *((x, rail, 0.0) for x in lines), *((ground, x, 0.0) for x in lines)]
    if name == "READER":  # its supply is 5 V, and so may be what it sends; its receiving end is an input
        five, ground, sends, _, takes, ground_2, five_2 = poles
        joined = [*both(five, five_2, 0.0), *both(ground, ground_2, 0.0), *both(five, ground, MODULE)]
        return [*joined, (five, sends, 0.0), (takes, five, 0.0), (ground, takes, 0.0)]
    return []


def plugs(saved: Saved) -> dict[str, tuple[str, list[str]]]:
    """Plug's name to its family and poles, and the net of each pole."""
    nets, out = saved.pad_nets(), {}
    for part in saved.parts:
        family = re.search(r"JST_(XH|VH)_.*1x(\d\d)", part.footprint)
        if family:
            poles = [nets.get((part.ref, str(i + 1)), f"free {part.ref}.{i + 1}") for i in range(int(family[2]))]
            out[part.value] = (f"{family[1]}-{int(family[2])}", poles)
    return out


def reach(edges: Iterable[Edge], sources: Iterable[str]) -> dict[str, float]:
    """The least ohms from a source to every net."""
    onward: dict[str, list[tuple[str, float]]] = {}
    for a, b, ohms in edges:
        onward.setdefault(a, []).append((b, ohms))
    best: dict[str, float] = {}
    heap = [(0.0, s) for s in sources]
    while heap:
        ohms, net = heapq.heappop(heap)
        if net not in best:
            best[net] = ohms
            for other, more in onward.get(net, ()):
                heapq.heappush(heap, (ohms + more, other))
    return best


CRIMPS: Mapping[str, Callable[[int], int]] = {
    "": lambda pin: pin,
    "turned, ": lambda pin: 41 - pin,
    "rows exchanged, ": lambda pin: pin + 1 if pin % 2 else pin - 1,
    "turned and rows exchanged, ": lambda pin: 40 - pin if pin % 2 else 42 - pin,
}
"""Which place a plug's contact takes. Rows: a header on the board's lower side, every pair of wires swapped."""


def everything(saved: Saved, linked: bool) -> list[Edge]:
    """The board with every cable where it belongs."""
    out = on_board(saved, linked)
    for name, (_, poles) in plugs(saved).items():
        out += hung_on(name, poles)
    return out


def ways() -> Iterator[tuple[str, dict[int, int]]]:
    """All 36 ways that a ribbon can be crimped and off by a place, the right one too: board's pad to the Pi's pin."""
    for (crimp, place), dx, dy in itertools.product(CRIMPS.items(), (-1, 0, 1), (-1, 0, 1)):
        pins = {pad: pin for pad in range(1, 41) if (pin := meets(place(pad), dx, dy)) is not None}
        yield f"ribbon {crimp}{dx:+d} columns, {dy:+d} rows", pins


def ribbon(saved: Saved, cables: bool = True) -> list[Harm]:
    """Each of them at the Pi's end, with or without cables in the board; the wires W1 are left out with a ribbon."""
    return [harm for how, pins in ways() for harm in on_pi(saved, how, pins, cables)]


def free_end(saved: Saved, pins: Mapping[int, int]) -> list[str]:
    """What BUILD.md's measurements at the ribbon's free end would find, before it meets a Pi."""
    nets, pads = saved.pad_nets(), {pin: pad for pad, pin in pins.items()}
    at = {pin: nets.get(("J1", str(pads.get(pin))), "") for pin in range(1, 41)}
    right = {1: nets["J1", "1"]} | {pin: nets["J1", str(pin)] for pin in (14, 20, 30, 34)}
    joined = list(nets.values())
    out = [f"{pin} is not on {net}" for pin, net in right.items() if at[pin] != net]
    out += [f"{pin} is not open" for pin in FIVES if joined.count(at[pin]) > 1 and not at[pin].startswith("5V")]
    return out + [f"{41 - pin} is not open" for pin in right if at[41 - pin] in right.values()]


def grounded(saved: Saved, pins: Mapping[int, int]) -> bool:
    """Whether the board's GND meets a GND of the Pi's: what is measured with the ribbon on it, before power."""
    nets = saved.pad_nets()
    return any(nets.get(("J1", str(pad))) == nets["J1", "14"] and pin in header.GROUNDS for pad, pin in pins.items())


def meets(place: int, dx: int, dy: int) -> int | None:
    """The Pi's pin that a place of the ribbon's plug meets; None beyond its end."""
    column, row = divmod(place - 1, 2)
    column, row = column + dx, row + dy
    return 2 * column + row + 1 if 0 <= column < 20 and row in (0, 1) else None


def on_pi(saved: Saved, how: str, pins: Mapping[int, int], cables: bool = True) -> list[Harm]:
    """The Pi's 5 V through the board to its other pins; ``pins``: the board's pad to the pin that it meets."""
    nets = saved.pad_nets()
    edges = everything(saved, False) if cables else on_board(saved, False)
    for pad, pin in pins.items():
        edges += both(nets.get(("J1", str(pad)), f"free J1.{pad}"), f"pin {pin}", 0.0)
    edges += both("pin 1", "pin 17", 0.0)
    grounds = [f"pin {p}" for p in header.GROUNDS]
    edges += [e for a, b in itertools.pairwise(grounds) for e in both(a, b, 0.0)]
    # from the Pi's ground nothing flows on: it is where 5 V comes back to
    found = reach([e for e in edges if e[0] not in grounds], [f"pin {p}" for p in FIVES])
    sinks = [f"pin {p}" for p in range(1, 41) if p not in FIVES and header.SUPPLY.get(p) != "GND"]
    out = [Harm(how, s, found[s]) for s in sinks if found.get(s, 1e9) < LEAST]
    return out + [Harm(how, g, found[g]) for g in grounds if found.get(g, 1e9) < 1.0]


def swapped(saved: Saved) -> list[Harm]:
    """Each cable in every socket that its plug fits, and forced in turned: 5 V from the board's own supply."""
    out = []
    all_of = plugs(saved)
    for (name, (family, own)), (other, (fits, poles)) in itertools.product(all_of.items(), all_of.items()):
        if fits != family or family.startswith("VH"):
            continue
        for turned in (False, True):
            edges = on_board(saved, True)
            for third, (_, nets) in all_of.items():
                if third not in (name, other):
                    edges += hung_on(third, nets)
            edges += hung_on(name, poles[::-1] if turned else poles)
            if other != name:
                edges += hung_on(other, own)
            found = reach([e for e in edges if e[0] != "GND"], ["5V"])
            how = f"{name} in {other}{', turned' if turned else ''}"
            sinks = [n for n in set(saved.pad_nets().values()) if n.startswith("GPIO") or n == "3V3"]
            out += [Harm(how, s, found[s]) for s in sorted(sinks) if found.get(s, 1e9) < LEAST]
            out += [Harm(how, "GND", found["GND"])] if found.get("GND", 1e9) < 1.0 else []
    return out
