"""Brings the pages' own catalogues up to date with the code and compiles them, as ``tests.show.make_messages`` does
for the screens: ``python -m tests.page.make_messages``. Needs Babel.
"""

from __future__ import annotations

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from mind_box.page import spoken
from mind_box.show.words import LANGUAGES
from tests.show.make_messages import KEYWORDS, STEADY, UNSTEADY


def extracted() -> dict[str | tuple[str, ...], set[str]]:
    """The messages in the code, and the files that say them."""
    found: dict[str | tuple[str, ...], set[str]] = {}
    folder = str(spoken.LOCALE.parent)
    for file, _, message, _, _ in extract_from_dir(folder, method_map=[("**.py", "python")], keywords=KEYWORDS):
        found.setdefault(message, set()).add(file)
    return found


def main() -> None:
    template = Catalog()
    for message, files in sorted(extracted().items(), key=str):
        template.add(message, locations=[(file, 1) for file in sorted(files)])
    for language in LANGUAGES:
        if language == "en":  # the messages in the code are the English ones
            continue
        path = spoken.LOCALE / language / "LC_MESSAGES" / f"{spoken.DOMAIN}.po"
        if path.exists():
            with path.open("rb") as file:
                catalogue = read_po(file, locale=language)
        else:
            path.parent.mkdir(parents=True)
            catalogue = Catalog(locale=language)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        with path.open("wb") as file:
            write_po(file, catalogue, include_lineno=False, sort_output=True, ignore_obsolete=True, width=110)
        path.write_text(UNSTEADY.sub("", path.read_text("utf-8")), "utf-8")
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language)
        catalogue.creation_date = catalogue.revision_date = STEADY
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalogue)


if __name__ == "__main__":
    main()
