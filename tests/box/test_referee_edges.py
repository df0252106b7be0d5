"""The referee's edges: what is there at the start, what waits for the disk, and who is told of what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.journal.stamps import Stamp, Stamps, Timed
from mind_box.referee import Referee
from mind_box.settings.schema import Config
from mind_box.table.inputs import STAR, Edge
from mind_box.table.view import View
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.box.test_referee import _choose

PLAY: list[ev.Event] = [ev.Started((1, 2), {}, ()), ev.Concentrated()]
SEATS = Config().box.seats


class Stalled:
    """A writer that does what it was asked when it is let go on."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._jobs: list[Callable[[], None]] = []

    def do(self, job: Callable[[Journal], Any], done: Callable[[Any], None]) -> None:
        self._jobs.append(lambda: done(job(self._journal)))

    def go_on(self) -> None:
        while self._jobs:
            self._jobs.pop(0)()

    async def close(self, seconds: float) -> bool:
        del seconds
        return True


def made(journal: Journal | None = None, **more: Any) -> tuple[Referee, VirtualBox]:
    return Referee(Config(), journal or Journal.in_memory(), **more), VirtualBox(SEATS, asyncio.get_running_loop().time)


async def tap(box: VirtualBox, button: int) -> None:
    box.press(button)
    await asyncio.sleep(0.1)
    box.lift(button)
    await asyncio.sleep(0.1)


def test_each_button_that_is_down_at_the_start_is_nothing_until_it_was_up() -> None:
    async def main() -> None:
        referee, box = made()
        for button in range(STAR, SEATS + 1):
            box.press(button)
        referee.start(box.open)
        await asyncio.sleep(3)
        assert (referee.view.hands_down, referee.view.menu) == ((), None)
        box.lift(SEATS)
        await asyncio.sleep(0.1)
        box.press(SEATS)
        await asyncio.sleep(0.1)
        assert referee.view.hands_down == (SEATS,)
        referee.close()

    run_virtual(main())


def test_what_is_missing_at_the_start_is_a_fault_and_no_notice() -> None:
    async def main() -> None:
        referee, box = made()
        box.unplug("reader")
        referee.start(box.open)
        assert (referee.view.faults, referee.view.notices) == (("reader",), ())
        referee.close()

    run_virtual(main())


def test_enrolled_tags_are_cards() -> None:
    async def main() -> None:
        referee, box = made(enrolled={"04AA": 42})
        referee.start(box.open)
        for payload, code in (("04:AA", "no_game"), ("04:AB", "unknown_card")):
            box.scan(payload)
            await asyncio.sleep(0.1)
            assert referee.view.notices == (code,)
        referee.close()

    run_virtual(main())


def test_screens_rest_but_in_play_and_in_a_vote() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        journal.append(PLAY[:1])
        referee, box = made(journal)
        rests: list[bool] = []
        box.screens["table-screen"].resting = rests.append  # type: ignore[assignment, method-assign]
        referee.start(box.open)
        seen = {referee.view.phase: rests[-1]}
        for seat in (1, 2):
            box.press(seat)
        await asyncio.sleep(1)
        for seat in (1, 2):
            box.lift(seat)
        await asyncio.sleep(0.1)
        seen[referee.view.phase] = rests[-1]
        await tap(box, STAR)
        seen[referee.view.phase] = rests[-1]
        assert seen == {"focus": True, "play": False, "vote": False}
        referee.close()

    run_virtual(main())


def test_an_input_that_changes_nothing_is_told_all_the_same() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        journal.append(PLAY[:1])
        referee, box = made(journal)
        referee.start(box.open)
        await asyncio.sleep(1)
        told: list[View] = []
        shown: list[View] = []
        referee.touched = told.append
        referee.listeners.append(shown.append)
        box.press(SEATS)  # nobody plays there
        await asyncio.sleep(0.001)
        assert (told, shown) == ([referee.view], [])
        referee.close()

    run_virtual(main())


def test_a_button_that_is_down_when_the_ports_come_back_counts_from_then() -> None:
    async def main() -> None:
        referee, box = made()
        referee.start(box.open)
        referee.borrow(lambda _: None)
        shown: list[View] = []
        referee.listeners.append(shown.append)
        box.press(SEATS)
        box.unplug("reader")
        await asyncio.sleep(1)
        assert shown == []  # the glass is the borrower's
        referee.give_back()
        await asyncio.sleep(0.03)  # the debounce's window; a level without its edge is in doubt for longer
        assert referee.view.hands_down == (SEATS,)
        referee.close()

    run_virtual(main())


