"""A piezo on the kernel's PWM: the pulses come from the chip, so a tone is steady whatever the program does.

The boot settings give the pin to the PWM (``dtoverlay=pwm,pin=18,func=2``); then it is a channel under
``/sys/class/pwm`` (Documentation/driver-api/pwm.rst). Without that line there is none, and software pulses the pin.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

CHIPS = {
    "20c000.pwm": {12: 0, 13: 1, 18: 0, 19: 1},
    "1f00098000.pwm": {12: 0, 13: 1, 18: 2, 19: 3},
}
"""The end of the PWM's address (Pi Zero to 4; Pi 5), and which of its channels a pin is (BCM2835 ARM Peripherals 6.2
and 9.5, RP1 peripherals 3.1.1)."""

OVERLAYS = {12: "dtoverlay=pwm,pin=12,func=4", 13: "dtoverlay=pwm,pin=13,func=4",
            18: "dtoverlay=pwm,pin=18,func=2", 19: "dtoverlay=pwm,pin=19,func=2"}  # fmt: skip
"""The line of config.txt that gives a pin to the PWM."""

UP = 8
"""How many times as high as written a tune sounds, three octaves: a piezo is loud at 4 kHz and mute at 400 Hz."""


def channel_of(pin: int, root: Path = Path("/")) -> Path | None:
    """The channel of a pin (BCM number) in sysfs, exported or not; None: the boot settings give it to no PWM."""
    for chip in sorted((root / "sys/class/pwm").glob("pwmchip*")):
        device = (chip / "device").resolve().name
        for address, channels in CHIPS.items():
            if device.endswith(address) and pin in channels:
                return chip / f"pwm{channels[pin]}"
    return None


class KernelBuzzer:
    """What ``Piezo`` asks of a ``gpiozero.TonalBuzzer``. Methods raise ``OSError`` where sysfs refuses."""

    def __init__(self, channel: Path) -> None:
        self._channel = channel
        if not channel.exists():
            (channel.parent / "export").write_text(channel.name.removeprefix("pwm"))
        self.stop()

    def play(self, note: str) -> None:
        """Sounds a note, by its name, until the next one or ``stop``."""
        from gpiozero.tones import Tone

        period = round(1e9 / (UP * Tone.from_note(note).frequency))
        self._write("duty_cycle", 0)  # never longer than a period, whichever way the tune goes
        self._write("period", period)
        self._write("duty_cycle", period // 2)
        self._write("enable", 1)

    def stop(self) -> None:
        """Silence, and no voltage across the piezo."""
        self._write("enable", 0)

    def close(self) -> None:
        """Leaves the channel to whoever wants it next."""
        with suppress(OSError):
            self.stop()
            (self._channel.parent / "unexport").write_text(self._channel.name.removeprefix("pwm"))

    def _write(self, name: str, value: int) -> None:
        (self._channel / name).write_text(str(value))
