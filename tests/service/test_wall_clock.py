"""Dates: only where the system's clock is known to be set, and nothing else hangs on it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from mind_box import wall_clock
from mind_box.doctor.clock import check
from mind_box.doctor.verdict import NOTE, OK, Scene
from mind_box.service.daemon import stamps_of
from mind_box.settings.schema import Config, JournalSettings, ReaderSettings

NOW = 1_796_000_000.0


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)


def put(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)


@pytest.mark.usefixtures("at")
def test_nobody_is_known_to_have_set_it(tmp_path: Path) -> None:
    assert wall_clock.how_set(tmp_path) is None
    put(tmp_path / wall_clock.RTCS / "rtc0" / "hctosys", "0\n")
    assert wall_clock.how_set(tmp_path) is None


@pytest.mark.usefixtures("at")
def test_the_network_or_a_battery_has_set_it(tmp_path: Path) -> None:
    put(tmp_path / "a" / wall_clock.SET)
    put(tmp_path / "b" / wall_clock.RTCS / "rtc0" / "hctosys", "1\n")
    assert (wall_clock.how_set(tmp_path / "a"), wall_clock.how_set(tmp_path / "b")) == ("network", "battery")


def test_1970_is_no_date_whoever_set_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / wall_clock.SET)
    monkeypatch.setattr(time, "time", lambda: 86_400.0)
    assert wall_clock.how_set(tmp_path) is None
    assert wall_clock.date(known=lambda: wall_clock.how_set(tmp_path)) is None


@pytest.mark.usefixtures("at")
def test_a_date_is_told_in_utc() -> None:
    assert wall_clock.date(3600, known=lambda: "network") == "2026-11-29T23:53:20Z"


@pytest.mark.usefixtures("at")
def test_the_doctor_says_what_it_costs(tmp_path: Path) -> None:
    (verdict,) = check(Scene(Config(), root=tmp_path))
    assert verdict.state == NOTE and "no dates, and lose nothing else" in verdict.what and verdict.cure
    put(tmp_path / wall_clock.SET)
    (verdict,) = check(Scene(Config(), root=tmp_path))
    assert (verdict.state, verdict.cure) == (OK, "")


def test_a_setting_keeps_no_times_at_all() -> None:
    assert stamps_of(Config(journal=JournalSettings(keep_times=False))) is None


def test_each_run_has_a_name_of_its_own_and_says_what_its_readers_can_tell_apart() -> None:
    """R37: of two readers the slower one counts."""
    config = replace(Config(), reader=(ReaderSettings(kind="firmware"), ReaderSettings(kind="hid")))
    runs = [stamps_of(config), stamps_of(config)]
    from mind_box.game import events as ev

    stamps = [run.stamp(ev.Left(), 1.0, None, 1.0) for run in runs if run is not None]
    assert stamps[0].run != stamps[1].run
    assert [stamp.reader for stamp in stamps] == [100, 100]
