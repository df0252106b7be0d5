"""Named sample Views, one for each screen there is: for `mind-box screens`, the golden pictures and the tests."""

from __future__ import annotations

from dataclasses import replace

from mind_box.game.figures import CORRECTIONS
from mind_box.game.state import Ended
from mind_box.table.facts import Fact
from mind_box.table.menu import LOBBY_ITEMS, SECOND_HOLD, Item
from mind_box.table.notices import Notice
from mind_box.table.view import GhostLaid, LastError, View

_THREE = View(seats=(1, 2, 3), level=2, last_level=10, lives=3, stars=1, remaining=6)
_FOUR = replace(_THREE, seats=(1, 2, 3, 4), level=3, last_level=8, lives=4, remaining=12)
_EIGHT = replace(_FOUR, seats=(1, 2, 3, 4, 5, 6, 7, 8), lives=5, level=8, remaining=64)

_PLAY = replace(_THREE, phase="play", piles=((7, 11, 35),), remaining=3)
_LEVEL = replace(_THREE, phase="focus", reason="level", waiting=(1, 2, 3))
_ENDED = Ended(1, (17, 28, 55), ())
_DONE = replace(_LEVEL, ended=_ENDED, notices=("level_complete",))
_STOP = replace(_PLAY, phase="focus", reason="stop", waiting=(1, 2, 3), notices=("stopped",))
_ERROR = replace(
    _STOP, reason="error", lives=2, errors=1, piles=((29,),), aside=(18,), remaining=4, notices=("error",),
    last_error=LastError(29, (18,), True),
)  # fmt: skip
_STAR = replace(_STOP, reason="star", stars=0, piles=((35,),), remaining=5, star_left=3, notices=("star_used",))
_DEAL = replace(
    _THREE, phase="deal", hands="known", remaining=2, next_seat=3, counts={1: 1, 2: 1, 3: 0},
    aside_by={1: (), 2: (), 3: ()}, waiting=(3,),
)  # fmt: skip
_DEAL_GHOST = replace(
    _DEAL, hands="unknown", ghosts=(2, 3), remaining=6, counts={2: 1, 3: 0}, aside_by={2: (), 3: ()}, waiting=(),
    unseen_at="slot",
)  # fmt: skip
_KNOWN = replace(_PLAY, hands="known", counts={1: 0, 2: 1, 3: 2}, aside_by={1: (), 2: (), 3: ()})
_EXTREME = replace(_PLAY, variant="extreme", piles=((4, 23), (98, 88)), remaining=7)
_BLIND = replace(_PLAY, blind=True, check="as_played", piles=((),), remaining=4)
_AT_END = replace(_BLIND, check="at_end", remaining=6)
_REVEAL = replace(_BLIND, phase="reveal", piles=((12, 40),), remaining=0)
_MENU = replace(_STOP, menu="undo", notices=("stopped",))
_GAME_ITEMS: tuple[Item, ...] = ("undo", "level-done", "all-hands", "count", *CORRECTIONS, *SECOND_HOLD)
_REFUSALS: tuple[Notice, ...] = (
    "unknown_card", "missed", "clear_tray",
    "not_in_deck", "already_on_pile", "already_aside", "not_dealt", "star_full", "no_star", "at_limit",
)  # fmt: skip

_FACTS = (
    Fact("slip", (100, 99), (10.4,)),
    Fact("star", (), (0.62, 0.78)),
    Fact("closest", (99, 100), (0.31,)),
    Fact("together", (99, 100)),
    Fact("hesitation", (100,), (58.2, 15.5)),
    Fact("risk", (100,), (0.39,)),
    Fact("tempo", (), (0.41, 0.36, 0.47)),
    Fact("spread", (), (0.14,)),
    Fact("play", (), (154.8,)),
)

