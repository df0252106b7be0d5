"""The daemon as a service, and the unit around it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.journal.writer import AtOnce
from mind_box.service.daemon import Daemon
from mind_box.service.notify import notify, watchdog_seconds
from mind_box.service.status import StatusServer, ask, show
from mind_box.settings.schema import Config, GpioSettings
from mind_box.show.pictures import saved_picture
from mind_box.show.words import words_for
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.e2e.machine import Machine

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd/mind-box.service"
CEILING, CEILING_WITH_PAGE = 1.3, 1.6


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
        )
        serving = asyncio.create_task(daemon.serve())
        await asyncio.sleep(101)
        daemon._stop.set()
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


@pytest.mark.parametrize(("command", "status"), [('["true"]', 77), ('["/no/such"]', 0)])
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
        assert "RestartPreventExitStatus=77" in UNIT.read_text()


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


# -- the unit


def analyze(*words: str) -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze (apt install systemd)")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    """What the installer lays down, with a program where the unit starts one."""
    root = tmp_path / "root"
    subprocess.run(["sh", ROOT / "systemd/install.sh", "stage", root, "--page"], check=True)
    program = root / "opt/mind-box/bin/mind-box"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return root


def exposure(unit: Path) -> float:
    said = analyze("security", "--offline=true", "--no-pager", str(unit))
    found = re.search(r"exposure level for \S+: ([\d.]+)", said)
    assert found, said
    return float(found[1])


def test_the_unit_is_closed(tmp_path: Path) -> None:
    assert exposure(UNIT) <= CEILING
    with_page = tmp_path / "mind-box.service"
    with_page.write_text(UNIT.read_text() + (ROOT / "systemd/page.conf").read_text())
    assert exposure(UNIT) < exposure(with_page) <= CEILING_WITH_PAGE


def test_the_unit_verifies(staged: Path) -> None:
    """Offline: the units it names are the root's, of which a staged one has none; what is said of ours counts."""
    said = analyze("verify", "--recursive-errors=no", f"--root={staged}", "mind-box.service")
    assert not [line for line in said.splitlines() if "mind-box" in line and "not found" not in line], said


def test_the_traps_of_hardening_are_kept_out() -> None:
    """Each of these broke a box like this one (see docs/install.md)."""
    settings: dict[str, list[str]] = {}
    for line in UNIT.read_text().splitlines():
        name, separator, value = line.partition("=")
        if separator and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    assert "PrivateDevices" not in settings, "it hides the devices"
    assert "ProcSubset" not in settings, "it hides the board's revision"
    assert settings["WorkingDirectory"] == ["%t/mind-box"], "lgpio makes a FIFO there"
    assert settings["RuntimeDirectory"] == settings["StateDirectory"] == ["mind-box"]
    assert settings["StartLimitIntervalSec"] == ["0"], "it must not give up"
    assert (settings["Restart"], settings["Type"]) == (["always"], ["notify"])
    assert set(settings["SupplementaryGroups"][0].split()) == {"gpio", "i2c", "spi", "dialout", "input"}
    kinds = {value.split()[0].removeprefix("char-") for value in settings["DeviceAllow"]}
    assert {"gpiochip", "i2c", "spi", "ttyUSB", "ttyACM", "ttyAMA", "ttyS", "input"} <= kinds
    assert settings["Wants"] == settings["After"], "their kinds are looked up when the service starts"
    modules = {unit.removeprefix("modprobe@").removesuffix(".service") for unit in settings["Wants"][0].split()}
    assert modules == {"usbserial", "cdc_acm", "i2c_dev", "spidev"}, "loaded by nobody before a reader is plugged in"


def test_staging_lays_files_and_keeps_settings(staged: Path) -> None:
    names = {str(p.relative_to(staged)) for p in staged.rglob("*") if p.is_file()}
    assert {
        "etc/systemd/system/mind-box.service", "etc/systemd/system/mind-box.service.d/page.conf",
        "etc/sysusers.d/mind-box.conf", "etc/udev/rules.d/70-mind-box.rules",
        "etc/polkit-1/rules.d/49-mind-box.rules", "etc/mind-box/box.toml",
    } <= names  # fmt: skip
    settings = staged / "etc/mind-box/box.toml"
    settings.write_text("[box]\nseats = 3\n")
    subprocess.run(["sh", ROOT / "systemd/install.sh", "stage", staged], check=True)
    assert settings.read_text() == "[box]\nseats = 3\n"


def test_the_installed_settings_are_right() -> None:
    from mind_box.settings.loading import load

    assert load(ROOT / "hardware/standard.toml").box.seats == 4


def test_the_installer_refuses_what_it_does_not_know() -> None:
    def run(*words: str) -> int:
        return subprocess.run(["sh", ROOT / "systemd/install.sh", *words], capture_output=True, check=False).returncode

    assert [run(), run("dance"), run("stage"), run("install", "--swiftly")] == [2, 2, 1, 1]


SYSTEM_SERVICE = ("@system-service",)
REFUSED = ("@privileged", "@resources")


def members(names: tuple[str, ...]) -> set[str]:
    """The calls of these groups, as systemd has them."""
    calls: set[str] = set()
    for name in names:
        for word in re.findall(r"^\s+(@?[a-z0-9_-]+)$", analyze("syscall-filter", name), re.M):
            calls |= members((word,)) if word.startswith("@") else {word}
    return calls


def test_every_system_call_of_a_game_is_allowed(tmp_path: Path) -> None:
    """The unit's filter, against what a whole run from start to SIGTERM asks of the kernel."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace (apt install strace)")
    allowed = members(SYSTEM_SERVICE) - members(REFUSED)
    assert len(allowed) > 200
    log = tmp_path / "calls"
    with Machine(tmp_path / "box") as box:
        box.command = ["strace", "-f", "-qq", "-o", str(log), *box.command]
        box.start()
        box.begin()
        process = ask(box.run)
        assert process is not None
        os.kill(process["pid"], signal.SIGTERM)
        assert box.ended() == 0
    used = set(re.findall(r"^\d+\s+([a-z0-9_]+)\(", log.read_text(), re.M))
    assert "fsync" in used or "fdatasync" in used
    if os.getuid() == 0:
        used.discard("fchown")  # only root gives its files to the owner of the directory
    assert used <= allowed, f"the unit's filter refuses {sorted(used - allowed)}"
