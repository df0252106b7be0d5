"""The box in Home Assistant's own MQTT integration, headless, on a real Mosquitto: `make test-home-assistant`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("homeassistant", reason="make test-home-assistant installs it")

import paho.mqtt.client as paho
from homeassistant.helpers import device_registry, entity_registry
from paho.mqtt.enums import CallbackAPIVersion
from pytest_homeassistant_custom_component.common import MockConfigEntry

PATIENCE = 60.0


def wait_for(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end


async def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "never"
        await asyncio.sleep(0.05)


@pytest.fixture
def said() -> dict[str, Any]:
    """What the box says: made by tests/home_assistant/payload.py."""
    found: dict[str, Any] = json.loads(Path(os.environ["MIND_BOX_DEVICE"]).read_text())
    return found


class Broker:
    def __init__(self, directory: Path) -> None:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self._config = directory / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {directory}/\nuser root\n"
        )
        self.start()

    def start(self) -> None:
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self._process = subprocess.Popen([program, "-c", str(self._config)])

        def there() -> bool:
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for(there)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


@pytest.fixture
def broker(socket_enabled: None, tmp_path: Path) -> Iterator[Broker]:
    del socket_enabled  # sockets are shut there until it is asked for
    broker = Broker(tmp_path)
    yield broker
    broker.stop()


@pytest.fixture
def box(broker: Broker, said: dict[str, Any]) -> Iterator[Any]:
    """Says what a box says when it comes."""
    client = paho.Client(CallbackAPIVersion.VERSION2, "box")
    client.will_set(said["base"] + "availability", "offline", 1, True)
    heard: list[str] = []
    client.on_message = lambda _, __, message: heard.append(message.topic)
    client.heard = heard  # type: ignore[attr-defined]

    def came(client: Any, *_: Any) -> None:
        client.subscribe(said["base"] + "identify", 1)
        client.publish(said["topic"], json.dumps(said["config"]), 1, True)
        client.publish(said["base"] + "availability", "online", 1, True)
        client.publish(said["base"] + "about", said["about"], 1, True)
        client.publish(said["base"] + "state", said["play"], 0, True)

    client.on_connect = came
    client.reconnect_delay_set(1, 1)
    client.connect("127.0.0.1", broker.port, 5)
    client.loop_start()
    yield client
    client.loop_stop()


async def test_home_assistant_finds_the_box(
    hass: Any, broker: Broker, box: Any, said: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "configuration.yaml").write_text("")
    hass.config.config_dir = str(tmp_path)
    entry = MockConfigEntry(
        domain="mqtt", data={"broker": "127.0.0.1", "port": broker.port}, version=1, minor_version=2, title="mqtt"
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    parts = said["config"]["components"]
    registry = entity_registry.async_get(hass)

    def ours() -> dict[str, str]:
        by_id = {entity.unique_id: entity.entity_id for entity in registry.entities.values()}
        return {name: by_id[part["unique_id"]] for name, part in parts.items() if part["unique_id"] in by_id}

    await until(lambda: len(ours()) == len(parts))
    there = ours()

    def state(name: str) -> str | None:
        found = hass.states.get(there[name])
        return None if found is None else str(found.state)

    await until(lambda: state("phase") == "play")
    assert (state("level"), state("lives"), state("stars"), state("problem")) == ("3", "2", "1", "off")
    await until(lambda: state("firmware") == json.loads(said["about"])["version"])
    assert state("reader_1") == "on"
    devices = {registry.async_get(entity).device_id for entity in there.values()}
    assert len(devices) == 1, "it is one device"
    device = device_registry.async_get(hass).async_get(devices.pop())
    assert (device.manufacturer, device.name) == ("mind-box", "Table 3")

    box.publish(said["base"] + "event", said["error"], 1)
    await until(lambda: hass.states.get(there["happened"]).attributes.get("event_type") == "error")
    assert hass.states.get(there["happened"]).attributes["early"] == 29

    box.publish(said["base"] + "state", said["broken"], 0, True)
    await until(lambda: state("problem") == "on" and state("reader_1") == "off")
    assert hass.states.get(there["problem"]).attributes["missing"] == ["reader"]

    await hass.services.async_call("button", "press", {"entity_id": there["identify"]}, blocking=True)
    await until(lambda: box.heard == [said["base"] + "identify"])

    broker.stop()
    await until(lambda: state("phase") == "unavailable")
    broker.start()
    await until(lambda: state("phase") == "play")

    box.publish(said["base"] + "availability", "offline", 1, True)
    await until(lambda: state("level") == "unavailable")
    box.publish(said["topic"], "", 1, True)
    await until(lambda: not ours())
    assert await hass.config_entries.async_unload(entry.entry_id)
