"""What takes bytes, text or events from outside, and what must hold whatever they are. Nothing here may raise."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from mind_box.cards.store import CardStore, NewerCards
from mind_box.devices.nfc import ndef
from mind_box.devices.nfc.frames import Decoder, command
from mind_box.devices.nfc.link import Lines
from mind_box.devices.readers.board import BoardDriver, Mark
from mind_box.devices.readers.driver import Driver, Seen
from mind_box.devices.readers.keyboard import Keys
from mind_box.devices.readers.lines import LineDriver
from mind_box.devices.readers.pn532 import Pn532Driver
from mind_box.devices.readers.rdm6300 import RdmDriver
from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.journal.archive import ArchiveError, export, read_games, take_in
from mind_box.journal.file import NewerJournal
from mind_box.journal.journal import Journal
from mind_box.settings.loading import ConfigError, parse
from mind_box.show.pictures import table_picture
from mind_box.show.words import words_for
from mind_box.table.payload import identity
from mind_box.table.payload import parse as parse_payload
from mind_box.table.table import Table
from mind_box.virtual.scripts.script import ScriptError, parse_script
from tests.readers.bounds import held

LONGEST = 4096
"""Bytes that a driver may hold back; more is a buffer without an end."""


def pieces(data: bytes) -> Iterable[bytes]:
    """The bytes as a serial line may cut them: the first tells how."""
    size = data[0] % 7 + 1 if data else 1
    return (data[i : i + size] for i in range(1, len(data), size))


def drive(driver: Driver, data: bytes) -> None:
    """A reader's driver fed with anything: what it reports must be something that the table can take."""
    now = 0.0
    actions = list(driver.opened(now))
    for piece in pieces(data):
        now += 0.01
        actions += driver.received(piece, now)
        if driver.deadline is not None and driver.deadline <= now + 0.2:
            now = max(now, driver.deadline)
            actions += driver.wake(now)
    actions += driver.wake(now + 10)
    for action in actions:
        if isinstance(action, Seen):
            parse_payload(action.payload)
            assert action.at <= now + 10


def lines(data: bytes) -> None:
    drive(LineDriver(1.0), data)
    drive(LineDriver(1.0, typed=True), data)


def rdm6300(data: bytes) -> None:
    drive(RdmDriver(1.0), data)


def pn532(data: bytes) -> None:
    drive(Pn532Driver(1.0), data)


def board(data: bytes) -> None:
    drive(BoardDriver(Mark(None)), data)
    for part in (found := Lines()).feed(data):
        assert all(isinstance(field, str) for field in part)
    assert held(found) <= LONGEST


def frames(data: bytes) -> None:
    decoder = Decoder()
    for piece in pieces(data):
        for frame in decoder.feed(piece):
            assert len(frame) <= 265
    assert held(decoder) <= LONGEST


def tag(data: bytes) -> None:
    ndef.missing(data)
    words = ndef.text(data)
    if words is not None:
        parse_payload(words)


def keyboard(data: bytes) -> None:
    keys = Keys()
    for i in range(0, len(data) - 2, 3):
        keys.event(data[i], data[i + 1] | data[i + 2] << 8 & 0x300, data[i + 2] % 4)


