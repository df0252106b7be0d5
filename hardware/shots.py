"""The pictures of the enclosure for BUILD.md: which parts, which colours, seen from where."""

from __future__ import annotations

from pathlib import Path

import mounts
from enclosure import body, box, bracket_flat, bracket_upright, for_printing, lid, marks, rod
from fitting import bought, card
from layout import Layout, Spot
from manifold3d import Manifold
from PIL import Image
from render import Camera, Thing, annotate, measure, picture

SHELL, TOP, PCB, METAL, BLACK = (214, 214, 206), (236, 234, 226), (46, 120, 72), (170, 175, 180), (45, 45, 50)
RED, YELLOW, GREEN, BLUE, WHITE, GOLD = (
    (214, 60, 50),
    (240, 200, 40),
    (70, 175, 80),
    (60, 110, 200),
    (250, 250, 250),
    (200, 160, 60),
)
SIZE = (1200, 900)


def make(plan: Layout, name: str, out: Path) -> list[Path]:
    """Writes all pictures of a build; returns their paths."""
    shots = {"box": _closed, "inside": _inside, "lid-from-below": _below, "slot": _slot, "printed": _printed}
    paths = []
    for shot, draw in shots.items():
        path = out / f"{name}-{shot}.png"
        image = draw(plan).quantize(200, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
        paths.append(path)
    return paths


def _closed(plan: Layout) -> Image.Image:
    camera = Camera((0, 0, 44), 24, 42, 330, SIZE)
    things = [Thing(body(plan), SHELL), Thing(lid(plan), TOP), *_on_lid(plan), Thing(card(plan), WHITE)]
    image = picture(things, camera)
    top, places = plan.top, {s.name: s for s in plan.spots()}
    star, life, table, seat = places["star"], places["life 1"], places["table screen"], places["seat 1"]
    slot_x, slot_y = plan.shape.slot
    return annotate(image, camera, [
        ("card in the reader's slot", (slot_x, slot_y, top + 42), (-30, -70)),
        ("table screen", (table.x, table.y + 8, top), (-190, -190)),
        ("star button", (star.x - 10, star.y, top + 6), (-330, 20)),
        ("lives", (life.x, life.y, top + 2), (-230, 60)),
        ("stars", (places["star 1"].x, places["star 1"].y, top + 2), (-190, 100)),
        ("seat 1: button and lamp", (seat.x + 6, seat.y - 6, top + 6), (60, 130)),
    ])  # fmt: skip


def _inside(plan: Layout) -> Image.Image:
    camera = Camera((0, 0, 30), 24, 56, 345, SIZE)
    things = [Thing(body(plan), SHELL), *_in_body(plan)]
    image = picture(things, camera)
    pi, board = plan.pi, plan.perfboard
    notes = [
        ("Pi", (pi[0] + 40, pi[1] + 30, 12), (-260, 110)),
        ("power comes in here", (pi[0] + 11, -plan.shape.size / 2, 12), (-60, 130)),
        ("perfboard", (board[0] + 30, board[1] + 50, 12), (-150, -130)),
        ("the card stands on this", (plan.shape.slot[0] + 26, plan.shape.slot[1], plan.card_stop), (90, -170)),
    ]
    if plan.optical:
        notes.append(("scanner on its bench", (plan.lens[0], plan.lens[1] - 30, 46), (260, -10)))
    else:
        notes.append(("PN532, glued to the lid's guide", (plan.shape.slot[0], plan.shape.slot[1] - 8, 58), (190, 60)))
        notes.append(("RP2040 board", (plan.shape.slot[0], -50, 14), (200, 40)))
    return annotate(image, camera, notes)


def _below(plan: Layout) -> Image.Image:
    camera = Camera((0, 0, 20), 28, 42, 300, SIZE)
    printed = for_printing("lid", lid(plan))
    return annotate(picture([Thing(printed, TOP)], camera), camera, [
        ("guide for the card", (plan.shape.slot[0], -plan.shape.slot[1], 40), (150, -90)),
        ("frame for the table screen", (plan.shape.cluster, -30, 5), (-280, 130)),
    ])  # fmt: skip


def _slot(plan: Layout) -> Image.Image:
    """Cut open at the middle of the slot, seen from the right."""
    x, y = plan.shape.slot
    keep = box(-200, -200, -10, x, 200, 200)
    things = [Thing(s ^ keep, c) for s, c in ((body(plan), SHELL), (lid(plan), TOP), (card(plan), WHITE))]
    camera = Camera((x, 0, 52), 90, 8, 250, (1200, 700))
    if not plan.optical:
        reader = bought(plan)["pn532"] ^ keep
        image = picture([*things, Thing(reader, PCB)], camera)
        z = plan.label_height
        return annotate(image, camera, [
            ("PN532", (x, y - 9, z), (-200, 60)),
            ("tag, 14 mm above the edge", (x, y, z), (190, 30)),
            ("pile: at least 10 cm away, beyond this wall", (x, -98, 30), (300, 170)),
        ])  # fmt: skip
    lens_x, lens_y, lens_z = plan.lens
    things += [Thing(bracket_flat(plan) ^ keep, GOLD), *(Thing(t.solid ^ keep, t.colour) for t in _scanner(plan))]
    image = picture(things, camera)
    label = (x, y - 1, lens_z)
    image = measure(image, camera, (lens_x, lens_y, lens_z), label, f"{plan.shape.reader_distance:g} mm (60 to 100)")
    return annotate(image, camera, [
        ("lens", (lens_x, lens_y, lens_z), (-60, -120)),
        ("label, 14 mm above the edge", label, (170, 130)),
        ("slots in the floor: slide to focus", (x, lens_y - 12, 1), (120, 60)),
    ])  # fmt: skip


def _printed(plan: Layout) -> Image.Image:
    """Everything as it lies on the printer's bed."""
    camera = Camera((112, -30, 10), 20, 40, 570, (1200, 760))
    things = [
        Thing(for_printing("body", body(plan)), SHELL),
        Thing(for_printing("lid", lid(plan)).translate((220, 0, 0)), TOP),
    ]
    if plan.optical:
        things.append(Thing(for_printing("bracket-flat", bracket_flat(plan)).translate((80, -165, 0)), GOLD))
        things.append(Thing(for_printing("bracket-upright", bracket_upright(plan)).translate((130, -165, 0)), GOLD))
    return picture(things, camera)


def _on_lid(plan: Layout) -> list[Thing]:
    """What shows on top: buttons, lamps, screens, and the shallow signs filled with a dark pen."""
    out = [Thing(Manifold.extrude(m, 0.7).translate((0, 0, plan.top - 0.65)), BLACK) for m in marks(plan)]
    for spot in plan.spots():
        if spot.mount in ("seat-button", "star-button"):
            out += _button(spot, plan.top, YELLOW if spot.mount == "star-button" else BLUE)
        elif spot.mount == "led":
            colour = RED if "life" in spot.name else YELLOW if "star" in spot.name else GREEN
            out.append(Thing(rod(spot.x, spot.y, plan.top, plan.top + 1.2, mounts.LED.flange), BLACK))
            dome = Manifold.sphere(2.5, 24).scale((1, 1, 1.2)).translate((spot.x, spot.y, plan.top + 1.2))
            out.append(Thing(dome, colour))
        elif spot.mount != "piezo":
            panel = plan.panel(spot)
            turn, at = (0.0, 0.0, spot.turn), (spot.x, spot.y, 0.0)
            w, h = panel.width / 2, panel.height / 2
            z = plan.body_height
            glass = box(-w, -h, z - 1.4, w, h, z - 0.1)
            lit = box(
                -panel.lit[0] / 2,
                panel.shift - panel.lit[1] / 2,
                z - 0.1,
                panel.lit[0] / 2,
                panel.shift + panel.lit[1] / 2,
                z,
            )
            out += [Thing(s.rotate(turn).translate(at), c) for s, c in ((glass, BLACK), (lit, (30, 70, 120)))]
    return out


def _button(spot: Spot, top: float, colour: tuple[int, int, int]) -> list[Thing]:
    rim = rod(spot.x, spot.y, top, top + 2.4, mounts.BUTTON.flange)
    cap = rod(spot.x, spot.y, top + 2.4, top + 5.5, 19) + Manifold.sphere(9.5, 32).scale((1, 1, 0.2)).translate(
        (spot.x, spot.y, top + 5.5)
    )
    return [Thing(rim, BLACK), Thing(cap, colour)]


def _in_body(plan: Layout) -> list[Thing]:
    out = [*_pi(plan), *_perfboard(plan)]
    if plan.optical:
        return [*out, Thing(bracket_flat(plan), GOLD), *_scanner(plan)]
    solids = bought(plan)
    return [*out, Thing(solids["pn532"], BLUE), Thing(solids["rp2040"], GREEN)]


def _pi(plan: Layout) -> list[Thing]:
    x, y = plan.pi
    z = plan.shape.floor + mounts.PI.post + 0.1
    at = (x, y, z)
    out = [Thing(box(0, 0, 0, 85, 56, 1.5).translate(at), PCB)]
    for low, high in ((22, 36), (40, 54)):  # USB sockets; the network socket nearest to seat 1
        out.append(Thing(box(70, low, 1.5, 87, high, 16).translate(at), METAL))
    out.append(Thing(box(66, 2, 1.5, 87, 18, 14).translate(at), METAL))
    out.append(Thing(box(6.7, -1.5, 1.5, 15.7, 6, 4.7).translate(at), METAL))
    for left in (22.5, 36.0):
        out.append(Thing(box(left, -1.5, 1.5, left + 7, 6, 4.5).translate(at), METAL))
    out.append(Thing(box(24, 22, 1.5, 38, 36, 3.5).translate(at), METAL))
    out.append(Thing(box(7, 50, 1.5, 58, 55, 10).translate(at), BLACK))
    return out


def _perfboard(plan: Layout) -> list[Thing]:
    x, y = plan.perfboard
    at = (x, y, plan.shape.floor + mounts.PERFBOARD.post + 0.1)
    out = [
        Thing(box(0, 0, 0, 90, 70, 1.6).translate(at), (190, 150, 70)),
        Thing(box(18, 4, 1.6, 74, 13, 10).translate(at), BLACK),
    ]
    for i in range(9):
        out.append(Thing(box(6 + 9 * i, 60, 1.6, 12 + 9 * i, 62.6, 10).translate(at), BLACK))
    for i in range(17):
        out.append(Thing(box(8 + 4.6 * i, 28, 1.6, 10.4 + 4.6 * i, 36, 4).translate(at), (215, 190, 150)))
    for i in range(5):
        out.append(Thing(rod(14 + 9 * i, 46, 1.6, 5, 4).translate(at), YELLOW))
    return out


def _scanner(plan: Layout) -> list[Thing]:
    """A GM65 on its carrier board, looking along it."""
    x, y, z = plan.lens
    low = z - 6 + 0.1
    board = box(x - 10.7, y - 53.3, low, x + 10.7, y - 1, low + 1.6)
    head = box(x - 10.7, y - 14, low + 1.6, x + 10.7, y, low + 12)
    lens = Manifold.cylinder(1.5, 4, 4, 24).rotate((-90, 0, 0)).translate((x, y, z))
    return [Thing(board, PCB), Thing(head, BLACK), Thing(lens, METAL)]
