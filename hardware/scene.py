"""The box as people would see it: parts in their colours, lit screens, cards on a table, hands."""

from __future__ import annotations

import math
from pathlib import Path

import arm
import bezels
import enclosure
import fitting
import inlays
import mounts
import numpy as np
from layout import Layout, Spot
from manifold3d import Manifold, OpType
from PIL import Image, ImageDraw, ImageFont
from render import Colour, Decal, Thing
from solids import Frame, box, rod

SHELL, TOP, BEZEL, INLAY = (52, 58, 74), (58, 65, 82), (24, 25, 29), (236, 226, 205)
WOOD, WHITE, BLACK, METAL = (168, 128, 92), (246, 245, 240), (28, 28, 31), (170, 175, 180)
RED, YELLOW, GREEN, BLUE, SKIN = (226, 62, 54), (246, 200, 50), (86, 190, 96), (70, 120, 205), (214, 168, 140)
PCB = (46, 120, 72)
SCREENS = Path(__file__).parents[1] / "docs" / "screens"


def shell(plan: Layout, hood: bool = False) -> list[Thing]:
    """The printed parts."""
    out = [Thing(enclosure.body(plan), SHELL, 0.15), Thing(enclosure.lid(plan), TOP, 0.15)]
    out += [Thing(bezels.corner(plan, i), BEZEL, 0.5) for i in (0, 1)]
    out += [Thing(inlays.colours(plan), INLAY, 0.1), Thing(enclosure.ring(plan), INLAY, 0.1)]
    for spot in plan.spots():
        if spot.mount == "seat-screen":
            out.append(Thing(bezels.seat(plan, spot), BEZEL, 0.5))
    if plan.optical:
        out += [Thing(s, TOP, 0.15) for s in arm.halves(plan).values()]
        if hood:
            out += [Thing(s, SHELL, 0.15) for s in arm.hood_halves(plan).values()]
    else:
        out.append(Thing(enclosure.mark(plan, 0.8) ^ enclosure.eight(plan, (0, 0), (59, 0)), INLAY))
    return out


def fittings(plan: Layout, lives: int = 3, stars: int = 1, lit_seats: tuple[int, ...] = (1, 2, 3, 4)) -> list[Thing]:
    """Buttons, lamps, glass: what shows of the bought parts."""
    out = []
    for spot in plan.spots():
        if spot.mount in ("seat-button", "star-button"):
            out += _button(spot, YELLOW if spot.mount == "star-button" else BLUE)
        elif spot.mount == "led":
            kind, number = spot.name.split()
            on = int(number) <= {"life": lives, "star": stars}.get(kind, 0) or (
                kind == "seat" and int(number) in lit_seats
            )
            colour = {"life": RED, "star": YELLOW, "seat": GREEN}[kind]
            faint: Colour = tuple(int(c * 0.45 + 45) for c in colour)  # type: ignore[assignment]
            ring = rod(0, 0, 0, 1.2, mounts.LED.flange, mounts.LED.flange - 1)
            dome = Manifold.sphere(2.5, 24).scale((1, 1, 1.3)).translate((0, 0, 1.2))
            out.append(Thing(spot.frame.place(ring), BLACK, 0.3))
            out.append(Thing(spot.frame.place(dome), colour if on else faint, 0.6, 0.75 if on else 0.0))
        elif spot.screen is not None:
            w, h = mounts.GLASS[spot.screen.driver, spot.screen.height]
            glass = box(-w / 2, -h / 2, -2.6, w / 2, h / 2, -mounts.BEZEL_FRAME - 0.05)
            out.append(Thing(spot.frame.place(glass), (12, 13, 16), 0.8))
    bought = fitting.bought(plan)
    out += [Thing(bought[name], (20, 21, 24), 0.4) for name in ("power", "switch")]
    return [*out, Thing(bought["wake"], METAL, 0.6)]


