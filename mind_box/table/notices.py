"""Notices: the codes that tell what an input brought about, in the order of docs/table.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from mind_box.game import events as ev
from mind_box.game.moves import Refused

_Ranked = Literal[
    "star_off", "ghost_laid", "late", "error", "star_used", "stopped", "corrected", "undone", "level_complete",
    "reward_star", "reward_life", "reward_void", "game_won", "game_lost",
]  # fmt: skip
Notice = Literal[
    _Ranked, Refused, "unknown_card", "missed", "clear_tray",
    "not_covered", "all_agree", "resumed", "deck_original", "deck_extreme", "sound_on", "sound_off",
    "reader_lost", "screen_lost", "journal_lost", "device_lost",
    "reader_back", "screen_back", "journal_back", "device_back",
]  # fmt: skip

_RANKS: Mapping[Notice, int] = {code: rank for rank, code in enumerate(get_args(_Ranked))}
_REWARDS: Mapping[str | None, list[Notice]] = {
    "star": ["reward_star"], "life": ["reward_life"], "void": ["reward_void"], None: [],
}  # fmt: skip
_SCREEN: tuple[Notice, Notice] = ("screen_lost", "screen_back")
_DEVICES: Mapping[str, tuple[Notice, Notice]] = {
    "reader": ("reader_lost", "reader_back"),
    "table-screen": _SCREEN,
    "seat-screen": _SCREEN,
    "journal": ("journal_lost", "journal_back"),
}
"""What is not here is a ``device``."""


def notices_of(events: Iterable[ev.Event]) -> list[Notice]:
    """The codes of what these events mean to the players."""
    codes: list[Notice] = []
    for event in events:
        match event:
            case ev.Configured("deck", deck):  # nothing else of the View tells it
                codes.append("deck_extreme" if deck == "extreme" else "deck_original")
            case ev.Laid(by_ghost=True):
                codes.append("ghost_laid")
            case ev.Stopped():
                codes.append("stopped")
            case ev.Erred(paid=paid):
                codes.append("error" if paid else "late")
            case ev.StarUsed():
                codes.append("star_used")
            case ev.LevelCompleted(reward=reward):
                codes += ["level_complete", *_REWARDS[reward]]
            case ev.Won():
                codes.append("game_won")
            case ev.Lost():
                codes.append("game_lost")
            case ev.Corrected() | ev.Counted():
                codes.append("corrected")
            case ev.Undone() | ev.ChallengeUndone() | ev.TakenBack():
                codes.append("undone")
    return codes


def in_order(codes: Iterable[Notice]) -> tuple[Notice, ...]:
    """The codes, each once, in the order they are told in; a refusal comes last."""
    return tuple(sorted(dict.fromkeys(codes), key=lambda code: _RANKS.get(code, len(_RANKS))))


def device_notice(device: str, lost: bool) -> Notice:
    """The code for a device that stopped answering, or answers again."""
    kind = device.partition(" ")[0]
    stopped, answers = _DEVICES.get(kind, ("device_lost", "device_back"))
    return stopped if lost else answers
