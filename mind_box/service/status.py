"""``mind-box status``: what the running box shows, over a socket in its run directory. Nothing hidden is in it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

SOCKET = "status.sock"


class StatusServer:
    """Answers each connection with one line of JSON."""

    def __init__(self, directory: Path, answer: Callable[[], dict[str, Any]]) -> None:
        self._path = directory / SOCKET
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._inode = 0

    async def start(self) -> None:
        """Listens; where that is not possible the box runs without."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if _answered(self._path):
                raise OSError("another mind-box answers there; give this one its own box.run_dir")
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, self._path)
            self._inode = self._path.stat().st_ino
            os.chmod(self._path, 0o666)  # anyone on the machine may look at what the screens show
        except OSError as e:
            log.warning("%s: `mind-box status` will not work: %s", self._path, e.strerror or e)

    async def stop(self) -> None:
        """Stops listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            with contextlib.suppress(OSError):  # the directory may be gone or read-only by now: it is only tidiness
                if self._path.stat().st_ino == self._inode:
                    self._path.unlink()

    async def _serve(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):  # whoever asked has gone
            writer.write(json.dumps(self._answer()).encode() + b"\n")
            await writer.drain()
            writer.close()
            await writer.wait_closed()


def _answered(path: Path) -> bool:
    """Whether a process listens there; one that ended without a word leaves its socket behind."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.setblocking(False)
        try:
            s.connect(str(path))
        except BlockingIOError:  # so many ask it that they wait
            return True
        except OSError:
            return False
    return True


def ask(directory: Path) -> dict[str, Any] | None:
    """What the running box says; None when none runs there."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(5.0)
            s.connect(str(directory / SOCKET))
            with s.makefile() as lines:
                answer: dict[str, Any] | None = json.loads(lines.readline())
                return answer if isinstance(answer, dict) else None
    except (OSError, ValueError):
        return None


def show(directory: Path, as_json: bool) -> int:
    """Prints it. 0: a box runs; 1: none does, or its journal is not being saved or a device is missing; 3: none."""
    answer = ask(directory)
    if answer is None or "view" not in answer:
        print(json.dumps({"running": False}) if as_json else f"No box is running here ({directory / SOCKET}).")
        return 3
    if as_json:
        print(json.dumps(answer))
    else:
        print(describe(answer))
    return 1 if answer["view"]["faults"] else 0


def describe(answer: dict[str, Any]) -> str:
    """The status for people."""
    view = answer["view"]
    lines = [f"mind-box {answer['version']}, process {answer['pid']}"]
    if answer["starting"]:
        lines.append("Starting: waits for the disk")
    elif view["phase"] == "lobby":
        lines.append(f"In the lobby: {view['variant']}, hands {view['hands']}")
    else:
        where = f"{view['phase']} ({view['reason']})" if view["reason"] else view["phase"]
        lines.append(
            f"{len(view['seats'])} players, {view['variant']}{', blind' if view['blind'] else ''}: "
            f"level {view['level']} of {view['last_level']}, {view['lives']} lives, {view['stars']} stars; {where}"
        )
    waits = " (the disk does not answer: what happened last is not shown yet)" if "saving" in view["faults"] else ""
    lines.append(f"Journal: {answer['journal'] or 'in memory only: nothing can be saved'}{waits}")
    lines.append(f"Pins: {answer['pins']}")
    if "broker" in answer:
        lines.append(f"Broker: {_of_broker(answer['broker'])}")
    lines.append("Missing: " + (", ".join(fault for fault in view["faults"] if fault != "saving") or "nothing"))
    return "\n".join(lines)


def _of_broker(broker: dict[str, Any]) -> str:
    waits = broker["results_waiting"]
    results = f"; {waits} results wait for the hub" if waits else ""
    return (
        f"{broker['trouble'] or ('connected' if broker['connected'] else 'connecting')}, as {broker['name']}{results}"
    )
