"""A box on the table, without hardware: its buttons, lamps, screens and plugs, and the power that feeds its daemon.

The daemon is a process of its own. Cutting the power kills it; what brings the game back is its journal on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mind_box.files import replacing
from mind_box.service import SHUT_DOWN
from mind_box.settings.schema import Config
from mind_box.settings.writing import to_toml
from mind_box.table.inputs import STAR
from mind_box.table.view import View
from mind_box.virtual.glass import fit
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.reader_line import ReaderLine
from mind_box.virtual.scripts.box import READER
from mind_box.virtual.tryout.box_settings import virtual_settings
from mind_box.virtual.tryout.under_scanner import UnderScanner

log = logging.getLogger(__name__)

ON, OFF, STARTING = "on", "off", "starting"

GATHER = 0.004
"""Seconds: what a driver sends within this time makes one frame."""
AGAIN = 1.0
"""Seconds until a daemon that ended by itself is started again, as systemd would."""
BOUNCES = (0.0, 0.002, 0.005, 0.007, 0.012)
"""Seconds after a press at which a worn contact opens and closes; shorter than the table's debounce."""
TAKEN = 2.0
"""Seconds that a plugged reader may be lost: the daemon finds it again within 1.5 s."""
READS_AGAIN = 0.15
"""Seconds until a scanner that is held too close reads the same card again."""


@dataclass(slots=True)
class Hooks:
    """Whom the box tells of what can be seen and heard at it. All are called in the loop's thread."""

    changed: Callable[[], None] = lambda: None
    """A lamp, a plug, the power or the View is not what it was."""
    frame: Callable[[str, bytes], None] = lambda _name, _frame: None
    """A screen's glass changed."""
    tune: Callable[[str], None] = lambda _name: None


