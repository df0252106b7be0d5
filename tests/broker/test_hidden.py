"""R33: of what nobody has seen, not a byte leaves the box: known hands, blind piles, games that end early."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from mind_box.broker.topics import text_of_hub
from mind_box.virtual.scripts.clock import run_virtual
from tests.broker.fake_broker import FakeBroker
from tests.broker.tables import BoxAtTable

RUN = re.compile(r'"id":"[0-9a-f]+-|"box":"[0-9a-f]+"|mind-box-[0-9a-f]{16}')
"""What is another at each start."""

TWO_LEVELS = "config hands known\nhands 1 2\nscan 3\nscan 4\nhands\nscan 3\nscan 4\n" + (
    "scan 5\nscan 7\nscan 6\nscan 8\nhands\nscan 5\nscan 6\nscan 7\nscan 8\n"
)
"""Both levels done: after them come three cards each."""
END = "menu end-game\nhold star 2\nwait 5"
LOSE = "hands\nscan {b}\nhands\nscan {d}\n"


def played(directory: Path, text: str) -> list[tuple[str, str]]:
    """Every byte that left a box with a hub while this was played: topics and payloads."""
    directory.mkdir()

    async def main() -> list[tuple[str, str]]:
        broker = FakeBroker(asyncio.get_running_loop())
        configured = "\n".join(line for line in text.splitlines() if line.startswith("config"))
        box = BoxAtTable(broker, directory / "journal.db", configured, home_assistant="homeassistant")
        await asyncio.sleep(3)
        broker.pass_on("mind-box-club/availability", text_of_hub("1", True).encode(), retain=True)
        await box.do("\n".join(line for line in text.splitlines() if not line.startswith("config")))
        await asyncio.sleep(30)
        box.close()
        return [(sent.topic, sent.payload) for sent in broker.sent]

    return run_virtual(main())


def found(card: object, sent: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Where this card stands as a number or a word by itself."""
    alone = re.compile(rf"(?<![\w.-]){re.escape(str(card))}(?![\w.])")
    return [(topic, payload) for topic, payload in sent if alone.search(payload)]


GAMES = {
    "left in the middle of a level": (
        TWO_LEVELS + "scan 81\nscan 82\nscan 83\nscan 84\nscan 85\nscan 86\nhands\nscan 81\ntap 1\n" + END,
        (82, 83, 84, 85, 86),
        (81,),
    ),
    "lost, and some never lay on the table": (
        TWO_LEVELS + "scan 71\nscan 75\nscan 72\nscan 76\nscan 93\nscan 97\nhands\nscan 72\nhands\nscan 75\n"
        "scan 76\nhands\nscan 97\n" + END,
        (),
        (71, 72, 75, 76, 93, 97),
    ),
    "left before it began": (
        "config hands known\nhands 1 2\nscan 77\nscan 78\n" + END,
        (77, 78),
        (),
    ),
    "ghosts, whose hands the box itself holds": (
        "config ghosts 2\nconfig ghost steady\nhands 1\nscan 97\nscan 98\nscan 99\nhands\ntap 1\n" + END,
        (97, 98, 99),
        (),
    ),
    "blind": (
        "config blind as_played\nhands 1 2\nhands\nscan 87\n" + "menu end-game\nhold star 2\nwait 5",
        (87,),
        (),
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_no_hidden_card_leaves_the_box(tmp_path: Path, name: str) -> None:
    text, hidden, seen = GAMES[name]
    sent = played(tmp_path / "box", text)
    assert any(topic.endswith("/result") for topic, _ in sent)
    for card in hidden:
        assert found(card, sent) == []
    for card in seen:
        assert found(card, sent), "the search finds what was shown"


@pytest.mark.parametrize("cards", ["81 84 82 85 83 86", "91 94 92 95 93 96"])
def test_two_deals_look_the_same_to_a_broker(tmp_path: Path, cards: str) -> None:
    """Non-interference: of a level that is dealt, and left, the bytes are the same whatever was dealt."""

    def bytes_of(place: str, deal: str) -> list[tuple[str, str]]:
        text = TWO_LEVELS + "".join(f"scan {card}\n" for card in deal.split()) + "hands\nwait 60\ntap 1\n" + END
        return [(RUN.sub("", topic), RUN.sub("", payload)) for topic, payload in played(tmp_path / place, text)]

    one = bytes_of("one", cards)
    assert one == bytes_of("two", "31 34 32 35 33 36")
    assert len(one) > 40
