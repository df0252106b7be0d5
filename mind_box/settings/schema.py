"""The settings of a box, as frozen dataclasses: what there is, its default, its range, what it is for.

The defaults are the standard build's pins and reader, and the one small table screen that a box once had: a file
that names no screen means that one for ever.
Numbers of pins are BCM (GPIO) numbers. ``mind_box.settings.loading`` reads them from a file.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from mind_box.game.figures import MAX_SEATS, MIN_SEATS
from mind_box.game.state import Setup
from mind_box.game.values import dataclass
from mind_box.ghost.estimate import PACE, REACTION
from mind_box.ghost.kinds import Kind
from mind_box.settings.kinds import HEADER_UART, LAMPS, READERS, UnseenAt, usual

LANGUAGE_NAMES = {"en": "English", "fr": "Français", "es": "Español", "de": "Deutsch"}
LANGUAGES = tuple(LANGUAGE_NAMES)
HEADER_PINS = range(2, 28)
"""The BCM numbers that the 40-pin header brings out, without the ID EEPROM's 0 and 1."""
EXPANDER_PINS = range(100, 116)
"""Pin numbers that mean lines 0 to 15 of the chip named by ``gpio.expander`` (MCP23017: GPA0-7, then GPB0-7)."""

BUS_PINS = {"i2c-3": (4, 5), "i2c-4": (8, 9), "i2c-5": (12, 13), "i2c-6": (22, 23)} | {
    f"/dev/ttyAMA{n}": pins for n, pins in ((3, (4, 5)), (4, (8, 9)), (5, (12, 13)))
}
"""What the overlays of a Pi 4's further buses take unless they are told otherwise (dtoverlay -h i2c3, uart3 ...)."""
LOCK_OUT = (
    "gpio.kernel_debounce is not used: RPi.GPIO does not wait until a level is stable, it is deaf for that long after "
    "each edge, and loses the release of a short press. The table debounces by itself (table.debounce): set it to 0, "
    'or gpio.factory = "gpiod"'
)


