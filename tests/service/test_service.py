"""The daemon as a service: what it tells systemd, what it is asked, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.journal.writer import AtOnce
from mind_box.service import SHUT_DOWN
from mind_box.service.daemon import Daemon
from mind_box.service.notify import notify, watchdog_seconds
from mind_box.service.status import StatusServer, ask, show
from mind_box.settings.schema import Config, GpioSettings
from mind_box.show.pictures import saved_picture
from mind_box.show.words import words_for
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.box.stalls import open_at_once
from tests.e2e.machine import Machine

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd/mind-box.service"


class Manager:
    """The service manager's end of the notify socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(20)

    def hear(self) -> str:
        return self._socket.recv(4096).decode()

    def heard_since(self) -> list[str]:
        self._socket.setblocking(False)
        heard = []
        try:
            while True:
                heard.append(self.hear())
        except BlockingIOError:
            return heard
        finally:
            self._socket.settimeout(20)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path / "box")
    machine.environment |= {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"}
    yield machine
    machine.close()


def test_ready_alive_and_stopping_are_told(box: Machine, manager: Manager) -> None:
    box.start()
    assert manager.hear() == "READY=1\nSTATUS=ready"
    assert [manager.hear() for _ in range(3)] == ["WATCHDOG=1"] * 3
    assert box.stop() == 0
    assert manager.heard_since()[-1] == "STOPPING=1"


def test_a_box_that_hangs_is_not_fed(box: Machine, manager: Manager) -> None:
    """The watchdog is fed from the loop, after a turn of the referee: a loop that stands still feeds nothing."""
    box.start()
    manager.hear()
    os.kill(box.pid, signal.SIGSTOP)
    manager.heard_since()
    box.pass_time(0.5)
    assert manager.heard_since() == []
    os.kill(box.pid, signal.SIGCONT)
    assert manager.hear() == "WATCHDOG=1"


def test_the_watchdog_of_another_process_is_not_ours(box: Machine, manager: Manager) -> None:
    """sd_watchdog_enabled(3): a child inherits the environment, and must not feed for its parent."""
    box.environment["WATCHDOG_PID"] = str(os.getpid())
    box.start()
    assert manager.hear() == "READY=1\nSTATUS=ready"
    box.pass_time(0.5)
    assert manager.heard_since() == []


@pytest.mark.parametrize(
    ("microseconds", "pid", "seconds"),
    [
        ("20000000", "", 20.0), ("20000000", "ours", 20.0), ("20000000", "1", None), ("500000", "ours", 0.5),
        ("", "", None), ("0", "", None), ("-5", "", None), ("soon", "ours", None),
    ],
)  # fmt: skip
def test_how_often_the_service_manager_wants_to_hear(
    monkeypatch: pytest.MonkeyPatch, microseconds: str, pid: str, seconds: float | None
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", microseconds)
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()) if pid == "ours" else pid)
    assert watchdog_seconds() == seconds


