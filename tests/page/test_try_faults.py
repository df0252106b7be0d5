"""What visitors of the virtual box stumbled over once, each as a test, in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mind_box.virtual.tryout.words import texts
from tests.page.browsing import Tried, Visitor, quick_box, visit


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Two persons, known hands. Each test leaves the game in the lobby, or wherever the next one can end it."""
    tried = Tried(tmp_path_factory.mktemp("faults"), quick_box(2, hands="known"), "--partners", "person")
    yield tried
    tried.close()


def in_focus(visitor: Visitor) -> None:
    """A level, all cards dealt, nobody's hand down."""
    visitor.wait("state.power === 'on'")
    if visitor.view()["phase"] == "lobby":
        visitor.start(2)
    elif visitor.view()["phase"] == "play":
        visitor.main("stop")
    cards = "state.seats.reduce((n, s) => n + s.backs, 0)"
    visitor.wait(f"view.phase === 'focus' && !state.down.length && {cards} && {cards} === view.remaining")


def in_play(visitor: Visitor) -> None:
    in_focus(visitor)
    visitor.hands()
    visitor.wait("view.phase === 'play'")


def test_the_secret_stays_in_the_address(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried):
        page = visitor.page
        for name in ("To the main button", "To your cards"):
            page.get_by_role("link", name=name).press("Enter")
            assert page.url.endswith(f"#{tried.token}")
        assert page.evaluate("document.activeElement.id") == "near"
        page.evaluate("location.hash = 'elsewhere'")
        page.wait_for_url(f"**/#{tried.token}")
        page.reload()
        visitor.wait("state.power === 'on'")
        page.goto(f"{tried.origin}/")  # in the same tab, typed without it
        visitor.wait("state.power === 'on'")
        assert page.url.endswith(f"#{tried.token}")


def test_a_reload_a_lost_focus_and_a_hidden_page_leave_hands_where_they_are(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried):
        page = visitor.page
        in_focus(visitor)
        visitor.main("hands")
        visitor.wait("view.hands_down.length === 2")
        page.reload()
        visitor.wait("view.phase === 'focus' && view.hands_down.length === 2")
        visitor.main("lift")
        visitor.wait("view.phase === 'play'")
        page.reload()
        visitor.wait("view.phase === 'focus' && view.reason === 'stop' && !state.down.length")
        page.keyboard.down("1")
        page.keyboard.down("2")
        visitor.wait("view.hands_down.length === 2")
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        page.keyboard.up("1")
        page.keyboard.up("2")
        visitor.main("lift")
        visitor.wait("view.phase === 'play'")
        page.evaluate(
            """() => {
                Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true});
                document.dispatchEvent(new Event("visibilitychange"));
            }"""
        )
        visitor.wait("view.reason === 'stop'")


def test_two_browsers_hold_one_button(browser: Browser, tried: Tried) -> None:
    for one in visit(browser, tried):
        in_focus(one)
        for other in visit(browser, tried):
            one.page.keyboard.down("1")
            other.page.keyboard.down("1")
            one.wait("view.hands_down.join() === '1'")
            one.page.keyboard.up("1")
            one.page.keyboard.press("0", delay=120)  # a round trip: the star has been seen
            one.wait("view.phase === 'vote'")
            assert one.page.evaluate("window.mindBox.state.down") == [1]
            one.page.keyboard.press("0", delay=120)
            other.page.keyboard.up("1")
            one.wait("!state.down.length && view.phase === 'focus'")
            other.page.keyboard.down("2")
            one.wait("view.hands_down.join() === '2'")
        one.wait("!state.down.length")


