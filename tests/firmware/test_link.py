"""The board's line protocol, both sides in virtual time: each card exactly once, in order, whatever the line does."""

from __future__ import annotations

import json
import os
import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.devices.nfc.link import LONGEST, PROTOCOL, Lines, line, quoted, unquoted
from mind_box.devices.readers.board import SILENT, BoardDriver, Clock, Mark
from mind_box.devices.readers.driver import Seen, Send
from tests.firmware.board import harm
from tests.firmware.model_board import ModelBoard, outbox
from tests.readers.bounds import held
from tests.readers.pair import Pair


def text(n: int) -> str:
    return f"MB1:{n:03d}"


def uid(n: int) -> bytes:
    return bytes((4, n >> 8, n & 255, 1, 2, 3, 4))


def nothing(_: bytes) -> bytes:
    """A line that carries nothing."""
    return b""


def setup(**more: object) -> tuple[Pair, ModelBoard]:
    board = ModelBoard(**more)  # type: ignore[arg-type]
    board.start(1000.0)
    pair = Pair(BoardDriver(Mark(None)), board)
    pair.run(0.1)
    return pair, board


def test_a_card_comes_once_with_its_own_time() -> None:
    pair, board = setup()
    pair.run(10)
    shown = pair.now
    pair.at(0.0, lambda: board.outbox.card(uid(42), text(42), board.ms(shown) - 30, board.ms(shown)))
    pair.run(5)
    assert pair.payloads == [text(42)]
    assert pair.cards[0][1] == pytest.approx(shown - 0.03, abs=0.003)
    assert pair.changes == [True]


def test_a_card_is_placed_in_our_time_though_the_boards_clock_runs_wrong() -> None:
    pair, board = setup(drift=100e-6)
    for n in range(20):
        pair.run(30)
        shown = pair.now
        board.card(uid(n), text(n), shown)
        pair.run(0.5)
        assert pair.cards[-1][1] == pytest.approx(shown, abs=0.008)


def test_without_a_clock_exchange_a_card_has_the_time_it_came() -> None:
    clock = Clock()
    assert clock.ours(5, 7.0) == 7.0
    clock.question(10.0)
    assert not clock.answer("999", 500, 10.1)
    assert clock.answer("1", 500, 10.1)
    assert clock.ours(500, 20.0) == pytest.approx(10.05)
    assert clock.ours(60_000, 20.0) == 20.0


@pytest.mark.parametrize("seed", range(6))
def test_each_card_once_and_in_order_on_a_bad_line(seed: int) -> None:
    """Lost, cut, damaged and added bytes in both directions, acknowledgements included."""
    rng = random.Random(seed)
    pair, board = setup(harm=harm(rng, 0.2))
    for n in range(100):
        pair.at(n * 0.3, partial(lambda n: board.card(uid(n), text(n), pair.now), n))
        pair.at(n * 0.3 + 0.2, partial(lambda n: board.gone(uid(n), pair.now), n))
    pair.run(45)
    assert pair.payloads == [text(n) for n in range(100)]
    assert board.outbox.queue == []


def test_every_lost_acknowledgement_is_made_good() -> None:
    pair, board = setup()
    hears = board.harm
    board.harm = lambda data: b"" if b"$A" in data else hears(data)
    for n in range(5):
        board.card(uid(n), text(n), pair.now)
    pair.run(3)
    assert pair.payloads == [text(n) for n in range(5)]
    assert len(board.outbox.queue) == 5
    board.harm = hears
    pair.run(1)
    assert board.outbox.queue == []
    assert len(pair.payloads) == 5


def test_a_board_that_restarts_with_a_card_on_it_does_not_lay_it_again() -> None:
    pair, board = setup()
    board.card(uid(7), text(7), pair.now)
    board.card(uid(8), text(8), pair.now)
    board.gone(uid(8), pair.now)
    pair.run(1)
    board.stop()
    pair.run(1)
    board.start(pair.now)
    board.card(uid(7), text(7), pair.now)
    pair.run(1)
    board.card(uid(8), text(8), pair.now)
    board.gone(uid(7), pair.now)
    pair.run(5)
    board.card(uid(7), text(7), pair.now)
    pair.run(1)
    assert pair.payloads == [text(7), text(8), text(8), text(7)]


