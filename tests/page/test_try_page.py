"""``mind-box try`` in Chromium: whole levels by mouse, finger and keys, with everything that can go wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.page.browsing import Tried, quick_box, visit

LIT = """
    const glass = document.querySelector("#screen-table"), {data} = glass.getContext("2d").getImageData(0, 0, 128, 64);
    const lit = data.filter((value, i) => i % 4 === 0 && value > 60).length;
"""
"""How many pixels of the table screen glow."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Tried]]:
    """Starts ``mind-box try``; all that were started end with the module."""
    started: list[Tried] = []

    def start(seats: int, *options: str, **game: Any) -> Tried:
        directory: Path = tmp_path_factory.mktemp("try")
        started.append(Tried(directory, quick_box(seats, **game), *options))
        return started[-1]

    yield start
    for tried in started:
        tried.close()


@pytest.mark.parametrize("touch", [False, True], ids=["desktop", "phone"])
def test_a_level_an_error_a_star_a_stop_a_power_cut_and_a_reconnect(
    browser: Browser, table: Callable[..., Tried], touch: bool
) -> None:
    tried = table(2, "--partners", "person")
    for visitor in visit(browser, tried, touch):
        page = visitor.page
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && view.level === 1 && state.seats.every((s) => s.backs === 1)")

        # Level 1: one card by a drag, one by a click.
        visitor.look(1)
        visitor.look(2)
        first, second = sorted(int(c) for seat in (1, 2) for c in visitor.cards(seat))
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        visitor.drag(first)
        visitor.wait(f"view.piles[0].includes({first})")
        visitor.press(visitor.card(second))
        visitor.dealt(2)

        # Level 2: an error ...
        hands = {seat: sorted(map(int, visitor.cards(seat))) for seat in (1, 2)}
        low, early, *_ = sorted(hands[1] + hands[2])
        visitor.hands()
        visitor.lay(early)
        visitor.press(visitor.card(low))
        visitor.wait(f"view.reason === 'error' && view.lives === 1 && view.aside.includes({low})")
        visitor.hands()
        visitor.wait("view.phase === 'play'")

        # ... a stop ...
        visitor.press(visitor.button(2))
        visitor.wait("view.phase === 'focus' && view.reason === 'stop'")
        visitor.hands()
        visitor.wait("view.phase === 'play'")

        # ... the power is cut, and the game comes back from the disk ...
        visitor.press(page.get_by_role("button", name="Cut the power"))
        visitor.until("return window.mindBox.state.power === 'off'")
        assert page.locator("#says").inner_text() == "The box is without power."
        visitor.main("power")
        visitor.wait(f"view.reason === 'resume' && view.lives === 1 && view.piles[0].includes({early})")

        # ... the page itself loses its connection and finds the box again ...
        page.reload()
        visitor.wait("view.reason === 'resume'")
        visitor.look(1)
        visitor.look(2)
        visitor.hands()
        visitor.wait("view.phase === 'play'")

        # ... a star, which everyone agrees to; it is the level's last two cards.
        visitor.press(visitor.button(0))
        visitor.wait("view.phase === 'vote'")
        for seat in (1, 2):
            visitor.press(visitor.button(seat))
            visitor.wait(f"view.agreed.includes({seat}) || view.phase !== 'vote'")
        visitor.wait("view.reason === 'star' && view.stars === 0")
        for seat in (1, 2):
            for card in visitor.cards(seat)[:1]:
                visitor.press(visitor.card(card))
                visitor.wait(f"view.aside.includes({card}) || view.level === 3")
        if visitor.view()["level"] == 2:
            visitor.hands()
            for seat in (1, 2):
                for card in visitor.cards(seat):
                    visitor.press(visitor.card(card))
        visitor.wait("view.level === 3 && view.stars === 1")


