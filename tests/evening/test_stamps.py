"""The moments that are kept are the true ones (R34), through the real drivers on models of what they drive."""

from __future__ import annotations

import asyncio
import random

import pytest

from mind_box.devices.readers.board import BoardDriver, Mark
from mind_box.journal.journal import Journal
from mind_box.journal.stamps import Stamps
from mind_box.referee import Referee
from mind_box.settings.schema import Config
from mind_box.table.inputs import Edge, Scan
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.pin_bench import SETTINGS, Bench
from tests.firmware.model_board import ModelBoard
from tests.readers.pair import Pair

JITTER = 0.05


class JitteryLine:
    """Our board behind a line that holds everything up, each piece for another while, in order."""

    def __init__(self, board: ModelBoard, rng: random.Random) -> None:
        self.board = board
        self._rng = rng
        self._ways: tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]] = ([], [])

    @property
    def due(self) -> float | None:
        times = [self.board.due, *(way[0][0] for way in self._ways if way)]
        return min((time for time in times if time is not None), default=None)

    def feed(self, data: bytes, now: float) -> None:
        self._send(0, data, now)

    def take(self, now: float) -> bytes:
        for data in self._ready(0, now):
            self.board.feed(data, now)
        data = self.board.take(now)
        if data:
            self._send(1, data, now)
        return b"".join(self._ready(1, now))

    def _send(self, way: int, data: bytes, now: float) -> None:
        last = self._ways[way][-1][0] if self._ways[way] else 0.0
        self._ways[way].append((max(now + self._rng.uniform(0, JITTER), last), data))

    def _ready(self, way: int, now: float) -> list[bytes]:
        ready = [data for time, data in self._ways[way] if time <= now]
        del self._ways[way][: len(ready)]
        return ready


@pytest.mark.parametrize("seed", range(8))
def test_a_firmware_card_is_within_5_ms_though_the_line_delays_by_50(seed: int) -> None:
    rng = random.Random(seed)
    board = ModelBoard(drift=rng.uniform(-50e-6, 50e-6))
    board.start(1000.0)
    pair = Pair(BoardDriver(Mark(None)), JitteryLine(board, rng))
    pair.run(5)
    shown = []
    for n in range(40):
        pair.run(rng.uniform(0.5, 9))
        shown.append(pair.now)
        board.card(bytes((4, n, 1, 1, 2, 3, 4)), f"MB1:{n + 1:03d}", pair.now)
    pair.run(2)
    assert len(pair.cards) == 40
    assert max(abs(at - true) for (_, at), true in zip(pair.cards, shown, strict=True)) <= 0.005


def test_an_edge_is_within_1_ms() -> None:
    async def main() -> list[float]:
        bench = Bench()
        rng, off = random.Random(1), []
        loop = asyncio.get_running_loop()
        for i in range(60):
            await asyncio.sleep(rng.uniform(0.1, 0.3))
            true, pin = loop.time(), SETTINGS.seat_buttons[i % 2]
            bench.chip.drive(pin, i % 4 > 1)
            await asyncio.sleep(0.05)
            edges = [event for event in bench.inbox if isinstance(event, Edge)]
            off.append(abs(edges[-1].at - true))
        bench.close()
        return off

    assert max(run_virtual(main())) <= 0.001


def test_what_is_stored_is_the_moment_of_the_input() -> None:
    """A press and a lift by their edges, not when the debouncer believes them; a card when it was seen."""

    async def main() -> dict[str, float]:
        loop = asyncio.get_running_loop()
        journal = Journal.in_memory()
        box = VirtualBox(4, loop.time)
        referee = Referee(Config(), journal, stamps=Stamps("r"))
        referee.start(box.open)
        true = {}
        for _ in range(2):
            for button in (1, 2):
                box.press(button)
            await asyncio.sleep(2.5)
            box.lift(1)
            await asyncio.sleep(0.0123)
            box.lift(2)
            true["Concentrated"] = loop.time()
            await asyncio.sleep(1)
        referee.post(Scan("10", loop.time() - 0.2))
        true["Laid"] = loop.time() - 0.2
        await asyncio.sleep(1)
        box.press(1)
        true["Stopped"] = loop.time()
        await asyncio.sleep(1)
        kept = {type(t.event).__name__: t.stamp.ms / 1000 for t in journal.table() if t.stamp}
        referee.close()
        return {name: abs(kept[name] - moment) for name, moment in true.items()}

    off = run_virtual(main())
    assert max(off.values()) <= 0.0006, off
