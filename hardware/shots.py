"""The pictures of the box for BUILD.md: which parts, seen from where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import arm
import enclosure
import fitting
import mounts
import printed
import scene
from layout import Layout
from PIL import Image
from render import Camera, Decal, Eye, Thing, annotate, photograph, picture
from solids import box

from mind_box.show.pictures import seat_picture, table_picture
from mind_box.show.samples import SAMPLES
from mind_box.show.words import words_for

SIZE = (1000, 750)
GREY, PALE, GOLD = (214, 214, 206), (236, 234, 226), (222, 190, 120)


def make(plan: Layout, name: str, out: Path) -> list[Path]:
    """Writes all pictures of a build; returns their paths."""
    shots: dict[str, Callable[[Layout], Image.Image]] = {
        "seat": _from_a_seat,
        "box": _box,
        "inside": _inside,
        "lid-from-below": _below,
        "printed": _printed,
    }
    if plan.optical:
        shots |= {"hood": _hood, "view": _view}
    else:
        shots["mark"] = _mark
    paths = []
    for shot, draw in shots.items():
        path = out / f"{name}-{shot}.png"
        image = draw(plan).quantize(200, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.FLOYDSTEINBERG)
        image.save(path, optimize=True)
        paths.append(path)
    return paths


def shown(plan: Layout, sample: str = "play") -> dict[str, Image.Image]:
    """What the screens show in the middle of a game."""
    words = words_for("en")
    view = SAMPLES.get(sample, next(iter(SAMPLES.values())))
    out = {}
    for screen in plan.screens():
        if screen.name.startswith("table"):
            out[screen.name] = table_picture(view, words)
        else:
            out[screen.name] = seat_picture(view, int(screen.name.split()[1]), words, screen.pixels)
    return out


def _from_a_seat(plan: Layout) -> Image.Image:
    """What seat 1 sees, its cards in one hand, the other on the button."""
    things = [scene.table(), *scene.shell(plan), *scene.fittings(plan)]
    pile, faces = scene.pile(plan, [3, 8, 17, 29, 42])
    decals = [*faces, *scene.lit(plan, shown(plan))]
    things += pile
    things += scene.hand(15.5, -92, 56, -90, 14)
    cards, fronts = scene.fan(-90, 330, [51, 68, 90])
    things += [Thing(t.solid.translate((-150, 30, 0)), t.colour) for t in cards]
    for d in fronts:
        a, b, c, e = ((x - 150, y + 30, z) for x, y, z in d.corners)
        decals.append(Decal((a, b, c, e), d.image))
    things += scene.hand(-92, -15.5, 56, 180, 14)
    things += scene.hand(92, 15.5, 56, 0, 14)
    return photograph(things, decals, Eye((-20, -640, 430), (-12, -62, 72), 41, SIZE))


def _box(plan: Layout) -> Image.Image:
    """The box by itself, with the holder for cards put aside."""
    things = [scene.table(), *scene.shell(plan), *scene.fittings(plan)]
    pile, faces = scene.pile(plan, [3, 8, 17, 29, 42])
    extra = printed.extras(plan)
    for name, colour in (("aside", scene.TOP), ("aside-star", scene.INLAY)):
        things.append(
            Thing(extra[name].rotate((0, 0, 45)).translate((-150, -110, 0)).translate((-20, 60, 0)), colour, 0.15)
        )
    return photograph(
        [*things, *pile], [*faces, *scene.lit(plan, shown(plan))], Eye((-430, -560, 400), (-12, 0, 66), 38, SIZE)
    )


def _hood(plan: Layout) -> Image.Image:
    """The hood in its place and a card half in: its back to everybody."""
    things = [scene.table(), *scene.shell(plan, hood=True), *scene.fittings(plan)]
    frame = plan.hood_card.moved(0, 30.5 + 44, 0)
    frame.u, frame.w = -frame.u, -frame.w
    card, back = scene.card(frame, None)
    return photograph(
        [*things, card], [*back, *scene.lit(plan, shown(plan))], Eye((330, -530, 360), (-10, 10, 88), 40, SIZE)
    )


def _mark(plan: Layout) -> Image.Image:
    """The corner that a card is held against."""
    things = [scene.table(), *scene.shell(plan), *scene.fittings(plan)]
    return photograph(things, scene.lit(plan, shown(plan)), Eye((-430, 520, 330), (0, 0, 50), 36, SIZE))


def _inside(plan: Layout) -> Image.Image:
    camera = Camera((0, 0, 30), 18, 58, 330, SIZE)
    parts = printed.parts(plan)
    things = [Thing(parts["body"], GREY), Thing(parts["shelf"], GOLD)]
    things += [Thing(parts[n], scene.BEZEL) for n in ("bezel-1", "bezel-2")]
    bought = fitting.bought(plan)
    inside = [n for n in bought if not n.startswith(("led life", "led star", "star", "scanner", "piezo"))]
    for name in inside:
        colour = (
            scene.PCB
            if name in ("pi", "perfboard", "pn532", "rp2040")
            else scene.METAL
            if "plug" in name
            else scene.BLUE
        )
        colour = scene.BLACK if "screen" in name else colour
        if not name.startswith("led"):
            things.append(Thing(bought[name], colour))
    notes = [
        ("perfboard on its shelf, the Pi below", (5.0, 20.0, 44.0), (-330, -220)),
        ("table screen 2", (58.0, 58.0, 45.0), (170, -150)),
        ("table screen", (-62.0, -62.0, 45.0), (-190, 110)),
        ("power, switch, wake", (76.0, -76.0, 34.0), (210, 110)),
        ("lid screws, from below", (66.0, -37.0, 47.0), (230, -10)),
    ]
    if not plan.optical:
        notes.append(("PN532 against the corner", (-66.0, 66.0, 45.0), (40, -95)))
    return annotate(picture(things, camera), camera, notes)


def _below(plan: Layout) -> Image.Image:
    camera = Camera((0, 0, 10), 28, 46, 235, SIZE)
    lid = printed.for_printing(plan, "lid", printed.parts(plan))
    return annotate(picture([Thing(lid, PALE)], camera), camera, [
        ("heat-set insert", (66, 37, 14), (40, -140)),
        ("a bezel's upper edge goes in here", (-58, 58, 3), (-150, -110)),
    ])  # fmt: skip


def _view(plan: Layout) -> Image.Image:
    """Cut open along the arm: what the scanner sees of an empty tray and of a full one, and a card in the hood."""
    keep = box(-300, -300, -10, 300, 0, 300).rotate((0, 0, -45))
    parts = printed.parts(plan)
    things = [Thing(s ^ keep, GREY if n == "body" else PALE) for n, s in parts.items() if not n.startswith("hood")]
    things += [
        Thing(fitting.scanner(plan) ^ keep, scene.PCB),
        Thing(fitting.pile(plan, mounts.PILE) ^ keep, (250, 240, 205)),
    ]
    things.append(
        Thing(arm.hood(plan).rotate((0, 0, arm.TURN)) ^ box(-300, -2, -10, 300, 0, 300).rotate((0, 0, -45)), GOLD)
    )
    things.append(Thing(fitting.hood_card(plan), scene.RED))
    camera = Camera(plan.across(-8, 0, 102), 135, 4, 300, (1200, 930))
    image = picture(things, camera)
    eye = plan.eye
    notes = [
        ("lens", tuple(eye.at(0, 0, 2)), (-170, -60)),
        ("pile of 60", plan.across(40, 0, plan.top + 28), (150, -120)),
        ("card in the hood", tuple(plan.hood_card.at(0, 60)), (150, -70)),
    ]
    return annotate(image, camera, notes)


def _printed(plan: Layout) -> Image.Image:
    """Everything as it lies on the printer's bed."""
    camera = Camera((175, -115, 10), 16, 50, 760, (1200, 900))
    things = []
    x = y = 0.0
    deep = 0.0
    for name, solid in printed.files(plan, "a").items():
        low = solid.bounding_box()
        wide, long = low[3] - low[0], low[4] - low[1]
        if x and x + wide > 560:
            x, y, deep = 0.0, y - deep - 14, 0.0
        if name.endswith(("lid-inlays", "aside-star")):
            continue
        colour = (
            PALE
            if name.endswith("tray")
            else scene.BEZEL
            if "bezel" in name
            else GREY
            if name.startswith("a-")
            else GOLD
        )
        things.append(Thing(solid.translate((x - low[0] - 100, y - low[4] + 105, 0)), colour))
        x += wide + 14
        deep = max(deep, long)
    return picture(things, camera)


def parts_of(plan: Layout) -> dict[str, float]:
    """Volume of each printed part in cubic centimetres."""
    return {name: solid.volume() / 1000 for name, solid in (printed.parts(plan) | printed.extras(plan)).items()}


__all__ = ["enclosure", "make", "parts_of"]
