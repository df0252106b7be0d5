"""One guest, from the host: booted, spoken to, its cables pulled, its plug too."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.vm.qemu import KEYBOARD_SERIAL, SCANNER_SERIAL, Boot, built

HERE = Path(__file__).parent
PATIENCE = 300.0 * float(os.environ.get("MIND_BOX_VM_PATIENCE", "1"))
"""Seconds after which a guest that does not answer is a failure. There is no KVM here: a boot takes half a minute."""


class GuestError(Exception):
    """The guest did not do what was asked. ``str()`` says what, and what it said."""


def until(true: Callable[[], Any], what: str, seconds: float = PATIENCE, pause: float = 0.1) -> Any:
    """Waits for another machine until ``true()`` is; raises ``GuestError`` after ``seconds``."""
    end = time.monotonic() + seconds
    while not (value := true()):
        if time.monotonic() > end:
            raise GuestError(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(pause)
    return value


def state_disk(path: Path, megabytes: int = 64) -> Path:
    """An empty disk for the box's state."""
    path.unlink(missing_ok=True)
    words = ["mke2fs", "-q", "-F", "-t", "ext4", "-L", "STATE", str(path), f"{megabytes}M"]
    subprocess.run(words, check=True, capture_output=True)
    return path


def overlay(path: Path, backing: Path) -> Path:
    """A disk that starts as ``backing`` and keeps its changes to itself."""
    path.unlink(missing_ok=True)
    kind = "qcow2" if backing.suffix == ".qcow2" else "raw"
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(backing), "-F", kind, str(path)], check=True)
    return path