def test_a_copy_with_the_same_number_shown_to_a_board_that_restarts_is_another_card() -> None:
    pair, board = setup()
    board.card(uid(7), text(7), pair.now)
    pair.run(1)
    board.stop()
    board.start(pair.now)
    board.card(uid(7), text(8), pair.now)
    pair.run(1)
    board.gone(uid(7), pair.now)
    board.card(uid(7), text(9), pair.now)
    pair.run(1)
    assert pair.payloads == [text(7), text(8), text(9)]


def test_a_board_that_restarts_tells_again_what_was_never_taken() -> None:
    pair, board = setup()
    board.harm = nothing
    board.card(uid(7), text(7), pair.now)
    pair.run(0.5)
    board.stop()
    board.harm = lambda data: data
    board.start(pair.now)
    board.card(uid(7), text(7), pair.now)
    pair.run(1)
    assert pair.payloads == [text(7)]


def test_a_box_that_restarts_takes_up_where_it_was(tmp_path: Path) -> None:
    """The acknowledgement was lost when the program died: its mark says that the card was taken."""
    board = ModelBoard()
    board.start(1000.0)
    first = Pair(BoardDriver(Mark(tmp_path / "reader.json")), board)
    board.card(uid(1), text(1), first.now)
    first.run(0.2)
    board.deaf = True
    board.card(uid(2), text(2), first.now)
    first.run(0.2)
    assert first.payloads == [text(1), text(2)]
    board.deaf = False
    second = Pair(BoardDriver(Mark(tmp_path / "reader.json")), board)
    second.now = first.now
    board.card(uid(3), text(3), second.now)
    second.run(3)
    assert second.payloads == [text(3)]
    assert board.outbox.queue == []


def test_a_mark_of_another_life_or_that_cannot_be_read_counts_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "reader.json"
    for content in ('{"boot": "ffffff", "seq": 9}', "{", "[]", '{"boot": "000001", "seq": null}', "\x00"):
        path.write_text(content)
        board = ModelBoard()
        board.start(1000.0)
        pair = Pair(BoardDriver(Mark(path)), board)
        board.card(uid(1), text(1), pair.now)
        pair.run(1)
        assert pair.payloads == [text(1)]
        assert json.loads(path.read_text()) == {"boot": "000001", "seq": 1}


def test_a_mark_that_cannot_be_written_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mark = Mark(tmp_path / "none" / "reader.json")
    mark.set("a", 1)
    mark.set("a", 2)
    assert len(caplog.records) == 1
    assert mark.seq == 2


def test_cards_shown_while_the_box_was_away_wait_for_it_but_not_for_ever() -> None:
    board = ModelBoard()
    board.start(1000.0)
    pair = Pair(BoardDriver(Mark(None)), board)
    board.on = False
    pair.run(0.1)
    board.outbox.card(uid(1), text(1), 0, 0)
    board.outbox.card(uid(2), text(2), 25_000, 25_000)
    board.unheard()
    board.on = True
    pair.now += 35
    pair.run(5)
    assert pair.payloads == [text(2)]


def test_a_box_that_is_away_for_long_costs_the_board_no_memory() -> None:
    board = ModelBoard()
    board.start(1000.0)
    for n in range(1000):
        board.outbox.card(uid(n), text(n), n, n)
    assert len(board.outbox.queue) == outbox.MOST


def test_a_silent_board_and_a_silent_chip_are_two_different_faults() -> None:
    pair, board = setup()
    board.outbox.state("silent", board.ms(pair.now))
    pair.run(0.1)
    assert "NFC chip is silent" in pair.said[-1]
    board.outbox.state("ok", board.ms(pair.now))
    pair.run(0.1)
    board.stop()
    pair.run(SILENT + 1)
    assert "says nothing" in pair.said[-1]
    board.start(pair.now)
    pair.run(2)
    assert pair.changes == [True, False, True, False, True]


@pytest.mark.parametrize(
    ("why", "cure"),
    [
        ('settings.py: BUS must be "uart", "i2c" or "spi"', "reader update --settings"),
        ("MemoryError: memory allocation failed", "run `mind-box reader update`"),
        ("settings.py: " + "grüße " * 40, "settings.py: grüße"),
    ],
)
def test_a_board_that_does_not_run_is_said_in_its_own_words_with_the_cure(why: str, cure: str) -> None:
    pair, board = setup()
    board.outbox.broken(why, board.ms(pair.now))
    pair.run(10)
    assert why[:90] in pair.said[-1]
    assert cure in pair.said[-1]
    assert len(pair.said) == 1
    board.start(pair.now)
    pair.run(1)
    assert pair.changes == [True, False, True]
    late = Pair(BoardDriver(Mark(None)), board)
    board.outbox.broken(why, board.ms(pair.now))
    late.now = pair.now
    late.run(3)
    assert why[:90] in late.said[-1], "said to a box that comes later too"


