"""Every seat sees all of its screen, upright and without a lamp in it; nobody sees what must stay covered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import field
import fitting
import mounts
import numpy as np
import printed
import pytest
import report
import sight
import zxingcpp
from layout import Layout
from PIL import Image, ImageFilter
from solids import Frame, box

from mind_box.cards import qr
from mind_box.settings.loading import load, parse
from mind_box.table.payload import TRAY

HARDWARE = Path(__file__).parents[2] / "hardware"
AROUND = range(-90, 270, 45)
"""Seats, and the corners between them, where others sit at a large table."""
UPRIGHT, SLANT = 45.0, 65.0
TWO = '[[screen]]\ndriver = "ssd1309"\n[[screen]]\ndriver = "ssd1309"\naddress = 0x3D\ntable = 2\n'


class Box:
    """A build with all its parts."""

    def __init__(self, plan: Layout) -> None:
        self.plan = plan
        self.printed: dict[str, Any] = printed.parts(plan)
        self.bought: dict[str, Any] = fitting.bought(plan)

    def before(self, screen: sight.Screen) -> list[Any]:
        """What may stand before a screen: everything but its own glass, a card in the hood, a full pile, and a hand's
        width of cards standing at the tray's edge."""
        own = screen.name if screen.name.startswith("table") else f"seat-screen {screen.name}"
        out = [*self.printed.values(), *(x for name, x in self.bought.items() if not name.endswith(own))]
        standing = self.plan.tray_middle.place(box(-33, -0.5, 0, 33, 0.5, 91))
        cards = [fitting.pile(self.plan, mounts.PILE), standing]
        return out + cards + ([fitting.hood_card(self.plan)] if self.plan.optical else [])

    def seats(self) -> Iterator[tuple[sight.Screen, np.ndarray]]:
        """Each seat's screen and its eyes."""
        for seat, azimuth in enumerate(self.plan.seat_directions(), 1):
            two = self.plan.seat_directions().count(azimuth) == 2
            aside = 200.0 if self.plan.seat_alongs()[seat - 1] > 0 else -200.0
            yield self.plan.screen_for(seat), sight.eyes(azimuth, aside if two else 0.0)


@pytest.fixture(scope="module", params=["standard", "full", "seats"])
def build(request: pytest.FixtureRequest) -> Box:
    return Box(Layout(load(HARDWARE / f"{request.param}.toml")))


def test_no_lit_pixel_is_hidden_from_the_seat_it_is_meant_for(build: Box) -> None:
    for screen, eyes in build.seats():
        assert sight.hidden_share(screen, eyes, build.before(screen), 9) == 0, screen.name


def test_something_before_a_screen_is_found(build: Box) -> None:
    screen, eyes = next(build.seats())
    finger = screen.frame.place(box(-8, -8, 2, 8, 8, 18))
    assert sight.hidden_share(screen, eyes, [finger], 9) > 0.05


def test_every_picture_is_upright_and_not_too_slanted(build: Box) -> None:
    for screen, eyes in build.seats():
        assert max(sight.roll(screen.frame, eye) for eye in eyes) <= UPRIGHT
        assert max(sight.oblique(screen.frame, eye) for eye in eyes) <= SLANT


def test_no_lamp_of_the_room_is_mirrored_into_an_eye(build: Box) -> None:
    for screen, eyes in build.seats():
        assert min(sight.glare(screen.frame, eye) for eye in eyes) > sight.ROOM


@pytest.mark.parametrize("seats", range(2, 9))
def test_two_screens_serve_every_number_of_seats(seats: int) -> None:
    pins = [5, 6, 13, 19, 12, 16, 20, 21]
    lamps = list(range(100, 100 + seats))
    text = (
        f'[box]\nseats = {seats}\n[gpio]\nexpander = "mcp23017"\nseat_buttons = {pins[:seats]}\nseat_lamps = {lamps}\n'
    )
    box = Box.__new__(Box)
    box.plan = Layout(parse(text + TWO))
    for screen, eyes in box.seats():
        assert max(sight.roll(screen.frame, eye) for eye in eyes) <= UPRIGHT
        assert max(sight.oblique(screen.frame, eye) for eye in eyes) <= 90 - 8
        assert min(sight.glare(screen.frame, eye) for eye in eyes) > sight.ROOM