class Guest:
    """``directory`` keeps the disks between boots; ``tree`` is what the guest sees as /tree."""

    def __init__(self, directory: Path, image: Path | None = None, tree: Path | None = None) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self.disk = directory / "disk.qcow2"
        self.state = directory / "state.ext4"
        self.state_log: Path | None = None
        image = image or built() / "installed.qcow2"
        if not image.exists():
            raise GuestError(f"{image} is not there: build the guest first (make vm)")
        if not self.disk.exists():
            overlay(self.disk, image)
        if not self.state.exists():
            state_disk(self.state)
        self.tree = tree or HERE / "guest"
        self.boot_seconds = 0.0
        self._sockets = Path(tempfile.mkdtemp(prefix="mbvm-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._plugs: dict[str, socket.socket] = {}
        self._heard = b""
        self._number = 0
        self.tapped = b""

    # -- power

    def start(self, append: str = "") -> None:
        """Switches it on and waits until its agent answers."""
        boot = Boot(
            self.disk, self.state, self._sockets, {"tests": HERE / "guest", "tree": self.tree}, self.state_log, append
        )
        begun = time.monotonic()
        with (self._sockets / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(boot.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for name in ("agent", "qmp", "scanner"):
            self._plugs[name] = self._connect(name)
        self._read_qmp()
        self.qmp("qmp_capabilities")
        self._heard, self.tapped = b"", b""
        self._wait_for_line(lambda message: "ready" in message, PATIENCE)
        self.boot_seconds = time.monotonic() - begun

    def kill(self) -> None:
        """Pulls the plug."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._unplug_all()

    def stop(self) -> None:
        """Shuts it down as one should."""
        assert self._process is not None
        self.sh("systemctl poweroff --no-block")
        self._process.wait(PATIENCE)
        self._unplug_all()

    def close(self) -> None:
        """Off, and its sockets gone; the disks stay in its directory."""
        self.kill()
        shutil.rmtree(self._sockets, ignore_errors=True)

    @property
    def console(self) -> str:
        """What it wrote on its serial console."""
        try:
            return (self._sockets / "console").read_text(errors="replace")
        except OSError:
            return ""

    def _unplug_all(self) -> None:
        for plug in self._plugs.values():
            plug.close()
        self._plugs.clear()
        self._process = None

    def _connect(self, name: str) -> socket.socket:
        plug = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

        def connected() -> bool:
            assert self._process is not None
            if self._process.poll() is not None:
                raise GuestError(f"QEMU does not start: {(self._sockets / 'qemu.log').read_text(errors='replace')}")
            try:
                plug.connect(str(self._sockets / name))
            except OSError:
                return False
            return True

        until(connected, f"QEMU's socket {name}", 60)
        return plug

    # -- the agent

    def call(self, function: str, *arguments: Any, seconds: float = PATIENCE) -> Any:
        """Calls ``module.function`` of ``guest/`` in the guest and gives what it returns."""
        self._number += 1
        number = self._number
        request = {"id": number, "call": function, "args": arguments}
        self._plugs["agent"].sendall(json.dumps(request).encode() + b"\n")
        answer = self._wait_for_line(lambda message: message.get("id") == number, seconds)
        if "error" in answer:
            raise GuestError(f"{function}{arguments}: {answer['error']}")
        return answer["value"]

    def sh(self, command: str, check: bool = True, seconds: float = 120.0) -> str:
        """A shell command of root; its output. Raises ``GuestError`` when it fails, unless told not to."""
        status, output = self.call("shell.run", command, seconds, seconds=seconds + PATIENCE)
        if check and status != 0:
            raise GuestError(f"`{command}` ended with {status}: {output}")
        return str(output)

    def _wait_for_line(self, wanted: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        agent = self._plugs["agent"]
        while True:
            line, newline, rest = self._heard.partition(b"\n")
            if newline:
                self._heard = rest
                message: dict[str, Any] = json.loads(line)
                if wanted(message):
                    return message
                continue
            agent.settimeout(max(end - time.monotonic(), 0.01))
            try:
                data = agent.recv(1 << 16)
            except TimeoutError:
                raise GuestError(f"no answer within {seconds:.0f} s; its console: {self.console[-2000:]}") from None
            if not data:
                raise GuestError(f"it is off; its console: {self.console[-2000:]}")
            self._heard += data

    # -- QEMU: cables

    def qmp(self, command: str, **arguments: Any) -> Any:
        """One command to QEMU itself."""
        request = {"execute": command, "arguments": arguments}
        self._plugs["qmp"].sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = self._read_qmp()
            if "return" in message:
                return message["return"]
            if "error" in message:
                raise GuestError(f"QEMU: {command}: {message['error']['desc']}")

    def _read_qmp(self) -> dict[str, Any]:
        line = b""
        while not line.endswith(b"\n"):
            line += self._plugs["qmp"].recv(1)
        message: dict[str, Any] = json.loads(line)
        return message

    def plug_scanner(self) -> None:
        """A scanner on a USB cable with a serial port in its plug (an FTDI)."""
        self._plug_serial("scanner", SCANNER_SERIAL)

    def _plug_serial(self, end: str, serial: str) -> None:
        device = {"driver": "usb-serial", "chardev": end, "id": f"usb-{end}", "serial": serial, "always-plugged": True}
        # An unplugged one lets go of its end in its own time.
        until(lambda: self._done("device_add", **device), f"the plug of {serial}", 20)

    def unplug_scanner(self) -> None:
        """Its cable is pulled."""
        self.qmp("device_del", id="usb-scanner")

    def plug_other_port(self) -> None:
        """Another USB serial port, with nothing at its end."""
        self.qmp("chardev-add", id="nothing", backend={"type": "null", "data": {}})
        self._plug_serial("nothing", "OTHER")

    def unplug_other_port(self) -> None:
        """It goes again."""
        self.qmp("device_del", id="usb-nothing")
        until(lambda: self._done("chardev-remove", id="nothing"), "the other port's end", 20)

    def _done(self, command: str, **arguments: Any) -> bool:
        try:
            self.qmp(command, **arguments)
        except GuestError:
            return False
        return True

    def plug_keyboard(self) -> None:
        """A scanner that pretends to be a keyboard."""
        self.qmp("device_add", driver="usb-kbd", id="usb-keyboard", serial=KEYBOARD_SERIAL)

    def unplug_keyboard(self) -> None:
        """Its cable is pulled."""
        self.qmp("device_del", id="usb-keyboard")

    def scan(self, payload: str) -> None:
        """The serial scanner reads a code."""
        self._plugs["scanner"].sendall(payload.encode() + b"\r\n")

    def scan_without_end(self, part: str) -> None:
        """The serial scanner has sent a part of a code."""
        self._plugs["scanner"].sendall(part.encode())

    def type(self, digits: str) -> None:
        """The keyboard scanner reads a code of digits: each key down and up, then Return."""
        for key in [*digits, "ret"]:
            for down in (True, False):
                event = {"type": "key", "data": {"down": down, "key": {"type": "qcode", "data": key}}}
                self.qmp("input-send-event", events=[event])

    # -- the simulated I2C bus

    def tap(self) -> bytes:
        """All records of the bus since the boot's first call (see ``modules/i2c_fake.c``)."""
        self.tapped += base64.b64decode(self.call("tap.take", len(self.tapped)))
        return self.tapped
