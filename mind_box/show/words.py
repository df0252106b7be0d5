"""What the screens say, in the language of who reads it (gettext)."""

from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path

from mind_box.settings.schema import LANGUAGE_NAMES, LANGUAGES

DOMAIN = "mindbox"
LOCALE = Path(__file__).parent / "locale"


def mark(message: str) -> str:
    """Marks a message for extraction where it stands in a table; it is translated when it is said."""
    return message


class Words:
    """One language. ``{name}`` in a message is filled in after translation."""

    def __init__(self, language: str, catalogue: gettext.NullTranslations) -> None:
        self.language = language
        self._catalogue = catalogue

    def say(self, message: str, **values: object) -> str:
        """The message in this language."""
        text = self._catalogue.gettext(message)
        return text.format(**values) if values else text

    def many(self, one: str, more: str, n: int, **values: object) -> str:
        """The message for ``n`` things; ``{n}`` is filled in."""
        return self.form(one, more, n).format(n=n, **values)

    def form(self, one: str, more: str, n: int) -> str:
        """The form of a message for ``n`` things, with nothing filled in."""
        return self._catalogue.ngettext(one, more, n)


@cache
def words_for(language: str) -> Words:
    """The words of a language: en, fr, es or de.

    Raises ``ValueError`` for another one.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language], fallback=True))


__all__ = ["LANGUAGES", "LANGUAGE_NAMES", "Words", "mark", "words_for"]
