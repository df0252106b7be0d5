"""The firmware's own files in MicroPython, in a heap of 48 KB, against chip models, talking to the daemon's driver."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from mind_box.devices.nfc.link import line
from mind_box.devices.ports import Reader
from mind_box.devices.readers import open_reader
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Input, Scan
from mind_box.table.payload import encode
from tests.firmware.board import Wire, harm
from tests.firmware.conftest import Bench
from tests.models.pn532_chip import Faults
from tests.models.tags import Ntag, Tag

MakeBench = Callable[..., Bench]
RESEND = 0.3
"""Seconds after which the board repeats what was not acknowledged."""
LONG = int(os.environ.get("MIND_BOX_CAMPAIGN", "1"))
"""How many times longer the campaign is than in the short suite."""


class Box:
    """The daemon's side: its real driver, and an inbox that can be waited for."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.inbox: list[tuple[Input, float]] = []
        self._changed = asyncio.Event()
        self._bench = bench
        self._folder = folder
        self.reader: Reader
        self.start()

    def start(self) -> None:
        settings = ReaderSettings(kind="firmware", device=str(self._bench.port))
        self.reader = open_reader(settings, self._post, asyncio.get_running_loop(), run_dir=self._folder)

    def _post(self, what: Input) -> None:
        self.inbox.append((what, time.monotonic()))
        self._changed.set()

    @property
    def payloads(self) -> list[str]:
        return [i.payload for i, _ in self.inbox if isinstance(i, Scan)]

    async def until(self, true: Callable[[], bool], seconds: float = 20) -> bool:
        """Waits for something to become true; false if it did not in time. Another process is at work here."""
        end = time.monotonic() + seconds
        while not true() and (left := end - time.monotonic()) > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), min(left, 0.05))
            except TimeoutError:
                continue
        return true()

    async def working(self) -> None:
        """Until the reader was found and answers."""
        assert await self.until(lambda: any(isinstance(i, DeviceBack) for i, _ in self.inbox)), self.inbox


def uid(n: int, length: int = 7) -> bytes:
    return (bytes((4, n >> 8, n & 255)) + b"\xa1\xb2\xc3\xd4\xe5\xf6\x17")[:length]


def play(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 300))


@pytest.mark.parametrize("wiring", ["uart", "i2c", "spi", "rc522"])
def test_cards_on_every_wiring_in_48_kilobytes(wiring: str, bench: MakeBench, tmp_path: Path) -> None:
    """Tags of 4, 7 and 10 bytes, text and none; two at once are said; a silent chip is said and found again."""
    table = bench(wiring)

    async def game() -> None:
        box = Box(table, tmp_path)
        table.board.plug()
        await box.working()
        tags: list[tuple[Tag, str]] = [
            (Ntag(uid(1), encode(42)), encode(42)),
            (Ntag(uid(2, 10), "w07"), "w07"),
            (Tag(bytes.fromhex("12345678")), "12:34:56:78"),
            (Ntag(uid(3)), "04:00:03:A1:B2:C3:D4"),
        ]
        for n, (tag, _) in enumerate(tags):
            table.put(tag)
            assert await box.until(partial(lambda n: len(box.payloads) > n, n)), box.payloads
            table.take(tag)
        assert box.payloads == [payload for _, payload in tags]
        pair = Ntag(uid(8), encode(8)), Ntag(uid(9, 10), encode(9))
        for tag in pair:
            table.put(tag)
        assert await box.until(lambda: len(box.payloads) == 6)
        assert sorted(box.payloads[4:]) == [encode(8), encode(9)]
        wire = table.board.wire
        assert wire is not None
        assert await box.until(lambda: b"$T " in wire.up)
        for tag in pair:
            table.take(tag)
        table.chip.dead = True
        assert await box.until(lambda: isinstance(box.inbox[-1][0], DeviceLost))
        assert "NFC chip is silent" in box.inbox[-1][0].why  # type: ignore[union-attr]
        table.chip.dead = False
        table.chip.restart()
        assert await box.until(lambda: isinstance(box.inbox[-1][0], DeviceBack))
        assert len(box.payloads) == 6
        box.reader.close()

    play(game)
    assert b"MemoryError" not in table.board.errors


