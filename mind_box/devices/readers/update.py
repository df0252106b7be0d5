"""``mind-box reader update``: new firmware for the reader board, over its USB line."""

from __future__ import annotations

import hashlib
import select
import time
from pathlib import Path
from typing import Any, Final, TextIO

from mind_box.devices.nfc.link import Lines, line
from mind_box.devices.readers.transport import Gone, SerialTransport
from mind_box.pip import pip
from mind_box.settings.schema import ReaderSettings

LEAVE: Final = 2.0
"""Seconds that our firmware gets to leave its loop; a board without it never answers and has its prompt already."""
SETTINGS: Final = "settings.py"
START: Final = "main.py"


def run_update(settings: ReaderSettings, files: Path, out: TextIO, replace_settings: bool = False) -> int:
    """Copies the built firmware to the board and starts it.

    ``files`` is the folder ``files`` that ``make firmware`` wrote. The board's own ``settings.py`` stays unless
    ``replace_settings``. Each file is written beside the old one, compared, and then takes its place; ``main.py``
    comes last, so that an update that breaks off can be repeated. Returns 0, or 1 with the reason on ``out``.
    """
    try:
        from mpremote.transport import TransportError  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        print(f"It takes mpremote to talk to the board: {pip('install', 'mpremote')}", file=out)
        return 1
    names = sorted(p.relative_to(files).as_posix() for p in files.rglob("*") if p.is_file())
    if START not in names:
        print(f"{files} holds no firmware: run `make firmware`, or name another folder.", file=out)
        return 1
    names.remove(START)
    try:
        said = _ask_to_leave(settings)
        print("The reader stops for the update." if said else "No firmware of ours there; trying its prompt.", file=out)
        _copy(settings.device, files, [*names, START], out, replace_settings)
    except Gone as e:
        print(f"{e}. If the box is running, it has the reader: stop it first.", file=out)
        return 1
    except (TransportError, OSError) as e:
        print(f"{settings.device}: the update broke off: {e}. Unplug the reader, plug it in and try again.", file=out)
        return 1
    print("Done: the reader starts anew.", file=out)
    return 0


def _ask_to_leave(settings: ReaderSettings) -> bool:
    """Asks our firmware to stop; false when nothing of ours answers. Raises ``Gone``."""
    port = SerialTransport(settings.device, settings.speed)
    try:
        port.write(b"\n" + line("U"))
        lines = Lines()
        end = time.monotonic() + LEAVE
        while (left := end - time.monotonic()) > 0:
            if select.select([port], [], [], left)[0] and any(m[0] == "U" for m in lines.feed(port.read())):
                return True
        return False
    finally:
        port.close()


def _copy(device: str, files: Path, names: list[str], out: TextIO, replace_settings: bool) -> None:
    from mpremote.transport_serial import SerialTransport as Prompt  # type: ignore[import-untyped,import-not-found,unused-ignore]

    prompt = Prompt(device)
    try:
        prompt.enter_raw_repl(soft_reset=False)  # a soft reset would stop what keeps the watchdog quiet
        for name in names:
            if name == SETTINGS and not replace_settings and prompt.fs_exists(name):
                print(f"  {name} stays as it is", file=out)
                continue
            _write(prompt, name, (files / name).read_bytes())
            print(f"  {name}", file=out)
        prompt.exec_raw_no_follow("import time, machine; time.sleep_ms(100); machine.reset()")
    finally:
        prompt.close()


def _write(prompt: Any, name: str, data: bytes) -> None:
    """One file, whole or not at all. Raises ``OSError`` when the board kept something else."""
    folder = ""
    for part in name.split("/")[:-1]:
        folder = f"{folder}/{part}" if folder else part
        if not prompt.fs_exists(folder):
            prompt.fs_mkdir(folder)
    new = name + ".new"
    prompt.fs_writefile(new, data)
    if prompt.fs_hashfile(new, "sha256") != hashlib.sha256(data).digest():
        raise OSError(f"{name} arrived damaged")
    if name.endswith(".mpy"):  # MicroPython would take a source of that name first
        source = name.removesuffix(".mpy") + ".py"
        if prompt.fs_exists(source):
            prompt.fs_rmfile(source)
    prompt.exec(f"import os\nos.rename({new!r}, {name!r})")
