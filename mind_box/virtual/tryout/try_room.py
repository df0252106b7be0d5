"""What ``mind-box try`` shows: the visitor's room, and for a while the one in which a saved game is replayed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path

from mind_box.journal.file import JournalError
from mind_box.journal.opening import journal_path
from mind_box.settings.schema import Config
from mind_box.virtual.scripts.record import CannotRecord, Recording, comes_out_the_same, events_of, read_game, record
from mind_box.virtual.scripts.script import Script, ScriptError, parse_script
from mind_box.virtual.tryout.box_settings import virtual_box
from mind_box.virtual.tryout.machine import Hooks, Machine
from mind_box.virtual.tryout.partners import kind_of
from mind_box.virtual.tryout.place import EMPTY, PERSON
from mind_box.virtual.tryout.rerun import Rerun, rerun_settings
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.try_page import Session, TriedRoom, TryPage
from mind_box.virtual.tryout.words import try_words

CARDS = "table-cards.json"
"""Not ``cards.json``: the daemon keeps its enrolled tags under that name in the same directory."""
NAME = "mind-box-game.table"


class TryRoom:
    """Owns the page and the rooms behind it; use it in the loop's thread."""

    def __init__(
        self, config: Config, directory: Path, token: str, bound: str, players: int, partners: str, seed: int | None
    ) -> None:
        self.page = TryPage(token, bound)
        self.page.on_save = self._save_once
        self.page.on_replay = self._replay_newest
        sits = PERSON if partners == PERSON else kind_of(partners)
        kinds = {seat: sits if seat <= players else EMPTY for seat in range(1, config.box.seats + 1)}
        kinds[1] = PERSON
        self._config = config
        machine = Machine(config, directory, Hooks())
        self._room = Room(machine, kinds, self.page.changed, directory / CARDS, seed)
        self._room.leave_alone(True)
        self.page.on_presence = lambda here: self._room.leave_alone(not here)
        self._stage: TriedRoom | None = None
        """The room of the replay."""
        self._curtain: tempfile.TemporaryDirectory[str] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._playing: asyncio.Task[None] | None = None
        self._moving = asyncio.Lock()
        """One stage after the other is put up and taken down."""
        self._wanted = 0
        """How many replays were asked for: of those that wait only the newest is put up."""
        self._saving = False

    async def start(self) -> None:
        """Plugs the box in."""
        self.page.show(self._room)
        await self._room.start()

    async def close(self) -> None:
        """Ends everything."""
        self.page.close()
        async with self._moving:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._leave()
        await self._room.close()

    def _do(self, session: Session, work: Awaitable[None]) -> None:
        """Does something that takes its time, and tells the session when it cannot be done."""

        async def guarded() -> None:
            try:
                await work
            except (CannotRecord, JournalError, ScriptError) as e:
                session.send({"type": "refused", "why": f"{str(e)[:1].upper()}{str(e)[1:]}."})

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- saving

    def _save_once(self, session: Session) -> None:
        """One at a time: it takes a thread, of which the box itself needs some."""
        if self._saving:
            words = try_words(self._room.machine.language)
            session.send({"type": "refused", "why": words.say("A game is being saved already.")})
            return
        self._saving = True
        session.send({"type": "saving", "on": True})
        self._do(session, self._save(session))

    async def _save(self, session: Session) -> None:
        try:
            await self._saved(session)
        finally:
            self._saving = False
            session.send({"type": "saving", "on": False})

    async def _saved(self, session: Session) -> None:
        recording, sound = await asyncio.to_thread(_record, journal_path(self._room.machine.directory))
        note, words = "", try_words(self._room.machine.language)
        if recording.left_out:
            note = words.say("The level under way is not in it: it holds cards that are not for everyone yet.")
        if not sound:
            note = words.say("Its replay comes out otherwise than the game did: please report this.")
        session.send({"type": "script", "name": NAME, "text": recording.text, "note": note})

    # -- replaying

    def _replay_newest(self, session: Session, text: str | None) -> None:
        self._wanted += 1
        self._do(session, self._replay(text, self._wanted))

    async def _replay(self, text: str | None, wish: int) -> None:
        """Shows another game on the stage; None: the visitor's own room again."""
        script = None if text is None else parse_script(text)
        async with self._moving:
            if wish != self._wanted:
                return
            await self._leave()
            if script is not None and text is not None:
                await self._put_up(script, text)
            else:
                self.page.show(self._room)
                self._room.pause(False)

    async def _leave(self) -> None:
        """Takes the stage down."""
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        stage, self._stage = self._stage, None
        if stage is not None:
            await stage.close()
        if self._curtain is not None:
            self._curtain.cleanup()
            self._curtain = None
        self.page.replay = None

    async def _put_up(self, script: Script, text: str) -> None:
        """Shows the stage and begins to play."""
        self._room.pause(True)
        self._curtain = tempfile.TemporaryDirectory(prefix="mind-box-")
        machine = Machine(rerun_settings(script, self._hardware(script)), Path(self._curtain.name), Hooks())
        everyone = dict.fromkeys(range(1, machine.config.box.seats + 1), PERSON)
        stage = self._stage = Room(machine, everyone, self.page.changed)
        stage.deals_itself = False
        self.page.show(stage)
        await stage.start()
        self._playing = asyncio.create_task(self._play(script, text, stage))

    def _hardware(self, script: Script) -> Config:
        """This box, if it has the seats that the script needs; else one made for it."""
        seats = script.config.box.seats
        return self._config if self._config.box.seats == seats else virtual_box(seats)

    async def _play(self, script: Script, text: str, stage: TriedRoom) -> None:
        def told() -> None:
            self.page.replay = rerun.state
            self.page.changed()

        rerun = Rerun(script, text, stage.machine, told)
        await rerun.play()


def _record(path: Path) -> tuple[Recording, bool]:
    """The newest game of a journal, and whether its replay comes out the same. Takes up to a few seconds."""
    recording = record(events_of(read_game(path, -1)))
    return recording, comes_out_the_same(recording)
