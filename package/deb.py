"""Builds the Debian package for trixie and later: ``python -m package.deb`` (``make deb``), into ``dist/``.

Lays out a tree below ``build/deb``, in which debhelper does the rest (``package/debian``): the program and what Debian
has too old or not at all below ``lib``, the firmware, a man page for every command, the shell's completion. The same
commit gives the same bytes: every time in it is the commit's.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENDORED = ROOT / "package/vendored.txt"
WHEELS = ROOT / "build/wheels"
TOOLS = {"dh": "debhelper", "dh_python3": "dh-python", "dpkg-deb": "dpkg"}
"""Programs that it takes, and Debian's packages of them."""
START = """#!/usr/bin/python3 -I
import sys

sys.path.insert(0, "/usr/lib/mind-box")

from mind_box.commands.cli import main  # noqa: E402

sys.exit(main())
"""


class PackageError(Exception):
    """It cannot be built. ``str()`` says what is missing and what to do."""


def commit_time(root: Path = ROOT) -> int:
    """Seconds since 1970 of the commit, or what ``SOURCE_DATE_EPOCH`` says."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    told = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True, check=True)
    return int(told.stdout)


def version(root: Path = ROOT) -> str:
    """As ``mind_box.__version__`` has it."""
    found = re.search(r'^__version__ = "([^"]+)"$', (root / "mind_box/__init__.py").read_text("utf-8"), re.M)
    assert found is not None, "mind_box/__init__.py says no version"
    return found[1]


def wheels(place: Path = WHEELS, listed: Path = VENDORED) -> Iterator[Path]:
    """The vendored wheels, fetched if they are not there yet; their bytes are the ones that ``listed`` names.

    Raises ``PackageError``.
    """
    wanted = re.findall(r"^(\S+)==(\S+) --hash=sha256:(\w+)$", listed.read_text("utf-8"), re.M)
    place.mkdir(parents=True, exist_ok=True)
    if {digest for _, _, digest in wanted} - {_sum(path) for path in place.glob("*.whl")}:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        pip += ["--only-binary", ":all:", "--require-hashes", "--dest", str(place), "-r", str(listed)]
        if subprocess.run(pip).returncode:
            raise PackageError(
                f"{listed.name}: cannot be fetched (above): needs the network once; then {place} keeps it"
            )
    there = {_sum(path): path for path in place.glob("*.whl")}
    for _, _, digest in wanted:
        yield there[digest]


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


DROP_INS = ("page.conf", "broker.conf")
"""What opens the network for the service; whoever wants it copies it."""


def lay_out(tree: Path, number: str, epoch: int) -> None:
    """Everything that ``package/debian`` takes, below ``tree``. Raises ``PackageError``."""
    (tree / "lib").mkdir(parents=True)
    for name in listed("mind_box", "docs"):
        if name.startswith("mind_box/"):
            _copy(ROOT / name, tree / "lib" / name)
        elif name.count("/") == 1 and name.endswith(".md"):
            _copy(ROOT / name, tree / "pages" / Path(name).name)
    # By its own name debhelper would take it for the package's log.
    _copy(ROOT / "CHANGELOG.md", tree / "pages/what-is-new.txt")
    units = [path for path in (ROOT / "systemd").iterdir() if path.suffix in (".service", ".timer")]
    for source in (*units, *(ROOT / "systemd" / name for name in DROP_INS)):
        _copy(source, tree / "systemd" / source.name)
    _copy(ROOT / "hardware/standard.toml", tree / "box.toml")
    _copy(ROOT / "systemd/udev.rules", tree / "systemd/70-mind-box.rules")
    _copy(ROOT / "systemd/polkit.rules", tree / "systemd/49-mind-box.rules")
    shutil.copytree(ROOT / "package/debian", tree / "debian")
    _copy(ROOT / "systemd/sysusers.conf", tree / "debian/sysusers")
    for wheel in wheels():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tree / "lib")
    for told in ("RECORD", "INSTALLER", "direct_url.json"):  # of an installation that there was not
        for file in (tree / "lib").glob(f"*.dist-info/{told}"):
            file.unlink()
    about = tree / f"lib/mind_box-{number}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mind-box\nVersion: {number}\n")
    (tree / "bin").mkdir()
    (tree / "bin/mind-box").write_text(START)
    (tree / "bin/mind-box").chmod(0o755)
    _firmware(tree / "mind-box-firmware")
    _pages(tree / "man", number, epoch)
    _completion(tree / "completions/mind-box")
    entry = f"mind-box ({number}) unstable; urgency=medium\n\n  * See /usr/share/doc/mind-box/what-is-new.txt.gz.\n\n"
    entry += f" -- mind-box <mind-box@localhost.invalid>  {formatdate(epoch)}\n"
    (tree / "debian/changelog").write_text(entry)
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (epoch, epoch))


def listed(*folders: str) -> list[str]:
    """What git knows below these folders, as it lies there: what else lies there is nobody's."""
    told = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in told.stdout.split("\0") if name and (ROOT / name).exists()]


