"""``mind-box cards enrol``: the conversation of enrolment on a terminal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TextIO

from mind_box.cards.enrolment import Enrolment, Outcome, deck
from mind_box.cards.store import CardStore, NewerCards
from mind_box.devices.readers.opening import open_reader
from mind_box.game.cards import Card
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Input, Scan

HELP = "Type s to skip a card, b to take the last one back, q to stop; what is enrolled is kept."


def run_enrol(
    settings: ReaderSettings,
    store: CardStore,
    out: TextIO,
    keys: int | None = None,
    wanted: Sequence[Card] | None = None,
    deck_name: str = "original",
) -> int:
    """Asks for each card in turn until every one has a tag.

    ``keys`` is the file descriptor where s, b and q are typed: a terminal's, a pipe's, or None. ``wanted`` names
    cards that get a new tag, whatever they had; left out: every card of the deck that has none. Returns 0 when
    all that was asked for is enrolled, 1 when it was stopped before, 2 when the tags cannot be read from or kept
    in the store.
    """
    try:
        cards = store.load()
    except OSError as e:
        print(_refused(store, "read", e), file=out)
        return 2
    except NewerCards as e:
        print(f"{e}.", file=out)
        return 2
    enrolment = Enrolment(cards, wanted or deck(deck_name), replace=bool(wanted))
    if enrolment.asking is None:
        print("Every card has its tag. Name a card to give it another one.", file=out)
        return 0
    try:
        store.save(cards)  # a rehearsal: nobody shall look for the first tag in vain
    except OSError as e:
        print(_refused(store, "written", e), file=out)
        return 2
    try:
        return asyncio.run(_Conversation(settings, store, out, enrolment).run(keys))
    except KeyboardInterrupt:
        print("\nStopped; what is enrolled is kept.", file=out)
        return 1


def _refused(store: CardStore, what: str, error: OSError) -> str:
    cure = "box.state_dir in the settings names its place"
    if isinstance(error, PermissionError):
        cure = "it is the box's: sudo mind-box cards enrol"
    return f"{store.path} cannot be {what}: {error.strerror}; {cure}."


class _Conversation:
    def __init__(self, settings: ReaderSettings, store: CardStore, out: TextIO, enrolment: Enrolment) -> None:
        self._settings = settings
        self._store = store
        self._out = out
        self._enrolment = enrolment
        self._typed = b""

    async def run(self, keys: int | None) -> int:
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = loop.create_future()
        self._say(HELP)
        reader = open_reader(self._settings, self._input, loop)
        if keys is not None:
            try:
                loop.add_reader(keys, self._readable, keys)
            except OSError:  # a plain file or /dev/null, which nobody types on
                keys = None
        try:
            self._ask()
            return await self._ended
        finally:
            if keys is not None:
                loop.remove_reader(keys)
            reader.close()

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _ask(self) -> None:
        card = self._enrolment.asking
        if card is None:
            self._say("Done: every card asked for has its tag.")
            self._end(0)
        else:
            self._say(f"Show card {card} ({self._enrolment.left} to go).")

    def _end(self, code: int) -> None:
        if not self._ended.done():
            self._ended.set_result(code)

    def _input(self, what: Input) -> None:
        if self._ended.done():
            return
        match what:
            case Scan(payload, _):
                self._shown(payload)
            case DeviceLost("reader", why, _):
                self._say(f"The reader cannot be used: {why}. If the box is running, it has the reader: stop it first.")
            case DeviceBack("reader"):
                self._say("The reader is there.")

    def _shown(self, payload: str) -> None:
        shown = self._enrolment.take(payload)
        if shown.outcome is Outcome.ENROLLED:
            if self._keep():
                self._say(f"  card {shown.card} is {payload}")
                self._ask()
        elif shown.outcome is Outcome.SAME:
            self._say(f"  that tag is card {shown.card} already")
        elif shown.outcome is Outcome.ALREADY:
            self._say(f"  that tag is card {shown.card}: show another one")
        elif shown.outcome is Outcome.MADE_UP:
            self._say("  that one makes up a new number each time, as phones and passes do: show a tag")
        elif shown.outcome is Outcome.TRAY:
            self._say("  that is the tray's own label, no card")
        elif shown.outcome is Outcome.LABELLED:
            self._say(f"  that one says card {shown.card} itself and needs no tag")

    def _readable(self, keys: int) -> None:
        data = os.read(keys, 1024)
        if not data:
            asyncio.get_running_loop().remove_reader(keys)
            if os.isatty(keys):  # Ctrl-D: nothing more can be typed, not even q
                self._typed, data = b"", b"q\n"
        *lines, self._typed = (self._typed + data).split(b"\n")
        self._typed = self._typed[-1024:]
        for line in lines:
            if not self._ended.done():
                self._key(line.strip().lower())

    def _key(self, word: bytes) -> None:
        if word == b"q":
            self._say("Stopped; what is enrolled is kept.")
            self._end(1)
        elif word == b"s":
            self._enrolment.skip()
            self._ask()
        elif word == b"b":
            if not self._enrolment.back():
                self._say("  nothing to take back")
            elif self._keep():
                self._ask()
        elif word:
            self._say(HELP)

    def _keep(self) -> bool:
        try:
            self._store.save(self._enrolment.cards)
        except OSError as e:
            self._say(_refused(self._store, "written", e))
            self._end(2)
            return False
        return True
