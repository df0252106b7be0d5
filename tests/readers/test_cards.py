"""Cards and tags: what enrolment asks for and takes, how it is kept through anything, and what is written on tags."""

from __future__ import annotations

import errno
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.cards import ndef
from mind_box.cards.enrol import run_enrol
from mind_box.cards.enrolment import Enrolment, Outcome, Shown, deck
from mind_box.cards.store import CardStore, NewerCards, enrolled
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import parse


def test_each_card_is_asked_for_in_turn_and_gets_the_tag_that_is_shown() -> None:
    enrolment = Enrolment({}, deck("original"))
    for number in range(1, 101):
        assert enrolment.asking == number
        assert enrolment.left == 101 - number
        assert enrolment.take(f"04:00:00:{number:02X}") == Shown(Outcome.ENROLLED, number)
    assert enrolment.asking is None
    assert enrolment.take("04:FF:FF:FF") == Shown(Outcome.NOTHING_ASKED, None)
    assert parse("0400002A", enrolment.cards) == 42


def test_a_tag_that_has_a_number_is_said_and_keeps_it() -> None:
    enrolment = Enrolment({"0400": 7}, [8, 9])
    assert enrolment.take("04:00") == Shown(Outcome.ALREADY, 7)
    assert enrolment.take("MB1:042:F2") == Shown(Outcome.LABELLED, 42)
    assert enrolment.take("W7") == Shown(Outcome.LABELLED, "W7")
    assert enrolment.take("mb1:tray\r") == Shown(Outcome.TRAY, None)
    assert enrolment.asking == 8
    assert enrolment.cards == {"0400": 7}


def test_a_long_number_is_a_tag_not_a_card() -> None:
    enrolment = Enrolment({}, [8])
    assert enrolment.take("0012345678") == Shown(Outcome.ENROLLED, 8)
    assert parse("0012345678", enrolment.cards) == 8


def test_a_phone_is_no_card() -> None:
    """All of them have the same identity, for they make their numbers up."""
    enrolment = Enrolment({}, [8])
    assert enrolment.take("08:00:00:00") == Shown(Outcome.MADE_UP, None)
    assert enrolment.take("08:12:34:56") == Shown(Outcome.ENROLLED, 8)
    assert enrolment.cards == {"08123456": 8}


def test_cards_that_have_a_tag_are_passed_over_unless_they_are_named() -> None:
    assert Enrolment({"0400": 1, "0401": 3}, [1, 2, 3]).asking == 2
    again = Enrolment({"0400": 1, "0401": 3}, [3], replace=True)
    assert again.take("04:01") == Shown(Outcome.SAME, 3)
    assert again.take("04:02") == Shown(Outcome.ENROLLED, 3)
    assert again.cards == {"0400": 1, "0402": 3}
    assert again.back()
    assert again.cards == {"0400": 1, "0401": 3}


def test_skip_and_back() -> None:
    enrolment = Enrolment({}, [1, 2, 3])
    assert not enrolment.back()
    enrolment.take("aa:bb")
    enrolment.skip()
    assert enrolment.asking == 3
    assert enrolment.back()
    assert enrolment.asking == 2
    assert enrolment.back()
    assert enrolment.asking == 1
    assert enrolment.cards == {}


def test_the_extreme_deck_is_asked_for_white_then_red() -> None:
    assert len(deck("extreme")) == 100
    assert deck("extreme")[0] == "W1"
    assert set(deck("extreme")[50:]) == {f"R{n}" for n in range(1, 51)}


# -- the store