def test_a_press_whose_release_was_lost_is_over_at_every_seat() -> None:
    async def main() -> None:
        referee, box = made()
        referee.start(box.open)
        for button in range(1, SEATS + 1):
            referee.post(Edge(button, True, asyncio.get_running_loop().time()))  # it is up again
        await asyncio.sleep(0.5)
        assert referee.view.hands_down == ()
        referee.close()

    run_virtual(main())


def test_sound_is_told_to_be_on_and_off() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        referee, box = made(journal)
        referee.start(box.open)
        for _ in range(2):
            before = referee.sound
            await _choose(referee, box, "sound")
            assert referee.sound is not before
            assert referee.view.notices == ("sound_on" if referee.sound else "sound_off",)
            assert journal.preference("sound") == ("on" if referee.sound else "off")
        referee.close()

    run_virtual(main())


def test_nothing_is_shown_at_the_start_before_what_it_brought_about_is_on_disk() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        journal.append(PLAY)
        writer = Stalled(journal)
        referee, box = made(journal, writer=writer)
        referee.start(box.open)
        await asyncio.sleep(0.1)
        assert box.screens["table-screen"].picture is None
        for seat in (1, 2):  # more to show meanwhile
            box.press(seat)
            await asyncio.sleep(0.1)
        assert box.screens["table-screen"].picture is None
        writer.go_on()
        await asyncio.sleep(0.1)
        assert (referee.view.phase, referee.view.reason, referee.view.hands_down) == ("focus", "resume", (1, 2))
        assert box.screens["table-screen"].picture is not None
        referee.close()

    run_virtual(main())


def test_what_is_as_it_was_by_the_time_that_the_disk_answers_is_shown_as_it_is() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        writer = Stalled(journal)
        referee, box = made(journal, writer=writer, stamps=Stamps("run"))
        referee.start(box.open)
        writer.go_on()
        for _ in range(5):  # once round
            await tap(box, STAR)
        assert referee.view.variant == "classic"
        for _ in range(9):
            writer.go_on()
            await asyncio.sleep(0.1)
        assert referee.view.variant == "classic"
        assert all(row.stamp for row in journal.rows()), "each with its time (R34)"
        assert [event.value for event in map(Row.event, journal.rows()) if isinstance(event, ev.Configured)] == [
            "reverse", "fifty", "tens", "extreme", "classic",
        ]  # fmt: skip
        referee.close()

    run_virtual(main())


def test_the_play_time_goes_on_where_the_journal_ends() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        kept = zip([*PLAY, ev.Laid(5)], (None, 0, 30_000), strict=True)
        journal.append([Timed(event, Stamp("before", 0, play)) for event, play in kept])
        referee, box = made(journal, stamps=Stamps("after"))
        referee.start(box.open)
        *_, resumed = journal.rows()
        assert (resumed.event(), resumed.stamp and resumed.stamp.play) == (ev.Resumed(), 30_000)
        referee.close()

    run_virtual(main())


@pytest.mark.parametrize("damaged", [None, Path("journal.db.damaged-1")])
def test_a_journal_that_could_not_be_written_at_the_start_is_tried_again(damaged: Path | None) -> None:
    """Of a damaged one it is said until a game is saved."""

    async def main() -> None:
        journal = Journal.in_memory()
        journal.damaged = damaged
        referee, box = made(journal, saved=False)
        referee.start(box.open)
        await asyncio.sleep(60)
        assert referee.view.faults == (() if damaged is None else ("journal",))
        referee.close()

    run_virtual(main())


def test_a_box_whose_journal_does_not_last_says_so_for_ever() -> None:
    async def main() -> None:
        referee, box = made(lasts=False)
        referee.start(box.open)
        await asyncio.sleep(60)
        await tap(box, STAR)
        await asyncio.sleep(60)
        assert (referee.view.variant, referee.view.faults) == ("reverse", ("journal",))
        referee.close()

    run_virtual(main())


def test_a_disk_that_stalls_is_told_until_it_answers() -> None:
    async def main() -> None:
        journal = Journal.in_memory()
        writer = Stalled(journal)
        referee, box = made(journal, writer=writer)
        referee.start(box.open)
        await tap(box, STAR)
        assert (referee.view.variant, referee.view.faults) == ("classic", ())
        await asyncio.sleep(2)
        assert (referee.view.variant, referee.view.faults) == ("classic", ("saving",))
        writer.go_on()
        await asyncio.sleep(0.1)
        assert (referee.view.variant, referee.view.faults) == ("reverse", ())
        referee.close()

    run_virtual(main())
