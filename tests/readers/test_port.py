"""The supervised port: absent, unplugged, replugged, in use, broken; and quiet while nothing happens."""

from __future__ import annotations

import errno
import logging
import os
import pty
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest
import serial

from mind_box.devices.readers import open_reader
from mind_box.devices.readers.driver import Action, Silent, Working
from mind_box.devices.readers.port import RETRY, SETTLE, Port
from mind_box.devices.readers.transport import Gone, SerialTransport
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceBack, DeviceLost, Scan
from tests.readers.cables import Plug
from tests.readers.conftest import Inbox, VirtualLoop


@pytest.fixture
def settings(plug: Plug) -> ReaderSettings:
    return ReaderSettings(device=str(plug.link))


def test_an_absent_reader_is_said_once_with_the_cure(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    reader = open_reader(settings, inbox.append, loop)
    loop.run(60)
    assert inbox.kinds() == ["DeviceLost"]
    lost = inbox[0]
    assert isinstance(lost, DeviceLost)
    assert lost.device == "reader"
    assert "/dev/serial/by-id" in lost.why
    assert len(caplog.records) == 1
    reader.close()


def test_a_reader_is_found_within_two_seconds_and_said_to_be_back_once(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    reader = open_reader(settings, inbox.append, loop)
    assert max(RETRY) + SETTLE < 2
    for _ in range(3):
        loop.run(7.3)
        plugged = loop.now
        plug.plug()
        loop.run(2)
        back = inbox[-1]
        assert isinstance(back, DeviceBack)
        assert back.at - plugged < 2
        plug.send(b"MB1:042:F2\r")
        loop.run(2)
        plug.unplug()
    loop.run(0.1)
    assert inbox.kinds() == ["DeviceLost", "DeviceBack", "Scan"] * 3 + ["DeviceLost"]
    assert len(caplog.records) == 7
    reader.close()


def test_a_reader_that_comes_back_under_another_number_is_found_by_its_name(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug
) -> None:
    """klipper#299, thz#84: ttyUSB0 comes back as ttyUSB1; the name in by-id stays."""
    plug.plug()
    first = os.readlink(plug.link)
    keep = pty.openpty()
    reader = open_reader(settings, inbox.append, loop)
    plug.unplug()
    loop.run(0.1)
    taken = pty.openpty()
    plug.plug()
    assert os.readlink(plug.link) != first
    loop.run(2)
    plug.send(b"7\r")
    loop.run(0.1)
    assert inbox.payloads == ["7"]
    reader.close()
    for fd in (*keep, *taken):
        os.close(fd)


def test_a_healthy_reader_that_says_nothing_costs_no_wake_up(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug
) -> None:
    plug.plug()
    reader = open_reader(settings, inbox.append, loop)
    loop.run(1)
    before = loop.wake_ups
    loop.run(3600)
    assert loop.wake_ups - before <= 2
    assert inbox == []
    reader.close()


def test_each_scan_carries_the_time_of_its_last_byte(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug
) -> None:
    plug.plug()
    reader = open_reader(settings, inbox.append, loop)
    loop.run(1)
    plug.send(b"4")
    loop.run(0.02)
    plug.send(b"2")
    loop.run(0.001)
    last = loop.now
    loop.run(1)
    assert isinstance(inbox[0], Scan)
    assert last - 0.002 <= inbox[0].at <= last
    reader.close()


def test_the_port_is_ours_alone(loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug) -> None:
    """pyserial#341: a second reader takes half of the bytes; so the second one is refused, and says why."""
    plug.plug()
    reader = open_reader(settings, inbox.append, loop)
    second = Inbox()
    other = open_reader(settings, second.append, loop)
    assert isinstance(second[0], DeviceLost)
    assert "in use by another program" in second[0].why
    assert inbox == []
    reader.close()
    loop.run(2)
    assert second.kinds() == ["DeviceLost", "DeviceBack"]
    other.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EIO, "Input/output error"), "plug the reader in again"),
        (OSError(errno.ENODEV, "No such device"), "plug the reader in again"),
        (b"", "plug the reader in again"),
    ],
)
def test_a_port_that_fails_while_read_is_closed_and_opened_again(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug, monkeypatch: pytest.MonkeyPatch,
    error: OSError | bytes, words: str,
) -> None:  # fmt: skip
    """pyserial#341 #86: "readiness to read but no data" means unplugged; a closed pty gives OSError 5."""
    plug.plug()
    reader = open_reader(settings, inbox.append, loop)
    real = os.read
    broken = [error]

    def read(fd: int, count: int) -> bytes:
        if not broken:
            return real(fd, count)
        what = broken.pop()
        if isinstance(what, OSError):
            raise what
        return what

    monkeypatch.setattr(os, "read", read)
    plug.send(b"4")
    loop.run(2)
    assert inbox.kinds()[:2] == ["DeviceLost", "DeviceBack"]
    assert isinstance(inbox[0], DeviceLost)
    assert words in inbox[0].why
    plug.send(b"42\r")
    loop.run(1.2)
    assert inbox.payloads[-1].endswith("42")
    reader.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (serial.SerialException(errno.EACCES, "could not open port"), "group dialout"),
        (serial.SerialException(errno.EPERM, "could not open port"), "DeviceAllow="),
        (serial.SerialException(errno.ENOENT, "could not open port"), "is not there"),
        (serial.SerialException("Could not configure port: (25, 'Inappropriate ioctl')"), "no serial port"),
        (termios.error(5, "Input/output error"), "cannot be opened"),
        (OSError(errno.EIO, "Input/output error"), "is not there"),
        (ValueError("Not a valid baudrate: 5"), "Not a valid baudrate"),
    ],
)
def test_every_way_that_opening_fails_is_named(
    loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, monkeypatch: pytest.MonkeyPatch,
    error: Exception, words: str,
) -> None:  # fmt: skip
    """termios.error is no OSError, and SerialException only sometimes has a number."""

    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(serial, "Serial", refuse)
    reader = open_reader(settings, inbox.append, loop)
    loop.run(3)
    assert inbox.kinds() == ["DeviceLost"]
    assert isinstance(inbox[0], DeviceLost)
    assert words in inbox[0].why
    reader.close()