def setting(
    default: Any,
    *,
    doc: str,
    choices: tuple[str | int, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
    pin: bool = False,
    expander: bool = False,
    hexadecimal: bool = False,
    example: int | None = None,
) -> Any:
    """A dataclass field with what the checker, the example file and the docs need to know.

    ``example`` is what the example file shows of a setting that may be left out; ``hexadecimal`` is how data sheets
    write the number.
    """
    meta = {"choices": choices, "low": low, "high": high, "pin": pin, "expander": expander, "hexadecimal": hexadecimal}
    said = {name: value for name, value in meta.items() if value is not None and value is not False}
    return field(default=default, metadata={"doc": doc, "example": example, **said})


@dataclass(frozen=True, slots=True)
class BoxSettings:
    """``[box]``"""

    seats: int = setting(4, doc="seats that the box has", low=MIN_SEATS, high=MAX_SEATS)
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
class GhostSettings:
    """``[ghost]``: what the ghosts of the next game are like (R43); ``game.ghosts`` says how many there are."""

    kind: str = setting(
        "human",
        doc="how evenly they feel time: steady as a clock, human as a good player, dreamy as most of us",
        choices=tuple(str(kind) for kind in Kind),
    )
    pace: float = setting(
        PACE, doc="seconds a number to begin with, before they know the persons' pace", low=0.05, high=60
    )
    learns: bool = setting(True, doc="they learn the persons' pace; false: theirs stays as it is")


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
        doc="seconds of debounce in the kernel, before the table's own; 0: raw edges; not used with rpigpio",
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
    buzzer: int | None = setting(None, doc="a piezo, if fitted", low=0, high=27, pin=True, example=18)

    @property
    def lamps(self) -> dict[str, tuple[int, ...]]:
        """The pins of each group of ``LAMPS``, its first lamp first."""
        return {group.kind: getattr(self, group.setting) for group in LAMPS}


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """``[[screen]]``: one table for each screen."""

    seat: int | None = setting(
        None, doc="the seat it stands at; left out: a table screen", low=1, high=MAX_SEATS, example=1
    )
    table: int = setting(1, doc="which table screen it is, where there are several: 2 is table-screen 2", low=1, high=4)
    driver: str = setting(
        "ssd1306",
        doc="the display's controller: 2.42 inch has an ssd1309, 1.3 inch an sh1106, smaller ones an ssd1306",
        choices=("ssd1306", "ssd1309", "sh1106"),
    )
    height: int = setting(64, doc="rows of pixels", choices=(64, 32))
    bus: str = setting("i2c-1", doc="i2c-N for /dev/i2c-N; spi-0.0 or spi-0.1 for /dev/spidev0.0 or 0.1")
    address: int = setting(0x3C, doc="I2C address", low=0x08, high=0x77, hexadecimal=True)
    mux: int | None = setting(
        None, doc="I2C address of a TCA9548A in between", low=0x70, high=0x77, hexadecimal=True, example=0x70
    )
    channel: int = setting(0, doc="channel of that TCA9548A", low=0, high=7)
    column: int | None = setting(
        None, doc="first visible column; left out: 0, on an SH1106 2", low=0, high=4, example=2
    )
    rotate: int = setting(
        0,
        doc="quarter turns clockwise of what it shows; 1 and 3: a table screen of 64 rows that stands upright",
        choices=(0, 1, 2, 3),
    )
    dc_pin: int = setting(24, doc="SPI only: data/command", low=0, high=27, pin=True)
    reset_pin: int = setting(23, doc="SPI only: reset", low=0, high=27, pin=True)

    @property
    def name(self) -> str:
        """``table-screen``, ``table-screen 2`` or ``seat-screen N``."""
        if self.seat is not None:
            return f"seat-screen {self.seat}"
        return "table-screen" if self.table == 1 else f"table-screen {self.table}"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its pictures in pixels, as people see them."""
        return (128, self.height) if self.rotate % 2 == 0 else (self.height, 128)


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """``[[reader]]``: one table for each card reader."""

    kind: str = setting("serial", doc="how it talks", choices=tuple(READERS))
    device: str = setting(
        "",
        doc=f"path of the device; by-id names survive replugging; left out: {usual('device')}",
    )
    baud: int | None = setting(
        None,
        doc=f"bits a second on a serial line; left out: {usual('speed')}",
        low=1200,
        high=921600,
        example=9600,
    )
    place: str = setting(
        "slot",
        doc="slot: cards are shown to it and taken away; tray: the pile lies under it, and it reads continuously "
        "(serial and hid)",
        choices=("slot", "tray"),
    )
    same_card_seconds: float = setting(
        1.0, doc="a card must have been away from the reader this long before it counts again", low=0.2, high=10
    )
    covered: bool = setting(
        True,
        doc="a card can be shown to it while nobody sees the face: in the slot, in the hood, face down over an "
        "antenna; false: no ghosts, whose cards are dealt unseen",
    )

    def __post_init__(self) -> None:
        if not self.device:
            object.__setattr__(self, "device", READERS[self.kind].device)

    @property
    def speed(self) -> int:
        """Bits a second on the serial line."""
        return READERS[self.kind].speed if self.baud is None else self.baud

    @property
    def unseen_at(self) -> UnseenAt:
        """Where it takes a card that nobody sees, if it is ``covered``."""
        if not READERS[self.kind].optical:
            return "antenna"
        return "hood" if self.place == "tray" else "slot"

    @property
    def handling(self) -> float:
        """Seconds that a person needs for a card here, before anything is known of them."""
        return REACTION if self.place == "tray" else READERS[self.kind].handling

    @property
    def on_header(self) -> bool:
        """Whether it hangs on the header's serial port, and so on GPIO 14 and 15."""
        return self.device in HEADER_UART


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
    keep_times: bool = setting(True, doc="when each thing happened is kept; false: nothing of time is")


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """``[broker]``: the MQTT broker of a home or a club, which gets copies (docs/broker.md)."""

    host: str = setting("", doc='its name or address; empty: no broker; "auto": looked for by mDNS')
    port: int = setting(0, doc="its port; 0: 1883, with TLS 8883", low=0, high=65535)
    tls: bool = setting(False, doc="speak TLS with it")
    ca: str = setting("", doc="file of the authority that signed its certificate; empty: the system's own authorities")
    user: str = setting("", doc="user name there; empty: none is asked for")
    password_file: str = setting("", doc="file whose first line is the password; readable by mind-box alone")
    name: str = setting("", doc="name of this box, on its screen and in the topics; empty: the machine's host name")
    prefix: str = setting("mind-box", doc="what all topics begin with")
    home_assistant: str = setting("", doc='discovery prefix of Home Assistant, as a rule "homeassistant"; empty: none')
    club: bool = setting(False, doc="a hub (`mind-box club`) collects the results: each is kept until it has it")


@dataclass(frozen=True, slots=True)
class ClubSettings:
    """``[club]``: the hub (`mind-box club`), which finds its boxes through ``[broker]``; not for a box."""

    database: str = setting(
        "/var/lib/mind-box-club/club.db",
        doc="file of its results, or postgresql://user@host/name; the password is better kept in ~/.pgpass",
    )
    host: str = setting("127.0.0.1", doc="address that its page listens on")
    port: int = setting(8751, doc="port that its page listens on", low=1, high=65535)
    title: str = setting("", doc="headline of its page; empty: the league's own name")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one box."""

    box: BoxSettings = field(default_factory=BoxSettings)
    game: Setup = field(default_factory=Setup)
    ghost: GhostSettings = field(default_factory=GhostSettings)
    table: TableSettings = field(default_factory=TableSettings)
    gpio: GpioSettings = field(default_factory=GpioSettings)
    screen: tuple[ScreenSettings, ...] = (ScreenSettings(),)
    reader: tuple[ReaderSettings, ...] = (ReaderSettings(),)
    page: PageSettings = field(default_factory=PageSettings)
    journal: JournalSettings = field(default_factory=JournalSettings)
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    club: ClubSettings = field(default_factory=ClubSettings)


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
    uses += [(f"gpio.{group}_lamps[{i}]", pin) for group, pins in gpio.lamps.items() for i, pin in enumerate(pins, 1)]
    if gpio.buzzer is not None:
        uses.append(("gpio.buzzer", gpio.buzzer))
    if any(s.bus == "i2c-1" for s in config.screen):
        uses += [("screen.bus i2c-1 (SDA)", 2), ("screen.bus i2c-1 (SCL)", 3)]
    elif gpio.expander:
        uses += [("gpio.expander i2c-1 (SDA)", 2), ("gpio.expander i2c-1 (SCL)", 3)]
    on_spi = [s for s in config.screen if s.bus.startswith("spi-")]
    if any(s.bus.startswith("spi-0") for s in on_spi):
        lines = (("MOSI", 10), ("MISO", 9), ("SCLK", 11))
        uses += [(f"screen.bus spi-0 ({line})", pin) for line, pin in lines]
        for chip, pin in (("spi-0.0", 8), ("spi-0.1", 7)):
            if any(s.bus == chip for s in on_spi):
                uses.append((f"screen.bus {chip} (CE)", pin))
        uses += [("screen.dc_pin", pin) for pin in sorted({s.dc_pin for s in on_spi})]
        uses += [("screen.reset_pin", pin) for pin in sorted({s.reset_pin for s in on_spi})]
    if any(r.on_header for r in config.reader):
        uses += [("reader.device (UART TXD)", 14), ("reader.device (UART RXD)", 15)]
    return uses


def cautions(config: Config) -> list[str]:
    """What is allowed, since settings that were right once must stay so, and yet will not work: what, where, cure."""
    return [*([LOCK_OUT] if locks_out(config.gpio) else []), *pin_cautions(config)]


def locks_out(gpio: GpioSettings) -> bool:
    """Whether the kernel's debounce was asked for where there is none: gpiod and lgpio have it."""
    return gpio.factory == "rpigpio" and gpio.kernel_debounce > 0


def pin_cautions(config: Config) -> list[str]:
    """Pins that the kernel itself takes for a bus which the settings name."""
    taken: dict[int, tuple[str, str]] = {}
    for bus in (*(s.bus for s in config.screen), *(r.device for r in config.reader)):
        if bus.startswith("spi-0"):
            taken[8] = ("SPI's first chip select", "put the screen's CS on it (spi-0.0)")
            taken[7] = ("SPI's second chip select", "add dtoverlay=spi0-1cs to config.txt, which leaves it free")
        for pin in BUS_PINS.get(bus, ()):
            taken[pin] = (f"one of the two of {bus}", "tell that overlay other pins in config.txt")
    return [
        f"{name}: GPIO{pin} is {taken[pin][0]}: the kernel takes it, used or not. Use another pin, or {taken[pin][1]}"
        for name, pin in pin_uses(config)
        if pin in taken and " " not in name
    ]
