"""What the screens cost: bytes on the I2C bus and CPU time, against luma's own drivers given the same pictures.

The pictures are those of one scripted game of four players: every one that the box handed to a table screen and to the
seats. They are five of 128x64; measured too are the two SSD1309s of the standard and the full build, and the box with
128x32 at its seats.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from luma.core.interface.serial import i2c
from luma.oled.device import sh1106, ssd1306, ssd1309
from PIL import Image

from mind_box.devices.oled.drivers import pack
from mind_box.devices.oled.i2c import I2CInterface, SharedBus
from mind_box.devices.oled.panel import Panel
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.aids import Bench, HandClock, Inbox
from tests.show.evening import Evening

SEATS = 4
STOCK: dict[str, Callable[..., Any]] = {"ssd1306": ssd1306, "ssd1309": ssd1309, "sh1106": sh1106}
CHIPS: dict[str, Callable[[int], OledChip]] = {"ssd1306": SSD1306Chip, "ssd1309": SSD1309Chip, "sh1106": SH1106Chip}
SEATS_BUILD = ("ssd1309", "ssd1306", "ssd1306", "ssd1306", "ssd1306")
"""The screens of hardware/seats.toml: seats have 32 rows."""
MIXED = ("ssd1306", "sh1106", "ssd1306", "sh1106", "ssd1306")

Frame = tuple[float, str, Image.Image]
"""When a picture was shown, between which phases, and the picture."""
Frames = dict[str, list[Frame]]
Make = Callable[[str, Any, int], "Show"]
"""Of the controller, the bus and the rows of its glass."""
Show = Callable[[float, Image.Image], None]


class Table(Evening):
    """Players at their own pace: hands come and go one after the other, nobody thinks for a quarter of an hour."""

    async def press(self, *buttons: int, seconds: float = 0.1) -> None:
        for button in buttons:
            self.box.press(button)
            await self.pause(self.rng.uniform(0.05, 0.3))
        await self.pause(seconds)
        for button in buttons:
            self.box.lift(button)
            await self.pause(self.rng.uniform(0.05, 0.3))
        await self.pause(0.1)

    async def pause(self, seconds: float) -> None:
        await super().pause(min(seconds, 20.0))


def game(seed: int = 7, seat_rows: int = 64) -> Frames:
    """The pictures of one game, drawn apart from anything that is measured."""

    async def play() -> Table:
        table = Table(random.Random(seed), SEATS)
        for name, screen in table.box.screens.items():
            if name.startswith("seat"):
                screen.size = (128, seat_rows)
        await table.play()
        return table

    frames: Frames = {}
    shown: dict[str, tuple[float, Image.Image]] = {}
    phase = ""
    for at, name, what in run_virtual(play()).box.shown:
        if name == "page":  # it comes last of what shows one View
            for screen, (then, image) in shown.items():
                frames.setdefault(screen, []).append((then, f"{phase}-{what.phase}", image))
            phase = what.phase
            shown = {}
        elif name not in ("lamps", "table-screen 2"):  # both table screens show the same
            shown[name] = (at, what())
    return frames


class StockWay(i2c):  # type: ignore[misc]
    """luma's own interface as it is on a bus that it opened itself: data in messages of up to 4,096 bytes."""

    def __init__(self, bus: Any) -> None:
        super().__init__(bus=bus)
        self._managed = True
        self._i2c_msg_write = _Message

    def cleanup(self) -> None:
        """Nothing was opened."""


class _Message:
    """As ``smbus2.i2c_msg.write`` makes it."""

    def __init__(self, address: int, data: list[int]) -> None:
        self.addr = address
        self.data = bytes(data)


class CountingBus(ModelBus):
    """Counts; and takes luma's long messages."""

    def i2c_rdwr(self, *messages: _Message) -> None:
        for message in messages:
            self.write(message.addr, message.data)

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        self.write(address, bytes([register, *data]))


class NoBus:
    """Takes everything and does nothing, so that only the drivers' own work is measured."""

    def write(self, address: int, payload: bytes) -> None:
        """Gone."""

    def read(self, _: int, count: int) -> bytes:
        return b"\x43" * count

    def close(self) -> None:
        """Nothing was opened."""

    def i2c_rdwr(self, *messages: _Message) -> None:
        """Gone."""

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        """Gone."""


def stock(kind: str, bus: Any, rows: int) -> Show:
    """Shows a picture through luma's driver."""
    device = STOCK[kind](StockWay(bus), height=rows)
    device.persist = True
    return lambda _, image: device.display(image)


