"""The first lesson in Chromium: by mouse, finger and keyboard, read aloud, without a fault that axe-core would find."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browsing import Tried, quick_box, visit
from tests.page.test_page_access import faults


@pytest.mark.parametrize("touch", [False, True], ids=["desktop", "phone"])
def test_the_lesson_is_shown_read_aloud_and_skipped(browser: Browser, tmp_path: Path, touch: bool) -> None:
    tried = Tried(tmp_path, quick_box(3, hands="known"), "--partners", "dreamy")
    try:
        for visitor in visit(browser, tried, touch):
            page = visitor.page
            visitor.wait("view.phase === 'lobby'")
            said = page.locator("#lesson-text")
            expect(said).to_be_hidden()
            visitor.press(page.get_by_role("button", name="First lesson with a ghost"))
            expect(page.get_by_role("heading", name="First lesson: 1 of 7")).to_be_visible()
            expect(said).to_have_attribute("role", "status")
            expect(said).to_contain_text("A ghost sits opposite you")
            expect(page.locator("#main")).to_be_focused()
            boxes = [page.locator(f"#lesson-{name}").bounding_box() for name in ("skip", "end")]
            assert boxes[0] and boxes[1] and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
            assert page.evaluate("window.mindBox.state.seats.map((s) => s.kind)") == ["person", "steady", "empty"]
            assert faults(page) == []
            visitor.start(2)
            expect(said).to_contain_text("Before each level")
            expect(page.locator("#lesson-begin")).to_be_hidden()
            visitor.wait("view.phase === 'focus'")
            visitor.hands()
            expect(said).to_contain_text("No turns, no talking")

            # The rest by keyboard, to the end: the focus stays where there is something to press.
            skip = page.get_by_role("button", name="Next step")
            skip.focus()
            for at in range(4, 8):
                page.keyboard.press("Enter")
                expect(page.locator("#lesson-at")).to_have_text(f"First lesson: {at} of 7")
            expect(skip).to_be_hidden()
            expect(page.locator("#lesson-end")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.locator("#lesson")).to_be_hidden()
            expect(page.locator("#main")).to_be_focused()
    finally:
        tried.close()
