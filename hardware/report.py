"""The page of figures: what every seat sees of its screen, and the scanner of the tray, computed from the plan."""

from __future__ import annotations

import math
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
    codes = field.all_lies(plan)
    good = field.readable(plan.eye, codes)
    size = np.where(good, field.pixels(plan.eye, codes), 0.0)
    best = np.take_along_axis(field.slant(plan.eye, codes), size.argmax(-1)[..., None], -1)
    few, steep = size.max(-1).min(), best.max()
    limits = {height: field.share_from(plan, height, codes) for height in LENSES}
    floor = field.floor_label(plan)
    arm = [solid for name, solid in printed.parts(plan).items() if name.startswith("arm")]
    dazzled = sum(not sight.hidden(field.shining(plan), eye, arm).all() for eye in field.around())
    face, closed = field.face(plan.hood_card, -14.0), [fitting.hood_card(plan), *printed.parts(plan).values()]
    shown = sum(not sight.hidden(face, eye, closed).all() for eye in field.around())
    card = np.linalg.norm(field.corners(plan.hood_card) - plan.eye.origin, axis=1)
    box = fitting.hood_card(plan).bounding_box()
    return f"""
## What the scanner sees

A scanner with a view of {max(view):g} by {min(view):g} degrees that reads from {near:g} to {far:g} mm. {good.any(-1).size} ways for a card to lie were tried: cards of
{mounts.CARDS[0][0]:g} x {mounts.CARDS[0][1]:g} and {mounts.CARDS[1][0]:g} x {mounts.CARDS[1][1]:g} mm, either end towards the arm, as skewed and as far aside as the tray's
rim lets them ({plan.shape.tray[1]:g} x {plan.shape.tray[0]:g} mm: 10 mm of play for the largest), on no card and on {mounts.PILE} sleeved ones. Labels of
{field.LABEL:g} mm at both ends: one of them is always in view.

| | |
|---|---|
| read | {good.any(-1).sum()} of {good.any(-1).size} |
| pixels for a module of the code, at least | {few:.1f} |
| from straight on, at most | {steep:.0f}° |
| label of a card in the hood | {card.min():.0f} to {card.max():.0f} mm from the lens; the card's upper edge {box[5]:.0f} mm above the table |
| eyes all around the table that see anything of its face | {shown} |
| eyes that the scanner's lamps shine into | {dazzled} |
| label on the tray's floor, in the middle of the tray | {"read" if field.reads(plan, floor) else "not read"}, {field.pixels(plan.eye, floor):.1f} pixels, {field.slant(plan.eye, floor):.0f}° |

**How low the arm may be.** Its lens stands {plan.shape.lens[1]:g} mm above the lid. With this scanner's view every lie is read from {min(h for h, share in limits.items() if share == 1):g} mm up, wherever
along the arm the lens stands and however steeply it looks; from {max(h for h, share in limits.items() if share < 1):g} mm the best place reads {math.floor(100 * max(share for share in limits.values() if share < 1))}% of them. The rest is reserve for lenses that
see a little less. A flatter arch needs a scanner with a wider view.
"""


LENSES = (76.0, 84.0)
"""Heights of a lens, millimetres above the lid, between which is the lowest from which everything is read."""
