"""The file on the card that sets a box up without a question: read, carried out, and what is wrong with it said."""

from __future__ import annotations

import configparser
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from mind_box.first_start import carrying_out, file
from mind_box.first_start.file import FirstStart, Network, read, without_secrets
from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import LANGUAGES, Config
from mind_box.show.words import words_for
from tests.first_start.person import Person
from tests.first_start.test_set_up import Card

SETTINGS = '[box]\nlanguage = "fr"\nseats = 3\n'
NETWORK = '[network]\nname = "Zu Hause"\npassword = "geheim; sehr\\\\"\ncountry = "DE"\n'
KEY = "ssh-ed25519 " + "A" * 68 + " me@home"
SYSTEM = f'[system]\nssh_key = "{KEY}"\nupdates = true\n'


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


def test_from_an_empty_card_to_level_1_by_the_file_alone(card: Card) -> None:
    state = f'state_dir = "{card.places.root}/state"\n'
    card.places.asked.write_bytes((SETTINGS + state + NETWORK + SYSTEM).encode())
    person = Person(card.config, there=False)
    assert card.start(person) == 0
    assert (card.config.box.language, card.config.box.seats) == ("fr", 3)
    assert not card.places.wanted.exists() and not card.places.asked.exists()
    assert not [text for text in person.told if "Press" in text], "nothing is asked"
    card.level_1()


def test_what_it_leaves_behind(card: Card) -> None:
    card.places.asked.write_bytes((NETWORK + SYSTEM).replace("\n", "\r\n").encode("utf-8-sig"))
    asked: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> int:
        asked.append(command)
        return 0

    root = card.places.root
    (root / "root/.ssh").mkdir(parents=True)
    (root / carrying_out.KEYS).write_text("ssh-ed25519 of somebody\n")
    first = read(card.places.asked.read_bytes())
    for _ in range(2):  # the power goes, and it is carried out again
        carrying_out.carry_out(first, root, run)
    connection = root / carrying_out.CONNECTION
    assert connection.stat().st_mode & 0o777 == 0o600
    told = configparser.ConfigParser(interpolation=None)
    told.read_string(connection.read_text())
    assert bytes(int(n) for n in told["wifi"]["ssid"].strip(";").split(";")) == b"Zu Hause"
    assert told["wifi-security"]["psk"] == "geheim; sehr\\\\"
    assert "ieee80211_regdom=DE" in (root / carrying_out.COUNTRY).read_text()
    assert (root / carrying_out.KEYS).read_text() == f"ssh-ed25519 of somebody\n{KEY}\n"
    assert 'Unattended-Upgrade "1"' in (root / carrying_out.UPDATES).read_text()
    assert asked == [("nmcli", "connection", "reload"), ("systemctl", "enable", "--now", "ssh.service")] * 2


def test_network_alone_leaves_the_questions_to_the_box(card: Card) -> None:
    card.places.asked.write_text(NETWORK)
    person = Person(card.config, "Deutsch", 2)
    assert card.start(person) == 0
    assert (card.config.box.language, card.config.box.seats) == ("de", 2)
    assert (card.places.root / carrying_out.CONNECTION).exists()


def test_the_password_does_not_stay_on_the_card(card: Card) -> None:
    card.places.asked.write_text(NETWORK)
    assert card.start(Person(card.config)) == 0
    done = card.places.asked.with_suffix(".done")
    assert "geheim" not in done.read_text() and read(done.read_bytes()).network == Network("Zu Hause", "", "DE")
    left = [path for path in card.places.asked.parent.iterdir() if b"geheim" in path.read_bytes()]
    assert left == []


