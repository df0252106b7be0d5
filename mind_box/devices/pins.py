"""Buttons and lamps on the header: raw edges in, steady levels out, each line found again when it was lost."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gpiozero import DigitalInputDevice, DigitalOutputDevice

from mind_box.config import EXPANDER_PINS, GpioSettings, pin_name
from mind_box.devices.expander import Expander
from mind_box.devices.fault import Fault
from mind_box.devices.pin_factory import choose
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, Edge, Input, Post

log = logging.getLogger(__name__)

SETTLE = 0.01
"""Seconds after a button's last edge at which its level is read again: the kernel may lose or merge edges that
come within 3 ms, but the level is always right."""
OLDEST = 60.0
"""Seconds; an edge stamped longer ago than this, or in the future, carries another clock's time."""

MakeFactory = Callable[[GpioSettings, asyncio.AbstractEventLoop, Callable[[OSError], None], bool], Any]


class Lamp(Protocol):
    """One output."""

    def light(self, on: bool) -> None: ...
    def close(self) -> None: ...


class _Input(DigitalInputDevice):  # type: ignore[misc]
    """A button that tells every edge with its time, unlike ``when_activated``, which drops repeated ones."""

    def __init__(self, pin: int, on_edge: Callable[[float, bool], None], factory: Any, bounce: float | None) -> None:
        self._on_edge = on_edge
        super().__init__(pin, pull_up=True, bounce_time=bounce, pin_factory=factory)

    def _pin_changed(self, ticks: float, state: Any) -> None:
        try:  # an exception here would kill lgpio's only thread, and every button with it
            self._on_edge(ticks, bool(self._state_to_value(state)))
        except Exception:
            log.exception("the handler of %r failed", self)


class _Output(DigitalOutputDevice):  # type: ignore[misc]
    """A lamp on the header."""

    def light(self, on: bool) -> None:
        self.value = on


class PinButtons:
    """The ``Buttons`` port over gpiozero inputs."""

    def __init__(self, pins: Mapping[int, int], bounce: float, post: Post, loop: asyncio.AbstractEventLoop) -> None:
        self._pins = pins
        """Button (0 is star) to BCM number."""
        self._bounce = bounce or None
        self._post = post
        self._loop = loop
        self._devices: dict[int, _Input] = {}
        self._told: dict[int, bool] = {}
        """The level last posted, or read when the line was first opened."""
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._batch: list[Edge] = []
        self.fault = Fault("buttons", self._post_open, log)
        self.closed = False
        self.on_close: Callable[[], None] = lambda: None

    def level(self, button: int) -> bool:
        device = self._devices.get(button)
        if device is not None:
            try:
                return bool(device.is_active)
            except Exception as e:  # the next edge or write finds out what it is
                log.debug("button %d cannot be read: %s", button, e)
        return self._told.get(button, False)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.release()
            self.on_close()

    def acquire(self, factory: Any) -> list[str]:
        """Opens the buttons that are not open; says what is wrong with those that cannot be."""
        wrong = []
        for button, pin in self._pins.items():
            if button in self._devices:
                continue
            try:
                device = _Input(pin, self._handler(button), factory, self._bounce)
                level = bool(device.is_active)
            except Exception as e:
                wrong.append(f"{_button(button)} on {pin_name(pin)}: {e or type(e).__name__}")
                continue
            self._devices[button] = device
            if self._told.setdefault(button, level) != level:
                self._edge(button, level, time.monotonic())
        return wrong

    def release(self) -> None:
        """Closes all buttons; their levels are kept to be compared with when they are back."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for device in self._devices.values():
            _close(device)
        self._devices.clear()

    def _handler(self, button: int) -> Callable[[float, bool], None]:
        def on_edge(ticks: float, down: bool) -> None:
            now = time.monotonic()
            at = ticks if now - OLDEST < ticks <= now else now
            self._edge(button, down, at)

        return on_edge

    def _edge(self, button: int, down: bool, at: float) -> None:
        """From any thread. One turn of the loop later the edges of all buttons go out in the order of their times."""
        self._loop.call_soon_threadsafe(self._collect, Edge(button, down, at))

    def _collect(self, edge: Edge) -> None:
        if self.closed:
            return
        if not self._batch:
            self._loop.call_soon(self._flush)
        self._batch.append(edge)

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        for edge in sorted(batch, key=lambda e: e.at):
            if self.closed:
                return
            self._told[edge.button] = edge.down
            self._post(edge)
            timer = self._timers.pop(edge.button, None)
            if timer is not None:
                timer.cancel()
            self._timers[edge.button] = self._loop.call_later(SETTLE, self._settle, edge.button)

    def _settle(self, button: int) -> None:
        del self._timers[button]
        if button in self._devices and self.level(button) != self._told[button]:
            self._edge(button, not self._told[button], time.monotonic())

    def _post_open(self, message: Input) -> None:
        if not self.closed:
            self._post(message)


class PinLamps:
    """The ``Lamps`` port over gpiozero outputs and an expander's lines."""

    def __init__(self, settings: GpioSettings, post: Post, retry: Callable[[], None]) -> None:
        self._life = settings.life_lamps
        self._star = settings.star_lamps
        self._seat = settings.seat_lamps
        self._expander = Expander(settings.expander, self._expander_failed) if self._wants_expander() else None
        self._post = post
        self._retry = retry
        self._lamps: dict[int, Lamp] = {}
        self._lit: dict[int, bool] = {}
        self._pattern = LampPattern()
        self.fault = Fault("lamps", self._post_open, log)
        self.closed = False
        self.on_close: Callable[[], None] = lambda: None

    def _wants_expander(self) -> bool:
        return any(pin in EXPANDER_PINS for pin in (*self._life, *self._star, *self._seat))

    def show(self, pattern: LampPattern) -> None:
        if not self.closed and pattern != self._pattern:
            self._pattern = pattern
            self._write()

    def close(self) -> None:
        if not self.closed:
            self._pattern = LampPattern()
            self._write()
            self.closed = True
            self.release()
            if self._expander is not None:
                self._expander.close()
            self.on_close()

    def acquire(self, factory: Any) -> list[str]:
        """Opens the lamps that are not open and lights them; says what is wrong with those that cannot be."""
        wrong = []
        for pin, on in self._levels().items():
            if pin in self._lamps:
                continue
            try:
                if pin in EXPANDER_PINS:
                    assert self._expander is not None
                    self._lamps[pin] = self._expander.lamp(pin - EXPANDER_PINS.start, on)
                else:
                    self._lamps[pin] = _Output(pin, initial_value=on, pin_factory=factory)
                self._lit[pin] = on
            except Exception as e:
                wrong.append(f"{pin_name(pin)}: {e or type(e).__name__}")
        return wrong

    def release(self) -> None:
        """Closes all lamps; the pattern is kept for when they are back."""
        for lamp in self._lamps.values():
            _close(lamp)
        self._lamps.clear()
        self._lit.clear()

    def _levels(self) -> dict[int, bool]:
        pattern = self._pattern
        levels = {pin: i < pattern.lives for i, pin in enumerate(self._life)}
        levels |= {pin: i < pattern.stars for i, pin in enumerate(self._star)}
        return levels | {pin: seat in pattern.seats for seat, pin in enumerate(self._seat, 1)}

    def _write(self) -> None:
        for pin, on in self._levels().items():
            lamp = self._lamps.get(pin)
            if lamp is None or self._lit[pin] == on:
                continue
            try:
                lamp.light(on)
                self._lit[pin] = on
            except Exception as e:
                _close(lamp)
                del self._lamps[pin]
                self.fault.begin(f"{pin_name(pin)}: {e or type(e).__name__}")
                self._retry()

    def _expander_failed(self, why: str) -> None:
        """From the expander's thread, through the loop: its lines must be asked for again."""

    def _post_open(self, message: Input) -> None:
        if not self.closed:
            self._post(message)


