"""The system's clock: whether it is known to be set, and what it costs if not."""

from __future__ import annotations

from collections.abc import Iterator

from mind_box.doctor.verdict import NOTE, OK, Scene, Verdict
from mind_box.wall_clock import how_set

BY = {"network": "from the network", "battery": "from a clock with a battery"}


def check(scene: Scene) -> Iterator[Verdict]:
    """Only dates hang on it."""
    by = how_set(scene.root)
    if by is not None:
        yield Verdict("clock", OK, f"it is set {BY[by]}: evenings have dates")
        return
    yield Verdict(
        "clock",
        NOTE,
        "it is not known to be set: evenings have no dates, and lose nothing else",
        "let the Pi reach the network once after each start (systemd-timesyncd), or fit a clock with a battery",
    )