def ours(kind: str, bus: Any, rows: int) -> Show:
    """Shows a picture through our panel, with all it does for its health."""
    now = [0.0]
    panel = Panel(kind, I2CInterface(SharedBus("i2c-1", lambda _: bus), 0x3C), rows, clock=lambda: now[0])
    panel.initialise()
    lit = [False]

    def show(at: float, image: Image.Image) -> None:
        now[0] = at
        panel.update(panel.pack(image))
        if not lit[0]:
            panel.light(None)
            lit[0] = True

    return show


def bytes_of(make: Make, kinds: Sequence[str], frames: Frames) -> Counter[str]:
    """Bytes on the wire by screen and change of phase, the initialisation included; the last picture must be right."""
    total: Counter[str] = Counter()
    for kind, (screen, shown) in zip(kinds, frames.items(), strict=True):
        rows = shown[0][2].height
        chip = CHIPS[kind](rows)
        bus = CountingBus({0x3C: chip})
        show = make(kind, bus, rows)
        before = 0
        for at, change, image in shown:
            show(at, image)
            total[f"{screen.partition('-')[0]} {change}"] += bus.bytes - before
            before = bus.bytes
        if chip.picture().tobytes() != shown[-1][2].tobytes():
            raise AssertionError(f"{kind}: the glass does not show the last picture")
    return total


def standard_build(frames: Frames) -> Frames:
    """The pictures of both table screens, and no seat's."""
    return dict.fromkeys(("table-screen", "table-screen 2"), frames["table-screen"])