class Board:
    """Owns the pin factory; opens what is not open, and tries again while something is missing."""

    def __init__(
        self,
        settings: GpioSettings,
        seats: int,
        post: Post,
        loop: asyncio.AbstractEventLoop,
        make_factory: MakeFactory = choose,
    ) -> None:
        self._settings = settings
        self._loop = loop
        self._make = make_factory
        self._factory: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._told_choice = False
        pins = {STAR: settings.star_button} | dict(enumerate(settings.seat_buttons[:seats], 1))
        self.buttons = PinButtons(pins, settings.kernel_debounce, post, loop)
        self.lamps = PinLamps(settings, post, self._later)
        self.buttons.on_close = self.lamps.on_close = self._maybe_close
        self._try()

    def _try(self) -> None:
        self._timer = None
        if self._factory is None:
            try:
                self._factory = self._make(self._settings, self._loop, self._chip_gone, self._told_choice)
            except Exception as e:
                self._told_choice = True
                self._missing(str(e))
                return
        for port in (self.buttons, self.lamps):
            if port.closed:
                continue
            wrong = port.acquire(self._factory)
            if wrong:
                port.fault.begin("; ".join(wrong))
            else:
                port.fault.end()
        self._later()

    def _missing(self, why: str) -> None:
        for port in (self.buttons, self.lamps):
            if not port.closed:
                port.fault.begin(why)
        self._later()

    def _later(self) -> None:
        """Sets the timer of the next try, if something is missing."""
        due = [p.fault.retry_at for p in (self.buttons, self.lamps) if p.fault.lost and not p.closed]
        if due and self._timer is None:
            self._timer = self._loop.call_later(max(0.0, min(due) - time.monotonic()), self._try)

    def _chip_gone(self, error: OSError) -> None:
        """Every line of the chip is void. All devices are closed, and a new factory is made when it is back."""
        self._loop.call_soon_threadsafe(self._drop, error)

    def _drop(self, error: OSError) -> None:
        self._release()
        self._missing(f"the GPIO chip is gone: {error.strerror or error}")

    def _release(self) -> None:
        self.buttons.release()
        self.lamps.release()
        factory, self._factory = self._factory, None
        if factory is not None:
            _close(factory)

    def _maybe_close(self) -> None:
        if self.buttons.closed and self.lamps.closed:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._release()


def open_pins(
    settings: GpioSettings, seats: int, post: Post, loop: asyncio.AbstractEventLoop
) -> tuple[PinButtons, PinLamps]:
    """The box's buttons and lamps; to be called, used and closed in the loop's thread.

    Never fails for absent hardware: that is posted as ``DeviceLost`` of ``buttons`` or ``lamps``, and tried again.
    """
    board = Board(settings, seats, post, loop)
    return board.buttons, board.lamps


def _button(button: int) -> str:
    return "the star button" if button == STAR else f"seat {button}'s button"


def _close(device: Any) -> None:
    try:
        device.close()
    except Exception as e:  # a chip that is gone cannot be told anything any more
        log.debug("%r: %s while closing", device, e)
