"""A model of a GPIO character device with the face of the ``gpiod`` package: real file descriptors, the kernel's ways.

What it keeps of the kernel: one holder per line, edges queued per request and numbered per line, the oldest dropped
when the queue is full, ENODEV on everything once the chip is gone. Sources: include/uapi/linux/gpio.h,
drivers/gpio/gpiolib-cdev.c (kernel 6.12); the behaviour was compared with gpio-sim.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace

import gpiod
from gpiod.line import Bias, Direction, Edge, Value

RISING = gpiod.EdgeEvent.Type.RISING_EDGE
FALLING = gpiod.EdgeEvent.Type.FALLING_EDGE


def _gone() -> OSError:
    return OSError(errno.ENODEV, os.strerror(errno.ENODEV))


@dataclass(frozen=True, slots=True)
class ModelEdge:
    """As ``gpiod.EdgeEvent``."""

    event_type: gpiod.EdgeEvent.Type
    timestamp_ns: int
    line_offset: int
    line_seqno: int


@dataclass(slots=True)
class Line:
    """One line of a chip."""

    driven: bool | None = None
    """What the outside puts on it; None: nothing."""
    output: bool | None = None
    """What the last holder drove; stays after a release."""
    bias: Bias = Bias.AS_IS
    holder: ModelRequest | None = None
    consumer: str = ""

    @property
    def level(self) -> bool:
        """The level that a read finds."""
        if self.holder is not None and self.holder.settings_of(self).direction is Direction.OUTPUT:
            return bool(self.output)
        return self.driven if self.driven is not None else self.bias is Bias.PULL_UP


class ModelRequest:
    """As ``gpiod.LineRequest``; its descriptor is readable while there is an edge to read, or the chip is gone."""

    def __init__(self, chip: ModelChip, settings: Mapping[int, gpiod.LineSettings], consumer: str, room: int) -> None:
        self._chip = chip
        self._settings = dict(settings)
        self._room = room
        self._numbers = dict.fromkeys(settings, 0)
        self._events: list[ModelEdge] = []
        self._queue = threading.Lock()
        """A test may press in a thread of its own."""
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)
        self.released = False
        for offset, wanted in self._settings.items():
            line = chip.lines[offset]
            line.holder, line.consumer = self, consumer
            self._apply(line, wanted)

    @property
    def fd(self) -> int:
        """What a loop waits for."""
        return self._reading.fileno()

    def settings_of(self, line: Line) -> gpiod.LineSettings:
        """What was asked for one of its lines."""
        return next(s for offset, s in self._settings.items() if self._chip.lines[offset] is line)

    @staticmethod
    def _apply(line: Line, wanted: gpiod.LineSettings) -> None:
        if wanted.direction is Direction.OUTPUT:
            line.output = wanted.output_value is Value.ACTIVE
        elif wanted.bias is not Bias.AS_IS:
            line.bias = wanted.bias

    def _check(self) -> None:
        if self.released:
            raise gpiod.RequestReleasedError
        if self._chip.gone:
            raise _gone()

    def reconfigure_lines(self, settings: Mapping[int, gpiod.LineSettings]) -> None:
        self._check()
        for offset, wanted in settings.items():
            self._settings[offset] = wanted
            self._apply(self._chip.lines[offset], wanted)

    def get_value(self, offset: int) -> Value:
        self._check()
        return Value(int(self._chip.lines[offset].level))

    def set_value(self, offset: int, value: Value) -> None:
        self.set_values({offset: value})

    def set_values(self, values: Mapping[int, Value]) -> None:
        self._check()
        for offset, value in values.items():
            if self._settings[offset].direction is not Direction.OUTPUT:
                raise PermissionError(errno.EPERM, "the line is an input")
            self._chip.lines[offset].output = value is Value.ACTIVE
        self._chip.written()

    def edge(self, offset: int, rising: bool, at_ns: int) -> None:
        """The line's level changed: queued if it was asked for."""
        wanted = self._settings[offset].edge_detection
        if wanted is not Edge.BOTH and wanted is not (Edge.RISING if rising else Edge.FALLING):
            return
        with self._queue:
            self._numbers[offset] += 1
            self._events.append(ModelEdge(RISING if rising else FALLING, at_ns, offset, self._numbers[offset]))
            if len(self._events) > self._room:
                del self._events[0]
            else:
                self._writing.send(b"e")

    def read_edge_events(self) -> list[ModelEdge]:
        """All queued edges. Raises ``BlockingIOError`` where the kernel's descriptor would make the caller wait."""
        self._check()
        if not self._events:
            if os.get_blocking(self.fd):
                raise AssertionError("the kernel would block here for ever")
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        with self._queue:
            events, self._events = self._events, []
            self._reading.recv(len(events))
        return events

    def hang_up(self) -> None:
        """The chip is gone: the descriptor is ready for ever."""
        self._writing.close()

    def release(self) -> None:
        if not self.released:
            self.released = True
            for offset in self._settings:
                line = self._chip.lines[offset]
                line.holder, line.consumer = None, ""
            self._chip.requests.remove(self)
            self._reading.close()
            self._writing.close()