SAMPLES: dict[str, View] = {
    "lobby": View(),
    "lobby-one-hand": View(hands_down=(2,), variant="reverse"),
    "lobby-three-hands": View(hands_down=(1, 2, 4), variant="fifty"),
    "lobby-six-hands": View(hands_down=(1, 2, 3, 4, 5, 6), variant="tens"),
    "lobby-options": View(variant="extreme", blind=True, check="as_played", no_stars=True, hands="known"),
    "lobby-too-few": View(notices=("too_few_players",)),
    "lobby-ghosts": View(hands_down=(2,), ghosts_to_come=2),
    "lobby-too-many": View(notices=("too_many_players",), ghosts_to_come=3),
    "lobby-not-covered": View(notices=("not_covered",)),
    "lobby-no-game": View(notices=("no_game",)),
    "lobby-deck-extreme": View(variant="extreme", notices=("deck_extreme",)),
    "lobby-deck-original": View(variant="extreme", notices=("deck_original",)),
    "lobby-sound-on": View(notices=("sound_on",)),
    "lobby-sound-off": View(notices=("sound_off",)),
    "stop-table-screen-lost": replace(_STOP, faults=("table-screen",), notices=("screen_lost",)),
    "lobby-screen-lost": View(faults=("seat-screen 2",), notices=("screen_lost",)),
    "deal": _DEAL,
    "deal-eight": replace(
        _EIGHT, phase="deal", hands="known", remaining=63, next_seat=8, waiting=(8,),
        counts=dict.fromkeys(range(1, 8), 8) | {8: 7}, aside_by=dict.fromkeys(range(1, 9), ()),
    ),
    "deal-after-star": replace(
        _DEAL, level=3, remaining=0, next_seat=1, counts={1: 0, 2: 0, 3: 0}, waiting=(1,), stars=2,
        ended=Ended(2, (7, 11, 35, 47, 81, 94), (), reward="star"), notices=("level_complete", "reward_star"),
    ),
    "deal-ghost": _DEAL_GHOST,
    "deal-ghost-antenna": replace(_DEAL_GHOST, unseen_at="antenna"),
    "deal-ghost-hood": replace(_DEAL_GHOST, unseen_at="hood"),
    "deal-already-dealt": replace(_DEAL, notices=("already_dealt",)),
    "deal-hand-full": replace(_DEAL, notices=("hand_full",)),
    "deal-nothing-to-take-back": replace(_DEAL, notices=("at_limit",)),
    "level-first": replace(_LEVEL, level=1, remaining=3),
    "level-one-hand": replace(_LEVEL, hands_down=(2,), waiting=(1, 3)),
    "level-lift": replace(_LEVEL, hands_down=(1, 2, 3), waiting=(1, 2, 3)),
    "level-done": _DONE,
    "level-done-star": replace(
        _DONE, level=3, stars=2, ended=Ended(2, (7, 11, 35, 47, 81, 94), (), reward="star"),
        notices=("level_complete", "reward_star"),
    ),
    "level-done-life": replace(
        _DONE, level=4, lives=4, ended=Ended(3, (50, 58, 61, 74, 79, 88, 91, 96, 100), (), reward="life"),
        notices=("level_complete", "reward_life"),
    ),
    "level-done-by-star": replace(
        _DONE, stars=0, ended=Ended(1, (), (42, 44, 46)), notices=("star_used", "level_complete")
    ),
    "level-done-error": replace(
        _DONE, lives=2, ended=Ended(1, (7, 51), (42,), 51, (42,), True), notices=("error", "level_complete")
    ),
    "level-done-error-star": replace(
        _DONE, level=3, lives=2, stars=2, ended=Ended(2, (7, 12, 34, 51, 66), (42,), 51, (42,), True, "star"),
        notices=("error", "level_complete", "reward_star"),
    ),
    "level-done-late": replace(
        _DONE, lives=2, ended=Ended(1, (51,), (18, 42), 51, (42,), False), notices=("late", "level_complete")
    ),
    "level-done-many-late": replace(
        _DONE, level=6, lives=2, hands="known", phase="deal", reason=None, next_seat=1, waiting=(1,), remaining=0,
        counts={1: 0, 2: 0, 3: 0}, aside_by={}, stars=2, notices=("error", "level_complete", "reward_star"),
        ended=Ended(5, (7, 8, 9, 10, 11, 12, 100), (18, 24, 26, 31, 47, 52, 66, 78), 100,
                    (18, 24, 26, 31, 47, 52, 66, 78), True, "star"),
    ),
    "level-done-extreme": replace(
        _DONE, variant="extreme", level=4, piles=((), ()), notices=("error", "level_complete", "reward_void"),
        lives=5, ended=Ended(3, ((4, 23, 31, 38, 44), (98, 88, 60)), (91,), 88, (91,), True, "void"),
    ),
    "level-done-house-rule": replace(
        _DONE, seats=(1, 2, 3, 4, 5, 6), waiting=(1, 2, 3, 4, 5, 6), variant="reverse", lives=5, last_level=8,
        ended=Ended(1, (99, 70, 61, 60, 12), (71,), 70, (71,), True), notices=("error", "level_complete"),
    ),
    "level-done-resumed": replace(_DONE, notices=("resumed",)),
    "level-done-void-life": replace(
        _DONE, level=7, lives=5, ended=replace(_ENDED, level=6, reward="void"),
        notices=("level_complete", "reward_void"),
    ),
    "level-done-void-star": replace(
        _DONE, level=9, stars=3, ended=replace(_ENDED, level=8, reward="void"),
        notices=("level_complete", "reward_void"),
    ),
    "level-done-no-stars": replace(
        _DONE, level=6, stars=0, no_stars=True, ended=replace(_ENDED, level=5, reward="void"),
        notices=("level_complete", "reward_void"),
    ),
    "level-house-rule": replace(_EIGHT, phase="focus", reason="level", waiting=_EIGHT.seats, variant="reverse"),
    "level-longest-rules": replace(
        _EIGHT, phase="focus", reason="level", waiting=_EIGHT.seats, variant="reverse", blind=True, check="at_end",
        no_stars=True, stars=0,
    ),
    "level-known": replace(_LEVEL, hands="known", counts={1: 2, 2: 2, 3: 2}, aside_by={1: (), 2: (), 3: ()}),
    "level-blind": replace(
        _LEVEL, blind=True, check="at_end", variant="extreme", no_stars=True, stars=0, piles=((), ())
    ),
    "play-start": replace(_PLAY, piles=((),), remaining=6),
    "play": _PLAY,
    "play-known": _KNOWN,
    "play-one-digit": replace(_PLAY, piles=((7,),)),
    "play-first": replace(_PLAY, level=1, piles=((),), remaining=3),
    "play-first-known": replace(_KNOWN, level=1, piles=((),), remaining=3, counts={1: 1, 2: 1, 3: 1}),
    "play-house-rule": replace(_EIGHT, phase="play", piles=((35,),)),
    "play-extreme-house-rule": replace(_EXTREME, seats=_EIGHT.seats, piles=((44,), (100,)), remaining=64),
    "play-widest": replace(_PLAY, piles=((44,),), remaining=24, lives=5, stars=3),
    "play-reverse": replace(_PLAY, variant="reverse", piles=((100,),)),
    "play-fifty": replace(_PLAY, variant="fifty", piles=((50, 49, 58),)),
    "play-ghost": replace(
        _PLAY, ghosts=(3,), counts={3: 1}, aside_by={3: ()}, ghost=GhostLaid(3, 35, 2), notices=("ghost_laid",)
    ),
    "play-ghost-widest": replace(
        _PLAY, ghosts=(2,), seats=(1, 2), level=12, last_level=12, piles=((44,),), remaining=23, counts={2: 11},
        aside_by={2: ()}, ghost=GhostLaid(2, 44, 12), notices=("ghost_laid",),
    ),
    "play-ghost-tens": replace(
        _PLAY, variant="tens", piles=((28,),), ten=20, ghosts=(3,), counts={3: 1}, aside_by={3: ()},
        ghost=GhostLaid(3, 28, 1), notices=("ghost_laid",),
    ),
    "play-ghost-extreme": replace(
        _EXTREME, ghosts=(3,), counts={3: 1}, aside_by={3: ()}, ghost=GhostLaid(3, 88, 2), notices=("ghost_laid",)
    ),
    "play-ghost-blind": replace(
        _BLIND, ghosts=(3,), counts={3: 1}, aside_by={3: ()}, ghost=GhostLaid(3, None, 2), notices=("ghost_laid",)
    ),
    "play-tens": replace(_PLAY, variant="tens", piles=((28,),), ten=30),
    "play-tens-start": replace(_PLAY, variant="tens", piles=((),), ten=0),
    "play-tens-hundred": replace(_PLAY, variant="tens", piles=((97, 100),), ten=100),
    "play-extreme": _EXTREME,
    "play-extreme-start": replace(_EXTREME, piles=((), ())),
    "play-extreme-hundred": replace(_EXTREME, piles=((44,), (100,)), remaining=14),
    "play-extreme-deck": replace(_EXTREME, piles=(("W7", "W44"), ("R50", "R31"))),
    "play-blind": _BLIND,
    "play-blind-at-end": _AT_END,
    "play-blind-star-off": replace(_AT_END, notices=("star_off",)),
    "play-unknown-card": replace(_PLAY, notices=("unknown_card",)),
    "play-extreme-unknown-card": replace(_EXTREME, piles=((23,), (100,)), notices=("unknown_card",)),
    "play-reader-lost": replace(_PLAY, faults=("reader",), notices=("reader_lost",)),
    "play-reader-setting": replace(_PLAY, faults=("reader-setting",), notices=("device_lost",)),
    "play-reader-back": replace(_PLAY, notices=("reader_back",)),
    "play-star-off": replace(_PLAY, notices=("star_off",)),
    "play-tens-no-star": replace(_PLAY, variant="tens", piles=((28,),), ten=30, stars=0, notices=("no_star",)),
    "stop": replace(_STOP, hands_down=(2,), waiting=(1, 3)),
    "stop-lift": replace(_STOP, hands_down=(1, 3), waiting=(1, 3), notices=()),
    "stop-at-start": replace(_STOP, piles=((),)),
    "stop-extreme": replace(_EXTREME, phase="focus", reason="stop", waiting=(1, 2, 3)),
    "stop-tens": replace(_STOP, variant="tens", ten=30),
    "stop-eight": replace(_EIGHT, phase="focus", reason="stop", piles=((7, 100),), hands_down=(1, 8), waiting=(2, 3)),
    "stop-blind": replace(_BLIND, phase="focus", reason="stop", waiting=(1, 2, 3)),
    "stop-undone": replace(_STOP, notices=("undone",)),
    "stop-corrected": replace(_STOP, notices=("corrected",)),
    "stop-paused": replace(_STOP, notices=("paused",)),
    "stop-journal-lost": replace(_STOP, faults=("journal",), notices=("journal_lost",)),
    "stop-saving": replace(_STOP, faults=("saving",)),
    "stop-buttons-lost": replace(_STOP, faults=("buttons",), notices=("device_lost",)),
    "stop-lamps-lost": replace(_STOP, faults=("lamps",), notices=("device_lost",)),
    "stop-screen-back": replace(_STOP, notices=("screen_back",)),
    "stop-device-back": replace(_STOP, notices=("device_back",)),
    "stop-journal-back": replace(_STOP, notices=("journal_back",)),
    "resume": replace(_STOP, reason="resume", notices=("resumed",)),
    "error": _ERROR,
    "error-hand-down": replace(_ERROR, hands_down=(2,), waiting=(1, 3), notices=()),
    "error-free": replace(
        _ERROR, aside=(18, 24), remaining=3, notices=("late",), last_error=LastError(29, (24,), False)
    ),
    "error-ghost": replace(
        _ERROR, ghosts=(3,), counts={3: 1}, aside_by={3: (18,)}, aside=(18, 24), ghost=GhostLaid(3, 29, 2),
        last_error=LastError(29, (18, 24), True), notices=("ghost_laid", "error"), waiting=(1, 2),
    ),
    "error-known": replace(
        _ERROR, hands="known", aside=(18, 24), remaining=3, last_error=LastError(29, (18, 24), True),
        counts={1: 1, 2: 1, 3: 1}, aside_by={1: (18,), 2: (24,), 3: ()},
    ),
    "error-many-aside": replace(
        _ERROR, hands="known", level=4, piles=((100,),), aside=(18, 24, 26, 31, 47, 52, 66, 78), remaining=3,
        last_error=LastError(100, (18, 24, 26, 31, 47, 52, 66, 78), True), counts={1: 0, 2: 0, 3: 3},
        aside_by={1: (18, 26, 47, 66), 2: (24, 31, 52), 3: (78,)},
    ),
    "error-reverse": replace(
        _ERROR, variant="reverse", piles=((60,),), aside=(71,), last_error=LastError(60, (71,), True)
    ),
    "error-fifty": replace(_ERROR, variant="fifty", aside=(52,), last_error=LastError(29, (52,), True)),
    "error-extreme": replace(
        _ERROR, variant="extreme", piles=((23,), (100, 77)), aside=(81,), last_error=LastError(77, (81,), True)
    ),
    "error-extreme-deck": replace(
        _ERROR, variant="extreme", piles=(("W23",), ("R44",)), aside=("R47",),
        last_error=LastError("R44", ("R47",), True),
    ),
    "vote": replace(_PLAY, phase="vote", agreed=(2,), waiting=(1, 3)),
    "vote-extreme": replace(_EXTREME, phase="vote", piles=((23,), (100,)), agreed=(1, 2), waiting=(3,)),
    "vote-extreme-paused": replace(
        _EXTREME, phase="vote", piles=((), ()), agreed=(1,), waiting=(2, 3), notices=("paused",)
    ),
    "vote-eight": replace(_EIGHT, phase="vote", piles=((35,),), agreed=(5,), waiting=(1, 2, 3, 4, 6, 7, 8)),
    "vote-blind": replace(_BLIND, phase="vote", waiting=(1, 2, 3)),
    "star": _STAR,
    "star-shown": replace(_STAR, aside=(42, 44, 46), remaining=2, star_left=0, notices=()),
    "star-known": replace(
        _STAR, hands="known", aside=(42, 44, 46), star_left=0, remaining=3, counts={1: 1, 2: 1, 3: 1},
        aside_by={1: (42,), 2: (44,), 3: (46,)},
    ),
    "star-undone": replace(_STAR, star_left=1, notices=("undone",)),
    "star-extreme-undone": replace(
        _STAR, variant="extreme", hands="known", piles=((23,), (88,)), aside=(31,), star_left=2, waiting=(2, 3),
        counts={1: 1, 2: 2, 3: 2}, aside_by={1: (31,), 2: (), 3: ()}, notices=("undone",),
    ),
    "star-reverse": replace(_STAR, variant="reverse"),
    "star-fifty": replace(_STAR, variant="fifty"),
    "star-extreme": replace(
        _STAR, variant="extreme", hands="known", piles=((23,), (88,)), aside=(31,), star_left=2, waiting=(2, 3),
        counts={1: 1, 2: 2, 3: 2}, aside_by={1: (31,), 2: (), 3: ()},
    ),
    "star-extreme-hands-first": replace(
        _STAR, variant="extreme", hands="known", piles=((23,), (88,)), star_left=2, waiting=(2, 3), notices=(),
        hands_down=(1, 2, 3), counts={1: 1, 2: 2, 3: 2}, aside_by={1: (31,), 2: (), 3: ()}, aside=(31,),
    ),
    "star-extreme-not-yours": replace(
        _STAR, variant="extreme", hands="known", piles=((23,), (88,)), waiting=(2, 3), notices=("not_your_choice",),
        counts={1: 1, 2: 2, 3: 2}, aside_by={1: (31,), 2: (), 3: ()}, aside=(31,), star_left=2,
    ),
    "star-extreme-paused": replace(
        _STAR, variant="extreme", hands="known", piles=((23,), (88,)), waiting=(2, 3), notices=("paused",),
        counts={1: 1, 2: 2, 3: 2}, aside_by={1: (31,), 2: (), 3: ()}, aside=(31,), star_left=2,
    ),
    "star-shows-error": replace(
        _STAR, lives=2, aside=(24,), star_left=2, last_error=LastError(35, (24,), True), notices=("error",)
    ),
    "check-as-played": replace(_REVEAL, piles=((12,),)),
    "check-error": replace(
        _REVEAL, lives=2, errors=1, aside=(20,), last_error=LastError(40, (20,), True), notices=("error",)
    ),
    "check-paused": replace(_REVEAL, notices=("paused",)),
    "check-at-end": replace(_REVEAL, check="at_end"),
    "check-at-end-extreme": replace(_REVEAL, check="at_end", variant="extreme", piles=((12, 40), (100,))),
    "won": replace(
        _FOUR, phase="won", level=8, stars=2, remaining=0, best=8, ended=Ended(8, (35, 47, 81, 94), (), reward="star"),
        piles=((35, 47, 81, 94),), notices=("level_complete", "reward_star", "game_won"),
    ),
    "won-not-with-ghosts": replace(
        _FOUR, phase="won", level=8, stars=2, remaining=0, best=8, ghosts=(4,), counts={4: 0}, aside_by={4: ()},
        notices=("not_with_ghosts",),
    ),
    "won-told": replace(
        _FOUR, phase="won", level=8, stars=2, remaining=0, best=8, ended=Ended(8, (35, 47, 81, 94), (), reward="star"),
        notices=("level_complete", "reward_star", "game_won"), told=(_FACTS[2],),
    ),
    "won-undone": replace(_FOUR, phase="won", level=8, stars=2, remaining=0, best=8, notices=("undone",)),
    "won-blind": replace(
        _FOUR, phase="won", level=8, blind=True, check="at_end", remaining=0, best=8, notices=("game_won",)
    ),
    "lost": replace(
        _ERROR, phase="lost", reason=None, level=7, lives=0, best=8, notices=("error", "game_lost"), waiting=(),
        ended=Ended(7, (29,), (18,), 29, (18,), True),
    ),
    "lost-told": replace(
        _ERROR, phase="lost", reason=None, level=7, lives=0, best=8, notices=("error", "game_lost"), waiting=(),
        told=_FACTS,
    ),
    "level-told": replace(_LEVEL, level=2, told=(_FACTS[4],), ended=Ended(1, (18, 34, 73), ())),
    "level-told-aside": replace(
        _EIGHT, phase="focus", reason="level", waiting=_EIGHT.seats, told=(_FACTS[4],),
        ended=Ended(7, (18, 34, 73), (5, 6)),
    ),
    "level-told-dealt": replace(
        _LEVEL, hands="known", counts={1: 2, 2: 2, 3: 2}, aside_by={1: (), 2: (), 3: ()}, told=(_FACTS[3],)
    ),
    **{f"story-{fact.kind}": replace(_LEVEL, told=_FACTS, story=i) for i, fact in enumerate(_FACTS)},
    "story-hardly": replace(_LEVEL, told=(Fact("star", (), (0.51, 0.52)),), story=0),
    "story-unknown-late": replace(_LEVEL, told=(Fact("slip", (100, 99)),), story=0),
    "story-nothing": View(story=0),
    "menu-story": replace(_LEVEL, menu="story"),
    "lost-no-game": replace(_FOUR, phase="lost", level=1, lives=0, notices=("no_game",)),
    "ask-level-done": replace(_STOP, asking="level-done", notices=(), hands_down=(1,), waiting=(2, 3)),
    "ask-level-done-lift": replace(_STOP, asking="level-done", notices=(), hands_down=(1, 3), waiting=(1, 3)),
    "ask-end-game": replace(_STOP, asking="end-game", notices=()),
    "ask-shut-down": View(asking="shut-down"),
    **{f"refused-{code}": replace(_STOP, notices=(code,)) for code in _REFUSALS},
    **{f"menu-{item}": replace(_MENU, menu=item) for item in _GAME_ITEMS},
    **{f"menu-{item}": View(menu=item) for item in (*LOBBY_ITEMS, "update") if item not in ("undo", "shut-down")},
    "menu-ghosts-two": View(menu="ghosts", ghosts_to_come=2),
    "menu-ghosts-none": View(menu="ghosts", ghosts_to_come=0),
    "menu-all-agree": replace(_MENU, menu="all-hands", notices=("all_agree",)),
    "menu-saving": View(menu="variant", faults=("saving",)),
    "menu-hands-known": View(menu="hands", hands="known"),
    "menu-stars-none": View(menu="stars", no_stars=True),
    "menu-blind-as-played": View(menu="blind", blind=True, check="as_played"),
    "menu-blind-at-end": View(menu="blind", blind=True, check="at_end"),
}  # fmt: skip
"""Every phase, reason, notice, menu item, question and fault of the View is in at least one of them."""
