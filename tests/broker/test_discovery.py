"""What Home Assistant is told, against its documented fields; its own integration reads it in tests/home_assistant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args, get_type_hints

import pytest

from mind_box.broker.discovery import PHASES
from mind_box.page.spoken import NEWS
from mind_box.settings.schema import Config, ReaderSettings
from mind_box.table.view import View
from tests.home_assistant.payload import BOX, TOPICS, payload

DEVICE = {"identifiers", "name", "manufacturer", "model", "sw_version", "hw_version", "serial_number",
          "configuration_url", "suggested_area", "via_device", "connections", "model_id"}  # fmt: skip
"""https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload and the pages of the platforms."""
ORIGIN = {"name", "sw_version", "support_url"}
SHARED = {"device", "origin", "components", "availability_topic", "state_topic", "command_topic", "qos", "encoding"}
OF_ALL = {"platform", "unique_id", "name", "icon", "entity_category", "device_class", "qos", "state_topic",
          "json_attributes_topic", "json_attributes_template", "availability_topic", "enabled_by_default"}  # fmt: skip
OF = {
    "sensor": {"value_template", "options", "state_class", "unit_of_measurement", "expire_after", "force_update"},
    "binary_sensor": {"value_template", "payload_on", "payload_off", "off_delay", "expire_after", "force_update"},
    "event": {"event_types", "value_template"},
    "button": {"command_topic", "command_template", "payload_press", "retain"},
}
CLASSES = {
    "sensor": {"enum"},
    "binary_sensor": {"problem", "connectivity"},
    "event": set[str](),
    "button": {"identify", "restart", "update"},
}
CATEGORIES = {"config", "diagnostic"}

CONFIG: dict[str, Any] = payload()["config"]  # type: ignore[assignment]


def test_the_device_has_documented_fields_only() -> None:
    assert set(CONFIG) <= SHARED
    assert set(CONFIG["device"]) <= DEVICE and CONFIG["device"]["identifiers"]
    assert set(CONFIG["origin"]) <= ORIGIN and CONFIG["origin"]["name"]
    assert payload()["topic"] == f"homeassistant/device/mind-box-{BOX}/config"


@pytest.mark.parametrize("name", CONFIG["components"])
def test_a_component_has_documented_fields_only(name: str) -> None:
    part = CONFIG["components"][name]
    assert set(part) <= OF_ALL | OF[part["platform"]], name
    assert part.get("device_class") in {None, *CLASSES[part["platform"]]}
    assert part.get("entity_category") in {None, *CATEGORIES}
    assert (part["platform"] == "button") == ("command_topic" in part), "nothing else may touch the box"
    assert part.get("command_topic") in (None, TOPICS.of("identify"))


def test_every_component_is_another() -> None:
    ids = [part["unique_id"] for part in CONFIG["components"].values()]
    assert len(set(ids)) == len(ids)


def test_a_phase_or_an_event_that_it_does_not_know_is_never_sent() -> None:
    """Home Assistant passes over what is not in its list."""
    words = get_type_hints(View)["phase"]
    assert set(PHASES) == {word for part in get_args(words) for word in (get_args(part) or (part,))}
    assert CONFIG["components"]["phase"]["options"] == list(PHASES)
    assert CONFIG["components"]["happened"]["event_types"] == list(NEWS)


def test_templates_name_fields_of_the_view() -> None:
    import re

    text = " ".join(part.get("value_template", "") for part in CONFIG["components"].values())
    named = set(re.findall(r"value_json\.view\.(\w+)", text))
    assert named and named <= set(View().to_json())


def test_each_reader_is_one_component() -> None:
    import json

    from mind_box.broker.discovery import text_of_device

    config = replace(Config(), reader=(ReaderSettings(), ReaderSettings(kind="pn532", device="/dev/ttyUSB1")))
    parts = json.loads(text_of_device(config, BOX, "x", TOPICS))["components"]
    assert {"reader_1", "reader_2"} <= set(parts)
