"""Randomised faults of buttons, lamps and screens during scripted games, which must end as they do without them."""

from __future__ import annotations

import asyncio
import errno
import random
from collections import Counter
from dataclasses import replace

from luma.core.error import DeviceNotFoundError

from mind_box.devices.panel import REFRESH
from mind_box.devices.ports import Devices
from mind_box.table.inputs import DeviceBack, DeviceLost, Input, Post
from mind_box.table.view import View
from mind_box.virtual import script as sc
from mind_box.virtual.i2c_bus import TCA9548A
from mind_box.virtual.model_box import MUX, ModelBox
from tests.devices.driven import DriverPlayer

ERRORS = (
    lambda: OSError(errno.EREMOTEIO, "Remote I/O error"),
    lambda: OSError(errno.EIO, "Input/output error"),
    lambda: OSError(errno.ETIMEDOUT, "Connection timed out"),
    lambda: OSError(errno.ENODEV, "No such device"),
    lambda: DeviceNotFoundError("I2C device not found on address: 0x3C"),
    lambda: RuntimeError("a library's own fault"),
    lambda: TypeError(),
)
"""What a bus, or a library above it, raises."""

BOUNCE = 0.004
"""Seconds of chatter after a press or a lift. The scripts look 30 ms after a press, the table's window is 25."""
MERGED = 0.003
"""Seconds after an edge in which the kernel may lose the next one."""
SPIKE = 0.001
APART = 0.045
"""Seconds between two spikes on one button: they must not look like a level."""


class FaultyBox(ModelBox):
    """A box in bad surroundings, for as long as ``rng`` is given. ``injected`` counts what was done to it."""

    def __init__(self, seats: int) -> None:
        super().__init__(seats)
        self.rng: random.Random | None = None
        self.injected: Counter[str] = Counter()
        self.posted: list[Input] = []
        """Since the daemon was started last."""
        self.bus.trouble = self._trouble

    def open(self, post: Post) -> Devices:
        self.posted = []

        def watched(message: Input) -> None:
            self.posted.append(message)
            post(message)

        return super().open(watched)

    def _hit(self, what: str, chance: float) -> bool:
        if self.rng is not None and self.rng.random() < chance:
            self.injected[what] += 1
            return True
        return False

    # The bus

    def _trouble(self, address: int, payload: bytes | None) -> None:
        self._pulled(address, payload)
        if self.rng is None:
            return
        if self._hit("cut message", 0.01) and payload:
            for slave in self.bus.reached(address):
                slave.write(payload[: self.rng.randrange(len(payload))])
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        if self._hit("bus or library error", 0.02):
            raise self.rng.choice(ERRORS)()

    def glitch(self) -> None:
        """Something loses its supply for a moment, and answers again as if nothing had been."""
        assert self.rng is not None
        mux = self.bus.slaves[MUX]
        assert isinstance(mux, TCA9548A)
        self.rng.choice([mux, *self.panels.values()]).power_cycle()
        self.injected["power glitch"] += 1

    # The buttons

    def press(self, button: int) -> None:
        super().press(button)
        self._chatter(button)

    def lift(self, button: int) -> None:
        super().lift(button)
        self._chatter(button)

    def _chatter(self, button: int) -> None:
        """Contacts bounce, and the kernel may lose an edge among those that come close together."""
        if self.rng is None or not self._hit("chatter", 0.5):
            return
        told = 0.0
        times = sorted(self.rng.uniform(0, BOUNCE) for _ in range(2 * self.rng.randrange(1, 6)))
        for n, time in enumerate(times):
            down = (button in self._down) == bool(n % 2)
            lost = time - told < MERGED and self.rng.random() < 0.3
            told = told if lost else time
            self._loop.call_later(time, self._bounce, button, down, lost)

    def _bounce(self, button: int, down: bool, lost: bool) -> None:
        if self.chip.gone:
            return
        if lost:
            self.injected["lost edge"] += 1
            self.chip.lines[self.pin(button)].driven = not down
        else:
            self.chip.drive(self.pin(button), not down)

    def spike(self, button: int) -> None:
        """A millisecond of the other level: an electric spark, not a finger."""
        self.injected["spike"] += 1
        down = button in self._down
        self.chip.drive(self.pin(button), down)
        self._loop.call_later(SPIKE, self._end_of_spike, button)

    def _end_of_spike(self, button: int) -> None:
        self.chip.drive(self.pin(button), button not in self._down)