def _button(spot: Spot, colour: Colour) -> list[Thing]:
    rim = rod(0, 0, 0, 2.4, mounts.BUTTON.flange, mounts.BUTTON.flange - 2.5)
    cap = rod(0, 0, 2.4, 5.0, 19) + Manifold.sphere(9.5, 48).scale((1, 1, 0.22)).translate((0, 0, 5.0))
    return [Thing(spot.frame.place(rim), BLACK, 0.5), Thing(spot.frame.place(cap), colour, 0.6)]


def lit(plan: Layout, pictures: dict[str, Image.Image]) -> list[Decal]:
    """What the screens show, by name."""
    out = []
    for screen in plan.screens():
        image = pictures.get(screen.name)
        if image is None:
            continue
        w, h = screen.lit[0] / 2, screen.lit[1] / 2
        at = [tuple(screen.frame.at(u, v, 0.02)) for u, v in ((-w, h), (w, h), (w, -h), (-w, -h))]
        out.append(Decal(at, _oled(image), 1.0))  # type: ignore[arg-type]
    return out


def _oled(image: Image.Image) -> Image.Image:
    grey = np.asarray(image.convert("L"), dtype=float)[..., None] / 255
    paint = np.array([8, 9, 12]) * (1 - grey) + np.array([205, 232, 255]) * grey
    return Image.fromarray(paint.astype(np.uint8))


def card_face(number: int) -> Image.Image:
    """A card of our own drawing: a number, a code at either end."""
    image = Image.new("RGB", (330, 455), (250, 249, 244))
    draw = ImageDraw.Draw(image)
    for y in range(455):
        t = y / 455
        draw.line([(0, y), (330, y)], fill=(int(236 - 50 * t), int(240 - 40 * t), int(246 - 14 * t)))
    draw.rounded_rectangle([6, 6, 323, 448], 18, outline=(60, 70, 110), width=5)
    font = ImageFont.load_default(150)
    draw.text((165, 222), str(number), fill=(32, 36, 60), font=font, anchor="mm")
    rng = np.random.default_rng(number)
    code = np.kron(rng.integers(0, 2, (21, 21)), np.ones((3, 3))) > 0
    for corner in ((0, 0), (0, 42), (42, 0)):
        y, x = corner
        code[y : y + 21, x : x + 21] = False
        code[y + 3 : y + 18, x + 3 : x + 18] = True
        code[y + 6 : y + 15, x + 6 : x + 15] = False
    label = Image.fromarray(np.where(code, 25, 255).astype(np.uint8))
    label = label.resize((70, 70), Image.Resampling.NEAREST)
    for y in (35, 350):
        draw.rectangle([125, y - 5, 205, y + 75], fill=(255, 255, 255))
        image.paste(label, (130, y))
    return image


def card(frame: Frame, number: int | None, thick: float = 0.4) -> tuple[Thing, list[Decal]]:
    """A card lying in a frame, its lower side at w = 0; without a number face down."""
    w, h = 63 / 2, 88 / 2
    solid = frame.place(box(-w, -h, 0, w, h, thick))
    at = [tuple(frame.at(u, v, thick + 0.02)) for u, v in ((-w, h), (w, h), (w, -h), (-w, -h))]
    if number is None:
        return Thing(solid, (70, 84, 140)), [Decal(at, _back())]  # type: ignore[arg-type]
    return Thing(solid, WHITE), [Decal(at, card_face(number))]  # type: ignore[arg-type]


def _back() -> Image.Image:
    image = Image.new("RGB", (165, 230), (46, 52, 92))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle([5, 5, 159, 224], 10, outline=(200, 196, 220), width=3)
    for r in range(8, 60, 10):
        draw.ellipse([82 - r, 115 - r, 82 + r, 115 + r], outline=(120, 128, 180), width=2)
    return image


