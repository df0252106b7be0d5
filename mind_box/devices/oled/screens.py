"""The screens: one worker per bus; the newest picture wins, and an error never reaches the game."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from mind_box.devices.fault import Fault
from mind_box.devices.oled.i2c import I2CInterface, OpenBus, SharedBus, open_bus
from mind_box.devices.ports import Draw, Screen
from mind_box.pip import pip
from mind_box.settings.schema import ScreenSettings
from mind_box.table.inputs import Input, Post

if TYPE_CHECKING:
    from mind_box.devices.oled.panel import Interface, Panel
    from mind_box.devices.oled.spi import OpenOutput, OpenSpi, SpiBus

log = logging.getLogger(__name__)

Clock = Callable[[], float]

CLOSING = 0.5
"""Seconds that ``close`` waits for the newest picture."""
TOGETHER = 0.25
"""Seconds: what falls due so close to each other is done in one wake-up."""
QUIET = 1.0
"""Seconds without a picture after which a panel is looked after: nobody waits for the bus then."""
BUSY = 3.0
"""Seconds after which it is, however many pictures come: another screen with a loose wire makes one each time."""


class Closable(Protocol):
    """The bus a worker talks on; let go of with its last screen."""

    def close(self) -> None: ...


class Worker:
    """The one thread that talks on a bus.

    Sleeps without a timeout while a level is played, no picture changes and no screen is lost.
    """

    def __init__(self, name: str, bus: Closable, clock: Clock = time.monotonic) -> None:
        self.changed = threading.Condition()
        """Guards what the ports hand over."""
        self._hangs = False
        self._name = name
        self._bus = bus
        self._clock = clock
        self._screens: list[PanelScreen] = []
        self._stop = False

    def add(self, screen: PanelScreen) -> None:
        """Takes a screen of this bus."""
        self._screens.append(screen)

    def start(self) -> None:
        """Starts the thread, which begins by initialising the screens."""
        threading.Thread(target=self._run, name=f"screens {self._name}", daemon=True).start()

    def drain(self, done: Callable[[], bool]) -> None:
        """Waits at most ``CLOSING`` until ``done``; not again once it was in vain. Call it with the lock held."""
        if not self._hangs:
            self._hangs = not self.changed.wait_for(done, CLOSING)

    def remove(self, screen: PanelScreen) -> None:
        """Lets a closed screen go, and the bus with the last one. Call it with the lock held."""
        self._screens.remove(screen)
        self._stop = not self._screens
        self.changed.notify_all()

    def _run(self) -> None:
        while True:
            with self.changed:
                while not (self._stop or self.due()):
                    self.changed.wait(self.patience())
                if self._stop:
                    break
            self.step()
        self._bus.close()

    def due(self) -> bool:
        """Whether ``step`` has something to do now."""
        now = self._clock()
        return any(screen.due(now) for screen in self._screens)

    def patience(self) -> float | None:
        """Seconds until a lost screen is tried again or one is looked after; None: only a picture brings work."""
        times = [at for screen in self._screens if (at := screen.timer()) is not None]
        return max(0.0, min(times) - self._clock()) if times else None

    def step(self) -> None:
        """Does what is due, each screen's newest picture once; looks after the panels while no picture waits."""
        with self.changed:
            soon = self._clock() + TOGETHER
            due = [screen for screen in self._screens if screen.due(soon)]
        for screen in sorted(due, key=lambda screen: not screen.waits):
            if screen.waits or screen.fault.lost or not any(other.waits for other in self._screens):
                screen.work()


