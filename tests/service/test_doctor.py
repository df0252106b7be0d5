"""The doctor on what is wired to the box, against made-up systems; and the command itself."""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from mind_box.cards.store import CardStore
from mind_box.commands.cli import main
from mind_box.commands.doctor import _listen
from mind_box.devices.oled.i2c import Bus
from mind_box.devices.readers.transport import Gone, Transport
from mind_box.doctor import pins, readers, screens, service
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene
from mind_box.game.cards import Card
from mind_box.settings.schema import BoxSettings, Config, ReaderSettings, ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.service.verdicts import said, worst

RUNNING = {"pid": 7, "pins": "libgpiod", "journal": "/var/lib/mind-box/journal.db", "view": {"faults": ["reader"]}}


# -- pins


def a_chip(root: Path, label: str) -> None:
    (root / "dev").mkdir(exist_ok=True)
    (root / f"dev/gpiochip{len(list((root / 'dev').iterdir()))}").write_text(label)


def test_pins_on_a_pi(tmp_path: Path) -> None:
    a_chip(tmp_path, "raspberrypi-exp-gpio")
    a_chip(tmp_path, "pinctrl-bcm2711")
    scene = Scene(Config(), root=tmp_path)
    verdicts = said(pins.check(scene, Path.read_text, lambda _, lines: dict.fromkeys(list(lines)[:3], "mind-box")))
    assert [v[0] for v in verdicts] == [OK]
    assert "gpiochip1 (pinctrl-bcm2711): 17 lines, none taken" in verdicts[0][1]


def test_a_line_that_somebody_holds_is_named_with_its_setting(tmp_path: Path) -> None:
    a_chip(tmp_path, "pinctrl-rp1")
    [verdict] = said(pins.check(Scene(Config(), root=tmp_path), Path.read_text, lambda _, __: {17: "spi0 CS0"}))
    assert verdict[0] == WRONG
    assert "GPIO17 (gpio.life_lamps[1]) is taken by 'spi0 CS0'" in verdict[1]


def test_no_chip_at_all_and_the_wrong_ones(tmp_path: Path) -> None:
    [verdict] = said(pins.check(Scene(Config(), root=tmp_path), Path.read_text, lambda _, __: {}))
    assert verdict[0] == WRONG
    a_chip(tmp_path, "gpio-mockup")
    [verdict] = said(pins.check(Scene(Config(), root=tmp_path), Path.read_text, lambda _, __: {}))
    assert "gpio-mockup" in verdict[1] + verdict[2]


def test_lines_that_cannot_be_looked_at(tmp_path: Path) -> None:
    a_chip(tmp_path, "pinctrl-rp1")

    def users(_: Path, __: Iterable[int]) -> dict[int, str]:
        raise PermissionError(errno.EACCES, "Permission denied")

    [verdict] = said(pins.check(Scene(Config(), root=tmp_path), Path.read_text, users))
    assert (verdict[0], "Permission denied" in verdict[1]) == (WRONG, True)


def test_a_pin_of_a_screen_that_the_kernel_has_taken_as_chip_select(tmp_path: Path) -> None:
    a_chip(tmp_path, "pinctrl-bcm2711")
    config = Config(screen=(ScreenSettings(bus="spi-0.0", dc_pin=7, reset_pin=4),))
    note, taken = said(pins.check(Scene(config, root=tmp_path), Path.read_text, lambda _, __: {7: "spi0 CS1"}))
    assert (note[0], "screen.dc_pin: GPIO7" in note[1], "spi0-1cs" in note[2]) == (NOTE, True, True)
    assert (taken[0], "GPIO7 (screen.dc_pin) is taken by 'spi0 CS1'" in taken[1]) == (WRONG, True)


# -- screens


class NoBus:
    def __init__(self, number: int) -> None:
        self._number = number

    def __call__(self, _: str) -> Bus:
        raise OSError(self._number, os.strerror(self._number))


def on_bus(chips: dict[int, SSD1306Chip]) -> list[tuple[str, str, str]]:
    return said(screens.check(Scene(Config(screen=(ScreenSettings(),))), lambda _: ModelBus(dict(chips))))


def test_a_screen_that_answers_and_one_that_does_not() -> None:
    [verdict] = on_bus({0x3C: SSD1306Chip()})
    assert verdict[0] == OK
    assert "table-screen: answers at 0x3c on i2c-1" in verdict[1]
    [verdict] = on_bus({0x3D: SSD1306Chip()})
    assert verdict[0] == WRONG
    assert "something answers at 0x3d" in verdict[2]
    [verdict] = on_bus({})
    assert "nothing answers at 0x3c on i2c-1" in verdict[1]


