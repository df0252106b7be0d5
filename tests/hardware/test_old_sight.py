"""What was wrong with the box of version 0.1: the sight-line test finds it, with the figures of its review.

Its screens lay under straight windows in a flat lid 3 mm thick, all pictures upright for seat 1.
"""

import math

import numpy as np
import pytest
import sight
from manifold3d import Manifold
from sight import Screen
from solids import FAR, Frame, box

LID = (67.0, 70.0)
"""Lower and upper side."""
TABLE = ((-22.0, 30.0), 0.0, (25.0, 14.0), (21.8, 10.9), (128, 64))
"""Where on the lid, turn, window, lit area, pixels: a 0.96 inch table screen."""
SEAT = ((-42.0, -81.0), 0.0, (25.0, 8.0), (22.4, 5.6), (128, 32))
"""A 0.91 inch seat screen, seat 1's; the others are the same turned by a quarter."""
Spec = tuple[tuple[float, float], float, tuple[float, float], tuple[float, float], tuple[int, int]]


def flat(spec: Spec) -> tuple[Screen, Manifold]:
    (x, y), turn, window, lit, pixels = spec
    low, high = LID
    lid = box(-100, -100, low, 100, 100, high)
    hole = box(-window[0] / 2, -window[1] / 2, low - FAR, window[0] / 2, window[1] / 2, high + FAR)
    frame = Frame((x, y, low), turn - 90, 0)
    return Screen("old", frame, lit, pixels), lid - hole.translate((x, y, 0))


def middle(azimuth: float) -> np.ndarray:
    """The one eye that the review looked from: 55 cm out, 43 cm up."""
    a = math.radians(azimuth)
    return np.array([550 * math.cos(a), 550 * math.sin(a), 430.0])


def share_of(screen: Screen, azimuth: float, lid: Manifold) -> float:
    return sight.hidden_share(screen, middle(azimuth)[None], [lid], 2)


@pytest.mark.parametrize(("azimuth", "share"), [(-90, 0.42), (180, 0.18), (90, 0.39), (0, 0.22)])
def test_table_screen_was_partly_hidden_from_every_seat(azimuth: float, share: float) -> None:
    screen, lid = flat(TABLE)
    assert share_of(screen, azimuth, lid) == pytest.approx(share, abs=0.02)


def test_seats_saw_a_strip_of_their_own_screens() -> None:
    screen, lid = flat(SEAT)
    assert share_of(screen, -90, lid) == pytest.approx(0.65, abs=0.02)


def test_even_without_glass_it_was_a_third_and_a_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sight, "GLASS", 0.01)
    screen, lid = flat(TABLE)
    shares = [share_of(screen, a, lid) for a in (-90, 180, 90, 0)]
    assert min(shares) == pytest.approx(0.12, abs=0.03) and max(shares) == pytest.approx(0.30, abs=0.03)
    screen, lid = flat(SEAT)
    assert share_of(screen, -90, lid) == pytest.approx(0.47, abs=0.04)


def test_picture_stood_on_its_head_across_the_table() -> None:
    screen, _ = flat(TABLE)
    assert sight.roll(screen.frame, middle(-90)) < 5
    assert sight.roll(screen.frame, middle(90)) > 175
    assert all(sight.roll(screen.frame, middle(a)) > 80 for a in (0, 180))


def test_lamp_over_the_table_was_mirrored() -> None:
    screen, _ = flat(TABLE)
    assert all(sight.glare(screen.frame, middle(a)) < 1600 for a in (-90, 0, 90, 180))


def test_letters_were_half_as_large_as_they_must_be() -> None:
    screen, _ = flat(TABLE)
    assert sight.arc_minutes(8 * screen.pitch, 600) == pytest.approx(7.8, abs=0.1)
