"""The doctor: each part's check against made-up systems, and the right word for what is wrong with each."""

from __future__ import annotations

import errno
import json
import os
import pwd
import struct
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mind_box.cards.store import CardStore
from mind_box.commands.cli import main
from mind_box.commands.doctor import _listen
from mind_box.devices.oled.i2c import Bus
from mind_box.devices.readers.transport import Gone, Transport
from mind_box.doctor import boot, packages, pins, readers, screens, service
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.game.cards import Card
from mind_box.settings.loading import parse
from mind_box.settings.schema import BoxSettings, Config, GpioSettings, ReaderSettings, ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip

ALL = {"gpiozero": "2.0.1", "luma.oled": "3.14.0", "pillow": "11.1.0", "pyserial": "3.5", "gpiod": "2.2.1"}
RUNNING = {"pid": 7, "pins": "libgpiod", "journal": "/var/lib/mind-box/journal.db", "view": {"faults": ["reader"]}}


def said(verdicts: Iterable[Verdict]) -> list[tuple[str, str, str]]:
    return [(v.state, v.what, v.cure) for v in verdicts]


def worst(verdicts: Iterable[Verdict]) -> str:
    states = [v.state for v in verdicts]
    return next((s for s in (WRONG, NOTE, OK) if s in states), OK)


# -- python


def with_packages(factory: str = "auto", board: str = "", **versions: str | None) -> list[tuple[str, str, str]]:
    scene = Scene(Config(gpio=GpioSettings(factory=factory)))
    there: Mapping[str, str | None] = {**ALL, **{k.replace("_", "."): v for k, v in versions.items()}}
    scene = FakeBoard(scene.config, name=board)
    return said(packages.check(scene, there.get))


class FakeBoard(Scene):
    def __init__(self, config: Config, name: str) -> None:
        super().__init__(config)
        object.__setattr__(self, "name", name)

    @property
    def board(self) -> str:
        return self.name  # type: ignore[attr-defined,no-any-return]


PI5 = "Raspberry Pi 5 Model B Rev 1.0"


@pytest.mark.parametrize(
    ("factory", "board", "versions", "state", "word"),
    [
        ("auto", "", {}, OK, "gpiod 2.2.1"),
        ("auto", "", {"gpiod": "1.5.4"}, WRONG, "gpiod 1.5.4 has the old interface"),
        ("auto", "", {"gpiod": None}, WRONG, "gpiod is not installed"),
        ("auto", "", {"lgpio": "0.0.0.2"}, NOTE, "lgpio 0.0.0.2 is an empty stub"),
        ("lgpio", "", {"lgpio": "0.0.0.2"}, WRONG, "lgpio 0.0.0.2 is an empty stub"),
        ("lgpio", "", {"lgpio": None, "gpiod": None}, WRONG, "lgpio is not installed"),
        ("lgpio", "", {"lgpio": "0.2.2.0", "gpiod": None}, OK, "gpiozero"),
        ("rpigpio", PI5, {"RPi_GPIO": "0.7.1"}, WRONG, "RPi.GPIO cannot drive its pins"),
        ("auto", PI5, {"RPi_GPIO": "0.7.1"}, NOTE, "cannot work on a Raspberry Pi 5"),
        ("rpigpio", "Raspberry Pi 3", {"RPi_GPIO": "0.7.1"}, OK, "gpiozero"),
        ("rpigpio", "Raspberry Pi 3", {}, WRONG, "RPi.GPIO is not installed"),
        ("auto", "", {"luma_oled": None}, WRONG, "missing: luma.oled"),
    ],
)
def test_packages(factory: str, board: str, versions: dict[str, str | None], state: str, word: str) -> None:
    verdicts = with_packages(factory, board, **versions)
    assert any(s == state and word in what for s, what, _ in verdicts), verdicts
    assert worst([Verdict("", s, w, c) for s, w, c in verdicts]) == state
    assert all(cure for s, _, cure in verdicts if s == WRONG)


def test_a_screen_on_spi_needs_spidev() -> None:
    scene = Scene(Config(screen=(ScreenSettings(bus="spi-0.0"),)))
    assert ("python", WRONG) in [(v.part, v.state) for v in packages.check(scene, ALL.get)]
    assert worst(packages.check(scene, {**ALL, "spidev": "3.6"}.get)) == OK


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


# -- boot


