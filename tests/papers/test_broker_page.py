"""The examples of docs/broker.md and docs/club.md are what the program says and understands."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from dataclasses import fields
from typing import Any

import pytest

from mind_box import __version__
from mind_box.broker import topics
from mind_box.broker.on_broker import BoxOnBroker
from mind_box.broker.topics import Result, read, read_result
from mind_box.settings.loading import parse
from mind_box.settings.schema import BrokerSettings
from mind_box.table.view import View
from tests.papers.pages import codes, page, section

PAGE = "docs/broker.md"
EXAMPLES: list[str] = re.findall(r"^```json\n(.*?)\n```$", page(PAGE), re.S | re.M)


def example(field: str, value: Any = None) -> str:
    """The one example that has this field."""
    found = [text for text in EXAMPLES if field in json.loads(text) and value in (None, json.loads(text)[field])]
    assert len(found) == 1, field
    return found[0]


def test_state_is_as_the_box_says_it() -> None:
    assert topics.text_of_state(View(), "en") == example("view")


@pytest.mark.parametrize("code", ["error", "level_complete"])
def test_an_event_is_as_the_box_says_it(code: str) -> None:
    text = example("event_type", code)
    told = json.loads(text)
    entry = {"code": code} | {name: told[name] for name in told if name not in ("format", "id", "event_type")}
    assert topics.text_of_event(entry, told["id"]) == text


def test_a_result_is_read_and_written() -> None:
    text = example("seq")
    assert read_result(text.encode()).to_text() == text
    assert set(json.loads(text)) == {f.name for f in fields(Result)} | {"format"}


def test_the_rest_is_as_it_is_said() -> None:
    had, about, hub = (json.loads(example(name)) for name in ("had", "readers", "run"))
    assert topics.text_of_had(had["box"], had["had"]) == example("had")
    about_text = topics.text_of_about(__version__, about["box"], about["seats"], about["readers"])
    assert about_text == example("readers")
    assert topics.text_of_hub(hub["run"], True) == example("run")
    assert topics.text_of_owner(had["box"]) in EXAMPLES
    assert all(read(text.encode()) for text in EXAMPLES)


def test_every_topic_of_the_box_is_in_the_table() -> None:
    table = section(PAGE, "Topics").partition("| topic |")[2].partition("\n\n")[0]
    named = {codes(row.split("|")[1])[0] for row in table.splitlines()[2:]}
    said = set(re.findall(r'(?:_publish|of)\("(\w+)"', inspect.getsource(BoxOnBroker)))
    asked = {"availability", "owner", "identify", "had"}
    assert named == said | asked | {"event"}


@pytest.mark.parametrize("name", ["docs/broker.md", "docs/club.md"])
def test_the_settings_of_the_pages_are_settings(name: str) -> None:
    blocks = re.findall(r"^```toml\n(.*?)\n```$", page(name), re.S | re.M)
    assert blocks
    for text in blocks:
        assert tomllib.loads(text)
        parse(text)


def test_settings_that_go_wrong_are_named() -> None:
    assert {f.name for f in fields(BrokerSettings)} <= set(codes(page("docs/settings.md")))
