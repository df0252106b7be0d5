"""The evenings' pages: what is there, what is not, shut while a level is played, and readable by everyone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from playwright.sync_api import Browser

from mind_box.evening.book import Book
from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.page.server import TablePage
from mind_box.settings.schema import PageSettings
from mind_box.table.view import View
from mind_box.virtual.evenings import demo
from tests.page.browsing import DESKTOP, PHONE
from tests.page.test_page_access import faults

EVENING, LEVEL = re.compile(r"/evening/\w+$"), re.compile(r"/evening/\w+/\d+$")
PLAY = View(phase="play", seats=(1, 2), level=1)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evenings") / "journal.db"
    box = Journal.open(path)
    demo(box)
    box.append([ev.Started((1, 2), {}, ()), ev.Concentrated(), ev.Laid(17)])
    box.close()
    return path


class Site:
    """A running page, and what it answers."""

    def __init__(self, journal: Path, language: str = "en") -> None:
        self.page = TablePage(PageSettings(port=0), lambda: language, lambda: journal)
        self.page.show(View())
        self._session = aiohttp.ClientSession()

    async def open(self) -> None:
        await self.page.start()
        while self.page.port is None:
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        await self._session.close()
        await self.page.stop()

    async def get(self, path: str) -> tuple[int, str, bytes]:
        async with self._session.get(f"http://127.0.0.1:{self.page.port}{path}") as answer:
            return answer.status, answer.content_type, await answer.read()


@pytest.fixture
async def site(journal: Path) -> AsyncIterator[Site]:
    site = Site(journal)
    await site.open()
    yield site
    await site.close()


async def test_the_list_leads_to_each_evening_and_each_level(site: Site) -> None:
    status, kind, body = await site.get("/evenings")
    assert (status, kind) == (200, "text/html")
    links = re.findall(r'href="(/evening/\w+)"', body.decode())
    assert len(links) == 6 and links[0] == "/evening/now"
    assert b"Date" not in body, "each is called by its date"
    for link in links[1:]:
        status, _, body = await site.get(link)
        assert status == 200 and b"<svg" in body and b"<table>" in body
        levels = re.findall(rf'href="({link}/\d+)"', body.decode())
        assert levels
        status, _, body = await site.get(levels[-1])
        assert status == 200 and b"<svg" in body and body.count(b"<tr>") > 3
        for address in (link, levels[-1]):
            for end, begins in (("svg", b"<svg"), ("pdf", b"%PDF")):
                status, kind, body = await site.get(f"{address}.{end}")
                assert status == 200 and end in kind and body.startswith(begins)


async def test_a_level_under_way_is_not_there(site: Site) -> None:
    status, _, body = await site.get("/evening/now")
    assert status == 200 and b">17<" not in body and b"<svg" not in body
    assert (await site.get("/evening/now/1"))[0] == 404


@pytest.mark.parametrize("address", ["/evening/0123456789abcdef", "/evening/x", "/evening/now/999999999", "/evening/0"])
async def test_what_is_not_there_is_said(site: Site, address: str) -> None:
    status, kind, body = await site.get(address)
    assert (status, kind) == (404, "text/html") and b"no such evening" in body


async def test_nothing_is_told_while_a_level_is_played(site: Site, journal: Path) -> None:
    """R36, of old evenings too."""
    with Book.at(journal) as book:
        key = book.game(1).key
    addresses = ["/evenings", f"/evening/{key}", f"/evening/{key}/1", f"/evening/{key}.svg", f"/evening/{key}/1.pdf"]
    for view in (PLAY, replace(PLAY, phase="vote")):
        site.page.show(view)
        for address in addresses:
            status, _, body = await site.get(address)
            assert status == 503 and b"A level is being played" in body and b"<svg" not in body
    site.page.show(replace(PLAY, phase="focus", reason="stop"))
    assert [(await site.get(address))[0] for address in addresses] == [200] * 5


async def test_an_evening_that_is_asked_for_as_the_level_begins_is_not_told(site: Site) -> None:
    asked = asyncio.create_task(site.get("/evenings"))
    await asyncio.sleep(0)
    site.page.show(PLAY)
    assert (await asked)[0] in (200, 503)  # never half of both
    assert (await site.get("/evenings"))[0] == 503


async def test_no_journal_is_no_trouble(tmp_path: Path) -> None:
    site = Site(tmp_path / "nowhere" / "journal.db")
    await site.open()
    assert (await site.get("/evenings"))[0] == 503
    await site.close()


@pytest.mark.parametrize("language", ["de", "fr", "es"])
async def test_the_pages_speak_the_boxs_language(journal: Path, language: str) -> None:
    site = Site(journal, language)
    await site.open()
    body = (await site.get("/evenings"))[2].decode()
    await site.close()
    assert f'<html lang="{language}">' in body and "All evenings" not in body


async def test_names_are_no_code(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    box = Journal.open(path)
    demo(box, 1)
    with box.changing() as past:
        past.name(past.start_of(1) or 0, '<script>alert("x")</script>')
    box.append([ev.Started((1, 2), {}, ())])
    box.close()
    site = Site(path)
    await site.open()
    with Book.at(path) as book:
        key = book.game(1).key
    for address in ("/evenings", f"/evening/{key}", f"/evening/{key}/1", f"/evening/{key}.svg"):
        assert b"<script>alert" not in (await site.get(address))[2]
    assert b"Date" in (await site.get("/evenings"))[2], "which a name does not say"
    await site.close()


@pytest.fixture
def served(journal: Path) -> Iterator[str]:
    """The same from a loop in a thread, for a browser that waits."""
    import threading

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def begin() -> Site:
        site = Site(journal)
        await site.open()
        return site

    site = asyncio.run_coroutine_threadsafe(begin(), loop).result(20)
    yield f"http://127.0.0.1:{site.page.port}"
    asyncio.run_coroutine_threadsafe(site.close(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


@pytest.mark.parametrize("options", [PHONE, DESKTOP, {"viewport": {"width": 1920, "height": 1080}}])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, served: str, options: dict[str, object], scheme: str) -> None:
    page = browser.new_page(**options, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{served}/evenings")
    assert faults(page) == []
    page.click("tbody tr:nth-child(4) a")
    page.wait_for_url(EVENING)
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, "the page itself does not scroll sideways"
    page.click("tbody tr:last-child a")
    page.wait_for_url(LEVEL)
    assert faults(page) == []
    page.emulate_media(media="print")
    assert page.locator(".broad svg").is_visible() and not page.locator(".narrow svg").is_visible()
    assert not page.locator("nav").is_visible()
    page.close()


@pytest.mark.parametrize("options", [PHONE, DESKTOP])
def test_a_picture_fits_its_page_and_its_letters_are_large_enough(
    browser: Browser, served: str, options: dict[str, object]
) -> None:
    page = browser.new_page(**options)  # type: ignore[arg-type]
    for which in ("evening", "level"):
        page.goto(f"{served}/evenings")
        page.click("tbody tr:nth-child(2) a")
        page.wait_for_url(EVENING)
        if which == "level":
            page.click("tbody tr:last-child a")
            page.wait_for_url(LEVEL)
        shown = page.locator("figure svg:visible")
        box, frame = shown.bounding_box(), page.locator("figure").bounding_box()
        assert box and frame
        assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert page.locator("figure > div:visible").evaluate("x => x.scrollWidth <= x.clientWidth"), "nothing scrolls"
        letters = shown.locator("text").evaluate_all(
            "x => x.map((t) => [t.textContent, t.getScreenCTM().a * parseFloat(t.getAttribute('font-size')),"
            " t.getBoundingClientRect().left, t.getBoundingClientRect().right])"
        )
        for text, high, left, right in letters:
            assert high >= 10, f"{which}: {text} is {high} pixels high"
            assert box["x"] <= left and right <= box["x"] + box["width"], f"{which}: {text} is cut off"
    page.close()


def test_the_browser_makes_a_png(browser: Browser, served: str) -> None:
    page = browser.new_page(**DESKTOP)
    page.goto(f"{served}/evenings")
    page.click("tbody tr:nth-child(4) a")
    with page.expect_download() as download:
        page.click(".as-png")
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.close()
