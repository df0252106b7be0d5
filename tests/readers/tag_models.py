"""Readers of tags on their cables: a PN532, and our own reader board."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

from mind_box.devices.nfc.link import line
from mind_box.devices.readers.board import RESTED
from mind_box.devices.readers.pn532 import tag_payload
from tests.firmware.board import harm
from tests.firmware.model_board import ModelBoard
from tests.models.pn532_chip import ERROR, Faults, Pn532Chip
from tests.models.tags import Field, Ntag
from tests.readers.cables import Plug
from tests.readers.faults import Injector, rubbish
from tests.readers.models import LIBRARY, SERIAL, ReaderModel
from tests.readers.pair import Chip


class TagModel(ReaderModel):
    """A reader of tags that one can talk to: a chip on a pty."""

    patience = 4.0
    chip: Chip
    _timer: asyncio.TimerHandle | None = None

    def payload(self, label: str) -> str:
        return tag_payload(uid(label), label)

    def put(self, label: str) -> None:
        """The tag comes into the field."""
        raise NotImplementedError

    def take(self) -> None:
        """It is taken away."""
        raise NotImplementedError

    def restart(self) -> None:
        """The chip's power fails for a moment."""
        raise NotImplementedError

    def noise(self) -> None:
        """Bytes that nobody sent."""
        raise NotImplementedError

    def disturb(self) -> None:
        if self.hit("restarted", 0.5):
            self.restart()
        elif self.hit("noise"):
            self.noise()

    async def _show(self, label: str, seen: asyncio.Event, lie: float) -> None:
        rng = self._rng
        if self.hit("noise", 0.2):
            self.noise()
        self.put(label)
        if self.hit("unplugged", 0.15):
            await asyncio.sleep(rng.uniform(0, 0.2))
            if rng.random() < 0.5:
                self.take()
                await self._unplugged()
                return
            await self._unplugged()
        elif self.hit("restarted", 0.2):
            await asyncio.sleep(rng.uniform(0, 0.2))
            self.restart()
        await self._wait(seen)
        await asyncio.sleep(lie)
        self.take()

    def plug(self) -> None:
        super().plug()
        assert isinstance(self.cable, Plug)
        self.loop.add_reader(self.cable.master, self._readable)
        self.restart()

    def unplug(self) -> None:
        if isinstance(self.cable, Plug) and self.cable.plugged:
            self.loop.remove_reader(self.cable.master)
        super().unplug()
        self._turn()

    def _readable(self) -> None:
        self.chip.feed(self.cable.sent(), self.loop.time())
        self._turn()

    def _turn(self) -> None:
        """The chip does what is due, and says when it wants to go on."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.cable.plugged:
            return
        now = self.loop.time()
        if data := self.chip.take(now):
            self.cable.send(data)
        due = self.chip.due
        if due is not None:
            self._timer = self.loop.call_at(max(due, now), self._turn)


class CountedFaults(Faults):
    """Faults of a PN532's line that are counted."""

    count: Callable[[str], object] = staticmethod(lambda _: None)

    def happens(self, what: str) -> bool:
        happens = super().happens(what)
        if happens:
            self.count(what)
        return happens


class Pn532Model(TagModel):
    """A PN532 on a serial line."""

    kind = "pn532"
    errors, losses = 0.01, 0.02
    kinds = (*LIBRARY, *SERIAL, "line full", "short write", "restarted",
             "frame cut", "frame flip", "frame noise", "frame mute", "frame late", "frame missed", "noise",
             "field lost", "mode lost", "call not acknowledged", "two refused")  # fmt: skip

    chip: Pn532Chip

    def __init__(self, folder: Path, faults: Injector) -> None:
        super().__init__(folder, faults)
        self.field = Field()
        bad = CountedFaults(faults.rng, cut=0.03, flip=0.03, noise=0.03, mute=0.02, late=0.02, missed=0.2)
        bad.calm = lambda: self.calm or not faults.on
        bad.count = lambda what: self.hit(f"frame {what}")
        self.chip = Pn532Chip(self.field, 1 / 11520, bad)
        self.chip.trouble = self._trouble
        self._one = faults.rng.random() < 0.5

    @property
    def sure(self) -> bool:
        """Not without field or mode: the driver writes them again every 14 s."""
        return self.chip.field_on and self.chip.normal

    def _trouble(self, command: bytes) -> bytes | None:
        """A chip that refuses two tags does so for ever; another call for tags is lost now and then."""
        if self._one and command.startswith(b"\x4a\x02") and self.hit("two refused"):
            return ERROR
        if command[0] == 0x4A and not self.calm and self.hit("call not acknowledged", 0.02):
            return b""
        return None

    def disturb(self) -> None:
        if self.hit("field lost", 0.2):
            self.chip.field_on = False
        elif self.hit("mode lost", 0.2):
            self.chip.normal = False
        else:
            super().disturb()

    def put(self, label: str) -> None:
        self._tag = Ntag(uid(label), label)
        self.field.put(self._tag)
        self._turn()

    def take(self) -> None:
        self.field.take(self._tag)
        self._turn()

    def restart(self) -> None:
        self.chip.restart()
        self._turn()

    def cut_power(self) -> None:
        self.restart()

    def noise(self) -> None:
        self.cable.send(self._rng.randbytes(self._rng.randint(1, 300)))


class BoardModel(TagModel):
    """Our reader board: its firmware's messages on USB."""

    kind = "firmware"
    errors, losses = 0.03, 0.06
    kinds = (*LIBRARY, *SERIAL, "line full", "short write", "restarted", "line harmed", "noise")

    def __init__(self, folder: Path, faults: Injector) -> None:
        super().__init__(folder, faults)
        self._lying: str | None = None
        self._spoil = harm(faults.rng, 0.1)
        self.chip = self._board = ModelBoard(self._harm)

    @property
    def sure(self) -> bool:
        """What lay there when it restarted may be the same showing."""
        return self._board.on and self._board.ms(self.loop.time()) > RESTED

    def _harm(self, data: bytes) -> bytes:
        if self.calm or not self.faults.on:
            return data
        arrived = self._spoil(data)
        if arrived != data:
            self.hit("line harmed")
        return arrived

    def put(self, label: str) -> None:
        self._lying = label
        self._board.card(uid(label), label, self.loop.time())
        self._turn()

    def take(self) -> None:
        label, self._lying = self._lying, None
        if self._board.on and label is not None:
            self._board.gone(uid(label), self.loop.time())
        self._turn()

    def unplug(self) -> None:
        self._board.stop()
        super().unplug()

    def restart(self) -> None:
        """It sees anew what lies there."""
        self._board.start(self.loop.time())
        if self._lying is not None:
            self._board.card(uid(self._lying), self._lying, self.loop.time())
        self._turn()

    def cut_power(self) -> None:
        """Sometimes it was only the box's program that died: the board goes on."""
        if not self.faults.on or self._rng.random() < 0.5:
            self.restart()

    def noise(self) -> None:
        junk = rubbish(self._rng, 50)
        if self._rng.random() < 0.5:
            self.cable.send(junk + b"\n")
        else:
            self.chip.feed(b"AT\r\x03" + junk + line("Q")[1:], self.loop.time())


def uid(label: str) -> bytes:
    """The number of a card's tag."""
    return b"\x04" + crc32(label.encode()).to_bytes(4, "big") + b"\xa1\xb2"
