"""From events to the evening: what is told, and what is not."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest

from mind_box.evening.figures import GameFigures
from mind_box.evening.telling import told
from mind_box.evening.told import GameTold
from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.game.state import Setup
from mind_box.journal.archive import summary
from mind_box.journal.journal import Journal
from mind_box.journal.stamps import Stamp, Timed
from mind_box.page.evenings.drawing import Disc, Text
from mind_box.page.evenings.pictures import level_picture
from mind_box.show.words import words_for
from mind_box.virtual.evenings import Players, played
from mind_box.virtual.scripts.replay import replay_text

KNOWN = "config hands known\nhands 1 2\nscan 10\nscan 20\n"


def of_script(text: str, folder: Path) -> GameTold:
    """The game that a table script plays, out of its journal."""
    assert replay_text(text, lambda _: None, folder) == 0
    journal = Journal.looking_on(folder / "journal.db")
    game = told(list(journal.table()), over=False)
    journal.close()
    assert game is not None
    return game


def test_a_level_with_its_cards_and_play_time(tmp_path: Path) -> None:
    game = of_script(KNOWN + "hands\nwait 1.9\nscan 10\nwait 0.5\nscan 20\n", tmp_path)
    (level,) = game.levels
    assert [(c.card, c.t, c.seat, c.how) for c in level.cards] == [(10, 2.0, 1, "laid"), (20, 2.5, 2, "laid")]
    assert (level.play, level.lives, level.stars, level.errors, level.stops) == (2.5, (2, 2), (1, 1), 0, 0)
    assert [(w.gap, w.seconds, w.outwaited) for w in level.waits] == [(10, 2.0, ((20, 1.0),))]
    assert (game.result, game.best, game.begun) == ("open", 1, None)


def test_a_stop_stands_time_still_and_its_wait_is_in_no_estimate(tmp_path: Path) -> None:
    game = of_script(KNOWN + "hands\nwait 0.9\ntap 1\nwait 30\nhands\nwait 0.9\nscan 10\nwait 1\nscan 20\n", tmp_path)
    (level,) = game.levels
    assert [c.t for c in level.cards] == [2.0, 3.0]
    assert (level.stops, level.waits) == (1, ())


def test_a_power_cut_loses_only_what_was_not_on_disk(tmp_path: Path) -> None:
    script = KNOWN + "hands\nwait 0.9\nscan 10\nwait 50\nrestart\nwait 5\nhands\nwait 0.9\nscan 20\n"
    (level,) = of_script(script, tmp_path).levels
    assert [c.t for c in level.cards] == [1.0, 2.0]
    assert [w.card for w in level.waits] == [10]


@pytest.mark.parametrize("cut", range(4))
@pytest.mark.parametrize(("then", "seen"), [("", 0.0), ("tap star", 0.0), ("tap 2", 0.3)], ids=["play", "vote", "stop"])
def test_after_a_power_cut_at_any_moment_of_a_level_play_time_goes_on_from_the_last_event(
    tmp_path: Path, cut: int, then: str, seen: float
) -> None:
    """0.3 s after the last card: a stop then is on disk with its moment, a vote is not; the next 40 s are nobody's."""
    cards = (10, 20, 30, 40)
    text = "config hands known\nhands 1 2 3 4\n" + "".join(f"scan {card}\n" for card in cards) + "hands\nwait 0.9\n"
    for i, card in enumerate(cards):
        if i == cut:
            text = text.removesuffix("wait 0.9\n").removesuffix("wait 1\n")
            text += f"wait {0.2 if i == 0 else 0.3}\n{then}\nwait 40\nrestart\nwait 5\nhands\nwait 0.9\n"
        text += f"scan {card}\nwait 1\n"
    (level,) = of_script(text, tmp_path).levels
    assert [card.card for card in level.cards] == list(cards)
    assert [card.t for card in level.cards] == pytest.approx([i + 1 + seen * (i >= cut) for i in range(4)])
    assert level.play == pytest.approx(4 + seen)
    assert [wait.card for wait in level.waits] == [card for i, card in enumerate(cards[:3]) if i != cut]


def test_what_was_undone_is_not_told(tmp_path: Path) -> None:
    """R36a."""
    script = KNOWN + "hands\nwait 0.9\nscan 20\nmenu undo\nhands\nwait 0.9\nscan 10\nscan 20\n"
    (level,) = of_script(script, tmp_path).levels
    assert [c.card for c in level.cards] == [10, 20]
    assert (level.marked, level.errors, level.slips, level.waits) == (True, 0, (), ())


