"""The self-test, or what is built like it, on the real ports, which no box has open meanwhile: for the commands."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TypeVar

from mind_box.cards.store import enrolled
from mind_box.devices.ports import Devices
from mind_box.self_test.engine import SelfTest
from mind_box.settings.schema import Config
from mind_box.table.inputs import Input, Post

Test = TypeVar("Test", bound=SelfTest)
OpenAll = Callable[[Config, Post], Devices]


def tell(text: str) -> None:
    """Every question, for whoever reads along."""
    print(text, file=sys.stderr, flush=True)


async def on_devices(config: Config, open_all: OpenAll | None = None) -> SelfTest:
    """Runs the test on real ports, in this loop, to its end. ``open_all`` opens other ones."""
    known = enrolled(config.box.state_dir)
    return await carried_out(
        config, lambda ports: SelfTest(config.box.seats, ports, tell=tell, enrolled=known), open_all
    )


async def carried_out(config: Config, make: Callable[[Devices], Test], open_all: OpenAll | None = None) -> Test:
    """The same with what ``make`` makes for the ports."""
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[Input] = asyncio.Queue()

    def post(item: Input) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(inbox.put_nowait, item)

    if open_all is not None:
        devices = open_all(config, post)
    else:
        from mind_box.devices.build import open_devices

        devices = open_devices(config, post, loop)
    test = make(devices)
    try:
        test.start(loop.time())
        while test.due is not None:
            try:
                test.feed(await asyncio.wait_for(inbox.get(), max(0.0, test.due - loop.time())))
            except TimeoutError:
                test.wake(max(loop.time(), test.due))
    finally:
        devices.close()
    return test
