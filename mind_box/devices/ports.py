"""The ports: what the daemon asks of the hardware, real or virtual.

Every port obeys the same promises, and one contract suite holds real and virtual ones to them:

* Making a port never fails because hardware is absent: the port posts ``DeviceLost`` and keeps trying.
* No call blocks for longer than it takes to hand work over, and none raises because of a device.
* A fault is posted and logged once when it begins (``DeviceLost``) and once when it ends (``DeviceBack``).
* After ``close()`` nothing is posted any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from PIL import Image

from mind_box.game.values import dataclass
from mind_box.show.lamps import LampPattern

Draw = Callable[[], Image.Image]
"""Draws one picture when it is wanted: mode ``1``, exactly the screen's size."""


class Buttons(Protocol):
    """All buttons of the box. Posts an ``Edge`` for each raw level change."""

    def level(self, button: int) -> bool:
        """The raw level now: true while the button is down. STAR is 0, seats are 1 to 8."""
        ...

    def look(self) -> Mapping[int, bool]:
        """The raw level now of each button that can be read, not of one whose chip is gone.

        An edge that has come by then has been posted when this returns. For the loop's thread.
        """
        ...

    def close(self) -> None: ...


class Lamps(Protocol):
    """All lamps of the box."""

    def show(self, pattern: LampPattern) -> None:
        """Lights exactly this pattern; the same pattern again does nothing."""
        ...

    def close(self) -> None:
        """All lamps off."""
        ...


class Screen(Protocol):
    """One 1-bit screen. The newest picture wins; a stale one may never be drawn."""

    @property
    def name(self) -> str:
        """``table-screen``, ``table-screen 2`` or ``seat-screen N``."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels: (128, 64) or (128, 32); (64, 128) on a table screen that stands upright."""
        ...

    def show(self, draw: Draw) -> None:
        """Shows the picture that ``draw`` returns; ``draw`` may run in a worker, later, or never."""
        ...

    def brightness(self, level: int) -> None:
        """0 is off, 255 is full."""
        ...

    def resting(self, yes: bool) -> None:
        """Whether no level is played: only then, and only once told, may a screen do anything by the clock (R18)."""
        ...

    def close(self) -> None:
        """Waits (at most 0.5 s) until the newest picture is out, then lets go; the picture stays on the glass."""
        ...


class Reader(Protocol):
    """A card reader. Posts a ``Scan`` for each card shown; a card left lying on it is one scan."""

    def close(self) -> None: ...


class Sound(Protocol):
    """The optional piezo."""

    def play(self, tune: str) -> None:
        """Plays the tune of a notice code (``error``, ``level_complete``, ...); unknown ones are silence."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Devices:
    """Everything a box is wired to."""

    buttons: Buttons
    lamps: Lamps
    screens: Mapping[str, Screen]
    readers: Sequence[Reader]
    sound: Sound | None = None

    def close(self) -> None:
        """Closes every port, the lamps last."""
        for screen in self.screens.values():
            screen.close()
        for reader in self.readers:
            reader.close()
        if self.sound is not None:
            self.sound.close()
        self.buttons.close()
        self.lamps.close()
