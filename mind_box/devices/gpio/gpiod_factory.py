"""A gpiozero pin factory on libgpiod (the ``gpiod`` package, 2.x): edges by file descriptor, stamped by the kernel.

Registered as gpiozero's factory ``gpiod``: ``GPIOZERO_PIN_FACTORY=gpiod`` gives it to any gpiozero program. In an
asyncio loop it adds readers to the loop; without one it waits in a single thread. Idle pins cost nothing.

Edges are raw unless ``bounce`` is set; then the kernel debounces (1 to 2 jiffies longer than set, stamped at the
end of the window). Times are ``time.monotonic()`` seconds, taken in the interrupt. Edges closer than about 3 ms
can be lost or come twice with one direction; the level read afterwards is always right.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable
from datetime import timedelta
from threading import RLock
from typing import Any

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import (
    BadPinFactory,
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinSetInput,
)
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from mind_box.devices.gpio.header_chip import NoChip, header_chip
from mind_box.devices.gpio.poller import LoopPoller, Poller, ThreadPoller
from mind_box.devices.gpio.soft_pwm import SoftPwm

log = logging.getLogger(__name__)

_BIAS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE}
_RISING = gpiod.EdgeEvent.Type.RISING_EDGE

EVENTS_KEPT = 256
"""Edges that the kernel keeps per line while nobody reads; then the oldest go."""

GENERIC_REVISION = 0xA02082
"""A Pi 3B: its 40 pins are every later board's. Taken when the board's own revision cannot be read."""


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """One line of the header's chip, requested by itself so that a busy one can be named."""

    def __init__(self, factory: GpiodFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._request: gpiod.LineRequest | None = None
        self._watched = False
        self._pwm: SoftPwm | None = None
        self._reset()

    def _reset(self) -> None:
        self._function = "input"
        self._pull = self.info.pull or "floating"
        self._bounce: float | None = None
        self._edges = "both"
        self._level = False
        self._seen = 0
        """Sequence number of the last edge that was read."""

    def close(self) -> None:
        pwm, self._pwm = self._pwm, None
        if pwm is not None:
            pwm.stop()
        with self.factory.lock:
            if self._request is not None and self._function == "output":
                # Whether a release alone keeps the level depends on the kernel; as an input it surely drives nothing.
                try:
                    self._request.reconfigure_lines({self._number: gpiod.LineSettings(direction=Direction.INPUT)})
                except OSError as e:
                    log.debug("%r: not reset: %s", self, e)  # the chip is gone, and its line with it
            self._when_changed = None
            self._release()
            self._reset()

    def output_with_state(self, state: bool) -> None:
        with self.factory.lock:
            self._release()
            self._function = "output"
            self._level = bool(state)
            self._claim()

    def input_with_pull(self, pull: str) -> None:
        with self.factory.lock:
            self._release()
            self._function = "input"
            self._set_pull(pull)

    def _settings(self) -> gpiod.LineSettings:
        if self._function == "output":
            return gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value(int(self._level)))
        return gpiod.LineSettings(
            direction=Direction.INPUT,
            bias=_BIAS[self._pull],
            edge_detection=_EDGES[self._edges] if self._when_changed is not None else Edge.NONE,
            debounce_period=timedelta(seconds=self._bounce or 0),
        )

    def _claim(self) -> gpiod.LineRequest:
        """The request, made when first needed, so that pull, bounce and edges together cost one."""
        if self._request is None:
            self._request = self.factory.request(self._number, self._settings())
            self._seen = 0
            if self._function == "input" and self._when_changed is not None:
                os.set_blocking(self._request.fd, False)  # it blocks by default: an empty read would stop the loop
                self.factory.poller.add(self._request.fd, self.drain)
                self._watched = True
        return self._request

    def _release(self) -> None:
        request, self._request = self._request, None
        if request is not None:
            self._unwatch(request)
            request.release()

    def _unwatch(self, request: gpiod.LineRequest) -> None:
        if self._watched:
            self._watched = False
            self.factory.poller.remove(request.fd)

    def _changed(self) -> None:
        """A setting changed: a line that is held is requested anew."""
        with self.factory.lock:
            if self._request is not None:
                self._release()
                self._claim()

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"invalid function {value!r} for pin {self!r}: libgpiod knows input and output")
        with self.factory.lock:
            if value != self._function:
                self._release()
                self._function = value
            if value == "output":
                self._claim()

    def _get_state(self) -> float:
        if self._pwm is not None:
            return self._pwm.duty
        with self.factory.lock:
            return int(self._claim().get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set state of pin {self!r}: it is an input")
        if not 0 <= value <= 1:
            raise PinInvalidState(f"invalid state {value!r} for pin {self!r}: 0 to 1")
        if self._pwm is not None:
            self._pwm.set(self._pwm.frequency, value)
        else:
            self._write(bool(value))

    def _write(self, level: bool) -> None:
        with self.factory.lock:
            self._level = level
            self._claim().set_value(self._number, Value(int(level)))

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        if value not in _BIAS:
            raise PinInvalidPull(f"invalid pull {value!r} for pin {self!r}")
        if value != self._pull:
            self._pull = value
            self._changed()

    def _get_frequency(self) -> float | None:
        return None if self._pwm is None else self._pwm.frequency

    def _set_frequency(self, value: float | None) -> None:
        if value is None:
            pwm, self._pwm = self._pwm, None
            if pwm is not None:
                try:
                    pwm.set(pwm.frequency, 0)
                except OSError as e:  # gpiozero ends the pulses when a device is closed: that must not fail half-way
                    log.debug("%r: not reset: %s", self, e)
        elif self._function != "output":
            raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}: it is an input")
        elif self._pwm is None:
            self._pwm = SoftPwm(self._write, value, 0)
        else:
            self._pwm.set(value, self._pwm.duty)

    def _get_bounce(self) -> float | None:
        return self._bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and value < 0:
            raise PinInvalidBounce(f"bounce must be 0 or greater, not {value}")
        if value != self._bounce:
            self._bounce = value
            self._changed()

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f"invalid edges {value!r} for pin {self!r}")
        if value != self._edges:
            self._edges = value
            self._changed()

    def _enable_event_detect(self) -> None:
        with self.factory.lock:
            self._release()
            self._claim()

    def _disable_event_detect(self) -> None:
        self._when_changed = None
        self._changed()

    def drain(self) -> None:
        """Tells the edges that the kernel has queued, without waiting; or that the chip is gone."""
        with self.factory.lock:
            request = self._request
            if request is None:
                return
            try:
                events = request.read_edge_events()
            except BlockingIOError:
                return
            except OSError as e:
                self._unwatch(request)  # its descriptor would be readable for ever
                self.factory.lost(self, e)
                return
        for event in sorted(events, key=lambda e: e.timestamp_ns):
            missed = event.line_seqno - self._seen - 1
            if missed > 0:
                log.warning("%r: %d edges lost: the program was busy for too long", self, missed)
            self._seen = event.line_seqno
            try:
                self._call_when_changed(event.timestamp_ns / 1e9, event.event_type is _RISING)
            except Exception:
                log.exception("the handler of %r failed", self)  # it must not cost the rest of the batch
            if self._request is not request:
                return  # the handler closed the device or changed it


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """gpiozero's pins on the character device of the header's chip.

    ``chip`` is a path (None: the header's, found by what it is). ``consumer`` is what others are told who asks for
    a line. ``loop`` reads the edges (None: the running one, or a thread of its own where none runs); with a loop,
    inputs are made, used and closed in its thread. ``on_lost`` is called once with the error when the chip goes
    away; a new factory is needed after that. ``open_chip`` takes the place of ``gpiod.Chip`` (for a model).

    Raises ``BadPinFactory`` when there is no such chip.
    """

    def __init__(
        self,
        chip: str | None = None,
        *,
        consumer: str = "gpiozero",
        loop: asyncio.AbstractEventLoop | None = None,
        on_lost: Callable[[OSError], None] | None = None,
        open_chip: Callable[[str], Any] | None = None,
    ) -> None:
        super().__init__()
        self.lock = RLock()
        self.pin_class = GpiodPin
        self._consumer = consumer
        self._on_lost = on_lost
        self._lost = False
        self._chip: gpiod.Chip | None = None
        try:
            chip = chip or str(header_chip().path)
            self._chip = (open_chip or gpiod.Chip)(chip)
        except NoChip as e:
            raise BadPinFactory(str(e)) from None
        except OSError as e:
            raise BadPinFactory(f"the GPIO chip {chip} cannot be opened: {e.strerror or e}") from e
        if loop is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                loop = None
        self.poller: Poller = ThreadPoller() if loop is None else LoopPoller(loop)

    @property
    def chip(self) -> str:
        """Path and label of the chip in use."""
        return "no chip" if self._chip is None else f"{self._chip.path} ({self._chip.get_info().label})"

    def close(self) -> None:
        super().close()
        self.poller.close()
        if self._chip is not None:
            self._chip.close()
            self._chip = None

    def _get_revision(self) -> int:
        try:
            return int(super()._get_revision())
        except Exception as e:  # PinUnknownPi, an unreadable /proc (ProcSubset=pid), a revision that is no number
            log.debug("board revision not known (%s): taking the 40-pin header", e)
            return GENERIC_REVISION

    def request(self, number: int, settings: gpiod.LineSettings) -> gpiod.LineRequest:
        """Asks the kernel for one line. Raises ``GPIOPinInUse``, which names who has it."""
        if self._chip is None:
            raise BadPinFactory("this factory is closed: make a new one")
        try:
            return self._chip.request_lines({number: settings}, consumer=self._consumer, event_buffer_size=EVENTS_KEPT)
        except OSError as e:
            if e.errno != errno.EBUSY:
                raise
            holder = self._chip.get_line_info(number).consumer
            raise GPIOPinInUse(f"GPIO{number} is taken by {holder!r}: {_cure(holder)}") from e

    def lost(self, pin: GpiodPin, error: OSError) -> None:
        """Reading a line's edges failed: there will be none any more. Told once for the whole chip."""
        if not self._lost:
            self._lost = True
            if self._on_lost is not None:
                self._on_lost(error)
            else:
                log.error("%r gives no more edges: %s", pin, error)


def _cure(holder: str) -> str:
    name = holder.lower()
    if "w1" in name or "onewire" in name:
        return "1-Wire has it; remove dtoverlay=w1-gpio from /boot/firmware/config.txt, or use another pin"
    if name.startswith("spi"):
        return (
            "SPI has it; use another pin, or change /boot/firmware/config.txt: remove dtparam=spi=on where nothing is "
            "on SPI, add dtoverlay=spi0-1cs where spi-0.0 alone is (it leaves GPIO7 free)"
        )
    if name == "mind-box":
        return "another mind-box runs; stop it (systemctl stop mind-box)"
    return "stop that program or overlay, or use another pin"
