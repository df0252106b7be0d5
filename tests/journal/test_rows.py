"""The journal's rows, and what becomes of a game: as they stand in boxes' files, where nothing of it may change."""

from __future__ import annotations

import pytest

from mind_box.game import events as ev
from mind_box.journal.archive import summary
from mind_box.journal.rows import Row, fingerprint, games_of, numbered

START = ev.Started((1, 2), {"variant": "classic"}, ())
ROWS = [Row.of(1, START), Row.of(2, ev.Laid(5)), Row.of(3, ev.Erred("W7", (3,), True))]


def test_a_row_as_it_has_always_been_written() -> None:
    assert ROWS[1] == Row(2, 1, '{"type":"Laid","card":5}', 2397810912)
    assert [(row.crc, row.start, row.sound) for row in ROWS] == [
        (1276955458, True, True), (2397810912, False, True), (1329582596, False, True),
    ]  # fmt: skip
    assert not Row(2, 1, '{"type":"Laid","card":6}', 2397810912).sound
    assert not Row(2, 2, '{"type":"Laid","card":5}', 2397810912).sound


def test_a_broken_byte_is_a_row_that_is_not_sound() -> None:
    broken = Row(1, 1, '{"type":"Laid","card":\udc80}', 5)
    assert not broken.sound
    assert fingerprint([broken]) != fingerprint(ROWS[:1])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("{", "row 7 is not JSON"),
        ("[" * 100_000, "row 7 is not JSON"),
        ("[]", "row 7 is not a JSON object"),
        ('{"type":"Dance"}', "no event type"),
    ],
)
def test_what_is_no_event_is_said(body: str, why: str) -> None:
    with pytest.raises(ev.BadEvent, match=why):
        Row.stored(7, 1, body).event()


@pytest.mark.parametrize(
    "bests", ["[5]", '["abcd"]', '[[2,"classic",false]]', '[[2,"classic",0,1]]', '[[2,"classic",false,true]]']
)
def test_what_is_no_best_result_is_said(bests: str) -> None:
    with pytest.raises(ev.BadEvent, match=r"Started\.bests"):
        Row.stored(7, 1, f'{{"type":"Started","seats":[1,2],"setup":{{}},"bests":{bests}}}').event()


def test_best_results_come_back() -> None:
    start = ev.Started((1, 2), {}, ((2, "classic", False, 1), (3, "tens", True, 4)))
    assert Row.of(1, start).event() == start


def test_a_game_is_known_again_by_its_rows_but_not_by_its_end_in_the_lobby() -> None:
    known = 3053797321478558842
    assert fingerprint(ROWS) == known
    lobby = [Row.of(4, ev.Left()), Row.of(5, ev.Configured("variant", "tens"))]
    assert fingerprint([*ROWS, *lobby]) == known
    assert fingerprint([*ROWS, lobby[0]]) == fingerprint([*ROWS, *lobby[::-1]]) == known
    assert fingerprint(numbered(ROWS, 100)) == known
    assert fingerprint(ROWS[:2]) != known
    assert fingerprint([*ROWS, *lobby, Row.of(6, ev.Laid(9))]) != known
    assert isinstance(fingerprint(lobby), int)


def test_rows_are_cut_before_each_start() -> None:
    lobby = Row.of(1, ev.Configured("variant", "tens"))
    rows = numbered([lobby, *ROWS, *ROWS], 1)
    assert [row.seq for row in rows] == list(range(1, 8))
    assert list(games_of(rows)) == [rows[:1], rows[1:4], rows[4:]]
    assert list(games_of(rows[1:4])) == [rows[1:4]]
    assert list(games_of([])) == []


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ([], "open"),
        ([ev.Laid(5)], "open"),
        ([ev.Lost()], "lost"),
        ([ev.Won()], "won"),
        ([ev.Won(), ev.Left()], "won"),
        ([ev.Lost(), ev.Left(), ev.Configured("variant", "tens")], "lost"),
        ([ev.Lost(), ev.Undone()], "open"),
        ([ev.Laid(5), ev.Left(), ev.Undone(), ev.Laid(7)], "open"),
        ([ev.Left()], "left"),
        ([ev.Laid(5), ev.Left(), ev.Configured("variant", "tens")], "left"),
        ([ev.Won(), ev.ChallengeBegan(), ev.Laid(7)], "open"),
    ],
)
def test_how_a_game_ended(events: list[ev.Event], result: str) -> None:
    assert summary([START, *events]) == {
        "seats": [1, 2], "variant": "classic", "result": result, "level_completed": 0, "events": 1 + len(events),
    }  # fmt: skip


def test_a_summary_of_a_lobby_has_no_seats() -> None:
    assert summary([]) == {"seats": [], "variant": "classic", "result": "left", "level_completed": 0, "events": 0}
    assert summary([ev.Left()])["result"] == "left"
