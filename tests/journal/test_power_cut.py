"""The plug is pulled between any two calls: every state that the disk may then have gives the game that was shown."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journal import shim, workload
from tests.journal.disk_model import Call, Disk, State, read_calls

SAMPLES = int(os.environ.get("MIND_BOX_POWER_CUT_SAMPLES", "2"))
"""Random combinations of open writes at each point where there are too many for all (`make power-cut`: 60)."""
SHM = b"what stood in the memory of another time" * 800


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    directory = tmp_path_factory.mktemp("evening")
    record = directory.with_name("record")
    shim.run("workload", directory, MB_LOG=record)
    return list(read_calls(record.read_text()))


def cuts(calls: list[Call]) -> Iterator[tuple[int, State]]:
    """Each state of the disk, with what had been shown by then.

    Looked at before each sync, where most is open: what may be found earlier may also be found there.
    """
    disk = Disk()
    shown = 0
    for call, following in itertools.zip_longest(calls, calls[1:]):
        if call.name == "shown":
            if call.what == "write":
                shown = int(call.data)
            continue
        disk.take(call)
        if following is None or following.what == "sync":
            for state in disk.states(SAMPLES):
                yield shown, state


def test_every_state_after_a_power_cut_holds_what_was_shown(calls: list[Call], folder: Path) -> None:
    states = 0
    for shown, state in cuts(calls):
        for old in folder.iterdir():
            old.unlink()
        for name, data in state.items():
            (folder / name).write_bytes(data)
        if states % 5 == 0:
            (folder / f"{workload.NAME}-shm").write_bytes(SHM)
        workload.check(folder / workload.NAME, shown)
        states += 1
    assert states > 700
    print(f"{len(calls)} calls, {states} states of the disk, none lost")


def test_the_model_has_teeth(calls: list[Call], folder: Path) -> None:
    """Without the syncs of a commit the same model finds games that are lost."""
    careless = [c for c in calls if c.what != "sync" or c.name != f"{workload.NAME}-wal"]
    lost = 0
    for shown, state in itertools.islice(cuts(careless), 400):
        for old in folder.iterdir():
            old.unlink()
        for name, data in state.items():
            (folder / name).write_bytes(data)
        try:
            workload.check(folder / workload.NAME, shown)
        except AssertionError:
            lost += 1
    assert lost > 50
