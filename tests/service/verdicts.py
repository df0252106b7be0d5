"""The doctor's verdicts, in short."""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.doctor.verdict import NOTE, OK, WRONG, Verdict


def said(verdicts: Iterable[Verdict]) -> list[tuple[str, str, str]]:
    return [(v.state, v.what, v.cure) for v in verdicts]


def worst(verdicts: Iterable[Verdict]) -> str:
    states = [v.state for v in verdicts]
    return next((s for s in (WRONG, NOTE, OK) if s in states), OK)
