"""What a reader over the pile passes on of what its scanner reads, in virtual time."""

from __future__ import annotations

import pytest

from mind_box.devices.readers.driver import Action, Emptied, Seen
from mind_box.devices.readers.lines import LineDriver
from mind_box.devices.readers.tray import EMPTY, TrayDriver

AWAY = 0.5


class Pile:
    """A driver, and what it has passed on so far."""

    def __init__(self) -> None:
        self.driver = TrayDriver(LineDriver(0.0), AWAY)
        self.driver.opened(0.0)
        self.actions: list[Action] = []

    def read(self, data: bytes, now: float) -> None:
        self.actions += self.driver.received(data, now)

    def wake(self, now: float) -> None:
        self.actions += self.driver.wake(now)

    @property
    def seen(self) -> list[str]:
        return [action.payload for action in self.actions if isinstance(action, Seen)]

    @property
    def emptied(self) -> list[float]:
        return [action.at for action in self.actions if isinstance(action, Emptied)]


@pytest.fixture
def pile() -> Pile:
    return Pile()


def test_bytes_that_make_no_code_are_no_empty_tray_and_put_it_off(pile: Pile) -> None:
    pile.read(b"42\r", 1.0)
    pile.read(b"\x00\r", 2.4)
    empty = 2.4 + EMPTY * AWAY
    assert pile.driver.deadline == empty
    pile.wake(empty - 0.001)
    assert pile.emptied == []
    pile.wake(empty)
    assert pile.emptied == [empty]


def test_an_empty_tray_is_told_once_until_a_code_comes(pile: Pile) -> None:
    pile.wake(EMPTY * AWAY)
    pile.read(b"\x00\r", 5.0)
    assert pile.driver.deadline is None
    pile.wake(60.0)
    assert pile.emptied == [EMPTY * AWAY]
    pile.read(b"42\r", 61.0)
    pile.wake(61.0 + EMPTY * AWAY)
    assert pile.emptied == [EMPTY * AWAY, 61.0 + EMPTY * AWAY]


@pytest.mark.parametrize("code", ["42", "MB1:042:F2", "https://example.org"])
def test_a_code_counts_at_its_first_sight_and_again_once_it_was_away(pile: Pile, code: str) -> None:
    for now in (1.0, 1.0 + AWAY / 2, 1.0 + AWAY):
        pile.read(code.encode() + b"\r", now)
    assert pile.seen == [code]
    pile.read(code.encode() + b"\r", 1.0 + 2 * AWAY)
    assert pile.seen == [code, code]


@pytest.mark.parametrize(
    ("second", "after", "told"),
    [("MB1:042:F3", 0.9, ["MB1:042:F3"]), ("MB1:042:F3", 1.0, []), ("MB1:042:F4", 0.9, []), ("MB1:042:F4", 1.0, [])],
)
def test_a_label_with_a_wrong_check_counts_when_it_is_read_twice_in_a_row(
    pile: Pile, second: str, after: float, told: list[str]
) -> None:
    pile.read(b"MB1:042:F3\r", 1.0)
    pile.read(second.encode() + b"\r", 1.0 + after * AWAY)
    assert pile.seen == told


def test_a_good_code_between_two_bad_pictures_parts_them(pile: Pile) -> None:
    pile.read(b"MB1:042:F3\r42\rMB1:042:F3\r", 1.0)
    assert pile.seen == ["42"]


def test_what_was_read_before_the_port_was_lost_counts_again(pile: Pile) -> None:
    pile.read(b"42\rMB1:042:F3\r", 1.0)
    pile.driver.opened(1.1)
    assert pile.driver.deadline == 1.1 + EMPTY * AWAY
    pile.read(b"MB1:042:F3\r42\r", 1.4)
    assert pile.seen == ["42", "42"]
