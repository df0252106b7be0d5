"""All printed parts of a build by name: where each is in the box, and how it lies on the printer's bed."""

from __future__ import annotations

import arm
import bezels
import enclosure
import inlays
import loose
import mounts
from layout import SCREEN_CORNERS, Layout
from manifold3d import Manifold
from solids import on_bed

SECOND = ("lid-inlays", "aside-star", "tray")
"""Printed in the second colour; the first two are set into another part while it is printed."""
FINE = 0.004
"""Edges shorter than that are no edges: a slicer trips over them."""
HOSTS = {"lid-inlays": "lid", "aside-star": "aside"}


def parts(plan: Layout) -> dict[str, Manifold]:
    """Every printed part in its place. What lies beside the box or is for another Pi: ``extras``."""
    out = {
        "body": enclosure.body(plan),
        "lid": enclosure.lid(plan),
        "lid-inlays": inlays.colours(plan),
        "tray": enclosure.ring(plan),
        "bezel-1": bezels.corner(plan, 0),
        "bezel-2": bezels.corner(plan, 1),
        "shelf": loose.shelf(plan),
    }
    for spot in plan.spots():
        if spot.mount == "seat-screen":
            out[f"bezel-{spot.name.replace(' screen', '').replace(' ', '-')}"] = bezels.seat(plan, spot)
    if plan.optical:
        out |= arm.halves(plan) | arm.hood_halves(plan)
    return out


def extras(plan: Layout) -> dict[str, Manifold]:
    """Printed parts that have no place in the box, or another one's."""
    out = {"carrier-shelf": loose.shelf(plan, mounts.CARRIER), "zero-plate": loose.zero_plate(plan)}
    return {**out, "aside": loose.aside(), "aside-star": loose.aside_star()}


def files(plan: Layout, build: str) -> dict[str, Manifold]:
    """File name to solid as it prints: what differs between builds has the build's name, the rest is there once."""
    out = {}
    everything = parts(plan) | extras(plan)
    for name in everything:
        if name.startswith("bezel-seat") and name != "bezel-seat-1":
            continue
        own = name in ("body", "lid", "lid-inlays") or name.startswith("bezel")
        out[f"{build if own else 'box'}-{name}"] = for_printing(plan, name, everything)
    return out


def for_printing(plan: Layout, name: str, everything: dict[str, Manifold]) -> Manifold:
    """The part turned as it prints without supports, on the bed at z = 0; an inlay where its host has room for it."""
    solid = everything[name]
    if name in HOSTS:
        host = _turned(plan, HOSTS[name], everything[HOSTS[name]])
        low = host.bounding_box()
        return (
            _turned(plan, name, solid)
            .translate((-(low[0] + low[3]) / 2, -(low[1] + low[4]) / 2, -low[2]))
            .set_tolerance(FINE)
            .simplify(FINE)
        )
    return on_bed(_turned(plan, name, solid)).set_tolerance(FINE).simplify(FINE)


def _turned(plan: Layout, name: str, solid: Manifold) -> Manifold:
    if name in ("lid", "lid-inlays"):
        return solid.rotate((180, 0, 0))
    if name.startswith("bezel"):
        frame = plan.wall(-90) if "seat" in name else plan.wall(SCREEN_CORNERS[int(name[-1]) - 1])
        return bezels.flat(frame, solid)
    if name.startswith(("arm", "hood")):
        return arm.lying(solid, name.endswith("left"))
    return solid
