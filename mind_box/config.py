"""The settings: TOML in, frozen dataclasses out; whatever is wrong is refused by name, line and cure.

The defaults are the standard build of ``hardware/``: 4 seats, one table screen, a QR reader on USB serial.
Numbers of pins are BCM (GPIO) numbers.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mind_box.game.cards import DECKS, VARIANTS

DEFAULT_PATH = Path("/etc/mind-box/box.toml")
LANGUAGES = ("en", "fr", "es", "de")
HEADER_PINS = range(2, 28)
"""The BCM numbers that the 40-pin header brings out, without the ID EEPROM's 0 and 1."""
EXPANDER_PINS = range(100, 116)
"""Pin numbers that mean lines 0 to 15 of the chip named by ``gpio.expander`` (MCP23017: GPA0-7, then GPB0-7)."""


class ConfigError(Exception):
    """A setting is wrong. ``str()`` says what, in which file and line, and what to do."""


def setting(
    default: Any = dataclasses.MISSING,
    *,
    doc: str,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
    pin: bool = False,
    expander: bool = False,
    factory: Any = dataclasses.MISSING,
) -> Any:
    """A dataclass field with what the checker, the example file and the docs need to know."""
    meta = {"doc": doc, "choices": choices, "low": low, "high": high, "pin": pin, "expander": expander}
    if factory is not dataclasses.MISSING:
        return field(default_factory=factory, metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class BoxSettings:
    """``[box]``"""

    seats: int = setting(4, doc="seats that the box has", low=2, high=8)
    language: str = setting("en", doc="language of the table screen", choices=LANGUAGES)
    seat_languages: tuple[str, ...] = setting((), doc="languages of the seat screens, seat 1 first", choices=LANGUAGES)
    sound: bool = setting(False, doc="sounds on events (needs gpio.buzzer)")
    state_dir: str = setting("/var/lib/mind-box", doc="where the game is kept; must be writable")
    run_dir: str = setting(
        "/run/mind-box", doc="where `mind-box status` finds the running box; may be lost at power-off"
    )
    dim_after: float = setting(
        300.0, doc="seconds without an input until the screens grow dim; 0: never", low=0, high=86400
    )
    dark_after: float = setting(1800.0, doc="seconds without an input until they go dark; 0: never", low=0, high=86400)
    power_off: tuple[str, ...] = setting(
        ("systemctl", "poweroff"), doc="the command behind the menu's shut-down; [] to only stop the program"
    )


@dataclass(frozen=True, slots=True)
class GameSettings:
    """``[game]``: what the lobby starts with; the box's menu can change it."""

    variant: str = setting("classic", doc="the order of cards", choices=VARIANTS)
    deck: str = setting("original", doc="the cards that extreme is played with", choices=DECKS)
    hands: str = setting("unknown", doc="known: every card is scanned when dealt", choices=("unknown", "known"))
    blind: str = setting(
        "no", doc="blind from the first level, and how it is checked", choices=("no", "as_played", "at_end")
    )
    no_stars: bool = setting(False, doc="play without throwing stars")
    challenge: str = setting(
        "at_end",
        doc="how the blind challenge is checked: as_played needs a reader that reads cards face down (NFC)",
        choices=("as_played", "at_end"),
    )


@dataclass(frozen=True, slots=True)
class TableSettings:
    """``[table]``: times, in seconds."""

    debounce: float = setting(
        0.025, doc="a button's level counts when it has been stable this long", low=0.005, high=0.2
    )
    hold: float = setting(1.5, doc="holding star this long opens the menu", low=0.5, high=5)
    gather: float = setting(2.0, doc="hands held together this long start a game", low=0.5, high=10)
    vote: float = setting(30.0, doc="an open star vote is called off after this", low=5, high=600)
    menu: float = setting(30.0, doc="an open menu closes after this", low=5, high=600)
    check: float = setting(0.8, doc="pause between two cards of the blind check", low=0.1, high=10)


@dataclass(frozen=True, slots=True)
class GpioSettings:
    """``[gpio]``: the pin map. Buttons close to ground; lamps light when high.

    The default map keeps off the pins that the system or a bus may want: 2 and 3 (I2C, fixed 1.8 kOhm
    pull-ups), 4 (1-Wire), 14 and 15 (serial console). Of SPI's it takes only 9 and 11, low at power-up whether
    SPI is on or off; so no lamp glows before the box has started. 18 is left for the piezo, 10 and 4 are spare.

    Lamps may stand on an expander instead (numbers from 100): outputs only, since its inputs would need an
    interrupt line of their own. That frees header pins for 7 and 8 seats.
    """

    factory: str = setting(
        "auto",
        doc="auto: libgpiod, then lgpio, then RPi.GPIO; mock is for tests",
        choices=("auto", "gpiod", "lgpio", "rpigpio", "mock"),
    )
    chip: str = setting("", doc="a GPIO chip's path; empty: found by what it is")
    kernel_debounce: float = setting(
        0.0,
        doc="seconds of debounce in the kernel, before the table's own; 0: raw edges",
        low=0,
        high=0.1,
    )
    expander: str = setting(
        "",
        doc="label (mcp23017) or path of a second GPIO chip with a kernel driver: "
        "lamps 100 to 115 are its lines 0 to 15",
    )
    star_button: int = setting(26, doc="the shared star button", low=0, high=27, pin=True)
    seat_buttons: tuple[int, ...] = setting(
        (5, 6, 13, 19), doc="one button per seat, seat 1 first", low=0, high=27, pin=True
    )
    seat_lamps: tuple[int, ...] = setting(
        (12, 16, 20, 21), doc="one lamp per seat, seat 1 first", low=0, high=115, pin=True, expander=True
    )
    life_lamps: tuple[int, ...] = setting(
        (17, 27, 22, 23, 24), doc="five life lamps", low=0, high=115, pin=True, expander=True
    )
    star_lamps: tuple[int, ...] = setting((25, 9, 11), doc="three star lamps", low=0, high=115, pin=True, expander=True)
    buzzer: int | None = setting(None, doc="a piezo, if fitted", low=0, high=27, pin=True)


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """``[[screen]]``: one table for each screen."""

    seat: int | None = setting(None, doc="the seat it stands at; left out: the table screen", low=1, high=8)
    driver: str = setting("ssd1306", doc="the display's controller", choices=("ssd1306", "sh1106"))
    height: int = setting(64, doc="pixels: 64 or 32", low=32, high=64)
    bus: str = setting("i2c-1", doc="i2c-N for /dev/i2c-N, spi-N.M for /dev/spidevN.M")
    address: int = setting(0x3C, doc="I2C address", low=0x08, high=0x77)
    mux: int | None = setting(None, doc="I2C address of a TCA9548A in between", low=0x70, high=0x77)
    channel: int = setting(0, doc="channel of that TCA9548A", low=0, high=7)
    column: int | None = setting(None, doc="first visible column; left out: 0, on an SH1106 2", low=0, high=4)
    rotate: int = setting(0, doc="0, or 2 for upside down", low=0, high=2)
    dc_pin: int = setting(24, doc="SPI only: data/command", low=0, high=27)
    reset_pin: int = setting(23, doc="SPI only: reset", low=0, high=27)

    @property
    def name(self) -> str:
        """``table-screen`` or ``seat-screen N``."""
        return "table-screen" if self.seat is None else f"seat-screen {self.seat}"


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """``[[reader]]``: one table for each card reader."""

    kind: str = setting("serial", doc="how it talks", choices=("serial", "hid", "pn532", "rdm6300", "firmware"))
    device: str = setting("/dev/mind-box-scanner", doc="path of the device; by-id names survive replugging")
    baud: int | None = setting(
        None, doc="serial speed; left out: 9600, pn532 and firmware 115200", low=1200, high=921600
    )
    same_card_seconds: float = setting(
        1.0, doc="a card must have been away from the reader this long before it counts again", low=0.2, high=10
    )

    @property
    def speed(self) -> int:
        """Bits a second on the serial line."""
        if self.baud is not None:
            return self.baud
        return 115200 if self.kind in ("pn532", "firmware") else 9600


@dataclass(frozen=True, slots=True)
class PageSettings:
    """``[page]``: the read-only table page (`mind-box run --page`)."""

    host: str = setting("127.0.0.1", doc="address to listen on")
    port: int = setting(8750, doc="port to listen on", low=1, high=65535)


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """``[journal]``: how much of the past is kept."""

    keep_games: int = setting(1000, doc="finished games kept", low=1, high=1_000_000)
    keep_megabytes: int = setting(64, doc="size above which the oldest games go", low=1, high=100_000)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one box."""

    box: BoxSettings = field(default_factory=BoxSettings)
    game: GameSettings = field(default_factory=GameSettings)
    table: TableSettings = field(default_factory=TableSettings)
    gpio: GpioSettings = field(default_factory=GpioSettings)
    screen: tuple[ScreenSettings, ...] = (ScreenSettings(),)
    reader: tuple[ReaderSettings, ...] = (ReaderSettings(),)
    page: PageSettings = field(default_factory=PageSettings)
    journal: JournalSettings = field(default_factory=JournalSettings)


def load(path: Path) -> Config:
    """Reads and checks a settings file.

    Raises ``ConfigError`` for a file that cannot be read, is not TOML, or holds a wrong setting.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as e:
        raise ConfigError(f"{path}: cannot be read: {e.strerror}. Give another file with --config.") from e
    except UnicodeDecodeError as e:
        raise ConfigError(f"{path}: is not UTF-8 at byte {e.start}. Save it as UTF-8 text.") from e
    return parse(text, str(path))


def parse(text: str, where: str = "box.toml") -> Config:
    """Checks settings given as TOML text; ``where`` names their source in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise ConfigError(f"{where}: is not TOML: {e}. Correct that place.") from e
    except RecursionError:
        raise ConfigError(f"{where}: is nested too deeply to be settings.") from None
    return _Checker(text, where).config(data)


class _Checker:
    """One pass over one file; keeps the text to find line numbers."""

    def __init__(self, text: str, where: str) -> None:
        self._lines = text.splitlines()
        self._where = where

    def config(self, data: dict[str, Any]) -> Config:
        hints = typing.get_type_hints(Config)
        self._known(data, hints, "", 0)
        parts: dict[str, Any] = {}
        for name, value in data.items():
            kind = hints[name]
            if typing.get_origin(kind) is tuple:
                if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
                    self._fail(name, "", 0, f"write it as [[{name}]], one table for each {name}")
                cls = typing.get_args(kind)[0]
                parts[name] = tuple(self._section(cls, v, name, i) for i, v in enumerate(value))
            else:
                if not isinstance(value, dict):
                    self._fail(name, "", 0, f"write it as a table: [{name}]")
                parts[name] = self._section(kind, value, name, 0)
        config = Config(**parts)
        self._together(config, data)
        return config

    def _section(self, cls: type[Any], table: dict[str, Any], section: str, index: int) -> Any:
        hints = typing.get_type_hints(cls)
        self._known(table, hints, section, index)
        metas = {f.name: f.metadata for f in dataclasses.fields(cls)}
        return cls(**{k: self._value(hints[k], metas[k], v, k, section, index) for k, v in table.items()})

    def _known(self, table: dict[str, Any], hints: dict[str, Any], section: str, index: int) -> None:
        for key in table:
            if key not in hints:
                near = _nearest(key, hints)
                cure = f"did you mean {near}?" if near else f"known here: {', '.join(hints)}"
                self._fail(key, section, index, f"is not a setting; {cure}")

    def _value(self, kind: Any, meta: Any, value: Any, key: str, section: str, index: int) -> Any:
        if isinstance(kind, types.UnionType):
            kind = typing.get_args(kind)[0]
        if typing.get_origin(kind) is tuple:
            if not isinstance(value, list):
                self._fail(key, section, index, f"must be a list, e.g. {key} = [...]")
            item = typing.get_args(kind)[0]
            return tuple(self._value(item, meta, v, key, section, index) for v in value)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            words = {bool: "true or false", int: "a whole number", float: "a number", str: 'text in "quotes"'}
            self._fail(key, section, index, f"must be {words[kind]}, not {value!r}")
        if meta["choices"] and value not in meta["choices"]:
            self._fail(key, section, index, f"must be one of {', '.join(meta['choices'])}, not {value!r}")
        low, high = meta["low"], meta["high"]
        if low is not None and not low <= value <= high:  # also refuses nan
            self._fail(key, section, index, f"must be from {low} to {high}, not {value!r}")
        if meta["pin"] and value not in HEADER_PINS and not (meta["expander"] and value in EXPANDER_PINS):
            more = " (or 100 to 115 on an expander)" if meta["expander"] else ""
            self._fail(key, section, index, f"GPIO{value} is not free on the header: use GPIO 2 to 27{more}")
        return value

    def _together(self, config: Config, data: dict[str, Any]) -> None:
        """What no single setting can be blamed for."""
        seats = config.box.seats
        for key in ("seat_buttons", "seat_lamps"):
            pins = getattr(config.gpio, key)
            if len(pins) < seats:
                self._fail(
                    key, "gpio", 0, f"names {len(pins)} pins for {seats} seats: name one pin a seat, or lower box.seats"
                )
        for key, count in (("life_lamps", 5), ("star_lamps", 3)):
            if len(getattr(config.gpio, key)) != count:
                self._fail(key, "gpio", 0, f"must name {count} pins")
        used: dict[int, str] = {}
        for what, pin in pin_uses(config):
            if pin in used:
                section, _, key = what.partition(".")
                key = key.partition("[")[0]
                if section == "gpio" and key not in data.get("gpio", {}):  # a default collides: blame what was written
                    key = used[pin].partition(".")[2].partition("[")[0]
                cure = "give one of them another pin"
                self._fail(key, section, 0, f"{pin_name(pin)} is used twice, by {used[pin]} and by {what}: {cure}")
            used[pin] = what
            if pin in EXPANDER_PINS and not config.gpio.expander:
                key = what.partition(".")[2].partition("[")[0]
                cure = 'set gpio.expander = "mcp23017", or use GPIO 2 to 27'
                self._fail(key, "gpio", 0, f"{pin} is a line of an expander, but none is named: {cure}")
        names = [s.name for s in config.screen]
        places = [(s.bus, s.mux, s.channel if s.mux is not None else 0, s.address) for s in config.screen]
        for i, screen in enumerate(config.screen):
            if screen.height not in (32, 64):
                self._fail("height", "screen", i, f"must be 32 or 64, not {screen.height}")
            if screen.rotate not in (0, 2):
                self._fail("rotate", "screen", i, f"must be 0 or 2, not {screen.rotate}")
            if not re.fullmatch(r"i2c-\d+|spi-\d+\.\d+|sim:.+", screen.bus):
                self._fail("bus", "screen", i, f'must look like "i2c-1" or "spi-0.0", not {screen.bus!r}')
            if screen.seat is not None and screen.seat > seats:
                self._fail("seat", "screen", i, f"is {screen.seat}, but the box has {seats} seats (box.seats)")
            if names[i] in names[:i]:
                self._fail("seat", "screen", i, f"there is already a {names[i]}: give each screen another seat")
            if screen.bus.startswith("i2c") and places[i] in places[:i]:
                first = names[places.index(places[i])]
                self._fail(
                    "address",
                    "screen",
                    i,
                    f"0x{screen.address:02x} on {screen.bus} is already {first}: solder the "
                    "other address, or put a TCA9548A in between (mux, channel)",
                )
            if screen.bus.startswith("spi") and screen.bus in [s.bus for s in config.screen[:i]]:
                self._fail("bus", "screen", i, f"{screen.bus} is already another screen's: use the other chip select")
            behind = [s.name for s in config.screen if s.bus == screen.bus and s.address == screen.address and s.mux]
            if screen.bus.startswith("i2c") and screen.mux is None and behind:
                cure = "give it a channel of its own (mux, channel), or the other address"
                self._fail(
                    "address",
                    "screen",
                    i,
                    f"0x{screen.address:02x} on {screen.bus} itself answers together with "
                    f"{behind[0]} behind the TCA9548A, whichever channel is open: {cure}",
                )
        devices = [r.device for r in config.reader]
        for i, device in enumerate(devices):
            if device in devices[:i]:
                self._fail(
                    "device", "reader", i, f"{device} is already another reader's: name each reader's own device"
                )
        if config.box.sound and config.gpio.buzzer is None:
            self._fail("sound", "box", 0, "needs a piezo: set gpio.buzzer to its pin, or sound = false")

    def _fail(self, key: str, section: str, index: int, what: str) -> typing.NoReturn:
        name = f"{section}.{key}" if section else key
        line = self._line(key, section, index)
        raise ConfigError(f"{self._where}{f', line {line}' if line else ''}: {name}: {what}")

    def _line(self, key: str, section: str, index: int) -> int | None:
        """The line on which the key stands; the section's header when the key is left out."""
        found: int | None = None
        at_section = not section
        count = -1
        head = re.compile(rf"\s*\[\[?\s*{re.escape(section)}\s*\]\]?") if section else None
        own = re.compile(rf"\s*(?:\[\[?\s*)?[\"']?{re.escape(key)}[\"']?\s*(?:=|\.|\])")
        for number, line in enumerate(self._lines, 1):
            if head is not None and line.lstrip().startswith("["):
                at_section = False
                if head.match(line):
                    count += 1
                    at_section = count == index
                    found = number if at_section else found
                continue
            if at_section and own.match(line):
                return number
            if section and re.match(
                rf"\s*{re.escape(section)}\s*(\.\s*{re.escape(key)}\s*)?=.*{re.escape(key)}?", line
            ):
                found = number
        return found


def pin_name(pin: int) -> str:
    """``GPIO17``, or ``expander line 3`` for 103."""
    return f"GPIO{pin}" if pin in HEADER_PINS else f"expander line {pin - EXPANDER_PINS.start}"


def pin_uses(config: Config) -> list[tuple[str, int]]:
    """Each use of a pin as (setting, number), in the order of the file: the one source for wiring.

    Numbers below 100 are BCM numbers on the header, those from 100 lines of the expander.
    """
    gpio = config.gpio
    uses = [("gpio.star_button", gpio.star_button)]
    uses += [(f"gpio.seat_buttons[{i + 1}]", p) for i, p in enumerate(gpio.seat_buttons)]
    uses += [(f"gpio.seat_lamps[{i + 1}]", p) for i, p in enumerate(gpio.seat_lamps)]
    uses += [(f"gpio.life_lamps[{i + 1}]", p) for i, p in enumerate(gpio.life_lamps)]
    uses += [(f"gpio.star_lamps[{i + 1}]", p) for i, p in enumerate(gpio.star_lamps)]
    if gpio.buzzer is not None:
        uses.append(("gpio.buzzer", gpio.buzzer))
    if any(s.bus == "i2c-1" for s in config.screen):
        uses += [("screen.bus i2c-1 (SDA)", 2), ("screen.bus i2c-1 (SCL)", 3)]
    elif gpio.expander:
        uses += [("gpio.expander i2c-1 (SDA)", 2), ("gpio.expander i2c-1 (SCL)", 3)]
    if any(s.bus.startswith("spi-0") for s in config.screen):
        lines = (("MOSI", 10), ("MISO", 9), ("SCLK", 11))
        uses += [(f"screen.bus spi-0 ({line})", pin) for line, pin in lines]
        for chip, pin in (("spi-0.0", 8), ("spi-0.1", 7)):
            if any(s.bus == chip for s in config.screen):
                uses.append((f"screen.bus {chip} (CE)", pin))
        for dc in sorted({s.dc_pin for s in config.screen if s.bus.startswith("spi-")}):
            uses.append(("screen.dc_pin", dc))
        for reset in sorted({s.reset_pin for s in config.screen if s.bus.startswith("spi-")}):
            uses.append(("screen.reset_pin", reset))
    if any(r.device in ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0") for r in config.reader):
        uses += [("reader.device (UART TXD)", 14), ("reader.device (UART RXD)", 15)]
    return uses


def _nearest(key: str, known: typing.Iterable[str]) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(key, list(known), 1)), None)
