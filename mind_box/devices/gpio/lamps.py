"""The lamps: gpiozero outputs on the header, and lines of an expander; steady levels, no thread per lamp."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gpiozero import DigitalOutputDevice

from mind_box.devices.fault import Fault
from mind_box.devices.gpio.buttons import close_quietly
from mind_box.settings.schema import EXPANDER_PINS, GpioSettings, pin_name
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import Post

log = logging.getLogger(__name__)


class Output(DigitalOutputDevice):  # type: ignore[misc]
    """A pin that lights a lamp."""

    def __init__(self, pin: int, on: bool, factory: Any) -> None:
        try:
            super().__init__(pin, initial_value=on, pin_factory=factory)
        except Exception:
            self.close()  # else it would keep the pin reserved until it is collected, see close_quietly
            raise

    def light(self, on: bool) -> None:
        """Sets the level."""
        self.value = on


class Expander(Protocol):
    """The lamps that are not on the header."""

    def show(self, levels: Mapping[int, bool]) -> None:
        """Lights exactly these of its lines, 0 to 15."""
        ...

    def close(self) -> None: ...


class PinLamps:
    """The ``Lamps`` port, for the loop's thread. ``failed`` is called when a lamp on the header was lost."""

    def __init__(
        self,
        settings: GpioSettings,
        post: Post,
        loop: asyncio.AbstractEventLoop,
        failed: Callable[[Exception], None],
        on_close: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._loop = loop
        self._failed = failed
        self._on_close = on_close
        self._pattern = LampPattern()
        self._outputs: dict[int, Output] = {}
        self._lit: dict[int, bool] = {}
        self._expander: Expander | None = None
        self._wrong: dict[str, str] = {}
        """What is wrong now with the header's lamps, and with the expander's."""
        self.fault = Fault.posted("lamps", post, log, loop.time)
        self.closed = False

    def show(self, pattern: LampPattern) -> None:
        if self.closed or pattern == self._pattern:
            return
        self._pattern = pattern
        self._write()

    def close(self) -> None:
        if self.closed:
            return
        self._pattern = LampPattern()
        self._write()
        self.closed = True
        self.fault.close()
        self.release()
        if self._expander is not None:
            self._expander.close()
        self._on_close()

    def acquire(self, factory: Any) -> list[Exception]:
        """Opens the lamps that are not open, with the level they shall have; gives what is wrong with the others."""
        wrong: list[Exception] = []
        for pin, on in self._levels(expander=False).items():
            if pin in self._outputs:
                continue
            try:
                self._outputs[pin] = Output(pin, on, factory)
                self._lit[pin] = on
            except Exception as e:
                e.add_note(f"a lamp ({pin_name(pin)})")
                wrong.append(e.with_traceback(None))
        beside = self._levels(expander=True)
        if beside and self._expander is None:
            self._expander = getattr(factory, "expander", None) or self._open_expander()
            self._expander.show(beside)
        return wrong

    def _open_expander(self) -> Expander:
        from mind_box.devices.gpio.expander import ExpanderLamps

        return ExpanderLamps(self._settings.expander, self._expander_fault)

    def release(self) -> None:
        """Closes the header's lamps; the pattern is kept for when they are back."""
        for output in self._outputs.values():
            close_quietly(output)
        self._outputs.clear()
        self._lit.clear()

    def wrong(self, what: str, why: str | None) -> None:
        """Says what is wrong with the ``header`` or the ``expander``, or that nothing is any more."""
        if why is not None:
            self._wrong[what] = why
            self.fault.begin("; ".join(self._wrong.values()))
        else:
            self._wrong.pop(what, None)
            if not self._wrong:
                self.fault.end()

    def _levels(self, expander: bool) -> dict[int, bool]:
        """The level of each header pin, or of each line of the expander."""
        lit = self._pattern.lit
        levels = {pin: n in lit[group] for group, pins in self._settings.lamps.items() for n, pin in enumerate(pins, 1)}
        first = EXPANDER_PINS.start if expander else 0
        return {pin - first: on for pin, on in levels.items() if (pin in EXPANDER_PINS) == expander}

    def _write(self) -> None:
        for pin, on in self._levels(expander=False).items():
            output = self._outputs.get(pin)
            if output is None or self._lit[pin] == on:
                continue
            try:
                output.light(on)
                self._lit[pin] = on
            except Exception as e:
                close_quietly(self._outputs.pop(pin))
                e.add_note(f"a lamp ({pin_name(pin)})")
                self._failed(e)
        if self._expander is not None:
            self._expander.show(self._levels(expander=True))

    def _expander_fault(self, why: str | None) -> None:
        """From the expander's thread."""
        if not self.closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.wrong, "expander", why)