def test_an_undo_into_the_level_before_takes_its_end_back(tmp_path: Path) -> None:
    script = "hands 1 2\nhands\nwait 0.9\nscan 10\nscan 20\nmenu undo\n"
    assert of_script(script, tmp_path / "a").levels == ()
    (level,) = of_script(script + "hands\nwait 0.9\nscan 21\n", tmp_path / "b").levels
    assert [c.card for c in level.cards] == [10, 21]
    assert level.marked


def test_a_level_under_way_is_never_told(tmp_path: Path) -> None:
    """R33, R36."""
    assert of_script(KNOWN + "hands\nwait 1\nscan 10\n", tmp_path).levels == ()


def test_a_game_left_in_mid_level_is_told_as_far_as_it_went() -> None:
    kept = played(Players((1, 2)), 3)
    game = told(kept[:20], over=True)
    assert game is not None and game.result == "left" and game.levels[-1].ending == "left"


def test_known_hands_an_error_with_what_a_star_would_have_done(tmp_path: Path) -> None:
    script = (
        "config hands known\nhands 1 2\nscan 10\nscan 40\nhands\nwait 1\nscan 10\nscan 40\n"
        "scan 30\nscan 31\nscan 33\nscan 90\nhands\nwait 2\nscan 31\n"
    )
    script += "hands\nwait 1\nscan 33\nscan 90\n"
    game = of_script(script, tmp_path)
    level = game.levels[1]
    (slip,) = level.slips
    assert (slip.early, slip.late, slip.paid) == (31, (30,), True)
    assert [c.how for c in level.cards] == ["laid", "aside", "laid", "laid"]
    saved = GameFigures(game).saved(level, slip)
    assert saved is not None and saved.chance == saved.with_star == 1.0 and saved.hardly, "one error cannot lose it"


def test_what_the_reader_cannot_tell_apart_came_together(tmp_path: Path) -> None:
    """R37."""
    game = of_script(KNOWN + "hands\nwait 1\nscan 10\nwait 0.04\nscan 20\n", tmp_path)
    for resolves, seconds in ((0.0, 0.04), (0.05, 0.0)):
        closest = GameFigures(dataclasses.replace(game, resolves=resolves)).closest(game.levels[0])
        assert closest is not None and closest.cards == (10, 20)
        assert closest.seconds == pytest.approx(seconds)


def test_unknown_hands_how_late_the_late_card_came(tmp_path: Path) -> None:
    (level,) = of_script("hands 1 2\nhands\nwait 1.9\nscan 20\nwait 0.3\nscan 10\n", tmp_path).levels
    assert [(c.card, c.how) for c in level.cards] == [(20, "laid"), (10, "late")]
    assert level.slips[0].apart == pytest.approx(0.3)


@pytest.mark.parametrize("known", ["known", "unknown"])
@pytest.mark.parametrize("variant", ["classic", "reverse", "fifty", "extreme"])
@pytest.mark.parametrize("seed", range(4))
def test_whole_evenings_are_told_as_the_rules_have_them(variant: str, known: str, seed: int) -> None:
    setup = Setup(variant=variant, hands=known)  # type: ignore[arg-type]
    kept = played(Players((1, 3, 4), w=0.2, stars=True), seed, setup)
    events = [timed.event for timed in kept]
    game = told(kept)
    assert game is not None
    whole = summary(events)
    assert (game.result, game.best) == (whole["result"], whole["level_completed"])
    for before, after in zip(game.levels, game.levels[1:], strict=False):
        assert (before.lives[1], before.stars[1]) == (after.lives[0], after.stars[0])
    errors = sum(isinstance(e, ev.Erred) and e.paid for e in events)
    assert sum(level.errors for level in game.levels) == errors
    for level in game.levels:
        turned = [card.card for card in level.cards]
        assert len(turned) == len(set(turned)) <= level.number * 3
        times = [card.t for card in level.cards if card.t is not None]
        assert times == sorted(times)
        figures = GameFigures(game)
        figures.closest(level), figures.hesitation(level), figures.riskiest(level)
        for slip in level.slips:
            figures.saved(level, slip)


# -- bad input


