"""A broker found by mDNS, by a process that ends: `broker.host = "auto"`."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from zeroconf import ServiceInfo, Zeroconf

from mind_box.broker.finding import SERVICE, NotFound, find
from mind_box.broker.link import Link, Will
from mind_box.settings.schema import BrokerSettings
from tests.broker.mosquitto import Mosquitto
from tests.broker.test_link import Listener, until


@pytest.fixture
def network() -> Iterator[Zeroconf]:
    """What announces brokers, on this machine alone."""
    try:
        network = Zeroconf(interfaces=["127.0.0.1"])
    except OSError as e:
        pytest.skip(f"this machine has no multicast: {e}")
    yield network
    network.close()


def announce(network: Zeroconf, name: str, port: int) -> None:
    address = [socket.inet_aton("127.0.0.1")]
    network.register_service(ServiceInfo(SERVICE, f"{name}.{SERVICE}", addresses=address, port=port))


def test_of_several_brokers_the_first_by_name_is_taken(network: Zeroconf) -> None:
    announce(network, "zebra", 1884)
    announce(network, "badger", 1885)
    assert find(("127.0.0.1",)) == ("127.0.0.1", 1885)


def test_where_there_is_none_it_says_what_to_do() -> None:
    with pytest.raises(NotFound, match=r"no broker says by mDNS .* name it in broker\.host"):
        find(("127.0.0.1",))


def test_nothing_of_looking_stays_in_the_process(network: Zeroconf) -> None:
    announce(network, "badger", 1885)
    before = set(sys.modules)
    find(("127.0.0.1",))
    assert set(sys.modules) == before


async def test_a_link_takes_what_was_found_and_says_so(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker")
    user = Listener()
    settings = BrokerSettings(host="auto")
    loop = asyncio.get_running_loop()
    user.line = Link(settings, "box", Will("a", "b"), user, loop, find=lambda: ("127.0.0.1", broker.port))
    user.line.start()
    await until(lambda: user.line.up)
    assert user.line.place == f"127.0.0.1:{broker.port}"
    user.line.stop()
    broker.stop()