def test_keys_do_nothing_in_fields_can_be_switched_off_and_work_again_after_a_choice(
    browser: Browser, tried: Tried
) -> None:
    for visitor in visit(browser, tried):
        page, keys = visitor.page, visitor.page.keyboard
        in_focus(visitor)
        for field in ("#speed", "#name-1", "#kind-2"):
            page.locator(field).focus()
            keys.press("1", delay=100)
            keys.press("h")
            keys.press("s", delay=100)
        page.locator("#name-1").fill("")
        page.locator("#speed").focus()
        page.locator("#speed").select_option("2")
        assert page.evaluate("document.activeElement.id") == "table"
        assert visitor.view()["phase"] == "focus" and visitor.view()["hands_down"] == []
        keys.press("h")
        visitor.wait("view.hands_down.length === 2")
        page.get_by_text("Keys", exact=True).click()
        page.get_by_label("Keys work on this page").uncheck()
        keys.press("h")
        keys.press("1", delay=100)
        page.get_by_label("Keys work on this page").check()
        keys.press("2", delay=100)  # takes the hand that lies there, and lifts it
        visitor.wait("view.hands_down.join() === '1'")
        keys.press("1", delay=100)
        visitor.wait("!state.down.length")
        page.locator("#speed").focus()
        keys.press("ArrowDown")
        assert page.evaluate("document.activeElement.id") == "speed", "a choice with arrow keys goes on"
        keys.press("Enter")
        assert page.evaluate("document.activeElement.id") == "table"
        page.locator("#speed").select_option("1")


def test_fast_clicks_are_not_queued(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried):
        in_focus(visitor)
        sent = visitor.page.evaluate(
            """() => new Promise((done) => {
                const sent = [], real = WebSocket.prototype.send;
                WebSocket.prototype.send = function (text) { sent.push(JSON.parse(text).do); real.call(this, text); };
                const button = document.querySelector('[data-button="1"]');
                for (let i = 0; i < 20; i++) {
                    for (const type of ["pointerdown", "pointerup"]) {
                        button.setPointerCapture = () => {};
                        button.dispatchEvent(new PointerEvent(type, {pointerId: 1, button: 0}));
                    }
                }
                setTimeout(() => { WebSocket.prototype.send = real; done(sent); }, 900);
            })"""
        )
        assert sent == ["press", "lift"] * 2
        visitor.wait("!state.down.length")


def test_cards_are_not_laid_by_a_finger_that_rests_and_not_unasked_before_a_lower_one(
    browser: Browser, tried: Tried
) -> None:
    for visitor in visit(browser, tried, True):
        page = visitor.page
        in_play(visitor)
        visitor.look(1)
        while visitor.view()["level"] < 2:
            for card in sorted(card for hand in tried.hands.values() for card in hand):
                seat = 1 if card in tried.hands[1] else 2
                visitor.look(seat)
                visitor.press(visitor.card(card))
                visitor.wait(f"view.piles.flat().includes({card}) || view.level === 2")
        visitor.dealt(2)
        visitor.look(1)
        due = page.locator('.hand[data-seat="1"] .due')
        assert due.get_attribute("data-card") == str(min(tried.hands[1])), "in focus the lowest one glows"
        in_play(visitor)
        expect(page.locator(".due")).to_have_count(0)
        low, high = sorted(tried.hands[1])
        box = visitor.card(low).bounding_box()
        assert box is not None
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        cdp = page.context.new_cdp_session(page)
        cdp.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        page.wait_for_timeout(650)
        cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        visitor.press(visitor.card(high))
        dialog = page.get_by_role("alertdialog")
        expect(dialog).to_contain_text(f"You hold a card that comes before {high}")
        assert visitor.view()["piles"] == [[]], "a resting finger laid its card, or the higher one went unasked"
        visitor.press(page.get_by_role("button", name="Keep it"))
        expect(dialog).to_be_hidden()
        visitor.press(visitor.card(low))
        visitor.wait(f"view.piles.flat().includes({low})")
        visitor.press(visitor.card(high))
        visitor.wait(f"view.piles.flat().includes({high})")  # now it is the lowest


