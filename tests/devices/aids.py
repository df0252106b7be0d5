"""What tests of drivers share: a place where inputs arrive, hand-moved time, pictures."""

from __future__ import annotations

import time
from collections.abc import Callable

from PIL import Image, ImageDraw

from mind_box.devices.screens import Worker
from mind_box.table.inputs import DeviceBack, DeviceLost, Edge, Input


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