def test_a_file_that_is_no_serial_port_is_named(loop: VirtualLoop, tmp_path: Path, inbox: Inbox) -> None:
    (tmp_path / "plain").write_text("42\r")
    reader = open_reader(ReaderSettings(device=str(tmp_path / "plain")), inbox.append, loop)
    assert isinstance(inbox[0], DeviceLost)
    assert "no serial port" in inbox[0].why
    reader.close()


def test_after_close_nothing_is_posted(loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug) -> None:
    plug.plug()
    reader = open_reader(settings, inbox.append, loop)
    plug.send(b"42")
    loop.run(0.01)
    reader.close()
    plug.send(b"43\r")
    plug.unplug()
    loop.run(5)
    assert inbox == []
    reader.close()


def test_a_reader_closed_by_whoever_is_told_of_its_loss_stays_closed(
    loop: VirtualLoop, settings: ReaderSettings, plug: Plug
) -> None:
    inbox = Inbox()
    plug.plug()

    def post(what: object) -> None:
        inbox.append(what)  # type: ignore[arg-type]
        reader.close()

    reader = open_reader(settings, post, loop)
    plug.unplug()
    loop.run(1)
    plug.plug()
    loop.run(5)
    assert inbox.kinds() == ["DeviceLost"]


def test_bytes_that_nobody_takes_do_not_hold_up_the_program(plug: Plug) -> None:
    plug.plug()
    port = SerialTransport(str(plug.link), 9600)
    for _ in range(100):
        port.write(b"x" * 4096)
    port.close()


