"""What a board does when its reader does not run: the update, with the chip's own watchdog, and settings gone wrong."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from firmware import build
from mind_box.devices.nfc.link import Lines, line
from mind_box.devices.readers.update import run_update
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceLost
from mind_box.table.payload import encode
from tests.firmware.board import Wire
from tests.firmware.conftest import Bench
from tests.firmware.test_board import Box, MakeBench, play, uid
from tests.models.tags import Ntag

RESET = 42
"""What MicroPython ends with when the board is reset in order; 43 is the watchdog's."""


async def ended(table: Bench) -> int | None:
    for _ in range(400):
        if table.board.ended is not None:
            break
        await asyncio.sleep(0.05)
    return table.board.ended


async def said(wire: Wire, what: bytes, times: int = 1) -> None:
    """Waits until the board has said this so often."""
    for _ in range(400):
        if wire.up.count(what) >= times:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(wire.up[-500:])


async def update(table: Bench, files: Path, settings: bool = False) -> tuple[int, str]:
    out = io.StringIO()
    where = ReaderSettings(kind="firmware", device=str(table.port))
    return await asyncio.to_thread(run_update, where, files, out, settings), out.getvalue()


def test_an_update_of_our_own_board_outlasts_its_watchdog(bench: MakeBench, built: Path) -> None:
    """Each command takes the board half a second of its time and ends in a collection; the watchdog bites after 8 s."""
    table = bench(heap="128k", prompt=True)
    files = sorted(p.relative_to(built / "files") for p in (built / "files").rglob("*") if p.is_file())
    for name in files:
        if name.name not in ("main.py", "settings.py"):
            (table.files / name).touch()

    async def game() -> None:
        wire = table.board.plug()
        await said(wire, b" ok ")
        for name in files:  # whatever was there is written anew
            (table.files / name).write_bytes(b"old")
        code, words = await update(table, built / "files")
        assert code == 0, (words, wire.up[-500:])
        assert "The reader stops" in words
        assert await ended(table) == RESET
        assert b"bites" not in wire.up

    play(game)
    for name in files:
        if name.name != "settings.py":
            assert (table.files / name).read_bytes() == (built / "files" / name).read_bytes()
    assert (table.files / "settings.py").read_bytes() == b"old"


def test_a_board_that_is_left_at_the_prompt_is_restarted_by_its_watchdog(bench: MakeBench) -> None:
    """The watchdog of these boards bites, and can be kept quiet for some minutes only."""
    table = bench(heap="128k", prompt=True)

    async def game() -> None:
        wire = table.board.plug()
        wire.send(line("U"))
        await said(wire, b"timer 1000")
        wire.send(b"\x01" + b"\x04" * 500)  # of half a second each
        await said(wire, b">OK", 500)
        assert table.board.ended is None
        wire.send(b"\x04" * 150)
        assert await ended(table) == 43
        assert b"bites" in wire.up

    play(game)