@pytest.mark.parametrize("name", ["standard", "full"])
def test_letters_are_large_enough_at_every_seat(name: str) -> None:
    """Of 8 pixels, the least of a table screen (docs/sizes.md measures it); no build has screens with smaller words."""
    plan = Layout(load(HARDWARE / f"{name}.toml"))
    assert not plan.seat_screens
    for seat in range(1, plan.seats + 1):
        assert sight.arc_minutes(8 * plan.screen_for(seat).pitch, 600) >= 16


def test_no_screen_that_fits_at_a_seat_has_words_large_enough() -> None:
    """The reason why no build has any, but for `seats.toml`."""
    for (driver, height), panel in mounts.SCREENS.items():
        pitch = panel.lit[0] / 128
        text = f'[[screen]]\ndriver = "{driver}"\nheight = {height}\nseat = 1\n'
        if sight.arc_minutes(8 * pitch, 600) >= 16:
            with pytest.raises(ValueError, match="fit at a seat"):
                Layout(parse(text))


def test_pile_and_lamps_are_seen_from_every_seat(build: Box) -> None:
    plan = build.plan
    others = [x for name, x in build.printed.items() if not name.startswith("hood")]
    others += [x for name, x in build.bought.items() if "button" in name]
    for azimuth in set(plan.seat_directions()):
        for cards in (1, mounts.PILE):
            height = cards * mounts.CARD[2] + 0.3
            number = np.array([plan.tray_middle.at(u, v, height) for u in (-15, 0, 15) for v in (-15, 0, 15)])
            assert not any(sight.hidden(number, eye, others).any() for eye in sight.eyes(azimuth)[::2])
        lamps = np.array(
            [s.frame.at(0, 0, 5.5) for s in plan.spots() if s.name[:4] in ("life", "star") and s.mount == "led"]
        )
        evening = [*others, fitting.pile(plan, 20)]
        assert not any(sight.hidden(lamps, eye, evening).any() for eye in sight.eyes(azimuth)[::2])


@pytest.fixture(scope="module")
def scanning() -> Box:
    return Box(Layout(load(HARDWARE / "standard.toml")))


def test_every_card_on_the_tray_is_read_however_it_lies_and_however_high_the_pile(scanning: Box) -> None:
    plan = scanning.plan
    blocking = [x for name, x in scanning.printed.items() if not name.startswith("hood")]
    codes = field.all_lies(plan)
    good = field.readable(plan.eye, codes)
    assert good.any(-1).all(), np.argwhere(~good.any(-1))
    for at_height, readable in zip(codes, good, strict=True):
        corners = at_height[readable].reshape(-1, 3)[::7]
        assert not sight.hidden(corners, plan.eye.at(0, 0, 0.5), blocking).any()