BOXES = """
[[screen]]
bus = "spi-0.0"
dc_pin = 4
reset_pin = 7
[[reader]]
kind = "pn532"
device = "/dev/serial0"
[gpio]
expander = "mcp23017"
star_lamps = [100, 101, 102]
life_lamps = [103, 104, 105, 106, 107]
"""


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("", ["dtparam=i2c_arm=on"]),
        ("#dtparam=i2c_arm=on", ["dtparam=i2c_arm=on"]),
        ("dtparam=i2c_arm=on", []),
        ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off", ["dtparam=i2c_arm=on"]),
        ("dtparam=i2c_arm_baudrate=400000,i2c_arm=on", []),
        ("dtparam = i2c1 = on  # for the display", []),
        ("dtparam=i2c_arm", []),
        ("[pi4]\ndtparam=i2c_arm=on", ["[all]", "dtparam=i2c_arm=on"]),
        ("[pi4]\ndtparam=i2c_arm=on\n[all]\ndtparam=i2c_arm=on", []),
        ("dtparam=i2c_arm=on\n[pi4]\ngpu_mem=16", []),
        ("dtparam=i2c_arm=ON", ["dtparam=i2c_arm=on"]),  # the firmware's comparison, too
        ("[pi4]\ngpu_mem=16\n[all]\ndtparam=i2c_arm=on", []),
    ],
)
def test_lines_that_the_standard_box_needs(text: str, missing: list[str]) -> None:
    assert boot.missing_lines(Config(), text) == missing


def test_lines_that_other_parts_need() -> None:
    needed = ["dtparam=i2c_arm=on", "dtparam=spi=on", "enable_uart=1", "dtoverlay=mcp23017,addr=0x20,noints"]
    config = parse(BOXES)
    assert boot.missing_lines(config, "") == needed
    assert boot.missing_lines(config, "\n".join(needed)) == []


@pytest.mark.parametrize("text", ["", "dtparam=audio=on\n[cm5]\ndtoverlay=dwc2\n", "[none]", "[all]\ngpu_mem=16"])
def test_what_is_added_at_the_end_is_in_force(text: str) -> None:
    config = parse(BOXES)
    added = "\n".join([text, *boot.missing_lines(config, text)])
    assert boot.missing_lines(config, added) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dtoverlay=mcp23017,addr=0x20,noints", []),
        ("dtoverlay=mcp23017,addr=0x20\ndtparam=noints", []),
        ("dtoverlay=mcp23017,addr=0x20", [("dtoverlay=mcp23017,addr=0x20", 4)]),
        ("dtoverlay=mcp23017,gpiopin=17", [("dtoverlay=mcp23017,gpiopin=17", 17)]),
        ("dtoverlay=w1-gpio", [("dtoverlay=w1-gpio", 4)]),
        ("dtoverlay=w1-gpio-pullup,gpiopin=17,pullup=1", [("dtoverlay=w1-gpio-pullup,gpiopin=17,pullup=1", 17)]),
        ("dtoverlay=w1-gpio\ndtparam=gpiopin=17", [("dtoverlay=w1-gpio", 17)]),
        ("dtoverlay=w1-gpio\ndtoverlay=\ndtparam=gpiopin=17", [("dtoverlay=w1-gpio", 4)]),
        ("dtoverlay=w1-gpio\ndtoverlay=w1-gpio", [("dtoverlay=w1-gpio", 4)] * 2),
        ("dtoverlay=pps-gpio,gpiopin=18", []),
    ],
)
def test_the_pins_that_overlays_take(text: str, found: list[tuple[str, int]]) -> None:
    assert [(line, pin) for _, line, pin in boot.taken_pins(boot.active_lines(text))] == found


def test_an_expander_with_its_interrupt_on_a_pin_of_ours(tmp_path: Path) -> None:
    """A box that uses GPIO 4 itself; another one need not care how its maker wrote the line."""
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/config.txt").write_text("dtparam=i2c_arm=on\ndtoverlay=mcp23017,addr=0x20\n")
    config = Config(gpio=GpioSettings(expander="mcp23017"))
    assert worst(boot.check(Scene(config, root=tmp_path))) == OK
    config = Config(gpio=GpioSettings(expander="mcp23017", star_button=4))
    [_, verdict] = said(boot.check(Scene(config, root=tmp_path)))
    assert verdict[:2] == (WRONG, "the expander's interrupt takes GPIO4, which is gpio.star_button")
    assert "dtoverlay=mcp23017,addr=0x20,noints" in verdict[2]


