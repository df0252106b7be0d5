"""The boot settings: which lines of config.txt this box needs, which would serve it, and which are in its way.

``python -m mind_box.doctor.boot`` prints the lines that it lacks, for the installer; ``--file`` prints the file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from mind_box.devices.gpio.kernel_pwm import OVERLAYS
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.settings.loading import settings
from mind_box.settings.schema import HEADER_PINS, Config, pin_uses

FILES = ("boot/firmware/config.txt", "boot/config.txt")
"""Since bookworm, and before."""


def config_file(root: Path) -> Path | None:
    """The boot settings; None where there are none, so that this is no Raspberry Pi."""
    return next((root / name for name in FILES if (root / name).is_file()), None)


def active_lines(text: str) -> list[str]:
    """The settings in force on every board: without comments and without sections for one model only."""
    lines = []
    everywhere = True
    for raw in text.splitlines():
        line = re.sub(r"\s+", "", raw.partition("#")[0])
        if line.startswith("["):
            everywhere = line == "[all]"
        elif line and everywhere:
            lines.append(line)
    return lines


def _on(lines: list[str], *names: str) -> bool:
    """Whether the last line that sets one of these parameters switches it on."""
    value = ""
    for line in lines:
        for part in line.removeprefix("dtparam=").split(",") if line.startswith("dtparam=") else [line]:
            name, _, setting = part.partition("=")
            if name in names:
                value = setting or "on"
    return value in ("on", "1", "yes", "true")


def missing_lines(config: Config, text: str) -> list[str]:
    """What has to be added at the end of a config.txt with this text."""
    lines = active_lines(text)
    missing = []
    i2c = any(s.bus == "i2c-1" for s in config.screen) or bool(config.gpio.expander)
    if i2c and not _on(lines, "i2c_arm", "i2c", "i2c1"):
        missing.append("dtparam=i2c_arm=on")
    if any(s.bus.startswith("spi") for s in config.screen) and not _on(lines, "spi"):
        missing.append("dtparam=spi=on")
    if any(r.on_header for r in config.reader) and not _on(lines, "enable_uart", "uart0"):
        missing.append("enable_uart=1")
    overlays = {line.removeprefix("dtoverlay=").partition(",")[0] for line in lines if line.startswith("dtoverlay=")}
    if config.gpio.expander == "mcp23017" and "mcp23017" not in overlays:
        missing.append("dtoverlay=mcp23017,addr=0x20,noints")
    if active_lines("\n".join((text, *missing)))[len(lines) :] != missing:  # the file ends in one model's section
        missing.insert(0, "[all]")
    return missing


def start_lamp(config: Config) -> int | None:
    """The first life lamp: it says "it starts" from power-up until the box takes it. None: it is not on the header."""
    pin = config.gpio.life_lamps[0]
    return pin if pin in HEADER_PINS else None


def wished_lines(config: Config, text: str) -> list[tuple[str, str]]:
    """What a box can do without, as (line of config.txt, what for)."""
    lines = active_lines(text)
    wished = []
    lamp, buzzer = start_lamp(config), config.gpio.buzzer
    if lamp is not None and "dh" not in driven_pins(lines).get(lamp, ""):
        wished.append((f"gpio={lamp}=op,dh", "a lamp that says within seconds of power that the box starts"))
    if buzzer in OVERLAYS and buzzer not in {pin for name, _, pin in taken_pins(lines) if name == "pwm"}:
        wished.append((OVERLAYS[buzzer], "a piezo that is loud and in tune (on a Pi Zero to 4 it ends analogue sound)"))
    return wished


def driven_pins(lines: list[str]) -> dict[int, str]:
    """The pins that the firmware itself sets at power-up, and how: ``gpio=17=op,dh``, ``gpio=5-8,12=ip,pu``."""
    driven = {}
    for line in lines:
        named = re.fullmatch(r"gpio=([\d,-]+)=(\S+)", line)
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", named[1]) if named else ():
            for pin in range(int(first), int(last or first) + 1):
                driven[pin] = named[2] if named else ""
    return driven


def taken_pins(lines: list[str]) -> Iterator[tuple[str, str, int]]:
    """Each overlay that takes a pin: which, its line and the pin; its parameters may follow in lines of their own."""
    for overlay in re.split(r"^(?=dtoverlay=)", "\n".join(lines), flags=re.M):
        name = re.match(r"dtoverlay=(w1-gpio|mcp23017|pwm(?![\w-]))", overlay)
        if name and not re.search(r"\bnoints\b", overlay):
            named = re.findall(r"\b(?:gpio)?pin=(\d+)", overlay)
            yield name[1], overlay.partition("\n")[0], int(named[-1]) if named else {"pwm": 18}.get(name[1], 4)


def check(scene: Scene) -> Iterator[Verdict]:
    """The overlays, and the supply's word on itself."""
    file = config_file(scene.root)
    if file is None:
        cure = "the box needs one; on anything else: mind-box try"
        yield Verdict("boot", NOTE, "there is no config.txt: this is no Raspberry Pi", cure)
        return
    text = scene.text(str(file.relative_to(scene.root)))
    missing = missing_lines(scene.config, text)
    if missing:
        cure = f"add them at its end (sudo nano {file}), then start the Pi again"
        yield Verdict("boot", WRONG, f"{file} lacks: {'; '.join(missing)}", cure)
    else:
        yield Verdict("boot", OK, f"{scene.board or 'Raspberry Pi'}: {file} has what the settings need")
    pins = {pin: name for name, pin in pin_uses(scene.config)}
    for overlay, line, pin in taken_pins(active_lines(text)):
        if pin in pins and not (overlay == "pwm" and pin == scene.config.gpio.buzzer):
            if overlay == "pwm":
                taker, cure = "the PWM", f"remove {line} from {file}, or give {pins[pin]} another pin"
            elif overlay == "mcp23017":
                taker, cure = "the expander's interrupt", f"write {line},noints in {file}: the box does not need it"
            else:
                taker, cure = "1-Wire", f"remove {line} from {file}, or give {pins[pin]} another pin"
            yield Verdict("boot", WRONG, f"{taker} takes GPIO{pin}, which is {pins[pin]}", cure)
    for pin, how in driven_pins(active_lines(text)).items():
        lamp = pin in {p for group in scene.config.gpio.lamps.values() for p in group}
        if pin in pins and "op" in how and not lamp:
            what = f"{file} makes GPIO{pin} an output at power-up, which is {pins[pin]}"
            yield Verdict("boot", WRONG, what, f"remove its gpio= line, or give {pins[pin]} another pin")
    for line, what_for in wished_lines(scene.config, text):
        yield Verdict(
            "boot", NOTE, f"{file} could have {line}: {what_for}", f"sudo nano {file}, then start the Pi again"
        )
    yield from _supply(scene)


