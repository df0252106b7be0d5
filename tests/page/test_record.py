"""Any game becomes a table script that leads to the same game; what must not be read yet is not in it."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.decide import decide
from mind_box.game.figures import CORRECTIONS
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game, Setup
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row, games_of
from mind_box.table.view import View
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.record import CannotRecord, comes_out_the_same, events_of, read_game, record
from mind_box.virtual.scripts.replay import Player
from mind_box.virtual.scripts.script import parse_script

SCRIPTS = Path(__file__).parents[1] / "scripts"


class Evening:
    """Somebody plays at random, and not always wisely."""

    def __init__(self, setup: Setup, seats: tuple[int, ...], seed: int) -> None:
        self.game = Game(setup=setup)
        self.events: list[ev.Event] = []
        self.rng = random.Random(seed)
        self.do(mv.Start(seats))

    def do(self, move: Move) -> None:
        decision = decide(self.game, move)
        if not isinstance(decision, Refusal):
            self.events += decision.events
            self.game = decision.game

    def card(self) -> mv.ShowCard:
        hands = [c for hand in self.game.hands.values() for c in hand]
        gone = {c for pile in self.game.piles for c in pile} | self.game.aside
        deck = [c for c in self.game.order.place if c not in gone]
        if self.game.known and self.game.phase != "deal":
            deck = sorted(hands, key=self.game.order.place.__getitem__)[:3] or deck
        return mv.ShowCard(self.rng.choice(deck))

    def any_of(self, *moves: Move) -> None:
        self.do(self.rng.choice(moves))

    def step(self) -> None:
        rng, game = self.rng, self.game
        odd = rng.random()
        if game.phase == "reveal" and game.check == "as_played":
            self.do(mv.CheckNext())
        elif odd < 0.05:
            self.do(mv.Undo())
        elif odd < 0.08:
            self.do(mv.Correct(rng.choice(tuple(CORRECTIONS))))
        elif game.phase == "deal":
            self.any_of(*[self.card()] * 4, mv.TakeBack(), mv.ChooseSeat(rng.choice(game.seats)))
        elif game.phase == "focus":
            if odd < 0.09:
                self.do(mv.DeclareDone())
            elif odd < 0.1:
                self.do(mv.CountFromHere())
            self.any_of(mv.Concentrate(), mv.Concentrate(), self.card(), mv.UseStar())
        elif game.phase == "play":
            odd_moves: list[Move] = [mv.Stop(True), mv.Stop(False), mv.Resume(), mv.UseStar()]
            odd_move = rng.choice(odd_moves)
            self.do(odd_move if odd < 0.15 else self.card())
        elif game.phase == "reveal":
            self.do(self.card())
        elif game.phase == "won":
            self.any_of(mv.Challenge(), mv.Undo())
        elif game.phase == "lost":
            self.any_of(mv.Leave(), mv.Undo())
        elif game.phase == "lobby":
            self.do(mv.Undo())

    def play(self, steps: int) -> None:
        for _ in range(steps):
            self.step()


def played(text: str) -> tuple[View, list[Row]]:
    """Where a script comes out, and the rows it leaves; every expectation in it has to hold."""

    async def main() -> tuple[View, list[Row]]:
        failures: list[object] = []
        script = parse_script(text)
        player = Player(script, failures.append)
        for line in script.lines:
            await player.act(line.number, line.action)
        assert not player.failures, f"{failures}\n{text}"
        return player.view, list(player.referee.journal.rows())

    return run_virtual(main())


SETUPS = [
    Setup(),
    Setup(hands="known"),
    Setup(variant="reverse", no_stars=True),
    Setup(variant="fifty", hands="known"),
    Setup(variant="tens"),
    Setup(variant="extreme", deck="extreme", hands="known"),
    Setup(variant="extreme"),
    Setup(blind="as_played"),
    Setup(blind="as_played", hands="known"),
    Setup(blind="at_end", variant="reverse"),
    Setup(challenge="as_played"),
]


@pytest.mark.parametrize("setup", SETUPS, ids=lambda s: f"{s.variant}-{s.hands}-{s.blind}")
@pytest.mark.parametrize("seats", [(1, 3), (1, 2, 3, 4, 5)], ids=len)
def test_random_evenings_come_out_the_same(setup: Setup, seats: tuple[int, ...]) -> None:
    for seed in range(2):
        evening = Evening(setup, seats, seed)
        evening.play(110)
        recording = record(evening.events)
        assert comes_out_the_same(recording), recording.text


@pytest.mark.parametrize(
    "path", sorted([*SCRIPTS.glob("*.table"), *SCRIPTS.glob("ghosts/*.table")]), ids=lambda p: p.stem
)
def test_the_games_of_the_acceptance_scripts_come_out_the_same(path: Path) -> None:
    for rows in games_of(played(path.read_text("utf-8"))[1]):
        if not rows[0].start:
            continue
        recording = record(events_of(rows))
        assert comes_out_the_same(recording), recording.text


@pytest.mark.parametrize("setup", [Setup(hands="known"), Setup(blind="as_played")], ids=["known", "blind"])
def test_a_level_under_way_is_left_out_where_cards_are_hidden(setup: Setup) -> None:
    for seed in range(30):
        evening = Evening(setup, (1, 2), seed)
        evening.play(60)
        game = evening.game
        recording = record(evening.events)
        hidden = {c for hand in game.hands.values() for c in hand} | {t.card for t in game.face_down if not t.star}
        if game.phase in ("lobby", "won", "lost") or not hidden:
            continue
        assert recording.left_out
        assert recording.game.level == game.level
        assert not any(recording.game.hands.values()) and not any(recording.game.piles)


def test_after_an_undo_into_a_level_that_was_over_that_level_is_left_out() -> None:
    evening = Evening(Setup(hands="known"), (1, 2), 1)
    for move in (mv.ShowCard(10), mv.ShowCard(20), mv.Concentrate(), mv.ShowCard(10), mv.ShowCard(20)):
        evening.do(move)
    assert evening.game.level == 2
    evening.do(mv.Undo())
    assert evening.game.level == 1 and evening.game.hands[2] == (20,)
    assert "20" not in record(evening.events).text.split("expect")[0]


def test_a_card_laid_face_down_that_is_back_in_a_hand_is_left_out() -> None:
    evening = Evening(Setup(blind="as_played"), (1, 2), 1)
    move: Move
    for move in (mv.Concentrate(), mv.ShowCard(42), mv.Undo()):
        evening.do(move)
    recording = record(evening.events)
    assert recording.left_out and "MB1:042" not in recording.text
    for move in (mv.Concentrate(), mv.ShowCard(50), mv.ShowCard(60), mv.CheckNext(), mv.CheckNext()):
        evening.do(move)
    assert evening.game.level == 2, "the check is over: all may be read"
    recording = record(evening.events)
    assert not recording.left_out and "MB1:042" in recording.text


def test_counted_hands_are_public_and_told_to_the_last_card() -> None:
    evening = Evening(Setup(), (1, 2), 1)
    for move in (mv.Concentrate(), mv.ShowCard(10)):
        evening.do(move)
    recording = record(evening.events)
    assert not recording.left_out and "MB1:010" in recording.text


def test_without_a_game_there_is_nothing_to_record() -> None:
    with pytest.raises(CannotRecord, match="no game"):
        record([ev.Configured("variant", "tens")])


def test_events_that_no_gesture_brings_about_are_refused_by_number() -> None:
    evening = Evening(Setup(), (1, 2), 1)
    with pytest.raises(CannotRecord, match=r"event 2 \(Won\)"):
        record([*evening.events, ev.Won()])


def test_the_journal_on_disk_is_read_while_another_writes(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    first, second = Evening(Setup(), (1, 2), 1), Evening(Setup(variant="tens"), (1, 2, 3), 2)
    first.play(20)
    second.play(20)
    journal.append([ev.Configured("variant", "tens"), *first.events, *second.events])
    assert [events_of(read_game(path, number)) for number in (1, 2)] == [first.events, second.events]
    journal.append([ev.Undone()])
    assert events_of(read_game(path, -1))[-1] == ev.Undone()
    journal.close()


def test_a_bad_row_spoils_its_own_game_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    journal.append([ev.Configured("variant", "tens"), *(3 * Evening(Setup(), (1, 2), 1).events)])
    journal.append([ev.Concentrated()])
    journal.close()
    db = sqlite3.connect(path)
    db.execute("UPDATE event SET body = '{' WHERE seq = 1")
    db.execute("UPDATE event SET body = replace(body, '[1,2]', '[1,3]') WHERE seq = 2")
    db.commit()
    db.close()
    assert record(events_of(read_game(path, -1))).game.phase == "play"
    with pytest.raises(CannotRecord, match="row 2 of this game cannot be understood: it is not what was written"):
        events_of(read_game(path, 1))


@pytest.mark.parametrize("damage", [b"", b"\x55" * 3000], ids=["empty", "damaged"])
def test_a_journal_that_cannot_be_read_is_said(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    journal.append(Evening(Setup(), (1, 2), 1).events * 100)
    journal.close()
    path.write_bytes(damage and path.read_bytes()[:2048] + damage)
    with pytest.raises(JournalError, match=r"journal\.db: cannot be read"):
        read_game(path, -1)


def test_the_choices_in_the_lobby_after_a_game_are_not_told() -> None:
    """An import puts a game before the choices of another journal's lobby: no menu leads from the one to the other."""
    evening = Evening(Setup(variant="fifty"), (1, 2), 1)
    for move in (mv.Leave(), mv.Configure("variant", "reverse")):
        evening.do(move)
    recording = record(evening.events)
    assert "menu variant" not in recording.text
    assert comes_out_the_same(recording), recording.text