WRONG = [
    ("[box]\nlanguage = \"it\"\n", "line 2: box.language"),
    ("[box]\nlangauge = \"de\"\n", "line 2: box.langauge: is not a setting; did you mean language?"),
    ("[box\n", "is not TOML"),
    ("[network]\nname = \"\"\n", "line 2: network.name: must be the Wi-Fi's name"),
    ("[network]\nname = \"home\"\npassword = \"short\"\n", "line 3: network.password: must be its password, 8 to 63"),
    ("[network]\nname = \"home\"\npassword = \"new\\nline-is-none\"\n", "line 3: network.password"),
    ("[network]\nname = \"home\"\npasword = \"long enough\"\n", "line 3: network.pasword: is not known here"),
    ("[network]\nname = \"home\"\ncountry = \"Germany\"\n", "line 3: network.country: must be two capital letters"),
    ("network = \"home\"\n", "line 1: network: write it as a table: [network]"),
    ("[system]\nssh_key = \"-----BEGIN OPENSSH PRIVATE KEY-----\"\n", "line 2: system.ssh_key: must be a public key"),
    ("[system]\nupdates = \"yes\"\n", "line 2: system.updates: must be true or false"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_on_the_screen_and_nothing_of_it_is_done(card: Card, text: str, words: str) -> None:
    """Then the box asks; the file stays, to be corrected."""
    whole = text + (SYSTEM if "[system]" not in text and not text.startswith("[box\n") else "")
    card.places.asked.write_text(whole)
    person = Person(card.config, seats=3)
    assert card.start(person) == 0
    shown = [said for said in person.told if words in said]
    assert shown and shown[0].startswith(file.NAME), person.told
    assert card.places.asked.read_text() == whole and not (card.places.root / carrying_out.KEYS).exists()
    assert card.config.box.seats == 3, "set up by its buttons"


def test_a_box_that_was_set_up_says_what_is_wrong_and_asks_nothing(card: Card) -> None:
    card.places.wanted.unlink()
    card.places.asked.write_text("[box\n")
    person = Person(card.config)
    before = card.places.settings.read_bytes()
    assert card.start(person) == 0
    assert "is not TOML" in person.told[0] and not any("Press" in text for text in person.told)
    assert card.places.settings.read_bytes() == before


def test_files_that_are_none() -> None:
    for data, words in (
        (b"\xff\xfe[\0b\0o\0x\0]\0", "line 1: is not UTF-8 at byte 0"),
        (b"#" * (file.MAX_BYTES + 1), "is it the right file?"),
    ):
        with pytest.raises(ConfigError, match=words):
            read(data)
    assert read(b"") == FirstStart(None)


def test_settings_are_the_very_ones_of_the_box() -> None:
    asked = read((SETTINGS + NETWORK + SYSTEM).encode())
    assert asked == FirstStart(parse(SETTINGS), Network("Zu Hause", "geheim; sehr\\", "DE"), KEY, True)
    assert read(b'[network]\nname = "open"\n').settings is None


def test_no_spoiled_byte_brings_the_set_up_down() -> None:
    sound = (SETTINGS + NETWORK + SYSTEM).encode()
    draw = random.Random(20)
    refused = 0
    for _ in range(2000):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            read(bytes(data))
        except ConfigError as e:
            refused += 1
            assert str(e).startswith(file.NAME)
        without_secrets(bytes(data))
    assert refused > 1000


def test_a_card_that_takes_nothing_is_said_and_tried_again(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    card.places.asked.write_text(SETTINGS)
    before = card.places.settings.read_bytes()
    with monkeypatch.context() as patched:

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device", str(card.places.settings))

        patched.setattr(carrying_out, "replacing", full)
        person = Person(card.config)
        assert card.start(person) == 1
    assert "No space left on device" in person.told[-1]
    assert card.places.settings.read_bytes() == before and card.places.asked.exists()
    assert card.start(Person(Config())) == 0 and card.config.box.seats == 3


@pytest.mark.parametrize("times", range(4))
def test_a_power_cut_in_the_middle_of_it(card: Card, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each moment at which a file takes its place: the next start does it all."""
    card.places.asked.write_text(SETTINGS + NETWORK)
    replace, left = os.replace, iter(range(times))

    def failing(old: Path, new: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        replace(old, new)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", failing)
        try:
            card.start(Person(card.config))
        except KeyboardInterrupt:
            assert card.places.wanted.exists() and card.places.asked.exists()
    assert card.start(Person(card.config)) == 0
    assert card.config.box.seats == 3 and not card.places.asked.exists()
    assert (card.places.root / carrying_out.CONNECTION).exists()


def test_the_first_request_is_in_every_language() -> None:
    assert len({words_for(name).say("Press {name}", name=words_for(name).say("star")) for name in LANGUAGES}) == 4