def at_once(tell: Callable[[], None]) -> None:
    """No edge is late."""
    tell()


@dataclass
class ModelChip:
    """The thing behind one /dev/gpiochipN."""

    path: str
    label: str = "pinctrl-bcm2711"
    count: int = 58
    clock_ns: Callable[[], int] = time.monotonic_ns
    hand_over: Callable[[Callable[[], None]], object] = at_once
    """When an edge gets into the queue of whoever waits for it: at once, or later on a busy machine."""
    gone: bool = False
    written: Callable[[], None] = lambda: None
    """Told of each write, when it is done."""
    requests: list[ModelRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = [Line() for _ in range(self.count)]

    def drive(self, offset: int, level: bool | None, told: bool = True) -> None:
        """Puts a level on a line from outside; None lets go of it. ``told`` false: the kernel loses that edge."""
        line = self.lines[offset]
        before = line.level
        line.driven = level
        if told and line.level != before and line.holder is not None and not self.gone:
            self.hand_over(partial(self._tell, line.holder, offset, line.level, self.clock_ns()))

    def _tell(self, holder: ModelRequest, offset: int, level: bool, at_ns: int) -> None:
        if not (holder.released or self.gone):
            holder.edge(offset, level, at_ns)

    def take(self, offset: int, consumer: str) -> None:
        """Somebody else takes the line, as the kernel's own drivers do."""
        self.requests.append(ModelRequest(self, {offset: gpiod.LineSettings()}, consumer, 16))

    def give_back(self, offset: int) -> None:
        """Somebody else's line is free again."""
        holder = self.lines[offset].holder
        if holder is not None:
            holder.release()

    def remove(self) -> None:
        """The driver is unbound: whoever holds a line finds out."""
        self.gone = True
        for request in self.requests:
            request.hang_up()


class ModelGpio:
    """All GPIO chips of a machine; ``open`` takes the place of ``gpiod.Chip``."""

    def __init__(self, *chips: ModelChip) -> None:
        self.chips = {chip.path: chip for chip in chips}
        self.opened = 0

    def plug(self, chip: ModelChip) -> None:
        """A chip appears, or one that was removed comes back as a new one."""
        self.chips[chip.path] = chip

    def open(self, path: str) -> OpenChip:
        """Raises ``FileNotFoundError`` as the kernel does."""
        chip = self.chips.get(path)
        if chip is None or chip.gone:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self.opened += 1
        return OpenChip(chip)


class OpenChip:
    """As ``gpiod.Chip``."""

    def __init__(self, chip: ModelChip) -> None:
        self._chip = chip
        self.path = chip.path

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(name=os.path.basename(self.path), label=self._chip.label, num_lines=self._chip.count)

    def get_line_info(self, offset: int) -> SimpleNamespace:
        line = self._chip.lines[offset]
        return SimpleNamespace(offset=offset, used=line.holder is not None, consumer=line.consumer)

    def request_lines(
        self,
        config: Mapping[int, gpiod.LineSettings],
        consumer: str = "?",
        event_buffer_size: int = 16,
    ) -> ModelRequest:
        """Raises ``OSError`` 16 when a line has a holder; it does not say which line."""
        if self._chip.gone:
            raise _gone()
        if any(self._chip.lines[offset].holder is not None for offset in config):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        request = ModelRequest(self._chip, config, consumer, event_buffer_size)
        self._chip.requests.append(request)
        return request

    def close(self) -> None:
        """Requests live on without the chip's descriptor."""
