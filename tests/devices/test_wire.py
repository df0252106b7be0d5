"""The bytes on the bus of whole games, against luma's own drivers with the same pictures."""

from __future__ import annotations

import pytest

from benchmarks.wire import (
    SEATS_BUILD,
    STOCK,
    bytes_of,
    floor_of,
    game,
    least_of,
    looked_after,
    standard_build,
    stock,
    unchanged,
    wire,
)


@pytest.mark.filterwarnings("ignore:.*getdata:DeprecationWarning")  # luma, which Pillow tells so
@pytest.mark.parametrize("kind", STOCK)
def test_five_screens_cost_at_most_12_percent_of_what_stock_drivers_send(kind: str) -> None:
    """The shortest of the benchmark's games: what is sent once, whole pictures at the start, weighs most in it."""
    assert wire(game(4), [kind] * 5)["percent_of_stock"] <= 12.0


@pytest.mark.filterwarnings("ignore:.*getdata:DeprecationWarning")
def test_a_build_costs_little_more_than_any_driver_must_send() -> None:
    """Table screens alone change most of a picture with each card: no driver comes below what differs of it."""
    for frames, kinds in (standard_build(game(4)), ["ssd1309"] * 2), (game(4, seat_rows=32), SEATS_BUILD):
        assert floor_of(frames) < least_of(frames) < wire(frames, kinds)["bytes"] <= 1.3 * least_of(frames)


@pytest.mark.parametrize("kind", STOCK)
def test_an_unchanged_picture_costs_nothing(kind: str) -> None:
    assert unchanged(game(4)["table-screen"][-1][2], kind) == 0


@pytest.mark.filterwarnings("ignore:.*getdata:DeprecationWarning")
def test_looking_after_the_screens_costs_a_brisk_game_nothing() -> None:
    """Hands that come and go within a second leave no time for it; what is played in between allows none (R18)."""
    frames = game(4)
    total, rest = looked_after(frames, ["ssd1306"] * 5)
    assert rest > 20
    assert round(100 * total / bytes_of(stock, ["ssd1306"] * 5, frames).total(), 1) <= 12.0
