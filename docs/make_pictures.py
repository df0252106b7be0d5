"""Makes the pictures of the README from the real thing: ``mind-box try`` and the table page in headless Chromium.

``python -m docs.make_pictures`` (some minutes; needs the test extra and Debian's chromium). The same cards are
dealt each time; the pictures go to ``docs/page``.
"""

from __future__ import annotations

import io
import socket
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.machine import Machine
from tests.page.browsing import CHROMIUM, Tried, Visitor, quick_box, visit

PICTURES = Path(__file__).parent / "page"
WIDE = {"viewport": {"width": 1240, "height": 800}, "device_scale_factor": 1}
FILM: dict[str, Any] = {"viewport": {"width": 940, "height": 760}, "device_scale_factor": 1}
STILLS = (("page", False, "light", 3), ("page-dark", False, "dark", 4), ("page-phone", True, "dark", 5))
"""Pictures of the page: name, on a phone or not, light or dark, and the level and the cards laid in it."""
LARGEST = 1_000_000
"""Bytes of the moving picture, at most."""


class Film:
    """Screenshots with how long each is looked at."""

    def __init__(self, page: Page, width: int) -> None:
        self._page = page
        self._width = width
        self._frames: list[Image.Image] = []
        self._times: list[int] = []

    def shoot(self, milliseconds: int) -> None:
        """What the page shows now; the same picture again only lasts longer."""
        self._page.wait_for_timeout(260)  # a card on its way has arrived
        frame = Image.open(io.BytesIO(self._page.screenshot())).convert("RGB")
        frame = frame.resize((self._width, frame.height * self._width // frame.width), Image.Resampling.LANCZOS)
        if self._frames and frame.tobytes() == self._frames[-1].tobytes():
            self._times[-1] += milliseconds
            return
        self._frames.append(frame)
        self._times.append(milliseconds)

    def save(self, path: Path) -> None:
        """An animated WebP."""
        first, *rest = self._frames
        first.save(path, save_all=True, append_images=rest, duration=self._times, loop=0, quality=62, method=6)
        size = path.stat().st_size
        assert size < LARGEST, f"{path} has {size} bytes"
        print(f"{path}: {len(self._frames)} frames, {size // 1000} kB")


def play_level(visitor: Visitor, tried: Tried, film: Film | None = None, cards: int | None = None) -> None:
    """Lays the level's cards in order: ours by a click, the partners' when they lay them; or only so many."""

    def shoot(milliseconds: int) -> None:
        if film is not None:
            film.shoot(milliseconds)

    level = visitor.view()["level"]
    visitor.wait("state.seats.every((s) => s.backs === view.level)")
    shoot(1200)
    visitor.press(visitor.page.locator("#all-hands"))
    visitor.wait("view.hands_down.length === 3")
    shoot(900)
    visitor.press(visitor.page.locator("#all-hands"))
    visitor.wait("view.phase === 'play' && !state.down.length")
    shoot(900)
    left = sorted((card, seat) for seat, hand in tried.hands.items() for card in hand)
    for n, (card, seat) in enumerate(left, 1):
        if cards is not None and n > cards:
            return
        if seat == 1:
            visitor.press(visitor.card(card))
        visitor.wait(f"view.level > {level} || view.piles[0].includes({card})")
        shoot(700 if n < len(left) else 1600)


def of_the_page(browser: Browser, tried: Tried) -> None:
    """The box in a browser: a level as a film, then stills on a desktop and a phone."""
    for visitor in visit(browser, tried, **FILM):
        page = visitor.page
        page.locator("#speed").select_option("1")  # a picture takes a moment, and nobody should lay meanwhile
        film = Film(page, 700)
        film.shoot(1200)
        visitor.press(page.get_by_role("button", name="Start a game"))
        visitor.wait("view.hands_down.length === 3")
        film.shoot(1200)
        visitor.wait("view.phase === 'focus' && !state.down.length")
        play_level(visitor, tried, film)
        play_level(visitor, tried, film)
        film.save(PICTURES / "level.webp")
    for name, touch, scheme, cards in STILLS:
        options: dict[str, Any] = {"color_scheme": scheme, **({} if touch else WIDE)}
        for visitor in visit(browser, tried, touch, **options):
            visitor.page.locator("#speed").select_option("4")
            while visitor.view()["level"] < cards:
                play_level(visitor, tried)
            visitor.page.locator("#speed").select_option("1")  # nobody lays while the picture is taken
            play_level(visitor, tried, cards=cards)
            visitor.page.wait_for_timeout(250)
            visitor.page.screenshot(path=PICTURES / f"{name}.png")
            rest = sorted(card for hand in tried.hands.values() for card in hand)
            for card in rest:  # to the end of the level, so that the next picture begins with a fresh one
                if card in tried.hands[1]:
                    visitor.press(visitor.card(card))
                visitor.wait(f"view.piles[0].includes({card}) || view.level > {cards}")


def of_the_table_page(browser: Browser, directory: Path) -> None:
    """The read-only page of a real box, as a television shows it: after an error, in play."""
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
        hands()
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator("#top .big", has_text="29").wait_for()
        page.screenshot(path=PICTURES / "table-page.png")
        page.close()
    finally:
        machine.close()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        of_the_table_page(browser, Path(directory) / "real")
        (Path(directory) / "virtual").mkdir()
        tried = Tried(Path(directory) / "virtual", quick_box(3), "--partners", "perfect")
        try:
            of_the_page(browser, tried)
        finally:
            tried.close()
        browser.close()


if __name__ == "__main__":
    main()
