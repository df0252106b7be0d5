"""The conversation of enrolment: what is asked and said on a terminal, and what is kept."""

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

from mind_box.cards.enrol import run_enrol
from mind_box.cards.store import CardStore
from mind_box.commands import cards as command
from mind_box.commands.cli import main
from mind_box.settings.schema import ReaderSettings
from tests.readers.cables import Plug

pytestmark = pytest.mark.slow


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
