"""Ghosts at the table (R38-R44): when they lay, what they learn, and that nothing tells what they plan."""

from __future__ import annotations

import json
import logging
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game import events as ev
from mind_box.game.cards import VARIANTS, Card, order_of
from mind_box.game.evolve import replay
from mind_box.game.state import Ghosts
from mind_box.ghost import Estimate
from mind_box.page.happened import LevelStory
from mind_box.page.message import table_message
from mind_box.settings.loading import ConfigError, parse
from mind_box.show.lamps import lamps
from mind_box.show.pictures import seat_picture, table_picture
from mind_box.show.sentences import saying
from mind_box.show.sounds import tune_for
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR, Edge
from mind_box.table.over_tray import OverTray
from mind_box.table.view import View
from mind_box.table.with_ghosts import Haunt
from mind_box.virtual.scripts.replay import replay_text
from mind_box.virtual.scripts.script import ScriptError, parse_script
from tests.table.gestures import AWAY, Gestures

CLOCK = Ghosts("steady", learn=False)
"""0.5 s and 0.7 s a number, whatever happens."""


class Seance(Gestures):
    """With ghosts of one kind."""

    def __init__(self, ghosts: int = 1, minds: Ghosts = CLOCK, haunt: Haunt | None = None, **setup: Any) -> None:
        super().__init__(ghosts=ghosts, **setup)
        self.haunt = haunt or Haunt(seats=8, minds=minds)
        self.table = OverTray(self.lobby, away=AWAY, now=0.0, haunt=self.haunt)
        self.events = []
        self._took(self.table.begin())

    def cut_power(self) -> None:
        game = replay(self.events, self.lobby)
        self.table = OverTray(game, away=AWAY, now=self.now, haunt=self.haunt)
        self._took(self.table.begin())

    def dealt(self, *cards: Card, persons: tuple[int, ...] = (1,)) -> Seance:
        """A game of these persons whose ghosts are dealt these cards, up to the moment at which it begins."""
        self.hands(*persons)
        for card in cards:
            self.scan(card)
        assert self.view.phase == "focus"
        return self.lift()

    def lift(self) -> Seance:
        """All hands down and up: play begins, as soon as that is certain."""
        self.down(*self.view.persons)
        self.wait(1.0)
        self.up(*self.view.persons)
        self.lifted = self.now
        return self

    def until_laid(self, most: float = 300.0) -> float:
        """Seconds from the lift on after which a ghost lays."""
        before = self.view.remaining
        end = self.now + most
        while self.view.remaining == before and self.now < end:
            due = self.table.deadline
            self.wait(max(min(due if due is not None else end, end) - self.now, 0.0) + 1e-4)
        return self.now - self.lifted


# -- when


@pytest.mark.parametrize(
    ("cards", "setup", "seconds"),
    [
        ((40,), {}, 28.5),
        ((1,), {}, 1.2),
        ((90,), {"variant": "reverse"}, 8.2),
        ((57,), {"variant": "fifty"}, 5.4),
        ((43,), {"variant": "fifty"}, 5.4),
        ((50,), {"variant": "fifty"}, 0.5),
        ((90,), {"variant": "extreme"}, 8.2),
        ((40,), {"blind": "as_played"}, 28.5),
    ],
)
def test_r43_a_card_is_due_by_its_gap(cards: tuple[Card, ...], setup: dict[str, Any], seconds: float) -> None:
    assert Seance(**setup).dealt(*cards).until_laid() == pytest.approx(seconds, abs=2e-4)


@pytest.mark.parametrize(
    ("variant", "cards", "first"),
    [
        ("classic", (41, 40), 40),
        ("fifty", (52, 48), 48),  # the same gap: the smaller number
        ("extreme", (80, 21), 21),  # 21 from both starts: the up pile
        ("extreme", (81, 21), 81),
    ],
)
def test_r43_of_two_ghosts_the_earlier_lays_and_of_equal_ones_up_then_the_smaller(
    variant: str, cards: tuple[Card, ...], first: Card
) -> None:
    table = Seance(ghosts=2, variant=variant).dealt(*cards)
    table.until_laid()
    assert table.view.ghost is not None and table.view.ghost.card == first
    assert table.view.remaining == 2
    at = table.now
    table.until_laid()  # the other has planned anew from that card on
    assert table.now - at >= 0.5


