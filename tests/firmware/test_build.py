"""What `make firmware` writes: byte code, an image that mounts and runs, a UF2 that the boot ROM takes."""

from __future__ import annotations

import io
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from firmware import build, wiring
from mind_box.devices.nfc.link import Lines, line
from mind_box.devices.readers.board import BoardDriver, Mark
from mind_box.devices.readers.driver import Send
from mind_box.devices.readers.update import run_update
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import encode
from tests.firmware.board import Wire
from tests.firmware.model_board import module
from tests.firmware.test_board import Box, MakeBench, play, uid
from tests.models.tags import Ntag

ROOT = Path(__file__).parents[2]


def test_the_image_mounts_in_micropython_and_runs_from_there(built: Path, bench: MakeBench, tmp_path: Path) -> None:
    image = tmp_path / "flash"
    image.write_bytes((built / "pico.littlefs").read_bytes())
    table = bench(heap="64k", image=image)  # the mount itself takes what a board has in its ROM

    async def game() -> None:
        box = Box(table, tmp_path)
        table.board.plug()
        await box.working()
        table.put(Ntag(uid(1), encode(42)))
        assert await box.until(lambda: box.payloads == [encode(42)])
        box.reader.close()

    play(game)
    assert image.read_bytes() == (built / "pico.littlefs").read_bytes()


def family_of(name: str) -> int:
    """As the list of UF2 families has them: RP2040, and RP2350's ARM cores in secure mode."""
    return 0xE48BFF59 if name == "pico-2" else 0xE48BFF56


@pytest.mark.parametrize("name", build.BOARDS)
def test_the_uf2_holds_the_image_at_its_place(built: Path, name: str) -> None:
    board = build.BOARDS[name]
    image = (built / f"{name}.littlefs").read_bytes()
    data = (built / f"{name}.uf2").read_bytes()
    assert len(image) == board.files
    assert len(data) % 512 == 0
    flash = bytearray(b"\xff" * board.flash)
    count = len(data) // 512
    for number in range(count):
        block = data[number * 512 : (number + 1) * 512]
        magic, second, flags, address, size, index, total, family = struct.unpack("<8I", block[:32])
        assert (magic, second, flags, family) == (0x0A324655, 0x9E5D5157, 0x2000, family_of(name))
        assert struct.unpack("<I", block[508:]) == (0x0AB16F30,)
        assert (index, total, size) == (number, count, 256)
        assert address % 256 == 0
        place = address - 0x10000000
        assert board.flash - board.files <= place < board.flash
        flash[place : place + size] = block[32 : 32 + size]
    assert bytes(flash[board.flash - board.files :]) == image
    assert count * 256 % 4096 == 0  # the boot ROM erases whole sectors


def test_a_build_is_the_same_every_time(built: Path, tmp_path: Path) -> None:
    build.build(tmp_path)
    for name in build.BOARDS:
        assert (tmp_path / f"{name}.uf2").read_bytes() == (built / f"{name}.uf2").read_bytes()


def test_everything_that_the_firmware_imports_is_on_the_board(built: Path) -> None:
    """And nothing of it is a second copy: the codecs come from the package itself."""
    files = {p.relative_to(built / "files").as_posix() for p in (built / "files").rglob("*.*")}
    assert {f for f in files if f.endswith(".py")} == {"main.py", "settings.py"}
    shared = {p.stem for p in (ROOT / "mind_box" / "devices" / "nfc").glob("[a-z]*.py")}
    assert {f for f in files if "/" in f} == {f"mind_box/devices/nfc/{name}.mpy" for name in shared}
    own = {p.stem for p in (ROOT / "firmware" / "card_reader").glob("*.py")}
    assert not shared & own


