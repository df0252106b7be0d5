"""The pages for everyone: axe-core finds nothing serious, a screen reader hears the game, and nothing beats time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from mind_box.show.words import LANGUAGES
from mind_box.virtual.tryout.words import texts
from tests.e2e.machine import Machine
from tests.page.browsing import DESKTOP, PHONE, Tried, Visitor, quick_box, traffic, visit
from tests.page.test_page_security import free_port

COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""Rules of axe-core that ask about colours."""


def faults(page: Page, options: dict[str, Any] | None = None) -> list[str]:
    """What axe-core finds; ``options`` are its own. Its script is given to a page once."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(Axe().axe_script)
    found: list[str] = page.evaluate(
        """async (options) => {
            const {violations} = await axe.run(document, {resultTypes: ["violations"], preload: false, ...options});
            return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.failureSummary}`));
        }""",
        options or {},
    )
    return found


def open_everything(page: Page, opened: bool = True) -> None:
    page.evaluate("all => { for (const d of document.querySelectorAll('details')) d.open = all; }", opened)


LOOKS: tuple[dict[str, Any], ...] = (
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
)


SIZES = ({"width": 1280, "height": 860}, {"width": 390, "height": 844})


class Looked:
    """Looks at each state of the page in every language and look, with the same page: its words are taken anew, as when
    the box's menu changes them. A window as wide as a desk's and one as a phone's take turns.

    Rules that do not ask about colours are asked once in each language. ``panel``: with all that the panel holds, else
    with its headings, which are the same in every state.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.states = 0
        self.found: dict[str, list[str]] = {}

    def at(self, state: str, panel: bool = False) -> None:
        open_everything(self.page, panel)
        self.page.set_viewport_size(SIZES[self.states % 2])  # type: ignore[arg-type]
        for language in LANGUAGES:
            self.speak(language)
            for look in LOOKS:
                self.page.emulate_media(**look)
                wrong = faults(self.page, None if look is LOOKS[0] else COLOURS)
                if wrong:
                    self.found[f"{state} {language} {look}"] = wrong
        self.states += 1
        self.speak("en")
        self.page.emulate_media(**LOOKS[0])
        self.page.set_viewport_size(SIZES[0])  # type: ignore[arg-type]
        open_everything(self.page)

    def speak(self, language: str) -> None:
        self.page.evaluate(
            "words => import('/texts.js').then((page) => page.take(words))",
            {"language": language, "texts": texts(language)},
        )
        assert self.page.locator("html").get_attribute("lang") == language
        assert self.page.title() == texts(language)["title"]


def test_axe_finds_nothing_on_the_virtual_box_in_any_state(browser: Browser, tmp_path: Path) -> None:
    tried = Tried(tmp_path, quick_box(2, hands="known"), "--partners", "person")
    try:
        for visitor in visit(browser, tried):
            page = visitor.page
            looked = Looked(page)
            looked.at("lobby, first visit", panel=True)
            page.evaluate("for (let i = 0; i < 3; i++) document.querySelector('.lesson button').click()")
            visitor.start(2)
            visitor.dealt(1)
            looked.at("focus")
            visitor.main("hands")
            visitor.wait("view.hands_down.length === 2")
            looked.at("hands down")
            visitor.main("lift")
            visitor.wait("view.phase === 'play'")
            visitor.look(1)
            visitor.look(2)
            looked.at("play", panel=True)
            visitor.lay(max(card for hand in tried.hands.values() for card in hand))
            visitor.wait("view.ended !== null")
            looked.at("a level ended with an error")
            visitor.dealt(2)
            visitor.hands()
            page.keyboard.press("0", delay=120)
            visitor.wait("view.phase === 'vote'")
            visitor.main("agree")
            visitor.wait("view.agreed.length === 1")
            looked.at("vote")
            visitor.main("agree")
            visitor.wait("view.reason === 'star'")
            looked.at("star")
            page.locator("#hold-star").click()
            visitor.wait("view.menu !== null && !state.down.length")
            looked.at("menu")
            visitor.main("close-menu")
            page.locator("#end-game").click()
            looked.at("asked")
            page.locator("#ask-no").click()
            page.locator("#power").click()
            visitor.until("return window.mindBox.state.power === 'off'")
            looked.at("no power")
            visitor.main("power")
            visitor.wait("view.notices.includes('resumed')")
            visitor.hands()
            visitor.lay(max(card for hand in tried.hands.values() for card in hand))
            visitor.wait("view.phase === 'lost'")
            looked.at("lost")
            assert looked.found == {}
    finally:
        tried.close()


def test_axe_finds_nothing_on_the_table_page(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    machine = Machine(tmp_path, f"[page]\nport = {port}\n")
    machine.options = ("--page",)
    try:
        machine.start()
        for options in ({**DESKTOP, "color_scheme": "dark"}, {**PHONE, "color_scheme": "light"}):
            page = browser.new_page(**options)
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector("body[data-phase]")
            assert faults(page) == []
            page.close()
    finally:
        machine.close()


def test_what_happens_is_said_to_a_screen_reader(browser: Browser, tmp_path: Path) -> None:
    tried = Tried(tmp_path, quick_box(2), "--partners", "person")
    try:
        for visitor in visit(browser, tried):
            page = visitor.page
            spoken = page.locator("#spoken")
            assert spoken.get_attribute("aria-live") == "polite"
            visitor.start(2)
            visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
            visitor.hands()
            visitor.wait("view.phase === 'play'")
            seat, (card,) = max(tried.hands.items(), key=lambda item: item[1])
            page.get_by_role("button", name=f"Look at the cards of Player {seat}").press("Enter")
            page.get_by_role("button", name=f"Card {card}, your lowest: lay it").press("Enter")
            spoken.get_by_text(f"{card} laid.").wait_for()
            page.keyboard.press(f"Shift+Digit{3 - seat}")
            spoken.get_by_text(f"Error: {card} was too early, a life is lost.").wait_for()
            assert page.get_by_role("img", name="1 of 5 life lamps lit").count() == 1
            visitor.dealt(2)
            # A click without a press, as assistive technology sends it, is a tap of the button.
            visitor.hands()
            visitor.wait("view.phase === 'play'")
            visitor.button(2).evaluate("x => x.click()")
            visitor.wait("view.reason === 'stop'")
            spoken.get_by_text("Stop.").first.wait_for()
    finally:
        tried.close()


BEATS = """
    const timers = ["setInterval", "requestAnimationFrame"];
    window.beats = [];
    for (const name of timers) {
        const real = window[name];
        window[name] = (...all) => { window.beats.push(name); return real.apply(window, all); };
    }
"""


def test_nothing_moves_while_a_level_is_played_and_nobody_does_anything(browser: Browser, tmp_path: Path) -> None:
    """R18: no timer that repeats, no animation, no message, no changed element, no changed pixel."""
    tried = Tried(tmp_path, quick_box(2), "--partners", "person")
    try:
        for visitor in visit(browser, tried):
            page = visitor.page
            page.add_init_script(BEATS)
            heard = traffic(page)
            page.reload()
            visitor.wait("state.power === 'on'")
            visitor.start(2)
            visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
            visitor.hands()
            visitor.wait("view.phase === 'play' && !state.down.length")
            page.wait_for_timeout(300)  # the movement of the last hand
            before = len(heard)
            changes = page.evaluate(
                """() => new Promise((done) => {
                    let changes = 0;
                    const watch = new MutationObserver((all) => { changes += all.length; });
                    watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
                    const drawn = () => { changes++; };
                    for (const glass of document.querySelectorAll("canvas")) glass.addEventListener("drawn", drawn);
                    setTimeout(() => done(changes + document.getAnimations().length + window.beats.length), 1000);
                })"""
            )
            assert changes == 0
            assert len(heard) == before
    finally:
        tried.close()


@pytest.mark.parametrize(("seats", "partners"), [(8, "human"), (8, "person"), (4, "person")])
def test_every_seat_fits_a_desktop_and_a_phone(browser: Browser, tmp_path: Path, seats: int, partners: str) -> None:
    tried = Tried(tmp_path, quick_box(seats), "--partners", partners)
    try:
        for visitor in visit(browser, tried):
            for width in (1280, 1161, 860, 390):
                visitor.page.set_viewport_size({"width": width, "height": 844})
                assert_fits(visitor)
    finally:
        tried.close()


def assert_fits(visitor: Visitor) -> None:
    """Nothing is cut off at the side, nothing lies over its neighbour, and every button can be hit with a finger."""
    page = visitor.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def boxes(selector: str) -> list[dict[str, float]]:
        found = page.eval_on_selector_all(selector, "x => x.map((e) => e.getBoundingClientRect())")
        return [box for box in found if box["width"]]

    assert all(box["width"] >= 40 and box["height"] >= 40 for box in boxes(".push"))
    assert all(box["height"] >= 24 for box in boxes("button, select, summary"))
    parts = boxes(".push, .glass, .slot, .lamps")
    assert len(parts) >= 4
    for i, a in enumerate(parts):
        for b in parts[:i]:
            beside = a["right"] <= b["left"] or b["right"] <= a["left"]
            apart = beside or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]
            assert apart, (a, b)