def test_r43_the_wait_begins_with_the_last_card_or_the_lift() -> None:
    table = Seance().dealt(40, persons=(1, 2))
    table.wait(5.0)
    table.scan(10)
    assert table.until_laid() == pytest.approx(5.0 + 0.5 + 0.7 * 30, abs=2e-4)


def test_r43_a_lift_counts_from_its_edge_and_not_from_when_it_was_believed() -> None:
    table = Seance().dealt(1)
    assert table.view.phase == "focus"  # not debounced yet
    assert table.until_laid() == pytest.approx(1.2, abs=2e-4)


@pytest.mark.parametrize("late", [-0.0004, 0.0, 0.0004])
def test_r43_an_input_of_a_person_at_that_millisecond_goes_first(late: float) -> None:
    table = Seance().dealt(40, persons=(1, 2))
    table.wait(28.4)
    table.now = table.lifted + 28.5 + late
    table.scan(39)
    assert table.view.piles == ((39,),) and table.view.errors == 0


def test_r43_a_card_shown_a_millisecond_later_comes_after_it() -> None:
    """And is late, as it would be behind anybody's card."""
    table = Seance().dealt(40, persons=(1, 2))
    table.wait(28.4)
    table.now = table.lifted + 28.502
    table.scan(39)
    assert table.view.piles == ((40,),) and table.view.last_error is not None
    assert (table.view.last_error.early, table.view.last_error.aside) == (40, (39,))


def test_r43_nothing_is_laid_while_an_edge_is_debounced() -> None:
    """A press 10 ms before the moment stops the game; a spike only holds it up."""
    table = Seance().dealt(40, persons=(1, 2))
    table.wait(28.49)
    table.down(1)
    table.wait(0.1)
    assert table.view.reason == "stop" and table.view.piles == ((),)

    spike = Seance().dealt(40, persons=(1, 2))
    spike.wait(28.49)
    spike.down(STAR)
    spike.wait(0.02)
    assert spike.view.piles == ((),)
    spike.up(STAR)
    spike.wait(0.0)
    assert spike.view.piles == ((40,),)


def test_r43_all_that_is_left_lies_in_order_each_a_step_of_its_own() -> None:
    table = Seance(ghosts=3, variant="extreme").dealt(70, 30, 90)
    table.wait(0.1)
    table.scan(10)
    table.wait(0.0)
    laid = [e.card for e in table.events if isinstance(e, ev.Laid)]
    assert laid == [10, 30, 90, 70] and table.view.level == 2
    assert table.view.notices == ("ghost_laid", "level_complete")
    assert table.view.ghost is not None and table.view.ghost.card == 70
    table.menu("undo")
    assert table.view.piles == ((10, 30), (90,)) and table.view.counts == {2: 1, 3: 0, 4: 0}


def test_r43_after_every_concentration_and_after_undo_it_waits_anew() -> None:
    """With new noise each time, also when the power was off: what was due is forgotten."""
    table = Seance(minds=Ghosts("dreamy", learn=False)).dealt(40, persons=(1, 2))
    waits = [table.until_laid()]
    for again in ("undo", "stop", "power", "undo"):
        if again == "stop":
            table.menu("undo")
            table.hands()
            table.wait(2.0)
            table.tap(1)
        elif again == "power":
            table.cut_power()
            assert table.view.ghost is not None  # it lay before
            table.menu("undo")
        else:
            table.menu("undo")
        waits.append(table.lift().until_laid())
        assert table.view.piles == ((40,),)
    assert len({round(wait, 2) for wait in waits}) == len(waits)
    assert all(15 < wait < 50 for wait in waits)


def test_r43_an_evening_replays_to_the_millisecond_from_its_inputs() -> None:
    def evening(seed: int) -> list[tuple[float, Any]]:
        table = Seance(ghosts=2, minds=Ghosts("dreamy"))
        table.wait(random.Random(seed).random())
        table.dealt(60, 30, persons=(1, 3))
        return [(table.until_laid(), table.view.ghost) for _ in range(2)]

    assert evening(3) == evening(3)
    assert evening(3)[0][0] != evening(4)[0][0]


