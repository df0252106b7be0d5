"""Table scripts, read: text in, actions out; a mistake is told with its line and what was expected (docs/table.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from mind_box.game.figures import MAX_SEATS, MIN_SEATS
from mind_box.game.state import CHOICES
from mind_box.ghost.kinds import Kind
from mind_box.settings.schema import Config, GhostSettings
from mind_box.table.inputs import STAR
from mind_box.table.menu import Item
from mind_box.virtual.scripts.box import READER, TABLE_SCREENS
from mind_box.virtual.scripts.expected import FIELDS

MENU_ITEMS: tuple[Item, ...] = get_args(Item)


class ScriptError(Exception):
    """The file is not a table script. ``str()`` gives line (0: the whole file) and reason."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}" if line else what)
        self.line = line


@dataclass(frozen=True, slots=True)
class Hands:
    """These seats (none: all playing ones) hold together 2.5 s, then lift."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Buttons:
    """``down``, ``up`` or ``tap`` of these buttons, one after the other."""

    what: str
    buttons: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """A button goes down and comes up after so many seconds."""

    button: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ShowPayload:
    """The reader reports this."""

    payload: str


@dataclass(frozen=True, slots=True)
class Lay:
    """This card is laid on the pile, under the reader of a tray."""

    payload: str


@dataclass(frozen=True, slots=True)
class Take:
    """The pile's top card is lifted; ``all``: the whole pile is taken off, and the tray seen empty."""

    all: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds of virtual time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Choose:
    """The gestures that open the menu, reach the item and choose it."""

    item: str


@dataclass(frozen=True, slots=True)
class Plug:
    """A cable is pulled or put back."""

    device: str
    plugged: bool


@dataclass(frozen=True, slots=True)
class Restart:
    """The process dies without warning and starts again from its journal."""


@dataclass(frozen=True, slots=True)
class Expect:
    """One field of the View, as ``View.to_json`` gives it (or ``pile``, ``pile2``)."""

    field: str
    value: Any


Action = Hands | Buttons | Hold | ShowPayload | Lay | Take | Wait | Choose | Plug | Restart | Expect


@dataclass(frozen=True, slots=True)
class Line:
    """An action and the line it stands on, from 1."""

    number: int
    action: Action


BLANKS = " \t\r"
"""What surrounds a line. Other white space may be a scanner's suffix, and is for the reader to judge."""


@dataclass(frozen=True, slots=True)
class Script:
    """A table script: the box it wants, and what happens."""

    config: Config
    lines: tuple[Line, ...]


def parse_script(text: str, base: Config | None = None) -> Script:
    """Reads a whole script. Raises ``ScriptError``. ``base`` is the box that its config lines change."""
    config = base if base is not None else Config()
    configured = 0
    lines: list[Line] = []
    for number, raw in enumerate(text.split("\n"), 1):  # a payload may hold what splitlines() takes for a line end
        words = raw.strip(BLANKS)
        if not words or words.startswith("#"):
            continue
        word, rest = ([*re.split(r"[ \t]+", words, maxsplit=1), ""])[:2]
        if word == "config":
            if lines:
                raise ScriptError(number, "config stands before the first action")
            config, configured = _config(config, rest, number), number
            continue
        read = _ACTIONS.get(word)
        if read is None:
            raise ScriptError(number, f"{word!r} is no script word; there are config, {', '.join(_ACTIONS)}")
        lines.append(
            Line(number, read(rest if word in ("scan", "lay") else _uncommented(rest), number, config.box.seats))
        )
    wrong = _together(config)
    if wrong is not None:
        raise ScriptError(configured, wrong)
    return Script(config, tuple(lines))


def _uncommented(rest: str) -> str:
    return re.sub(r"(^|\s)#.*", "", rest).strip()


# -- config


def _config(config: Config, rest: str, line: int) -> Config:
    words = _uncommented(rest).split()
    if len(words) != 2 or words[0] not in _CONFIG:
        raise ScriptError(line, f"expected config NAME VALUE; names: {', '.join(_CONFIG)}")
    name, value = words
    if name == PACE:
        return _pace(config, value, line)
    choices = _CONFIG[name]
    if value not in choices:
        raise ScriptError(line, f"config {name}: {value!r} is not one of {', '.join(choices)}")
    if name == "seats":
        return replace(config, box=replace(config.box, seats=int(value)))
    if name in ("ghost", "ghost_learns"):
        ghost = {"kind": value} if name == "ghost" else {"learns": value == "yes"}
        return replace(config, ghost=replace(config.ghost, **ghost))
    chosen: Any = value == "true" if name == "no_stars" else int(value) if name == "ghosts" else value
    return replace(config, game=replace(config.game, **{name: chosen}))