def _copy(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


def _firmware(place: Path) -> None:
    """What ``mind-box reader update`` copies, and what is dropped on a board; the bare images nobody needs.

    Not below /usr/share/mind-box, nor with that beside it: debhelper has Python compile what lies below all that begins
    so, and these sources are MicroPython's. What lies beside them is copied to the board.
    """
    done = subprocess.run([sys.executable, ROOT / "firmware/build.py", "--out", place], capture_output=True, text=True)
    if done.returncode:
        raise PackageError(f"the firmware: {(done.stderr or done.stdout).strip()}")
    for image in place.glob("*.littlefs"):
        image.unlink()


def _pages(place: Path, number: str, epoch: int) -> None:
    """A man page for every command, and one for all."""
    from argparse_manpage.manpage import Manpage

    from mind_box.commands.cli import COMMANDS, add_arguments, parser

    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    place.mkdir()
    names = {name: f"mind-box-{name.replace(' ', '-')}" for name in COMMANDS}
    for name, (purpose, _) in COMMANDS.items():
        one = argparse.ArgumentParser(prog=f"mind-box {name}", description=f"{purpose[0].upper()}{purpose[1:]}.")
        add_arguments(name, one)
        others = "\\fBmind\\-box\\fR(1), \\fI/usr/share/doc/mind\\-box/commands.md.gz\\fR"
        page = f"{Manpage(one)}\n.SH SEE ALSO\n{others}\n"
        (place / f"{names[name]}.1").write_text(_titled(page, names[name], purpose, number))
    every = "\n".join(f".TP\n\\fB{names[n].replace('-', chr(92) + '-')}\\fR(1)\n{p}" for n, (p, _) in COMMANDS.items())
    page = f"{_without_commands(str(Manpage(parser())))}\n.SH COMMANDS\n{every}\n"
    page += (
        ".SH FILES\n.TP\n\\fI/etc/mind\\-box/box.toml\\fR\nthe settings\n.TP\n\\fI/var/lib/mind\\-box\\fR\nthe games\n"
    )
    (place / "mind-box.1").write_text(_titled(page, "mind-box", "referee for the card game The Mind", number))


def _titled(page: str, name: str, purpose: str, number: str) -> str:
    """With the title and the one line that man's index wants."""
    day = re.search(r'^\.TH .*?"1" "([^"]*)"', page, re.M)
    assert day is not None
    words = name.replace("-", "\\-")
    page = re.sub(r"^\.TH .*$", lambda _: f'.TH {words.upper()} 1 "{day[1]}" "mind\\-box {number}"', page, flags=re.M)
    return re.sub(r"^\.SH NAME\n.*$", lambda _: f".SH NAME\n{words} \\- {purpose}", page, count=1, flags=re.M)


def _without_commands(page: str) -> str:
    """Of the list that argparse makes only what stands before its subcommands."""
    return re.split(r"^\.SH\s+\"?(?:COMMAND|POSITIONAL)", page, flags=re.M)[0].rstrip()


def _completion(file: Path) -> None:
    """For bash."""
    import shtab

    from mind_box.commands.cli import parser

    file.parent.mkdir()
    file.write_text(shtab.complete(parser(whole=True), shell="bash"))


def build(out: Path, number: str | None = None) -> Path:
    """Writes ``out/mind-box_VERSION_all.deb`` and returns it; ``number`` is another version than the program's own.

    Raises ``PackageError``.
    """
    missing = sorted({package for program, package in TOOLS.items() if shutil.which(program) is None})
    if missing:
        raise PackageError(f"needs Debian's own tools: sudo apt install {' '.join(missing)}")
    number, epoch = number or version(), commit_time()
    place = ROOT / "build/deb"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        return _built(Path(folder, "mind-box"), out, number, epoch)


def _built(tree: Path, out: Path, number: str, epoch: int) -> Path:
    lay_out(tree, number, epoch)
    clean = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"}
    clean |= {"SOURCE_DATE_EPOCH": str(epoch), "DEB_RULES_REQUIRES_ROOT": "no"}
    make = ["make", "-f", "debian/rules", "binary"]
    done = subprocess.run(make, cwd=tree, env=clean, capture_output=True, text=True, umask=0o022)
    if done.returncode:
        raise PackageError(f"debhelper: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(tree.parent / f"mind-box_{number}_all.deb", out / f"mind-box_{number}_all.deb"))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = argparse.ArgumentParser(description="Builds the Debian package.")
    options.add_argument("--out", type=Path, default=ROOT / "dist", help="where to (default: dist)")
    options.add_argument("--number", help="another version than the program's own, for tests")
    args = options.parse_args(arguments)
    try:
        made = build(args.out, args.number)
    except PackageError as e:
        print(f"make deb: {e}", file=sys.stderr)
        return 1
    print(f"{made}  {made.stat().st_size} bytes  sha256 {_sum(made)[:16]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