def test_it_reads_back(tmp_path: Path) -> None:
    store = CardStore(tmp_path / "new")
    assert store.load() == {}
    store.save({"0400": 1, "0401": "W7"})
    assert CardStore(tmp_path / "new").load() == {"0400": 1, "0401": "W7"}


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '{"version": 0, "cards": {}}', '{"version": 1, "cards": {"aa": true}}',
        '{"version": 1, "cards": {"aa": 1.5}}', '{"version": 1, "cards": {"aa": "W07"}}', '{"version": 1}', "\xff",
        "[" * 100_000, '{"version": 1, "cards": {"aa": "x"}}', '{"version": 1, "cards": {"aa": null}}',
        '{"version": 1, "cards": {"aa": [1]}}', "X",
    ],
)  # fmt: skip
def test_a_corrupt_file_is_set_aside_and_said(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    store = CardStore(tmp_path)
    store.path.write_bytes(text.encode("latin-1"))
    (tmp_path / "cards.json.broken").write_text("an earlier one")
    assert store.load() == {}
    assert (tmp_path / "cards.json.broken-2").read_bytes() == text.encode("latin-1")
    assert (tmp_path / "cards.json.broken").read_text() == "an earlier one"
    assert "set aside" in caplog.text
    assert store.load() == {}
    store.save({"0400": 1})
    assert store.load() == {"0400": 1}


def test_a_file_of_a_later_version_is_left_alone_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As the journal's is: the program that wrote it may be put back."""
    text = '{"version": 2, "decks": {}}'
    store = CardStore(tmp_path)
    store.path.write_text(text)
    with pytest.raises(NewerCards, match="install that one again"):
        store.load()
    assert enrolled(tmp_path) == {}, "the box comes up without them"
    assert "they are unknown cards" in caplog.text
    out = io.StringIO()
    assert run_enrol(ReaderSettings(device="/nowhere"), store, out) == 2
    assert f"{store.path} is of a later mind-box (version 2)" in out.getvalue()
    assert [p.name for p in tmp_path.iterdir()] == ["cards.json"]
    assert store.path.read_text() == text


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who gives files away")
def test_what_root_enrols_belongs_to_the_directorys_owner(tmp_path: Path) -> None:
    """``sudo mind-box cards enrol``: the service must be able to read it."""
    os.chown(tmp_path, 65534, 65534)
    store = CardStore(tmp_path)
    before = os.umask(0o077)
    try:
        store.save({"0400": 1})
    finally:
        os.umask(before)
    assert (store.path.stat().st_uid, store.path.stat().st_gid) == (65534, 65534)


def test_identities_written_by_hand_are_understood(tmp_path: Path) -> None:
    store = CardStore(tmp_path)
    store.path.write_text('{"version": 1, "cards": {"04:a1:b2": 5}}')
    assert store.load() == {"04A1B2": 5}


class Death(BaseException):
    """The plug is pulled."""


@pytest.mark.parametrize("step", range(5))
def test_a_power_cut_at_any_step_leaves_the_old_or_the_new(
    tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kvmd, klipper, Mopidy, ESPHome: truncate-and-write and rename-without-fsync leave an empty file."""
    store = CardStore(tmp_path)
    old: dict[str, int | str] = {"0400": 1}
    new = old | {"0401": 2}
    store.save(old)
    calls: list[str] = []
    real_fsync, real_replace = os.fsync, os.replace

    def reached(what: str) -> None:
        if len(calls) == step:
            raise Death
        calls.append(what)

    def fsync(fd: int) -> None:
        what = "folder" if os.path.isdir(f"/proc/self/fd/{fd}") else "data"
        reached(what)
        real_fsync(fd)

    def replace(source: Path, target: Path) -> None:
        assert calls == ["data"], "the data must be on disk before it takes the old file's name"
        reached("name")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    try:
        store.save(new)
        assert calls == ["data", "name", "folder"]
    except Death:
        pass
    monkeypatch.undo()
    assert CardStore(tmp_path).load() in (old, new)


def test_a_full_disk_is_said_and_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = CardStore(tmp_path)
    store.save({"0400": 1})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.save({"0401": 2})
    monkeypatch.undo()
    assert store.load() == {"0400": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["cards.json"]


@given(st.dictionaries(st.text("0123456789ABCDEF", min_size=4, max_size=8), st.integers(1, 100), max_size=5))
def test_any_cards_read_back(tmp_path_factory: pytest.TempPathFactory, cards: dict[str, int]) -> None:
    store = CardStore(tmp_path_factory.mktemp("store"))
    store.save(dict(cards))
    assert store.load() == cards


@pytest.mark.parametrize("version", ["2", "0", '"1"', "null"])
def test_a_version_that_is_none_of_ours_is_no_file_of_cards(tmp_path: Path, version: str) -> None:
    store = CardStore(tmp_path)
    store.path.write_text(f'{{"version": {version}, "cards": {{}}}}')
    with pytest.raises(NewerCards if version == "2" else ValueError, match="version"):
        store.read()


@pytest.mark.parametrize("text", [b"", b"\0\0", b" \r\n\t"])
def test_a_file_without_anything_in_it_is_told_from_a_wrong_one(tmp_path: Path, text: bytes) -> None:
    store = CardStore(tmp_path)
    store.path.write_bytes(text)
    with pytest.raises(ValueError, match="it is empty, as a power cut leaves a file"):
        store.read()
    assert store.path.read_bytes() == text
    store.path.write_bytes(b"X")
    with pytest.raises(ValueError, match="Expecting value"):
        store.read()


def test_files_that_were_set_aside_stay_however_many_they_are(tmp_path: Path) -> None:
    store = CardStore(tmp_path)
    for text in ("a", "b", "c"):
        store.path.write_text(text)
        assert store.load() == {}
    aside = {p.name: p.read_text() for p in tmp_path.iterdir()}
    assert aside == {"cards.json.broken": "a", "cards.json.broken-2": "b", "cards.json.broken-3": "c"}


def test_what_stands_in_the_file(tmp_path: Path) -> None:
    store = CardStore(tmp_path / "new" / "folder")
    store.save({"0400": 1, "0401": "W7"})
    assert (tmp_path / "new" / "folder" / "cards.json").read_text() == (
        '{\n "version": 1,\n "cards": {\n  "0400": 1,\n  "0401": "W7"\n }\n}\n'
    )


# -- what is written on tags


def test_the_list_for_tag_writers() -> None:
    assert ndef.as_csv((42, "W7")) == (
        "card,text,ndef,pages from 4\n"
        "42,MB1:042:F2,D1010D5402656E4D42313A3034323A4632,0311D101 0D540265 6E4D4231 3A303432 3A4632FE\n"
        "W7,MB1:W07:6E,D1010D5402656E4D42313A5730373A3645,0311D101 0D540265 6E4D4231 3A573037 3A3645FE\n"
    )


def test_the_same_as_json() -> None:
    text = ndef.as_json(("W7", 42))
    assert text.endswith("\n]\n") and text.startswith('[\n {\n  "card": "W7"')
    assert json.loads(text)[1] == {
        "card": 42,
        "text": "MB1:042:F2",
        "ndef": "D1010D5402656E4D42313A3034323A4632",
        "pages": {"4": "0311D101", "5": "0D540265", "6": "6E4D4231", "7": "3A303432", "8": "3A4632FE"},
    }


def test_a_tags_memory_is_filled_to_whole_pages() -> None:
    assert ndef.memory("42") == bytes.fromhex("0309D101055402656E3432FE")
    assert ndef.memory("7") == bytes.fromhex("0308D101045402656E37FE00")
