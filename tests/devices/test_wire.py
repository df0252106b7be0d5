"""The bytes on the bus of whole games, against luma's own drivers with the same pictures."""

from __future__ import annotations

import pytest

from benchmarks.wire import STOCK, game, wire


@pytest.mark.filterwarnings("ignore:.*getdata:DeprecationWarning")  # luma, which Pillow tells so
@pytest.mark.parametrize("kind", STOCK)
def test_five_screens_cost_at_most_12_percent_of_what_stock_drivers_send(kind: str) -> None:
    """The shortest of the benchmark's games: what is sent once, whole pictures at the start, weighs most in it."""
    assert wire(game(4), [kind] * 5)["percent_of_stock"] <= 12.0