class Odd:
    """A driver whose steps go wrong."""

    deadline: float | None = None

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.actions: Sequence[Action] = (Working(),)

    def opened(self, now: float) -> Sequence[Action]:  # noqa: ARG002
        return self.actions

    def received(self, data: bytes, now: float) -> Sequence[Action]:  # noqa: ARG002
        if self.error is not None:
            raise self.error
        return self.actions

    def wake(self, now: float) -> Sequence[Action]:  # noqa: ARG002
        return ()


def test_a_driver_that_raises_becomes_a_lost_reader_and_is_tried_again(
    loop: VirtualLoop, inbox: Inbox, plug: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    """DoorPi#154: a bad hex digit killed the reader thread."""
    plug.plug()
    driver = Odd(ValueError("non-hexadecimal number found"))
    port = Port("reader", lambda: SerialTransport(str(plug.link), 9600), driver, inbox.append, loop, loop.time)
    plug.send(b"zz")
    loop.run(2)
    assert inbox.kinds() == ["DeviceLost", "DeviceBack"]
    assert "please report" in caplog.text or any("please report" in i.why for i in inbox if isinstance(i, DeviceLost))
    port.close()


def test_an_opener_that_raises_something_new_is_tried_again(
    loop: VirtualLoop, inbox: Inbox, plug: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    plug.plug()
    errors: list[Exception] = [*[RuntimeError("a library's surprise")] * 3, Gone("is not there")]

    def opener() -> SerialTransport:
        if errors:
            raise errors.pop(0)
        return SerialTransport(str(plug.link), 9600)

    port = Port("reader", opener, Odd(), inbox.append, loop, loop.time)
    loop.run(5)
    assert inbox.kinds() == ["DeviceLost", "DeviceBack"]
    assert caplog.text.count("Traceback") == 1
    port.close()


def test_a_device_that_is_there_but_silent_is_lost_and_not_back_before_it_answers(
    loop: VirtualLoop, inbox: Inbox, plug: Plug
) -> None:
    plug.plug()
    driver = Odd()
    driver.actions = (Silent("it says nothing"),)
    port = Port("reader", lambda: SerialTransport(str(plug.link), 9600), driver, inbox.append, loop, loop.time)
    loop.run(5)
    assert inbox.kinds() == ["DeviceLost"]
    driver.actions = (Working(), Silent("it says nothing"), Working())
    plug.send(b"x")
    loop.run(0.1)
    assert inbox.kinds() == ["DeviceLost"]
    loop.run(1)
    assert inbox.kinds() == ["DeviceLost", "DeviceBack"]
    port.close()


def test_a_device_that_opens_and_fails_at_once_is_not_reported_each_time(loop: VirtualLoop, inbox: Inbox) -> None:
    class Flapping:
        def __init__(self) -> None:
            self.ends = os.pipe()
            os.close(self.ends[1])

        def fileno(self) -> int:
            return self.ends[0]

        def read(self) -> bytes:
            raise Gone("it is gone")

        def write(self, data: bytes) -> None: ...

        def close(self) -> None:
            os.close(self.ends[0])

    port = Port("reader", Flapping, Odd(), inbox.append, loop, loop.time)
    loop.run(60)
    assert inbox.kinds() == ["DeviceLost"]
    port.close()


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3])
def test_a_reader_that_appears_and_sends_at_once_is_heard(
    after: float, loop: VirtualLoop, settings: ReaderSettings, inbox: Inbox, plug: Plug
) -> None:
    reader = open_reader(settings, inbox.append, loop)
    for n in (1, 2, 3):
        loop.run(1000.1)  # the clock's own looks are a second apart
        plug.plug()
        loop.run(0.001)
        loop.run(after)
        plug.send(b"MB1:042:F2\r")
        loop.run(0.01)
        assert len(inbox.payloads) == n
        loop.run(1)
        plug.unplug()
    reader.close()