def test_everything_by_keyboard(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person")
    for visitor in visit(browser, tried):
        page, keys = visitor.page, visitor.page.keyboard
        keys.down("1")
        keys.down("2")
        visitor.wait("view.hands_down.length === 2")
        page.wait_for_timeout(600)
        keys.up("1")
        keys.up("2")
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        keys.press("h")  # a short press leaves them down
        visitor.wait("view.hands_down.length === 2")
        keys.press("h")
        visitor.wait("view.phase === 'play'")
        keys.press("1")
        visitor.wait("view.reason === 'stop'")
        keys.press("m")
        visitor.wait("view.menu === 'undo' && !state.down.length")
        keys.down("s")
        visitor.wait("state.down.includes(0)")
        page.wait_for_timeout(80)  # longer than the debounce window
        keys.up("s")
        visitor.wait("view.menu === 'level-done'")
        keys.press("1", delay=80)
        visitor.wait("view.menu === null && !state.down.length")
        page.wait_for_timeout(80)  # as above: the box has to see the finger go before a hand comes
        keys.press("h")
        visitor.wait("view.hands_down.length === 2")
        keys.press("h")
        visitor.wait("view.phase === 'play'")
        hands = tried.hands
        seats = sorted((1, 2), key=lambda seat: hands[seat])
        keys.press(f"Shift+Digit{seats[0]}")
        visitor.wait("view.remaining === 1")
        # The last card from its own button: tab stop, Enter.
        page.get_by_role("button", name=f"Look at the cards of Player {seats[1]}").focus()
        keys.press("Enter")
        visitor.card(hands[seats[1]][0]).focus()
        keys.press("Enter")
        visitor.wait("view.level === 2")


def test_with_partners_one_visitor_plays_three(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(3, "--partners", "steady")
    for visitor in visit(browser, tried):
        visitor.page.locator("#speed").select_option("8")
        visitor.start(3)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        hands = tried.hands
        before = sum(hand < hands[1] for hand in hands.values())
        visitor.wait(f"view.piles[0].length >= {before}")
        visitor.press(visitor.page.locator('.hand[data-seat="1"] button.card'))
        visitor.wait("view.level === 2 && view.lives === 3")


def test_a_game_watches_itself_and_a_seat_can_be_taken(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(3, "--partners", "steady")
    for visitor in visit(browser, tried):
        page = visitor.page
        page.locator("#speed").select_option("8")
        visitor.press(page.get_by_role("button", name="Watch a game"))
        visitor.wait("state.watching && view.phase === 'play'")
        page.get_by_role("button", name="Take a seat").wait_for()
        assert page.locator("button.card").count() == 0  # nobody looks into a player's hand
        page.locator("#kind-3").select_option("person")
        visitor.press(page.get_by_role("button", name="Take a seat"))
        visitor.wait("!state.watching")
        page.get_by_role("button", name="Look at the cards of Player 3").wait_for()


def test_faults_and_their_ends(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person")
    for visitor in visit(browser, tried):
        page = visitor.page
        page.locator("#lab > summary").click()
        visitor.press(page.get_by_role("button", name="Unplug: reader"))
        visitor.wait("view.faults.includes('reader')")
        visitor.press(page.get_by_role("button", name="Plug in: reader"))
        visitor.wait("!view.faults.includes('reader')")

        visitor.until(f"{LIT} return lit > 300")
        visitor.press(page.get_by_role("button", name="Unplug: table screen"))
        visitor.until(f"{LIT} return lit === 0")
        visitor.press(visitor.button(0))  # something to show: now it is noticed
        visitor.wait("view.faults.includes('table-screen')")
        visitor.press(page.get_by_role("button", name="Plug in: table screen"))
        visitor.wait("!view.faults.includes('table-screen')")
        visitor.until(f"{LIT} return lit > 300")

        visitor.press(page.get_by_role("button", name="Buttons chatter"))
        variant = visitor.view()["variant"]
        page.keyboard.down("s")
        visitor.wait("state.down.includes(0)")
        page.wait_for_timeout(80)  # the contact bounces, then the debounce window
        page.keyboard.up("s")
        visitor.wait(f"view.variant !== '{variant}'")
        assert visitor.view()["variant"] == {"reverse": "fifty"}[variant]  # one tap, one step
        visitor.press(page.get_by_role("button", name="Buttons chatter"))

        visitor.press(page.get_by_role("button", name="Reader reads twice"))
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        card = min((hand for hand in tried.hands.items()), key=lambda item: abs(item[1][0] - 50))[0]
        page.keyboard.press(f"Shift+Digit{card}")
        visitor.wait("view.remaining === 1")
        page.wait_for_timeout(250)  # the second reading comes after 0.15 s
        assert visitor.view()["notices"] == []


def test_a_hand_is_covered_again_when_nobody_looks(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person")
    for visitor in visit(browser, tried):
        page = visitor.page
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        assert page.locator("button.card").count() == 0
        page.locator('.hand[data-seat="2"]').hover()
        page.locator('.hand[data-seat="2"] button.card').wait_for()
        page.mouse.move(5, 5)
        page.locator('.hand[data-seat="2"] button.card').wait_for(state="detached")
        assert page.locator("button.card").count() == 0


def test_save_and_replay(browser: Browser, table: Callable[..., Tried], tmp_path: Path) -> None:
    tried = table(2, "--partners", "person")
    for visitor in visit(browser, tried):
        page = visitor.page
        page.get_by_text("Save and replay").click()
        page.locator("#save").click()
        page.get_by_text("There is no game yet.").wait_for()
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        lowest = min(tried.hands.items(), key=lambda item: item[1])
        page.keyboard.press(f"Shift+Digit{lowest[0]}")
        visitor.wait("view.remaining === 1")
        with page.expect_download() as download:
            page.locator("#save").click()
        script = tmp_path / "game.table"
        download.value.save_as(script)
        assert f"expect pile {lowest[1][0]}" in script.read_text()

        broken = tmp_path / "broken.table"
        broken.write_text("hands 1 2\ndance\n")
        page.locator("#replay-file").set_input_files(broken)
        page.get_by_text("Line 2: 'dance' is no script word").wait_for()
        page.locator("#replay-file").set_input_files(script)
        page.get_by_text("Played to its end. Everything was as expected.").wait_for(timeout=20_000)
        assert visitor.view()["piles"] == [[lowest[1][0]]]
        page.get_by_role("button", name="Back to my game").click()
        visitor.wait("state.replay === null && view.remaining === 1 && state.seats.some((s) => s.backs === 1)")


def test_blind_cards_lie_face_down_until_the_pile_is_shown(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person", blind="at_end")
    for visitor in visit(browser, tried):
        page = visitor.page
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        order = sorted((1, 2), key=lambda seat: tried.hands[seat])
        for seat in order:
            page.keyboard.press(f"Shift+Digit{seat}")
        visitor.wait("state.face_down === 2")
        assert page.locator("#pile .face").count() == 0
        visitor.main("check")
        visitor.wait("view.phase === 'reveal' && state.face_down === 1")
        page.keyboard.press("c")
        visitor.wait("view.level === 2")


def test_known_hands_are_dealt_card_by_card_from_the_deck(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person", hands="known", variant="extreme", deck="extreme")
    for visitor in visit(browser, tried):
        page = visitor.page
        page.locator("#lab > summary").click()
        page.locator("#dealer").uncheck()
        visitor.wait("!state.dealer")
        visitor.start(2)
        visitor.wait("view.phase === 'deal' && view.next_seat === 1")
        visitor.main("deal")
        visitor.wait("view.next_seat === 2 && state.seats[0].backs === 1")
        page.keyboard.press("d")
        visitor.wait("view.phase === 'focus' && state.seats[1].backs === 1")


def test_a_visitor_who_goes_away_lets_go_of_the_buttons(browser: Browser, table: Callable[..., Tried]) -> None:
    tried = table(2, "--partners", "person")
    for stays in visit(browser, tried):
        for leaves in visit(browser, tried):
            leaves.page.keyboard.down("1")
            stays.wait("view.hands_down.join() === '1'")
        stays.wait("!view.hands_down.length && !state.down.length")


def test_the_game_and_the_cards_are_there_tomorrow(browser: Browser, tmp_path: Path) -> None:
    tried = Tried(tmp_path, quick_box(2), "--partners", "person")
    for visitor in visit(browser, tried):
        visitor.start(2)
        visitor.wait("view.phase === 'focus' && state.seats.every((s) => s.backs === 1)")
        visitor.hands()
        visitor.wait("view.phase === 'play'")
        order = sorted((1, 2), key=lambda seat: tried.hands[seat])
        visitor.page.keyboard.press(f"Shift+Digit{order[0]}")
        visitor.wait("view.remaining === 1")
    tried.close()
    tried = Tried(tmp_path, quick_box(2), "--partners", "person")
    try:
        for visitor in visit(browser, tried):
            # A stop, as the page was closed, if the box still saw it before it went.
            visitor.wait(f"['stop', 'resume'].includes(view.reason) && state.seats[{order[1] - 1}].backs === 1")
            visitor.hands()
            visitor.wait("view.phase === 'play'")
            visitor.page.keyboard.press(f"Shift+Digit{order[1]}")
            visitor.wait("view.level === 2 && view.lives === 2")
    finally:
        tried.close()
