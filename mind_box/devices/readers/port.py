"""The one supervised port behind every reader: opens it, feeds its driver, finds it again.

It waits on the file descriptor in the loop: a healthy reader that has nothing to say costs no wake-up, an absent one
is opened when the kernel tells that its file appears, and looked for once a second besides.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from mind_box.devices.fault import Fault
from mind_box.devices.readers.appearance import Appearance
from mind_box.devices.readers.driver import Action, Driver, Emptied, Misset, Say, Seen, Send, Silent, Working
from mind_box.devices.readers.transport import Gone, Transport
from mind_box.table.inputs import DeviceBack, DeviceLost, Post, Scan, TrayEmpty

_log = logging.getLogger(__name__)

RETRY: Final = (0.25, 1.0)
"""Seconds between two looks for an absent device: the first, and the longest."""
SETTLE: Final = 0.25
"""Seconds that a device which was lost must stay open before it is said to be back."""


def setting_of(name: str) -> str:
    """What it is called that a reader of this name works, but is set so that its codes cannot count."""
    return name.replace("reader", "reader-setting", 1)


class Port:
    """One reader. Nothing it does raises; after ``close()`` it posts nothing."""

    def __init__(
        self,
        name: str,
        opener: Callable[[], Transport],
        driver: Driver,
        post: Post,
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float],
        path: str | None = None,
        tray: bool = False,
    ) -> None:
        """Tries to open the device at once.

        ``name`` is what losses are posted under. ``opener`` returns the open device or raises ``Gone``.
        ``clock`` is in seconds and is the loop's own (``loop.time``, which is ``time.monotonic``). ``path`` is the
        device's file, whose appearance is watched for; without it the device is only looked for again and again.
        ``tray``: it looks at the pile itself.
        """
        self._name = name
        self._opener = opener
        self.driver = driver
        self._post = post
        self._loop = loop
        self._clock = clock
        self._tray = tray
        self._transport: Transport | None = None
        self._closed = False
        self._fault = Fault.posted(name, post, _log, clock, RETRY)
        self._retry_timer: asyncio.TimerHandle | None = None
        self._settle_timer: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._appearance = Appearance(path, loop, self._appeared) if path else None
        self._open()

    def close(self) -> None:
        """Lets go of the device for good."""
        self._closed = True
        self._fault.close()
        self._drop()
        if self._retry_timer is not None:
            self._retry_timer.cancel()
            self._retry_timer = None
        if self._appearance is not None:
            self._appearance.close()

    def _appeared(self) -> None:
        """Something happened to the device's file. The next look by the clock stays as it was."""
        if self._retry_timer is not None:
            self._retry_timer.cancel()
            self._open()

    def _open(self) -> None:
        self._retry_timer = None
        if self._appearance is not None and self._fault.lost:
            self._appearance.watch()  # first: what comes after the look must not be missed
        try:
            transport = self._opener()
            self._transport = transport
            if self._appearance is not None:
                self._appearance.close()
            self._loop.add_reader(transport.fileno(), self._readable)
            self._carry_out(self.driver.opened(self._clock()))
        except Gone as e:
            self._fail(str(e))
        except Exception as e:  # a library's surprise must not end the search
            if not self._fault.lost:
                _log.exception("%s: opening it went wrong", self._name)
            self._fail(f"opening it went wrong ({e!r}): please report this")

    def _readable(self) -> None:
        self._guarded(self._read)

    def _read(self) -> Sequence[Action]:
        assert self._transport is not None
        data = self._transport.read()
        return self.driver.received(data, self._clock()) if data else ()

    def _timeout(self) -> None:
        self._timer = None
        self._guarded(lambda: self.driver.wake(self._clock()))

    def _guarded(self, step: Callable[[], Sequence[Action]]) -> None:
        """One step of the driver. Whatever it raises becomes a lost device, which is then looked for again."""
        try:
            self._carry_out(step())
        except Gone as e:
            self._fail(str(e))
        except Exception as e:
            _log.exception("%s: its driver went wrong", self._name)
            self._fail(f"its driver went wrong ({e!r}): please report this")

    def _carry_out(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Send(data):
                    assert self._transport is not None
                    self._transport.write(data)
                case Seen(payload, at):
                    self._back()
                    self._post(Scan(payload, at, self._tray))
                case Emptied(at, seen):
                    if seen:
                        self._back()
                    self._post(TrayEmpty(at, seen))
                case Working():
                    self._working()
                case Silent(why):
                    self._unsettle()
                    self._fault.begin(why)
                case Say(text):
                    _log.warning("%s: %s", self._name, text)
                case Misset(why):
                    self._misset(why)
            if self._closed:
                return
        self._arm()

    def _arm(self) -> None:
        """Sets the timer to the driver's deadline; an earlier timer is left, ``wake`` may come early."""
        deadline = self.driver.deadline
        if deadline is None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            return
        if self._timer is not None:
            if self._timer.when() <= deadline:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(deadline, self._timeout)

    def _working(self) -> None:
        if not self._fault.lost:
            self._fault.worked()
        elif self._settle_timer is None:
            self._settle_timer = self._loop.call_later(SETTLE, self._back)

    def _back(self) -> None:
        self._unsettle()
        self._fault.end()

    def _misset(self, why: str) -> None:
        """A fault of its own: the reader is there and works, but its codes cannot count."""
        device = setting_of(self._name)
        self._post(DeviceLost(device, why, self._clock()) if why else DeviceBack(device, self._clock()))
        if not why:
            _log.info("%s: its codes count again", self._name)

    def _fail(self, why: str) -> None:
        self._drop()
        self._fault.failed(why)
        if self._closed:  # whoever was told may have closed the reader
            return
        if self._appearance is not None:
            self._appearance.watch()
        self._retry_timer = self._loop.call_at(self._fault.retry_at, self._open)

    def _unsettle(self) -> None:
        if self._settle_timer is not None:
            self._settle_timer.cancel()
            self._settle_timer = None

    def _drop(self) -> None:
        self._unsettle()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._transport is not None:
            transport, self._transport = self._transport, None
            self._loop.remove_reader(transport.fileno())
            transport.close()
