"""The hub's page in a browser: on a projector, on a phone, in four languages, and whatever the boxes say."""

from __future__ import annotations

import csv
import io
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from mind_box.broker.topics import text_of_state
from mind_box.settings.schema import LANGUAGES
from tests.club.served_club import PLAY, VIEWS, ServedClub
from tests.page.browsing import PHONE

PROJECTOR: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClub]:
    club = ServedClub(tmp_path_factory.mktemp("club"), VIEWS, 12)
    yield club
    club.close()


@pytest.fixture
def page(browser: Browser, club: ServedClub) -> Iterator[Page]:
    page = browser.new_page(**PROJECTOR)
    errors: list[str] = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(club.url)
    yield page
    page.close()
    assert not errors


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        text: str = answer.read().decode()
    return text


def card(page: Page, name: str) -> Any:
    return page.locator(".tables li", has=page.get_by_role("heading", name=name))


def test_a_table_is_followed_as_it_is_played(page: Page, club: ServedClub) -> None:
    expect(card(page, "Fuchs")).to_contain_text("No game yet")
    club.say("Fuchs", "state", text_of_state(replace(PLAY, piles=((12, 60),)), "en").encode())
    expect(card(page, "Fuchs").locator(".tops")).to_have_text("60")
    club.happen("Fuchs", "laid", "x-1", card=60)
    expect(card(page, "Fuchs").locator(".event")).to_have_text("60 laid.")
    club.say("Fuchs", "availability", b"offline")
    expect(card(page, "Fuchs")).to_contain_text("off")
    club.say("Fuchs", "availability", b"online")
    club.say("Fuchs", "state", text_of_state(VIEWS["Fuchs"], "en").encode())
    expect(card(page, "Fuchs")).to_contain_text("No game yet")


def test_the_board_fits_a_projector_and_a_phone(browser: Browser, club: ServedClub) -> None:
    for options in (PROJECTOR, PHONE):
        page = browser.new_page(**options)
        page.goto(club.url)
        expect(page.locator(".tables li")).to_have_count(len(VIEWS))
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        if options is PROJECTOR:  # nobody scrolls there
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
            size = "parseFloat(getComputedStyle(document.querySelector('.tops b')).fontSize)"
            assert page.evaluate(size) / 1080 > 1 / 30, "read across a room"
        page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_accessible_in_every_language(browser: Browser, club: ServedClub, language: str) -> None:
    newest = club.store.newest(1)[0].id
    for options in ({**PROJECTOR, "color_scheme": "light"}, {**PHONE, "color_scheme": "dark"}):
        others = ("/league", "/evenings", f"/evening/{newest}", f"/evening/{newest}/1") if language == "fr" else ()
        for path in ("/", *others):  # French has the longest words
            page = browser.new_page(**options)
            page.goto(f"{club.url}{path}?lang={language}")
            found = Axe().run(page)
            assert found.violations_count == 0, f"{path}: {found.generate_report()}"
            assert page.locator("html").get_attribute("lang") == language
            page.close()


def test_the_board_speaks_the_language_that_is_asked_for(browser: Browser, club: ServedClub) -> None:
    page = browser.new_page(**PROJECTOR)
    page.goto(f"{club.url}/?lang=de")
    expect(card(page, "Hase")).to_contain_text("Gewonnen.")
    club.happen("Biber", "laid", "y-1", card=47)
    expect(card(page, "Biber").locator(".event")).to_have_text("47 gelegt.")
    page.close()


def test_what_boxes_say_is_shown_as_text_and_harms_nothing(page: Page, club: ServedClub) -> None:
    evil = "<img src=x onerror=alert(1)>"
    club.say(evil, "availability", b"online")
    club.say(evil, "state", text_of_state(PLAY, "en").encode())
    expect(page.locator(".tables li h3", has_text=evil)).to_have_count(1)
    assert page.locator(".tables img").count() == 0
    rubbish = [b"\xff", b"{}", b"[" * 50_000, b'{"format":1,"view":{"phase":"play"}}', b'{"format":9}', b"null",
               json.dumps({"format": 1, "event_type": "laid", "id": "1", "card": {"a": [evil]}}).encode(),
               json.dumps({"format": 1, "event_type": "laid", "id": "2"}).encode()]  # fmt: skip
    for payload in rubbish:
        for what in ("state", "event", "availability", "result", "had", "nonsense/more"):
            club.say("Dachs", what, payload)
    club.say("Dachs", "availability", b"online")
    club.say("Dachs", "state", text_of_state(VIEWS["Dachs"], "en").encode())
    expect(card(page, "Dachs").locator(".level b")).to_have_text("7/10")
    club.say(evil, "state", b"")
    expect(page.locator(".tables li h3", has_text=evil)).to_have_count(0)


def test_a_box_of_a_later_version_is_named(page: Page, club: ServedClub) -> None:
    club.say("Neuling", "availability", b"online")
    club.say("Neuling", "state", b'{"format":2,"view":{}}')
    expect(card(page, "Neuling")).to_contain_text("another version")
    club.say("Neuling", "state", b"")


def test_a_broker_that_is_away_is_said_on_the_board(page: Page, club: ServedClub) -> None:
    club.call(club.broker.stop)
    expect(page.locator(".trouble")).to_contain_text("No connection to the broker")
    club.call(club.broker.begin)
    expect(page.locator(".trouble")).to_have_count(0, timeout=20_000)


def test_the_league_and_the_results_are_there_as_tables(club: ServedClub) -> None:
    league = list(csv.DictReader(io.StringIO(fetched(f"{club.url}/league.csv"))))
    assert {row["table"] for row in league} <= set(VIEWS) and league[0]["place"] == "1"
    results = list(csv.DictReader(io.StringIO(fetched(f"{club.url}/results.csv"))))
    assert len(results) == 12
    assert sum(int(row["games"]) for row in league) == sum(row["percent"] != "" for row in results)
    assert all(float(row["percent"]) == 100 for row in results if row["result"] == "won")


def test_an_evening_is_drawn_as_the_box_would(club: ServedClub) -> None:
    newest = club.store.newest(1)[0]
    page = fetched(f"{club.url}/evening/{newest.id}")
    assert newest.name in page and "Seconds a number" in page
    assert fetched(f"{club.url}/evening/{newest.id}.svg").startswith("<svg")
    tempo = newest.game["levels"][-1]["tempo"]
    if tempo is not None:
        assert f"{tempo['p']:.2f}" in page
    for nowhere in ("/evening/999999", f"/evening/{newest.id}/99"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetched(club.url + nowhere)


def test_only_pages_of_this_server_are_answered(club: ServedClub) -> None:
    request = urllib.request.Request(club.url, headers={"Host": "elsewhere.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request, timeout=20)


def test_a_formula_in_a_name_is_a_text_in_a_table() -> None:
    from mind_box.club.server import as_csv

    assert as_csv(("a",), [("=1+1",), (-3,)]).splitlines() == ["a", "'=1+1", "-3"]