# -- what they learn


def paced(minds: Ghosts, pace: float, cards: int = 14, **setup: Any) -> Seance:
    """A person lays by this pace, beginning with level 1; the ghost holds high cards."""
    table = Seance(minds=minds, **setup)
    ghost = iter(range(100, 0, -1))
    table.hands(1, 2)
    laid = 0
    while laid < cards and table.view.phase != "lost":
        for _ in range(table.view.level):
            table.scan(next(ghost))
        table.hands()
        gaps = [6, 9, 7, 11] * 3
        top = 0
        for gap in gaps[: table.view.level]:
            table.wait(0.5 + pace * gap)
            top += gap
            table.scan(top)
            laid += 1
        table.menu("level-done")
        table.hands()
    return table


def test_r43_it_learns_the_persons_pace_and_keeps_it_for_the_next_game() -> None:
    table = paced(Ghosts("steady"), 0.3)
    learnt = table.table.game.learnt[1, 2]
    m, *_ = learnt
    assert Estimate(m).pace == pytest.approx(0.3, rel=0.08)
    table.menu("end-game")
    table.hold(2.0, STAR)
    assert table.view.phase == "lobby"
    table.cut_power()
    table.hands(1, 2)
    assert table.table.game.learnt[1, 2] == learnt
    other = table.table.game.persons
    assert other == (1, 2)
    assert replay([event for event in table.events if isinstance(event, ev.Started)]).learnt == {(1, 2): learnt}


def test_r43_what_is_fixed_learns_nothing_nor_does_anybody_from_a_ghost_or_a_wait_that_was_stopped() -> None:
    assert paced(CLOCK, 0.3).table.game.learnt == {}
    table = Seance(ghosts=2, minds=Ghosts("steady")).dealt(20, 90)
    table.until_laid()
    assert table.table.game.learnt == {}
    stopped = Seance(minds=Ghosts("steady")).dealt(90, persons=(1, 2))
    stopped.tap(1)
    stopped.hands()
    stopped.wait(3.0)
    stopped.scan(20)
    assert stopped.table.game.learnt == {}


def test_r43_what_was_undone_is_forgotten() -> None:
    table = Seance(minds=Ghosts("steady")).dealt(90, persons=(1, 2))
    table.wait(3.0)
    table.scan(20)
    assert set(table.table.game.learnt) == {(1, 2)}
    table.menu("undo")
    assert table.table.game.learnt == {}


# -- at the box


def test_r39_a_reader_without_a_covered_place_has_no_ghosts_and_says_why() -> None:
    table = Seance(ghosts=0, haunt=Haunt(unseen_at=None))
    assert table.view.ghosts_to_come is None
    table.menu("ghosts")
    assert table.view.notices == ("not_covered",) and table.table.game.setup.ghosts == 0
    left = Seance(ghosts=2, haunt=Haunt(unseen_at=None))  # of a time when it had one
    left.hands(1)
    assert (left.view.phase, left.view.notices) == ("lobby", ("not_covered",))
    left.menu("ghosts")
    assert left.table.game.setup.ghosts == 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[game]\nghosts = 2\n[[reader]]\nkind = "serial"\ncovered = false\n', "covered"),
        ('[game]\nghosts = 1\nblind = "at_end"\n', "as_played"),
        ("[game]\nghosts = 4\n", "from 0 to 3"),
        ('[ghost]\nkind = "quick"\n', "steady, human, dreamy"),
        ("[ghost]\npace = 0\n", "from 0.05"),
    ],
)
def test_r39_the_settings_say_what_does_not_go_together(text: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "config ghosts 2\nconfig blind at_end",
        "config blind at_end\nconfig ghosts 1\nhands 1",
        "config ghosts 4",
        "config ghosts -1",
        "config ghost quick",
        "config ghost_pace 0",
        "config ghost_pace fast",
        "config ghost_learns maybe",
    ],
)
def test_r43a_a_script_that_asks_for_what_is_not_is_none(text: str) -> None:
    with pytest.raises(ScriptError):
        parse_script(text)


