"""``mind-box try``: a box without hardware, the real daemon in it, and a page to play with both."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import secrets
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mind_box.game.cards import Variant
from mind_box.game.state import Hands, Setup
from mind_box.pip import pip
from mind_box.settings.loading import load
from mind_box.settings.schema import Config
from mind_box.virtual.tryout.box_settings import virtual_box

HOST = "127.0.0.1"
PORT = 8751


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked for on the command line; None: the settings, or the standard, say."""

    players: int | None = None
    variant: Variant | None = None
    hands: Hands | None = None
    port: int | None = None
    browser: bool = True
    state: Path | None = None
    partners: str = "human"
    """Who sits at the seats beside the first: ``person``, or one of ``PARTNERS`` of ``virtual/tryout/partners.py``."""
    seed: int | None = None
    """Shuffles and partners are the same each time; None: never."""


def try_box(config: Config | None, wishes: Wishes) -> int:
    """Runs until it is told to stop. ``config`` are the maker's own settings; None: the box whose game is kept, or one
    with a seat for each player."""
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        print(f"mind-box try needs aiohttp: {pip('install', 'aiohttp')}, or use `make try`.", file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        kept = _kept(wishes.state)
    except OSError as e:
        print(f"--state {wishes.state} cannot be used: {e.strerror}. Name another directory.", file=sys.stderr)
        return 1
    if config is None and wishes.players is None and kept is not None:
        config, wishes = kept, replace(wishes, players=kept.box.seats)
    config = _wanted(config, wishes)
    if kept is not None and kept.box.seats != config.box.seats:
        print(
            f"{wishes.state} keeps the game of a box with {kept.box.seats} seats, and this one would have "
            f"{config.box.seats}: leave out --players and --config, or name another directory.",
            file=sys.stderr,
        )
        return 2
    with _directory(wishes.state) as directory:
        return asyncio.run(_serve(config, wishes, directory))


def _kept(state: Path | None) -> Config | None:
    """The box whose game is kept in this directory; makes it. Raises ``OSError`` when nothing can be kept there."""
    if state is None:
        return None
    state.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=state).close()
    settings = state / "box.toml"
    return load(settings) if settings.exists() else None


def _wanted(config: Config | None, wishes: Wishes) -> Config:
    game = config.game if config is not None else Setup(hands="known")  # the page deals: it is free
    config = config or virtual_box(wishes.players or 3)
    if wishes.variant is not None:
        game = replace(game, variant=wishes.variant)
    if wishes.hands is not None:
        game = replace(game, hands=wishes.hands)
    return replace(config, game=game)


@contextlib.contextmanager
def _directory(state: Path | None) -> Iterator[Path]:
    """Where the box keeps its game: a directory that goes when it is left, or one that was named."""
    if state is not None:
        yield state.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="mind-box-") as directory:
        yield Path(directory)


def _has_desktop() -> bool:
    """Whether a browser has somewhere to open; one in this terminal would only be in the way."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


async def _serve(config: Config, wishes: Wishes, directory: Path) -> int:
    from mind_box.page.web import listen
    from mind_box.virtual.tryout.try_room import TryRoom

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup asks
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    token = secrets.token_urlsafe(16)
    players = wishes.players or min(config.box.seats, 3)
    box = TryRoom(config, directory, token, HOST, players, wishes.partners, wishes.seed)
    try:
        runner = await listen(box.page.app, HOST, PORT if wishes.port is None else wishes.port)
    except OSError as e:
        if e.errno != errno.EADDRINUSE or wishes.port is not None:
            print(f"{HOST}:{wishes.port} cannot be used: {e.strerror}. Name another with --port.", file=sys.stderr)
            return 1
        runner = await listen(box.page.app, HOST, 0)
    try:
        await box.start()
        url = f"http://{HOST}:{runner.addresses[0][1]}/#{token}"
        print(f"The box is at {url}\nCtrl-C ends it.", flush=True)
        if wishes.browser and _has_desktop():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        await stop.wait()
    finally:
        await box.close()
        await runner.cleanup()
    return 0
