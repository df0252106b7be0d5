"""Scanners that pretend to be keyboards."""

from __future__ import annotations

import errno
import os
import string
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.devices.ports import Reader
from mind_box.devices.readers import appearance, keyboard, open_reader
from mind_box.devices.readers.keyboard import EVENT, EVIOCGRAB, KeyboardTransport, Keys
from mind_box.devices.readers.transport import Gone
from mind_box.game.state import Game
from mind_box.settings.schema import ReaderSettings
from mind_box.show.sentences import saying
from mind_box.show.words import words_for
from mind_box.table.inputs import DeviceLost
from mind_box.table.payload import encode, parse
from mind_box.table.table import Table
from tests.readers.cables import InputDevice
from tests.readers.conftest import Inbox, VirtualLoop
from tests.readers.keys import (
    CODES,
    DOWN,
    KEYPAD,
    LEFT_ALT,
    LEFT_CTRL,
    LEFT_SHIFT,
    REPEAT,
    RIGHT_ALT,
    RIGHT_SHIFT,
    UP,
    by_number,
    packed,
    stuck,
    tap,
    typed,
)


def decoded(events: Iterable[tuple[int, int, int]]) -> str:
    keys = Keys()
    return b"".join(keys.event(*event) for event in events).decode()


@pytest.mark.parametrize("shift", [LEFT_SHIFT, RIGHT_SHIFT])
def test_every_printable_character_of_a_us_keyboard(shift: int) -> None:
    text = "".join(c for c in string.printable if 0x20 <= ord(c) < 0x7F) + "\r\t"
    assert decoded(typed(text, shift)) == text


def test_the_keypad_types_digits() -> None:
    assert decoded(e for c in "4012345678\r9" for e in tap(KEYPAD[c])) == "4012345678\r9"


def test_a_held_key_types_once() -> None:
    assert decoded([(1, 5, DOWN), (1, 5, REPEAT), (1, 5, REPEAT), (1, 5, UP), *tap(3), *tap(28)]) == "42\r"


def test_ctrl_m_ends_a_code() -> None:
    assert decoded([*typed("42"), (1, LEFT_CTRL, DOWN), *tap(CODES["m"]), (1, LEFT_CTRL, UP)]) == "42\r"


@pytest.mark.parametrize("digits", [1, 3, 4])
def test_alt_and_a_number_type_one_character(digits: int) -> None:
    """Taken as digits, the 7 of a label (055) would lay card 55."""
    assert decoded(by_number("7", digits)) == "7"
    assert decoded(by_number("MB1:042:F2\r", digits)) == "MB1:042:F2\r"
    assert decoded([*by_number("4", digits), *typed("2\r")]) == "42\r"


@pytest.mark.parametrize("keys", ["0128", "0228", "0", "999999", "55\r"])
def test_what_alt_types_beyond_ascii_spoils_the_code(keys: str) -> None:
    typing = [e for key in keys for e in tap(KEYPAD[key])]
    assert "\x00" in decoded([(1, LEFT_ALT, DOWN), *typing, (1, LEFT_ALT, UP)])


@pytest.mark.parametrize("between", [tap(LEFT_SHIFT), [(1, LEFT_ALT, REPEAT)]])
def test_a_number_goes_on_until_alt_itself_is_let_go(between: list[tuple[int, int, int]]) -> None:
    first, second = ([e for key in keys for e in tap(KEYPAD[key])] for keys in ("05", "5"))
    assert decoded([(1, LEFT_ALT, DOWN), *first, *between, *second, (1, LEFT_ALT, UP)]) == "7"


def test_alt_with_a_letter_spoils_the_code_and_alone_types_nothing() -> None:
    """Right Alt and Q is the @ of a German keyboard."""
    assert decoded([(1, RIGHT_ALT, DOWN), *tap(CODES["q"]), (1, RIGHT_ALT, UP)]) == "\x00"
    assert decoded([(1, LEFT_ALT, DOWN), (1, LEFT_ALT, UP), *tap(5)]) == "4"


