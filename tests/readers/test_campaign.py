"""Random faults on every kind of reader: each card exactly once, nothing grows, nothing dies.

A few hundred faults here; ``MIND_BOX_CAMPAIGN=N`` makes it N times longer, ``MIND_BOX_SEED`` another evening. Only what
carries a check is damaged: a bare ``42`` cut to ``4`` is a card.
"""

from __future__ import annotations

import logging
import os
import random
from collections import Counter
from functools import partial

import pytest

from mind_box.devices.readers import open_reader
from mind_box.devices.readers.pn532 import Pn532Driver
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import encode, parse
from tests.models.pn532_chip import Faults, Pn532Chip
from tests.models.tags import Field, Ntag, Tag
from tests.readers.cables import Plug
from tests.readers.conftest import Inbox, VirtualLoop
from tests.readers.faults import rubbish, spoilt, trickle
from tests.readers.models import assert_bounded
from tests.readers.pair import Pair
from tests.readers.test_rdm6300 import frame

pytestmark = pytest.mark.slow

LONG = int(os.environ.get("MIND_BOX_CAMPAIGN", "1"))
SEED = int(os.environ.get("MIND_BOX_SEED", "1"))


@pytest.mark.parametrize("kind", ["serial", "rdm6300"])
def test_serial_readers(
    kind: str, loop: VirtualLoop, plug: Plug, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(SEED)
    plug.plug()
    reader = open_reader(ReaderSettings(kind=kind, device=str(plug.link)), inbox.append, loop)
    loop.run(1)
    cards = list(range(1, 101)) * LONG
    rng.shuffle(cards)
    want: list[object] = []
    lost = 0
    for n, card in enumerate(cards):
        number = bytes((1, 2, 3, n >> 8 & 255, n & 255))
        code = encode(card).encode() + b"\r" if kind == "serial" else frame(number)
        want.append(card if kind == "serial" else number.hex(":").upper())
        match rng.randrange(6):
            case 0:
                plug.send(rubbish(rng) + b"\r")
            case 1:
                plug.send(spoilt(rng, code) if kind == "serial" else code[: rng.randrange(len(code))])
                loop.run(0.2)
                plug.send(b"\r")
            case 2:
                plug.send(code[: rng.randrange(1, len(code))])
                loop.run(0.01)
                plug.unplug()
                lost += 1
                loop.run(rng.uniform(0, 3))
                plug.plug()
                loop.run(2)
            case 3:
                plug.send(b"x" * 500 + b"\r")
        loop.run(rng.uniform(0.1, 0.5))
        if rng.random() < 0.3:
            for piece, pause in trickle(rng, code):
                plug.send(piece)
                loop.run(pause)
        else:
            plug.send(code)
        for _ in range(rng.randrange(4)):  # it stays in view
            loop.run(rng.uniform(0.1, 0.9))
            plug.send(code)
        loop.run(1.1)
    got = [parse(p) if kind == "serial" else p for p in inbox.payloads]
    assert [g for g in got if g is not None] == want
    assert inbox.kinds().count("DeviceLost") == inbox.kinds().count("DeviceBack") == lost
    said = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    damaged = Counter(text for text in said if "is gone" not in text and text != "reader: back")
    assert len(said) - damaged.total() == 2 * lost
    assert len(damaged) <= 4 and max(damaged.values()) <= len(cards), "each once until a good one"
    reader.close()


@pytest.mark.parametrize("bytewise", [False, True])
def test_pn532(bytewise: bool) -> None:
    rng = random.Random(SEED)
    for _ in range(4 * LONG):
        faults = Faults(rng, cut=0.05, flip=0.05, noise=0.05, mute=0.02, late=0.02, missed=0.3)
        field = Field()
        chip = Pn532Chip(field, 1 / 11520, faults)
        driver = Pn532Driver(1.0)
        pair = Pair(driver, chip, (lambda d: [d[i : i + 1] for i in range(len(d))]) if bytewise else None)
        want = []
        at = 1.0
        for n in range(30):
            uid = bytes((4,)) + rng.randbytes(rng.choice((6, 6, 9)))
            tag: Tag = Ntag(uid, encode(n + 1)) if n % 5 else Tag(uid)
            want.append(encode(n + 1) if n % 5 else uid.hex(":").upper())
            pair.at(at, partial(field.put, tag))
            at += rng.uniform(1.5, 4)
            pair.at(at, partial(field.take, tag))
            at += rng.uniform(0.05, 1)
            if n % 7 == 6:  # its power fails for a moment, with nothing in the field
                pair.at(at, chip.restart)
                at += 4
        pair.run(at + 5)
        assert pair.payloads == want
        assert_bounded(driver)
