"""The install on a Debian that has never seen it: ``python -m tests.install.in_root SUITE [DIRECTORY]``, as root.

mmdebstrap makes the root (once for each DIRECTORY), ``make install`` runs in it, then the root's own systemd is started
in namespaces of its own and has to run the service as it would on a Pi, but for the hardware. Prints what it found;
exit status 0 when all of it is right.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

REPO = Path(__file__).parents[2]
BOOT = Path(__file__).with_name("boot.sh")
PACKAGES = "systemd,systemd-sysv,udev,dbus,polkitd,python3,make,ca-certificates"
PATIENCE = 120.0
"""Seconds that the root's system has for what it is asked to do."""


class Root:
    """A Debian below ``path``."""

    def __init__(self, suite: str, directory: Path) -> None:
        self.suite = suite
        self.path = directory / suite
        self._tar = directory / f"{suite}.tar"
        self.systemd: subprocess.Popen[bytes] | None = None
        self._pid = 0

    def make(self) -> None:
        if not self._tar.exists():
            new = self._tar.with_name("new.tar")
            command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", self.suite, str(new)]
            subprocess.run(command, check=True)
            new.rename(self._tar)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        subprocess.run(["tar", "-C", self.path, "-xf", self._tar, "--exclude=./dev/*"], check=True)
        source = self.path / "src"
        source.mkdir()
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPO, capture_output=True, check=True).stdout
        files = b"\0".join(name for name in listed.split(b"\0") if name and (REPO / name.decode()).exists())
        copied = subprocess.Popen(
            ["tar", "-C", REPO, "--null", "-T", "-", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        unpacked = subprocess.Popen(["tar", "-C", source, "-x"], stdin=copied.stdout)
        assert copied.stdin is not None
        copied.stdin.write(files)
        copied.stdin.close()
        assert (copied.wait(), unpacked.wait()) == (0, 0)
        self._network()

    def _network(self) -> None:
        """What pip and apt reach from here they reach from there."""
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        bundle = os.environ.get("PIP_CERT", "")
        if bundle:
            shutil.copy(bundle, self.path / "etc/ssl/certs/ca-certificates.crt")

    def chroot(
        self, *command: str, check: bool = True, stdin: int = subprocess.DEVNULL
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the root while its system is not up."""
        kept = {name: value for name, value in os.environ.items() if name in ("PIP_CERT", "PIP_DEFAULT_TIMEOUT")}
        inner = "mount -t proc proc /proc; mount -t tmpfs tmpfs /dev; for n in null zero random urandom; do "
        inner += "mknod -m 666 /dev/$n c 1 "
        inner += "$(case $n in null) echo 3;; zero) echo 5;; random) echo 8;; *) echo 9;; esac); "
        inner += 'done; mkdir /dev/shm; ln -s /proc/self/fd /dev/fd; exec "$@"'
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "chroot", self.path, "sh", "-c", inner, "sh", *command],
            env={
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL": "C.UTF-8",
                "HOME": "/root",
                "LOGNAME": "root",  # as sudo sets it
                **kept,
            },
            stdin=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def boot(self) -> None:
        self.systemd = subprocess.Popen([BOOT, self.path], stdin=subprocess.DEVNULL)
        self.until(self._found, "systemd did not start")
        self.until(lambda: self.run("systemctl", "is-system-running") in ("running", "degraded"), "it did not come up")

    def _found(self) -> bool:
        assert self.systemd is not None
        children = subprocess.run(["pgrep", "-P", str(self.systemd.pid)], capture_output=True, text=True, check=False)
        self._pid = int(children.stdout.split()[0]) if children.stdout.split() else 0
        return bool(self._pid)

    def run(self, *command: str) -> str:
        """Runs a command in the running system; what it printed."""
        inside = ["nsenter", "-t", str(self._pid), "--all", "--root", "--wd=/", *command]
        done = subprocess.run(inside, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        return (done.stdout + done.stderr).strip()

    def halt(self) -> None:
        if self.systemd is not None:
            self.systemd.kill()  # unshare kills its child, and with process 1 everything in there
            self.systemd.wait()

    @staticmethod
    def until(true: Callable[[], object], otherwise: str) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end, otherwise
            time.sleep(0.2)


def say(what: str) -> None:
    print(f"  {what}", flush=True)


def show(root: Root, name: str) -> str:
    return root.run("systemctl", "show", "mind-box", "-p", name, "--value")


def installs(root: Root) -> None:
    boot = root.path / "boot/firmware/config.txt"
    boot.parent.mkdir()
    boot.write_text("# nothing is switched on\n")
    began = time.monotonic()
    done = root.chroot("make", "-C", "/src", "install")
    told = "config.txt lacks what your settings need, or what serves them:\ndtparam=i2c_arm=on\ngpio=17=op,dh\nAdd"
    assert told in done.stdout, done.stdout
    assert boot.read_text() == "# nothing is switched on\n", "it was edited without a word"
    assert "What the box's doctor says" in done.stdout, done.stdout
    assert "mind-box may use gpio, i2c, dialout" in done.stdout, done.stdout  # as whom it ran, whatever LOGNAME says
    assert "please report" not in done.stdout, done.stdout
    say(f"make install: done in {time.monotonic() - began:.0f} s")
    root.chroot("/usr/local/bin/mind-box", "cards", "labels", "/tmp/labels.pdf")
    root.chroot("/usr/local/bin/mind-box", "cards", "sleeves", "/tmp/sleeves.pdf")
    root.chroot("/opt/mind-box/bin/python", "-c", "import mpremote.transport_serial")
    say("card labels and sleeves can be drawn, and the reader board spoken to")
    for line in done.stdout.splitlines():
        say(f"    | {line}")
    settings = root.path / "etc/mind-box/box.toml"
    settings.write_text(settings.read_text() + "[table]\nvote = 31\n")
    began = time.monotonic()
    keyboard, terminal = pty.openpty()
    os.write(keyboard, b"y\n")
    done = root.chroot("make", "-C", "/src", "install", "PAGE=1", stdin=terminal)
    assert "Add them now" in done.stdout, done.stdout
    assert boot.read_text() == "# nothing is switched on\n\n# mind-box\ndtparam=i2c_arm=on\ngpio=17=op,dh\n"
    assert (boot.parent / "config.txt.before-mind-box").read_text() == "# nothing is switched on\n"
    say("config.txt: told without a terminal, asked on one, the old file kept")
    assert "vote = 31" in settings.read_text(), "an upgrade changed the settings"
    compiled = (root.path / "opt/mind-box/lib").rglob("mind_box/commands/__pycache__/cli.*.pyc")
    assert list(compiled), "without compiled modules the box takes five times as long to start"
    say(f"make install PAGE=1 on top of it: settings kept ({time.monotonic() - began:.0f} s)")


def unit_is_right(root: Root) -> None:
    verify = root.chroot("systemd-analyze", "verify", "/etc/systemd/system/mind-box.service")
    assert not [line for line in verify.stderr.splitlines() if "mind-box" in line], verify.stderr
    say("systemd-analyze verify: clean")
    say("with the page: " + exposure(root))
    drop_in = root.path / "etc/systemd/system/mind-box.service.d/page.conf"
    text = drop_in.read_text()
    drop_in.unlink()
    say("without: " + exposure(root))
    drop_in.write_text(text)


def exposure(root: Root) -> str:
    security = root.chroot("systemd-analyze", "security", "--offline=true", "--no-pager", "mind-box.service")
    return security.stdout.strip().splitlines()[-1].strip("→ ")


def page_answers(root: Root) -> None:
    """With the page's drop-in; then without it, for what follows."""
    root.until(lambda: active(root), f"the service is not active:\n{journal(root)}")
    get = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8750/').status)"
    root.until(lambda: root.run("python3", "-c", get) == "200", "the page does not answer")
    say("the table page answers on 127.0.0.1:8750")
    (root.path / "etc/systemd/system/mind-box.service.d/page.conf").unlink()
    root.run("systemctl", "daemon-reload")
    root.run("systemctl", "restart", "mind-box")


def service_runs(root: Root) -> None:
    root.until(lambda: show(root, "ActiveState") == "active", f"the service is not active:\n{journal(root)}")
    pid = int(show(root, "MainPID"))
    status = root.run("cat", f"/proc/{pid}/status")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    uid = root.run("id", "-u", "mind-box")
    groups = {root.run("getent", "group", name).split(":")[2] for name in ("gpio", "i2c", "spi", "dialout", "input")}
    assert facts["Uid"].split() == [uid] * 4
    assert groups <= set(facts["Groups"].split())
    assert (facts["CapEff"], facts["CapBnd"], facts["NoNewPrivs"], facts["Seccomp"]) == ("0" * 16, "0" * 16, "1", "2")
    say(f"runs as mind-box in {len(groups)} groups, without capabilities, with a system call filter")
    answer = json.loads(root.run("mind-box", "status", "--json"))
    assert answer["running"], answer
    assert answer["journal"] == "/var/lib/mind-box/journal.db", answer
    assert {"reader", "table-screen", "buttons", "lamps"} <= set(answer["view"]["faults"])
    say(f"mind-box status: {answer['view']['phase']}, missing: {', '.join(answer['view']['faults'])}")
    touched = root.run("nsenter", "-t", str(pid), "--mount", "--root", "touch", "/etc/x", "/opt/mind-box/x", "/home/x")
    assert touched.count("Read-only file system") + touched.count("No such file") >= 2, touched
    say("its file system is read-only but for its own directories")


def comes_back(root: Root) -> None:
    pid, restarts = show(root, "MainPID"), int(show(root, "NRestarts"))
    root.run("systemctl", "kill", "-s", "KILL", "mind-box")
    root.until(lambda: show(root, "MainPID") not in (pid, "0") and active(root), "not back after kill -9")
    assert int(show(root, "NRestarts")) == restarts + 1
    pid = show(root, "MainPID")
    root.run("systemctl", "kill", "-s", "STOP", "mind-box")  # what a hang looks like from outside
    root.until(lambda: show(root, "MainPID") not in (pid, "0") and active(root), "not back after it hung")
    say("back after kill -9, and after the watchdog killed a stopped process")
    began = time.monotonic()
    root.run("systemctl", "stop", "mind-box")
    took = time.monotonic() - began
    assert (show(root, "Result"), show(root, "ExecMainStatus")) == ("success", "0")
    say(f"systemctl stop: exit 0 in {took:.2f} s")
    root.run("systemctl", "start", "mind-box")


def active(root: Root) -> bool:
    return show(root, "ActiveState") == "active"


def may_power_off(root: Root) -> None:
    manager = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
    ask = ("busctl", "call", *manager)
    as_box = ("setpriv", "--reuid", "mind-box", "--regid", "mind-box", "--init-groups")
    as_nobody = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups")
    mine = root.run(*as_box, *ask, "CanPowerOff")
    others = root.run(*as_nobody, *ask, "CanPowerOff")
    reboot = root.run(*as_box, *ask, "CanReboot")
    assert mine == 's "yes"', mine
    assert 's "yes"' not in (others, reboot), (others, reboot)
    say("polkit lets mind-box power off, nobody else, and nothing more than that")


def powers_off(root: Root) -> None:
    """The very command of the menu's shut-down, in the unit's sandbox."""
    drop_in = root.path / "etc/systemd/system/mind-box.service.d/power.conf"
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text("[Service]\nType=exec\nExecStart=\nExecStart=/usr/bin/systemctl poweroff\n")
    root.run("systemctl", "daemon-reload")
    root.run("systemctl", "restart", "mind-box")
    assert root.systemd is not None
    root.until(lambda: root.systemd is not None and root.systemd.poll() is not None, "the power stays on")
    drop_in.unlink()
    say("the service's command powers the system off from inside its sandbox")


def uninstalls(root: Root) -> None:
    root.chroot("make", "-C", "/src", "uninstall")
    assert (root.path / "var/lib/mind-box/journal.db").exists()
    assert "vote = 31" in (root.path / "etc/mind-box/box.toml").read_text()
    assert not (root.path / "opt/mind-box").exists()
    assert not list((root.path / "etc").rglob("*mind-box.service"))
    root.chroot("make", "-C", "/src", "uninstall", "PURGE=1")
    assert not (root.path / "var/lib/mind-box").exists()
    assert not (root.path / "etc/mind-box").exists()
    assert root.chroot("getent", "passwd", "mind-box", check=False).returncode != 0
    say("make uninstall keeps settings and games; PURGE=1 leaves nothing")


def journal(root: Root) -> str:
    return root.run("journalctl", "-u", "mind-box", "--no-pager", "-n", "40")


def main(arguments: Sequence[str]) -> int:
    suite = arguments[0]
    directory = Path(arguments[1] if len(arguments) > 1 else tempfile.mkdtemp(prefix="mind-box-roots-"))
    directory.mkdir(parents=True, exist_ok=True)
    root = Root(suite, directory)
    print(f"{suite}:", flush=True)
    root.make()
    say(root.chroot("python3", "--version").stdout.strip())
    installs(root)
    unit_is_right(root)
    root.boot()
    try:
        page_answers(root)
        service_runs(root)
        comes_back(root)
        may_power_off(root)
        powers_off(root)
    except BaseException:
        print(journal(root), flush=True)
        raise
    finally:
        root.halt()
    uninstalls(root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
