"""A table script played in front of an audience does what ``mind-box replay`` does with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from mind_box.settings.loading import parse
from mind_box.settings.schema import TableSettings
from mind_box.settings.writing import to_toml
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import replay_text
from mind_box.virtual.scripts.script import parse_script
from mind_box.virtual.tryout.machine import Machine
from mind_box.virtual.tryout.rerun import Rerun, rerun_settings
from tests.page.in_process import InProcess

STANDARD = TableSettings()
START = "hands 1 2 3\nhands\nscan 17\n"

MENUS = {
    "the menu is open already": "hold star 2\nmenu life-up\nexpect lives 4\nexpect pile 17\n",
    "asked for a second hold": "menu end-game\nmenu life-up\nexpect lives 4\nexpect phase focus\n",
    "not on offer": "menu deck\nexpect menu null\nexpect lives 3\n",
}


def rerun_text(text: str, table: TableSettings = STANDARD) -> dict[str, Any]:
    """Plays it in virtual time on a box with these times; the last state that was told."""

    async def main() -> dict[str, Any]:
        script = parse_script(text)
        config = rerun_settings(script, replace(script.config, table=table))
        box = InProcess(parse(to_toml(config), "box.toml"))  # as it comes to the daemon
        await box.start()
        rerun = Rerun(script, text, cast(Machine, box), lambda: None)
        await rerun.play()
        await box.close()
        return rerun.state

    state: dict[str, Any] = run_virtual(main())
    return state


@pytest.mark.parametrize("menu", MENUS.values(), ids=MENUS)
def test_the_menu_is_used_as_in_a_replay(menu: str) -> None:
    assert replay_text(START + menu, print) == 0
    assert rerun_text(START + menu)["failures"] == []


@pytest.mark.parametrize(
    "table", [replace(STANDARD, vote=10.0), replace(STANDARD, hold=2.5, gather=3.0)], ids=["vote", "hold"]
)
def test_the_makers_own_times_do_not_spoil_a_replay(table: TableSettings) -> None:
    assert rerun_text(START + "expect pile 17\n", table)["failures"] == []