def test_a_multiplexer_that_is_stuck() -> None:
    mux = TCA9548A()
    mux.channels[1][0x3C] = SSD1306Chip()
    scene = Scene(Config(screen=(ScreenSettings(mux=0x70, channel=1),)))
    [verdict] = said(screens.check(scene, lambda _: ModelBus({0x70: mux})))
    assert verdict[0] == OK
    mux.mask, mux.stuck = 0b11, True
    [verdict] = said(screens.check(scene, lambda _: ModelBus({0x70: mux})))
    assert verdict[0] == WRONG
    assert "0x70 does not go to channel 1" in verdict[1]


@pytest.mark.parametrize(
    ("number", "cure"), [(errno.ENOENT, "dtparam=i2c_arm=on"), (errno.EACCES, "group i2c"), (errno.ETIMEDOUT, "wiring")]
)
def test_a_bus_that_cannot_be_used(number: int, cure: str) -> None:
    [verdict] = said(screens.check(Scene(Config()), NoBus(number)))
    assert verdict[0] == WRONG
    assert cure in verdict[1] + verdict[2]


def test_a_slow_bus_is_noted(tmp_path: Path) -> None:
    node = tmp_path / "sys/class/i2c-adapter/i2c-1/of_node"
    node.mkdir(parents=True)
    (node / "clock-frequency").write_bytes(struct.pack(">I", 100_000))
    verdicts = said(screens.check(Scene(Config(), root=tmp_path), lambda _: ModelBus({0x3C: SSD1306Chip()})))
    assert [v[0] for v in verdicts] == [OK, NOTE]
    (node / "clock-frequency").write_bytes(struct.pack(">I", 400_000))
    assert len(list(screens.check(Scene(Config(), root=tmp_path), lambda _: ModelBus({0x3C: SSD1306Chip()})))) == 1


def test_a_screen_on_spi(tmp_path: Path) -> None:
    scene = Scene(Config(screen=(ScreenSettings(bus="spi-0.0"),)), root=tmp_path)
    [verdict] = said(screens.check(scene))
    assert (verdict[0], "dtparam=spi=on" in verdict[2]) == (WRONG, True)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/spidev0.0").touch()
    assert worst(screens.check(scene)) == OK


# -- readers


def test_a_reader_that_is_missing_and_what_might_be_meant(tmp_path: Path) -> None:
    (tmp_path / "dev/serial/by-id").mkdir(parents=True)
    (tmp_path / "dev/serial/by-id/usb-Scanner_1-if00").touch()
    [verdict] = said(readers.check(Scene(Config(), root=tmp_path)))
    assert verdict[0] == WRONG
    assert "is not there" in verdict[1]
    assert "Plugged in: /dev/serial/by-id/usb-Scanner_1-if00" in verdict[2]


def test_a_reader_that_opens(tmp_path: Path) -> None:
    master, slave = os.openpty()
    settings = ReaderSettings(device=os.ttyname(slave))
    [verdict] = said(readers.check(Scene(Config(reader=(settings,)), root=tmp_path)))
    assert verdict[0] == OK
    os.close(master)
    os.close(slave)


def test_the_console_on_the_readers_port(tmp_path: Path) -> None:
    (tmp_path / "boot/firmware").mkdir(parents=True)
    (tmp_path / "boot/firmware/cmdline.txt").write_text("console=serial0,115200 root=/dev/x")

    def gone(_: ReaderSettings) -> Transport:
        raise Gone("/dev/serial0 is not there: plug it in")

    scene = Scene(Config(reader=(ReaderSettings(kind="pn532", device="/dev/serial0"),)), root=tmp_path)
    assert [v[1].endswith("console is on that port too") for v in said(readers.check(scene, gone))] == [False, True]


async def test_listening_says_each_card(caplog: pytest.LogCaptureFixture) -> None:
    master, slave = os.openpty()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)

    import asyncio

    tags: dict[str, Card] = {"04AA": 6}
    listening = asyncio.create_task(readers.listen(ReaderSettings(device=os.ttyname(slave)), 60, say, tags))
    await asyncio.sleep(0)
    os.write(master, b"\xe6\x9e\x00\r\nMB1:042\r\nhello\r\n04:aa\r\n")
    while len(lines) < 3:
        await asyncio.sleep(0.001)
    listening.cancel()
    assert await listening == 3
    assert lines == ["'MB1:042': card 42", "'hello': no card of ours", "'04:aa': card 6"]
    assert "check reader.baud" in caplog.text  # what is logged stands on the terminal of a command
    os.close(master)
    os.close(slave)