class Machine:
    """The box. Make and use it in the loop's thread; ``directory`` is its disk."""

    def __init__(self, config: Config, directory: Path, hooks: Hooks) -> None:
        # Sockets have short names only (108 bytes), whatever the disk's directory is called.
        self._run = tempfile.TemporaryDirectory(prefix="mind-box-run-")
        run = Path(self._run.name)
        self.config = virtual_settings(config, directory, run)
        self.directory = directory
        self.hooks = hooks
        self.power = OFF
        self.view: View | None = None
        """What the daemon shows; None while there is none."""
        self.language = config.box.language
        """What its screens speak."""
        self.lit: set[int] = set()
        """Output pins that are high."""
        self.down: set[int] = set()
        """Buttons that are held down."""
        self.worn = False
        """The buttons chatter."""
        self.repeats = False
        """The reader reads each card twice."""
        self.broken = False
        """The daemon ended by itself and has not come back yet."""
        self._buses: dict[str, ModelBus] = {}
        self.screens = {s.name: fit(s, self._buses) for s in self.config.screen}
        self._loop = asyncio.get_running_loop()
        self._socket = run / "link.sock"
        self._server: asyncio.Server | None = None
        self._daemon: asyncio.StreamWriter | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._gathering: asyncio.TimerHandle | None = None
        self._restart: asyncio.TimerHandle | None = None
        self._reader = ReaderLine(Path(self.config.reader[0].device))
        self._tray = UnderScanner(self._loop, self._read) if self.config.reader[0].place == "tray" else None
        self._replugging: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # -- power

    async def start(self) -> None:
        """Plugs the box in for the first time."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with replacing(self.directory / "box.toml") as settings:
            settings.write(to_toml(self.config))
        self._server = await asyncio.start_unix_server(self._connected, self._socket)
        self._reader.plug()
        self.power_on()

    def power_on(self) -> None:
        """Starts the daemon."""
        if self.power != OFF:
            return
        self._unschedule()
        if self._process is not None:  # it has ended by itself: what it left on the glass goes now
            self._go_dark()
        self._reader.free()
        self.power = STARTING
        with (self.directory / "log").open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "mind_box.virtual.tryout.daemon", self.directory / "box.toml", self._socket],
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                umask=0o077,  # the journal holds the cards of known hands
                start_new_session=True,  # Ctrl-C in the terminal is for this program, which then tells the daemon
            )
        self._keep(self._loop.create_task(self._watch(self._process)))
        self.hooks.changed()

    def cut_power(self) -> None:
        """The plug is pulled: the daemon dies without warning, lamps and screens are dark."""
        self._unschedule()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process = None
        self._go_dark()
        self.power = OFF
        self.hooks.changed()

    def _go_dark(self) -> None:
        self._hang_up()
        self.lit.clear()
        for glass in self.screens.values():
            glass.chip.power_cycle()
        for bus in self._buses.values():
            for slave in bus.slaves.values():
                if isinstance(slave, TCA9548A):
                    slave.power_cycle()
        self._look()

    def _hang_up(self) -> None:
        if self._daemon is not None:
            self._daemon.close()
            self._daemon = None
        self.view = None

    async def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Waits for the daemon's end. The menu's shut-down is one; anything else is an accident."""
        code = await asyncio.to_thread(process.wait)
        if self._process is not process:  # the plug was pulled
            return
        self._hang_up()
        self.power = OFF
        if code not in (0, SHUT_DOWN):
            if not self.broken:
                log.error("the daemon ended with %d: %s says why; it is started again", code, self.directory / "log")
            self.broken = True
            self._restart = self._loop.call_later(AGAIN, self.power_on)
        self.hooks.changed()

    def _unschedule(self) -> None:
        if self._restart is not None:
            self._restart.cancel()
            self._restart = None

    async def close(self) -> None:
        """Ends the daemon and lets go of everything."""
        self._unschedule()
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, 3.0)
            except subprocess.TimeoutExpired:
                process.kill()
        self._hang_up()
        if self._tray is not None:
            self._tray.close()
        self._reader.unplug()
        for timer in (self._gathering, self._replugging):
            if timer is not None:
                timer.cancel()
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._run.cleanup()

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- the daemon's ends of the wires

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._keep(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            word, _, name = (await reader.readline()).decode().strip().partition(" ")
            if word == "box":
                await self._serve_box(reader, writer)
            elif word == "bus" and name in self._buses:
                await self._serve_bus(self._buses[name], reader, writer)
        writer.close()

    async def _serve_box(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._daemon = writer
        for button in range(STAR, self.config.box.seats + 1):
            self._tell_level(button, button in self.down)
        writer.write(b"ready\n")
        while line := await reader.readline():
            if self._daemon is not writer:
                return
            self._take(line.decode().strip())

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "lamp":
            pin, level = rest.split()
            (self.lit.add if level == "1" else self.lit.discard)(int(pin))
        elif word == "view":
            self.language, _, view = rest.partition(" ")
            self.view = View.from_json(json.loads(view))
            self.power = ON
            self.broken = False
            self._look_at_reader()
            if self._tray is not None:
                self._tray.follow(self.view)
        elif word == "tune":
            self.hooks.tune(rest)
            return
        self.hooks.changed()

    async def _serve_bus(self, bus: ModelBus, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(self._transfer(bus, line.decode().split()).encode() + b"\n")
            if self._gathering is None:
                self._gathering = self._loop.call_later(GATHER, self._look)

    def _transfer(self, bus: ModelBus, words: list[str]) -> str:
        try:
            if words[0] == "read":
                return "ok " + bus.read(int(words[1]), int(words[2])).hex()
            bus.write(int(words[1]), bytes.fromhex("".join(words[2:])))
        except OSError as e:
            return str(e.errno or errno.EIO)
        return "ok"

    def _look(self) -> None:
        """Whose glass has changed?"""
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        for name, glass in self.screens.items():
            frame = glass.look()
            if frame is not None:
                self.hooks.frame(name, frame)

    # -- buttons

    def press(self, button: int) -> None:
        """A finger comes down on a button."""
        self._move(button, True)

    def lift(self, button: int) -> None:
        """The finger goes."""
        self._move(button, False)

    def _move(self, button: int, down: bool) -> None:
        if not STAR <= button <= self.config.box.seats or (button in self.down) == down:
            return
        (self.down.add if down else self.down.discard)(button)
        if self.worn:
            for i, after in enumerate(BOUNCES):
                self._loop.call_later(after, self._tell_level, button, down if i % 2 == 0 else not down)
        else:
            self._tell_level(button, down)
        self.hooks.changed()

    def _tell_level(self, button: int, down: bool) -> None:
        if self._daemon is not None:
            gpio = self.config.gpio
            pin = gpio.star_button if button == STAR else gpio.seat_buttons[button - 1]
            self._daemon.write(f"level {pin} {int(not down)}\n".encode())

    # -- lamps

    @property
    def lamps(self) -> dict[str, list[bool]]:
        """Which lamps glow: lives, stars and seats, first to last."""
        gpio = self.config.gpio
        groups = {"lives": gpio.life_lamps, "stars": gpio.star_lamps, "seats": gpio.seat_lamps[: self.config.box.seats]}
        return {name: [pin in self.lit for pin in pins] for name, pins in groups.items()}

    # -- cables

    @property
    def unplugged(self) -> list[str]:
        """The devices whose cables are pulled."""
        missing = [] if self._reader.plugged else [READER]
        return missing + [name for name, glass in self.screens.items() if not glass.plugged]

    def plug(self, device: str, plugged: bool) -> None:
        """Pulls a device's cable, or puts it back."""
        if device == READER and plugged != self._reader.plugged:
            (self._reader.plug if plugged else self._reader.unplug)()
        glass = self.screens.get(device)
        if glass is not None and plugged != glass.plugged:
            glass.plug(plugged)
            self._look()
        self.hooks.changed()

    def _look_at_reader(self) -> None:
        """A plugged reader that stays lost gets another cable."""
        lost = self.view is not None and READER in self.view.faults and self._reader.plugged
        if lost and self._replugging is None:
            self._replugging = self._loop.call_later(TAKEN, self._replug)
        elif not lost and self._replugging is not None:
            self._replugging.cancel()
            self._replugging = None

    def _replug(self) -> None:
        self._replugging = None
        self._reader.take_another()
        self._look_at_reader()

    def scan(self, payload: str) -> None:
        """A card is shown to the reader, or laid under it; without power or plug nothing comes of it."""
        if self._tray is not None:
            self._tray.lay(payload)
            return
        self._read(payload)
        if self.repeats:
            self._loop.call_later(READS_AGAIN, self._read, payload)

    def _read(self, payload: str) -> None:
        if self.power == ON:
            self._reader.read(payload)
