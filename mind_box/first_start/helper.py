"""The short-lived helper of a first start, before the box itself: it alone may write settings (docs/install.md)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mind_box.cards.store import enrolled
from mind_box.files import sync_directory
from mind_box.first_start import file
from mind_box.first_start.carrying_out import Run, carry_out, run_command, write_settings
from mind_box.first_start.set_up import SetUp
from mind_box.self_test.alone import OpenAll, carried_out, tell
from mind_box.settings.loading import ConfigError, load
from mind_box.settings.schema import Config

Say = Callable[[str], None]
Go = Callable[[Coroutine[Any, Any, SetUp]], SetUp]
"""Runs the questions to their end."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything is."""

    settings: Path = Path("/etc/mind-box/box.toml")
    asked: Path = Path("/boot/firmware") / file.NAME
    """The file on the FAT partition."""
    wanted: Path = Path("/etc/mind-box/set-up-wanted")
    """Is there as long as the box has not been set up."""
    root: Path = Path("/")


def set_up(
    places: Places, open_all: OpenAll | None = None, run: Run = run_command, say: Say = tell, go: Go = asyncio.run
) -> int:
    """0: the box is set up, or nobody was there and it starts as it is; 1: what came of it cannot be kept.

    The file on the card comes first. Where that is wrong nothing of it is carried out; the screens say what is wrong,
    and then the box asks, unless it has been set up before.
    """
    try:
        wrong = _by_file(places, run, say)
    except _Done:
        return _settled(places, say)
    except OSError as e:
        say(f"{e.filename}: {e.strerror}: nothing is lost, the next start tries again")
        return 1
    config = _beginning(places, say)
    asks = not wrong or places.wanted.exists()
    known = enrolled(config.box.state_dir)
    test = go(carried_out(config, lambda devices: SetUp(config, devices, say, known, wrong, asks), open_all))
    for line in test.page().splitlines():
        say(line)
    if test.settings is None:
        say("nobody set the box up: it starts as it is, and asks again at its next start")
        return 0
    try:
        kept = write_settings(test.settings, places.settings)
    except OSError as e:
        say(f"{e.filename or places.settings}: {e.strerror}: the settings could not be kept")
        return 1
    if kept is not None:
        say(f"{places.settings}: the one before is kept as {kept}")
    return _settled(places, say)


class _Done(Exception):
    """The file has said everything."""


def _by_file(places: Places, run: Run, say: Say) -> str:
    """Carries out the file on the card, if there is one; what is wrong with it, for the screens. Raises ``OSError``."""
    try:
        data = places.asked.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as e:
        return f"{file.NAME}: {e.strerror}"
    try:
        asked = file.read(data)
    except ConfigError as e:
        say(str(e))
        return str(e)
    carry_out(asked, places.root, run)
    if asked.settings is not None:
        write_settings(asked.settings, places.settings)
    done = places.asked.with_suffix(".done")
    new = places.asked.with_suffix(".new")
    new.write_bytes(file.without_secrets(data))
    with new.open("rb") as written:
        os.fsync(written.fileno())
    os.replace(new, done)
    places.asked.unlink()
    sync_directory(places.asked.parent)
    say(f"{places.asked} is carried out, and is called {done.name} now")
    if asked.settings is not None:
        raise _Done
    return ""


def _beginning(places: Places, say: Say) -> Config:
    """The pins and screens to begin with."""
    try:
        return load(places.settings)
    except ConfigError as e:
        say(f"{e} Beginning with the defaults.")
        return Config()


def _settled(places: Places, say: Say) -> int:
    try:
        places.wanted.unlink(missing_ok=True)
    except OSError as e:
        say(f"{places.wanted}: {e.strerror}: the next start asks again")
        return 1
    return 0
