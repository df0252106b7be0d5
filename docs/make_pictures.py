"""Makes the pictures of the pages from the real thing: ``mind-box try`` and the table page in headless Chromium.

``python -m docs.make_pictures`` (some minutes; needs the test extra and Debian's chromium); with names of pictures,
``table-page.png`` say, only these. The same cards are dealt each time; the pictures go to ``docs/page``, and with each
a stamp of what it shows (``docs/pictures.py``).
"""

from __future__ import annotations

import io
import socket
import sys
import tempfile
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from docs.pictures import PICTURES, keep, stamp
from tests.e2e.machine import Machine
from tests.page.browsing import CHROMIUM, Tried, Visitor, quick_box, visit

WIDE: dict[str, Any] = {"viewport": {"width": 1240, "height": 800}, "device_scale_factor": 1}
STILLS = (("page.png", False, "light", 3), ("page-dark.png", False, "dark", 4), ("page-phone.png", True, "dark", 5))
"""Pictures of the page: name, on a phone or not, light or dark, and the level and the cards laid in it."""
FILMED = "level.webp"
TABLE = "table-page.png"
LARGEST = 1_000_000
"""Bytes of the moving picture, at most."""


class Film:
    """Screenshots with how long each is looked at, and the Views in them."""

    def __init__(self, visitor: Visitor, width: int) -> None:
        self._visitor = visitor
        self._width = width
        self._frames: list[Image.Image] = []
        self._times: list[int] = []
        self._views: list[dict[str, Any]] = []

    def shoot(self, milliseconds: int) -> None:
        """What the page shows now; the same picture again only lasts longer."""
        page = self._visitor.page
        page.wait_for_timeout(260)  # a card on its way has arrived
        table = page.locator("#table").bounding_box()  # without the panel beside it
        assert table
        clip = {"x": 0.0, "y": 0.0, "width": table["x"] + table["width"], "height": float(WIDE["viewport"]["height"])}
        frame = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")  # type: ignore[arg-type]
        frame = frame.resize((self._width, frame.height * self._width // frame.width), Image.Resampling.LANCZOS)
        if self._frames and frame.tobytes() == self._frames[-1].tobytes():
            self._times[-1] += milliseconds
            return
        self._frames.append(frame)
        self._times.append(milliseconds)
        self._views.append(self._visitor.view())

    def save(self, name: str) -> None:
        """An animated WebP, and its stamp."""
        first, *rest = self._frames
        path = PICTURES / name
        first.save(path, save_all=True, append_images=rest, duration=self._times, loop=0, quality=62, method=6)
        keep(name, stamp("try", self._views))
        size = path.stat().st_size
        assert size < LARGEST, f"{path} has {size} bytes"
        print(f"{path}: {len(self._frames)} frames, {size // 1000} kB")


def play_level(visitor: Visitor, tried: Tried, film: Film | None = None, cards: int | None = None) -> None:
    """Lays the level's cards in order: ours by a click, the partners' when they lay them; or only so many."""

    def shoot(milliseconds: int) -> None:
        if film is not None:
            film.shoot(milliseconds)

    level = visitor.view()["level"]
    visitor.dealt(level)
    shoot(1200)
    visitor.main("hands")
    visitor.wait("view.hands_down.length === 3")
    shoot(900)
    visitor.main("lift")
    visitor.wait("view.phase === 'play' && !state.down.length")
    shoot(900)
    left = sorted((card, seat) for seat, hand in tried.hands.items() for card in hand)
    for n, (card, seat) in enumerate(left, 1):
        if cards is not None and n > cards:
            return
        if seat == 1:
            visitor.press(visitor.card(card))
        visitor.wait(f"view.level > {level} || view.piles[0].includes({card})")
        if n == len(left):
            visitor.page.wait_for_timeout(1500)  # the reward has reached its lamp
        shoot(700 if n < len(left) else 2600)


def filmed(browser: Browser, tried: Tried) -> None:
    """Two levels of the box in a browser."""
    for visitor in visit(browser, tried, **WIDE):
        visitor.page.locator("#speed").select_option("1")  # a picture takes a moment, and nobody should lay meanwhile
        film = Film(visitor, 720)
        film.shoot(1200)
        visitor.main("start")
        visitor.wait("view.hands_down.length === 3")
        film.shoot(1200)
        visitor.wait("view.phase === 'focus' && !state.down.length")
        play_level(visitor, tried, film)
        play_level(visitor, tried, film)
        film.save(FILMED)


def stills(browser: Browser, tried: Tried, names: Collection[str]) -> None:
    """The box in a browser in the midst of a level, on a desktop and a phone."""
    for name, touch, scheme, cards in STILLS:
        if name not in names:
            continue
        options: dict[str, Any] = {"color_scheme": scheme, **({} if touch else WIDE)}
        for visitor in visit(browser, tried, touch, **options):
            page = visitor.page
            for _ in range(3):  # whoever has come so far has read them
                page.locator("#first button").first.click()
            page.locator("#speed").select_option("4")
            if visitor.view()["phase"] == "lobby":
                visitor.start(3)
            while visitor.view()["level"] < cards:
                play_level(visitor, tried)
            page.locator("#speed").select_option("1")  # nobody lays while the picture is taken
            play_level(visitor, tried, cards=cards)
            page.evaluate("scrollTo(0, 0)")
            page.wait_for_timeout(250)
            page.screenshot(path=PICTURES / name)
            keep(name, stamp("try", [visitor.view()]))
            rest = sorted(card for hand in tried.hands.values() for card in hand)
            for card in rest:  # to the end of the level, so that the next picture begins with a fresh one
                if card in tried.hands[1]:
                    visitor.press(visitor.card(card))
                visitor.wait(f"view.piles[0].includes({card}) || view.level > {cards}")


def of_the_table_page(browser: Browser, directory: Path) -> None:
    """The read-only page of a real box, as a television shows it: after an error, a hand is still missing."""
    with closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    machine = Machine(directory, f"[page]\nport = {port}\n")
    machine.options = ("--page",)

    def hands(seconds: float = 0.0) -> None:
        machine.press(1, 2, 3)
        machine.expect(hands_down=[1, 2, 3])
        machine.pass_time(seconds)
        machine.lift(1, 2, 3)
        machine.expect(hands_down=[])

    try:
        machine.start()
        hands(0.6)
        for cards in ((4, 35, 47), (7, 29, 18)):
            hands()
            for card in cards:
                machine.scan(str(card))
                machine.pass_time(0.1)
        machine.press(1, 3)
        machine.expect(hands_down=[1, 3])
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator("#seats .missing").wait_for()
        page.screenshot(path=PICTURES / TABLE)
        keep(TABLE, stamp("table", [machine.view]))
        page.close()
    finally:
        machine.close()


def main(wanted: Collection[str]) -> None:
    everything = (TABLE, FILMED, *(name for name, *_ in STILLS))
    names = set(wanted or everything)
    if unknown := names.difference(everything):
        raise SystemExit(f"no picture {', '.join(sorted(unknown))}; there are {', '.join(everything)}")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        if TABLE in names:
            of_the_table_page(browser, Path(directory) / "real")
        if names - {TABLE}:
            (Path(directory) / "virtual").mkdir()
            tried = Tried(Path(directory) / "virtual", quick_box(3), "--partners", "steady")
            try:
                if FILMED in names:
                    filmed(browser, tried)
                stills(browser, tried, names)
            finally:
                tried.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
