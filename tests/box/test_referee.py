"""The one straight way: first to disk, then to the eye; and what happens when the disk says no."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

import pytest

from mind_box.game import events as ev
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal, Preference
from mind_box.journal.stamps import Timed
from mind_box.referee import Referee
from mind_box.self_test.in_the_box import BoxSelfTest
from mind_box.settings.schema import Config
from mind_box.show.pictures import seat_picture
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR, Edge
from mind_box.table.view import View
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual


class Failing(Journal):
    """An in-memory journal that can fail."""

    disk: Disk

    def append(self, items: Sequence[ev.Event | Timed | Preference]) -> None:
        self.disk.tries += 1
        self.disk.times.append(asyncio.get_running_loop().time())
        if self.disk.full:
            raise JournalError("disk full")
        super().append(items)
        self.disk.saved += [i.event if isinstance(i, Timed) else i for i in items if not isinstance(i, Preference)]


class Disk:
    """It outlives the box, and can be full."""

    def __init__(self) -> None:
        self.full = False
        self.saved: list[ev.Event] = []
        self.tries = 0
        self.times: list[float] = []
        """When somebody tried to write."""
        journal = Failing.in_memory()
        assert isinstance(journal, Failing)
        journal.disk = self
        self.journal = journal


async def gather(box: VirtualBox, *seats: int) -> None:
    for seat in seats:
        box.press(seat)
    await asyncio.sleep(2.5)
    for seat in seats:
        box.lift(seat)
    await asyncio.sleep(0.1)


async def _choose(referee: Referee, box: VirtualBox, item: str) -> None:
    """By the menu."""

    async def hold(seconds: float) -> None:
        box.press(STAR)
        await asyncio.sleep(seconds)
        box.lift(STAR)
        await asyncio.sleep(0.1)

    await hold(1.6)
    for _ in range(20):
        if referee.view.menu != item:
            await hold(0.1)
    assert referee.view.menu == item
    await hold(1.6)


def _referee(disk: Disk) -> tuple[Referee, VirtualBox]:
    box = VirtualBox(4, asyncio.get_running_loop().time)
    referee = Referee(Config(), disk.journal)
    referee.start(box.open)
    return referee, box


def test_nothing_is_shown_before_it_is_on_disk() -> None:
    async def main() -> None:
        disk = Disk()
        referee, box = _referee(disk)
        shown: list[View] = []

        def look(view: View) -> None:
            shown.append(view)
            assert disk.journal.load(None).level == view.level

        referee.listeners.append(look)
        await gather(box, 1, 2)
        await gather(box, 1, 2)
        for card in ("10", "20"):
            box.scan(card)
        await asyncio.sleep(0.1)
        assert shown[-1].level == 2
        referee.close()

    run_virtual(main())


def test_a_full_disk_is_said_and_the_game_goes_on_and_is_saved_later() -> None:
    async def main() -> None:
        disk = Disk()
        referee, box = _referee(disk)
        await gather(box, 1, 2, 3)
        disk.full = True
        await gather(box, 1, 2, 3)
        box.scan("10")
        await asyncio.sleep(0.1)
        assert referee.view.pile == (10,)
        assert list(referee.view.faults) == ["journal"]
        assert [type(e).__name__ for e in disk.saved] == ["Started"]
        disk.full = False
        box.scan("5")
        await asyncio.sleep(0.1)
        assert referee.view.faults == ()
        assert disk.journal.load().piles == ((10,),)
        assert disk.journal.load().aside == {5}
        referee.close()

    run_virtual(main())


def test_an_unsaved_box_says_so_from_the_start() -> None:
    async def main() -> None:
        referee = Referee(Config(), Journal.in_memory(), saved=False)
        referee.start(VirtualBox(4, asyncio.get_running_loop().time).open)
        assert referee.view.faults == ("journal",)
        referee.close()

    run_virtual(main())


def test_an_edge_that_was_lost_is_read_again_at_the_end_of_the_window() -> None:
    async def main() -> None:
        disk = Disk()
        referee, box = _referee(disk)
        await gather(box, 1, 2)
        await gather(box, 1, 2)
        assert referee.view.phase == "play"
        referee.post(Edge(1, True, asyncio.get_running_loop().time()))  # the button is up again: that edge got lost
        await asyncio.sleep(0.2)
        assert referee.view.phase == "play"
        assert not any(isinstance(e, ev.Stopped) for e in disk.saved)
        referee.close()

    run_virtual(main())


def test_a_short_press_counts_though_it_is_over_when_it_is_looked_at() -> None:
    async def main() -> None:
        referee, _ = _referee(Disk())
        await asyncio.sleep(1)
        now = asyncio.get_running_loop().time()
        for at, down in ((now - 0.06, True), (now - 0.03, False)):  # the loop was busy elsewhere
            referee.post(Edge(STAR, down, at))
        await asyncio.sleep(0.1)
        assert referee.view.variant == "reverse"
        referee.close()

    run_virtual(main())


def test_an_error_in_the_program_reaches_whoever_runs_it() -> None:
    async def main() -> None:
        failures: list[Exception] = []
        box = VirtualBox(4, asyncio.get_running_loop().time)
        referee = Referee(Config(), Journal.in_memory(), on_failure=failures.append)
        referee.start(box.open)

        def broken(_: View) -> None:
            raise ZeroDivisionError

        referee.listeners.append(broken)
        box.press(1)
        await asyncio.sleep(0.1)
        assert [type(e) for e in failures] == [ZeroDivisionError]
        box.lift(1)
        await asyncio.sleep(0.1)  # nothing is done after a failure
        assert len(failures) == 1
        referee.close()

    run_virtual(main())


@pytest.mark.parametrize("item", ["language", "sound"])
def test_choices_of_the_machine_outlive_a_power_cut(item: str) -> None:
    async def main() -> None:
        disk = Disk()
        referee, box = _referee(disk)
        before = (referee.language, referee.sound)
        await _choose(referee, box, item)
        assert (referee.language, referee.sound) != before
        box.cut_power()
        again, _ = _referee(disk)
        assert (again.language, again.sound) == (referee.language, referee.sound)
        referee.close()
        again.close()

    run_virtual(main())


def test_the_menus_self_test_borrows_the_ports_and_gives_them_back(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    async def main() -> None:
        box = VirtualBox(4, asyncio.get_running_loop().time)
        loop = asyncio.get_running_loop()
        referee = Referee(
            Config(),
            Journal.in_memory(),
            enrolled={"04AA": 42},
            on_effect=lambda _: BoxSelfTest(referee, loop).start(),
        )
        referee.start(box.open)
        await _choose(referee, box, "self-test")
        await asyncio.sleep(2)
        assert referee.view.variant == "classic"
        for button in itertools.cycle((STAR, 1, 2, 3, 4)):  # every question is answered; none of it is a preset
            box.press(button)
            await asyncio.sleep(0.1)
            box.lift(button)
            await asyncio.sleep(0.5)
            box.scan("04:AA")
            if not referee.borrowed:
                break
        assert referee.view.variant == "classic"
        assert referee.view.notices in ((), ("no_game",))
        await asyncio.sleep(3)
        box.press(STAR)
        await asyncio.sleep(0.1)
        box.lift(STAR)
        await asyncio.sleep(0.1)
        assert referee.view.variant == "reverse"
        referee.close()

    run_virtual(main())
    assert "read card 42" in caplog.text, "it knows the enrolled tags"


def test_a_seats_screen_stands_in_only_while_every_table_screen_is_missing() -> None:
    async def main() -> None:
        referee, box = _referee(Disk())

        def seats_own() -> bool:
            picture = box.screens["seat-screen 1"].picture
            assert picture is not None
            return picture().tobytes() == seat_picture(referee.view, 1, words_for("en")).tobytes()

        await asyncio.sleep(0.1)
        assert seats_own()
        for screen, own in (("table-screen", True), ("table-screen 2", False)):
            box.unplug(screen)
            await asyncio.sleep(0.1)
            assert seats_own() == own
        box.plug("table-screen")
        await asyncio.sleep(0.1)
        assert seats_own()
        assert referee.view.faults == ("table-screen 2",)
        referee.close()

    run_virtual(main())
