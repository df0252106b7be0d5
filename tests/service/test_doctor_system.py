"""The doctor on what is around the box: Python's packages, the boot settings, the service."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mind_box.cards.store import CardStore
from mind_box.doctor import boot, packages, service
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.settings.loading import parse
from mind_box.settings.schema import Config, GpioSettings, ReaderSettings, ScreenSettings
from tests.service.verdicts import said, worst

ALL = {"gpiozero": "2.0.1", "luma.oled": "3.14.0", "pillow": "11.1.0", "pyserial": "3.5", "gpiod": "2.2.1"}


# -- python

STARTS = "gpio=17=op,dh"
"""The lamp that says that the box starts: the first life lamp of the default pins."""


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
        ("dtoverlay=pwm", [("dtoverlay=pwm", 18)]),
        ("dtoverlay=pwm,pin=12,func=4", [("dtoverlay=pwm,pin=12,func=4", 12)]),
        ("dtoverlay=pwm-2chan,pin=17\ndtoverlay=pwm-ir-tx", []),
    ],
)
def test_the_pins_that_overlays_take(text: str, found: list[tuple[str, int]]) -> None:
    assert [(line, pin) for _, line, pin in boot.taken_pins(boot.active_lines(text))] == found


def test_an_expander_with_its_interrupt_on_a_pin_of_ours(tmp_path: Path) -> None:
    """A box that uses GPIO 4 itself; another one need not care how its maker wrote the line."""
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/config.txt").write_text(f"dtparam=i2c_arm=on\ndtoverlay=mcp23017,addr=0x20\n[all]\n{STARTS}\n")
    config = Config(gpio=GpioSettings(expander="mcp23017"))
    assert worst(boot.check(Scene(config, root=tmp_path))) == OK
    config = Config(gpio=GpioSettings(expander="mcp23017", star_button=4))
    [_, verdict] = said(boot.check(Scene(config, root=tmp_path)))
    assert verdict[:2] == (WRONG, "the expander's interrupt takes GPIO4, which is gpio.star_button")
    assert "dtoverlay=mcp23017,addr=0x20,noints" in verdict[2]


@pytest.mark.parametrize(
    ("text", "driven"),
    [
        ("gpio=17=op,dh", {17: "op,dh"}),
        ("gpio=5-7,12=op,dl", {5: "op,dl", 6: "op,dl", 7: "op,dl", 12: "op,dl"}),
        ("gpio=17=op,dh\ngpio=17=ip", {17: "ip"}),
        ("gpio=all=ip\ngpio=", {}),
    ],
)
def test_what_the_firmware_does_with_pins(text: str, driven: dict[int, str]) -> None:
    assert boot.driven_pins(boot.active_lines(text)) == driven


def test_a_box_could_light_a_lamp_at_once_and_give_its_piezo_to_the_pwm() -> None:
    with_piezo = Config(gpio=GpioSettings(buzzer=18))
    assert [line for line, _ in boot.wished_lines(with_piezo, "")] == [STARTS, "dtoverlay=pwm,pin=18,func=2"]
    assert boot.wished_lines(with_piezo, f"{STARTS}\ndtoverlay=pwm,pin=18,func=2") == []
    assert [line for line, _ in boot.wished_lines(with_piezo, f"{STARTS}\ndtoverlay=pwm,pin=12,func=4")] == [
        "dtoverlay=pwm,pin=18,func=2"
    ]
    far = Config(gpio=GpioSettings(expander="mcp23017", life_lamps=(100, 101, 102, 103, 104)))
    assert boot.wished_lines(far, "") == []
    assert [line for line, _ in boot.wished_lines(Config(gpio=GpioSettings(buzzer=4)), STARTS)] == []


def test_a_button_that_the_firmware_drives_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/config.txt").write_text(f"dtparam=i2c_arm=on\n{STARTS}\ngpio=5=op,dh\ngpio=6=ip,pu\n")
    [_, verdict] = said(boot.check(Scene(Config(), root=tmp_path)))
    assert verdict[0] == WRONG and "GPIO5 an output at power-up, which is gpio.seat_buttons[1]" in verdict[1]


def test_boot_verdicts(tmp_path: Path) -> None:
    assert [v.state for v in boot.check(Scene(Config(), root=tmp_path))] == [NOTE]
    (tmp_path / "boot/firmware").mkdir(parents=True)
    file = tmp_path / "boot/firmware/config.txt"
    file.write_text("dtoverlay=w1-gpio,gpiopin=17\n")
    (tmp_path / "sys/devices/platform/soc/soc:firmware").mkdir(parents=True)
    (tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled").write_text("50005\n")
    verdicts = said(boot.check(Scene(Config(), root=tmp_path)))
    assert [v[0] for v in verdicts] == [WRONG, WRONG, NOTE, WRONG]
    assert "lacks: dtparam=i2c_arm=on" in verdicts[0][1]
    assert "1-Wire takes GPIO17, which is gpio.life_lamps[1]" in verdicts[1][1]
    assert f"could have {STARTS}: a lamp" in verdicts[2][1]
    assert "voltage" in verdicts[3][1]
    file.write_text(f"dtparam=i2c_arm=on\n{STARTS}\n")
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


@pytest.mark.parametrize("where", service.UNITS)
def test_as_root_the_doctor_still_sees_what_the_service_cannot_write(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = pwd.getpwuid(os.geteuid())
    unit = tmp_path / where
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
    unit = tmp_path / service.UNITS[0]
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