def shifted(kept: list[Timed], by: dict[int, int] | None = None, run: dict[int, str] | None = None) -> list[Timed]:
    """The same with some clocks wrong, from an event on."""
    out, more, name = [], 0, None
    for i, timed in enumerate(kept):
        more, name = (by or {}).get(i, more), (run or {}).get(i, name)
        assert timed.stamp is not None
        stamp = dataclasses.replace(timed.stamp, ms=timed.stamp.ms + more, run=name or timed.stamp.run)
        out.append(Timed(timed.event, stamp))
    return out


def test_a_clock_that_runs_backwards_tells_no_times_of_that_level() -> None:
    kept = played(Players((1, 2)), 1)
    game, whole = told(shifted(kept, by={6: -3_600_000})), told(kept)
    assert game is not None and whole is not None
    assert game.doubts == ("clock",)
    lying = [level for level in game.levels if level.play is None]
    assert len(lying) == 1 and all(card.t is None for card in lying[0].cards)
    assert [[c.card for c in level.cards] for level in game.levels] == [
        [c.card for c in level.cards] for level in whole.levels
    ]


def test_the_picture_of_a_level_without_times_shows_an_order_and_says_so() -> None:
    game = told(shifted(played(Players((1, 2)), 1), by={6: -3_600_000}))
    assert game is not None
    for level in game.levels:
        drawing = level_picture(GameFigures(game), level, words_for("en"))
        texts = {item.text for item in drawing.items if isinstance(item, Text)}
        assert ("seconds of play" in texts, "in this order; no times are known" in texts) == (
            level.play is not None,
            level.play is None,
        )
        if level.play is None:
            assert not any(text.startswith("dashed") for text in texts), "no tempo is drawn where none was seen"
            across = [item.at[0] for item in drawing.items if isinstance(item, Disc) and item.radius == 5]
            laid = [i for i, card in enumerate(level.cards) if card.how == "laid"]
            steps = [(b - a) / (j - i) for (i, a), (j, b) in pairwise(zip(laid, across, strict=True))]
            assert steps and steps == pytest.approx([steps[0]] * len(steps))
    assert sum(level.play is None for level in game.levels) == 1


def test_a_run_that_is_missing_tells_no_times_of_that_level() -> None:
    kept = played(Players((1, 2)), 1)
    laid = next(i for i, timed in enumerate(kept) if i > 12 and isinstance(timed.event, ev.Laid))
    game = told(shifted(kept, run={laid: "another"}))
    assert game is not None and game.doubts == ("clock",)
    assert sum(level.play is None for level in game.levels) == 1


def test_half_an_upgrade_tells_times_where_there_are_any() -> None:
    kept = played(Players((1, 2)), 1)
    half = [Timed(t.event) for t in kept[: len(kept) // 2]] + kept[len(kept) // 2 :]
    game, none = told(half), told([Timed(t.event) for t in kept])
    assert game is not None and none is not None
    assert game.doubts == ("times",)
    timed = [level.play is not None for level in game.levels]
    assert timed == sorted(timed) and timed[0] is False and timed[-1] is True
    assert none.doubts == () and all(level.play is None and not level.waits for level in none.levels)


@pytest.mark.parametrize("date", ["1970-01-01T00:00:12Z", "soon", "", "9999-99-99T99:99:99Z"])
def test_a_date_that_is_none_is_not_told(date: str) -> None:
    kept = [Timed(ev.Started((1, 2), {}, ()), Stamp("r", 5, None, date))]
    game = told(kept)
    assert game is not None and game.begun is None


def test_a_wall_clock_that_jumps_changes_no_figure() -> None:
    kept = played(Players((1, 2)), 1, date="2026-11-30T20:11:05Z")
    jumped = [
        Timed(t.event, dataclasses.replace(t.stamp, date="2037-01-01T00:00:00Z")) if t.stamp and i > 10 else t
        for i, t in enumerate(kept)
    ]
    game, same = told(kept), told(jumped)
    assert game == same and game is not None
    assert game.begun == "2026-11-30T20:11:05Z"


def test_a_clock_that_was_set_in_mid_game_tells_when_it_began() -> None:
    kept = [
        Timed(ev.Started((1, 2), {}, ()), Stamp("r", 1_000)),
        Timed(ev.Concentrated(), Stamp("r", 61_000, 0, "2026-11-30T20:12:05Z")),
    ]
    game = told(kept)
    assert game is not None and game.begun == "2026-11-30T20:11:05Z"


def test_events_without_a_start_are_no_game() -> None:
    assert told([]) is None
    assert told([Timed(ev.Configured("variant", "tens"))]) is None
    assert replay([]).phase == "lobby"
