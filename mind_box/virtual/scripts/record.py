"""From a journal to a table script: the gestures that lead to the same game.

The journal holds what happened, not which finger did it when; so each move becomes the plainest gesture for it.
Which moves there were is found by asking the rules: a move fits when it brings about exactly the events that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.decide import Decision, decide
from mind_box.game.evolve import evolve
from mind_box.game.moves import Move
from mind_box.game.state import Game, Setup
from mind_box.journal.archive import event_of
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.table.payload import encode
from mind_box.table.viewing import Surroundings, view_of
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player
from mind_box.virtual.scripts.script import SLOWEST, parse_script

COMPARED = (
    "phase", "reason", "variant", "no_stars", "blind", "hands", "seats", "level", "last_level", "lives", "stars",
    "piles", "aside", "aside_by", "last_error", "remaining", "counts", "errors", "star_left", "next_seat", "ten",
)  # fmt: skip
"""The fields of the View that a replay has to bring back. Hands, votes, menus and notices are not journaled."""


class CannotRecord(Exception):
    """The events cannot be told as gestures. ``str()`` says which and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """A move, the game before it, and how many events it brought about."""

    move: Move
    before: Game
    events: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A table script, and the game that it leads to."""

    text: str
    game: Game
    left_out: bool
    """The level under way is not in it: it holds cards that nobody may read yet."""


def read_game(path: Path, number: int) -> list[Row]:
    """A game of a journal that another process may be writing: 1 is the oldest, -1 the newest ([]: none yet).

    Raises ``CannotRecord`` where there are not so many, and ``JournalError``.
    """
    journal = Journal.looking_on(path, load=False)
    try:
        with journal.past() as past:
            rows = past.game(number) if number else []
            if not rows and ((held := past.games()) or number != -1):
                raise CannotRecord(f"has no game {number}; it holds {held}")
            return rows
    finally:
        journal.close()


def events_of(rows: Iterable[Row]) -> list[ev.Event]:
    """The events of one game. Raises ``CannotRecord``."""
    events = []
    for row in rows:
        try:
            events.append(event_of(row))
        except ev.BadEvent as e:
            raise CannotRecord(f"row {row.seq} of this game cannot be understood: {e}") from e
    return events


def record(events: Sequence[ev.Event]) -> Recording:
    """One game as a table script; the first event is its ``Started``. Raises ``CannotRecord``.

    A level under way whose cards are known to the box, or lie face down, is left out (R33).
    """
    started = events[0] if events else None
    if not isinstance(started, ev.Started):
        raise CannotRecord("there is no game yet")
    while isinstance(events[-1], ev.Configured):  # the next game's choices; of another lobby, where games were imported
        events = events[:-1]
    whole = len(events)
    events = events[: _may_be_read(events)]
    lines = list(_settings(started))
    game = Game()
    for step in steps(events):
        lines += _GESTURES[type(step.move)](step.move, step.before)
    for event in events:
        game = evolve(game, event)
    left_out = len(events) < whole
    if left_out:
        lines.append("# The level under way is left out: its cards are not for everyone yet.")
    lines += _expectations(game)
    return Recording("\n".join(lines) + "\n", game, left_out)


def _may_be_read(events: Sequence[ev.Event]) -> int:
    """How many of the events may be read by everyone: all, or those before a level with hidden cards began."""
    game = Game()
    begins: dict[int, int] = {}
    cut = concealed = 0
    for i, event in enumerate(events, 1):
        level = game.level
        game = evolve(game, event)
        if game.phase in ("lobby", "won", "lost"):
            cut = i
        elif isinstance(event, ev.Started | ev.ChallengeBegan) or (
            isinstance(event, ev.LevelCompleted) and game.level != level
        ):
            begins[game.level] = cut = i
        elif game.level != level or cut > begins[game.level]:  # an undo went back into a level that was over
            cut = begins[game.level]
        if isinstance(event, ev.Dealt) or (game.check == "as_played" and isinstance(event, (ev.Laid, ev.TurnedUp))):
            concealed = i  # also when it was undone: then the card is in a hand again
    hidden = concealed > cut
    return cut if hidden and game.phase not in ("lobby", "won", "lost") else len(events)


def steps(events: Sequence[ev.Event]) -> Iterator[Step]:
    """The moves behind the events. Raises ``CannotRecord``."""
    game = Game()
    i = 0
    events = [event for event in events if not isinstance(event, ev.Learnt)]  # that follows from no gesture
    while i < len(events):
        first = events[i]
        if isinstance(first, ev.Started):  # it carries the lobby it came from
            persons = tuple(seat for seat in first.seats if seat not in first.ghosts)
            yield Step(mv.Start(persons), game, 1)
            game = evolve(game, first)
            i += 1
            continue
        for move in _CANDIDATES.get(type(first), _none)(first):
            decision = decide(game, move)
            if isinstance(decision, Decision) and decision.events == list(events[i : i + len(decision.events)]):
                break
        else:
            raise CannotRecord(f"event {i + 1} ({type(first).__name__}) follows from no gesture by these rules")
        yield Step(move, game, len(decision.events))
        game = decision.game
        i += len(decision.events)


def _none(_: ev.Event) -> tuple[Move, ...]:
    return ()


_CANDIDATES: dict[type[ev.Event], Callable[..., tuple[Move, ...]]] = {
    ev.Configured: lambda e: (mv.Configure(e.name, e.value),),
    ev.SeatChosen: lambda e: (mv.ChooseSeat(e.seat),),
    ev.Dealt: lambda e: (mv.ShowCard(e.card),),
    ev.TakenBack: lambda _: (mv.TakeBack(),),
    ev.Concentrated: lambda _: (mv.Concentrate(),),
    ev.Stopped: lambda e: (mv.Stop(e.by_press),),
    ev.Resumed: lambda _: (mv.Resume(),),
    ev.Laid: lambda e: (mv.GhostLays(e.card) if e.by_ghost else mv.ShowCard(e.card),),
    ev.TurnedUp: lambda e: (mv.ShowCard(e.card),),
    ev.StarUsed: lambda _: (mv.UseStar(),),
    ev.Revealed: lambda e: (mv.CheckNext(), mv.ShowCard(e.card)),
    ev.Declared: lambda _: (mv.DeclareDone(),),
    ev.Corrected: lambda e: (mv.Correct(e.what),),
    ev.Counted: lambda _: (mv.CountFromHere(),),
    ev.Undone: lambda _: (mv.Undo(),),
    ev.ChallengeUndone: lambda _: (mv.Undo(),),
    ev.ChallengeBegan: lambda _: (mv.Challenge(),),
    ev.Left: lambda _: (mv.Leave(),),
}
"""The moves that an event may be the first consequence of."""


# -- gestures


def _settings(started: ev.Started) -> Iterator[str]:
    setup = dict(started.setup)
    seats = max(started.seats)
    if seats > 4:
        yield f"config seats {seats}"
    plain = asdict(Setup())
    for name, standard in plain.items():
        value = setup.get(name, standard)
        if value != standard:
            yield f"config {name} {str(value).lower() if isinstance(value, bool) else value}"
    if started.ghosts:  # their moments are the evening's, told by scans: they wait until then
        yield from ("config ghost steady", "config ghost_learns no", f"config ghost_pace {SLOWEST:g}")


def _start(move: mv.Start, _: Game) -> list[str]:
    return ["hands " + " ".join(map(str, move.seats))]


def _show(move: mv.ShowCard, _: Game) -> list[str]:
    return [f"scan {encode(move.card)}"]


def _ghost_lays(move: mv.GhostLays, game: Game) -> list[str]:
    """Shown as if a person had been too quick for it; when the persons hold no card, it lies by itself."""
    return [] if game.persons_hold < 1 else [f"scan {encode(move.card)}"]


def _stop(move: mv.Stop, game: Game) -> list[str]:
    seat = game.persons[0]
    return [f"tap {seat}"] if move.by_press else ["hold star 2", f"tap {seat}"]


def _use_star(_: mv.UseStar, game: Game) -> list[str]:
    return ["tap star", "tap " + " ".join(map(str, game.persons))]


def _check_next(_: mv.CheckNext, game: Game) -> list[str]:
    """The check runs by itself, a card each 0.8 s; the first wait is longer, so that it never ends on the beat."""
    begun = any(game.piles) or game.last_error is not None
    return ["wait 0.8" if begun else "wait 0.9"]


def _leave(_: mv.Leave, game: Game) -> list[str]:
    return ["tap star"] if game.phase in ("won", "lost") else ["menu end-game", "hold star 2"]


def _configure(move: mv.Configure, _: Game) -> list[str]:
    return [f"menu {'stars' if move.name == 'no_stars' else move.name}"]


_GESTURES: dict[type, Callable[..., list[str]]] = {
    mv.Configure: _configure,
    mv.Start: _start,
    mv.ChooseSeat: lambda move, _: [f"tap {move.seat}"],
    mv.ShowCard: _show,
    mv.GhostLays: _ghost_lays,
    mv.Concentrate: lambda *_: ["hands"],
    mv.Stop: _stop,
    mv.Resume: lambda *_: ["restart"],
    mv.UseStar: _use_star,
    mv.CheckNext: _check_next,
    mv.DeclareDone: lambda *_: ["menu level-done", "hands"],
    mv.Correct: lambda move, _: [f"menu {move.what}"],
    mv.CountFromHere: lambda *_: ["menu count"],
    mv.TakeBack: lambda *_: ["tap star"],
    mv.Undo: lambda *_: ["menu undo"],
    mv.Challenge: lambda *_: ["hands"],
    mv.Leave: _leave,
}


def _expectations(game: Game) -> list[str]:
    """Where the game stands at the end, so that a replay tells when it came out otherwise."""
    view = view_of(game, Surroundings())
    lines = [f"expect phase {view.phase}"]
    if view.phase == "focus":
        lines.append(f"expect reason {view.reason}")
    if view.phase != "lobby":
        lines += [f"expect level {view.level}", f"expect lives {view.lives}", f"expect stars {view.stars}"]
        for name, pile in zip(("pile", "pile2"), view.piles, strict=False):
            lines.append(" ".join(["expect", name, *map(str, pile)]))
        lines.append(" ".join(["expect aside", *map(str, view.aside)]))
    return lines


def comes_out_the_same(recording: Recording) -> bool:
    """Plays the script in virtual time: whether it leads to the recorded game, and every expectation in it holds.

    One case is known where it does not: a menu that was used while the blind check ran by itself.
    """

    async def main() -> bool:
        player = Player(parse_script(recording.text), lambda _: None)
        failures = await player.play()
        wanted = view_of(recording.game, Surroundings())
        return not failures and all(getattr(wanted, n) == getattr(player.referee.view, n) for n in COMPARED)

    return run_virtual(main())
