"""Readers of every kind on their cables, a hand that shows cards to them, and everything that goes wrong there.

The real driver runs above them in a virtual loop, on a pty or an input device, through ``os`` and pyserial.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import pty
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import serial

from mind_box.devices.readers import keyboard, open_reader, transport
from mind_box.devices.readers.board import BoardDriver
from mind_box.devices.readers.driver import Driver
from mind_box.devices.readers.keyboard import EVENT
from mind_box.devices.readers.lines import LineDriver
from mind_box.devices.readers.pn532 import Pn532Driver
from mind_box.devices.readers.port import Port
from mind_box.devices.readers.rdm6300 import RdmDriver, RdmFramer
from mind_box.game.cards import Card
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import Post
from mind_box.table.payload import encode, identity, parse
from tests.readers.bounds import held
from tests.readers.cables import InputDevice, Plug, carry
from tests.readers.faults import ERRORS, OPENING, Injector, answer, rubbish, spoilt, trickle
from tests.readers.keys import packed, typed
from tests.readers.test_rdm6300 import frame

LIBRARY = ("error while open", "error at opening", "one byte at a time", "unplugged")
"""What strikes readers of every kind."""
SERIAL = ("back as another port",)
BREAKING = (
    "error while open", "error at opening", "unplugged", "restarted", "code spoilt", "bare code in pieces",
    "field lost", "mode lost",
)  # fmt: skip
"""What may keep a card from being read; all else does not."""


MOST = {LineDriver: 8_000, RdmDriver: 1_000, Pn532Driver: 4_000, BoardDriver: 20_000}
"""What a driver may hold: the code under way, what was said of it, the cards that rest; a board's every card."""


def assert_bounded(driver: Driver) -> None:
    """Nothing that a driver keeps grows."""
    assert held(driver) <= MOST[type(driver)]