def test_lost_events_spoil_the_code_under_way_and_let_go_of_shift() -> None:
    assert decoded([(1, LEFT_SHIFT, DOWN), *tap(30), (0, 3, 0), *tap(30)]) == "A\x00a"


@given(st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535), st.integers(-(2**31), 2**31 - 1)), max_size=50))
def test_no_event_raises(events: list[tuple[int, int, int]]) -> None:
    decoded(events)


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InputDevice]:
    device = InputDevice(tmp_path / "event0")
    monkeypatch.setattr(keyboard, "ioctl", device.ioctl)
    device.plug()
    yield device
    device.unplug()


def test_it_is_grabbed_or_it_is_not_used(device: InputDevice) -> None:
    """usb_barcode_scanner#9: keys also reach the console."""
    KeyboardTransport(str(device.link)).close()
    assert device.grabs == [(EVIOCGRAB, 1)] == [(0x40044590, 1)]
    device.refuse = OSError(errno.EBUSY, "Device or resource busy")
    with pytest.raises(Gone, match="grabbed by another program"):
        KeyboardTransport(str(device.link))
    device.refuse = OSError(errno.ENOTTY, "Inappropriate ioctl for device")
    with pytest.raises(Gone, match="no input device"):
        KeyboardTransport(str(device.link))


def test_a_serial_port_that_was_named_by_mistake_does_not_become_the_boxs_terminal() -> None:
    """Unplugged, it would end the service with SIGHUP."""
    ends = os.openpty()
    code = f"""
import os
from mind_box.devices.readers.keyboard import Gone, KeyboardTransport
try:
    KeyboardTransport({os.ttyname(ends[1])!r})
except Gone as e:
    print(e)
try:
    os.open("/dev/tty", os.O_RDWR)
except OSError as e:
    print(e.errno)
"""
    said = subprocess.run([sys.executable, "-c", code], start_new_session=True, capture_output=True, text=True)
    for end in ends:
        os.close(end)
    assert "no input device" in said.stdout
    assert said.stdout.endswith(f"{errno.ENXIO}\n")


def test_events_cut_in_the_middle_are_put_together(device: InputDevice) -> None:
    transport = KeyboardTransport(str(device.link))
    data = packed(typed("MB1:042:F2\r"))
    got = b""
    for byte in data:
        device.send(bytes((byte,)))
        got += transport.read()
    assert got == b"MB1:042:F2\r"
    assert transport.read() == b""
    transport.close()


def test_closing_what_is_gone_does_not_raise(device: InputDevice) -> None:
    transport = KeyboardTransport(str(device.link))
    os.close(transport.fileno())
    transport.close()


