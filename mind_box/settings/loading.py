"""Settings read from a file: TOML in, frozen dataclasses out; what is wrong is refused by name, line and cure."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any

from mind_box.settings.kinds import LAMPS, READERS
from mind_box.settings.schema import EXPANDER_PINS, HEADER_PINS, BrokerSettings, Config, pin_name, pin_uses

DEFAULT_PATH = Path("/etc/mind-box/box.toml")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""No path, name or command has them, and the system takes no path with a NUL."""

Place = tuple[str, str, int]
"""Section, setting, and the how-manieth of its sections."""

_LOST = (
    "If the power went while it was written, write the settings again; for the standard build remove the file, then "
    "sudo make install (of the Debian package: sudo apt install --reinstall -o Dpkg::Options::=--force-confmiss "
    "mind-box)."
)


class ConfigError(Exception):
    """A setting is wrong. ``str()`` says what, in which file and line, and what to do."""


def load(path: Path) -> Config:
    """Reads and checks a settings file.

    Raises ``ConfigError`` for a file that cannot be read, is not TOML, says nothing, or holds a wrong setting.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")  # Windows' editors may put a mark before the first line
    except OSError as e:
        raise ConfigError(f"{path}: cannot be read: {e.strerror}. Give another file with --config.") from e
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise ConfigError(f"{path}, line {line}: is not UTF-8 at byte {e.start}. Save it as UTF-8 text.") from e
    if not text.strip("\0 \t\r\n"):  # a power cut while it was written leaves no bytes, or zeros
        what = "is empty" if not text else "holds nothing but blanks or NUL bytes"
        raise ConfigError(f"{path}: {what}. {_LOST}")
    data = _toml(text, str(path))
    config = _Checker(text, str(path)).config(data)
    if all(value == {} for value in data.values()):  # comments, maybe the first lines of what was to be written
        raise ConfigError(f"{path}: has no settings. {_LOST}")
    return config


def settings(path: Path | None) -> Config:
    """The settings of this file; without one the installed ones; else the defaults. Raises ``ConfigError``."""
    if path is None and not installed():
        return Config()
    return load(path or DEFAULT_PATH)


def installed() -> bool:
    """Whether there are settings at ``DEFAULT_PATH``, be they as wrong as a dangling link."""
    try:
        DEFAULT_PATH.lstat()
    except FileNotFoundError:
        return False
    except OSError:
        pass
    return True


def described(config: Config, path: Path | None) -> tuple[str, str]:
    """Which settings these are (``path`` as given to ``settings``), and what they make of the box."""
    source = str(path or DEFAULT_PATH)
    if path is None and not installed():
        source = f"no settings at {DEFAULT_PATH}, the defaults are assumed"
    screens = ", ".join(screen.name for screen in config.screen) or "no screen"
    readers = ", ".join(f"{reader.kind} reader at {reader.device}" for reader in config.reader) or "no reader"
    return source, f"{config.box.seats} seats; {screens}; {readers}"


def parse(text: str, where: str = "box.toml", besides: typing.Collection[str] = ()) -> Config:
    """Checks settings given as TOML text, none of which has to be there; ``where`` names their source in errors.

    Tables of the names ``besides`` are somebody else's.
    """
    data = {name: value for name, value in _toml(text, where).items() if name not in besides}
    return _Checker(text, where).config(data)


def _toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        end = f"at end of document, line {len(_lines(text.rstrip()))}: was it cut short?"
        raise ConfigError(
            f"{where}: is not TOML: {str(e).replace('at end of document', end)}. Correct that place."
        ) from e
    except RecursionError:
        raise ConfigError(f"{where}: is nested too deeply to be settings.") from None
    except ValueError:  # Python reads whole numbers of up to 4,300 digits
        line = next((i for i, line in enumerate(_lines(text), 1) if re.search(r"\d[\d_]{4299}", line)), 1)
        raise ConfigError(f"{where}, line {line}: a number of thousands of digits; no setting takes one.") from None


def _lines(text: str) -> list[str]:
    """As TOML and editors count them: ``splitlines`` also ends one at a form feed and at U+2028."""
    return text.split("\n")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    """The types of its fields; a box has several screens of one kind."""
    return typing.get_type_hints(cls)


class _Checker:
    """One pass over one file; keeps the text to find line numbers."""

    def __init__(self, text: str, where: str) -> None:
        self._lines = _lines(text)
        self._where = where

    def config(self, data: dict[str, Any]) -> Config:
        hints = _hints(Config)
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

    def _section(self, cls: Any, table: dict[str, Any], section: str, index: int) -> Any:
        hints = _hints(cls)
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
            value = float(max(-(2**63), min(value, 2**63)))  # beyond every range already; much larger is no float
        if typing.get_origin(kind) is typing.Literal:
            kind = str
        if type(value) is not kind:
            words = {bool: "true or false", int: "a whole number", float: "a number", str: 'text in "quotes"'}
            self._fail(key, section, index, f"must be {words[kind]}, not {_quoted(value)}")
        if kind is str and _CONTROL.search(value):
            self._fail(key, section, index, f"holds a control character: {value!r}; write it without")
        if "choices" in meta and value not in meta["choices"]:
            self._fail(key, section, index, f"must be one of {', '.join(map(str, meta['choices']))}, not {value!r}")
        low, high = meta.get("low"), meta.get("high")
        if low is not None and not low <= value <= high:  # also refuses nan
            self._fail(key, section, index, f"must be from {low} to {high}, not {_quoted(value)}")
        expander = meta.get("expander", False)
        if "pin" in meta and value not in HEADER_PINS and not (expander and value in EXPANDER_PINS):
            more = " (or 100 to 115 on an expander)" if expander else ""
            self._fail(key, section, index, f"GPIO{value} is not free on the header: use GPIO 2 to 27{more}")
        return value

    def _together(self, config: Config, data: dict[str, Any]) -> None:
        """What no single setting can be blamed for."""
        for key in ("state_dir", "run_dir"):
            path = getattr(config.box, key)
            if not path.startswith("/"):  # the service's working directory is gone at power-off
                self._fail(key, "box", 0, f"must be a whole path, which begins with /, not {path!r}")
        seats = config.box.seats
        for key in ("seat_buttons", *(group.setting for group in LAMPS if group.count is None)):
            pins = getattr(config.gpio, key)
            if len(pins) < seats:
                what = f"{len(pins)} pins for {seats} seats: name one a seat in gpio.{key}, or lower box.seats"
                self._blame([("gpio", key, 0), ("box", "seats", 0)], data, what)
        for group in LAMPS:
            if group.count is not None and len(config.gpio.lamps[group.kind]) != group.count:
                self._fail(group.setting, "gpio", 0, f"must name {group.count} pins")
        used: dict[int, str] = {}
        for what, pin in pin_uses(config):
            if pin in used:
                both = [_place(use, pin, config) for use in (what, used[pin])]
                cure = "give one of them another pin"
                self._blame(both, data, f"{pin_name(pin)} is used twice, by {used[pin]} and by {what}: {cure}")
            used[pin] = what
            if pin in EXPANDER_PINS and not config.gpio.expander:
                key = what.partition(".")[2].partition("[")[0]
                cure = 'set gpio.expander = "mcp23017", or use GPIO 2 to 27'
                self._fail(key, "gpio", 0, f"{pin} is a line of an expander, but none is named: {cure}")
        names = [s.name for s in config.screen]
        places = [(s.bus, s.mux, s.channel if s.mux is not None else 0, s.address) for s in config.screen]
        for i, screen in enumerate(config.screen):
            address = f"0x{screen.address:02x} on {screen.bus}"
            if not re.fullmatch(r"i2c-\d+|spi-0\.[01]|sim:.+", screen.bus):
                self._fail("bus", "screen", i, f'must be like "i2c-1", or "spi-0.0" or "spi-0.1", not {screen.bus!r}')
            if screen.seat is not None and screen.seat > seats:
                self._fail("seat", "screen", i, f"is {screen.seat}, but the box has {seats} seats (box.seats)")
            if screen.seat is not None and screen.table != 1:
                self._fail("table", "screen", i, f"a {names[i]} is no table screen: leave out seat or table")
            if names[i] in names[:i]:
                another = "another seat" if screen.seat is not None else "table = 2, or a seat"
                self._fail("seat", "screen", i, f"there is already a {names[i]}: give this one {another}")
            if screen.rotate % 2 and (screen.seat is not None or screen.height < 64):
                what = "a seat's screen is" if screen.seat is not None else f"{screen.height} rows are"
                self._fail("rotate", "screen", i, f"{what} drawn lying only, no line fits it upright: use 0 or 2")
            if screen.bus.startswith("i2c") and places[i] in places[:i]:
                first = names[places.index(places[i])]
                cure = "solder the other address, or put a TCA9548A in between (mux, channel)"
                self._fail("address", "screen", i, f"{address} is already {first}: {cure}")
            if screen.bus.startswith("spi") and screen.bus in [s.bus for s in config.screen[:i]]:
                self._fail("bus", "screen", i, f"{screen.bus} is already another screen's: use the other chip select")
            behind = [s.name for s in config.screen if s.bus == screen.bus and s.address == screen.address and s.mux]
            if screen.bus.startswith("i2c") and screen.mux is None and behind:
                cure = "give it a channel of its own (mux, channel), or the other address"
                what = f"itself answers together with {behind[0]} behind the TCA9548A, whichever channel is open"
                self._fail("address", "screen", i, f"{address} {what}: {cure}")
        devices = [r.device for r in config.reader]
        for i, device in enumerate(devices):
            if device in devices[:i]:
                what = "is already another reader's: name each reader's own device"
                self._fail("device", "reader", i, f"{device} {what}")
            if config.reader[i].place == "tray" and not READERS[config.reader[i].kind].optical:
                what = "a tray's cards lie one on the other, which only a scanner can tell apart: use serial or hid"
                self._fail("place", "reader", i, what)
        game = config.game
        if game.ghosts and game.blind == "at_end":
            what = 'a pile that is shown at the end is nobody\'s in particular: set ghosts = 0, or blind = "as_played"'
            self._fail("ghosts", "game", 0, what)
        if game.ghosts > seats - 1:
            what = f"must leave a seat for a person: from 0 to {seats - 1}, the box has {seats} (box.seats)"
            self._fail("ghosts", "game", 0, what)
        if game.ghosts and not any(reader.covered for reader in config.reader):
            what = "their cards are dealt where nobody sees the faces: a reader with covered = true is needed"
            self._fail("ghosts", "game", 0, what)
        if config.box.sound and config.gpio.buzzer is None:
            self._fail("sound", "box", 0, "needs a piezo: set gpio.buzzer to its pin, or sound = false")
        self._broker(config.broker)

    def _broker(self, broker: BrokerSettings) -> None:
        for key, longest in (("name", 24), ("prefix", 60), ("home_assistant", 60)):
            text = getattr(broker, key)
            if len(text) > longest or set("+#") & set(text) or (key == "name" and "/" in text):
                what = f"stands in topics: at most {longest} letters, without + and #"
                self._fail(key, "broker", 0, f"{what}{' and /' if key == 'name' else ''}, not {text!r}")
        if not broker.prefix:
            self._fail("prefix", "broker", 0, 'is what all topics begin with: name one, e.g. "mind-box"')
        if broker.ca and not broker.tls:
            self._fail("ca", "broker", 0, "is for TLS only: set broker.tls = true, or leave it out")
        if broker.password_file and not broker.user:
            self._fail("password_file", "broker", 0, "is nobody's without a user: set broker.user")

    def _fail(self, key: str, section: str, index: int, what: str) -> typing.NoReturn:
        name = f"{section}.{key}" if section else key
        line = self._line(key, section, index)
        raise ConfigError(f"{self._where}{f', line {line}' if line else ''}: {name}: {what}")

    def _blame(self, places: list[Place], data: dict[str, Any], what: str) -> typing.NoReturn:
        """Of settings that do not go together, a default is never the wrong one."""
        written = [p for p in places if p[1] in (_table(data, p[0], p[2]) or ())]
        begun = [p for p in places if p[0] in data]
        section, key, index = (written or begun)[0]
        self._fail(key, section, index, what)

    def _line(self, key: str, section: str, index: int) -> int | None:
        """The line that sets the key, in whatever way; the section's first when the key is left out; None: neither.

        It is found by reading the file's beginnings: the key stands in the first of them that has it.
        """
        before, found = 0, None
        for end in range(1, len(self._lines) + 1):
            try:
                data = tomllib.loads("\n".join((*self._lines[:end], "")))
            except (ValueError, RecursionError):  # in the midst of a value
                continue
            place = _table(data, section, index)
            if place is not None and key in place:
                return before + 1
            if place is not None and found is None:
                found = before + 1
            before = end
        return found


def _table(data: Any, section: str, index: int) -> Any:
    """The table of a section, the ``index``-th where it has several; None: not there."""
    place = data.get(section) if section else data
    if isinstance(place, list):
        place = place[index] if index < len(place) else None
    return place if isinstance(place, dict) else None


def _place(use: str, pin: int, config: Config) -> Place:
    """Where the setting stands that uses a pin, as ``pin_uses`` names it."""
    section, key = use.split(" ")[0].partition("[")[0].split(".")
    users = [True]
    if section == "reader":
        users = [r.on_header for r in config.reader]
    elif section == "screen" and key == "bus":
        users = [s.bus.startswith(use.split(" ")[1]) for s in config.screen]
    elif section == "screen":
        users = [s.bus.startswith("spi") and getattr(s, key) == pin for s in config.screen]
    return section, key, users.index(True)


def _quoted(value: Any) -> str:
    """A wrong value as it is quoted. A number in hexadecimal may have more digits than Python writes in decimal."""
    try:
        return repr(value)
    except ValueError:
        return "a number of thousands of digits"


def _nearest(key: str, known: typing.Iterable[str]) -> str | None:
    import difflib

    return next(iter(difflib.get_close_matches(key, list(known), 1)), None)
