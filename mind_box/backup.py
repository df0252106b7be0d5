"""A box in one file: its games, the cards that it was taught, and its settings; and back from there.

The file is a tar archive: ``backup.json`` first, which says what is in it and by which bytes, then the parts. The
journal is copied through SQLite, so that it is whole while a box writes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from mind_box import __version__
from mind_box.cards.store import CardStore, NewerCards
from mind_box.files import give_to_owner, keep, replacing, sync_directory
from mind_box.journal.archive import Report, verify
from mind_box.journal.file import JournalError, claimed, put_aside, signed
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.settings.loading import DEFAULT_PATH, ConfigError, load
from mind_box.settings.schema import Config
from mind_box.wall_clock import date

FORMAT = 1
LIST = "backup.json"
JOURNAL, CARDS, SETTINGS = "journal.db", "cards.json", "box.toml"
PARTS = (JOURNAL, CARDS, SETTINGS)
MAX_LIST = 100_000
"""Bytes of the list; it has some hundred."""
ASIDE = "before-restore"
"""Under which name what stood there before is kept."""


class BackupError(Exception):
    """Nothing can be made of it. ``str()`` says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a backup holds."""

    parts: tuple[str, ...]
    """Of ``PARTS``, those that are in it."""
    version: str
    """Of the mind-box that made it."""
    made: str | None
    """When, UTC by ISO 8601; None: that box had no clock."""
    report: Report | None
    """What a look at every row of the journal found; None: no journal is in it."""


def back_up(config: Config, settings: Path | None, out: Path) -> Content:
    """Writes ``out``, while a box may be running; ``settings`` is the file that the settings are from, if any.

    Raises ``BackupError``, ``JournalError`` for a journal that cannot be read, and ``OSError`` for ``out``; then there
    is no ``out``.
    """
    if out.exists():
        raise BackupError(f"{out}: is there already, and is not overwritten: name another file.")
    journal = journal_path(config.box.state_dir)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as place:
        parts = {}
        report = None
        if journal.exists() or signed(journal):
            parts[JOURNAL] = Path(place, JOURNAL)
            report = _copied(journal, parts[JOURNAL])
        cards = CardStore(config.box.state_dir).path
        for name, source in ((CARDS, cards), (SETTINGS, settings)):
            if source is not None and source.exists():
                parts[name] = Path(shutil.copyfile(source, Path(place, name)))
        if not parts:
            raise BackupError(f"{journal.parent}: has neither games nor cards, and there are no settings: no backup.")
        made = date()
        told = {name: {"bytes": part.stat().st_size, "sha256": _sum(part)} for name, part in parts.items()}
        text = {"mind_box_backup": FORMAT, "version": __version__, "made": made, "parts": told}
        Path(place, LIST).write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
        with replacing(out, mode=0o600) as file, tarfile.open(fileobj=file.buffer, mode="w|gz") as tar:
            for part in (Path(place, LIST), *parts.values()):
                tar.add(part, part.name, filter=_nobodys)
    return Content(tuple(parts), __version__, made, report)


def _copied(journal: Path, to: Path) -> Report:
    with contextlib.closing(Journal.looking_on(journal, load=False)) as looked_on, looked_on.past() as past:
        past.copy(to)
    with contextlib.closing(Journal.looking_on(to, load=False)) as copy:
        return verify(copy)


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600  # hands are in it (R33)
    return member


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# -- and back


def restore(backup: Path, settings: Path | None, kept: Callable[[Path, Path], None]) -> Content:
    """Puts the parts of ``backup`` where its settings say; ``settings`` is where those go (``DEFAULT_PATH``).

    What stood there keeps its bytes under another name, which ``kept`` is told. All of the backup is read and checked
    before anything is touched. Raises ``BackupError``, ``JournalError`` (``InUse``: a box is running), ``ConfigError``
    for settings that are not right in this version, and ``OSError``.
    """
    target = settings or DEFAULT_PATH
    with tempfile.TemporaryDirectory(prefix="mind-box-restore-") as place, _opened(backup, Path(place)) as content:
        config = _config(content, Path(place), target)
        state = Path(config.box.state_dir)
        journal = Path(os.path.realpath(journal_path(state)))
        with claimed(journal):
            new = {}
            for name, goes in ((JOURNAL, journal), (CARDS, CardStore(state).path), (SETTINGS, target)):
                goes = Path(os.path.realpath(goes))  # a link stays one
                if name in content.parts and not _same(Path(place, name), goes):
                    new[goes] = _beside(Path(place, name), goes)
            for goes, staged in new.items():
                if goes == journal:  # with its log, which is no other journal's
                    kept(goes, put_aside(goes, ASIDE))
                elif goes.exists():
                    kept(goes, keep(goes, ASIDE))
                os.replace(staged, goes)
                sync_directory(goes.parent)
    return content


@contextlib.contextmanager
def _opened(backup: Path, place: Path) -> Iterator[Content]:
    """Unpacks it into ``place``, checked. Raises ``BackupError``."""
    none = f"{backup}: is no backup of a mind-box"
    try:
        with backup.open("rb") as file, tarfile.open(fileobj=file, mode="r|gz") as tar:
            members = iter(tar)
            first = next(members, None)
            listed = tar.extractfile(first) if first is not None and first.name == LIST else None
            if first is None or listed is None or first.size > MAX_LIST:
                raise BackupError(f"{none}: it does not begin with {LIST}. Nothing was changed.")
            told = _list(json.loads(listed.read()), backup)
            for member in members:
                part = tar.extractfile(member)
                if member.name not in told["parts"] or part is None:
                    raise BackupError(f"{none}: {member.name!r} does not belong in one. Nothing was changed.")
                with Path(place, member.name).open("xb") as copy:
                    _take(part, copy, told["parts"][member.name], f"{backup}: {member.name}")
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, RecursionError, FileExistsError) as e:
        raise BackupError(
            f"{none}, or was cut short ({e or type(e).__name__}): take another copy. Nothing was changed."
        ) from e
    except OSError as e:
        if e.errno is None:  # gzip's own
            raise BackupError(f"{none}: {e}. Nothing was changed.") from e
        raise
    missing = [name for name in told["parts"] if not Path(place, name).exists()]
    if missing:
        raise BackupError(f"{backup}: is cut short: {', '.join(missing)} is missing. Nothing was changed.")
    yield Content(tuple(told["parts"]), told["version"], told["made"], _understood(place, told["parts"], backup))


def _list(told: Any, backup: Path) -> dict[str, Any]:
    """The list, checked. Raises ``BackupError``, ``KeyError`` and ``TypeError``."""
    version = told["mind_box_backup"]
    if type(version) is int and version > FORMAT:
        raise BackupError(
            f"{backup}: is of format {version}, made by mind-box {told.get('version')}; this is {__version__}, which "
            f"knows {FORMAT}: update mind-box first. Nothing was changed."
        )
    if version != FORMAT or not isinstance(told["parts"], dict) or not told["parts"].keys() <= set(PARTS):
        raise KeyError("its list is none of ours")
    made = told["made"]
    return {"parts": told["parts"], "version": str(told["version"]), "made": None if made is None else str(made)}


def _take(part: IO[bytes], copy: IO[bytes], told: Mapping[str, Any], what: str) -> None:
    left, seen = int(told["bytes"]), hashlib.sha256()
    while data := part.read(min(1 << 16, left + 1)):
        left -= len(data)
        if left < 0:
            break
        seen.update(data)
        copy.write(data)
    if left or seen.hexdigest() != told["sha256"]:
        raise BackupError(f"{what} is damaged: not the bytes that were saved. Take another copy. Nothing was changed.")


def _understood(place: Path, parts: Mapping[str, Any], backup: Path) -> Report | None:
    """Whether this version can read them: a backup may be of a later one. Raises ``BackupError``."""
    try:
        if CARDS in parts:
            CardStore(place).read()
        if JOURNAL not in parts:
            return None
        with contextlib.closing(Journal.looking_on(place / JOURNAL, load=False)) as journal:
            return verify(journal)
    except (JournalError, NewerCards, ValueError) as e:
        raise BackupError(f"{backup}: {str(e).replace(f'{place}/', '')} Nothing was changed.") from e


def _config(content: Content, place: Path, target: Path) -> Config:
    """Where the parts go. Raises ``ConfigError``."""
    if SETTINGS not in content.parts:
        return load(target) if target.exists() else Config()
    try:
        return load(place / SETTINGS)
    except ConfigError as e:
        raise ConfigError(f"the backup's {str(e).replace(f'{place}/', '')} Nothing was changed.") from e


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and other.name != JOURNAL and one.read_bytes() == other.read_bytes()


def _beside(part: Path, goes: Path) -> Path:
    """A copy in the directory where it goes, durable, of that directory's owner. Raises ``OSError``."""
    goes.parent.mkdir(parents=True, exist_ok=True)
    staged = goes.with_name(f"{goes.name}.restored")
    staged.unlink(missing_ok=True)
    try:
        mode = 0o644 if goes.name == SETTINGS else 0o600
        with open(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file, part.open("rb") as source:
            with contextlib.suppress(OSError):
                give_to_owner(file.fileno(), goes.parent)
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    return staged