class Campaign:
    """One script, played twice with the same times: once undisturbed, once with faults."""

    def __init__(self, script: sc.Script, seed: int) -> None:
        self._script = script
        self._seed = seed
        self.injected: Counter[str] = Counter()

    async def views(self, faults: bool) -> list[View]:
        """The View after each action, without what tells of the faults themselves."""
        rng = random.Random(self._seed)
        pauses = random.Random(self._seed + 1)
        player = DriverPlayer(self._script, lambda _: None, FaultyBox)
        box = player.box
        assert isinstance(box, FaultyBox)
        box.rng = rng if faults else None
        views = []
        for line in player.lines:
            if not isinstance(line.action, sc.Expect):
                await self._pause(player, box, pauses)
                await player.act(line.number, line.action)
                views.append(replace(player.view, faults=(), notices=()))
        box.rng = None
        await self._mend(player, box)
        views.append(replace(player.view, faults=(), notices=()))
        self._check(player, box)
        player.referee.close()
        self.injected += box.injected
        return views

    async def _pause(self, player: DriverPlayer, box: FaultyBox, pauses: random.Random) -> None:
        """Time between two actions, the same in both games; faults come in it."""
        kind = pauses.choice(("none", "none", "spikes", "glitch", "screen", "chip"))
        faults = box.rng is not None
        if kind == "spikes":
            for button in pauses.sample(range(box.seats + 1), 2):
                if faults:
                    box.spike(button)
                await player._sleep(APART)
        elif kind == "glitch" and faults:
            box.glitch()
        elif kind == "screen":
            name = pauses.choice(sorted(box.panels))
            if faults:
                box.injected["screen unplugged"] += name not in box.unplugged
                (box.plug if name in box.unplugged else box.unplug)(name)
        elif kind == "chip" and not box._down and pauses.random() < 0.3:
            if faults:
                box.injected["GPIO chip gone"] += 1
                box.unplug("buttons")
            await player._sleep(0.3)
            if faults:
                box.plug("buttons")
            await player._sleep(2.2)  # found again within two seconds

    async def _mend(self, player: DriverPlayer, box: FaultyBox) -> None:
        """Everything is plugged in again; a panel that lost its power silently is found at the next change."""
        for name in sorted(box.unplugged):
            box.plug(name)
        await player._sleep(REFRESH)  # and one that could not be asked how it was, now
        devices = player.referee.devices
        assert devices is not None
        for screen in devices.screens.values():
            shown = box.glass(screen.name)
            screen.show(lambda shown=shown: shown.transpose(0))
        await asyncio.sleep(0)
        player.referee._show(first=True)
        await player._sleep(0.1)

    def _check(self, player: DriverPlayer, box: FaultyBox) -> None:
        """What must be true of the drivers after any faults."""
        assert player.wrong() == []
        assert player.view.faults == ()
        lost: dict[str, bool] = {}
        for message in box.posted:
            if isinstance(message, DeviceLost | DeviceBack):
                assert lost.get(message.device, False) != isinstance(message, DeviceLost), "told twice"
                lost[message.device] = isinstance(message, DeviceLost)
        assert not any(lost.values())
        devices = player.referee.devices
        assert devices is not None
        buttons = devices.buttons
        assert not buttons._batch  # type: ignore[attr-defined]
        assert not buttons._timers  # type: ignore[attr-defined]
        assert len(player._loop._scheduled) <= 3  # type: ignore[attr-defined]
