"""The short form of `make club-campaign`: real processes, killed at random."""

from __future__ import annotations

import pytest

from tests.club.campaign import run


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_each_result_arrives_once_whoever_is_killed(kind: str) -> None:
    assert run(kind, results=30, boxes=3, kills=6, pause=0.3, seed=5, say=print) == 30
