"""The box as Home Assistant finds it: one device, made from the settings and the names of the View's fields."""

from __future__ import annotations

import json
from typing import Any, get_args

from mind_box import __version__
from mind_box.broker.topics import Topics
from mind_box.page.spoken import NEWS
from mind_box.settings.schema import Config
from mind_box.table.view import ViewPhase

PHASES = tuple(phase for part in get_args(ViewPhase) for phase in (get_args(part) or (part,)))
HOME_PAGE = "https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload"
"""Where its fields are written down."""


def topic_of(prefix: str, box: str) -> str:
    """Where Home Assistant looks for it; ``box`` is the box's number. An empty payload there takes the device away."""
    return f"{prefix}/device/mind-box-{box}/config"


def text_of_device(config: Config, box: str, name: str, topics: Topics) -> str:
    """The payload: names of fields in full, as its page has them."""
    ident = f"mind-box-{box}"

    def part(what: str, platform: str, title: str, value: str, **more: Any) -> dict[str, Any]:
        return {
            "platform": platform,
            "unique_id": f"{ident}-{what}",
            "name": title,
            "value_template": "{{ " + value + " }}",
            **more,
        }

    def number(what: str, icon: str) -> dict[str, Any]:
        return part(what, "sensor", what.capitalize(), f"value_json.view.{what}", icon=icon, state_class="measurement")

    faults = topics.of("state")
    components: dict[str, Any] = {
        "phase": part("phase", "sensor", "Phase", "value_json.view.phase", device_class="enum", options=list(PHASES)),
        "level": number("level", "mdi:stairs"),
        "lives": number("lives", "mdi:rabbit"),
        "stars": number("stars", "mdi:star-four-points"),
        "problem": part(
            "problem",
            "binary_sensor",
            "Problem",
            "'ON' if value_json.view.faults else 'OFF'",
            device_class="problem",
            entity_category="diagnostic",
            json_attributes_topic=faults,
            json_attributes_template="{{ {'missing': value_json.view.faults} | tojson }}",
        ),
        "happened": {
            "platform": "event",
            "unique_id": f"{ident}-happened",
            "name": "Happened",
            "state_topic": topics.of("event"),
            "event_types": list(NEWS),
        },
        "firmware": part(
            "firmware",
            "sensor",
            "Program",
            "value_json.version",
            state_topic=topics.of("about"),
            entity_category="diagnostic",
        ),
        "identify": {
            "platform": "button",
            "unique_id": f"{ident}-identify",
            "name": "Identify",
            "device_class": "identify",
            "entity_category": "config",
            "command_topic": topics.of("identify"),
        },
    }
    for number_ in range(1, len(config.reader) + 1):
        which = "reader" if number_ == 1 else f"reader {number_}"
        components[f"reader_{number_}"] = part(
            f"reader-{number_}",
            "binary_sensor",
            "Reader" if number_ == 1 else f"Reader {number_}",
            f"'OFF' if '{which}' in value_json.view.faults else 'ON'",
            device_class="connectivity",
            entity_category="diagnostic",
            json_attributes_topic=topics.of("about"),
            json_attributes_template="{{ value_json.readers[" + str(number_ - 1) + "] | tojson }}",
        )
    device = {
        "identifiers": [ident],
        "name": name,
        "manufacturer": "mind-box",
        "model": f"{config.box.seats} seats",
        "sw_version": __version__,
    }
    return json.dumps(
        {
            "device": device,
            "origin": {"name": "mind-box", "sw_version": __version__},
            "availability_topic": topics.of("availability"),
            "state_topic": topics.of("state"),
            "qos": 1,
            "components": components,
        },
        ensure_ascii=False,
    )
