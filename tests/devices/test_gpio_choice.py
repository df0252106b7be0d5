"""Which pin factory is taken, and that the log says so; with stand-ins for the libraries that are not here."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mind_box.devices.build import open_devices
from mind_box.devices.gpio import gpiod_factory, pin_factory
from mind_box.devices.gpio.header_chip import Chip, NoChip
from mind_box.devices.gpio.pin_factory import NoFactory, choose
from mind_box.settings.schema import Config, GpioSettings, ReaderSettings
from tests.models.gpio_chip import ModelChip, ModelGpio


class Machine:
    """Which libraries are installed, and which chip the header has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.chip: Chip | Exception = NoChip("the header's GPIO chip is not there")
        monkeypatch.setattr(pin_factory, "header_chip", self._header)
        monkeypatch.setattr(pin_factory, "GPIO_MEMORY", (os.devnull,))
        for name in ("lgpio", "RPi", "RPi.GPIO"):
            monkeypatch.setitem(sys.modules, name, None)
        for name in ("gpiozero.pins.lgpio", "gpiozero.pins.rpigpio"):
            monkeypatch.delitem(sys.modules, name, raising=False)

    def _header(self) -> Chip:
        if isinstance(self.chip, Exception):
            raise self.chip
        return self.chip

    def has_chip(self, label: str = "pinctrl-bcm2711", number: int = 0) -> None:
        path = f"/dev/gpiochip{number}"
        self.chip = Chip(Path(path), label, ())
        self._patch.setattr("gpiod.Chip", ModelGpio(ModelChip(path, label)).open)

    def has(self, name: str, module: ModuleType | None) -> None:
        self._patch.setitem(sys.modules, name, module)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def take(name: str = "auto", **settings: Any) -> tuple[Any, str]:
    loop = asyncio.new_event_loop()
    try:
        return choose(GpioSettings(factory=name, **settings), loop, lambda _: None)
    finally:
        loop.close()


def fake_lgpio(opened: list[int]) -> ModuleType:
    """As much of lgpio as gpiozero's factory asks for when it is made."""
    module = ModuleType("lgpio")
    names = "SET_PULL_NONE SET_PULL_UP SET_PULL_DOWN BOTH_EDGES RISING_EDGE FALLING_EDGE"
    for number, name in enumerate(names.split()):
        setattr(module, name, number)

    def gpiochip_open(chip: int) -> int:
        opened.append(chip)
        return 7

    module.gpiochip_open = gpiochip_open  # type: ignore[attr-defined]
    module.gpiochip_close = lambda _: None  # type: ignore[attr-defined]
    return module


def fake_rpi_gpio() -> tuple[ModuleType, ModuleType]:
    package, module = ModuleType("RPi"), ModuleType("RPi.GPIO")
    package.GPIO = module  # type: ignore[attr-defined]
    names = "BCM IN OUT I2C SPI HARD_PWM SERIAL UNKNOWN PUD_UP PUD_DOWN PUD_OFF BOTH RISING FALLING"
    for number, name in enumerate(names.split()):
        setattr(module, name, number)
    for name in ("setmode", "setwarnings", "cleanup"):
        setattr(module, name, lambda *_: None)
    return package, module


@pytest.mark.usefixtures("machine")
def test_nothing_works_and_each_is_named_with_its_cure() -> None:
    with pytest.raises(NoFactory) as found:
        take()
    said = str(found.value)
    assert "gpiod: the header's GPIO chip is not there" in said
    assert "apt install python3-lgpio" in said
    assert "/bin/pip install RPi.GPIO" in said


def test_lg_43_the_empty_stub_of_lgpio_is_noticed(machine: Machine) -> None:
    """lg#43, Blinka#974, gpiozero#1038: no wheel for Python 3.13; pip then takes an empty stub 0.0.0.2."""
    machine.has_chip()
    machine.has("lgpio", ModuleType("lgpio"))
    with pytest.raises(NoFactory, match=r"empty stub 0\.0\.0\.2.*apt install python3-lgpio"):
        take("lgpio")


def test_gpiod_version_1_is_noticed(machine: Machine) -> None:
    """Bookworm's apt package is the old API, under the same name."""
    machine.has_chip()
    machine.has("gpiod", ModuleType("gpiod"))
    with pytest.raises(NoFactory, match=r"version 1.*gpiod>=2\.1"):
        take("gpiod")


def test_gpiod_missing(machine: Machine) -> None:
    machine.has_chip()
    machine.has("gpiod", None)
    with pytest.raises(NoFactory, match="gpiod is not installed"):
        take("gpiod")


