"""What the box sends to Home Assistant and what stands in its topics, as JSON: for a Python that has no mind-box."""

from __future__ import annotations

import json
from dataclasses import replace

from mind_box import __version__
from mind_box.broker.discovery import text_of_device, topic_of
from mind_box.broker.topics import Topics, text_of_about, text_of_event, text_of_state
from mind_box.settings.schema import Config
from mind_box.table.view import View

BOX = "9c41d2a07b55e318"
TOPICS = Topics("mind-box", "Table 3")
PLAY = View(phase="play", seats=(1, 2), level=3, last_level=12, lives=2, stars=1, remaining=6)


def payload() -> dict[str, object]:
    """All of it."""
    readers = [{"kind": reader.kind, "device": reader.device} for reader in Config().reader]
    return {
        "topic": topic_of("homeassistant", BOX),
        "config": json.loads(text_of_device(Config(), BOX, "Table 3", TOPICS)),
        "base": TOPICS.of(""),
        "about": text_of_about(__version__, BOX, 4, readers),
        "play": text_of_state(PLAY, "en"),
        "broken": text_of_state(replace(PLAY, level=4, faults=("reader",)), "en"),
        "error": text_of_event({"code": "error", "early": 29, "cards": [12]}, "run-1"),
    }


if __name__ == "__main__":
    print(json.dumps(payload()))
