"""A quarter of an hour of play in a moment: nothing is opened and not closed, and nothing grows game by game."""

from __future__ import annotations

from pathlib import Path

from mind_box.virtual.scripts.clock import run_virtual
from tests.service.soak import soak


def test_nothing_grows(tmp_path: Path) -> None:
    """`make soak`: eight hours, where memory is judged too."""
    samples = run_virtual(soak(tmp_path, 0.32, 4, lambda _: None))
    first, last = samples[1], samples[-1]  # by then the caches of words and pictures have been filled
    assert last.games - first.games > 20
    assert (first.files, first.threads) == (last.files, last.threads)
    per_game = (last.objects - first.objects) / (last.games - first.games)
    assert per_game < 25, f"{per_game:.1f} objects stay with each game"
