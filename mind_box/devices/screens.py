"""The screens: one worker per bus; the newest picture wins, and an error never reaches the game."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from mind_box.config import ScreenSettings
from mind_box.devices.fault import Fault
from mind_box.devices.i2c import I2CPort, OpenBus, SharedBus, explain, open_linux_bus
from mind_box.devices.ports import Draw, Screen
from mind_box.table.inputs import Input, Post

if TYPE_CHECKING:
    from mind_box.devices.oled import Panel

log = logging.getLogger(__name__)

Clock = Callable[[], float]

CLOSING = 0.5
"""Seconds that ``close`` waits for the newest picture."""
TOGETHER = 0.25
"""Seconds: tries that fall due so close to each other are made in one wake-up."""


class Closable(Protocol):
    """The way a worker talks through; closed with it."""

    def close(self) -> None: ...


class Worker:
    """The one thread that talks on a bus. Sleeps without a timeout while no picture changes and none is lost."""

    def __init__(self, name: str, way: Closable, clock: Clock = time.monotonic) -> None:
        self.name = name
        self.changed = threading.Condition()
        """Guards what the ports hand over."""
        self._way = way
        self._clock = clock
        self._screens: list[PanelScreen] = []
        self._thread: threading.Thread | None = None
        self._stop = False

    def add(self, screen: PanelScreen) -> None:
        """Takes a screen of this bus."""
        self._screens.append(screen)

    def start(self) -> None:
        """Starts the thread; the screens are initialised by it."""
        self._thread = threading.Thread(target=self._run, name=f"screens {self.name}", daemon=True)
        self._thread.start()

    def remove(self, screen: PanelScreen) -> None:
        """Lets a closed screen go, and the bus with the last one."""
        with self.changed:
            if screen in self._screens:
                self._screens.remove(screen)
            self._stop = not self._screens
            self.changed.notify_all()

    def _run(self) -> None:
        while True:
            with self.changed:
                while not self._stop and not self.due():
                    self.changed.wait(self.patience())
                if self._stop:
                    break
            self.step()
        self._way.close()

    def due(self) -> bool:
        """Whether a ``step`` has something to do now."""
        now = self._clock()
        return any(screen.due(now) for screen in self._screens)

    def patience(self) -> float | None:
        """Seconds until the next try of a lost screen; None: only a new picture can bring work."""
        tries = [s.fault.retry_at for s in self._screens if s.fault.lost]
        return max(0.0, min(tries) - self._clock()) if tries else None

    def step(self) -> None:
        """Does what is due, each screen's newest picture once."""
        with self.changed:
            soon = self._clock() + TOGETHER
            due = [screen for screen in self._screens if screen.due(soon)]
        for screen in due:
            screen.work()


class PanelScreen:
    """The ``Screen`` port over one panel. Its methods may be called from any thread but the worker's."""

    def __init__(
        self, settings: ScreenSettings, panel: Panel, worker: Worker, post: Post, clock: Clock = time.monotonic
    ) -> None:
        self.fault = Fault(settings.name, self._told, log, clock)
        self._settings = settings
        self._panel = panel
        self._worker = worker
        self._post = post
        self._next: Draw | None = None
        self._level: int | None = None
        self._new_level = False
        self._busy = False
        self._closed = False
        # The worker's own:
        self._ready = False
        self._frame: bytes | None = None
        self._lit: tuple[int | None] | None = None
        """The brightness last sent; None while the panel is dark after its initialisation."""
        self._bad_draw = False
        worker.add(self)

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def size(self) -> tuple[int, int]:
        return self._panel.size

    def show(self, draw: Draw) -> None:
        with self._worker.changed:
            if not self._closed:
                self._next = draw
                self._worker.changed.notify_all()

    def brightness(self, level: int) -> None:
        if not 0 <= level <= 255:
            raise ValueError(f"brightness is 0 to 255, not {level}")
        with self._worker.changed:
            if not self._closed and level != self._level:
                self._level = level
                self._new_level = True
                self._worker.changed.notify_all()

    def close(self) -> None:
        with self._worker.changed:
            if self._closed:
                return
            self._worker.changed.wait_for(lambda: self.fault.lost or not (self._busy or self.due(0.0)), CLOSING)
            self._closed = True
        self._worker.remove(self)

    def due(self, now: float) -> bool:
        """Whether ``work`` has something to do at this time. Call it with the worker's lock held."""
        if self.fault.lost:
            return now >= self.fault.retry_at
        return self._next is not None or self._new_level or not self._ready

    def work(self) -> None:
        """One try to bring the newest picture out. Only the worker calls it; it never raises."""
        with self._worker.changed:
            draw, self._next = self._next, None
            level, self._new_level = self._level, False
            self._busy = True
        try:
            if draw is not None:
                self._draw(draw)
            self._bring_out(level)
        except Exception as e:  # luma has two families of errors, and a library may bring more
            self._ready = False
            known = isinstance(e, OSError) or type(e).__name__ == "DeviceNotFoundError"
            if not known and not self.fault.lost:
                log.exception("%s: unexpected error", self.name)
            self.fault.begin(explain(e, self._settings.bus, self._settings.address))
        else:
            self.fault.end()
        finally:
            with self._worker.changed:
                self._busy = False
                self._worker.changed.notify_all()

    def _draw(self, draw: Draw) -> None:
        """Renders; a picture that cannot be drawn is dropped, told once until one can be again."""
        try:
            self._frame = self._panel.pack(draw())
            self._bad_draw = False
        except Exception:
            if not self._bad_draw:
                log.exception("%s: a picture could not be drawn; the last one stays", self.name)
            self._bad_draw = True

    def _bring_out(self, level: int | None) -> None:
        if not self._ready:
            self._lit = None
            self._panel.initialise()
        if self._frame is not None:
            self._panel.update(self._frame)
            if self._lit != (level,):
                self._panel.light(level)
                self._lit = (level,)
        self._ready = True

    def _told(self, message: Input) -> None:
        with self._worker.changed:
            if not self._closed:
                self._post(message)


def open_screens(
    screens: Sequence[ScreenSettings],
    post: Post,
    *,
    open_bus: OpenBus = open_linux_bus,
    clock: Clock = time.monotonic,
    start: bool = True,
) -> dict[str, Screen]:
    """The screens by name. Never fails for absent hardware: that is posted, and tried again.

    ``open_bus`` opens an I2C bus by its name in the settings (for ``sim:`` and for models). ``start=False``
    leaves the workers without threads, for tests that step them.
    """
    from mind_box.devices.oled import Panel

    ports: dict[str, Screen] = {}
    workers: dict[str, Worker] = {}
    buses: dict[str, SharedBus] = {}
    for settings in screens:
        key = settings.bus
        if key not in workers:
            buses[key] = SharedBus(settings.bus, open_bus)
            workers[key] = Worker(key, buses[key], clock)
        port = I2CPort(buses[key], settings.address, settings.mux, settings.channel)
        panel = Panel(settings.driver, port, settings.height, settings.rotate, settings.column)
        ports[settings.name] = PanelScreen(settings, panel, workers[key], post, clock)
    if start:
        for worker in workers.values():
            worker.start()
    return ports