class PanelScreen:
    """The ``Screen`` port over one panel. Its methods may be called from any thread."""

    def __init__(self, name: str, panel: Panel, worker: Worker, post: Post, clock: Clock = time.monotonic) -> None:
        self.name = name
        self.fault = Fault.posted(name, self._post_edge, log, clock)
        self._panel = panel
        self._clock = clock
        self._worker = worker
        self._post = post
        # Handed over, under the worker's lock:
        self._next: Draw | None = None
        self._level: int | None = None
        self._rests: bool | None = None
        """Whether no level is played; None: nobody said."""
        self._shown_at = self._resting_since = 0.0
        self._work_waits = True
        self._busy = False
        self._closed = False
        # The worker's own:
        self._frame: bytes | None = None
        self._ready = False
        self._lit: tuple[int | None] | None = None
        """The brightness last sent; None while the panel is dark after its initialisation."""
        self._cannot_draw = False
        worker.add(self)

    @property
    def size(self) -> tuple[int, int]:
        return self._panel.size

    def show(self, draw: Draw) -> None:
        with self._worker.changed:
            self._next = draw
            self._shown_at = self._clock()
            self._hand_over()

    def brightness(self, level: int) -> None:
        if not 0 <= level <= 255:
            raise ValueError(f"brightness is 0 to 255, not {level}")
        with self._worker.changed:
            if level != self._level:
                self._level = level
                self._hand_over()

    def resting(self, yes: bool) -> None:
        with self._worker.changed:
            if yes != self._rests and not self._closed:
                self._rests = yes
                self._resting_since = self._clock()
                self._worker.changed.notify_all()  # it may have to set its alarm

    def _hand_over(self) -> None:
        if not self._closed:
            self._work_waits = True
            self._worker.changed.notify_all()

    def close(self) -> None:
        with self._worker.changed:
            if self._closed:
                return
            self._worker.drain(self._out)
            self._closed = True
            self._worker.remove(self)

    def _out(self) -> bool:
        """Whether the newest picture is on the glass, or will not get there soon."""
        return self.fault.lost or not (self._work_waits or self._busy)

    def due(self, now: float) -> bool:
        """Whether ``work`` has something to do at this time. Call it with the worker's lock held."""
        at = self.timer()
        return self.waits or (at is not None and now >= at)

    @property
    def waits(self) -> bool:
        """Whether a picture waits that could go out."""
        return self._work_waits and not self.fault.lost

    def timer(self) -> float | None:
        """When there is work without a new picture: the next try, or the next look after the panel."""
        if self.fault.lost:
            return self.fault.retry_at
        if not (self._rests and self._ready and self._lit):
            return None
        at = max(self._panel.look_at, self._resting_since)
        return max(at, min(self._shown_at + QUIET, at + BUSY))

    def work(self) -> None:
        """One try to bring the newest picture out. Only the worker calls it; it never raises."""
        with self._worker.changed:
            if self._closed:
                return
            draw, self._next = self._next, None
            level = self._level
            look = self._rests and not (self._work_waits or self.fault.lost)
            thrifty = self._rests is not None  # what a spark does is found by the clock soon, or by the next picture
            self._work_waits = False
            self._busy = True
        try:
            if draw is not None:
                self._draw(draw)
            if look:
                self._panel.look()
            else:
                self._bring_out(level, thrifty)
        except Exception as e:  # luma has two families of errors, and a library may bring more
            self._ready = False
            self.fault.failed(self._panel.explain(e))
        else:
            self.fault.end()
        with self._worker.changed:
            self._busy = False
            self._worker.changed.notify_all()

    def _draw(self, draw: Draw) -> None:
        """A picture that cannot be drawn is dropped; it is told once, until one can be drawn again."""
        try:
            self._frame = self._panel.pack(draw())
            self._cannot_draw = False
        except Exception:
            if not self._cannot_draw:
                log.exception("%s: a picture could not be drawn; the last one stays", self.name)
            self._cannot_draw = True

    def _bring_out(self, level: int | None, thrifty: bool) -> None:
        if not self._ready:
            self._lit = None
            self._panel.initialise()
            if self._panel.wrong_driver and not self.fault.lost:
                cure = f'if the picture is shifted or torn, set screen.driver = "{self._panel.wrong_driver}"'
                log.warning("%s: the controller answers like an %s: %s", self.name, self._panel.wrong_driver, cure)
        if self._frame is not None:
            self._panel.update(self._frame, thrifty)
            if self._lit != (level,):
                self._panel.light(level)
                self._lit = (level,)
        self._ready = True

    def _post_edge(self, message: Input) -> None:
        """An edge of the fault, from the worker: none after ``close``."""
        with self._worker.changed:
            if not self._closed:
                self._post(message)


def open_screens(
    screens: Sequence[ScreenSettings],
    post: Post,
    *,
    open_bus: OpenBus = open_bus,
    open_output: OpenOutput | None = None,
    open_spi: OpenSpi | None = None,
    clock: Clock = time.monotonic,
    make_worker: Callable[[str, Closable, Clock], Worker] = Worker,
) -> dict[str, Screen]:
    """The screens by name. Never fails for absent hardware: that is posted, and tried again.

    ``open_bus`` opens an I2C bus by its name in the settings; give another for models.
    ``open_output`` and ``open_spi`` are for displays on SPI: their pins (None: of the pin factory that
    ``open_pins`` chose) and the spidev object (None: the real one). ``make_worker`` makes the worker of a bus:
    another one than a thread where time is virtual.
    """
    ports: dict[str, Screen] = {}
    workers: dict[str, Worker] = {}
    i2c: dict[str, SharedBus] = {}
    spi: dict[str, SpiBus] = {}
    for settings in screens:
        interface: Interface
        bus: Closable
        if settings.bus.startswith("spi-"):
            from mind_box.devices.gpio.pins import header_output
            from mind_box.devices.oled.spi import SpiBus, SpiInterface, open_spidev

            key = settings.bus.partition(".")[0]  # one worker for all chip selects: they may share a data/command pin
            bus = spi.setdefault(key, SpiBus(open_output or header_output, open_spi or open_spidev))
            interface = SpiInterface(bus, settings.bus, settings.dc_pin, settings.reset_pin)
        else:
            key = settings.bus
            bus = i2c.setdefault(key, SharedBus(key, open_bus))
            interface = I2CInterface(bus, settings.address, settings.mux, settings.channel)
        if key not in workers:
            workers[key] = make_worker(key, bus, clock)
        panel = _panel(settings, interface, clock)
        ports[settings.name] = PanelScreen(settings.name, panel, workers[key], post, clock)
    for worker in workers.values():
        worker.start()
    return ports


class NoPanel:
    """Stands in for a panel that could not be made: the screen is lost, and the box goes on."""

    def __init__(self, settings: ScreenSettings, error: Exception) -> None:
        self.size = settings.size
        self._driver = settings.driver
        self._error = error

    def initialise(self) -> NoReturn:
        raise self._error

    def pack(self, image: object) -> bytes:  # noqa: ARG002
        return b""

    def explain(self, error: Exception) -> str:
        """What is wrong, and what to do about it."""
        cure = f"check screen.driver, then the package: {pip('install', '--force-reinstall', 'luma.oled')}"
        return f"luma.oled makes no {self._driver} ({type(error).__name__}: {error}): {cure}"


def _panel(settings: ScreenSettings, interface: Interface, clock: Clock) -> Any:
    try:
        from mind_box.devices.oled.panel import Panel

        return Panel(settings.driver, interface, settings.height, settings.rotate, settings.column, clock)
    except Exception as e:  # whatever a library that does not fit brings
        return NoPanel(settings, e)
