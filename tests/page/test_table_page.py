"""The table page as it is seen on a television and on a phone, and as it is heard."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.request import urlopen

import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from mind_box.page.address import own_address
from mind_box.page.seats import seat_rows
from mind_box.page.spoken import labels
from mind_box.show.samples import SAMPLES
from mind_box.show.words import LANGUAGES
from mind_box.table.view import View
from tests.page.browsing import PHONE
from tests.page.served_table import ServedTable

TV: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
SCHEMES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced": {"color_scheme": "dark", "forced_colors": "active"},
}
CUT = """places => places
    .filter((e) => getComputedStyle(e).display !== "inline" && e.scrollWidth > e.clientWidth + 1)
    .map((e) => e.textContent)"""
"""Texts that are wider than their place."""
FULL = replace(SAMPLES["stop-eight"], piles=(tuple(range(30, 90)),), aside=(1, 2, 3))
"""A level 8 of eight players near its end: more cards than any other level has."""
LOOKED_AT: dict[str, View] = {
    "lobby": replace(SAMPLES["lobby-options"], best=8),
    "deal": SAMPLES["deal"],
    "vote": SAMPLES["vote-eight"],
    "ended": SAMPLES["level-done-extreme"],
    "error": SAMPLES["error-extreme-deck"],
    "tens": SAMPLES["play-tens"],
    "full": FULL,
    "won": SAMPLES["won"],
    "told": SAMPLES["lost-told"],
}


@pytest.fixture(scope="module")
def table() -> Iterator[ServedTable]:
    table = ServedTable(View(), host="0.0.0.0")
    yield table
    table.close()


def look(page: Page, table: ServedTable, view: View) -> None:
    """Until the page shows this View."""
    table.show(View())
    page.wait_for_selector("body[data-phase=lobby]")
    table.show(view)
    page.wait_for_selector(f"body[data-phase={view.phase}]")
    if view.phase != "lobby":
        expect(page.locator("#level")).to_have_text(f"{view.level}/{view.last_level}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_at_all(browser: Browser, table: ServedTable, scheme: str, language: str) -> None:
    table.language = language
    page = browser.new_page(**(PHONE if scheme == "dark" else TV), **SCHEMES[scheme])
    page.goto(table.link.url)
    for name, view in LOOKED_AT.items():
        look(page, table, view)
        found = Axe().run(page).response["violations"]
        assert [(name, v["id"], [node["html"] for node in v["nodes"]]) for v in found] == []
    assert page.locator("html").get_attribute("lang") == language
    page.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [TV, PHONE], ids=["tv", "phone"])
def test_everything_fits(browser: Browser, table: ServedTable, size: dict[str, Any], language: str) -> None:
    """Nothing is wider than its page; a television, which nobody scrolls, shows a whole level but for old news."""
    table.language = language
    page = browser.new_page(**size)
    page.goto(table.link.url)
    for name, view in LOOKED_AT.items():
        look(page, table, view)
        wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inner, name
        cut = (
            "[...document.querySelectorAll('main :is(b, span, li, p)')].filter((e) => e.scrollWidth > e.clientWidth + 1"
        )
        inline = " && getComputedStyle(e).display !== 'inline').map((e) => e.textContent)"
        assert page.evaluate(cut + inline) == [], name
        if size is TV:
            lowest = page.locator("#aside" if view.phase != "lobby" else ".left").bounding_box()
            assert lowest and lowest["y"] + lowest["height"] <= 1080, name
            tall = page.evaluate("document.documentElement.scrollHeight")
            assert view is FULL or tall <= 1080, f"{name}: a scrollbar, for {tall - 1080} pixels"
    page.close()


@pytest.mark.parametrize("size", [TV, PHONE], ids=["tv", "phone"])
def test_nothing_jumps_from_phase_to_phase(browser: Browser, table: ServedTable, size: dict[str, Any]) -> None:
    table.language = "en"
    page = browser.new_page(**size)
    page.goto(table.link.url)
    places = set()
    for name in ("play", "stop", "stop-lift", "vote", "error", "star", "level-done-error", "resume"):
        look(page, table, SAMPLES[name])
        boxes = [page.locator(part).bounding_box() for part in ("#top", "#state", "#seats", "#lying")]
        places.add(tuple((round(box["x"]), round(box["y"])) for box in boxes if box))
    assert len(places) == 1
    page.close()


def test_whose_hand_or_vote_is_missing_is_told_in_words_and_by_shape(browser: Browser, table: ServedTable) -> None:
    table.language = "en"
    page = browser.new_page(**TV)
    page.goto(table.link.url)
    look(page, table, SAMPLES["vote"])
    assert page.locator("#seats li").all_inner_texts() == [
        "Seat 1\nvote missing",
        "Seat 2\nagreed",
        "Seat 3\nvote missing",
    ]
    styles = page.locator("#seats li").evaluate_all("x => x.map((e) => getComputedStyle(e).borderTopStyle)")
    assert styles == ["dashed", "solid", "dashed"]
    look(page, table, SAMPLES["stop"])
    assert page.locator("#seats .missing .word").all_inner_texts() == ["hand missing"] * 2
    page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_seat_is_missing_when_the_table_waits_for_it(language: str) -> None:
    for name, view in SAMPLES.items():
        rows = seat_rows(view, language)
        assert {row["seat"] for row in rows} == set(view.seats or view.hands_down), name
        # At a ghost's deal nobody in particular is to act, but its card is what is missing.
        expected = {view.next_seat} if view.next_seat in view.ghosts else set(view.waiting)
        assert {row["seat"] for row in rows if row["missing"]} == expected, name
        assert all(row["word"] for row in rows if row["state"]), name


def test_lamps_are_told_apart_without_their_colour(browser: Browser, table: ServedTable) -> None:
    page = browser.new_page(**TV, forced_colors="active")
    page.goto(table.link.url)
    look(page, table, SAMPLES["level-done-error-star"])
    assert page.locator("#lives").inner_text() == "♥♥♡♡♡"
    assert page.locator("#stars").inner_text() == "★★☆"
    page.close()


def test_the_finished_pile_and_its_error_stay_until_a_hand_goes_down(browser: Browser, table: ServedTable) -> None:
    table.language = "en"
    page = browser.new_page(**TV)
    page.goto(table.link.url)
    done = SAMPLES["level-done-error"]
    look(page, table, done)
    assert page.locator("#top").inner_text() == "51"
    assert page.locator("#piles li").all_inner_texts() == ["7", "51\ntoo early"]
    assert page.locator("#aside li").all_inner_texts() == ["42\nlate"]
    expect(page.locator("#why")).to_have_text("42 after 51: a life is lost.")
    table.show(replace(done, ended=None, hands_down=(2,), waiting=(1, 3), notices=()))
    expect(page.locator("#why")).to_be_hidden()
    assert page.locator("#piles li").all_inner_texts() == ["empty"]
    page.close()


def test_all_that_is_new_is_said_and_nothing_twice(browser: Browser, table: ServedTable) -> None:
    table.language = "en"
    page = browser.new_page(**TV)
    page.goto(table.link.url)
    play = replace(SAMPLES["play"], piles=((7, 11),))
    look(page, table, play)
    table.show(replace(play, piles=((7, 11, 35, 47),), remaining=1))
    expect(page.locator("#spoken")).to_contain_text("35 laid. 47 laid.")
    table.show(replace(play, piles=((7, 11, 35, 47, 81),), remaining=0))
    expect(page.locator("#spoken")).to_contain_text("81 laid.")
    expect(page.locator("#spoken")).not_to_contain_text("47 laid.")
    page.close()


def test_the_lobby_tells_variant_best_level_and_where_the_page_is(browser: Browser, table: ServedTable) -> None:
    table.language = "de"
    page = browser.new_page(**TV)
    page.goto(table.link.url)
    look(page, table, replace(SAMPLES["lobby-three-hands"], best=8))
    expect(page.locator("#variant")).to_have_text("Ab 50")
    expect(page.locator("#best")).to_have_text("Bestes Level: 8")
    address = page.locator("#url").inner_text()
    assert re.fullmatch(rf"http://[^/]+:{table.page.port}/", address) and "127.0.0.1" not in address
    picture = page.locator("#qr")
    expect(picture).to_be_visible()
    assert picture.get_attribute("alt") == address and picture.evaluate("x => x.naturalWidth") > 0
    read = zxingcpp.read_barcodes(Image.open(io.BytesIO(page.screenshot())).convert("L"))
    assert [code.text for code in read] == [address]
    assert len(page.locator("#seats li").all()) == 3
    page.close()


def test_a_page_for_this_machine_alone_shows_no_address(browser: Browser) -> None:
    table = ServedTable(View())
    page = browser.new_page(**TV)
    try:
        page.goto(table.link.url)
        page.wait_for_selector("body[data-phase=lobby]")
        expect(page.locator("#address")).to_be_hidden()
        assert page.request.get(f"{table.link.url}/qr.svg").status == 404
    finally:
        page.close()
        table.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_the_boxs_language_before_it_has_been_told_anything(language: str, table: ServedTable) -> None:
    table.language = language
    for place in ("/", "/index.html"):
        with urlopen(table.link.url + place) as answer:
            html = answer.read().decode()
        assert f'<html lang="{language}">' in html and f'data-lost="{labels(language)["lost"]}"' in html


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", None), ("127.0.0.2", None), ("::1", None), ("localhost", None),
        ("192.168.1.7", "http://192.168.1.7:8750/"), ("2001:db8::7", "http://[2001:db8::7]:8750/"),
        ("box.lan", "http://box.lan:8750/"),
    ],
)  # fmt: skip
def test_an_address_is_told_only_where_others_find_it(host: str, address: str | None) -> None:
    assert own_address(host, 8750) == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_page_on_every_address_names_one_that_leads_out_of_the_machine(host: str) -> None:
    address = own_address(host, 8750)
    assert address is not None and re.fullmatch(r"http://(\[[0-9a-f:]+\]|[\w.-]+):8750/", address)
    assert "//0.0.0.0" not in address and "[::]" not in address and "//127." not in address
