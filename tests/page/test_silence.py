"""Links that go silent: the pages say that they are old and look for the box; stillness is never taken for silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from playwright.sync_api import Browser, Page, expect

from mind_box.page import web
from mind_box.page.web import ALIVE
from mind_box.table.view import View
from tests.page.browsing import DESKTOP, Tried, Visitor, quick_box, traffic
from tests.page.served_table import ServedTable
from tests.page.silent_link import SilentLink

GONE = 90_000
"""Milliseconds of a phone's sleep."""
LOBBY = View()
PLAY = replace(LOBBY, phase="play", seats=(1, 2), level=1, last_level=12, lives=2, stars=1, piles=((17,),), remaining=1)
LATER = replace(PLAY, piles=((17, 42),), remaining=0)


class Noted(web.Visitor):
    """Whoever looks at a page of these tests, and stays."""

    all: ClassVar[list[Noted]] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.all.append(self)


@pytest.fixture
def table() -> Iterator[ServedTable]:
    Noted.all.clear()
    with patch("mind_box.page.server.Visitor", Noted):
        table = ServedTable(PLAY)
        yield table
        table.close()


@pytest.fixture
def page(browser: Browser, table: ServedTable) -> Iterator[Page]:
    """The table page in a browser whose timers the test moves."""
    page = browser.new_page(**DESKTOP)
    page.clock.install()
    page.goto(table.link.url)
    page.wait_for_selector("body[data-phase=play]")
    yield page
    page.close()


def top(page: Page) -> str:
    return page.locator("#top").inner_text()


def test_a_page_on_a_silent_link_says_that_it_is_old_and_finds_the_box_again(page: Page, table: ServedTable) -> None:
    table.link.silent(True)
    table.show(LATER)
    expect(page.locator("#lost")).to_be_hidden()
    page.clock.fast_forward(GONE)
    expect(page.locator("#lost")).to_be_visible()
    assert "what you see is old" in page.locator("#lost").inner_text()
    assert top(page) == "17"
    for _ in range(3):  # however long it lasts
        page.clock.fast_forward(GONE)
        expect(page.locator("#lost")).to_be_visible()
    table.link.silent(False)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator("#top")).to_have_text("42")


@pytest.mark.parametrize(
    "event",
    [
        "document.dispatchEvent(new Event('visibilitychange'))",
        "window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))",
        "window.dispatchEvent(new Event('online'))",
        "document.dispatchEvent(new Event('resume'))",
    ],
)
@pytest.mark.parametrize("slept", [GONE, -GONE, 10_000])
def test_a_page_that_wakes_looks_for_the_box_at_once(page: Page, table: ServedTable, event: str, slept: int) -> None:
    """Its timers have stood still as it slept, and its old link may be dead without a word: so it takes a new one."""
    before = table.link.connections
    table.link.silent(True)
    table.show(LATER)
    now = datetime.fromtimestamp(page.evaluate("Date.now()") / 1000)
    page.clock.set_system_time(now + timedelta(milliseconds=slept))
    expect(page.locator("#lost")).to_be_hidden()
    page.evaluate(event)
    if slept != 10_000:  # what is that old is said to be, before anything is heard
        expect(page.locator("#lost")).to_be_visible()
    page.wait_for_function("() => true")
    table.link.silent(False)
    expect(page.locator("#top")).to_have_text("42")
    expect(page.locator("#lost")).to_be_hidden()
    assert table.link.connections > before


def test_a_page_that_is_looked_at_all_the_time_keeps_its_link(page: Page, table: ServedTable) -> None:
    before = table.link.connections
    page.evaluate("window.dispatchEvent(new Event('pageshow'))")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    table.show(LATER)
    expect(page.locator("#top")).to_have_text("42")
    assert table.link.connections == before


def test_a_box_that_stands_still_is_not_taken_for_a_dead_one_and_nothing_is_seen_of_that(
    browser: Browser, table: ServedTable
) -> None:
    """R18: an hour of play without a card; the server's signs of life change nothing that can be seen or heard."""
    page = browser.new_page(**DESKTOP)
    page.clock.install()
    heard = traffic(page)
    page.goto(table.link.url)
    page.wait_for_selector("body[data-phase=play]")
    page.evaluate(
        """() => {
            window.changes = 0;
            const watch = new MutationObserver((all) => { window.changes += all.length; });
            watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
        }"""
    )
    links = table.link.connections
    before = page.screenshot()

    def alive() -> None:
        for visitor in Noted.all:
            visitor.alive()

    for beat in range(1, 181):
        page.clock.fast_forward(20_000)
        table.link.call(alive)
        while heard.count(ALIVE) < beat:
            page.wait_for_timeout(1)
    assert page.evaluate("window.changes") == 0
    assert page.screenshot() == before
    assert len(heard) == 181 and table.link.connections == links
    page.close()


def test_a_press_on_a_dead_page_is_refused_where_it_can_be_seen(browser: Browser, tmp_path: Path) -> None:
    """And the hands that lay on the table lie there when it lives again: no level begins by a link that died."""
    lie = "state.down.join() === '1,2' && view.hands_down.join() === '1,2' && view.phase === 'focus'"
    tried = Tried(tmp_path, quick_box(2), "--partners", "person")

    async def found() -> int:
        return int(tried.origin.rpartition(":")[2])

    link = SilentLink(found)
    page = browser.new_page(**DESKTOP)
    errors: list[str] = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    visitor = Visitor(page)
    lost = page.locator("#lost")
    try:
        page.clock.install()
        page.goto(f"{link.url}/#{tried.token}")
        visitor.wait("state.power === 'on'")
        visitor.button(1).click()
        visitor.wait("!state.down.length")
        page.clock.fast_forward(6_000)  # its answer has come: the link lives
        expect(lost).to_be_hidden()

        visitor.start(2)
        visitor.dealt(1)
        visitor.main("hands")
        visitor.wait(lie)
        link.silent(True)
        page.locator(".hand[data-seat='1'] .lock").click()
        page.clock.fast_forward(6_000)  # no answer
        expect(lost).to_be_visible()
        assert "what you see is old" in lost.inner_text()
        page.locator("#main").click()
        expect(lost).to_contain_text("that did nothing")
        visitor.button(2).click()
        expect(lost).to_contain_text("that did nothing")

        link.silent(False)
        expect(lost).to_be_hidden()
        visitor.wait(lie)

        links = link.connections
        link.cut()  # and its end is never told: the new link takes the old one's place, not the server's patience
        page.clock.fast_forward(GONE)
        expect(lost).to_be_visible()
        expect(lost).to_be_hidden()
        assert link.connections > links
        visitor.wait(lie)
        visitor.main("lift")
        visitor.wait("!state.down.length && view.phase === 'play'")
        assert not errors
    finally:
        page.close()
        link.close()
        tried.close()
