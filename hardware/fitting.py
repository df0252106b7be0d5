"""The bought parts as plain solids in their places: what must fit through the holes and beside each other."""

from __future__ import annotations

import mounts
from enclosure import box, rod
from layout import Layout
from manifold3d import Manifold


def bought(plan: Layout) -> dict[str, Manifold]:
    """Every part of the list that has a place, with its leads and plugs, by name. Parts that touch are 0.1 mm apart."""
    out: dict[str, Manifold] = {}
    under, top = plan.body_height, plan.top
    for spot in plan.spots():
        at, turn = (spot.x, spot.y, 0.0), (0.0, 0.0, spot.turn)
        if spot.mount in ("seat-button", "star-button", "led"):
            size = mounts.LED if spot.mount == "led" else mounts.BUTTON
            solid = rod(0, 0, top - size.depth, top + 0.1, size.body) + rod(0, 0, top + 0.1, top + 3, size.flange)
        elif spot.mount == "piezo":
            solid = rod(0, 0, under - mounts.PIEZO[1], under - 0.1, mounts.PIEZO[0])
        else:
            panel = plan.panel(spot)
            w, h = panel.width / 2, panel.height / 2
            solid = box(-w, -h, under - panel.depth, w, h, under - 0.1)
        out[f"{spot.mount} {spot.name}"] = solid.rotate(turn).translate(at)
    floor = plan.shape.floor
    for name, board, (x, y) in (("pi", mounts.PI, plan.pi), ("perfboard", mounts.PERFBOARD, plan.perfboard)):
        z = floor + board.post + 0.1
        out[name] = box(x, y, z, x + board.width, y + board.height, z + board.depth)
    x, y = plan.pi
    z = floor + mounts.PI.post
    out["usb plugs"] = box(x + mounts.PI.width + 0.1, y, z, x + mounts.PI.width + mounts.PI_PLUGS, y + 56, z + 17)
    width, height = mounts.PLUG
    middle = floor + mounts.PI.post + 3.2
    out["power plug"] = box(x + 11.2 - width / 2, -plan.shape.size / 2 - 20, middle - height / 2,
                            x + 11.2 + width / 2, y - 0.1, middle + height / 2)  # fmt: skip
    out |= _reader(plan)
    return out


def _reader(plan: Layout) -> dict[str, Manifold]:
    x, y = plan.shape.slot
    out = {"card": card(plan)}
    if plan.optical:
        lens_x, lens_y, lens_z = plan.lens
        length, width, _ = mounts.SCANNER
        low = lens_z - 6.0 + 0.1
        out["scanner"] = box(lens_x - width / 2, lens_y - length, low, lens_x + width / 2, lens_y, low + 14)
        return out
    width, height, depth = mounts.PN532
    front = y - plan.shape.slot_gap / 2 - 1.6 - 0.1
    low = plan.label_height - height / 2
    out["pn532"] = box(x - width / 2, front - depth, low, x + width / 2, front, low + height)
    length, wide, high = mounts.PICO
    out["rp2040"] = box(
        x - wide / 2, -40 - length / 2, plan.shape.floor + 0.1, x + wide / 2, -40 + length / 2, plan.shape.floor + high
    )
    return out


def card(plan: Layout) -> Manifold:
    """A card in the slot, standing on its stop."""
    x, y = plan.shape.slot
    width, height, thick = mounts.CARD
    z = plan.card_stop + 0.1
    return box(x - width / 2, y - thick / 2, z, x + width / 2, y + thick / 2, z + height)


def sight(plan: Layout, width: float = 40.0, height: float = 24.0) -> Manifold:
    """What a scanner must see of the card, as a pyramid from its lens: a label's place and some room around it.

    A GM65 (34 by 26 degrees) sees 46 x 35 mm at 75 mm.
    """
    x, y, z = plan.lens
    far = plan.shape.reader_distance - mounts.CARD[2] / 2 - 0.2
    corners = [(x + dx, y + far, z + dz) for dx in (-width / 2, width / 2) for dz in (-height / 2, height / 2)]
    return Manifold.hull_points([(x, y + 0.2, z), *corners])
