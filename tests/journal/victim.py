"""Dies, or finds the disk failing, between any two calls of an evening. Runs behind the shim.

``python -m tests.journal.victim DIRECTORY kill|torn|fail STEP``: every STEP-th call is the moment. Prints how many
moments there were; whatever is lost or doubled ends it with an error.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import logging
import mmap
import os
import shutil
import signal
import sys
from pathlib import Path

from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.writer import AtOnce, Keeper, News
from tests.journal import workload
from tests.journal.connections import connection

shim = ctypes.CDLL(None)
shim.mb_arm.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_long, ctypes.c_long, ctypes.c_int]

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS)
FOREVER = -1


def fresh(directory: Path) -> Path:
    """The journal's path in an empty directory."""
    for old in directory.iterdir():
        old.unlink()
    return directory / workload.NAME


def calls_of_an_evening(directory: Path) -> int:
    path = fresh(directory)
    shim.mb_arm(0, 0, 0, 0, 0)
    workload.play(path, lambda _: None)
    return int(shim.mb_calls())


def kill(directory: Path, torn: bool, step: int) -> int:
    """A child dies right before (or, torn, in the middle of) its n-th call, for every n."""
    memory = mmap.mmap(-1, 8)

    def shown(done: int) -> None:
        memory[:8] = done.to_bytes(8, "little")

    moments = range(1, calls_of_an_evening(directory) + 1, step)
    for moment in moments:
        path = fresh(directory)
        shown(0)
        child = os.fork()
        if child == 0:
            shim.mb_arm(moment, int(torn), 0, 0, 0)
            workload.play(path, shown)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or torn, f"call {moment} was never made"
        assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) == signal.SIGKILL
        workload.check(path, int.from_bytes(memory[:8], "little"))
    return len(moments)


class Box(News):
    """Keeps what cannot be saved and hands it over again, as the referee does; begins as the daemon does."""

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop) -> None:
        try:
            self._journal = Journal.open(path)
        except JournalError as e:
            self._journal = Journal.standing_in(path, e)
        else:
            connection(self._journal).execute(f"PRAGMA wal_autocheckpoint = {workload.CHECKPOINT}")
        self._keeper = Keeper(AtOnce(self._journal), loop, self, saved=True)

    @property
    def saved(self) -> int:
        """How many events are on disk."""
        return self._journal.last

    def take(self, batch: workload.Kept) -> None:
        self._keeper.keep(batch)

    def try_again(self) -> None:
        asyncio.run(self._keeper.settled(60))

    def close(self) -> None:
        self._journal.close()

    def not_saved(self, why: JournalError) -> None: ...

    def saved_again(self) -> None: ...

    def wrote(self) -> None: ...

    def failed(self, error: Exception) -> None:
        raise error


def fail(directory: Path, step: int) -> int:
    """The disk fails from the n-th call on, for one call, three or all, with each error.

    At the end the disk works again and all is there once; or the power goes while it fails, and what was saved is
    there.
    """
    moments, loop = 0, asyncio.new_event_loop()
    for moment in range(1, calls_of_an_evening(directory) + 1, step):
        for error in ERRORS:
            for many in (1, 3, FOREVER):
                for cut in (True, False):
                    _failing(fresh(directory), loop, moment, many, error, cut)
                    moments += 1
    loop.close()
    return moments


def _failing(path: Path, loop: asyncio.AbstractEventLoop, moment: int, many: int, error: int, cut: bool) -> None:
    shim.mb_arm(0, 0, moment, many, error)
    box = Box(path, loop)
    for batch in workload.BATCHES:
        box.take(batch)
    shim.mb_arm(0, 0, 0, 0, 0)
    if cut:
        copy = path.with_name("copy")  # what the disk holds while the box still runs
        for suffix in ("", "-wal", "-journal"):
            if path.with_name(path.name + suffix).exists():
                shutil.copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
        workload.check(copy, box.saved)
    else:
        box.try_again()
        assert box.saved == len(workload.EVENTS), f"call {moment}, {many} times: not saved again"
    box.close()
    if not cut:
        assert workload.check(path, len(workload.EVENTS)) == len(workload.EVENTS)


def main() -> None:
    logging.disable(logging.CRITICAL)
    directory, what, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    moments = fail(directory, step) if what == "fail" else kill(directory, what == "torn", step)
    print(f"{what}: {moments} moments, nothing lost, nothing doubled")


if __name__ == "__main__":
    main()
