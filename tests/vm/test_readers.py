"""Card readers on real USB: a serial scanner that comes back under another number, a keyboard that is grabbed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.vm.box import UNIT, Box
from tests.vm.guest import until
from tests.vm.qemu import KEYBOARD, SCANNER


@pytest.fixture
def playing(box: Box) -> Box:
    """Level 1 with three players, begun."""
    box.expect(faults=[])
    box.begin(1, 2, 3)
    return box


@pytest.mark.quick
def test_unplugged_and_back_under_another_number(playing: Box) -> None:
    box, guest = playing, playing.guest
    box.scan("12")
    box.expect(piles=[[12]])
    first = guest.sh(f"readlink -f {SCANNER}").strip()
    guest.scan_without_end("MB1:042:F")  # what is cut before its check may be a card: a code may end with nothing
    guest.sh("sleep 0.5")  # half a code has reached the box when the cable is pulled
    guest.unplug_scanner()
    box.expect(faults=["reader"], notices=["reader_lost"])
    guest.plug_other_port()  # which takes the number that is free now
    try:
        until(lambda: guest.sh(f"test -e {first}; echo $?").strip() == "0", "the other port", 20)
        guest.plug_scanner()
        box.expect(faults=[], notices=["reader_back"])
        assert guest.sh(f"readlink -f {SCANNER}").strip() != first
    finally:
        guest.unplug_other_port()
    box.scan("56")
    box.expect(piles=[[12, 56]])


@pytest.mark.quick
def test_the_first_serial_port_that_this_system_sees_comes_after_the_service(box: Box) -> None:
    """Its driver was not there when the unit's list of allowed devices was made."""
    guest = box.guest
    guest.sh(f"systemctl stop {UNIT}")
    guest.unplug_scanner()
    guest.sh("for _ in 1 2 3 4 5 6 7 8 9; do modprobe -r ftdi_sio usbserial && break; sleep 0.3; done")
    assert guest.sh("grep -c ttyUSB /proc/devices", check=False).strip() == "0"
    guest.sh(f"systemctl start {UNIT}")
    box.until_up()
    box.expect(faults=["reader"])
    guest.plug_scanner()
    box.expect(faults=[], notices=["reader_back"])


@pytest.fixture
def keyboard(box: Box) -> Iterator[Box]:
    """A box whose reader is a keyboard."""
    box.guest.plug_keyboard()
    try:
        box.configure(reader=f'kind = "hid"\ndevice = "{KEYBOARD}"')
        box.restart(empty=True)
        yield box
    finally:
        box.guest.unplug_keyboard()


def test_a_keyboard_scanner_is_grabbed(keyboard: Box) -> None:
    box, guest = keyboard, keyboard.guest
    box.expect(faults=[])
    box.begin(1, 2, 3)
    guest.type("42")
    box.expect(piles=[[42]])
    second = (
        "import fcntl, os; fd = os.open('" + KEYBOARD + "', os.O_RDONLY)\n"
        "try: fcntl.ioctl(fd, 0x40044590, 1)\n"
        "except OSError as e: print(e.errno)"
    )
    assert guest.sh(f'python3 -c "{second}"').strip() == "16", "the keyboard could be grabbed a second time"
    guest.unplug_keyboard()
    box.expect(faults=["reader"])
    guest.plug_keyboard()
    box.expect(faults=[])
    guest.type("57")
    box.expect(piles=[[42, 57]])


def test_what_is_typed_reaches_the_console_only_without_the_box(keyboard: Box) -> None:
    """The control for the grab: the same keys, with the box stopped, are typed into the console."""
    guest = keyboard.guest
    guest.sh(
        "systemd-run --unit console sh -c 'stty -F /dev/tty1 -icanon -echo; chvt 1; exec cat < /dev/tty1 > /run/typed'"
    )
    try:
        keyboard.begin(1, 2, 3)
        guest.type("42")
        keyboard.expect(piles=[[42]])
        assert guest.sh("cat /run/typed") == ""
        guest.sh("systemctl stop mind-box")
        guest.type("57")
        until(lambda: "57" in guest.sh("cat /run/typed"), "keys on the console", 10)
    finally:
        guest.sh("systemctl stop console; rm -f /run/typed", check=False)