def test_a_whole_game_with_everything_going_wrong(bench: MakeBench, tmp_path: Path) -> None:
    """Noise on the chip's line and the box's, lost acknowledgements, restarts of either side, unplug and replug."""
    rng = random.Random(int(os.environ.get("MIND_BOX_SEED", "11")))
    faults = Faults(rng, cut=0.02, flip=0.02, noise=0.02, late=0.01, missed=0.3)
    table = bench(faults=faults)
    cards = [encode(n) for n in range(1, 24 * LONG + 1)]

    async def game() -> None:
        box = Box(table, tmp_path)
        table.board.plug().harm = harm(rng, 0.1)
        await box.working()
        for n, card in enumerate(cards):
            tag = Ntag(uid(n), card)
            event = ("none", "none", "box", "none", "board", "none", "plug")[n % 7]
            table.put(tag)
            if event == "box":  # the program dies at any moment, maybe in the middle of this card
                await asyncio.sleep(rng.uniform(0, 0.06))
                box.reader.close()
                box.start()
            elif event == "board":  # the board loses power with the card on it
                await asyncio.sleep(rng.uniform(0, 0.2))
                table.board.unplug()
                table.board.plug().harm = harm(rng, 0.1)
            assert await box.until(partial(lambda n: len(box.payloads) > n, n)), (
                n,
                event,
                box.payloads,
                box.inbox[-5:],
            )
            table.take(tag)
            if event == "plug":
                table.board.unplug()
                assert await box.until(lambda: isinstance(box.inbox[-1][0], DeviceLost))
                table.board.plug().harm = harm(rng, 0.1)
        await asyncio.sleep(2 * RESEND)  # whatever the board still repeats must not count twice
        assert box.payloads == cards
        assert all(i.at <= posted for i, posted in box.inbox if isinstance(i, Scan))
        box.reader.close()

    play(game)
    assert table.board.errors == b""


async def trip(wire: Wire, token: str) -> float:
    """Seconds from a question to the board until its answer is on the line: what the machine's own work costs now."""
    asked = time.monotonic()
    wire.send(line("K", token))
    while f" {token} ".encode() not in wire.up[-500:]:
        await asyncio.sleep(0)
    return time.monotonic() - asked


AIR = 0.037
"""Seconds from a card to its event that the chip's model takes for itself: half a call, choice, two reads, bytes."""
TRIPS = 16
"""What everything else may cost, in questions to the board: bytes go through the kernel about eight times."""


def test_card_in_field_to_event_takes_the_chips_own_time_and_some_trips(bench: MakeBench, tmp_path: Path) -> None:
    """About 50 ms where nothing else is at work. Medians of cards shown at any moment, against questions to the board
    in the same moments: other work slows both. The best of some rounds."""
    table = bench()
    rng = random.Random(3)
    rounds: list[tuple[float, float]] = []

    async def game() -> None:
        box = Box(table, tmp_path)
        wire = table.board.plug()
        await box.working()
        for first in range(0, 96, 12):
            waits, trips = [], []
            for n in range(first, first + 12):
                trips.append(await trip(wire, f"t{n}"))
                tag = Ntag(uid(n), encode(n))
                shown = time.monotonic()
                table.put(tag)
                assert await box.until(partial(lambda n: len(box.payloads) > n, n))
                waits.append(box.inbox[-1][1] - shown)
                await asyncio.sleep(rng.uniform(0, 0.1))
                table.take(tag)
                await asyncio.sleep(rng.uniform(0, 0.1))
            rounds.append((statistics.median(waits), statistics.median(trips)))
            if rounds[-1][0] <= AIR + TRIPS * rounds[-1][1]:
                break
        box.reader.close()

    play(game)
    print([f"card {wait * 1000:.1f} ms, question {question * 1000:.1f} ms" for wait, question in rounds])
    assert any(wait <= AIR + TRIPS * question for wait, question in rounds), rounds


def test_two_cards_100_ms_apart_keep_their_order(bench: MakeBench, tmp_path: Path) -> None:
    """Each lies there for 90 ms. Never out of order; and all of them in a round that nothing slows down."""
    table = bench()
    whole = []

    async def game() -> None:
        box = Box(table, tmp_path)
        table.board.plug()
        await box.working()
        for first in range(0, 96, 12):
            before = len(box.payloads)
            shown = [encode(n) for n in range(first, first + 12)]
            for n in range(first, first + 12):
                tag = Ntag(uid(n), encode(n))
                table.put(tag)
                await asyncio.sleep(0.09)
                table.take(tag)
                await asyncio.sleep(0.01)
            await box.until(partial(lambda end: len(box.payloads) == end, before + 12), 3)
            got = box.payloads[before:]
            assert got == [card for card in shown if card in got]
            times = [i.at for i, _ in box.inbox if isinstance(i, Scan)]
            assert times == sorted(times)
            whole.append(got == shown)
            if whole[-1]:
                break
        box.reader.close()

    play(game)
    assert whole[-1]


def test_junk_on_the_line_is_ignored_and_the_update_word_leads_to_the_prompt(bench: MakeBench) -> None:
    """micropython#6846: a 0x03 on USB stdin interrupts the firmware; ModemManager's AT."""
    table = bench()
    wire = table.board.plug()

    async def game() -> None:
        async def until(what: bytes) -> None:
            for _ in range(400):
                if what in wire.up:
                    return
                await asyncio.sleep(0.05)
            raise AssertionError(wire.up)

        await until(b" ok ")
        wire.send(b"AT\r\x03\x03\x04\x01ATE0\r\n" + bytes(range(256)) + b"\n" + line("K", "7"))
        await until(b"$K ")
        assert table.board.ended is None
        wire.send(line("U"))
        await until(b"$U ")
        await until(b"timer 1000")  # the watchdog is kept quiet while someone is at the prompt
        for _ in range(400):
            if table.board.ended is not None:
                break
            await asyncio.sleep(0.05)
        assert table.board.ended == 0

    play(game)
