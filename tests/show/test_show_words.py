"""The catalogues: complete, up to date, nothing fuzzy, compiled; checked with Babel, which players need not have."""

from __future__ import annotations

import gettext
import io
import string
from typing import IO

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from mind_box.settings import schema as settings
from mind_box.show.words import DOMAIN, LANGUAGE_NAMES, LANGUAGES, LOCALE, words_for
from tests.show.make_messages import extracted

TRANSLATED = [language for language in LANGUAGES if language != "en"]
Message = str | tuple[str, ...]


def in_the_code() -> set[Message]:
    return set(extracted())


def catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=language)


def fields(message: Message) -> list[set[str | None]]:
    texts = (message,) if isinstance(message, str) else message
    return [{field for _, field, _, _ in string.Formatter().parse(text) if field} for text in texts]


def test_messages_are_found_in_the_code() -> None:
    found = in_the_code()
    assert len(found) > 120
    assert "{card} was too early" in found and ("Deal {n} card each", "Deal {n} cards each") in found


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_message_is_missing_or_stale(language: str) -> None:
    have = {message.id for message in catalogue(language) if message.id}
    want = in_the_code()
    assert want - have == set(), f"not in {language}.po: translate them"
    assert have - want == set(), f"no longer said, but in {language}.po: remove them"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated_and_certain(language: str) -> None:
    for message in catalogue(language):
        if not message.id:
            continue
        assert not message.fuzzy, message.id
        texts = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        assert all(texts), f"{language}: {message.id!r} is not translated"
        assert len(texts) == (1 if isinstance(message.id, str) else 2)
        # {n} may stay out of a singular, nothing else may come or go
        wanted = fields(message.id if isinstance(message.id, str) else tuple(message.id))[-1]
        assert all(f in (wanted, wanted - {"n"}) for f in fields(texts)), message.id


def _messages_of(file: IO[bytes]) -> dict[object, str]:
    return {key: text for key, text in vars(gettext.GNUTranslations(file))["_catalog"].items() if key}


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    with (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as shipped:
        assert _messages_of(compiled) == _messages_of(shipped), "run make messages"


def test_each_language_says_it_in_its_own_words() -> None:
    said = {language: words_for(language).say("No star left") for language in LANGUAGES}
    assert said == {
        "en": "No star left",
        "fr": "Plus d’étoile",
        "es": "No quedan Shuriken",
        "de": "Kein Wurfstern mehr",
    }
    assert words_for("fr").many("{n} player", "{n} players", 1) == "1 joueur"
    assert words_for("fr").many("{n} player", "{n} players", 3) == "3 joueurs"
    assert words_for("es").say("Life +1") == "Vida +1"
    assert words_for("de").say("Life +1") == "Leben +1"


def test_the_settings_offer_the_languages_that_there_are() -> None:
    assert settings.LANGUAGES == LANGUAGES
    assert set(LANGUAGE_NAMES) == set(LANGUAGES)
    assert {path.name for path in LOCALE.iterdir()} == set(TRANSLATED)


def test_another_language_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"'it'.*en, fr, es, de"):
        words_for("it")