def contrast(page: Page, selector: str) -> float:
    """Of the focus ring's outer colour against what is behind it: the box is #2b2f37 and darker."""
    ring = page.locator(selector).evaluate("(x) => { x.focus(); return getComputedStyle(x).outlineColor; }")
    channels = [int(c) / 255 for c in re.findall(r"\d+", ring)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (light + 0.05) / (0.028 + 0.05)


def boxes(page: Page) -> list[dict[str, float]]:
    """Where the box and the main button are."""
    found: list[dict[str, float]] = page.locator(".box, .do").evaluate_all(
        "x => x.map((e) => e.getBoundingClientRect().toJSON())"
    )
    return found


def button_looks(visitor: Visitor, number: int) -> list[str]:
    """Lines of a button up and down, dark and lit, in colours that differ from its own; where it lies is no line."""
    looks: list[str] = visitor.button(number).evaluate(
        """(button) => {
            const was = button.className, looks = [];
            for (const state of ["", "down", "lit", "lit down"]) {
                button.className = `${was.replace(/\\b(down|lit)\\b/g, "")} ${state}`;
                const s = getComputedStyle(button.querySelector(".cap"));
                const seen = (kind) => {
                    const [style, width, colour] = ["Style", "Width", "Color"].map((x) => s[kind + x]);
                    return style === "none" || colour === s.backgroundColor ? "" : `${kind} ${style} ${width}`;
                };
                looks.push(`${seen("borderTop")} ${seen("outline")}`);
            }
            button.className = was;
            return looks;
        }"""
    )
    return looks


def test_what_is_small_is_seen(browser: Browser, tried: Tried) -> None:
    """Rings, numbers of lists and of seats, lamps and buttons without colours, and a layout that stands still."""
    for visitor in visit(browser, tried):
        page = visitor.page
        in_focus(visitor)
        page.keyboard.press("Tab")
        assert contrast(page, "#star") >= 3
        assert page.locator("#story").evaluate("x => parseFloat(getComputedStyle(x).paddingLeft)") >= 32
        assert page.locator("#story").get_attribute("tabindex") == "0"
        assert set(page.locator(".near .card.back b").all_inner_texts()) & {"1", "2"}
        pressed = page.locator("[aria-pressed]").all()
        for button in pressed:
            assert button.get_attribute("id") in ("fault-worn", "fault-repeats"), "text and state change at once"
        expect(page.locator("#todo")).not_to_contain_text("Deal")

        before = boxes(page)
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        assert boxes(page) == before
        page.emulate_media(forced_colors="active")
        lit, dark = ".lives .lamp.lit", ".lives .lamp:not(.lit)"
        looks = [page.locator(x).first.evaluate("x => getComputedStyle(x).backgroundColor") for x in (lit, dark)]
        assert looks[0] != looks[1], "a lamp that glows looks like one that does not"
        for number in (0, 1):
            assert len(set(button_looks(visitor, number))) == 4, "a button's lamp, or that it is down, is not seen"
        page.keyboard.down("1")
        visitor.wait("view.hands_down.join() === '1'")
        expect(visitor.button(1)).to_have_class(re.compile(r"\bdown\b"))
        expect(visitor.button(2)).not_to_have_class(re.compile(r"\bdown\b"))
        page.keyboard.up("1")
        visitor.wait("!state.down.length")


def test_what_is_said_aloud_is_said_once_and_in_order(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried):
        page = visitor.page
        in_focus(visitor)
        page.evaluate("document.querySelector('#spoken').replaceChildren()")
        visitor.hands()
        page.locator("#spoken").get_by_text("Play is on").wait_for()
        page.locator("#hold-star").click()
        page.locator("#spoken").get_by_text("Menu: Undo, takes the last step back").wait_for()
        page.locator("#spoken").get_by_text("Tap the star button for the next item").wait_for()
        visitor.main("close-menu")
        page.locator("#end-game").click()
        page.locator("#ask-yes").click()
        visitor.wait("view.phase === 'lobby' && !state.reaching")
        said = page.locator("#spoken p").all_inner_texts()
        assert len(said) == len(set(said)), said


LANGUAGES = {
    "en": ("Start a game", "Hands on the table", "Aside", "Undo", "Hold your buttons"),
    "de": ("Spiel beginnen", "Hände auf den Tisch", "Beiseite", "Rückgängig", "Haltet eure Tasten"),
    "fr": ("Commencer une partie", "Les mains sur la table", "De côté", "Annuler", "Tenez vos boutons"),
    "es": ("Empezar una partida", "Manos en la mesa", "Apartadas", "Deshacer", "Mantened los botones"),
}
ENGLISH = ("Players", "This level", "Keys", "Watch", "Look", "Seat ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_the_boxs_language(browser: Browser, tmp_path: Path, language: str) -> None:
    config = quick_box(2, hands="known")
    config = replace(config, box=replace(config.box, language=language))
    tried = Tried(tmp_path, config, "--partners", "person")
    try:
        for visitor in visit(browser, tried):
            page = visitor.page
            page.evaluate("sessionStorage.clear()")
            page.goto("about:blank")
            page.goto(f"{tried.origin}/")  # without the secret it is told nothing, and says so
            expect(page.get_by_role("alert")).to_have_text(texts(language)["no_secret"])
            assert page.locator("html").get_attribute("lang") == language
            for english in ("Waiting", 'aria-label="The box"'):
                assert (english in page.content()) == (language == "en")
            page.goto("about:blank")
            page.goto(tried.url)
            visitor.wait("state.power === 'on'")
            start, hands, aside, undo, hold = LANGUAGES[language]
            assert page.locator("html").get_attribute("lang") == language
            page.get_by_role("button", name=start).wait_for()
            page.get_by_role("button", name=undo).wait_for()
            page.get_by_role("region", name=aside).wait_for()
            page.locator("#spoken").get_by_text(hold).wait_for()
            assert "★" not in page.locator("#spoken").inner_text()
            seen = page.locator("body").inner_text()
            english_words = [word for word in ENGLISH if word in seen]
            assert bool(english_words) == (language == "en"), english_words
            visitor.start(2)
            page.get_by_role("button", name=hands).wait_for()
    finally:
        tried.close()


def sent_by(page: Page) -> list[str]:
    """Everything that sockets of this page send, of those that are opened from now on."""
    sent: list[str] = []
    page.on("websocket", lambda ws: ws.on("framesent", lambda frame: sent.append(str(frame))))
    return sent


FIRST = ".lesson:visible"
"""The cards of the first visit; the lesson with a ghost is one more, which waits to be asked for."""


def test_names_stay_in_this_browser_and_first_cards_are_put_away_for_good(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried):
        page = visitor.page
        sent = sent_by(page)
        page.reload()
        visitor.wait("state.power === 'on'")
        assert page.locator(FIRST).count() == 3
        for left in (2, 1, 0):
            page.get_by_role("button", name="Got it").first.click()
            expect(page.locator(FIRST)).to_have_count(left)
        page.get_by_label("Name at seat 2").fill("Zoë <b>")
        page.keyboard.press("Enter")
        expect(page.locator('.hand[data-seat="2"] .who')).to_have_text("Zoë <b>")
        page.reload()
        visitor.wait("state.power === 'on'")
        expect(page.locator('.hand[data-seat="2"] .who')).to_have_text("Zoë <b>")
        assert page.locator(FIRST).count() == 0
        assert not any("Zo" in text for text in sent)
        page.get_by_role("button", name="How it is played").click()
        assert page.locator(FIRST).count() == 3


def test_on_a_phone_everything_to_play_is_above_the_fold_and_large_enough(browser: Browser, tried: Tried) -> None:
    for visitor in visit(browser, tried, True):
        page = visitor.page
        for _ in range(3):
            visitor.press(page.get_by_role("button", name="Got it").first)
        in_focus(visitor)
        for place in ("#pile", "#near", "#main", "#screen-table"):
            box = page.locator(place).bounding_box()
            assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 844, (place, box)
        small = page.locator("button:visible, select:visible, summary:visible, .check:visible").evaluate_all(
            "x => x.filter((e) => Math.min(e.offsetHeight, e.offsetWidth) < 44).map((e) => e.outerHTML)"
        )
        assert small == []


def test_seats_screens_are_two_pixels_for_one_on_a_phone_too(browser: Browser, tmp_path: Path) -> None:
    """Of eight players too, and what is played with stays above the main button; others' screens are pushed along."""
    tried = Tried(tmp_path, quick_box(8, hands="known"), "--partners", "human")
    try:
        for visitor in visit(browser, tried, True):
            page = visitor.page
            widths = page.locator(".console canvas").evaluate_all("x => x.map((e) => e.getBoundingClientRect().width)")
            assert len(widths) == 8 and min(widths) >= 2 * 128
            last = page.locator('.console[data-seat="8"] .push')
            last.focus()
            box = last.bounding_box()
            assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390, (
                "it comes where it is looked for"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        tried.close()
