"""The link above real sockets: a real Mosquitto, and others that only look like a broker."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mind_box.broker.link import KEEP_ALIVE, LOOK, Link, Will
from mind_box.settings.schema import BrokerSettings
from tests.broker.certificates import Authority
from tests.broker.mosquitto import PATIENCE, Mosquitto, free_port
from tests.page.silent_link import SilentLink

WILL = Will("box/availability", "offline")


class Listener:
    """A ``User`` that subscribes to all and writes down what it hears."""

    def __init__(self) -> None:
        self.line: Link
        self.heard_: list[tuple[str, str, bool]] = []
        self.taken_: list[int] = []
        self.connections = 0
        self.losses = 0

    def came(self) -> None:
        self.connections += 1
        self.line.subscribe("box/#")

    def went(self) -> None:
        self.losses += 1

    def heard(self, topic: str, payload: bytes, retained: bool) -> None:
        self.heard_.append((topic, payload.decode(), retained))

    def taken(self, number: int) -> None:
        self.taken_.append(number)


def link_to(settings: BrokerSettings, name: str = "box", keep_alive: int = KEEP_ALIVE) -> Listener:
    user = Listener()
    user.line = Link(settings, name, WILL, user, asyncio.get_running_loop(), keep_alive=keep_alive)
    user.line.start()
    return user


async def known(user: Listener) -> None:
    """Whether there is a connection."""
    await until(lambda: user.line.up or user.line.trouble)


async def heard(user: Listener) -> None:
    await until(lambda: user.heard_)


async def until(true: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while not true():
        assert loop.time() < end, "never"
        await asyncio.sleep(0.01)


def at(port: int, **more: Any) -> BrokerSettings:
    return BrokerSettings(host="127.0.0.1", port=port, **more)


@pytest.fixture
def broker(tmp_path: Path) -> Any:
    broker = Mosquitto(tmp_path / "broker")
    yield broker
    broker.stop()


async def test_what_is_published_is_heard_and_taken(broker: Mosquitto) -> None:
    user = link_to(at(broker.port))
    await until(lambda: user.line.up)
    number = user.line.publish("box/state", "x" * 300_000, 1, True)
    await until(lambda: user.heard_ and user.taken_)
    assert (user.taken_, [len(text) for _, text, _ in user.heard_]) == ([number], [300_000])
    user.line.stop()
    later = link_to(at(broker.port), "other")
    await until(lambda: later.heard_)
    assert later.heard_[0][2], "it is retained"
    later.line.stop()


async def test_a_broker_that_starts_again_is_found_again(broker: Mosquitto) -> None:
    user = link_to(at(broker.port))
    await until(lambda: user.line.up)
    broker.kill()
    await until(lambda: not user.line.up and "nothing listens there" in user.line.trouble)
    broker.start()
    await until(lambda: user.line.up)
    assert (user.connections, user.losses, user.line.trouble) == (2, 1, "")
    user.line.stop()


async def test_a_link_that_is_stopped_leaves_no_will_and_one_that_is_cut_does(broker: Mosquitto) -> None:
    watcher = link_to(at(broker.port), "watcher")
    await until(lambda: watcher.line.up)
    first = link_to(at(broker.port), "box 1")
    await until(lambda: first.line.up)
    first.line.publish("box/last words", "bye", 1)
    first.line.stop()
    await until(lambda: watcher.heard_)
    assert watcher.heard_ == [("box/last words", "bye", False)]

    again = link_to(at(broker.port), "box 1")
    await until(lambda: again.line.up)
    usurper = link_to(at(broker.port), "box 1")  # the broker ends the older of two
    await until(lambda: (WILL.topic, WILL.payload, False) in watcher.heard_)
    for user in (watcher, again, usurper):
        user.line.stop()


async def test_two_of_one_number_are_told_after_a_while(broker: Mosquitto, caplog: pytest.LogCaptureFixture) -> None:
    both = [link_to(at(broker.port), "copied") for _ in range(2)]
    await until(lambda: "is there a copy" in caplog.text)
    for user in both:
        user.line.stop()


async def test_a_half_open_link_is_noticed_and_a_new_one_found(broker: Mosquitto) -> None:
    async def found() -> int:
        return broker.port

    cable = SilentLink(found)
    user = link_to(at(cable.port), keep_alive=1)
    await until(lambda: user.line.up)
    cable.cut()
    for _ in range(100):
        user.line.publish("box/event", "into the void")
    await until(lambda: user.losses)
    await until(lambda: user.connections == 2)
    user.line.stop()
    cable.close()


async def test_a_wrong_password_is_told_with_its_cure(tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    import subprocess

    subprocess.run(["mosquitto_passwd", "-b", passwords, "club", "right"], check=True, capture_output=True)
    broker = Mosquitto(tmp_path / "broker", f"password_file {passwords}", anonymous=False)
    secret = tmp_path / "password"
    settings = at(broker.port, user="club", password_file=str(secret))
    try:
        for text, trouble in (("wrong\n", "broker.user"), ("right\n", "")):
            secret.write_text(text)
            user = link_to(settings)
            await known(user)
            assert trouble in user.line.trouble and user.line.up == (not trouble)
            user.line.stop()
        secret.unlink()
        user = link_to(settings)
        await until(lambda: user.line.trouble)
        assert f"{secret}: cannot be read" in user.line.trouble
        user.line.stop()
        user = link_to(at(broker.port))
        await until(lambda: user.line.trouble)
        assert "broker.user" in user.line.trouble
        user.line.stop()
    finally:
        broker.stop()


async def test_tls_with_an_authority_of_ones_own(tmp_path: Path) -> None:
    club = Authority(tmp_path / "ca")
    stranger = Authority(tmp_path / "stranger")
    good = club.certificate("good", "20260101000000Z", "20991231000000Z")
    cases = [
        (good, str(club.ca), ""),
        (good, str(stranger.ca), "name its authority's file in broker.ca"),
        (good, str(tmp_path / "nowhere"), "cannot be read"),
        (good, str(good[1]), "holds no certificate in PEM"),
        (club.certificate("old", "20200101000000Z", "20210101000000Z"), str(club.ca), "has expired by this machine's"),
        (club.certificate("early", "20900101000000Z", "20990101000000Z"), str(club.ca), "is not valid yet by this"),
        (
            club.certificate("far", "20260101000000Z", "20990101000000Z", "10.1.2.3"),
            str(club.ca),
            "is for another name",
        ),
    ]
    for number, ((certificate, key), ca, trouble) in enumerate(cases):
        broker = Mosquitto(tmp_path / f"broker {number}", f"certfile {certificate}", f"keyfile {key}")
        user = link_to(at(broker.port, tls=True, ca=ca))
        try:
            await known(user)
            assert trouble in user.line.trouble and user.line.up == (not trouble), user.line.trouble
            if user.line.up:
                user.line.publish("box/state", "y" * 300_000, 1)
                await heard(user)
                plain = link_to(at(broker.port), "plain")
                await known(plain)
                assert "TLS" in plain.line.trouble
                plain.line.stop()
        finally:
            user.line.stop()
            broker.stop()


async def test_tls_with_a_broker_that_speaks_none(broker: Mosquitto) -> None:
    user = link_to(at(broker.port, tls=True))
    await until(lambda: user.line.trouble)
    assert "TLS" in user.line.trouble
    user.line.stop()


NO_BROKERS = (
    b"HTTP/1.1 400 Bad Request\r\n\r\n" * 20,
    b"\x00" * 64,
    b"\x20\x02\x00\x05",
    b"\xff\xff\xff\xff\xff",
    b"\x20\x02\x00\x00\x30\x02\x00\x09",
    b"\x20\x02\x00\x00\x32\x03\x00\x01\xff",
    b"",
)


@pytest.mark.parametrize("answer", NO_BROKERS)
async def test_what_is_no_broker_is_left_and_tried_again(answer: bytes) -> None:
    greeted = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer)
        await writer.drain()
        greeted.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    user = link_to(at(server.sockets[0].getsockname()[1]))
    await asyncio.wait_for(greeted.wait(), PATIENCE)
    await until(lambda: user.line.trouble and not user.line.up)
    user.line.stop()
    server.close()


async def test_places_where_nobody_is_are_told() -> None:
    async def trouble(settings: BrokerSettings) -> str:
        user = link_to(settings)
        await until(lambda: user.line.trouble)
        user.line.stop()
        return user.line.trouble

    assert "nothing listens there" in await trouble(at(free_port()))
    assert "its name is not known here" in await trouble(replace(at(1), host="no such name.invalid"))


async def test_a_far_broker_that_does_not_answer_holds_up_nobody() -> None:
    """Its queue of connections is full, so that connecting takes for ever: the loop lives on."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        port = deaf.getsockname()[1]
        others = [socket.socket() for _ in range(4)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", port))
        loop = asyncio.get_running_loop()
        user = link_to(at(port))
        longest = 0.0
        for _ in range(50):
            before = loop.time()
            await asyncio.sleep(0.01)
            longest = max(longest, loop.time() - before)
        assert not user.line.up
        assert longest < 1.0, "connecting takes 10 s"
        user.line.stop()
        for other in others:
            other.close()


def test_a_quiet_link_wakes_the_box_once_in_five_seconds_at_most() -> None:
    """A look, and for each question to the broker its answer."""
    assert 1 / LOOK + 1 / KEEP_ALIVE <= 0.2
