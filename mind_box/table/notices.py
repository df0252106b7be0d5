"""Notices: the codes that tell what an input brought about, in the order of docs/table.md."""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.game import events as ev

_ORDER = (
    "star_off", "late", "error", "star_used", "stopped", "corrected", "undone", "level_complete", "reward_star",
    "reward_life", "reward_void", "game_won", "game_lost",
)  # fmt: skip


def notices_of(events: Iterable[ev.Event]) -> list[str]:
    """The codes of what these events mean to the players."""
    codes: list[str] = []
    for event in events:
        match event:
            case ev.Configured(name="deck", value=deck):
                codes.append(f"deck_{deck}")  # nothing else of the View tells it
            case ev.Stopped():
                codes.append("stopped")
            case ev.Erred(paid=paid):
                codes.append("error" if paid else "late")
            case ev.StarUsed():
                codes.append("star_used")
            case ev.LevelCompleted(reward=reward):
                codes.append("level_complete")
                if reward is not None:
                    codes.append(f"reward_{reward}")
            case ev.Won():
                codes.append("game_won")
            case ev.Lost():
                codes.append("game_lost")
            case ev.Corrected() | ev.Counted():
                codes.append("corrected")
            case ev.Undone() | ev.ChallengeUndone() | ev.TakenBack():
                codes.append("undone")
    return codes


def in_order(codes: Iterable[str]) -> tuple[str, ...]:
    """The codes, each once, in the order they are told in; a refusal comes last."""
    unique = dict.fromkeys(codes)
    return tuple(sorted(unique, key=lambda code: _ORDER.index(code) if code in _ORDER else len(_ORDER)))


def device_notice(device: str) -> str:
    """The code's stem for a device: ``reader``, ``screen``, ``journal`` or ``device``."""
    if device.endswith("screen") or "screen " in device:
        return "screen"
    return device if device in ("reader", "journal") else "device"