class _Instead:
    """A module with some of its functions replaced."""

    def __init__(self, module: Any, **functions: Any) -> None:
        self._module = module
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class ReaderModel:
    """One reader. To be made in a loop; ``close`` it."""

    kind: str
    kinds: tuple[str, ...]
    """The faults that strike it."""
    errors: float
    """How often reading and writing raise."""
    losses: float = 0
    """How often a line does not take all that is written."""
    patience: float
    """Seconds that a card is held there until the hand tries again."""

    def __init__(self, folder: Path, faults: Injector) -> None:
        self.faults = faults
        self.loop = asyncio.get_running_loop()
        self.cable = self._cable(folder / "reader")
        self.settings = ReaderSettings(kind=self.kind, device=str(self.cable.link))
        self._folder = folder
        self.calm = False
        """While it is true nothing disturbs the reader."""
        self._bytewise = False
        self._openings = 0

    def _cable(self, link: Path) -> Plug | InputDevice:
        return Plug(link)

    @property
    def _rng(self) -> random.Random:
        return self.faults.rng

    def hit(self, what: str, chance: float = 1.0) -> bool:
        return not self.calm and self.faults.hit(f"{self.kind}: {what}", chance)

    @property
    def sure(self) -> bool:
        """Whether a card that is shown now must count."""
        return True

    @property
    def broken(self) -> int:
        """How many faults there were that may keep a card from being read."""
        return sum(self.faults.struck[f"{self.kind}: {what}"] for what in BREAKING)

    # -- the daemon's side

    def open(self, post: Post) -> Port:
        """The real driver, as the box opens it."""
        port = open_reader(self.settings, post, self.loop, run_dir=self._folder)
        assert isinstance(port, Port)
        self.driver: Driver = port.driver
        return port

    @contextlib.contextmanager
    def library(self) -> Iterator[None]:
        """Within it, what transports call fails as devices and libraries do."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(transport, "os", _Instead(os, read=self._read, write=self._write))
            patch.setattr(transport, "serial", _Instead(serial, Serial=self._serial))
            patch.setattr(keyboard, "os", _Instead(os, open=self._open))
            if isinstance(self.cable, InputDevice):
                patch.setattr(keyboard, "ioctl", self.cable.ioctl)
            yield

    def _serial(self, *args: Any, **more: Any) -> serial.Serial:
        if self.hit("error at opening", 0.3):
            raise self.faults.error(OPENING)
        self._openings += 1
        return serial.Serial(*args, **more)

    def _open(self, *args: Any) -> int:
        if self.hit("error at opening", 0.3):
            raise self.faults.error(ERRORS)
        if self.cable.plugged:
            self.cable.sent()  # events from before are nobody's
        self._openings += 1
        return os.open(*args)

    def _read(self, fd: int, count: int) -> bytes:
        if self.hit("error while open", self.errors / 200 if self._bytewise else self.errors):
            raise self.faults.error(ERRORS)
        assert_bounded(self.driver)
        return os.read(fd, 1 if self._bytewise else count)

    def _write(self, fd: int, data: bytes) -> int:
        if self.hit("error while open", self.errors):
            raise self.faults.error(ERRORS)
        if not (isinstance(self.cable, Plug) and self.cable.plugged and os.ttyname(fd) == os.readlink(self.cable.link)):
            return os.write(fd, data)
        if self.hit("line full", self.losses):
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        if self.hit("short write", self.losses):
            data = data[: self._rng.randrange(1, len(data))]
        carry(fd, self.cable.master, data)
        return len(data)

    # -- the hand's side

    def enrolled(self, cards: set[Card]) -> Mapping[str, Card]:
        """The tags of these cards, where tags are known by their numbers."""
        del cards
        return {}

    def payload(self, label: str) -> str:
        """What the reader makes of a label."""
        return label.strip()

    async def show(self, label: str, seen: asyncio.Event, lie: float) -> None:
        """A card is held there until the players see that it counts, lies there for a while, and is taken away."""
        self._bytewise = self.hit("one byte at a time", 0.3)
        await self._show(label, seen, lie)
        self._bytewise = False

    async def _show(self, label: str, seen: asyncio.Event, lie: float) -> None:
        raise NotImplementedError

    async def _wait(self, seen: asyncio.Event) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), self.patience)

    async def _unplugged(self) -> None:
        """The cable falls out, and is put back."""
        self.unplug()
        await asyncio.sleep(self._rng.uniform(0, 3))
        self.plug()

    def plug(self) -> None:
        """The cable is in."""
        spare = pty.openpty() if isinstance(self.cable, Plug) and self.hit("back as another port", 0.5) else ()
        self.cable.plug()
        for end in spare:
            os.close(end)

    def unplug(self) -> None:
        """The cable is out."""
        self.cable.unplug()

    def cut_power(self) -> None:
        """The box had no power for a moment. A scanner forgets nothing."""

    def disturb(self) -> None:
        """Something happens while no card is there."""
        raise NotImplementedError

    def close(self) -> None:
        self.unplug()


class LineModel(ReaderModel):
    """A scanner on a serial line."""

    kind = "serial"
    kinds: tuple[str, ...] = (*LIBRARY, *SERIAL, "rubbish", "code spoilt", "code repeated", "cut at opening",
             "sends when it appears", "code in pieces", "bare code in pieces", "answer of the module")  # fmt: skip
    errors = 0.15
    patience = 1.0
    unit, slow = 1, 0.04
    """Bytes that the kernel hands over as one, and the most seconds between them."""
    typed = False

    def _checked(self, label: str) -> bool:
        """Whether what the reader sends of it carries a check."""
        card = parse(label)
        return card is not None and label == encode(card)

    def _code(self, label: str) -> bytes:
        return label.encode() + b"\r"

    def _spoilt(self, label: str) -> bytes:
        return spoilt(self._rng, self._code(label))

    def _rubbish(self) -> bytes:
        return rubbish(self._rng) + b"\r"

    def _send(self, data: bytes) -> None:
        if self.cable.plugged:
            self.cable.send(data)

    async def _show(self, label: str, seen: asyncio.Event, lie: float) -> None:
        rng, code = self._rng, self._code(label)
        if self.hit("rubbish", 0.3):
            self._send(self._rubbish())
            await asyncio.sleep(rng.uniform(0.1, 0.5))
        if self._checked(label) and self.hit("code spoilt", 0.4):
            self._send(self._spoilt(label))
            await asyncio.sleep(rng.uniform(0.1, 0.5))
            if rng.random() < 0.4:
                return
        if self.hit("unplugged", 0.15):
            at = rng.randrange(1, len(code) // self.unit) * self.unit
            self._send(code[:at])
            await asyncio.sleep(rng.choice((0, 0.01)))
            await self._unplugged()
            if self.hit("cut at opening", 0.5):  # and the scanner goes on where it was
                await asyncio.sleep(0.001)
                self._send(code[at:])
            return
        if self.hit("sends when it appears", 0.1):
            await self._unplugged()
            await asyncio.sleep(rng.choice((0.001, 0.1, 0.3) if self._checked(label) else (0.1, 0.3)))
        await self._strange()
        if self._bytewise:
            openings = self._openings
            for piece, pause in trickle(rng, code, self.unit, self.slow):
                self._send(piece)
                await asyncio.sleep(pause)
                if self._openings > openings:
                    break  # a scanner has sent all of it before a port can be opened again
        elif (pieces := self._in_pieces(label)) and self.hit(pieces, 0.2):
            openings, at = self._openings, rng.randrange(1, len(code) // self.unit) * self.unit
            self._send(code[:at])
            await asyncio.sleep(rng.uniform(0.09, 0.9))
            if self._openings == openings:
                self._send(code[at:])
        else:
            self._send(code)
        again = asyncio.ensure_future(self._repeat(code)) if self.hit("code repeated", 0.5) else None
        await self._wait(seen)
        await asyncio.sleep(lie)
        if again is not None:
            again.cancel()

    def _in_pieces(self, label: str) -> str:
        """A pause costs a code that has no check; where no line end was seen yet, silence is an end of it."""
        if self.typed or self._checked(label):
            return "code in pieces"
        return "bare code in pieces" if isinstance(self.driver, LineDriver) and self.driver.has_ends else ""

    async def _strange(self) -> None:
        """Something comes before a code that is none, and costs nothing."""
        if self.hit("answer of the module", 0.2):
            data = answer(self._rng.randbytes(self._rng.choice((1, 1, 1, 4, 40))), self._rng.choice((2, 3)))
            at = self._rng.randrange(2, len(data))
            self._send(data[:at])
            await asyncio.sleep(self._rng.choice((0, 0.1)))
            self._send(data[at:])
            await asyncio.sleep(self._rng.uniform(0, 0.2))

    async def _repeat(self, code: bytes) -> None:
        """What is in view is read again and again."""
        while True:
            await asyncio.sleep(self._rng.uniform(0.1, 0.9))
            self._send(code)

    def disturb(self) -> None:
        self.hit("rubbish")
        self._send(self._rubbish())


class RdmModel(LineModel):
    """An RDM6300: it knows tags by their numbers, and its frames carry a check."""

    kind = "rdm6300"
    kinds = tuple(kind for kind in LineModel.kinds if kind not in ("answer of the module", "bare code in pieces"))

    async def _strange(self) -> None:
        """Such readers take no commands."""

    def enrolled(self, cards: set[Card]) -> Mapping[str, Card]:
        return {identity(self.payload(str(card))): card for card in cards}

    def payload(self, label: str) -> str:
        return self._number(label).hex(":").upper()

    def _checked(self, label: str) -> bool:
        del label
        return True

    def _number(self, label: str) -> bytes:
        card = parse(label)
        return b"\x01" + crc32((label if card is None else str(card)).encode()).to_bytes(4, "big")

    def _code(self, label: str) -> bytes:
        return frame(self._number(label))

    def _spoilt(self, label: str) -> bytes:
        return spoilt(self._rng, self._code(label), lambda data: any(RdmFramer().feed(data)))


class HidModel(LineModel):
    """A scanner that pretends to be a keyboard."""

    kind = "hid"
    kinds = (*LIBRARY, "rubbish", "code spoilt", "code repeated", "cut at opening", "sends when it appears",
             "code in pieces", "key stuck")  # fmt: skip
    unit, slow = EVENT.size, 0.1  # there are up to six events from one key to the next
    typed = True

    def _cable(self, link: Path) -> InputDevice:
        return InputDevice(link)

    def _code(self, label: str) -> bytes:
        return packed(typed(label + "\r"))

    def _spoilt(self, label: str) -> bytes:
        """Some keys are lost or wrong, or the kernel says that it lost some."""
        if self._rng.random() < 0.5:
            return packed(typed(spoilt(self._rng, label.encode(), letters=b"0123456789ABCDEFM:").decode()))
        at = self._rng.randrange(1, len(label))
        return packed([*typed(label[:at]), (0, 3, 0), *typed(label[at:])])

    def _rubbish(self) -> bytes:
        return packed(typed("".join(self._rng.choices("abcxyz:;/-", k=self._rng.randint(1, 20))) + "\r"))

    async def _strange(self) -> None:
        if self.hit("key stuck", 0.2):
            key = self._rng.choice((42, 54, 29, 97, 56, 100, 58, 69))
            self._send(packed([(1, key, 1), (0, 0, 0), *typed(self._rng.choice(("M", "x", "-")) + "\r")]))
            await asyncio.sleep(self._rng.uniform(0, 0.5))
