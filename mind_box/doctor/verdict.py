"""What a check says, and what the checks may look at."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mind_box.settings.schema import Config

OK, NOTE, WRONG = "ok", "note", "wrong"

SERVICE_USER = "mind-box"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line of the doctor."""

    part: str
    """python, pins, screens, reader, boot, service, clock or broker."""
    state: str
    """ok; note: good to know, nothing is broken; wrong: the box misses something."""
    what: str
    """What was looked at and found."""
    cure: str = ""
    """What to do about it; empty when there is nothing to do."""


def user_name() -> str:
    """Whom this process runs as. Not ``getpass``, which believes LOGNAME: that is sudo's after setpriv."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


@dataclass(frozen=True, slots=True)
class Scene:
    """What the checks look at. ``root`` is where ``dev``, ``sys``, ``proc``, ``boot`` and ``etc`` are found."""

    config: Config
    root: Path = Path("/")
    running: Mapping[str, Any] | None = None
    """What the running box says of itself; None when none runs. What it has open is not opened a second time."""
    user: str = field(default_factory=user_name)

    @property
    def faults(self) -> tuple[str, ...]:
        """The devices that the running box misses."""
        return tuple(self.running["view"]["faults"]) if self.running else ()

    def text(self, path: str) -> str:
        """A small file below the root; empty when it is not there or may not be read."""
        try:
            return (self.root / path).read_bytes().replace(b"\0", b"\n").decode("utf-8", "replace")
        except OSError:
            return ""

    @property
    def board(self) -> str:
        """The machine's name in the device tree; empty where there is none."""
        return self.text("proc/device-tree/model").strip()