def test_a_scanner_that_is_unplugged_is_found_again(
    loop: VirtualLoop, inbox: Inbox, device: InputDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openWB#1179: ENODEV ended the loop."""
    reader = open_reader(ReaderSettings(kind="hid", device=str(device.link)), inbox.append, loop)
    device.send(packed(typed("mb1:042:f2\r")))
    loop.run(0.1)
    assert inbox.payloads == ["mb1:042:f2"]
    real = os.read
    gone = [OSError(errno.ENODEV, "No such device")]
    monkeypatch.setattr(os, "read", lambda fd, n: real(fd, n) if not gone else _raise(gone.pop()))
    device.send(packed(typed("4")))
    loop.run(6)
    assert inbox.kinds() == ["Scan", "DeviceLost", "DeviceBack"]
    device.send(packed(typed("7\r")))
    loop.run(0.1)
    assert inbox.payloads[-1] == "7"
    reader.close()


def test_an_absent_scanner_is_said_with_the_cure(loop: VirtualLoop, inbox: Inbox, tmp_path: Path) -> None:
    reader = open_reader(ReaderSettings(kind="hid", device=str(tmp_path / "none")), inbox.append, loop)
    assert isinstance(inbox[0], DeviceLost)
    assert "/dev/input/by-id" in inbox[0].why
    reader.close()


def _raise(error: OSError) -> bytes:
    raise error


def test_an_event_has_the_size_of_the_kernels_own() -> None:
    """Two longs and eight bytes: 24 on a 64-bit Pi, 16 on a 32-bit one."""
    assert EVENT.size == 2 * struct.calcsize("l") + 8


# -- keys whose release never comes, and locks


@pytest.mark.parametrize("key", [LEFT_SHIFT, RIGHT_SHIFT, LEFT_CTRL, 97, LEFT_ALT, RIGHT_ALT, 125, 58, 69, 70])
@pytest.mark.parametrize("end", ["\r", "\t"])
def test_a_modifier_that_is_never_let_go_costs_one_code(key: int, end: str) -> None:
    codes = decoded([*stuck(key), *typed("M" + end), *typed("42\r"), *typed("42\r"), *by_number("42\r")])
    assert codes.endswith("42\r42\r42\r")
    assert codes[:-9].strip("\r\t\x00") in ("M", "")


def test_a_stuck_shift_costs_one_code_and_the_next_ones_count(
    loop: VirtualLoop, inbox: Inbox, device: InputDevice
) -> None:
    reader = appearing(loop, inbox, device)
    device.send(packed([*stuck(LEFT_SHIFT), *tap(CODES["m"]), *tap(CODES["\r"])]))
    for _ in range(3):
        loop.run(1.5)
        device.send(packed(typed("42\r")))
    loop.run(0.1)
    assert inbox.payloads == ["M", "42", "42", "42"]
    reader.close()


@pytest.mark.parametrize("pause", [0.1, 0.3, 1.0])
def test_keys_that_come_slowly_are_one_card(pause: float, loop: VirtualLoop, inbox: Inbox, device: InputDevice) -> None:
    reader = appearing(loop, inbox, device)
    for char in "MB1:042:F2\r":
        device.send(packed(typed(char)))
        loop.run(pause)
    assert inbox.payloads == ["MB1:042:F2"]
    reader.close()


def test_two_stuck_alts_do_not_keep_a_number_from_its_end() -> None:
    assert decoded([*stuck(LEFT_ALT, RIGHT_ALT), *by_number("42\r")]) == "42\r"


@pytest.mark.parametrize("lock", [58, 69, 70])
def test_caps_lock_and_num_lock_are_nothing(lock: int) -> None:
    assert decoded([*tap(lock), *typed("mb1:042:f2\r"), *tap(lock)]) == "mb1:042:f2\r"
    number = [e for digit in "52" for e in [*tap(lock), *tap(KEYPAD[digit])]]
    assert decoded([(1, LEFT_ALT, DOWN), *number, (1, LEFT_ALT, UP)]) == "4"


def test_a_scanner_without_enter_is_told_once_in_the_log_and_on_the_screen(
    loop: VirtualLoop, inbox: Inbox, device: InputDevice, caplog: pytest.LogCaptureFixture
) -> None:
    reader = appearing(loop, inbox, device)
    for _ in range(3):
        device.send(packed(typed("MB1:042:F2")))
        loop.run(5)
    assert inbox.payloads == []
    [lost] = inbox
    assert isinstance(lost, DeviceLost)
    [record] = caplog.records
    assert "set its suffix to Enter" in record.getMessage()
    table = Table(Game(), now=0.0)
    table.handle(lost)
    told = saying(table.view(), words_for("en"))
    assert (told.what, told.loud) == ("Scanner set wrongly", True)
    device.send(packed(typed("MB1:042:F2\r")))
    loop.run(0.1)
    assert inbox.kinds() == ["DeviceLost", "Scan", "DeviceBack"]
    table.handle(inbox[-1])
    assert table.view().faults == ()
    reader.close()


# -- keyboards of other countries


AZERTY = dict(zip("1234567890MAQZW:", "!@#$%^&*()" + ":QAWZ.", strict=True))
QWERTZ = {":": ">", "Y": "Z", "Z": "Y"}
CZECH = dict(zip("1234567890:", "!@#$%^&*()>", strict=True))


@pytest.mark.parametrize(
    ("keys", "word"),
    [pytest.param(AZERTY, "AZERTY"), pytest.param(QWERTZ, "QWERTZ"), pytest.param(CZECH, "Czech")],
)
@pytest.mark.parametrize("card", [1, 42, 100, "W7", "R31"])
def test_a_scanner_of_another_country_is_named_with_the_cure(
    keys: dict[str, str], word: str, card: int | str, loop: VirtualLoop, inbox: Inbox, device: InputDevice,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    reader = open_reader(ReaderSettings(kind="hid", device=str(device.link)), inbox.append, loop)
    for check in (True, False, True):
        device.send(packed(typed("".join(keys.get(c, c) for c in encode(card, check)) + "\r")))
        loop.run(2)
    assert [parse(p) for p in inbox.payloads] == [None] * 3
    [record] = caplog.records
    assert word in record.getMessage()
    assert "set its country to USA" in record.getMessage()
    device.send(packed(typed(encode(card) + "\r")))
    loop.run(2)
    assert parse(inbox.payloads[-1]) == card
    reader.close()


# -- a device that appears


def appearing(loop: VirtualLoop, inbox: Inbox, device: InputDevice) -> Reader:
    return open_reader(ReaderSettings(kind="hid", device=str(device.link)), inbox.append, loop)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3])
