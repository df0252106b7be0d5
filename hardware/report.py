"""The page of figures: what every seat sees of its screen, and the scanner of the tray, computed from the plan."""

from __future__ import annotations

from collections.abc import Mapping

import field
import fitting
import mounts
import numpy as np
import printed
import sight
from layout import Layout

HEAD = """# What people see

Made by `make hardware` from the plan in `layout.py`: rays from every seat's eyes (45, 60 and 75 cm from the box's middle, 30, 42 and
55 cm above the table, leaning 10 cm to either side) to the lit pixels, out through 2 mm of glass. `tests/hardware/test_sight.py` holds these
figures; `test_old_sight.py` keeps those of the first box, of whose table screen 18 to 42 % were hidden.

| build, seat | screen | hidden | from upright, at most | from straight on, at most | nearest lamp that could be mirrored | 8 pixels at 60 cm |
|---|---|---|---|---|---|---|
"""


def page(plans: Mapping[str, Layout]) -> str:
    """The page for some builds, by name."""
    return (
        HEAD + "".join(_seats(name, plan) for name, plan in plans.items()) + "".join(_tray(p) for p in plans.values())
    )


def _seats(name: str, plan: Layout) -> str:
    parts = list(printed.parts(plan).values())
    out = ""
    for seat, azimuth in enumerate(plan.seat_directions(), 1):
        screen, eyes = plan.screen_for(seat), sight.eyes(azimuth)
        share = sight.hidden_share(screen, eyes, parts, 9)
        turned = max(sight.roll(screen.frame, eye) for eye in eyes)
        slant = max(sight.oblique(screen.frame, eye) for eye in eyes)
        lamp = min(sight.glare(screen.frame, eye) for eye in eyes) / 1000
        size = sight.arc_minutes(8 * screen.pitch, 600)
        out += f"| {name}, {seat} | {screen.name} | {share:.0%} | {turned:.0f}° | {slant:.0f}° | {lamp:.1f} m | {size:.0f}′ |\n"
    return out


def _tray(plan: Layout) -> str:
    if not plan.optical:
        return ""
    view, (near, far) = mounts.SCANNER_VIEW, mounts.SCANNER_RANGE
    best = []
    for height in np.linspace(0, mounts.PILE * mounts.CARD[2], 4):
        for lie, size in field.lies(plan):
            codes = [c for c in field.labels(lie, size, height + 0.1) if field.reads(plan, c)]
            if codes:
                best.append(max((field.pixels(plan, c), -field.slant(plan, c)) for c in codes))
            else:
                best.append((0.0, -90.0))
    few, steep = min(p for p, _ in best), -min(s for _, s in best)
    card = np.linalg.norm(field.corners(plan.hood_card) - plan.eye.origin, axis=1)
    box = fitting.hood_card(plan).bounding_box()
    return f"""
## What the scanner sees

A scanner with a view of {max(view):g} by {min(view):g} degrees that reads from {near:g} to {far:g} mm. {len(best)} ways for a card to lie were tried: cards of
{mounts.CARDS[0][0]:g} x {mounts.CARDS[0][1]:g} and {mounts.CARDS[1][0]:g} x {mounts.CARDS[1][1]:g} mm, either end towards the arm, as skewed and as far aside as the tray's
rim lets them ({plan.shape.tray[1]:g} x {plan.shape.tray[0]:g} mm: 10 mm of play for the largest), on no card and on {mounts.PILE} sleeved ones. Labels of
{field.LABEL:g} mm at both ends: one of them is always in view.

| | |
|---|---|
| read | {sum(p > 0 for p, _ in best)} of {len(best)} |
| pixels for a module of the code, at least | {few:.1f} |
| from straight on, at most | {steep:.0f}° |
| label of a card in the hood | {card.min():.0f} to {card.max():.0f} mm from the lens; the card's upper edge {box[5]:.0f} mm above the table |
| points of its face that any eye sees | 0 |
| eyes that the scanner's lamps shine into | 0 |
"""
