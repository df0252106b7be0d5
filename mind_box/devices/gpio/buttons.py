"""The buttons: raw edges of gpiozero inputs, with the kernel's time, in the order in which they happened."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from gpiozero import DigitalInputDevice

from mind_box.devices.fault import Fault
from mind_box.settings.schema import pin_name
from mind_box.table.debounce import PATIENCE, PUNCTUAL
from mind_box.table.inputs import STAR, Edge, Post

log = logging.getLogger(__name__)

SETTLE = 0.01
"""Seconds after a button's last edge at which its level is read again: the kernel may lose or merge edges that
come within 3 ms, but the level is always right."""
SURE = SETTLE / 2
"""Seconds from such a reading to the next: a level that no edge has told is believed when it is there still."""
OLDEST = 60.0
"""Seconds; an edge stamped longer ago than this, or in the future, carries another clock's time."""


class RawInput(DigitalInputDevice):  # type: ignore[misc]
    """A pin that tells every edge and its time; ``when_activated`` drops repeated ones and does not know when."""

    def __init__(self, pin: int, on_edge: Callable[[float, bool], None], factory: Any, bounce: float | None) -> None:
        self._on_edge = on_edge
        try:
            super().__init__(pin, pull_up=True, bounce_time=bounce, pin_factory=factory)
        except Exception:
            self.close()
            raise

    def drain(self) -> None:
        """Has the edges told that wait in the kernel, where the factory can."""
        waiting = getattr(self.pin, "drain", None)
        if waiting is not None:
            waiting()

    def _pin_changed(self, ticks: float, state: Any) -> None:
        try:  # an exception here would kill lgpio's only thread, and with it every button
            self._on_edge(ticks, bool(self._state_to_value(state)))
        except Exception:
            log.exception("the handler of %r failed", self)


class PinButtons:
    """The ``Buttons`` port. All methods are for the loop's thread; edges may come from any."""

    def __init__(
        self,
        pins: Mapping[int, int],
        post: Post,
        loop: asyncio.AbstractEventLoop,
        on_close: Callable[[], None],
    ) -> None:
        self._pins = pins
        """Button (0 is star) to BCM number."""
        self._post = post
        self._loop = loop
        self._on_close = on_close
        self._devices: dict[int, RawInput] = {}  # an input without an owner is collected, and goes silent
        self._told: dict[int, bool] = {}
        """The level last posted, or read when the pin was first opened."""
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._batch: deque[Edge] = deque()
        self.fault = Fault.posted("buttons", post, log, loop.time)
        self.closed = False

    def level(self, button: int) -> bool:
        level = self._read(button)
        return self._told.get(button, False) if level is None else level

    def look(self) -> dict[int, bool]:
        levels = {button: self._read(button) for button in tuple(self._devices)}
        self._flush()  # after the levels: what moves in between is told by its edge
        return {button: level for button, level in levels.items() if level is not None}

    def _read(self, button: int) -> bool | None:
        """Its level, where it can be read."""
        try:
            return bool(self._devices[button].is_active)
        except Exception as e:  # it is not open; or the chip is gone, and its next edge says so
            log.debug("button %d cannot be read: %s", button, e)
            return None

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.fault.close()
            self.release()
            self._on_close()

    def acquire(self, factory: Any, bounce: float) -> list[Exception]:
        """Opens the buttons that are not open; gives what is wrong with those that cannot be.

        ``bounce``: seconds for which the factory is to debounce; 0: not at all.
        """
        wrong: list[Exception] = []
        for button, pin in self._pins.items():
            if button in self._devices:
                continue
            try:
                device = RawInput(pin, self._handler(button), factory, bounce or None)
                level = bool(device.is_active)
            except Exception as e:
                name = "the star button" if button == STAR else f"the button of seat {button}"
                e.add_note(f"{name} ({pin_name(pin)})")
                wrong.append(e.with_traceback(None))
                continue
            self._devices[button] = device
            if self._told.setdefault(button, level) != level:  # it moved while it was lost
                self._edge(button, level, self._loop.time())
        return wrong

    def release(self) -> None:
        """Closes all pins; what was told of them is kept, to be compared with when they are back."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for device in self._devices.values():
            close_quietly(device)
        self._devices.clear()

    def _handler(self, button: int) -> Callable[[float, bool], None]:
        def on_edge(ticks: float, down: bool) -> None:
            now = self._loop.time()
            self._edge(button, down, ticks if now - OLDEST < ticks <= now else now)

        return on_edge

    def _edge(self, button: int, down: bool, at: float) -> None:
        """From any thread."""
        if not self.closed:
            self._batch.append(Edge(button, down, at))
            self._loop.call_soon_threadsafe(self._flush)

    def _flush(self) -> None:
        """The edges of all pins go out in the order of their times: each pin has a descriptor of its own, and the
        loop finds those that are ready in any order."""
        for device in tuple(self._devices.values()):
            device.drain()
        batch = [self._batch.popleft() for _ in range(len(self._batch))]
        for edge in sorted(batch, key=lambda e: e.at):
            if self.closed:
                return
            self._told[edge.button] = edge.down
            self._post(edge)
            timer = self._timers.pop(edge.button, None)
            if timer is not None:
                timer.cancel()
            if edge.button in self._devices:
                self._timers[edge.button] = self._loop.call_later(SETTLE, self._settle, edge)

    def _settle(self, last: Edge, seen: float | None = None) -> None:
        """The level after the last edge; ``seen`` is when it was first read as another one.

        What the kernel merged came right after the edge that it told: so that is its time. A loop that looks too late
        cannot know that: it waits longer for an edge that is on its way, and takes no button for held before it saw it.
        """
        button, timer = last.button, self._timers[last.button]
        level = self.look().get(button, last.down)
        if self._timers[button] is not timer:
            return  # the next edge was there already
        del self._timers[button]
        now = self._loop.time()
        if level == last.down:
            return
        if seen is None:
            late = now - last.at
            more = SURE if late < PUNCTUAL else PATIENCE + late
            self._timers[button] = self._loop.call_later(more, self._settle, last, now)
        else:
            self._edge(button, level, seen if level and seen - last.at >= PUNCTUAL else last.at)


def close_quietly(device: Any) -> None:
    """Closes a gpiozero object; a chip that is gone cannot be told anything any more.

    Every device must be closed by hand: gpiozero also closes what is collected, and a collection that comes while it
    holds its own lock of reservations waits for that lock for ever.
    """
    try:
        device.close()
    except Exception as e:
        log.debug("%r: %s while closing", device, e)
