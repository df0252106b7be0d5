"""The bought parts as plain solids in their places: what must fit through the holes and beside each other."""

from __future__ import annotations

import enclosure
import mounts
from arm import along
from layout import Layout, Spot
from manifold3d import Manifold
from solids import Frame, box, profile, rod


def bought(plan: Layout) -> dict[str, Manifold]:
    """Every part of the list that has a place, with its leads and plugs, by name. Parts that touch are 0.1 mm apart."""
    out: dict[str, Manifold] = {}
    for spot in plan.spots():
        out[f"{spot.mount} {spot.name}"] = spot.frame.place(_part(plan, spot))
    out |= _computer(plan) | _power(plan)
    out |= {"scanner": scanner(plan)} if plan.optical else _tag_reader(plan)
    return out


def _part(plan: Layout, spot: Spot) -> Manifold:
    if spot.mount in ("seat-button", "star-button", "led"):
        size = mounts.LED if spot.mount == "led" else mounts.BUTTON
        return rod(0, 0, -size.depth, 0.1, size.body) + rod(0, 0, 0.1, 3, size.flange)
    if spot.mount == "piezo":
        diameter, height = mounts.PIEZO
        return rod(0, 0, -plan.shape.lid - height, -plan.shape.lid - 0.1, diameter)
    return display(plan, spot)


def display(plan: Layout, spot: Spot) -> Manifold:
    """A module around the middle of its lit area: glass, circuit board, and the plug on its pins in the middle."""
    panel = plan.panel(spot)
    if spot.screen is None:
        raise ValueError(f"{spot.name} is no screen")
    gw, gh = (x / 2 for x in mounts.GLASS[spot.screen.driver, spot.screen.height])
    front = -mounts.BEZEL_FRAME - 0.1
    glass = box(-gw, -gh, front - mounts.GLASS_DEPTH, gw, gh, front)
    board_z = front - mounts.GLASS_DEPTH
    low, high = -panel.height / 2 - panel.shift, panel.height / 2 - panel.shift
    board = box(-panel.width / 2, low, board_z - mounts.PCB, panel.width / 2, high, board_z)
    if panel.width > 2.5 * panel.height:  # pins at the short side
        plug = box(panel.width / 2 - 4, low, front - panel.depth, panel.width / 2, high, board_z)
    else:
        plug = box(-9, high - 4, front - panel.depth, 9, high, board_z)
    return glass + board + plug


def _computer(plan: Layout) -> dict[str, Manifold]:
    floor = plan.shape.floor
    x, y = plan.pi
    z = floor + mounts.PI.post + 0.1
    out = {"pi": box(x - 85, y - 56, z, x, y, z + mounts.PI.depth)}
    out["usb plug"] = box(x - 85 - mounts.PI_PLUGS, y - 40, z, x - 85.1, y - 16, z + 17)
    out["pi's power plug"] = box(x - 11.2 - 5, y + 0.1, z - 2, x - 11.2 + 5, y + 22, z + 6)
    x, y = plan.perfboard
    z = floor + mounts.PERFBOARD.post + 0.1
    width, height, depth = mounts.PERFBOARD.width, mounts.PERFBOARD.height, mounts.PERFBOARD.depth
    board = box(x, y, z, x + width, y + height, z + 8) + box(x + 6, y + 6, z - 2.4, x + width - 6, y + height - 6, z)
    board += box(x + 1, y + 1, z, x + width - 1, y + 14, z + depth)  # the plugs, along the edge towards seat 1
    board += box(x + 17, y + height - 12, z, x + 73, y + height, z + 19)  # the ribbon's socket
    out["perfboard"] = board
    return out


def _power(plan: Layout) -> dict[str, Manifold]:
    out = {}
    for name, frame in enclosure.power_places(plan).items():
        if name == "switch":
            w, h, depth = mounts.SWITCH
            part = box(-w / 2 + 0.15, -h / 2 + 0.15, -depth, w / 2 - 0.15, h / 2 - 0.15, 0)
            part += box(-w / 2 - 1, -h / 2 - 1, 0.1, w / 2 + 1, h / 2 + 1, 2)
        else:
            size = mounts.POWER if name == "power" else mounts.WAKE
            part = rod(0, 0, -size.depth, 0.1, size.body) + rod(0, 0, 0.1, 2.5, size.flange)
        out[name] = frame.place(part)
    return out


def scanner(plan: Layout) -> Manifold:
    """The scanner in the arm: its board on its side, the lens at s = 0, an angled plug at its tail."""
    half, length, high = mounts.SCANNER[1] / 2, mounts.SCANNER[0], mounts.SCANNER[2]
    low = -mounts.SCANNER_LENS
    board = [along(plan, s, t) for s, t in ((0, -half), (0, half), (-length, half), (-length, -half))]
    head = [along(plan, s, t) for s, t in ((0, -half + 3), (0, half - 3), (-20, half - 3), (-20, -half + 3))]
    solid = profile(board, low, low + 1.6) + profile(head, low + 1.6, low + high)
    return solid.rotate((0, 0, -45))


def _tag_reader(plan: Layout) -> dict[str, Manifold]:
    width, height, depth = mounts.PN532
    wall = plan.nfc.moved(0, 0, -plan.shape.wall - 0.1)
    out = {"pn532": wall.place(box(-width / 2, -height / 2, -depth, width / 2, height / 2, 0))}
    long, wide, high = mounts.PICO
    z = plan.shape.floor + 0.1
    out["rp2040"] = box(-46, -58, z, -46 + long, -58 + wide, z + high)
    return out


def hood_card(plan: Layout) -> Manifold:
    """A card in the hood."""
    width, height, thick = mounts.CARD
    return plan.hood_card.place(box(-width / 2, -14.0 + 0.1, -thick / 2, width / 2, height - 14.0, thick / 2))


def pile(plan: Layout, cards: int, frame: Frame | None = None) -> Manifold:
    """That many of the largest cards on the tray."""
    width, height, thick = mounts.CARD
    lies = frame or plan.tray_middle
    return lies.place(box(-width / 2, -height / 2, 0.05, width / 2, height / 2, 0.05 + cards * thick))