def test_a_scanner_that_was_asleep_is_heard_from_its_first_key(
    after: float, loop: VirtualLoop, inbox: Inbox, device: InputDevice
) -> None:
    reader = appearing(loop, inbox, device)
    for n in range(1, 4):
        device.unplug()
        loop.run(1000.1)  # the clock's own looks are a second apart
        grabs = len(device.grabs)
        device.plug()
        loop.run(0.001)
        assert len(device.grabs) == grabs + 1
        loop.run(after)
        device.send(packed(typed(f"{encode(n)}\r")))
        loop.run(0.01)
        assert inbox.payloads == [encode(card) for card in range(1, n + 1)]
        loop.run(1)
    reader.close()


def test_the_folder_of_the_name_may_come_after_the_start(
    loop: VirtualLoop, inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """/dev/input/by-id comes with the first device, and goes with the last."""
    folder = tmp_path / "input" / "by-id"
    node = InputDevice(tmp_path / "event7")
    monkeypatch.setattr(keyboard, "ioctl", node.ioctl)
    reader = open_reader(ReaderSettings(kind="hid", device=str(folder / "scanner")), inbox.append, loop)
    loop.run(1000.1)
    for n in (1, 2):
        node.plug()
        folder.mkdir(parents=True)
        loop.run(0.001)
        (folder / ".new").symlink_to(node.link)  # as udev does it
        (folder / ".new").rename(folder / "scanner")
        loop.run(0.001)
        assert len(node.grabs) == n
        (folder / "scanner").unlink()
        folder.rmdir()
        (tmp_path / "input").rmdir()
        node.unplug()
        loop.run(1000.1)
    reader.close()


def test_rights_that_come_a_moment_after_the_device(loop: VirtualLoop, inbox: Inbox, device: InputDevice) -> None:
    device.refuse = OSError(errno.EACCES, "Permission denied")
    reader = appearing(loop, inbox, device)
    loop.run(1000.1)
    device.refuse = None
    os.chmod(device.link, 0o660)
    loop.run(0.001)
    assert len(device.grabs) == 1
    reader.close()


def test_a_device_that_works_is_not_watched(
    loop: VirtualLoop, inbox: Inbox, device: InputDevice, tmp_path: Path
) -> None:
    files = len(os.listdir("/proc/self/fd"))
    reader = appearing(loop, inbox, device)
    assert len(os.listdir("/proc/self/fd")) == files + 1
    before = loop.wake_ups
    os.chmod(device.link, 0o660)
    (tmp_path / "event1").touch()
    loop.run(3600)
    assert loop.wake_ups - before <= 1
    reader.close()
    assert len(os.listdir("/proc/self/fd")) == files


def test_where_the_kernel_does_not_tell_it_is_looked_for(
    loop: VirtualLoop, inbox: Inbox, device: InputDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appearance, "_libc", lambda: None)
    device.unplug()
    reader = appearing(loop, inbox, device)
    loop.run(5)
    device.plug()
    loop.run(1.1)
    assert len(device.grabs) == 1
    reader.close()
