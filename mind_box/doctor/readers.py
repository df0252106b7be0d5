"""The card readers: there, ours to open, and used by nobody else; and, on request, what one says."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping

from mind_box.devices.readers.opening import open_device
from mind_box.devices.readers.port import setting_of
from mind_box.devices.readers.rivals import rivals
from mind_box.devices.readers.transport import Gone, Transport
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.game.cards import Card
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Input, Scan
from mind_box.table.payload import parse

Open = Callable[[ReaderSettings], Transport]


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
                yield Verdict("reader", OK, f"{what}: the running box listens to it")
        else:
            try:
                opener(settings).close()
            except Gone as e:
                why, _, cure = str(e).partition(": ")
                yield Verdict("reader", WRONG, f"{what}: {why}", cure + _candidates(scene, settings))
            else:
                alone = "" if others else ", and nobody else has it"
                yield Verdict("reader", OK, f"{what}: opens{alone}")
        for rival in others:
            yield Verdict("reader", WRONG, f"{what}: {rival.who}", rival.cure)


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
