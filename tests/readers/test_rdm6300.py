"""RDM6300: frames with a checksum, repeated while the tag is there."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.devices.readers.driver import Say, Seen
from mind_box.devices.readers.rdm6300 import NO_TAG, RdmDriver, RdmFramer


def frame(number: bytes) -> bytes:
    check = 0
    for byte in number:
        check ^= byte
    return b"\x02" + number.hex().upper().encode() + b"%02X\x03" % check


def test_a_published_frame() -> None:
    assert list(RdmFramer().feed(b"\x020A00D45B5FDA\x03")) == [bytes.fromhex("0A00D45B5F")]


@pytest.mark.parametrize(
    "bad",
    [
        b"\x020A00D45B5FDB\x03", b"\x020G00D45B5FDA\x03", b"\x020A00D45B5FD\x03", b"\x020A00D45B5FDAA\x03",
        b"0A00D45B5FDA\x03", b"\x02\x03", b"\x020A00D45B5FDA", b"\x02\xff\xfe\x03",
    ],
)  # fmt: skip
def test_what_is_damaged_is_no_tag_and_costs_only_itself(bad: bytes) -> None:
    """DoorPi#154: a bad hex digit killed the reader thread."""
    good = bytes.fromhex("0102030405")
    assert list(RdmFramer().feed(bad + frame(good))) == [good]


def test_a_tag_that_stays_is_one_scan() -> None:
    driver = RdmDriver(1.0)
    driver.opened(0.0)
    tag = frame(bytes.fromhex("0A00D45B5F"))
    seen = [a for n in range(100) for a in driver.received(tag, n * 0.065)]
    assert seen == [Seen("0A:00:D4:5B:5F", 0.0)]
    assert driver.received(tag, 99 * 0.065 + 1.0) == [Seen("0A:00:D4:5B:5F", 99 * 0.065 + 1.0)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x020A00D45B5FDA\r\n\x03", id="ID-12LA"),
        pytest.param(b"\x020a00d45b5fda\x03", id="lower case"),
        pytest.param(b"\x020A00D45B5FDA\x03\r\n", id="CR LF behind"),
        pytest.param(b"\x020A00D45B5FDA\r\n", id="no ETX"),
    ],
)
def test_each_of_the_family_is_one_tag(data: bytes) -> None:
    for pieces in ([data * 3], [bytes((byte,)) for byte in data * 3]):
        driver = RdmDriver(1.0)
        actions = [*driver.opened(0.0), *(a for piece in pieces for a in driver.received(piece, 1.0))]
        assert actions[1:] == [Seen("0A:00:D4:5B:5F", 1.0)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"0001234567\r\n", id="a decimal number"),
        pytest.param(b"\n0A00D45B5F\r", id="no STX, no checksum"),
        pytest.param(b"\x0250020D45B5FD\r\n\x03", id="wrong length"),
        pytest.param(b"\x020A00D45B5FDB\x03", id="wrong checksum"),
        pytest.param(bytes(b ^ 0xFF for b in b"\x020A00D45B5FDA\x03"), id="inverted"),
        pytest.param(b"\x02" + b"8" * 26 + b"\x07\xf8\x03", id="134 kHz"),
    ],
)
def test_frames_that_never_become_tags_are_said_once_until_a_tag(data: bytes) -> None:
    driver = RdmDriver(1.0)
    driver.opened(0.0)
    assert [a for n in range(100) for a in driver.received(data, n)] == [Say(NO_TAG)]
    tag = b"\x020A00D45B5FDA\x03"
    assert driver.received(tag, 200) == [Seen("0A:00:D4:5B:5F", 200)]
    assert [a for n in range(100) for a in driver.received(data, 300 + n)] == [Say(NO_TAG)]


def test_a_glitch_of_the_plug_is_not_worth_a_word() -> None:
    driver = RdmDriver(1.0)
    assert [*driver.opened(0.0), *driver.received(b"\x00\xff\xfe", 0.1)][1:] == []


@given(st.lists(st.binary(min_size=5, max_size=5), max_size=8), st.randoms(use_true_random=False))
def test_tags_come_through_noise_byte_by_byte(tags: list[bytes], rng: random.Random) -> None:
    data = b"".join(bytes(b for b in rng.randbytes(9) if b != 2) + frame(tag) for tag in tags)
    framer = RdmFramer()
    assert [n for byte in data for n in framer.feed(bytes((byte,)))] == tags
