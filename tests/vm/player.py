"""Table scripts, played on the box in the guest: ``mind_box.virtual.scripts.script`` on real lines and ports.

Time is real here, and another machine's: an expectation is given some seconds to come true.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from mind_box.table.inputs import STAR
from mind_box.virtual.scripts import script as sc
from tests.vm.box import ON_AND_OFF, UNIT, Box
from tests.vm.guest import GuestError

HANDS = 2.6
MENU_HOLD = 1.8
PATIENCE = 20.0


class Player:
    """Plays a script. ``cut_power`` is what ``restart`` does; the default kills the process without warning."""

    def __init__(self, box: Box, cut_power: Callable[[], None] | None = None) -> None:
        self.box = box
        self.failures: list[str] = []
        self.scans = 0
        self._cut_power = cut_power or self._kill_process

    def settings(self, script: sc.Script) -> str:
        """The script's config lines as settings of the box."""
        game, seats = script.config.game, script.config.box.seats
        lines = [f"{name} = {json.dumps(getattr(game, name))}" for name in
                 ("variant", "deck", "hands", "blind", "no_stars", "challenge")]  # fmt: skip
        return "\n".join([f"[box]\nseats = {seats}", "[game]", *lines])

    def play(self, script: sc.Script, on_line: Callable[[sc.Line], None] | None = None) -> list[str]:
        """Plays it to the end; the expectations that failed."""
        for line in script.lines:
            try:
                self.act(line.action)
            except GuestError as e:
                raise GuestError(f"line {line.number}: {e}") from e
            if on_line is not None:
                on_line(line)
        return self.failures

    def act(self, action: sc.Action) -> None:
        """One action."""
        box = self.box
        match action:
            case sc.Hands(seats):
                box.hands(*(seats or box.view["seats"] or range(1, len(box.gpio.seat_buttons) + 1)), seconds=HANDS)
            case sc.Buttons("tap", buttons):
                for button in buttons:
                    box.hold(button)
            case sc.Buttons(what, buttons):
                (box.press if what == "down" else box.lift)(*buttons)
            case sc.Hold(button, seconds):
                box.hold(button, seconds=seconds)
            case sc.ShowPayload(payload):
                self.scans += 1
                box.scan(payload)
            case sc.Wait(seconds):
                time.sleep(seconds)
            case sc.Choose(item):
                self._choose(item)
            case sc.Plug(device, plugged):
                self._plug(device, plugged)
            case sc.Restart():
                self._cut_power()
            case sc.Expect(field, value):
                self._expect(field, value)

    def _expect(self, field: str, value: Any) -> None:
        name, wanted = field, json.loads(json.dumps(value))
        if field in ("pile", "pile2"):
            piles = self.box.view["piles"]
            which = int(field == "pile2")
            piles[which : which + 1] = [wanted]
            name, wanted = "piles", piles
        try:
            self.box.expect(PATIENCE, **{name: wanted})
        except GuestError as e:
            self.failures.append(str(e))

    def _choose(self, item: str) -> None:
        self.box.hold(STAR, seconds=MENU_HOLD)
        seen: set[str | None] = {None}
        while (lit := self.box.view["menu"]) != item:
            if lit in seen:
                if lit is not None:
                    self.box.hold(1)
                return
            seen.add(lit)
            self.box.hold(STAR, seconds=ON_AND_OFF)
        self.box.hold(STAR, seconds=MENU_HOLD)

    def _plug(self, device: str, plugged: bool) -> None:
        guest = self.box.guest
        if device == "reader":
            (guest.plug_scanner if plugged else guest.unplug_scanner)()
        elif device == "table-screen":
            guest.sh(f"echo {int(not plugged)} > /sys/module/i2c_fake/parameters/nak")
        else:
            raise GuestError(f"there is no {device} in the guest")

    def _kill_process(self) -> None:
        self.box.guest.sh(f"systemctl kill -s KILL {UNIT}")
        before = self.box.guest.call("service.main_pid")
        time.sleep(0.1)
        self.box.until_up()
        if self.box.guest.call("service.main_pid") == before:
            raise GuestError("the process was killed and is still there")