def _pace(config: Config, value: str, line: int) -> Config:
    """Of ghosts: any number within the settings' range."""
    pace = next(f.metadata for f in fields(GhostSettings) if f.name == "pace")
    number = float(value) if re.fullmatch(r"[0-9]+(\.[0-9]+)?|\.[0-9]+", value) else 0.0
    if not pace["low"] <= number <= pace["high"]:
        raise ScriptError(line, f"config {PACE}: {value!r} is no number from {pace['low']} to {pace['high']}")
    return replace(config, ghost=replace(config.ghost, pace=number))


def _together(config: Config) -> str | None:
    """What its config lines ask for and no box can give."""
    game, seats = config.game, config.box.seats
    if game.ghosts and game.blind == "at_end":
        return "ghosts do not play where the pile is shown at the end: config blind as_played, or no ghosts"
    if game.ghosts > seats - 1:
        return f"{game.ghosts} ghosts and a person are more than the box has seats: config seats {game.ghosts + 1}"
    return None


SLOWEST: float = next(f.metadata["high"] for f in fields(GhostSettings) if f.name == "pace")
PACE = "ghost_pace"
_CONFIG: dict[str, tuple[str, ...]] = {
    **{name: tuple(str(value).lower() for value in values) for name, values in CHOICES.items()},
    "seats": tuple(map(str, range(MIN_SEATS, MAX_SEATS + 1))),
    "ghost": tuple(map(str, Kind)),
    PACE: (),
    "ghost_learns": ("yes", "no"),
}


# -- actions


def _hands(rest: str, line: int, seats: int) -> Action:
    return Hands(tuple(_button(word, line, seats, star=False) for word in rest.split()))


def _buttons(what: str) -> Callable[[str, int, int], Action]:
    def read(rest: str, line: int, seats: int) -> Action:
        words = rest.split()
        if not words:
            raise ScriptError(line, f"{what} needs a button: a seat or star")
        return Buttons(what, tuple(_button(word, line, seats) for word in words))

    return read


def _hold(rest: str, line: int, seats: int) -> Action:
    words = rest.split()
    if len(words) != 2:
        raise ScriptError(line, "expected hold BUTTON SECONDS, e.g. hold star 2")
    return Hold(_button(words[0], line, seats), _seconds(words[1], line))


def _scan(rest: str, _line: int, _seats: int) -> Action:
    return ShowPayload(rest)


def _lay(rest: str, _line: int, _seats: int) -> Action:
    return Lay(rest)


def _take(whole: bool) -> Callable[[str, int, int], Action]:
    def read(rest: str, line: int, _seats: int) -> Action:
        if rest:
            raise ScriptError(line, f"{'clear' if whole else 'take'} stands alone")
        return Take(whole)

    return read


def _wait(rest: str, line: int, _seats: int) -> Action:
    return Wait(_seconds(rest, line))


def _menu(rest: str, line: int, _seats: int) -> Action:
    if rest not in MENU_ITEMS:
        raise ScriptError(line, f"{rest!r} is no menu item; there are {', '.join(MENU_ITEMS)}")
    return Choose(rest)


def _plug(plugged: bool) -> Callable[[str, int, int], Action]:
    def read(rest: str, line: int, seats: int) -> Action:
        device = " ".join(rest.split())
        known = (READER, *TABLE_SCREENS, *(f"seat-screen {n}" for n in range(1, seats + 1)))
        if device not in known:
            raise ScriptError(line, f"{device!r} is no device; there are {', '.join(known)}")
        return Plug(device, plugged)

    return read


def _restart(rest: str, line: int, _seats: int) -> Action:
    if rest:
        raise ScriptError(line, "restart stands alone")
    return Restart()


def _expect(rest: str, line: int, _seats: int) -> Action:
    name, value = ([*re.split(r"[ \t]+", rest, maxsplit=1), ""])[:2]
    read = FIELDS.get(name)
    if read is None:
        raise ScriptError(line, f"{name!r} is no field of the view; there are {', '.join(FIELDS)}")
    try:
        return Expect(name, read(value.split()))
    except ValueError as e:
        raise ScriptError(line, f"expect {name}: {e}") from None


def _button(word: str, line: int, seats: int, star: bool = True) -> int:
    if word == "star" and star:
        return STAR
    if re.fullmatch(r"[0-9]+", word) and 1 <= int(word) <= seats:
        return int(word)
    raise ScriptError(line, f"{word!r} is no button: the box has seats 1 to {seats}{' and star' if star else ''}")


def _seconds(word: str, line: int) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?|\.[0-9]+", word) or not float(word) <= 1e6:
        raise ScriptError(line, f"{word!r} is no number of seconds from 0 to 1000000")
    return float(word)


_ACTIONS: dict[str, Callable[[str, int, int], Action]] = {
    "hands": _hands,
    "down": _buttons("down"),
    "up": _buttons("up"),
    "tap": _buttons("tap"),
    "hold": _hold,
    "scan": _scan,
    "lay": _lay,
    "take": _take(False),
    "clear": _take(True),
    "wait": _wait,
    "menu": _menu,
    "unplug": _plug(False),
    "plug": _plug(True),
    "restart": _restart,
    "expect": _expect,
}