def test_the_watchdog_is_fed_twice_in_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In virtual time, so that a busy machine changes nothing."""
    fed: list[float] = []
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr("mind_box.service.daemon.notify", lambda _: fed.append(loop.time()))
        config = Config(screen=(), reader=(), gpio=GpioSettings(factory="mock"))
        places = replace(config.box, state_dir=str(tmp_path / "state"), run_dir=str(tmp_path / "run"))
        box = VirtualBox(4, loop.time)
        daemon = Daemon(
            replace(config, box=places),
            lambda _, post, __: box.open(post),
            open_writer=lambda journal, _: AtOnce(journal),
            open_journal=open_at_once,
        )
        serving = asyncio.create_task(daemon.serve())
        await asyncio.sleep(101)
        daemon.stop()
        assert await serving == 0

    run_virtual(main())
    ready, *alive, stopping = fed
    assert [round(t - ready, 3) for t in alive] == [10.0 * n for n in range(len(alive))]
    assert len(alive) == 11 and stopping == 101


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_table_tidy(tmp_path: Path, number: signal.Signals) -> None:
    """SIGHUP: the terminal where somebody tries the box out was closed."""
    with Machine(tmp_path) as box:
        box.start()
        box.begin()
        pins = GpioSettings()
        assert any(box.lamp(p) for p in pins.life_lamps)
        os.kill(box.pid, number)
        assert box.ended() == 0
        assert box.picture().tobytes() == saved_picture(words_for("en"), (128, 64)).tobytes()
        assert not (box.run / "status.sock").exists()
        box.start()
        assert (box.view["phase"], box.view["reason"]) == ("focus", "level")


@pytest.mark.parametrize(("command", "status"), [('["true"]', SHUT_DOWN), ('["/no/such"]', 0)])
def test_the_menus_shut_down(tmp_path: Path, command: str, status: int) -> None:
    """Carried out, it ends with the status after which the unit does not start the box again; refused, it does."""
    with Machine(tmp_path) as box:
        box.settings.write_text(box.settings.read_text().replace("power_off = []", f"power_off = {command}"))
        box.start()
        box.press(0)
        box.until(lambda: box.view["menu"], "the menu")
        box.lift(0)
        while box.view["menu"] != "shut-down":
            before = box.view["menu"]
            box.tap(0)
            box.until(partial(lambda before: box.view["menu"] != before, before), "the next item")
        box.press(0)
        box.expect(asking="shut-down")
        box.lift(0)
        box.press(0)
        assert box.ended() == status
        assert f"RestartPreventExitStatus={SHUT_DOWN}" in UNIT.read_text()


def test_a_game_at_seats_that_the_box_has_no_more_is_told_with_its_cure(tmp_path: Path) -> None:
    """``box.seats`` was lowered in mid-game: the table waits for hands that nobody can put down."""
    with Machine(tmp_path) as box:
        journal = Journal.open(box.state / "journal.db")
        journal.append([ev.Started((3, 5), {}, ())])
        journal.close()
        box.start()
        box.until(lambda: "players at seats that this box has not (5): end it" in box.log)


def test_status_for_people_and_for_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Machine(tmp_path) as box:
        words = ["status", "--config", str(box.settings)]
        assert main(words) == 3
        assert "No box is running here" in capsys.readouterr().out
        assert main([*words, "--json"]) == 3
        assert json.loads(capsys.readouterr().out) == {"running": False}
        box.start()
        assert main(words) == 0
        said = capsys.readouterr().out
        assert "In the lobby" in said
        assert f"Journal: {box.state / 'journal.db'}" in said
        assert main([*words, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["pid"], answer["view"]["phase"]) == (box.pid, "lobby")
        box.kill()
        assert main(words) == 3


@pytest.mark.parametrize("answer", [[], None, {}, "box", 1])
async def test_who_answers_in_the_boxs_place_is_no_box(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: object
) -> None:
    server = StatusServer(tmp_path, lambda: answer)  # type: ignore[arg-type,return-value]
    await server.start()
    assert await asyncio.to_thread(show, tmp_path, False) == 3
    assert "No box is running here" in capsys.readouterr().out
    await server.stop()


async def test_anyone_on_the_machine_may_ask(tmp_path: Path) -> None:
    before = os.umask(0o077)  # the unit's
    try:
        server = StatusServer(tmp_path, dict)
        await server.start()
    finally:
        os.umask(before)
    assert (tmp_path / "status.sock").stat().st_mode & 0o777 == 0o666
    await server.stop()


def test_a_service_manager_that_does_not_read_stops_nothing(
    manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    while "does not hear" not in caplog.text:
        notify("WATCHDOG=1")
    assert manager.heard_since()
    notify("STATUS=here")
    assert manager.hear() == "STATUS=here"


async def test_a_second_box_leaves_the_first_ones_socket_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = StatusServer(tmp_path, lambda: {"box": 1}), StatusServer(tmp_path, lambda: {"box": 2})
    await first.start()
    await second.start()
    assert "another mind-box answers there" in caplog.text
    await second.stop()
    assert await asyncio.to_thread(ask, tmp_path) == {"box": 1}
    (tmp_path / "status.sock").unlink()
    third = StatusServer(tmp_path, lambda: {"box": 3})
    await third.start()
    await first.stop()
    assert await asyncio.to_thread(ask, tmp_path) == {"box": 3}, "only its own socket is taken away"
    await third.stop()
    assert not (tmp_path / "status.sock").exists()


async def test_anyone_on_the_machine_may_ask_whatever_the_units_umask(tmp_path: Path) -> None:
    """The unit's ``UMask=0077`` is for the games; what the screens show is no secret, and asking needs the w bit."""
    before = os.umask(0o077)
    server = StatusServer(tmp_path / "run", lambda: {"box": 1})
    try:
        await server.start()
        assert stat.filemode((tmp_path / "run/status.sock").stat().st_mode) == "srw-rw-rw-"
    finally:
        os.umask(before)
        await server.stop()


async def test_a_socket_left_by_a_kill_is_replaced_and_what_stands_in_its_place_at_the_end_is_left(
    tmp_path: Path,
) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "status.sock"))
    server = StatusServer(tmp_path, lambda: {"box": 1})
    await server.start()
    assert await asyncio.to_thread(ask, tmp_path) == {"box": 1}
    (tmp_path / "status.sock").unlink()
    (tmp_path / "status.sock").mkdir()
    await server.stop()
    assert (tmp_path / "status.sock").is_dir()


async def test_an_error_in_the_program_ends_it_so_that_it_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind_box.referee import Referee

    config = replace(
        Config(screen=(), reader=(), gpio=GpioSettings(factory="mock")),
        box=replace(Config().box, state_dir=str(tmp_path / "state"), run_dir=str(tmp_path / "run")),
    )

    def broken(_: Referee) -> None:
        raise RuntimeError("a core part has died")

    daemon = Daemon(config, watch=lambda _: None)
    monkeypatch.setenv("WATCHDOG_USEC", "20000")
    monkeypatch.setattr(Referee, "turn", broken)
    assert await daemon.serve() == 1
