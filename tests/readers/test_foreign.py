"""Scanners that are set for another country, or put something around the label: the log and the screen say so."""

from __future__ import annotations

import pytest

from mind_box.devices.readers.driver import Action, Misset, Say, Seen
from mind_box.devices.readers.foreign import AROUND, hint
from mind_box.devices.readers.lines import LineDriver
from mind_box.table.payload import encode, parse


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("$@", "French, Belgian or Czech"),
        ("W&", "French, Belgian or Czech"),
        ("R#!", "French, Belgian or Czech"),
        ("Z&", "French, Belgian or Czech"),
        ("z&", "French, Belgian or Czech"),
        ("MB1>042", "German (QWERTZ), Spanish"),
        ("MB1Ç042", "foreign"),
        ("MB1Ç042ÇF2", "foreign"),
        ("mb1ñW07ñ" + encode("W7")[-2:].lower(), "foreign"),
        ("MB1?042?F2", "foreign"),
        ("MB1;042", "foreign"),
    ],
)
def test_another_layout_is_told_by_its_colon_or_its_digits(text: str, word: str) -> None:
    assert parse(text) is None
    assert f"as on a {word}" in hint(text, typed=True)


@pytest.mark.parametrize(
    "text",
    ["]Q3MB1:042:F2", "]Q1MB1:042", "]C042", "]e0W7", "QMB1:042:F2", "MB1:042:F2;", "xMB1:042:F2y", "*MB1:042:F2*"],
)
@pytest.mark.parametrize("typed", [True, False])
def test_what_stands_around_a_label_is_told(text: str, typed: bool) -> None:
    assert parse(text) is None
    assert hint(text, typed) == AROUND


@pytest.mark.parametrize(
    "text",
    [
        "42", "MB1:042:F2", "mb1:042:f2", "MB1:042:00", "xMB1:042:00", "xMB1:042", "hello", "a.b", "4>2", "http://x.y",
        "W99", "", "MB1Ç042Ç00", "MB1Ç042;F2", "MB11042", "MB1_042", "]Q1", "]Q1hello", "W", "&W", "04A1B2C3",
    ],
)  # fmt: skip
@pytest.mark.parametrize("typed", [True, False])
def test_of_nothing_else_anything_is_said(text: str, typed: bool) -> None:
    assert hint(text, typed) == ""


def test_a_serial_scanner_has_no_layout() -> None:
    assert hint("$@", typed=False) == hint("Z&", typed=False) == ""
    assert "foreign" in hint("MB1Ç042", typed=False), "but for one that sends what another keyboard would show"


@pytest.mark.parametrize("kind", ["hid", "serial"])
def test_a_scanner_that_is_set_wrongly_is_told_to_the_players_until_it_is_right(kind: str) -> None:
    """Once may be another product's barcode; twice it is the scanner. The cards are unknown ones meanwhile."""
    driver = LineDriver(0.5, typed=kind == "hid")
    driver.opened(0.0)
    for n in range(4):
        code = f"]Q1{encode(n + 1)}"
        expected: list[Action] = [Seen(code, n)]
        expected += [Say(AROUND)] if n == 0 else [Misset(AROUND)] if n == 1 else []
        assert driver.received(code.encode() + b"\r", n) == expected
    good = encode(42)
    assert driver.received(good.encode() + b"\r", 9) == [Seen(good, 9), Misset("")]
    assert driver.received(b"]Q1MB1:042:F2\r", 11) == [Seen("]Q1MB1:042:F2", 11), Say(AROUND)]
    assert driver.received(good.encode() + b"\r", 13) == [Seen(good, 13)]
    assert driver.received(b"]Q1MB1:042:F2\r", 15) == [Seen("]Q1MB1:042:F2", 15), Say(AROUND)]
