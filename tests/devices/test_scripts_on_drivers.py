"""Every table script on the real drivers: from GPIO edges to lit pixels, all that is seen is of the View."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.script import Expect, parse_script
from tests.devices.driven import DriverPlayer

SEEN_AT_ONCE = "two_table_screens"
"""Its screens are missed without a picture that goes to them; on a bus nobody knows before (R18)."""
SCRIPTS = [p for p in sorted((Path(__file__).parent.parent / "scripts").glob("*.table")) if p.stem != SEEN_AT_ONCE]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_on_real_drivers(path: Path) -> None:
    failed: list[dict[str, Any]] = []

    async def main() -> None:
        script = parse_script(path.read_text("utf-8"))
        player = DriverPlayer(script, lambda entry: failed.append(entry) if "expected" in entry else None)
        for line in player.lines:
            await player.act(line.number, line.action)
            if isinstance(line.action, Expect):
                await player.sleep(0)
                seen = set(player.wrong()) - set(player.view.faults)  # an unplugged one shows nothing
                assert not seen, f"line {line.number}"
        player.referee.close()

    run_virtual(main())
    assert failed == []
