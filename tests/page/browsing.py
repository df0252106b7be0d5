"""A running ``mind-box try``, Debian's Chromium, and what a visitor does with mouse, finger and keyboard."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, WebSocket

from mind_box.settings.schema import Config, ReaderSettings
from mind_box.settings.writing import to_toml
from mind_box.virtual.tryout.box_settings import virtual_box

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 20_000
"""Milliseconds after which something that does not happen is a failure."""
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}


def quick_box(seats: int, **game: Any) -> Config:
    """A box whose holds are as short as the settings allow, so that tests do not wait for fingers; nor for a card that
    was dealt a moment ago, and would still rest on the reader."""
    config = virtual_box(seats)
    table = replace(config.table, hold=0.5, gather=0.5, check=0.1)
    reader = ReaderSettings(same_card_seconds=0.2)
    return replace(config, table=table, game=replace(config.game, **game), reader=(reader,))


class Tried:
    """``mind-box try`` in a process of its own."""

    def __init__(self, directory: Path, config: Config, *options: str) -> None:
        self.state = directory / "state"
        settings = directory / "box.toml"
        settings.write_text(to_toml(config), "utf-8")
        command = [
            sys.executable, "-m", "mind_box", "try", "--config", str(settings), "--state", str(self.state),
            "--port", "0", "--no-browser", "--seed", "11", "--players", str(config.box.seats), *options,
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"})
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], PATIENCE / 1000)[0], "mind-box try does not start"
        self.url = re.search(r"http\S+", self.process.stdout.readline().decode())[0]  # type: ignore[index]

    @property
    def origin(self) -> str:
        return self.url.partition("/#")[0]

    @property
    def token(self) -> str:
        return self.url.partition("#")[2]

    @property
    def hands(self) -> dict[int, list[Any]]:
        """What everyone holds, from the file that only the owner may read."""
        return dict(json.loads((self.state / "table-cards.json").read_text())["hands"])

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE / 1000)
        if self.process.stdout is not None:
            self.process.stdout.close()


@dataclass
class Visitor:
    """Somebody at the page."""

    page: Page
    touch: bool = False

    def view(self) -> dict[str, Any]:
        view: dict[str, Any] = self.page.evaluate("window.mindBox.state?.view ?? {}")
        return view

    def wait(self, condition: str) -> None:
        """Until this is true of ``state`` (the room) and ``view`` (a View; while there is one)."""
        self.until(f"const state = window.mindBox.state, view = state?.view; return view && ({condition});")

    def until(self, body: str) -> None:
        """Until a function's body returns something true. The page forbids eval, so the question is asked from here."""
        end = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(f"() => {{ {body} }}"):
            assert time.monotonic() < end, f"{body}\n{self.page.evaluate('JSON.stringify(window.mindBox.state)')}"
            self.page.wait_for_timeout(20)

    def press(self, place: Locator) -> None:
        """A click or a tap of a finger."""
        if self.touch:
            place.tap()
        else:
            place.click()

    def button(self, number: int) -> Locator:
        return self.page.locator(f'.push[data-button="{number}"]')

    def main(self, act: str) -> None:
        """Presses the main button as soon as it does this."""
        place = self.page.locator(f'#main[data-act="{act}"]')
        place.wait_for()
        self.press(place)

    def hands(self) -> None:
        """All hands down, and up again when the box has seen them; a button pressed before is let go first."""
        self.wait("!state.down.length && !view.hands_down.length")
        self.main("hands")
        self.wait("view.waiting.every((s) => view.hands_down.includes(s))")
        self.main("lift")
        self.wait("!state.down.length")

    def start(self, players: int) -> None:
        """A short press, and the game begins when everyone has held long enough."""
        self.main("start")
        self.wait(f"view.phase !== 'lobby' && view.seats.length === {players} && !state.down.length")

    def dealt(self, level: int) -> None:
        """Asks for the cards of a level where the last one still lies there, and waits for them."""
        self.wait(f"view.level === {level}")
        if level > 1:
            self.main("deal")
        self.wait(f"view.phase === 'focus' && state.seats.every((s) => s.backs === {level})")

    def look(self, seat: int) -> None:
        """Uncovers a hand, if there is one and it is covered."""
        hand = self.page.locator(f'.hand[data-seat="{seat}"]:not(.open) .lock')
        if hand.is_visible():
            self.press(hand)
            self.page.locator(f'.hand[data-seat="{seat}"] button.card').first.wait_for()

    def cards(self, seat: int) -> list[str]:
        cards = self.page.locator(f'.hand[data-seat="{seat}"] button.card')
        return [str(card) for card in cards.evaluate_all("x => x.map((c) => c.dataset.card)")]

    def card(self, card: str | int) -> Locator:
        return self.page.locator(f'button.card[data-card="{card}"]')

    def lay(self, card: str | int) -> None:
        """Lays a card, also one that is not the lowest, which the page asks about."""
        self.press(self.card(card))
        asked = "!document.querySelector('#ask').hidden"
        laid = f"!document.querySelector('button.card[data-card=\"{card}\"]')"
        self.until(f"return {asked} || {laid};")
        if self.page.locator("#ask").is_visible():
            self.press(self.page.locator("#ask-yes"))
        self.until(f"return {laid};")

    def drag(self, card: str | int, to: str = "") -> None:
        """Carries a card to a place: without one, to the reader, and on a phone to the pile, which is near the hand."""
        to = to or ("#pile" if self.touch else "#reader")
        a, b = self.card(card), self.page.locator(to)
        a.scroll_into_view_if_needed()
        start, end = a.bounding_box(), b.bounding_box()
        assert start and end
        x0, y0 = start["x"] + start["width"] / 2, start["y"] + start["height"] / 3
        x1, y1 = end["x"] + end["width"] / 2, end["y"] + end["height"] / 2
        steps = [(x0 + (x1 - x0) * k / 6, y0 + (y1 - y0) * k / 6) for k in range(1, 7)]
        if self.touch:
            cdp = self.page.context.new_cdp_session(self.page)

            def finger(kind: str, points: list[tuple[float, float]]) -> None:
                touches = [{"x": x, "y": y} for x, y in points]
                cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

            finger("touchStart", [(x0, y0)])
            for point in steps:
                finger("touchMove", [point])
            finger("touchEnd", [])
        else:
            self.page.mouse.move(x0, y0)
            self.page.mouse.down()
            for point in steps:
                self.page.mouse.move(*point)
            self.page.mouse.up()


def traffic(page: Page) -> list[str | bytes]:
    """Everything that sockets of this page bring, of those that are opened from now on."""
    heard: list[str | bytes] = []

    def opened(ws: WebSocket) -> None:
        ws.on("framereceived", lambda frame: heard.append(frame))

    page.on("websocket", opened)
    return heard


def visit(browser: Browser, tried: Tried, touch: bool = False, **options: Any) -> Iterator[Visitor]:
    """Opens the page of ``mind-box try``; a script error in it is a failure."""
    context: BrowserContext = browser.new_context(**{**(PHONE if touch else DESKTOP), **options})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(tried.url)
    visitor = Visitor(page, touch)
    visitor.wait("state.power === 'on'")
    yield visitor
    context.close()
    assert not errors
