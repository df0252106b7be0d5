"""A box without hardware: buttons that can be pressed, lamps that can be looked at, cables that can be pulled.

A ``VirtualBox`` is the physical thing: it keeps its state when the daemon dies. ``open`` gives a daemon its ports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mind_box.devices.ports import Devices, Draw
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Post, Scan, TrayEmpty

TABLE_SCREENS = ("table-screen", "table-screen 2")
READER = "reader"


def _nobody(_: Input) -> None:
    """No daemon is running."""


class VirtualBox:
    """``seats``: 2 to 8. ``clock`` gives the seconds that inputs are stamped with."""

    def __init__(self, seats: int, clock: Callable[[], float], seat_screens: bool = True) -> None:
        self.seats = seats
        self.lamps = VirtualLamps()
        names = [*TABLE_SCREENS, *(f"seat-screen {n}" for n in range(1, seats + 1) if seat_screens)]
        self.screens = {name: VirtualScreen(name) for name in names}
        self._clock = clock
        self._post: Post = _nobody
        self._down: set[int] = set()
        self._unplugged: set[str] = set()
        self._has_tray = False
        """Whether its reader looks at a pile: since the first card was laid there, or taken away."""
        self._pile: list[str] = []
        """What lies under the reader of the tray, the bottom first."""

    @property
    def devices(self) -> tuple[str, ...]:
        """What can be unplugged."""
        return (READER, *self.screens)

    def open(self, post: Post) -> Devices:
        """The ports for a daemon that has just started; what is unplugged is reported at once."""
        self._post = post
        for name in sorted(self._unplugged):
            post(DeviceLost(name, "unplugged", self._clock()))
        if self._has_tray:
            self._look_at_pile()
        return Devices(_Buttons(self), self.lamps, dict(self.screens), [_Reader(self)])

    def cut_power(self) -> None:
        """The daemon is gone: nothing hears the buttons, lamps and screens are dark."""
        self._post = _nobody
        self.lamps.show(LampPattern())
        for screen in self.screens.values():
            screen.go_dark()

    def press(self, button: int) -> None:
        """The button goes down; pressing what is down changes nothing."""
        self._set(button, True)

    def lift(self, button: int) -> None:
        """The button comes up."""
        self._set(button, False)

    def _set(self, button: int, down: bool) -> None:
        if down != self.is_down(button):
            self._down.symmetric_difference_update({button})
            self._post(Edge(button, down, self._clock()))

    def is_down(self, button: int) -> bool:
        """Whether a finger is on it."""
        return button in self._down

    def scan(self, payload: str) -> None:
        """A card is shown to the reader; an unplugged reader sees nothing."""
        if READER not in self._unplugged:
            self._post(Scan(payload, self._clock()))

    def lay(self, payload: str) -> None:
        """A card is laid on the pile, under a reader that looks at it."""
        self._pile.append(payload)
        self._look_at_pile()

    def take(self) -> None:
        """The pile's top card is lifted: what lay below comes to light. The last one: the tray is seen empty."""
        del self._pile[-1:]
        self._look_at_pile()

    def clear(self) -> None:
        """The whole pile is taken off, and the tray seen empty."""
        self._pile.clear()
        self._look_at_pile()

    def _look_at_pile(self) -> None:
        self._has_tray = True
        if READER not in self._unplugged:
            now = self._clock()
            self._post(Scan(self._pile[-1], now, tray=True) if self._pile else TrayEmpty(now))

    def unplug(self, device: str) -> None:
        """Pulls a device's cable."""
        if device not in self._unplugged:
            self._unplugged.add(device)
            self._post(DeviceLost(device, "unplugged", self._clock()))

    def plug(self, device: str) -> None:
        """Puts the cable back."""
        if device in self._unplugged:
            self._unplugged.discard(device)
            self._post(DeviceBack(device, self._clock()))

    def disconnect(self) -> None:
        """The daemon has closed its ports."""
        self._post = _nobody


class VirtualLamps:
    """The ``Lamps`` port: remembers what is lit."""

    def __init__(self) -> None:
        self.pattern = LampPattern()

    def show(self, pattern: LampPattern) -> None:
        self.pattern = pattern

    def close(self) -> None:
        self.pattern = LampPattern()


class VirtualScreen:
    """The ``Screen`` port: keeps the newest picture and draws it only when somebody looks."""

    size = (128, 64)

    def __init__(self, name: str) -> None:
        self.name = name
        self.level = 255
        self._draw: Draw | None = None

    def show(self, draw: Draw) -> None:
        self._draw = draw

    def brightness(self, level: int) -> None:
        self.level = level

    def resting(self, yes: bool) -> None:
        """There is nothing to look after."""

    def close(self) -> None:
        """The picture stays on the glass."""

    def go_dark(self) -> None:
        """No power."""
        self._draw = None

    @property
    def picture(self) -> Draw | None:
        """Draws what is on the glass; None: dark."""
        return self._draw


class _Buttons:
    def __init__(self, box: VirtualBox) -> None:
        self._box = box

    def level(self, button: int) -> bool:
        return self._box.is_down(button)

    def look(self) -> Mapping[int, bool]:
        return {button: self._box.is_down(button) for button in range(STAR, self._box.seats + 1)}

    def close(self) -> None:
        self._box.disconnect()


class _Reader:
    def __init__(self, box: VirtualBox) -> None:
        self._box = box

    def close(self) -> None:
        self._box.disconnect()
