"""Enrolment: what is asked, what is said, and that what was enrolled is kept through anything."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.cards.enrol import run_enrol
from mind_box.cards.enrolment import Enrolment, Outcome, Shown, deck
from mind_box.cards.store import CardStore, NewerCards, enrolled
from mind_box.commands import cards as command
from mind_box.commands.cli import main
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import parse
from tests.readers.cables import Plug

pytestmark = pytest.mark.slow


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
        "[" * 100_000, '{"version": 1, "cards": {"aa": "x"}}',
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


# -- the conversation


class Screen(io.StringIO):
    """What a person would see, acting on it as they would: each line that holds a key calls what belongs to it."""

    def __init__(self, acts: list[tuple[str, Callable[[], object]]]) -> None:
        super().__init__()
        self.acts = acts

    def write(self, text: str) -> int:
        if self.acts and self.acts[0][0] in text:
            self.acts.pop(0)[1]()
        return super().write(text)


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def enrol(plug: Plug, tmp_path: Path) -> Callable[..., tuple[int, str, CardStore]]:
    plug.plug()
    store = CardStore(tmp_path / "state")

    def run(acts: list[tuple[str, str | Callable[[], object]]], **more: object) -> tuple[int, str, CardStore]:
        steps = [(key, act if callable(act) else partial(plug.send, act.encode())) for key, act in acts]
        screen = Screen(steps)
        signal.signal(signal.SIGALRM, interrupt)  # a conversation that does not end must not hang the suite
        signal.alarm(60)
        try:
            code = run_enrol(ReaderSettings(device=str(plug.link)), store, screen, **more)  # type: ignore[arg-type]
        finally:
            signal.alarm(0)
        assert not screen.acts, screen.getvalue()
        return code, screen.getvalue(), store

    return run


def test_a_conversation(enrol: Callable[..., tuple[int, str, CardStore]]) -> None:
    code, text, store = enrol(
        [
            ("Show card 1 ", "04:AA\r"),
            ("card 1 is", lambda: None),
            ("Show card 2", "MB1:042:F2\r"),
            ("says card 42 itself", "04:AB\r"),
        ],
        wanted=[1, 2],
    )
    assert code == 0
    assert "Done" in text
    assert store.load() == {"04AA": 1, "04AB": 2}


def test_each_card_is_stored_before_the_next_is_asked_for(
    enrol: Callable[..., tuple[int, str, CardStore]], tmp_path: Path
) -> None:
    read, write = os.pipe()
    kept: list[object] = []

    def look() -> None:
        kept.append(json.loads((tmp_path / "state" / "cards.json").read_text())["cards"])
        os.write(write, b"q\n")

    code, _, _ = enrol([("Show card 1 ", "04:AA\r"), ("Show card 2", look)], keys=read)
    assert code == 1
    assert kept == [{"04AA": 1}]
    os.close(read)
    os.close(write)


def test_skip_back_help_and_quit_are_typed(enrol: Callable[..., tuple[int, str, CardStore]]) -> None:
    read, write = os.pipe()

    def typed(keys: bytes) -> Callable[[], int]:
        return lambda: os.write(write, keys)

    code, text, store = enrol(
        [
            ("Show card 1 ", typed(b"s\n")),
            ("Show card 2 ", "04:AA\r"),
            ("Show card 3 ", typed(b"b\n")),
            ("Show card 2 ", typed(b"b\nb\n?\nq\n")),
        ],
        keys=read,
    )
    assert code == 1
    assert "nothing to take back" in text
    assert store.load() == {}
    os.close(read)
    os.close(write)


def test_the_end_of_the_keys_is_not_the_end_of_enrolment(enrol: Callable[..., tuple[int, str, CardStore]]) -> None:
    read, write = os.pipe()
    os.close(write)
    code, _, store = enrol([("Show card 5", "04:AA\r")], keys=read, wanted=[5])
    assert code == 0
    assert store.load() == {"04AA": 5}
    os.close(read)


def test_ctrl_d_on_a_terminal_is_q(enrol: Callable[..., tuple[int, str, CardStore]]) -> None:
    typing, terminal = os.openpty()
    code, text, _ = enrol([("Show card 1 ", lambda: os.write(typing, b"\x04"))], keys=terminal)
    assert code == 1
    assert text.endswith("to go).\nStopped; what is enrolled is kept.\n"), "not by the alarm"
    os.close(typing)
    os.close(terminal)


@pytest.mark.parametrize("word", ["0", "101", "5000", "W51", "X9"])
def test_a_card_of_no_deck_is_refused(
    tmp_path: Path, word: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run_enrol", lambda *_: pytest.fail("it would be asked for"))
    (tmp_path / "box.toml").write_text(f'[box]\nstate_dir = "{tmp_path}"\n[[reader]]\ndevice = "/nowhere"\n')
    assert main(["cards", "enrol", "--config", str(tmp_path / "box.toml"), "7", word]) == 2
    assert f"{word!r} is no card: give 1 to 100" in capsys.readouterr().err


def test_keys_that_are_a_plain_file_are_no_keys(
    enrol: Callable[..., tuple[int, str, CardStore]], tmp_path: Path
) -> None:
    (tmp_path / "keys").write_text("q\n")
    with open(tmp_path / "keys") as file:
        code, _, _ = enrol([("Show card 5", "04:AA\r")], keys=file.fileno(), wanted=[5])
    assert code == 0


def test_a_store_that_cannot_be_written_is_said_before_a_tag_is_asked_for(
    enrol: Callable[..., tuple[int, str, CardStore]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(CardStore, "save", refuse)
    code, text, _ = enrol([])
    assert code == 2
    assert "cannot be written: Permission denied; it is the box's: sudo mind-box cards enrol" in text
    assert "Show card" not in text


def test_a_store_that_can_no_longer_be_written_ends_it_with_the_reason(
    enrol: Callable[..., tuple[int, str, CardStore]], monkeypatch: pytest.MonkeyPatch, plug: Plug
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    def show() -> None:
        monkeypatch.setattr(CardStore, "save", refuse)
        plug.send(b"04:AA\r")

    code, text, _ = enrol([("Show card 1 ", show)])
    assert code == 2
    assert "cannot be written: Read-only file system; box.state_dir" in text


def test_an_absent_reader_is_said_and_waited_for(enrol: Callable[..., tuple[int, str, CardStore]], plug: Plug) -> None:
    plug.unplug()
    code, text, _ = enrol([("The reader cannot be used", plug.plug), ("The reader is there", "04:AA\r")], wanted=[9])
    assert code == 0
    assert "If the box is running" in text


def test_nothing_to_do_is_said(tmp_path: Path) -> None:
    store = CardStore(tmp_path)
    store.save({f"04{n:02X}": n for n in range(1, 101)})
    out = io.StringIO()
    assert run_enrol(ReaderSettings(device="/nowhere"), store, out) == 0
    assert "Every card has its tag" in out.getvalue()


def test_the_log_never_says_which_tag_is_which_card(
    enrol: Callable[..., tuple[int, str, CardStore]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    enrol([("Show card 5", "04:AA\r")], wanted=[5])
    assert "04:AA" not in caplog.text