WRONG = {
    "chip": ({"CHIP": 'CHIP = "pn533"'}, 'CHIP must be "pn532" or "rc522"'),
    "bus": ({"BUS": 'BUS = "usart"'}, 'BUS must be "uart", "i2c" or "spi"'),
    "bus of another type": ({"BUS": "BUS = ['uart']"}, 'BUS must be "uart", "i2c" or "spi"'),
    "lamp": ({"LED": 'LED = "LAMP"'}, "unknown named pin"),
    "lamp's pin": ({"LED": "LED = 99"}, "invalid pin"),
    "lamp of another type": ({"LED": "LED = [25]"}, 'LED must be "LED", a GP number or None'),
    "a pin that cannot do it": ({"UART_ID": "UART_ID, UART_TX, UART_RX = 1, 6, 7"}, "bad TX pin"),
    "a pin as text": ({"UART_ID": 'UART_ID, UART_TX, UART_RX = 1, "GP4", 5'}, "UART_TX must be a number from 0 to 29"),
    "no pins": ({"UART_ID": ""}, "UART_ID must be a number from 0 to 1"),
    "no chip": ({"CHIP": ""}, 'CHIP must be "pn532" or "rc522"'),
    "time as text": ({"AWAY": 'AWAY = "1000"'}, "AWAY must be a number from 200 to 10000"),
    "time": ({"AWAY": "AWAY = 5"}, "AWAY must be a number from 200 to 10000"),
    "watchdog": ({"WATCHDOG": 'WATCHDOG = "no"'}, "WATCHDOG must be True or False"),
    "no Python": ({"BUS": "BUS = uart"}, "settings.py"),
    "half a line": ({"BUS": 'BUS = "ua'}, "settings.py: invalid syntax"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_settings_are_said_and_leave_the_board_open_to_repair(
    what: str, bench: MakeBench, tmp_path: Path
) -> None:
    setting, words = WRONG[what]
    table = bench(heap="128k", prompt=True, **setting)

    async def game() -> None:
        wire = table.board.plug()
        box = Box(table, tmp_path)
        assert await box.until(
            lambda: any(isinstance(i, DeviceLost) and "does not run" in i.why for i, _ in box.inbox)
        ), box.inbox
        lost = [i.why for i, _ in box.inbox if isinstance(i, DeviceLost)][-1]
        assert words in lost, lost
        assert "reader update --settings" in lost
        assert table.board.ended is None
        assert b"bites" not in wire.up
        box.reader.close()
        wire.send(line("U"))
        await said(wire, b"$U ")
        wire.send(b"\x01")
        await said(wire, b"raw REPL")

    play(game)


def test_new_settings_come_with_an_update(bench: MakeBench, built: Path) -> None:
    table = bench(heap="128k", prompt=True, CHIP='CHIP = "pn533"')

    async def game() -> None:
        wire = table.board.plug()
        await said(wire, b" broken ")
        code, words = await update(table, built / "files", settings=True)
        assert code == 0, (words, wire.up[-500:])
        assert await ended(table) == RESET

    play(game)
    assert (table.files / "settings.py").read_bytes() == (built / "files" / "settings.py").read_bytes()


def test_a_settings_file_that_is_gone_is_said_too(bench: MakeBench, tmp_path: Path) -> None:
    table = bench(heap="128k", prompt=True)
    (table.files / "settings.py").unlink()

    async def game() -> None:
        table.board.plug()
        box = Box(table, tmp_path)
        assert await box.until(lambda: any(isinstance(i, DeviceLost) and "settings" in i.why for i, _ in box.inbox))
        box.reader.close()

    play(game)


def test_in_safe_mode_ctrl_c_is_on_and_the_lamp_says_so(bench: MakeBench) -> None:
    table = bench(heap="128k", prompt=True, CHIP='CHIP = "x"')

    async def game() -> None:
        wire = table.board.plug()
        await said(wire, b"lamp LED", 4)
        assert wire.up.rindex(b"ctrl-c 3") > wire.up.rindex(b"ctrl-c -1")

    play(game)


def test_a_reader_that_breaks_while_it_is_young_says_why_and_leaves_the_prompt_open(
    bench: MakeBench, tmp_path: Path
) -> None:
    table = bench(heap="128k", prompt=True)
    (table.files / "led.mpy").unlink()
    (table.files / "led.py").write_text("CARD = 1\n\n\ndef lit(*_):\n    raise ValueError('no lamp')\n")

    async def game() -> None:
        wire = table.board.plug()
        box = Box(table, tmp_path)
        assert await box.until(lambda: any(isinstance(i, DeviceLost) and "no lamp" in i.why for i, _ in box.inbox))
        box.reader.close()
        wire.send(line("U"))
        await said(wire, b"timer 1000")
        assert wire.up.count(b"Traceback") == 1

    play(game)


def test_what_is_built_is_checked_as_on_the_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = build.contents()
    bad = tmp_path / "settings.py"
    bad.write_text(source["settings.py"].read_text().replace('BUS = "uart"', 'BUS = "usart"'))
    monkeypatch.setattr(build, "contents", lambda: source | {"settings.py": bad})
    with pytest.raises(build.BuildError, match="BUS must be"):
        build.files(byte_code=False)


def test_a_card_is_read_by_a_board_whose_settings_were_put_right(bench: MakeBench, tmp_path: Path) -> None:
    table = bench(heap="128k", LED="LED = None", WATCHDOG="WATCHDOG = False")

    async def game() -> None:
        box = Box(table, tmp_path)
        table.board.plug()
        await box.working()
        table.put(Ntag(uid(1), encode(42)))
        assert await box.until(lambda: box.payloads == [encode(42)])
        box.reader.close()

    play(game)
    wire = table.board.wire
    assert wire is not None and not any(m[0] == "E" for m in Lines().feed(wire.up))