def test_a_mistake_in_a_source_stops_the_build_with_its_place(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f(:\n")
    with pytest.raises(build.BuildError, match="SyntaxError"):
        build.compiled("bad.py", bad)


def test_private_numbers_become_constants_of_the_compiler(tmp_path: Path) -> None:
    source = tmp_path / "numbers.py"
    source.write_text("_SECRETLY = 1234\nPUBLIC = 5\n\n\ndef get():\n    return _SECRETLY + PUBLIC\n")
    code = build.compiled("numbers.py", source)
    assert b"_SECRETLY" not in code
    assert b"PUBLIC" in code


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--out", str(tmp_path)]) == 0
    assert "pico.uf2" in capsys.readouterr().out


VECTORS = """
from mind_box.devices.nfc.frames import ACK, Decoder, command, size
from mind_box.devices.nfc.link import Lines, line, quoted, unquoted
from mind_box.devices.nfc import ndef
from mind_box.devices.nfc.watch import targets

state = 12345


def number(limit):
    global state
    state = (state * 1103515245 + 12345) % 2147483648
    return (state >> 8) % limit


def some(limit):
    return bytes([number(256) for _ in range(number(limit))])


for _ in range(150):
    frame = command(number(256), some(40))
    decoder = Decoder()
    print(decoder.feed(some(9) + frame + ACK + some(9)), decoder.give_up(), size(frame))
    memory = ndef.encode("MB1:%03d" % number(200)) if number(2) else some(60)
    print(ndef.missing(memory), ndef.text(memory), targets(some(30)))
    text = "".join([chr(number(2) * 0x3A0 + 33 + number(90)) for _ in range(number(9))])
    message = line("C", str(number(1000)), quoted(text))
    print(message, Lines().feed(some(9) + message + some(9)), unquoted(quoted(text)) == text)
"""


def test_the_shared_codecs_do_the_same_on_both_pythons(tmp_path: Path, micropython: Path) -> None:
    script = tmp_path / "vectors.py"
    script.write_text(VECTORS)
    here = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    there = subprocess.run(
        [micropython, script], capture_output=True, text=True, check=True, env=os.environ | {"MICROPYPATH": str(ROOT)}
    )
    assert here.stdout == there.stdout
    assert len(here.stdout.splitlines()) == 450


# -- the lamp


def test_the_lamp_says_what_the_readme_says() -> None:
    led = module("led")

    def pattern(chip: str, attended: bool, since: int = 10_000) -> str:
        return "".join("#" if led.lit(chip, attended, since, now) else "." for now in range(0, 1000, 50))

    assert pattern("ok", True) == "#" * 20
    assert pattern("ok", False) == "##" + "." * 18
    assert pattern("silent", True) == pattern("silent", False) == "##.." * 5
    assert pattern("broken", True) == pattern("broken", False) == "#" * 10 + "." * 10
    assert not led.lit("ok", True, 149, 0)
    assert led.lit("ok", True, 150, 0)


# -- the update


@pytest.mark.parametrize("ours", [True, False])
def test_an_update_with_the_real_mpremote(ours: bool, tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.mkdir()
    (board / "settings.py").write_text("MINE = 1\n")
    (board / "led.py").write_text("an old source that would be taken first\n")
    files = tmp_path / "files"
    (files / "mind_box" / "devices" / "nfc").mkdir(parents=True)
    (files / "mind_box" / "devices" / "nfc" / "link.mpy").write_bytes(bytes(range(256)) * 3)
    for name in ("led.mpy", "main.py", "settings.py"):
        (files / name).write_bytes(b"new " + name.encode())
    code, said = _update(board, tmp_path / "reader", files, ours)
    assert code == 0, said
    assert ("The reader stops" in said) == ours
    assert {p.relative_to(board).as_posix() for p in board.rglob("*") if p.is_file()} == {
        "mind_box/devices/nfc/link.mpy", "led.mpy", "main.py", "settings.py", "started",
    }  # fmt: skip
    assert (board / "mind_box/devices/nfc/link.mpy").read_bytes() == bytes(range(256)) * 3
    assert (board / "settings.py").read_text() == "MINE = 1\n"
    assert said.index("led.mpy") < said.index("main.py")


def _update(board: Path, link: Path, files: Path, ours: bool) -> tuple[int, str]:
    prompt = Path(__file__).parent / "prompt.py"
    process = subprocess.Popen(
        [sys.executable, prompt, str(board), *(["ours"] if ours else [])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    wire = Wire(link, process)
    out = io.StringIO()
    try:
        code = run_update(ReaderSettings(kind="firmware", device=str(link)), files, out)
        if code == 0:
            process.wait(20)  # the board resets a moment after it was told to
        return code, out.getvalue()
    finally:
        process.kill()
        process.wait()
        wire.stop()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.stdout.close()


def test_an_update_without_a_reader_or_without_firmware_says_what_to_do(tmp_path: Path, built: Path) -> None:
    out = io.StringIO()
    assert run_update(ReaderSettings(device=str(tmp_path / "none")), built / "files", out) == 1
    assert "is not there" in out.getvalue()
    assert run_update(ReaderSettings(device="/dev/null"), tmp_path, out) == 1
    assert "make firmware" in out.getvalue()


# -- the protocol's page


def test_every_line_in_protocol_md_is_what_the_code_says() -> None:
    """The examples are one conversation: what the reader says in it is what its code says to what the box says."""
    page = (ROOT / "firmware" / "PROTOCOL.md").read_text()
    examples = re.findall(r"^(<|>) (\$.*)$", page, re.MULTILINE)
    assert len(examples) >= 12
    for _, text in examples:
        assert Lines().feed(text.encode() + b"\n"), f"{text}: its CRC is wrong"
    conversation = _conversation()
    assert [f"{who} {text}" for who, text in examples] == conversation


def _conversation() -> list[str]:
    """The page's conversation, spoken by the firmware's Outbox and the box's driver."""
    said: list[str] = []
    outbox = module("outbox")
    driver = BoardDriver(Mark(None))
    to_box: list[bytes] = []

    def up(data: bytes) -> None:
        said.append("> " + data.decode().rstrip("\n"))
        to_box.append(data)

    def down(now: float) -> None:
        """Carries everything back and forth until both are silent; the line takes no time."""
        actions = []
        while to_box:
            actions += [a for a in driver.received(to_box.pop(0), now) if isinstance(a, Send)]
            for action in actions:
                said.append("< " + action.data.decode().rstrip("\n"))
                board.feed(action.data, int((now - 100) * 1000))
            actions = []

    board = outbox.Outbox(up, "e6613852831f2a2c", "3fa9c1", 0)
    to_box.clear()
    for action in driver.opened(100.5):
        assert isinstance(action, Send)
        said.append("< " + action.data.decode().rstrip("\n"))
        board.feed(action.data, 500)
    down(100.5)
    board.state("ok", 620)
    down(100.62)
    board.card(bytes.fromhex("04a1b2c3d4e5f6"), "MB1:042:F2", 1012, 1031)
    to_box.clear()  # lost on the way
    board.tick(1331)
    down(101.331)
    board.gone(bytes.fromhex("04a1b2c3d4e5f6"), 1500)
    board.card(bytes.fromhex("12345678"), None, 2000, 2020)
    board.two(bytes.fromhex("12345678"), bytes.fromhex("04a1b2c3d4e5f6"), 2050)
    down(102.05)
    board.tick(2620)
    down(102.62)
    board.state("silent", 3000)
    down(103.0)
    said.append("< " + line("U").decode().rstrip("\n"))
    board.feed(line("U"), 4000)
    return said


def test_numbers_in_the_protocol_page_are_the_codes() -> None:
    page = (ROOT / "firmware" / "PROTOCOL.md").read_text()
    outbox = module("outbox")
    for value, words in (
        (outbox.BEAT, "every {} ms"), (outbox.RESEND, "after {} ms"),
        (outbox.AT_ONCE, "the oldest {} again"), (outbox.EXPIRE, "older than {} ms"),
        (outbox.MOST, "at most {}"), (outbox.LONGEST_TEXT, "{} letters"),
    ):  # fmt: skip
        assert words.format(value) in page, words.format(value)


# -- the pictures


@pytest.mark.parametrize("bus", ["uart", "i2c", "spi", "rc522"])
def test_the_pictures_show_the_pins_of_the_settings(bus: str) -> None:
    text = (ROOT / "firmware" / f"wiring-{bus}.svg").read_text()
    assert text == wiring.picture(bus), "run `python firmware/wiring.py`"
    for there, here, place in wiring.wires(bus):
        assert f">{there}<" in text
        assert f">{here} ({place})<" in text


def test_no_pin_is_used_twice() -> None:
    for bus in ("uart", "i2c", "spi", "rc522"):
        places = [place for _, _, place in wiring.wires(bus)]
        assert len(places) == len(set(places))