def picture(plan: Layout, code: np.ndarray, payload: int | str) -> np.ndarray:
    """What the scanner sees of a label, blurred by a lens out of focus: grey values, the label on a light card."""
    modules = np.pad(np.array(qr.matrix(payload)), qr.QUIET)
    flat = Image.fromarray(np.where(modules, 30, 235).astype(np.uint8))
    wide, high = mounts.SCANNER_PIXELS
    places = np.column_stack(field.in_picture(plan.eye, code)) * (1, -1) + (wide / 2, high / 2)
    flat_corners = [(0, qr.WIDTH), (qr.WIDTH, qr.WIDTH), (qr.WIDTH, 0), (0, 0)]
    rows, wanted = [], []
    for (x, y), (u, v) in zip(places, flat_corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    bends = np.linalg.solve(np.array(rows), np.array(wanted))
    seen = flat.transform(
        (wide, high), Image.Transform.PERSPECTIVE, tuple(bends), Image.Resampling.BILINEAR, fillcolor=200
    )
    return np.asarray(seen.filter(ImageFilter.GaussianBlur(0.7)))


def test_the_scanner_s_pictures_of_labels_are_decoded_in_any_turn(scanning: Box) -> None:
    """Wherever play lets a label lie, on the bare tray and on a whole pile: a scanner needs no card to lie straight.
    It takes ten pictures a second, so that not each must do."""
    plan = scanning.plan
    codes = field.all_lies(plan)
    spread = codes[field.readable(plan.eye, codes)][::230]
    for turn in range(0, 360, 15):
        tried = [field.corners(Frame(code.mean(0), plan.tray_middle.azimuth + turn, 0)) for code in spread]
        turned = [code for code in tried if field.reads(plan, code)]
        texts = [[c.text for c in zxingcpp.read_barcodes(picture(plan, code, 42))] for code in turned]
        assert len(turned) > len(tried) / 2 > 2
        assert texts.count(["MB1:042:F2"]) >= 0.6 * len(turned), turn


def test_the_label_on_the_floor_is_read_on_an_empty_tray_and_under_no_card(scanning: Box) -> None:
    plan = scanning.plan
    label, eye = field.floor_label(plan), plan.eye.at(0, 0, 0.5)
    assert field.reads(plan, label)
    assert [c.text for c in zxingcpp.read_barcodes(picture(plan, label, TRAY))] == [TRAY]
    for lie, (width, height) in field.lies(plan):
        across, along = (label - lie.origin) @ lie.u, (label - lie.origin) @ lie.v
        assert (abs(across) <= width / 2).all() and (abs(along) <= height / 2).all()
    parts = list(scanning.printed.values())  # the hood is on, and empty: it is seen through it
    assert not sight.hidden(label, eye, parts).any()
    assert sight.hidden(label, eye, [*parts, fitting.hood_card(plan)]).all()


def test_a_lower_arm_would_not_see_every_card(scanning: Box) -> None:
    plan = scanning.plan
    codes = field.all_lies(plan)
    low, high = (field.share_from(plan, height, codes) for height in report.LENSES)
    assert low < 1 == high
    assert plan.shape.lens[1] <= report.LENSES[1] + 10, "it is no higher than it must be, but for a reserve"


def test_tray_has_ten_millimetres_of_play_and_more_than_the_scanner_needs_is_found(scanning: Box) -> None:
    plan = scanning.plan
    width, height = mounts.CARDS[1]
    assert plan.shape.tray[0] - height >= 10 and plan.shape.tray[1] - width >= 10
    turns = {round(lie.azimuth - plan.tray_middle.azimuth) for lie, _ in field.lies(plan)}
    assert max(t for t in turns if t < 90) >= 9 and any(170 <= t <= 190 for t in turns)
    beside = plan.tray_middle.moved(30, 0)
    assert not any(field.reads(plan, code) for code in field.labels(beside, mounts.CARDS[1]))


def test_scanner_s_light_reaches_no_eye(scanning: Box) -> None:
    shining = field.shining(scanning.plan)
    arm = [x for name, x in scanning.printed.items() if name.startswith("arm")]
    for azimuth in AROUND:
        assert all(sight.hidden(shining, eye, arm).all() for eye in sight.eyes(azimuth))
    assert not sight.hidden(shining, scanning.plan.tray_middle.at(0, 10, 1), arm).all(), "it does light the tray"


def test_card_in_the_hood_is_read_and_nobody_sees_its_face(scanning: Box) -> None:
    plan = scanning.plan
    card = plan.hood_card
    code = field.corners(card)
    assert field.reads(plan, code)
    assert not sight.hidden(code + card.w * 0.5, plan.eye.at(0, 0, 0.5), scanning.printed.values()).any()
    face = field.face(card, -14.0)
    blocking = [fitting.hood_card(plan), *scanning.printed.values()]
    for azimuth in AROUND:
        assert all(sight.hidden(face, eye, blocking).all() for eye in sight.eyes(azimuth)[::2])
    bare = [x for name, x in scanning.printed.items() if not name.startswith("hood")]
    assert not all(sight.hidden(face, eye, bare).all() for eye in sight.eyes(180)), "without the hood it is seen"


def test_card_held_against_the_nfc_mark_shows_its_back() -> None:
    plan = Layout(load(HARDWARE / "full.toml"))
    width, height, thick = mounts.CARD
    back = plan.nfc.place(box(-width / 2, -14, 0.1, width / 2, height - 14, 0.1 + thick))
    face = field.face(plan.nfc.moved(0, 0, -thick / 2), -14.0)
    solids = [back, *printed.parts(plan).values()]
    for azimuth in AROUND:
        if azimuth in (-90, 0, 90, 180):
            low = [p for p in face if p[2] < plan.body_height - 3]
            assert all(sight.hidden(np.array(low), eye, solids).all() for eye in sight.eyes(azimuth)[::2])


def test_every_seat_sees_its_own_lamp(build: Box) -> None:
    plan = build.plan
    others = [x for name, x in build.printed.items() if not name.startswith("hood")]
    for seat, azimuth in enumerate(plan.seat_directions(), 1):
        lamp = next(s for s in plan.spots() if s.mount == "led" and s.name == f"seat {seat}")
        assert not any(sight.hidden(lamp.frame.at(0, 0, 5.5)[None], eye, others).any() for eye in sight.eyes(azimuth))