def pile(plan: Layout, numbers: list[int]) -> tuple[list[Thing], list[Decal]]:
    """Cards on the tray, each turned a little, the last on top."""
    things: list[Thing] = []
    decals: list[Decal] = []
    for i, number in enumerate(numbers):
        lie = math.sin(i * 2.4) * 2.5
        frame = plan.tray_middle
        turned = Frame(frame.at(math.sin(i * 1.7) * 3, math.cos(i * 1.3) * 3, 0.05 + 0.4 * i), frame.azimuth + lie, 0)
        thing, face = card(turned, number)
        things.append(thing)
        decals = face
    return things, decals


def hand(x: float, y: float, z: float, azimuth: float, pitch: float = 0.0) -> list[Thing]:
    """A hand that lies flat, fingers pointing against the azimuth, its middle finger's tip at a point: simple, and of
    the right size."""
    skin: list[Manifold] = []
    for across, bent, length, r in ((-27, -31, 66, 8.0), (-9, -10, 77, 8.6), (10, 10, 80, 8.6), (28, 30, 70, 8.2)):
        knuckle, middle = (across, -80.0, 9.0), (bent * 0.97, -80 + length * 0.55, 13.0)
        skin += [_limb(knuckle, middle, r + 0.8), _limb(middle, (bent, -80.0 + length, 2.0), r - 0.6)]
    skin.append(_limb((-30, -130, 4), (-52, -96, 2), 11.5))
    skin.append(_limb((-52, -96, 2), (-58, -66, -1), 9.5))
    back = ((-26, -84, 6, 11), (28, -86, 6, 11), (24, -150, 8, 16), (-20, -150, 8, 16), (0, -110, 10, 14))
    skin.append(Manifold.batch_hull([Manifold.sphere(r, 24).translate((a, b, c)) for a, b, c, r in back]))
    arm = (((0, -158, 10), 22), ((0, -230, 14), 26))
    skin.append(Manifold.batch_hull([Manifold.sphere(r, 32).translate(p) for p, r in arm]))
    cuff = (((0, -222, 14), 33), ((0, -420, 26), 44))
    sleeve = Manifold.batch_hull([Manifold.sphere(r, 32).translate(p) for p, r in cuff])
    whole = Manifold.batch_boolean(skin, OpType.Add)
    out = []
    for solid, colour in ((whole, SKIN), (sleeve, (70, 84, 112))):
        placed = solid.rotate((pitch, 0, 0)).rotate((0, 0, azimuth + 90)).translate((x, y, z))
        out.append(Thing(placed, colour))
    return out


def _limb(a: tuple[float, float, float], b: tuple[float, float, float], r: float) -> Manifold:
    return Manifold.batch_hull([Manifold.sphere(r, 20).translate(a), Manifold.sphere(r * 0.86, 20).translate(b)])


def fan(azimuth: float, out: float, numbers: list[int | None]) -> tuple[list[Thing], list[Decal]]:
    """Cards held in a hand at a seat, their faces to it; None shows nothing."""
    things: list[Thing] = []
    decals: list[Decal] = []
    count = len(numbers)
    for i, number in enumerate(numbers):
        lean = (i - (count - 1) / 2) * 11.0
        a = math.radians(azimuth)
        frame = Frame((out * math.cos(a), out * math.sin(a), 62.0), azimuth, 58.0)
        turn = math.radians(-lean)
        u = frame.u * math.cos(turn) + frame.v * math.sin(turn)
        v = -frame.u * math.sin(turn) + frame.v * math.cos(turn)
        frame.u, frame.v = u, v
        frame.origin = frame.origin + frame.v * 46 - v * 0 + frame.w * (0.9 * i)
        thing, faces = card(frame, number)
        things.append(thing)
        decals += faces
        things.append(Thing(frame.place(box(-31.4, -43.9, -0.2, 31.4, 43.9, 0)), (58, 66, 116)))
    return things, decals


def table(size: float = 620.0) -> Thing:
    """The table's top."""
    return Thing(box(-size, -size, -24, size, size, 0).refine_to_length(150), WOOD, 0.1)