NFC = '[[reader]]\nkind = "pn532"\ndevice = "/dev/nfc"\n'
TRAY = '[[reader]]\nplace = "tray"\n'
OPEN = "[[reader]]\ncovered = false\n"


@pytest.mark.parametrize(
    ("readers", "place", "said"),
    [
        (NFC, "antenna", "Face down on the reader"),
        ("", "slot", "Unseen into the slot"),
        (TRAY, "hood", "Unseen into the hood"),
        (OPEN + NFC, "antenna", "Face down on the reader"),
        (OPEN, None, "Unseen to the reader"),
    ],
)
def test_r39_who_deals_to_a_ghost_is_told_where_the_reader_takes_a_card_unseen(
    readers: str, place: str | None, said: str
) -> None:
    haunt = Haunt.of(parse(readers))
    assert haunt.unseen_at == place
    table = Seance(haunt=Haunt(seats=8))
    assert table.view.unseen_at is None
    table.hands(1, 2)
    table.table._haunt = haunt  # noqa: SLF001 -- a game that was begun goes on, whatever its reader has become
    assert (table.view.next_seat, table.view.unseen_at) == (3, place)
    assert saying(table.view, words_for("en")).what == said
    table.scan(10)
    assert (table.view.phase, table.view.unseen_at) == ("focus", None)


def test_r39_a_person_s_own_card_needs_no_place_of_that_kind() -> None:
    table = Seance(hands="known")
    table.hands(1, 2)
    assert (table.view.next_seat, table.view.unseen_at) == (1, None)
    table.scan(10)
    table.scan(20)
    assert (table.view.next_seat, table.view.unseen_at) == (3, "slot")


def test_the_readers_own_figure_is_where_a_learning_ghost_begins() -> None:
    """And 0.5 s exactly is where one stays that does not learn."""
    tray = parse('[[reader]]\nplace = "tray"\n')
    assert Haunt.of(tray).minds.reaction == 0.5
    slot = parse('[ghost]\nkind = "steady"\n')
    assert Haunt.of(slot).minds.reaction == slot.reader[0].handling > 0.5
    fixed = parse('[ghost]\nkind = "steady"\nlearns = false\n')
    assert Haunt.of(fixed).minds == Ghosts("steady", False, 0, 0.7, 0.5)


# -- what nobody sees (R33, R44)


def everything(table: Seance, before: View) -> dict[str, Any]:
    """All that comes of the View: lamps, screens, sound, page."""
    view, story = table.view, LevelStory()
    story.tell(before)
    words = words_for("en")
    return {
        "view": view.to_json(),
        "lamps": repr(lamps(view)),
        "screens": [table_picture(view, words).tobytes(), table_picture(view, words, (64, 128)).tobytes()]
        + [seat_picture(view, seat, words).tobytes() for seat in (1, 2, 3)],
        "tune": tune_for(before, view),
        "page": json.dumps(table_message(view, story.tell(view), "en", None)),
    }


