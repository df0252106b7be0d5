"""What happened, in words: from one View to the next, in four languages, and nothing that a View does not hold."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from mind_box.game.state import Ended
from mind_box.page.happened import LevelStory, happened
from mind_box.page.seats import seat_rows
from mind_box.page.spoken import (
    LOCALE,
    NEWS,
    labels,
    page_words,
    shown_todo,
    spoken_news,
    spoken_state,
    spoken_todo,
)
from mind_box.show.menu_words import QUESTIONS
from mind_box.show.sentences import MENU
from mind_box.show.words import LANGUAGES, words_for
from mind_box.table.view import GhostLaid, LastError, View
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player
from mind_box.virtual.scripts.script import parse_script
from tests.show.make_messages import spoken_on_pages

PLAY = View(phase="play", seats=(1, 2, 3), level=2, last_level=10, lives=3, stars=1, remaining=6)


def views_of(script: str) -> list[View]:
    """Every View that is shown while a script is played."""

    async def main() -> list[View]:
        views: list[View] = []
        player = Player(parse_script(script), lambda _: None)
        views.append(player.view)
        player.referee.listeners.append(views.append)
        await player.play()
        return views

    return run_virtual(main())


def story_of(script: str) -> list[str]:
    """All that is told while a script is played."""
    story = LevelStory()
    return [line for view in views_of(script) for line in spoken_news(story.tell(view))]


def test_example_5_is_told_as_it_happened() -> None:
    told = story_of("""
        hands 1 2 3
        hands
        scan 4
        scan 5
        scan 6
        hands
        scan 29
        scan 18
        scan 24
        hands
        tap 1
        hands
        scan 70
        scan 81
        scan 96
    """)
    assert told == [
        "4 laid.", "5 laid.", "6 laid.", "Level 1 done.",
        "29 laid.", "Error: 29 was too early, a life is lost. Aside: 18.",
        "Late: 24 aside. 29 has been paid for already.", "Stop.", "70 laid.", "81 laid.",
        "96 laid.", "Level 2 done.", "A star is won.",
    ]  # fmt: skip


def test_a_star_and_an_undo_are_told() -> None:
    told = story_of("""
        hands 1 2
        hands
        scan 4
        scan 5
        hands
        tap star
        tap 1 2
        scan 8
        menu undo
    """)
    assert told[-5:] == ["5 laid.", "Level 1 done.", "A star is used.", "Aside: 8.", "Taken back."]


def test_an_error_with_the_levels_last_card_is_told_although_the_view_is_the_next_levels() -> None:
    assert story_of("hands 1 2\nhands\nscan 50\nscan 20")[-2:] == [
        "Error: 50 was too early, a life is lost. Aside: 20.", "Level 1 done.",
    ]  # fmt: skip


def test_what_ended_a_level_is_said_until_a_hand_goes_down() -> None:
    script = "hands 1 2\nhands\nscan 51\nscan 42"
    assert spoken_state(views_of(script)[-1]) == (
        "Level 2 of 12. 1 life, 1 star. The finished pile: 51. Aside: 42. 42 after 51: a life is lost."
    )
    assert spoken_state(views_of(script + "\ndown 2\nwait 1")[-1]).endswith("The pile is empty. 4 cards in hands.")


def test_a_loss_is_told_after_the_error_that_brought_it() -> None:
    told = story_of("hands 1 2\nhands\nscan 50\nscan 20\nhands\nscan 30\nscan 10")
    assert told[-2:] == ["Error: 30 was too early, a life is lost. Aside: 10.", "The game is lost."]


def test_blind_cards_are_told_without_their_numbers() -> None:
    told = story_of("config blind as_played\nhands 1 2\nhands\nscan 50")
    assert told == ["A card laid face down."]


def test_a_level_begins_a_new_story() -> None:
    story = LevelStory()
    for view in views_of("hands 1 2\nhands\nscan 4\nscan 5\nhands\nscan 9"):
        story.tell(view)
    assert spoken_news(story.entries) == ["5 laid.", "Level 1 done.", "9 laid."]


def test_the_same_view_again_tells_nothing() -> None:
    for view in views_of("hands 1 2\nhands\nscan 50\nscan 20"):
        assert happened(view, view) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_can_be_said_in_every_language(language: str) -> None:
    rng = random.Random(1)
    error = LastError(29, (18, 24), True)
    for phase in ("lobby", "deal", "focus", "play", "vote", "reveal", "won", "lost"):
        for _ in range(30):
            view = replace(
                PLAY,
                phase=phase,
                reason=rng.choice(["level", "stop", "error", "star", "resume"]) if phase == "focus" else None,
                piles=rng.choice([((),), ((7, 29),), (("W7",), ("R44", "R31"))]),
                last_error=error if rng.random() < 0.5 else None,
                next_seat=2 if phase == "deal" else None,
                counts={1: 1, 2: 0, 3: 0} if phase == "deal" else None,
                lives=rng.randrange(6),
                stars=rng.randrange(4),
                ended=rng.choice([None, Ended(1, (7, 51), (42,), 51, (42,), rng.random() < 0.5, "star")]),
            )
            said = spoken_state(view, language) + spoken_todo(view, language)
            assert "{" not in said and not set(said) & set("★♥▲▼±")
    codes = {"card": 5, "cards": [1, 2], "early": 9, "level": 3, "seat": 2, "place": 1}
    for code in NEWS:
        assert "{" not in spoken_news([{"code": code, **codes}], language)[0]
    assert all(labels(language).values())


@pytest.mark.parametrize("language", [x for x in LANGUAGES if x != "en"])
def test_the_catalogues_are_complete_and_compiled(language: str) -> None:
    from babel.messages.pofile import read_po

    with (LOCALE / language / "LC_MESSAGES" / "page.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    messages = {message.id for message in catalogue if message.id}
    assert messages == set(spoken_on_pages())
    words = page_words(language)
    for message in catalogue:
        if not message.id:
            continue
        singular = message.id if isinstance(message.id, str) else message.id[0]
        translated = message.string if isinstance(message.string, str) else (message.string or ("",))[0]
        assert translated, f"{singular} is not translated"
        spoken = (
            words.say(singular)
            if isinstance(message.id, str)
            else words.many(message.id[0], message.id[1], 1).replace("1", "{n}")
        )
        assert spoken == translated, "make messages has not been run"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_and_its_questions_are_told_as_the_screen_shows_them(language: str) -> None:
    words = words_for(language)
    for item in MENU:
        said = spoken_todo(replace(PLAY, phase="focus", reason="stop", menu=item), language)
        assert words.say(MENU[item]).split(" ")[0] in said and len(said) > 60, said
    for question in QUESTIONS:
        said = spoken_todo(replace(PLAY, phase="focus", reason="stop", asking=question), language)
        assert said.startswith(words.say(QUESTIONS[question])) and not set(said) & set("★♥▲▼±"), said


def test_signs_are_words_for_a_voice_only() -> None:
    won = replace(PLAY, phase="won")
    assert shown_todo(won).endswith("★: back to the lobby") and spoken_todo(won).endswith("star: back to the lobby")


def test_the_error_is_told_before_what_it_brought() -> None:
    before = replace(PLAY, piles=((12,),), lives=1)
    error = LastError(12, (7,), True)
    after = replace(before, phase="lost", lives=0, aside=(7,), last_error=error, notices=("error", "game_lost"))
    assert [entry["code"] for entry in happened(before, after)] == ["error", "game_lost"]


def test_that_play_has_begun_is_said_and_stays_the_same_while_cards_are_laid() -> None:
    assert spoken_todo(PLAY).startswith("Play is on") and spoken_todo(PLAY) == spoken_todo(replace(PLAY, remaining=2))
    assert shown_todo(PLAY) == ""


def test_a_view_survives_the_way_through_json() -> None:
    known = "config hands known\nhands 1 2\nscan 4\nscan 9\nhands\nscan 9"
    for script in ("hands 1 2\nhands\nscan 50\nscan 20", known):
        for view in views_of(script):
            assert View.from_json(view.to_json()) == view


@pytest.mark.parametrize(
    "spoilt",
    [
        {"phase": None}, {"level": "2"}, {"blind": 1}, {"seats": 3}, {"seats": [1, None]}, {"piles": [7]}, {"new": 1},
        {"counts": [1]}, {"counts": {"one": 1}}, {"last_error": {"early": 29}}, {"aside": None},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_view_is_refused(spoilt: dict[str, object]) -> None:
    plain = PLAY.to_json()
    with pytest.raises(ValueError, match="View of this version"):
        View.from_json({**plain, **spoilt})
    del plain["ten"]
    with pytest.raises(ValueError, match="View of this version"):
        View.from_json(plain)


def test_a_ghosts_card_is_told_with_its_place_in_the_row() -> None:
    """R40; blind only the place. Who sits there is no hand that could be missing."""
    play = View(phase="play", seats=(1, 2, 3), ghosts=(3,), level=2, last_level=10, lives=3, piles=((7,),), remaining=5)
    laid = replace(play, piles=((7, 42),), remaining=4, ghost=GhostLaid(3, 42, 2), notices=("ghost_laid",))
    assert spoken_news(happened(play, laid)) == ["Seat 3, a ghost, lays 42: card 2 of its row."]
    assert "Seat 3: 42" in spoken_todo(laid) and "Card 2 of its row" in spoken_todo(laid)
    after = replace(laid, piles=((7, 42, 50),), remaining=3, ghost=None, notices=())
    assert spoken_news(happened(laid, after)) == ["50 laid."]
    blind = replace(play, blind=True, check="as_played", piles=((),))
    down = replace(blind, remaining=4, ghost=GhostLaid(3, None, 2), notices=("ghost_laid",))
    assert spoken_news(happened(blind, down)) == ["Seat 3, a ghost, lays card 2 of its row face down."]
    stop = replace(laid, phase="focus", reason="stop", waiting=(1, 2), ghost=None)
    assert [row["state"] for row in seat_rows(stop)] == ["hand", "hand", "ghost"]
    deal = replace(play, phase="deal", next_seat=3, counts={3: 0}, aside_by={})
    assert [row["state"] for row in seat_rows(deal)] == ["", "", "next"]