def floor_of(frames: Frames) -> int:
    """Bytes of RAM that differ from picture to picture: less no driver can send."""
    total = 0
    for shown in frames.values():
        last = bytes(128 * shown[0][2].height // 8)
        for _, _, image in shown:
            packed = pack(image)
            total += sum(a != b for a, b in zip(packed, last, strict=True))
            last = packed
    return total


def least_of(frames: Frames) -> int:
    """Bytes below which no driver of windows comes, however it cuts them: ``floor_of`` and what it must say besides.

    A picture that differs at all needs one window: address, control, three bytes each for columns and pages, address
    and control of the data. Between two runs in one page a driver sends the bytes that lie there, or begins another
    window, which takes 7 bytes at least: of all pages, the one whose gaps cost most is counted, as windows may be as
    high as the glass and serve all its pages at once.
    """
    total = floor_of(frames)
    for shown in frames.values():
        last = bytes(128 * shown[0][2].height // 8)
        for _, _, image in shown:
            packed = pack(image)
            total += max((10 + sum(gaps) for gaps in _gaps(last, packed)), default=0)
            last = packed
    return total


def _gaps(old: bytes, new: bytes) -> Iterable[list[int]]:
    """Of each page in which anything differs: what each gap between two columns that differ costs at least."""
    for start in range(0, len(new), 128):
        columns = [x for x in range(128) if old[start + x] != new[start + x]]
        if columns:
            yield [min(b - a - 1, 7) for a, b in itertools.pairwise(columns)]


def limits(frames: Frames, kinds: Sequence[str]) -> dict[str, float]:
    """Our bytes against stock's, and the least that any driver could send."""
    cost = wire(frames, kinds)
    share = 100 / cost["stock_bytes"]
    return cost | {
        "percent_that_differs": round(share * floor_of(frames), 1),
        "percent_no_driver_of_windows_goes_below": round(share * least_of(frames), 1),
    }


def changed(shown: list[Frame]) -> list[Frame]:
    """Only the pictures that differ from the one before."""
    return [frame for n, frame in enumerate(shown) if n == 0 or frame[2].tobytes() != shown[n - 1][2].tobytes()]


def cpu_of(show: Show, shown: list[Frame]) -> float:
    """Median CPU seconds of one picture."""
    times = []
    for at, _, image in shown:
        began = time.perf_counter()
        show(at, image)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def wire(frames: Frames, kinds: Sequence[str]) -> dict[str, float]:
    """Our bytes against stock's."""
    mine, theirs = bytes_of(ours, kinds, frames).total(), bytes_of(stock, kinds, frames).total()
    return {"bytes": mine, "stock_bytes": theirs, "percent_of_stock": round(100 * mine / theirs, 1)}


def looked_after(frames: Frames, kinds: Sequence[str]) -> tuple[int, float]:
    """Bytes of the same game with all that the screens do by the clock while no level is played, and those seconds."""
    clock, chips = HandClock(), {}
    settings = []
    for n, (kind, shown) in enumerate(zip(kinds, frames.values(), strict=True)):
        chips[0x3C + n] = CHIPS[kind](shown[0][2].height)
        settings.append(ScreenSettings(seat=n, driver=kind, address=0x3C + n, height=shown[0][2].height))
    bus = CountingBus(dict(chips))
    bench = Bench(Inbox(), clock, settings, bus)
    begin, rests, seconds = clock.now, True, 0.0
    for pictures in zip(*frames.values(), strict=True):  # one View after the other
        at, change, _ = pictures[0]
        seconds += rests * (begin + at - clock.now)
        bench.run_for(begin + at - clock.now)
        rests = change.rpartition("-")[2] not in ("play", "vote")
        for screen, (_, _, image) in zip(bench.screens.values(), pictures, strict=True):
            screen.resting(rests)
            screen.show(partial(lambda image: image, image))
        bench.run()
    return bus.bytes, seconds


def idle(kind: str) -> float:
    """Bytes a second that a panel costs in a lobby where nothing happens."""
    bus = CountingBus({0x3C: CHIPS[kind](64)})
    bench = Bench(Inbox(), HandClock(), [ScreenSettings(driver=kind)], bus)
    bench.table.show(lambda: Image.new("1", (128, 64)))
    bench.table.resting(True)
    bench.run()
    before = bus.bytes
    bench.run_for(3600)
    return round((bus.bytes - before) / 3600, 1)


def unchanged(image: Image.Image, kind: str) -> int:
    """Bytes that the same picture costs when it is shown again."""
    bus = CountingBus({0x3C: CHIPS[kind](image.height)})
    show = ours(kind, bus, image.height)
    show(0.0, image)
    before = bus.bytes
    show(1.0, image.copy())
    return bus.bytes - before


def cpu(kind: str, shown: list[Frame]) -> dict[str, float]:
    """Our CPU time per changed picture against stock's ``display()``; the best of five medians each."""
    mine = min(cpu_of(ours(kind, NoBus(), 64), shown) for _ in range(5))
    theirs = min(cpu_of(stock(kind, NoBus(), 64), shown) for _ in range(5))
    return {
        "us": round(1e6 * mine, 1),
        "stock_us": round(1e6 * theirs, 1),
        "percent_of_stock": round(100 * mine / theirs, 1),
    }


def of_games(seeds: Iterable[int]) -> dict[str, float]:
    """The share of stock's bytes over several games on the controller that costs more; short games cost most."""
    percents = [wire(game(seed), ["ssd1306"] * 5)["percent_of_stock"] for seed in seeds]
    return {"games": len(percents), "least": min(percents), "most": max(percents)}


def measure() -> dict[str, Any]:
    """Ratios of one run on one machine."""
    frames = game()
    stock_bytes = bytes_of(stock, MIXED, frames).total()
    by_change = bytes_of(ours, MIXED, frames)
    all_bytes, rest = looked_after(frames, MIXED)
    return {
        "pictures": sum(map(len, frames.values())),
        "changed_pictures": sum(len(changed(shown)) for shown in frames.values()),
        "wire": {
            "ssd1306": wire(frames, ["ssd1306"] * 5),
            "ssd1309": wire(frames, ["ssd1309"] * 5),
            "sh1106": wire(frames, ["sh1106"] * 5),
            "mixed": wire(frames, MIXED),
            "percent_of_stock_in_other_games": of_games(range(1, 7)),
            "standard_build": limits(standard_build(frames), ["ssd1309"] * 2),
            "seats_build": limits(game(seat_rows=32), SEATS_BUILD),
            "percent_of_stock_that_no_driver_can_go_below": round(100 * floor_of(frames) / stock_bytes, 1),
            "percent_of_stock_by_change": {
                change: round(100 * count / stock_bytes, 1) for change, count in by_change.most_common(6)
            },
            "percent_of_stock_with_what_goes_by_the_clock_at_rest": round(100 * all_bytes / stock_bytes, 1),
            "seconds_of_rest_in_it": round(rest),
            "bytes_a_second_at_rest": {kind: idle(kind) for kind in STOCK},
            "bytes_of_an_unchanged_picture": {k: unchanged(frames["table-screen"][-1][2], k) for k in STOCK},
        },
        "cpu_per_changed_picture": {kind: cpu(kind, changed(frames["table-screen"])) for kind in STOCK},
    }