@pytest.mark.parametrize("hands", ["unknown", "known"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_r44_two_ghosts_whose_cards_differ_look_the_same_until_the_first_is_laid(variant: str, hands: str) -> None:
    """No beat: byte by byte, and nothing at all changes between a plan and its card."""
    order = order_of(variant)
    cards = order.sorted(list(order.key))
    one_pile = [card for card in cards if order.pile_of[card] == 0]
    seen = []
    for last in (-1, -20):
        table = Seance(minds=Ghosts("human"), variant=variant, hands=hands)
        shown = []
        before = table.view
        table.hands(1)
        persons = one_pile[:1] if hands == "known" else []
        for card in (*persons, one_pile[last]):
            table.scan(card)
            shown.append(everything(table, before))
            before = table.view
        table.hands()
        assert table.view.phase == "play"
        shown.append(everything(table, before))
        before, messages = table.view, 0
        for _ in range(20):
            table.wait(0.25)
            if table.view.ghost is None:
                shown.append(everything(table, before))
                messages += table.view != before
                before = table.view
        assert messages == 0
        table.tap(STAR)
        table.tap(STAR)
        shown.append(everything(table, before))
        ten = {"ten": None} if variant == "tens" else {}  # with known hands it is a help on purpose (R21)
        seen.append([{**look, "view": look["view"] | ten} if ten else look for look in shown])
        table.wait(200.0)
        assert table.view.ghost is not None or table.view.level == 2  # it does lay
    if variant == "tens" and hands == "known":
        assert [look["lamps"] for look in seen[0]] == [look["lamps"] for look in seen[1]]
    else:
        assert seen[0] == seen[1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(VARIANTS), st.sampled_from(("no", "as_played")))
def test_r33_what_a_ghost_holds_is_in_no_view_page_or_message(seed: int, variant: str, blind: str) -> None:
    """A number that is in no place where it may be seen stands in nothing that can be read."""
    rng = random.Random(seed)
    table = Seance(ghosts=2, minds=Ghosts("dreamy"), variant=variant, blind=blind)
    table.hands(1, 2)
    story = LevelStory()
    for _ in range(30):
        game = table.table.game
        match rng.randrange(7):
            case 0 | 1:
                table.scan(rng.choice(sorted(game.order.key, key=str)))
            case 2:
                table.hands()
            case 3:
                table.wait(rng.uniform(0, 20))
            case 4:
                table.tap(STAR)
            case 5:
                table.try_menu(rng.choice(["undo", "level-done", "life-up"]))
            case 6:
                table.tap(rng.randint(1, 4))
        game, view = table.table.game, table.view
        hidden = {card for hand in game.of_ghosts(game.hands).values() for card in hand}
        hidden |= {turn.card for turn in game.face_down if not turn.star}
        shown: set[Any] = {card for pile in view.piles for card in pile} | set(view.aside)
        shown |= {view.ghost.card} if view.ghost else set()
        if view.ended is not None:
            shown |= {card for pile in view.ended.piles for card in pile} | set(view.ended.aside)
        shown |= {view.ended.early} if view.ended else set()
        seen = _cards_of(view.to_json())
        assert not (seen - shown) & hidden
        said = json.dumps([table_message(view, story.tell(view), "en", None)["story"]])
        assert all(
            f" {card}" not in said.replace(":", "") for card in hidden - shown if int(str(card).strip("WR")) > 12
        )


def _cards_of(plain: dict[str, Any]) -> set[Any]:
    """All that a View's fields for cards hold."""
    cards: set[Any] = set(plain["aside"]) | {card for pile in plain["piles"] for card in pile}
    for some in (plain["aside_by"] or {}).values():
        cards |= set(some)
    if plain["ghost"]:
        cards.add(plain["ghost"]["card"])
    if plain["last_error"]:
        cards |= {plain["last_error"]["early"], *plain["last_error"]["aside"]}
    return cards


def test_r33_nor_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = "config ghosts 2\nhands 1\nscan 7319\nscan 73\nscan 79\nhands\nwait 3\nscan 999\ntap 1\nrestart\nwait 1"
    replay_text(script, lambda _: None)
    assert "73" not in caplog.text.replace("7319", "") and "79" not in caplog.text


def test_a_ghost_is_given_what_all_see_and_its_own_hand() -> None:
    """By type: what ``plan`` takes of the table is a View, in which no hand is."""
    import inspect

    from mind_box.ghost import Seen, plan

    assert {name for name in vars(Seen) if not name.startswith("_")} <= set(View.__dataclass_fields__)
    assert list(inspect.signature(plan).parameters) == [
        "seen", "hand", "estimate", "kind", "since", "seed", "seat", "count",
    ]  # fmt: skip


def test_an_edge_of_a_button_in_doubt_holds_it_up_too() -> None:
    table = Seance().dealt(40, persons=(1, 2))
    table.wait(28.49)
    table.table.reread(2, True, table.now)  # seen down, and no edge has told it
    table.wait(0.02)
    assert table.view.piles == ((),)
    table.put(Edge(2, True, table.now - 0.015))
    table.wait(2.0)
    assert table.view.reason == "stop"
