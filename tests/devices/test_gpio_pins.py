"""Buttons and lamps of the box over the libgpiod factory and the model of the chip: edges, levels, patterns."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from mind_box.devices.gpio.buttons import SETTLE
from mind_box.show.lamps import LampPattern
from mind_box.table.debounce import PATIENCE, PUNCTUAL
from mind_box.table.inputs import Edge
from mind_box.virtual.scripts.clock import VirtualLoop
from tests.devices.pin_bench import ALL, PATH, SETTINGS, Bench, rest, virtual
from tests.models.gpio_chip import ModelChip


def near(at: float) -> Any:
    return pytest.approx(at)


@virtual
async def test_raw_edges_with_their_times() -> None:
    bench = Bench()
    await rest(1.0)
    bench.chip.drive(SETTINGS.star_button, False)
    pressed = bench.loop.time()
    await rest(0.5)
    bench.chip.drive(SETTINGS.star_button, True)
    bench.chip.drive(SETTINGS.seat_buttons[3], False)
    await rest(0.5)
    assert bench.inbox == [
        Edge(0, True, near(pressed)),
        Edge(0, False, near(pressed + 0.5)),
        Edge(4, True, near(pressed + 0.5)),
    ]
    assert bench.buttons.level(4)
    assert not bench.buttons.level(0)
    bench.close()


@virtual
async def test_boardgame_io_828_edges_of_one_moment_go_out_in_the_order_they_happened() -> None:
    """boardgame.io#828: of two moves at once, none may be dropped. The loop finds ready pins in any order."""
    bench = Bench()
    times = iter(range(10**9, 10**10, 10**6))
    bench.chip.clock_ns = lambda: next(times)
    order = [3, 1, 4, 2, 0, 1, 3]
    await rest(5.0)
    for button in order:
        pin = SETTINGS.star_button if button == 0 else SETTINGS.seat_buttons[button - 1]
        bench.chip.drive(pin, not bench.chip.lines[pin].level)
    await rest(0.1)
    assert [button for button, _ in bench.inbox.edges] == order
    bench.close()


@virtual
async def test_makerspace_auth_52_a_spike_is_told_as_it_was() -> None:
    """makerspace-auth PR#52: EMI spikes become presses. Both edges are told; the table's debounce drops them."""
    bench = Bench()
    bench.chip.drive(5, False)
    await rest(0.001)
    bench.chip.drive(5, True)
    await rest(0.1)
    assert bench.inbox.edges == [(1, True), (1, False)]
    assert bench.inbox[1].at - bench.inbox[0].at == pytest.approx(0.001)
    bench.close()


@virtual
async def test_the_level_is_read_again_after_the_last_edge() -> None:
    """Below 3 ms the kernel loses edges; the level is right."""
    bench = Bench()
    bench.chip.drive(5, False)
    await rest()
    bench.chip.lines[5].driven = True  # an edge that the kernel did not tell
    await rest(2 * SETTLE)
    assert bench.inbox.edges == [(1, True), (1, False)]
    await rest(1.0)
    assert len(bench.inbox) == 2
    bench.close()


@virtual
async def test_what_the_kernel_merged_has_the_time_of_the_edge_that_it_told() -> None:
    bench = Bench()
    for level in (False, True):
        bench.inbox.clear()
        bench.chip.drive(5, level)
        told = bench.loop.time()
        await rest()
        bench.chip.lines[5].driven = not level  # and no edge tells it
        await rest(2 * SETTLE)
        assert bench.inbox == [Edge(1, not level, near(told)), Edge(1, level, near(told))]
        bench.chip.lines[5].driven = level
    bench.close()


@pytest.mark.parametrize("pressed", [False, True])
def test_a_loop_that_looks_late_waits_longer_and_takes_no_button_for_held_before_it_saw_it(pressed: bool) -> None:
    @virtual
    async def run() -> None:
        late = 2 * PUNCTUAL
        bench = Bench()
        bench.chip.lines[5].driven = not pressed
        await rest(1.0)
        bench.chip.drive(5, pressed)
        told = bench.loop.time()
        await rest()
        bench.chip.lines[5].driven = not pressed  # and no edge tells it
        assert isinstance(bench.loop, VirtualLoop)
        bench.loop.jump(late)
        await rest(PATIENCE + late - 0.001)
        assert bench.inbox.edges == [(1, not pressed)]
        await rest(0.002)
        assert bench.inbox[1:] == [Edge(1, pressed, near(told + late if pressed else told))]
        bench.close()

    run()


@virtual
async def test_a_look_tells_first_the_edges_that_wait_in_the_kernel() -> None:
    bench = Bench()
    await rest()
    bench.chip.drive(6, False)
    assert isinstance(bench.loop, VirtualLoop)
    bench.loop.jump(0.001)
    bench.chip.drive(5, False)
    assert bench.inbox.edges == []
    assert [button for button, down in bench.buttons.look().items() if down] == [1, 2]
    assert bench.inbox.edges == [(2, True), (1, True)]
    bench.close()


@virtual
async def test_two_edges_of_one_kind_in_a_row_are_passed_on() -> None:
    bench = Bench()
    bench.chip.drive(5, False)
    bench.chip.lines[5].driven = True
    bench.chip.drive(5, False)
    await rest(0.1)
    assert bench.inbox.edges == [(1, True), (1, True)]
    bench.close()


@virtual
async def test_an_edge_with_another_clocks_time_gets_ours() -> None:
    bench = Bench()
    await rest(100.0)
    for strange in (0, 10**18):
        bench.inbox.clear()
        bench.chip.clock_ns = partial(int, strange)
        bench.chip.drive(5, not bench.chip.lines[5].level)
        await rest()
        (edge,) = bench.inbox
        assert edge.at == pytest.approx(bench.loop.time())
    bench.close()


@virtual
async def test_a_button_held_at_start_is_no_edge() -> None:
    chip = ModelChip(PATH)
    chip.lines[5].driven = False
    bench = Bench(chip=chip)
    await rest(1.0)
    assert bench.inbox == []
    assert bench.buttons.level(1)
    bench.close()


@virtual
async def test_buttons_beyond_the_seats_are_left_alone() -> None:
    bench = Bench(seats=2)
    assert bench.chip.lines[SETTINGS.seat_buttons[2]].holder is None
    assert not bench.buttons.level(3)
    bench.close()


@virtual
async def test_lamps_show_exactly_the_pattern() -> None:
    bench = Bench()
    assert bench.lit() == set()
    bench.lamps.show(LampPattern(3, 1, frozenset({2, 4})))
    life, star, seat = SETTINGS.life_lamps, SETTINGS.star_lamps, SETTINGS.seat_lamps
    assert bench.lit() == {*life[:3], star[0], seat[1], seat[3]}
    bench.lamps.show(LampPattern(5, 3, frozenset({1, 2, 3, 4})))
    assert bench.lit() == set(ALL)
    bench.lamps.show(LampPattern(5, 3, frozenset({1, 9})))
    assert bench.lit() == {*life, *star, seat[0]}
    bench.lamps.close()
    assert bench.lit() == set()
    bench.lamps.show(LampPattern(1, 1))
    assert bench.lit() == set()
    bench.close()


@virtual
async def test_the_same_pattern_again_writes_nothing() -> None:
    bench = Bench()
    bench.lamps.show(LampPattern(2))
    writes: list[None] = []
    bench.chip.written = lambda: writes.append(None)
    bench.lamps.show(LampPattern(2))
    assert writes == []
    bench.lamps.show(LampPattern(3))
    assert len(writes) == 1
    bench.close()