def _supply(scene: Scene) -> Iterator[Verdict]:
    """The firmware's report, whose bits 0 and 16 are under-voltage now and since the start; and its alarm in hwmon."""
    reports = scene.root.glob("sys/devices/platform/soc*/*:firmware/get_throttled")  # soc, on a Pi 5 soc@107c000000
    alarms = [p.parent for p in scene.root.glob("sys/class/hwmon/hwmon*/in0_lcrit_alarm")]
    words = [scene.text(str(report.relative_to(scene.root))).strip().removeprefix("0x") for report in reports]
    low = any(re.fullmatch(r"[0-9a-f]+", word) and int(word, 16) & 0x10001 for word in words)
    for place in (str(alarm.relative_to(scene.root)) for alarm in alarms):
        ours = scene.text(f"{place}/name").strip() == "rpi_volt"
        low = low or (ours and scene.text(f"{place}/in0_lcrit_alarm").strip() == "1")
    if low:
        cure = "a 5.1 V supply with a short, thick cable"
        yield Verdict("boot", WRONG, "the supply's voltage was too low since the start", cure)


def main() -> int:
    """For the installer."""
    file = config_file(Path("/"))
    if file is None:
        return 1
    if "--file" in sys.argv:
        print(file)
        return 0
    config, text = settings(None), file.read_text("utf-8", "replace")
    missing = missing_lines(config, text)
    wished = [line for line, _ in wished_lines(config, text)]
    if wished and active_lines("\n".join((text, *missing, *wished)))[-len(wished) :] != wished:
        missing.insert(0, "[all]")
    for line in (*missing, *wished):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
