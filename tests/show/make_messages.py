"""`make messages`: brings the catalogues of screens and pages up to date with the code and compiles them. Needs Babel.

New messages come in untranslated and messages that nobody says any more go, so a test fails until a person has
translated them; nothing is ever guessed (fuzzy).
"""

from __future__ import annotations

import ast
import re
from datetime import datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from mind_box.page import spoken
from mind_box.show import words
from mind_box.virtual.tryout import words as try_page

Messages = dict[str | tuple[str, ...], set[str]]
"""A message (or its forms for one and for many), and the files that say it."""

SHOW = Path(words.__file__).parent
CLUB = SHOW.parent / "club"
ASKING = (SHOW.parent / "self_test" / "engine.py", SHOW.parent / "first_start" / "set_up.py")
"""Files that hand their messages to a function that says them."""
KEYWORDS = {"say": None, "many": (1, 2), "both": (1, 2), "mark": None}
UNSTEADY = re.compile(r'^"(Project-|Report-|POT-|PO-|Last-Translator|Language-Team|Generated-By).*\n', re.M)
"""Header lines that change without a change of words."""
STEADY = datetime(2026, 1, 1)
"""The date in compiled catalogues: the same words make the same file."""


def asked(file: Path) -> set[str]:
    """The messages of the self-test or the set-up, which hand them to a function that says them."""
    tree = ast.parse(file.read_text("utf-8"))
    calls = [(node.func, node.args) for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    names = ((f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else "", a) for f, a in calls)
    said = [args[0] for name, args in names if name in ("_say", "_ask", "_prompt", "mark")]
    texts = [node.value for argument in said for node in ast.walk(argument) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str)}


def extracted() -> Messages:
    """What the screens say."""
    found = _said_in(SHOW)
    for file in ASKING:
        for text in asked(file):
            found.setdefault(text, set()).add(file.name)
    return found


def spoken_on_pages() -> Messages:
    """What the pages say, the hub's among them."""
    found = _said_in(spoken.LOCALE.parent)
    for text, files in _said_in(CLUB).items():
        found.setdefault(text, set()).update(files)
    return found


def said_at_the_virtual_box() -> Messages:
    """What the page of ``mind-box try`` says beside them."""
    return _said_in(try_page.LOCALE.parent)


def _said_in(folder: Path) -> Messages:
    found: Messages = {}
    for file, _, message, _, _ in extract_from_dir(str(folder), method_map=[("**.py", "python")], keywords=KEYWORDS):
        found.setdefault(message, set()).add(file)
    for path in folder.rglob("*.py"):
        for text in _in_f_strings(path.read_text("utf-8")):
            found.setdefault(text, set()).add(path.relative_to(folder).as_posix())
    return found


def _in_f_strings(source: str) -> set[str]:
    """What is said within f-strings, where Babel does not look before Python 3.12."""
    strings = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.JoinedStr)]
    calls = [node for string in strings for node in ast.walk(string) if isinstance(node, ast.Call) and node.args]
    return {
        call.args[0].value
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in ("say", "mark")
        and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }  # fmt: skip


def renew(messages: Messages, locale: Path, domain: str) -> None:
    """Brings the catalogues of all languages up to date with these messages, and compiles them."""
    template = Catalog()
    for message, files in sorted(messages.items(), key=str):
        template.add(message, locations=[(file, 1) for file in sorted(files)])
    for language in words.LANGUAGES:
        if language == "en":  # the messages in the code are the English ones
            continue
        path = locale / language / "LC_MESSAGES" / f"{domain}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        catalogue = Catalog(locale=language, header_comment="", fuzzy=False)  # a new language
        if path.exists():
            with path.open("rb") as file:
                catalogue = read_po(file, locale=language)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        with path.open("wb") as out:
            write_po(out, catalogue, include_lineno=False, sort_output=True, ignore_obsolete=True, width=110)
        path.write_text(UNSTEADY.sub("", path.read_text("utf-8")), "utf-8")
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language)
        catalogue.creation_date = catalogue.revision_date = STEADY
        with path.with_suffix(".mo").open("wb") as out:
            write_mo(out, catalogue)


if __name__ == "__main__":
    renew(extracted(), words.LOCALE, words.DOMAIN)
    renew(spoken_on_pages(), spoken.LOCALE, spoken.DOMAIN)
    renew(said_at_the_virtual_box(), try_page.LOCALE, try_page.DOMAIN)
