"""The card readers: there, ours to open, and used by nobody else; and, on request, what one says."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping

from mind_box.devices.readers.opening import open_device
from mind_box.devices.readers.port import setting_of
from mind_box.devices.readers.rivals import rivals
from mind_box.devices.readers.transport import Gone, Transport
from mind_box.devices.readers.tray import EMPTY
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.game.cards import Card
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Input, Scan, TrayEmpty
from mind_box.table.payload import is_tray, parse

Open = Callable[[ReaderSettings], Transport]


EMPTY_SEEN = "the tray is empty: the label on its floor is read"
EMPTY_SILENT = "nothing was read for a while: taken for an empty tray, as no label on its floor was read"


def name_of(number: int) -> str:
    """What the box calls its readers: reader, reader 2, ..."""
    return "reader" if number == 0 else f"reader {number + 1}"


def check(scene: Scene, opener: Open = open_device) -> Iterator[Verdict]:
    """Each reader."""
    if not scene.config.reader:
        yield Verdict("reader", NOTE, "the settings name no reader")
    for number, settings in enumerate(scene.config.reader):
        what = f"{name_of(number)} ({settings.kind} at {settings.device})"
        ours = [scene.running["pid"]] if scene.running else []
        others = rivals(settings.device, scene.root, ours) if not READERS[settings.kind].keyboard else []
        if scene.running:
            if name_of(number) in scene.faults:
                cure = "journalctl -u mind-box says why" + _candidates(scene, settings)
                yield Verdict("reader", WRONG, f"{what}: the running box misses it", cure)
            elif setting_of(name_of(number)) in scene.faults:
                cure = "set its suffix to Enter (CR); docs/scanners.md says how"
                yield Verdict("reader", WRONG, f"{what}: its codes come without an end, so they are dropped", cure)
            else:
                yield Verdict("reader", OK, f"{what}: the running box listens to it; {_place(settings)}")
                if settings.place == "tray":
                    yield _floor(scene, what)
        else:
            try:
                opener(settings).close()
            except Gone as e:
                why, _, cure = str(e).partition(": ")
                yield Verdict("reader", WRONG, f"{what}: {why}", cure + _candidates(scene, settings))
            else:
                alone = "" if others else ", and nobody else has it"
                yield Verdict("reader", OK, f"{what}: opens{alone}; {_place(settings)}")
        for rival in others:
            yield Verdict("reader", WRONG, f"{what}: {rival.who}", rival.cure)


def _place(settings: ReaderSettings) -> str:
    """Where the cards are that it reads, and whether that place is covered: where no seat sees a face."""
    if not READERS[settings.kind].optical:
        return "cards are held against its mark, which is covered by the card itself; they may be read face down"
    if settings.place == "slot":
        return "cards are shown to it and taken away, in a slot or the hood: a covered place"
    return "the pile lies under it, in sight; the covered place, for dealt and blind cards, is the hood"


def _floor(scene: Scene, what: str) -> Verdict:
    """How the running box knows that a tray is empty."""
    if scene.running and scene.running.get("tray_label"):
        return Verdict("reader", OK, f"{what}: the label on the tray's floor was read, so an empty tray is seen")
    why = f"{what}: no label on the tray's floor was read, so a silence of {EMPTY:g} times same_card_seconds is taken "
    cure = "stick the label MB1:TRAY, last on the label sheets, into the middle of the tray, and leave it bare"
    return Verdict("reader", NOTE, why + "for an empty tray", cure)


def _candidates(scene: Scene, settings: ReaderSettings) -> str:
    """What is plugged in that might be meant."""
    kind = READERS[settings.kind]
    names = sorted(f"{kind.folder}/{p.name}" for p in (scene.root / kind.folder[1:]).glob("*"))
    if kind.keyboard:
        names = [n for n in names if n.endswith("-event-kbd")]
    return f". Plugged in: {', '.join(names)}" if names else ""


async def listen(
    settings: ReaderSettings,
    seconds: float,
    say: Callable[[str], None],
    enrolled: Mapping[str, Card] | None = None,
) -> int:
    """Runs one reader as the box does and says each card; how many there were."""
    from mind_box.devices.readers import open_reader

    heard = 0

    def post(event: Input) -> None:
        nonlocal heard
        match event:
            case TrayEmpty(_, seen):
                say(EMPTY_SEEN if seen else EMPTY_SILENT)
            case Scan(payload) if is_tray(payload):
                say(f"{payload!r}: the label on a tray's floor, no card")
            case Scan(payload):
                heard += 1
                card = parse(payload, enrolled)
                say(f"{payload!r}: card {card}" if card is not None else f"{payload!r}: no card of ours")
            case DeviceLost("reader", why):  # how it is set stands in the log, which is on the terminal
                say(f"lost: {why}")
            case DeviceBack("reader"):
                say("back")

    reader = open_reader(settings, post, asyncio.get_running_loop())
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(seconds)
    reader.close()
    return heard