def test_boot_verdicts(tmp_path: Path) -> None:
    assert [v.state for v in boot.check(Scene(Config(), root=tmp_path))] == [NOTE]
    (tmp_path / "boot/firmware").mkdir(parents=True)
    file = tmp_path / "boot/firmware/config.txt"
    file.write_text("dtoverlay=w1-gpio,gpiopin=17\n")
    (tmp_path / "sys/devices/platform/soc/soc:firmware").mkdir(parents=True)
    (tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled").write_text("50005\n")
    verdicts = said(boot.check(Scene(Config(), root=tmp_path)))
    assert [v[0] for v in verdicts] == [WRONG] * 3
    assert "lacks: dtparam=i2c_arm=on" in verdicts[0][1]
    assert "1-Wire takes GPIO17, which is gpio.life_lamps[1]" in verdicts[1][1]
    assert "voltage" in verdicts[2][1]
    file.write_text("dtparam=i2c_arm=on\n")
    (tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled").write_text("0\n")
    assert worst(boot.check(Scene(Config(), root=tmp_path))) == OK


@pytest.mark.parametrize(
    ("file", "text", "low"),
    [
        ("devices/platform/soc/soc:firmware/get_throttled", "50005", True),
        ("devices/platform/soc/soc:firmware/get_throttled", "0x50000", True),
        ("devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", "1", True),
        ("devices/platform/soc/soc:firmware/get_throttled", "e000e", False),  # hot, not weak
        ("devices/platform/soc/soc:firmware/get_throttled", "", False),
        ("class/hwmon/hwmon2/in0_lcrit_alarm", "1", True),
        ("class/hwmon/hwmon2/in0_lcrit_alarm", "0", False),
    ],
)
def test_a_supply_that_is_too_weak(tmp_path: Path, file: str, text: str, low: bool) -> None:
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/config.txt").write_text("dtparam=i2c_arm=on\n")
    for name, content in ((file, text), ("class/hwmon/hwmon2/name", "rpi_volt")):
        (tmp_path / "sys" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys" / name).write_text(f"{content}\n")
    assert any("voltage" in v.what for v in boot.check(Scene(Config(), root=tmp_path))) == low


# -- service


def test_as_root_the_doctor_still_sees_what_the_service_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = pwd.getpwuid(os.geteuid())
    unit = tmp_path / service.UNIT
    unit.parent.mkdir(parents=True)
    unit.touch()
    state = tmp_path / "state"
    state.mkdir()
    (state / "journal.db-wal").touch()
    config = replace(Config(), box=replace(Config().box, state_dir=str(state)))

    def told(uid: int) -> list[str]:
        monkeypatch.setattr(pwd, "getpwnam", lambda _: pwd.struct_passwd((*me[:2], uid, *me[3:])))
        verdicts = service.check(Scene(config, root=tmp_path, user="root"), lambda _: "")
        return [v.what for v in verdicts if v.cure == f"sudo chown -R mind-box: {state}"]

    assert told(me.pw_uid) == []
    assert told(me.pw_uid + 1) == [f"{state} does not belong to mind-box: the box cannot save"]


def test_a_disk_that_is_full_of_bytes_or_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(Config(), box=replace(Config().box, state_dir=str(tmp_path)))

    def told(free: int, files: int, most: int = 1000) -> list[str]:
        disk = os.statvfs_result((4096, 4096, 10**6, free, free, most, files, files, 0, 255))
        monkeypatch.setattr(os, "statvfs", lambda _: disk)
        return [v.what for v in service.check(Scene(config, root=tmp_path), lambda _: "") if "make room" in v.cure]

    assert told(10**5, 500) == []
    assert told(100, 500) == [f"{tmp_path}: only 409 kB are free"]
    assert told(10**5, 3) == [f"{tmp_path}: the disk takes only 3 more files"]
    assert told(10**5, 0, most=0) == []  # a file system that counts none (btrfs)


def test_the_state_directory_and_its_journal(tmp_path: Path) -> None:
    from mind_box.game import events as ev
    from mind_box.journal.journal import Journal

    config = replace(Config(), box=replace(Config().box, state_dir=str(tmp_path / "state")))
    scene = Scene(config, root=tmp_path)
    assert any("is not there yet" in v.what for v in service.check(scene, lambda _: ""))
    journal = Journal.open(tmp_path / "state/journal.db")
    journal.append([ev.Started((1, 2), {}, ())])
    journal.close()
    assert any("at the table: focus" in v.what for v in service.check(scene, lambda _: ""))
    (tmp_path / "state/journal.db.damaged-1").touch()
    assert any("damaged journals were set aside" in v.what for v in service.check(scene, lambda _: ""))
    (tmp_path / "state/journal.db").write_bytes(b"rubbish" * 100)
    assert any(v.state == WRONG and "verify" in v.cure for v in service.check(scene, lambda _: ""))


def test_a_journal_that_cannot_be_written_or_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(Config(), box=replace(Config().box, state_dir=str(tmp_path)))
    journal = tmp_path / "journal.db"
    journal.touch()
    monkeypatch.setattr(os, "access", lambda path, _: path != journal)  # root may write everything
    [verdict] = [v for v in service.check(Scene(config, root=tmp_path), lambda _: "") if str(journal) in v.what]
    assert (verdict.state, "cannot be written" in verdict.what) == (WRONG, True)
    config = replace(config, box=replace(config.box, state_dir=f"/{'x' * 300}"))
    assert any("too long" in v.what for v in service.check(Scene(config, root=tmp_path), lambda _: ""))


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('{"version": 1, "cards": {"04AA": 6}}', None),
        ("", "it is empty, as a power cut leaves a file"),
        ("\0" * 512, "it is empty"),
        ('{"version": 1, "cards": {"04', "cannot be understood"),
        ('{"version": 2, "cards": {}}', "later mind-box"),
    ],
)
def test_enrolled_tags_that_are_lost_are_said_before_and_after_the_box_sets_them_aside(
    tmp_path: Path, written: str, words: str | None
) -> None:
    config = replace(Config(), box=replace(Config().box, state_dir=str(tmp_path)))
    store = CardStore(tmp_path)
    store.path.write_text(written)

    def told() -> list[str]:
        verdicts = service.check(Scene(config, root=tmp_path), lambda _: "")
        return [v.what for v in verdicts if "tag" in v.what and v.state != OK and v.cure]

    before = told()
    assert store.path.read_text() == written, "the doctor changes nothing"
    assert (words is None and not before) or (words is not None and any(words in line for line in before)), before
    if words is not None and "later" not in words:
        store.load()
        assert any("set aside as cards.json.broken" in line for line in told())
        store.save({"04AA": 6})
        assert not told()


@pytest.mark.parametrize(("answer", "state"), [('s "yes"', OK), ('s "challenge"', WRONG)])
def test_the_right_to_power_off(tmp_path: Path, answer: str, state: str) -> None:
    unit = tmp_path / service.UNIT
    unit.parent.mkdir(parents=True)
    unit.touch()
    scene = Scene(Config(), root=tmp_path, user="mind-box")
    verdicts = service.check(scene, lambda command: answer if command[0] == "busctl" else "inactive dead 0")
    assert [v.state for v in verdicts if "power the machine off" in v.what] == [state]


def test_the_user_is_the_process_not_the_one_who_logged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """setpriv keeps sudo's LOGNAME: the installer's doctor looked at root's groups, and where only root may."""
    monkeypatch.setenv("LOGNAME", "somebody")
    assert Scene(Config()).user == pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert Scene(Config()).user == "4000000"


def test_groups_follow_the_settings() -> None:
    assert service.groups_needed(Config()) == ["gpio", "i2c", "dialout"]
    config = Config(screen=(ScreenSettings(bus="spi-0.0"),), reader=(ReaderSettings(kind="hid"),))
    assert service.groups_needed(config) == ["gpio", "spi", "input"]


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
    assert {e["part"] for e in entries} == {"python", "boot", "service", "pins", "screens", "reader"}
    assert all(e["cure"] for e in entries if e["state"] == WRONG)


def test_without_a_standard_input_nobody_is_asked_for_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    settings = tmp_path / "box.toml"
    settings.write_text(f'[box]\nrun_dir = "{tmp_path}"\n[[reader]]\ndevice = "{os.ttyname(slave)}"\n')
    monkeypatch.setattr("sys.stdin", None)
    assert main(["doctor", "reader", "--config", str(settings)]) == 0
    os.close(master)
    os.close(slave)
