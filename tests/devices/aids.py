"""What tests of drivers share: a place where inputs arrive, hand-moved time, pictures."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw

from mind_box.devices.oled.screens import Clock, Closable, Worker, open_screens
from mind_box.settings.schema import ScreenSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Edge, Input
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import OledChip


class Inbox(list[Input]):
    """What a driver posted."""

    @property
    def edges(self) -> list[tuple[int, bool]]:
        return [(e.button, e.down) for e in self if isinstance(e, Edge)]

    @property
    def faults(self) -> list[tuple[str, bool]]:
        """Device and whether it was lost, in order."""
        return [(e.device, isinstance(e, DeviceLost)) for e in self if isinstance(e, DeviceLost | DeviceBack)]

    def why(self, device: str) -> str:
        """What the last ``DeviceLost`` of this device said."""
        return [e.why for e in self if isinstance(e, DeviceLost) and e.device == device][-1]


class HandClock:
    """Time that moves when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def wait_until(true: Callable[[], bool]) -> None:
    """For what a thread does without telling anybody."""
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


class SteppedWorker(Worker):
    """A worker of screens without a thread: a test steps it."""

    def start(self) -> None:
        """Nothing is done until ``step``."""

    def drain(self, done: object) -> None:
        """Nobody else could do the work meanwhile."""
        del done
        while self.due():
            self.step()


class Workers(list[SteppedWorker]):
    """Makes the workers of screens, and has them then."""

    def __call__(self, name: str, bus: Closable, clock: Clock) -> SteppedWorker:
        self.append(SteppedWorker(name, bus, clock))
        return self[-1]


class Stuck:
    """A display whose status never changes."""

    def __init__(self, chip: OledChip, status: int) -> None:
        self.write = chip.write
        self.asked = 0
        self._status = status

    def read(self, count: int) -> bytes:
        self.asked += 1
        return bytes([self._status]) * count


def picture(text: str, size: tuple[int, int] = (128, 64)) -> Image.Image:
    """A picture with something in each corner, so that a wrong turn or offset shows."""
    image = Image.new("1", size)
    draw = ImageDraw.Draw(image)
    draw.text((20, 8), text, fill=1)
    draw.point([(0, 0), (size[0] - 1, 0), (2, size[1] - 1), (size[0] - 1, size[1] - 4)], fill=1)
    return image


def same(a: Image.Image, b: Image.Image) -> bool:
    """Pixel by pixel."""
    return a.size == b.size and a.tobytes() == b.tobytes()


class Bench:
    """Screens over a model bus; their workers have no thread and are stepped."""

    def __init__(self, inbox: Inbox, clock: HandClock, settings: Sequence[ScreenSettings], bus: ModelBus) -> None:
        self.inbox = inbox
        self.clock = clock
        self.bus = bus
        self.opened: list[str] = []
        self.cannot_open: Exception | None = None
        self.workers = Workers()
        self.screens = open_screens(settings, inbox.append, open_bus=self._open, clock=clock, make_worker=self.workers)
        self.table = next(iter(self.screens.values()))

    def _open(self, name: str) -> ModelBus:
        self.opened.append(name)
        if self.cannot_open is not None:
            raise self.cannot_open
        return self.bus

    def run(self) -> None:
        """Does all that is due now."""
        for worker in self.workers:
            while worker.due():
                worker.step()

    def run_for(self, seconds: float) -> None:
        """Lets time go by as a sleeping worker would see it."""
        end = self.clock.now + seconds
        while True:
            self.run()
            waits = [w for w in (worker.patience() for worker in self.workers) if w is not None]
            if not waits or self.clock.now + min(waits) > end:
                break
            self.clock.now += max(min(waits), 0.001)
        self.clock.now = end
        self.run()


def nack(*_: object) -> None:
    """Nobody acknowledges."""
    raise OSError(errno.EREMOTEIO, "Remote I/O error")


def show(bench: Bench, text: str) -> None:
    """Hands a picture to the first screen."""
    image = picture(text, bench.table.size)
    bench.table.show(lambda: image)