def test_gpiozero_1131_auto_says_what_it_took_and_why_not_the_others(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    """gpiozero#1131 #1136, raspberrypi/linux#6037: say which factory is in use; never fall back silently."""
    caplog.set_level(logging.INFO)
    machine.has_chip()
    machine.has("gpiod", ModuleType("gpiod"))
    opened: list[int] = []
    machine.has("lgpio", fake_lgpio(opened))
    factory, name = take()
    assert name == "lgpio"
    assert [(r.levelno, r.getMessage().split(":")[1].strip()) for r in caplog.records] == [
        (logging.WARNING, "not used"),
        (logging.INFO, "using lgpio on /dev/gpiochip0 (pinctrl-bcm2711)"),
    ]
    factory.close()


def test_gpiod_is_first(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    machine.has_chip("pinctrl-rp1", 15)
    machine.has("lgpio", fake_lgpio([]))
    factory, name = take()
    assert name == "gpiod"
    assert "libgpiod" in caplog.text
    assert "/dev/gpiochip15 (pinctrl-rp1)" in caplog.text
    factory.close()


@pytest.mark.parametrize("number", [0, 4, 15])
def test_lgpio_is_told_the_chip(machine: Machine, number: int) -> None:
    """gpiozero's lgpio factory silently opened the wrong chip for a Pi 5 revision."""
    machine.has_chip("pinctrl-rp1", number)
    opened: list[int] = []
    machine.has("lgpio", fake_lgpio(opened))
    factory, _ = take("lgpio")
    assert opened == [number]
    factory.close()


def test_lg_22_lgpio_gets_a_directory_it_can_write_to(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """joan2937/lg#22 #12, gpiozero#1106: lgpio makes a FIFO in the working directory; on a read-only one it fails."""
    machine.has_chip()
    machine.has("lgpio", fake_lgpio([]))
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setenv("LG_WD", "")
    monkeypatch.delenv("LG_WD")
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/mind-box:/run/other")
    factory, _ = take("lgpio")
    assert os.environ["LG_WD"] == "/run/mind-box"
    factory.close()
    monkeypatch.setenv("LG_WD", "/elsewhere")  # what an admin says counts
    factory, _ = take("lgpio")
    assert os.environ["LG_WD"] == "/elsewhere"
    factory.close()


def test_gpiozero_1172_rpi_gpio_is_refused_on_a_pi_5(machine: Machine) -> None:
    """gpiozero#1172, Blinka#907: RPi.GPIO on a Pi 5."""
    machine.has_chip("pinctrl-rp1", 0)
    package, module = fake_rpi_gpio()
    machine.has("RPi", package)
    machine.has("RPi.GPIO", module)
    with pytest.raises(NoFactory, match=r"cannot drive a Pi 5.*gpiod"):
        take("rpigpio")


@pytest.mark.parametrize("chip", [True, False])
def test_rpi_gpio_by_name(machine: Machine, chip: bool) -> None:
    """Also on a kernel without character devices, which is what it is for."""
    if chip:
        machine.has_chip("pinctrl-bcm2835")
    package, module = fake_rpi_gpio()
    machine.has("RPi", package)
    machine.has("RPi.GPIO", module)
    factory, name = take("rpigpio")
    assert name == "rpigpio"
    factory.close()


def test_rpi_gpio_without_the_memory_it_needs_is_not_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Found in the virtual machine: RPi.GPIO makes its factory anywhere. A box whose header came up late took it, and
    never asked for the chip again."""
    package, module = fake_rpi_gpio()
    machine.has("RPi", package)
    machine.has("RPi.GPIO", module)
    monkeypatch.setattr(pin_factory, "GPIO_MEMORY", (str(tmp_path / "gpiomem"), str(tmp_path / "mem")))
    with pytest.raises(NoFactory, match=r"RPi\.GPIO needs .*gpiomem"):
        take("auto")
    machine.has_chip()
    assert take("auto")[1] == "gpiod"


def test_a_named_factory_never_falls_back(machine: Machine) -> None:
    machine.has_chip()
    machine.has("lgpio", fake_lgpio([]))
    machine.has("gpiod", None)
    with pytest.raises(NoFactory, match=r"^gpiod:"):
        take("gpiod")


def test_a_chip_in_the_settings_is_taken_as_it_is(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.has_chip()
    asked = []

    def named(name: str, setting: str) -> Chip:
        asked.append((name, setting))
        return Chip(Path("/dev/gpiochip0"), "gpio-sim", ())

    monkeypatch.setattr(pin_factory, "named_chip", named)
    factory, _ = take("gpiod", chip="/dev/gpiochip0")
    assert asked == [("/dev/gpiochip0", "gpio.chip")]
    factory.close()


@pytest.mark.usefixtures("machine")
def test_mock_is_only_taken_by_name() -> None:
    factory, name = take("mock")
    assert (name, type(factory).__name__) == ("mock", "BoxMockFactory")
    factory.close()


def test_an_error_without_words_is_named_by_its_kind(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.has_chip()

    def odd(*_: object, **__: object) -> SimpleNamespace:
        raise MemoryError

    monkeypatch.setattr(gpiod_factory, "GpiodFactory", odd)
    with pytest.raises(NoFactory, match="gpiod: MemoryError"):
        take("gpiod")


async def test_pins_that_the_kernel_takes_for_a_bus_are_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    config = Config(gpio=GpioSettings(factory="mock"), screen=(), reader=(ReaderSettings(device="/dev/ttyAMA5"),))
    open_devices(config, lambda _: None, asyncio.get_running_loop()).close()
    said = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert [line.partition(": the kernel")[0] for line in said if "kernel takes" in line] == [
        "gpio.seat_buttons[3]: GPIO13 is one of the two of /dev/ttyAMA5",
        "gpio.seat_lamps[1]: GPIO12 is one of the two of /dev/ttyAMA5",
    ]
