"""What the table page is told of one moment: the View, and the words for it in the box's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mind_box.page.happened import Entry
from mind_box.page.seats import seat_rows
from mind_box.page.spoken import labels, page_words, shown_todo, spoken_end, spoken_news, spoken_state, spoken_todo
from mind_box.show.parts import rules, ten
from mind_box.show.sentences import VARIANTS
from mind_box.show.telling import fact_in_words
from mind_box.show.words import words_for
from mind_box.table.view import View


def table_message(view: View, story: Sequence[Entry], language: str, address: str | None) -> dict[str, Any]:
    """Ready for JSON. ``address``: where others find the page, told between two games; None: nowhere."""
    lobby, words, own = view.phase == "lobby", words_for(language), page_words(language)
    return {
        "language": language,
        "labels": labels(language),
        "view": view.to_json(),
        "says": spoken_state(view, language),
        "todo": shown_todo(view, language),
        "spoken": spoken_todo(view, language),
        "why": spoken_end(view, language),
        "rules": rules(view, words),
        "best": own.say("Best level: {level}", level=view.best) if lobby and view.best else "",
        "variant": words.say(VARIANTS[view.variant]),
        "ten": "" if view.ten is None else ten(view.ten),
        "seats": seat_rows(view, language),
        "story": spoken_news(story, language),
        "told": [": ".join(fact_in_words(fact, words)) for fact in view.told],
        "address": address if lobby else None,
    }
