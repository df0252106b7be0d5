"""``[broker]`` and the doctor's look at it: what does not go together is refused by name and line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mind_box.broker.on_broker import name_of
from mind_box.doctor.broker import check
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene
from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import BrokerSettings, Config


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('name = "a/b"', r"line 2: broker\.name: stands in topics: .*without \+ and # and /"),
        ('name = "+"', r"broker\.name"),
        (f'name = "{"x" * 25}"', r"broker\.name: stands in topics: at most 24 letters"),
        ('prefix = "#"', r"broker\.prefix"),
        ('prefix = ""', r"broker\.prefix: is what all topics begin with"),
        ('home_assistant = "a+"', r"broker\.home_assistant"),
        ('ca = "/x"', r"broker\.ca: is for TLS only: set broker\.tls = true"),
        ('password_file = "/x"', r"broker\.password_file: is nobody's without a user"),
        ("port = 70000", r"broker\.port: must be from 0 to 65535"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        parse(f"[broker]\n{text}\n")


def test_a_box_without_a_name_is_called_as_its_machine() -> None:
    assert name_of(BrokerSettings()) and "." not in name_of(BrokerSettings())
    assert name_of(BrokerSettings(name="Fuchs")) == "Fuchs"


def verdicts(host: str, said: dict[str, Any] | None, missing: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    config = replace(Config(), broker=BrokerSettings(host=host))
    running = None if said is None else {"view": {"faults": []}, "broker": said}
    scene = Scene(config, running=running)
    return [(v.state, v.what) for v in check(scene, lambda name: None if name in missing else "2.0")]


def test_the_doctor_tells_what_the_running_box_knows() -> None:
    fine = {"name": "Fuchs", "connected": True, "trouble": "", "results_waiting": 3}
    assert verdicts("", fine) == []
    assert verdicts("there", fine) == [(OK, "connected with there as Fuchs"),
                                       (NOTE, "3 results wait for a hub (mind-box club)")]  # fmt: skip
    broken = fine | {"connected": False, "trouble": "nothing listens there", "results_waiting": 0}
    assert verdicts("there", broken) == [(WRONG, "there: nothing listens there")]
    assert [state for state, _ in verdicts("there", None)] == [NOTE]
    assert [state for state, _ in verdicts("auto", fine, ("zeroconf", "paho-mqtt"))][:2] == [WRONG, WRONG]
