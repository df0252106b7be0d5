"""The piezo: tunes note by note in virtual time, silence in between and after."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mind_box.devices.gpio.kernel_pwm import KernelBuzzer, channel_of
from mind_box.devices.gpio.sound import Piezo, open_sound
from mind_box.show.sounds import TUNES
from mind_box.virtual.scripts.clock import run_virtual


class Buzzer:
    """What a TonalBuzzer is asked to do, and when."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, str | None]] = []
        self.error: Exception | None = None
        self.closed = 0

    def _note(self, tone: str | None) -> None:
        if self.error is not None:
            raise self.error
        self.heard.append((round(asyncio.get_running_loop().time(), 3), tone))

    def play(self, tone: str) -> None:
        self._note(tone)

    def stop(self) -> None:
        self._note(None)

    def close(self) -> None:
        self.closed += 1


TWO = {"error": (("E4", 0.15), (None, 0.05), ("C4", 0.35)), "late": (("A4", 1.0),)}


def test_a_tune_is_played_and_ends() -> None:
    async def main() -> None:
        buzzer = Buzzer()
        piezo = Piezo(lambda: buzzer, asyncio.get_running_loop(), TWO)
        piezo.play("error")
        await asyncio.sleep(5)
        assert buzzer.heard == [(0.0, "E4"), (0.15, None), (0.2, "C4"), (0.55, None)]
        piezo.play("no such tune")
        assert len(buzzer.heard) == 4
        piezo.close()
        assert buzzer.closed == 1

    run_virtual(main())


def test_a_new_tune_cuts_the_old_one_off_and_close_silences() -> None:
    async def main() -> None:
        buzzer = Buzzer()
        piezo = Piezo(lambda: buzzer, asyncio.get_running_loop(), TWO)
        piezo.play("error")
        await asyncio.sleep(0.1)
        piezo.play("late")
        await asyncio.sleep(0.5)
        piezo.close()
        piezo.close()
        piezo.play("late")
        await asyncio.sleep(5)
        assert buzzer.heard == [(0.0, "E4"), (0.1, "A4"), (0.6, None)]

    run_virtual(main())


def test_a_failing_piezo_is_told_once_and_tried_at_the_next_tune(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        buzzers: list[Buzzer] = []

        def make() -> Buzzer:
            buzzers.append(Buzzer())
            if len(buzzers) == 1:
                raise OSError(16, "busy")
            if len(buzzers) == 2:
                buzzers[-1].error = OSError(19, "No such device")
            return buzzers[-1]

        piezo = Piezo(make, asyncio.get_running_loop(), TWO)
        for _ in range(3):
            piezo.play("late")
            await asyncio.sleep(2)
        assert buzzers[1].closed == 1
        assert [tone for _, tone in buzzers[2].heard] == ["A4", None]
        piezo.close()

    run_virtual(main())
    assert len(caplog.records) == 1


def test_a_box_without_pins_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        piezo = open_sound(18, asyncio.get_running_loop())
        piezo.play("error")
        piezo.close()

    run_virtual(main())
    assert "the piezo is silent" in caplog.text


def test_every_tune_of_the_box_can_be_played() -> None:
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    async def main() -> None:
        Device.pin_factory = MockFactory(pin_class=MockPWMPin)
        piezo = open_sound(18, asyncio.get_running_loop())
        pin = Device.pin_factory.pin(18)
        for name, tune in TUNES.items():
            piezo.play(name)
            assert pin.frequency and pin.state
            await asyncio.sleep(sum(seconds for _, seconds in tune) + 0.1)
            assert not pin.frequency
        piezo.close()
        Device.pin_factory.close()

    run_virtual(main())


def pwm(root: Path, address: str, exported: bool = True) -> Path:
    """A PWM chip in sysfs as the kernel shows it, with two channels or more."""
    device = root / "sys/devices/platform/soc" / address
    chip = device / "pwm/pwmchip3"
    for n in range(4 if exported else 0):
        (chip / f"pwm{n}").mkdir(parents=True)
    chip.mkdir(parents=True, exist_ok=True)
    (chip / "device").symlink_to(device)
    (root / "sys/class/pwm").mkdir(parents=True, exist_ok=True)
    (root / "sys/class/pwm/pwmchip3").symlink_to(chip)
    return chip


@pytest.mark.parametrize(
    ("address", "pin", "channel"),
    [("3f20c000.pwm", 18, 0), ("fe20c000.pwm", 13, 1), ("1f00098000.pwm", 18, 2), ("1f0009c000.pwm", 18, None)],
)
def test_the_kernels_pwm_is_found_by_what_it_is(tmp_path: Path, address: str, pin: int, channel: int | None) -> None:
    """A Pi 5's other one drives its fan."""
    pwm(tmp_path, address)
    found = channel_of(pin, tmp_path)
    assert (found and found.name) == (None if channel is None else f"pwm{channel}")
    assert channel_of(17, tmp_path) is None


def test_every_note_sounds_in_the_piezos_band_and_silence_takes_no_current(tmp_path: Path) -> None:
    chip = pwm(tmp_path, "fe20c000.pwm")
    channel = channel_of(18, tmp_path)
    assert channel is not None
    buzzer = KernelBuzzer(channel)
    for note in {note for tune in TUNES.values() for note, _ in tune if note is not None}:
        buzzer.play(note)
        period, duty = (int((chip / "pwm0" / name).read_text()) for name in ("period", "duty_cycle"))
        assert 2000 < 1e9 / period < 4500
        assert duty == period // 2
        assert (chip / "pwm0/enable").read_text() == "1"
    buzzer.close()
    assert (chip / "pwm0/enable").read_text() == "0"
    assert (chip / "unexport").read_text() == "0"


def test_a_channel_that_nobody_has_asked_for_yet_is_exported(tmp_path: Path) -> None:
    chip = pwm(tmp_path, "fe20c000.pwm", exported=False)
    with pytest.raises(OSError):  # it takes the kernel a moment: the piezo asks again with the next tune
        KernelBuzzer(chip / "pwm0")
    assert (chip / "export").read_text() == "0"