def test_the_command_knows_the_enrolled_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[object] = []

    async def listen(*given: object) -> int:
        known.append(given[-1])
        return 0

    monkeypatch.setattr(readers, "listen", listen)
    CardStore(tmp_path).save({"04AA": 6})
    _listen(Scene(Config(box=BoxSettings(state_dir=str(tmp_path)))))
    assert known == [{"04AA": 6}]


# -- what runs is asked, not opened


def test_a_running_box_is_asked_and_nothing_is_opened_twice(tmp_path: Path) -> None:
    def never(*_: object) -> None:
        raise AssertionError("opened")

    scene = Scene(Config(), root=tmp_path, running=RUNNING)
    assert worst(screens.check(scene, never)) == OK  # type: ignore[arg-type]
    [verdict] = said(readers.check(scene, never))  # type: ignore[arg-type]
    assert (verdict[0], "misses it" in verdict[1]) == (WRONG, True)
    assert (OK, "a box runs (process 7)", "") in said(service.check(scene, lambda _: ""))


def test_a_scanner_that_sends_no_enter_is_told_by_the_running_box(tmp_path: Path) -> None:
    faults = {"view": {"faults": ["reader-setting"]}}
    [verdict] = said(readers.check(Scene(Config(), root=tmp_path, running={**RUNNING, **faults})))
    assert (verdict[0], "without an end" in verdict[1], "suffix" in verdict[2]) == (WRONG, True, True)


@pytest.mark.parametrize(("label", "state"), [(True, OK), (False, NOTE)])
def test_how_a_running_box_knows_that_the_tray_is_empty(tmp_path: Path, label: bool, state: str) -> None:
    config = Config(reader=(ReaderSettings(place="tray"),))
    running = {**RUNNING, "view": {"faults": []}, "tray_label": label}
    there, floor = said(readers.check(Scene(config, root=tmp_path, running=running)))
    assert (there[0], "the pile lies under it" in there[1], "is the hood" in there[1]) == (OK, True, True)
    assert (floor[0], "MB1:TRAY" in floor[2]) == (state, not label)


@pytest.mark.parametrize(("kind", "told"), [("serial", "in a slot or the hood"), ("pn532", "face down")])
def test_where_a_reader_reads_is_told(tmp_path: Path, kind: str, told: str) -> None:
    running = {**RUNNING, "view": {"faults": []}}
    config = Config(reader=(ReaderSettings(kind=kind),))
    [verdict] = said(readers.check(Scene(config, root=tmp_path, running=running)))
    assert (verdict[0], told in verdict[1], "covered" in verdict[1]) == (OK, True, True)


async def test_listening_says_that_the_tray_is_empty_and_how_that_is_known() -> None:
    import asyncio

    master, slave = os.openpty()
    lines: list[str] = []
    settings = ReaderSettings(device=os.ttyname(slave), place="tray", same_card_seconds=0.2)
    listening = asyncio.create_task(readers.listen(settings, 60, lines.append))
    while not lines:
        await asyncio.sleep(0.001)
    while len(lines) < 2:
        os.write(master, b"MB1:TRAY\r\n")
        await asyncio.sleep(0.001)
    listening.cancel()
    assert await listening == 0
    assert lines == [readers.EMPTY_SILENT, readers.EMPTY_SEEN]
    os.close(master)
    os.close(slave)


# -- the command


def test_the_command_says_it_plainly_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "box.toml"
    settings.write_text(f'[box]\nrun_dir = "{tmp_path}"\nstate_dir = "{tmp_path}"\n[[reader]]\ndevice = "/nowhere"\n')
    assert main(["doctor", "reader", "--config", str(settings)]) == 1
    plain = capsys.readouterr().out
    assert "WRONG reader: reader (serial at /nowhere): /nowhere is not there" in plain
    assert "-> plug the reader in" in plain
    assert main(["doctor", "--json", "--config", str(settings)]) == 1
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {e["part"] for e in entries} == {"python", "boot", "service", "pins", "screens", "reader", "clock"}
    assert all(e["cure"] for e in entries if e["state"] == WRONG)


def test_without_a_standard_input_nobody_is_asked_for_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    settings = tmp_path / "box.toml"
    settings.write_text(f'[box]\nrun_dir = "{tmp_path}"\n[[reader]]\ndevice = "{os.ttyname(slave)}"\n')
    monkeypatch.setattr("sys.stdin", None)
    assert main(["doctor", "reader", "--config", str(settings)]) == 0
    os.close(master)
    os.close(slave)