def payload(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    card = parse_payload(text, {identity(text[:8]): 7})
    assert card is None or isinstance(card, int | str)
    assert identity(identity(text)) == identity(text)


def config(data: bytes) -> None:
    try:
        parse(data.decode("utf-8", "replace"))
    except ConfigError as e:
        assert str(e).startswith("box.toml")


def script(data: bytes) -> None:
    try:
        parse_script(data.decode("utf-8", "replace"))
    except ScriptError as e:
        assert str(e).startswith("line ")


def imported(data: bytes) -> None:
    """Whatever the import takes, the box starts with, and gives out again."""
    journal = Journal.in_memory()
    try:
        take_in(journal, read_games(io.StringIO(data.decode("utf-8", "replace"))))
    except ArchiveError as e:
        assert str(e).startswith("line ")
        return
    table = Table(journal.load(), now=0.0)
    table.begin()
    shown = table.view()
    json.dumps(shown.to_json())
    table_picture(shown, words_for("en"), (128, 64))
    export(journal, io.StringIO())
    journal.close()


def rows(data: bytes) -> None:
    """Events of any kind in any order, as a journal might hold them: the fold never refuses, and can be shown."""
    events = []
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            stored = json.loads(line)
            events.append(ev.from_stored(stored) if isinstance(stored, dict) else ev.Left())
        except (ValueError, RecursionError):
            continue
    game = replay(events)
    table = Table(game, now=0.0)
    table.begin()
    table_picture(table.view(), words_for("en"), (128, 64))


def journal_file(data: bytes) -> None:
    """Any bytes where the journal should be: a box comes up, and what was there is still somewhere."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as directory:
        path = Path(directory) / "journal.db"
        path.write_bytes(data)
        try:
            journal = Journal.open(path)
        except NewerJournal:  # the number of its version says so
            assert path.read_bytes() == data
            return
        journal.append([ev.Left()])
        journal.close()
        assert journal.damaged is None or journal.damaged.read_bytes() == data


def enrolled(data: bytes) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as directory:
        path = Path(directory) / "cards.json"
        path.write_bytes(data)
        try:
            CardStore(directory).load()
        except NewerCards:  # the number of its version says so
            assert path.read_bytes() == data


MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None

TARGETS: dict[str, Callable[[bytes], None]] = {
    "lines": lines,
    "rdm6300": rdm6300,
    "pn532": pn532,
    "board": board,
    "frames": frames,
    "tag": tag,
    "keyboard": keyboard,
    "payload": payload,
    "config": config,
    "script": script,
    "import": imported,
    "rows": rows,
    "journal-file": journal_file,
    "enrolled": enrolled,
}

ROOT = Path(__file__).parents[2]


def _event_lines() -> list[bytes]:
    def value(kind: str) -> object:
        values: dict[str, object] = {"int": 2, "bool": True, "str": "variant", "str | bool": "extreme", "Card": 42}
        if kind in values:
            return values[kind]
        return {"Mapping[str, str | bool]": {"variant": "tens"}, "tuple[int, ...]": [1, 2]}.get(kind, [])

    from dataclasses import fields

    out = []
    for name, cls in ev.EVENT_TYPES.items():
        event = {"type": name, **{f.name: value(str(f.type)) for f in fields(cls)}}
        out.append(json.dumps(event).encode() + b"\n")
    return out


def seeds(name: str) -> list[bytes]:
    """Sound input to begin from."""
    match name:
        case "lines" | "payload":
            return [b"\x02MB1:042:F2\r\n", b"\x0142\r\nR31\n007\r", b"\x03W07\x03", b"\x0004 A1 B2 C3\r"]
        case "rdm6300":
            return [b"\x03\x020A00C3B1E09A\x03", b"\x01\x02" + b"0" * 12 + b"\x03"]
        case "pn532" | "frames":
            ack = b"\x00\x00\xff\x00\xff\x00"
            version = b"\x00\x00\xff\x06\xfa\xd5\x03\x32\x01\x06\x07\xe8\x00"
            return [b"\x02" + ack + version, b"\x06" + ack + version + ack + command(0x4A, b"\x02\x00")]
        case "tag":
            return [ndef.encode("MB1:042:F2"), b"\x03\x05\xd1\x01\x01T\x00\xfe"]
        case "config":
            return [p.read_bytes() for p in sorted((ROOT / "hardware").glob("*.toml"))]
        case "script":
            return [
                b"hands 1 2\nhands\nscan 12\nexpect phase focus\n",
                b"config seats 3\ndown 1\nwait 1.5\nmenu undo\n",
            ]
        case "import":
            return [b'{"format": 1, "events": [' + b",".join(e.strip() for e in _event_lines()[1:]) + b"]}\n"]
        case "rows":
            return [b"".join(_event_lines()), *_event_lines()]
        case "enrolled":
            return [b'{"version": 1, "cards": {"04A1B2C3": 7, "04A1B2C4": "W7"}}']
        case "journal-file":
            with tempfile.TemporaryDirectory(dir=MEMORY) as directory:
                path = Path(directory) / "journal.db"
                journal = Journal.open(path)
                journal.append([ev.Started((1, 2), {}, ()), ev.Laid(4)])
                journal.close()
                return [path.read_bytes()]
    return [b"\x00" * 16]
