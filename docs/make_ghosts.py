"""Draws the curves of the page of ghosts from the ghosts themselves: ``python -m docs.make_ghosts``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from pathlib import Path
from random import Random

from mind_box.ghost import Estimate, Kind
from mind_box.page.evenings.drawing import Drawing, svg
from mind_box.page.evenings.pictures import Scale

PICTURES = Path(__file__).parent / "ghosts"
WIDTH, HEIGHT = 760.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 96.0, 52.0, 52.0
ROLES = {Kind.STEADY: "seat1", Kind.HUMAN: "seat3", Kind.DREAMY: "seat2"}
PERSONS, CARDS = 400, 60
GOALS = {
    2: {0.02: 99.9, 0.05: 99.1, 0.08: 94.7, 0.10: 86.7, 0.125: 71.0, 0.15: 52.5, 0.20: 21.1, 0.25: 6.7, 0.30: 1.5},
    3: {0.02: 100.0, 0.05: 99.9, 0.08: 96.3, 0.10: 87.7, 0.125: 66.6, 0.15: 44.2, 0.20: 11.7, 0.25: 2.1, 0.30: 0.3},
    4: {0.02: 100.0, 0.05: 100.0, 0.08: 98.8, 0.10: 94.3, 0.125: 78.5, 0.15: 55.7, 0.20: 18.7, 0.25: 3.9, 0.30: 0.5},
}
"""By players and Weber fraction: games of 100 that equals win, in a model of the game without a box."""


def frame(title: str, right: str, up: str, across: Scale, upwards: Scale, ticks: tuple[int, int] = (6, 5)) -> Drawing:
    """An empty picture with its axes."""
    drawing = Drawing(WIDTH, HEIGHT, title)
    drawing.text((LEFT, 24), title, size=16, bold=True)
    drawing.text((LEFT - 40, TOP - 10), up, "soft")
    drawing.text((WIDTH - RIGHT, HEIGHT - 12), right, "soft", align="end")
    for value in across.ticks(ticks[0]):
        drawing.line([(across(value), TOP), (across(value), HEIGHT - BOTTOM)], "line", 0.6)
        drawing.text((across(value), HEIGHT - BOTTOM + 18), f"{value:g}", "soft", align="middle")
    for value in upwards.ticks(ticks[1]):
        drawing.line([(LEFT, upwards(value)), (WIDTH - RIGHT, upwards(value))], "line", 0.6)
        drawing.text((LEFT - 8, upwards(value) + 4), f"{value:g}", "soft", align="end")
    return drawing


def curve(
    drawing: Drawing, across: Scale, upwards: Scale, points: Iterable[tuple[float, float]], role: str, *,
    dashed: bool = False, width: float = 2.0,
) -> None:  # fmt: skip
    """A line through these values."""
    drawing.line([(across(x), upwards(y)) for x, y in points], role, width, dashed)


def waits() -> Drawing:
    """How long a ghost waits for a card, and how far it strays."""
    across, upwards = Scale(0, 60, LEFT, WIDTH - RIGHT), Scale(0, 60, HEIGHT - BOTTOM, TOP)
    drawing = frame(
        "How long a ghost waits, at 0.7 s a number", "numbers from the top of the pile", "seconds", across, upwards
    )
    known = Estimate.beginning(0.7)
    gaps = range(0, 61, 2)
    for kind in (Kind.DREAMY, Kind.HUMAN):
        for side in (-1, 1):
            points = [(gap, known.wait(gap, 2 * side * kind.noise)) for gap in gaps]
            curve(drawing, across, upwards, points, ROLES[kind], dashed=True)
        drawing.text((WIDTH - RIGHT + 6, upwards(known.wait(60, 2 * kind.noise)) + 4), kind, ROLES[kind], bold=True)
    curve(drawing, across, upwards, [(gap, known.wait(gap)) for gap in gaps], ROLES[Kind.STEADY], width=2.6)
    drawing.text((WIDTH - RIGHT + 6, upwards(known.wait(60)) + 4), Kind.STEADY, ROLES[Kind.STEADY], bold=True)
    drawing.text((across(2), upwards(55)), "between the dashed lines: 95 of 100 of its cards", "soft")
    return drawing


def teams() -> Drawing:
    """How often equals win, by how evenly they feel time."""
    across, upwards = Scale(0, 0.30, LEFT, WIDTH - RIGHT), Scale(0, 100, HEIGHT - BOTTOM, TOP)
    drawing = frame("Games that equals win", "w: how unevenly they feel time", "of 100", across, upwards)
    for players, role, dashed in ((2, "seat1", False), (3, "seat2", False), (4, "seat3", False)):
        points = [(0.0, 100.0), *GOALS[players].items()]
        curve(drawing, across, upwards, points, role, dashed=dashed)
        for w, won in GOALS[players].items():
            drawing.disc((across(w), upwards(won)), 3.0, role, filled=players != 3)
        x, y = {2: (0.205, 24.0), 3: (0.140, 40.0), 4: (0.114, 89.0)}[players]
        align = "end" if players == 3 else "start"
        drawing.text((across(x), upwards(y)), f"{players} players", role, align=align, bold=True)
    for kind in (Kind.HUMAN, Kind.DREAMY):
        drawing.line([(across(kind.noise), TOP), (across(kind.noise), HEIGHT - BOTTOM)], ROLES[kind], 1.5, dashed=True)
        drawing.text((across(kind.noise) - 6, upwards(6)), kind, ROLES[kind], align="end", bold=True)
    return drawing


def off(reaction: float) -> list[Sequence[float]]:
    """After each card, how far the pace is from that of a person (percent): of so many persons, sorted."""
    rng = Random(1)
    after: list[list[float]] = [[] for _ in range(CARDS + 1)]
    for _ in range(PERSONS):
        pace = 0.7 * exp(rng.gauss(0, 0.35))
        estimate = Estimate.beginning(0.7)
        after[0].append(100 * abs(estimate.m - log(pace)))
        for cards in range(1, CARDS + 1):
            gap = max(1, min(round(rng.expovariate(1 / 9)), 60))
            estimate = estimate.learn(gap, reaction + pace * gap * exp(rng.gauss(0, 0.12)))
            after[cards].append(100 * abs(estimate.m - log(pace)))
    return [sorted(found) for found in after]


def learning() -> Drawing:
    """How soon a ghost knows somebody's pace."""
    across, upwards = Scale(0, CARDS, LEFT, WIDTH - RIGHT), Scale(0, 40, HEIGHT - BOTTOM, TOP)
    drawing = frame(
        "How soon a ghost knows your pace", "cards that you have laid", "off by, in percent", across, upwards, (6, 8)
    )
    for row, (reaction, role, dashed) in enumerate(((0.5, "seat1", False), (3.0, "seat2", True))):
        found = off(reaction)
        points = [(cards, of[PERSONS // 2]) for cards, of in enumerate(found)]
        curve(drawing, across, upwards, points, role, dashed=dashed, width=2.4)
        said = "as long as the reader says" if reaction == 0.5 else "six times as long"
        drawing.text(
            (across(18), upwards(35 - 3 * row)), f"you need {reaction:g} s to lay a card: {said}", role, bold=True
        )
    drawing.text((across(18), upwards(29)), "half of all persons lie below the line", "soft")
    return drawing


PAGES = {"waits": waits, "teams": teams, "learning": learning}


def main() -> None:
    """All of them, as SVG."""
    PICTURES.mkdir(exist_ok=True)
    for name, draw in PAGES.items():
        (PICTURES / f"{name}.svg").write_text(svg(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
