"""A whole game to the end of level 2, with a star and an error, as three visitors play it who have only one way to:
keys alone, fingers alone, and a screen reader's tree alone. All that they know they read in the accessibility tree.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.page.browsing import PATIENCE, Tried, quick_box, visit


class Player:
    """Reads the accessibility tree, and presses what has a name there."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def tree(self) -> str:
        return self.page.locator("body").aria_snapshot()

    def read(self, pattern: str) -> re.Match[str]:
        """Waits until this is somewhere in the tree."""
        end = time.monotonic() + PATIENCE / 1000
        while (found := re.search(pattern, tree := self.tree())) is None:
            assert time.monotonic() < end, f"{pattern} is not in\n{tree}"
            self.page.wait_for_timeout(30)
        return found

    def press(self, name: str) -> None:
        """A button of this name, as soon as there is one that can be pressed."""
        self.read(rf'button "{re.escape(name)}[^"]*"(?!.*\[disabled\])')
        self.act(name)

    def act(self, name: str) -> None:
        raise NotImplementedError

    def cards(self) -> list[int]:
        return sorted(map(int, re.findall(r'button "Card (\d+)[^"]*"', self.tree())))

    def hands(self) -> None:
        self.press("Hands on the table")
        self.press("Lift together")
        self.read('button "Stop"')


class ByKeys(Player):
    """Tab and Enter; none of the page's own shortcuts."""

    def act(self, name: str) -> None:
        focused = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
        for _ in range(120):
            if self.page.evaluate(focused).startswith(name):
                self.page.keyboard.press("Enter", delay=100)
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {name}")


class ByTouch(Player):
    def act(self, name: str) -> None:
        place = self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box is not None and min(box["width"], box["height"]) >= 44, (name, box)
        place.tap()


class ByTree(Player):
    """A screen reader's click: nothing is pressed or pointed at."""

    def act(self, name: str) -> None:
        self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first.evaluate("x => x.click()")


@pytest.fixture
def tried(tmp_path: Path) -> Iterator[Tried]:
    tried = Tried(tmp_path, quick_box(2, hands="known"), "--partners", "person")
    yield tried
    tried.close()


@pytest.mark.parametrize(("way", "touch"), [(ByKeys, False), (ByTouch, True), (ByTree, False)])
def test_two_levels_with_a_star_and_an_error(
    browser: Browser, tried: Tried, way: Callable[[Page], Player], touch: bool
) -> None:
    for visitor in visit(browser, tried, touch):
        player = way(visitor.page)
        for _ in range(3):
            player.press("Got it")
        player.press("Start a game")
        player.read('button "Hands on the table"')
        for who in (1, 2):
            player.press(f"Look at the cards of Player {who}")
        player.read(r"(?s)button \"Card \d+.*button \"Card \d+")

        low, high = player.cards()
        player.hands()
        player.press(f"Card {low}, your lowest")
        player.read(f"Pile: {low}")
        player.press(f"Card {high}, your lowest")
        player.read("Level 1 is done · All cards in order")
        player.read(rf'img "Pile: {low}, {high}"')
        player.press("Deal level 2")
        player.read('button "Hands on the table"')
        player.read(r'(?s)(button "Card \d+.*){4}')

        player.hands()
        player.press("Star button")
        player.press("Agree to the star (0 of 2)")
        player.press("Agree to the star (1 of 2)")
        player.read("A star is used")
        player.read(r'img "Aside: \d+, \d+"')
        left = player.cards()
        assert len(left) == 2
        player.hands()
        player.press(f"Card {left[1]}, your lowest")
        player.read(f"{left[0]} came after {left[1]}: −1 life")
        player.read("A star is won")
        player.read('img "1 of 5 life lamps lit"')
        player.read('img "1 of 3 star lamps lit"')
        player.read('button "Deal level 3"')