def test_two_tags_are_said() -> None:
    pair, board = setup()
    board.outbox.two(uid(1), uid(2), 0)
    pair.run(1)
    assert [s for s in pair.said if "two tags" in s and "04:00:01" in s]


def test_a_board_of_another_protocol_is_named_with_the_cure() -> None:
    driver = BoardDriver(Mark(None))
    driver.opened(0.0)
    actions = driver.received(line("H", "2", "e661", "abc", "9.9", "ok", "1", "0"), 0.1)
    assert "reader update" in repr(actions)


def test_a_line_that_makes_no_sense_is_acknowledged_and_does_not_stop_the_rest() -> None:
    driver = BoardDriver(Mark(None))
    driver.opened(0.0)
    driver.received(line("H", PROTOCOL, "e661", "abc", "9.9", "ok", "1", "0"), 0.1)
    assert list(driver.received(line("C", "abc", "1", "1", "0", "zz", "-"), 0.2)) == [Send(line("A", "abc", "1"))]
    card, taken = driver.received(line("C", "abc", "2", "1", "0", "0401", text(1)), 0.3)
    assert isinstance(card, Seen) and card.payload == text(1)
    assert taken == Send(line("A", "abc", "2"))


def test_an_idle_board_wakes_the_pi_less_than_once_a_second() -> None:
    pair, board = setup()
    pair.run(10)
    before = board.wakes
    pair.run(300)
    assert 0 < board.wakes - before < 300


# -- the codec


@given(st.one_of(st.none(), st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)))
def test_any_text_fits_a_field(words: str | None) -> None:
    field = quoted(words)
    assert field and field.isascii() and field.isprintable() and " " not in field
    assert "*" not in field and "$" not in field
    assert unquoted(field) == words


def test_the_longest_text_that_is_sent_fits_a_line() -> None:
    sent: list[bytes] = []
    box = outbox.Outbox(sent.append, "0" * 32, "ffffff", 0)
    box.card(bytes(10), "😀" * outbox.LONGEST_TEXT, 10**12, 10**12)
    box.card(bytes(10), "x" * (outbox.LONGEST_TEXT + 1), 0, 0)
    assert max(map(len, sent)) < LONGEST
    assert Lines().feed(sent[-1])[0][-1] == "-"


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 50))
def test_messages_are_found_between_anything(rubbish: list[bytes], step: int) -> None:
    """Junk such as ``AT\\r`` (ModemManager asks every new modem) and 0x03 is no message."""
    want = [["C", "abc", str(n)] for n in range(len(rubbish))]
    data = b"".join(r + b"\n" + line(*w) for r, w in zip([*rubbish], want, strict=True))
    lines = Lines()
    found = [m for i in range(0, len(data), step) for m in lines.feed(data[i : i + step])]
    assert found == want


@given(st.binary(max_size=3000))
def test_the_codec_never_holds_more_than_a_line(data: bytes) -> None:
    lines = Lines()
    lines.feed(data)
    assert held(lines) <= LONGEST


@given(st.sampled_from([*"HBKCGTUXQA"]), st.lists(st.text("0123456789abcdef-%Zé", max_size=8), max_size=9))
def test_no_message_raises_on_either_side(kind: str, fields: list[str]) -> None:
    message = line(kind, *fields)
    driver = BoardDriver(Mark(None))
    driver.opened(0.0)
    driver.received(message, 0.1)
    box = outbox.Outbox(nothing, "e661", "abc", 0)
    box.card(uid(1), text(1), 0, 0)
    box.feed(message, 1)
    box.tick(10_000)


def test_the_boards_ignores_junk() -> None:
    """ModemManager's AT, a stray Ctrl-C (micropython#6846), half a line, other people's NMEA."""
    sent: list[bytes] = []
    box = outbox.Outbox(sent.append, "e661", "abc", 0)
    sent.clear()
    box.feed(b"AT\r\x03\x04ATE0\r\n$GPGGA,1*00\n$Q*00000000\n" + os.urandom(300) + b"\n", 5)
    assert sent == []
    box.feed(line("Q"), 6)
    assert sent == [line("H", "1", "e661", "abc", outbox.VERSION, "start", "1", "6")]
