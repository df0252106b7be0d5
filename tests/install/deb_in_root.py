"""The Debian package on a trixie that has never seen it: ``python -m tests.install.deb_in_root [DIRECTORY]``, as root.

Made from nothing as ``tests.install.in_root`` does, under the root's own systemd: installed from a signed repository,
used, upgraded and downgraded with games in it, removed and purged; then over an installation of ``make install``.
Prints what it found; exit status 0 when all of it is right.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from package import deb, repository
from tests.install.in_root import Root, active, comes_back, journal, may_power_off, say, show

OLD, NEW = "0.0.1", "99.0.0"
"""Versions before and after."""
BROKEN = "99.0.3"
"""One that never becomes ready."""
LATER = "99.0.5"
"""One with other settings of its own."""
SETTINGS = "etc/mind-box/box.toml"
KEEP = ("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")
"""Settings that are one's own stay; without it dpkg asks whoever sits there."""
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", "-o", "Dpkg::Use-Pty=0")


def packages(directory: Path, home: Path) -> Path:
    """Two versions in a signed repository; the key is made for it."""
    folder = directory / "repository"
    shutil.rmtree(folder, ignore_errors=True)
    built = deb.build(directory / "debs")
    debs = [changed(built, directory / "debs", number) for number in (OLD, NEW)]
    repository.make(folder, debs, made_key(home, "releases@example.org"), deb.commit_time(), home)
    return folder


def changed(package: Path, to: Path, number: str, settings: str | None = None, unit: str | None = None) -> Path:
    """The same package under another version, and maybe with other settings of its own, or another start."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["dpkg-deb", "-R", package, place], check=True)
        control = Path(place, "DEBIAN/control")
        control.write_text(re.sub("^Version: .*$", f"Version: {number}", control.read_text(), flags=re.M))
        if settings is not None:
            Path(place, SETTINGS).write_text(settings)
        if unit is not None:
            service = Path(place, "usr/lib/systemd/system/mind-box.service")
            service.write_text(re.sub("^ExecStart=.*$", unit, service.read_text(), flags=re.M))
        made = to / deb_of(number)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", place, made], check=True, capture_output=True)
    return made


def made_key(home: Path, name: str) -> str:
    made = ["gpg", "--homedir", str(home), "--batch", "--passphrase", "", "--quick-generate-key", name, "ed25519"]
    subprocess.run(made, check=True, capture_output=True)
    return name


def apt(root: Root, *words: str, fails: bool = False) -> str:
    """In the running system, which has no network: everything else was installed before it was started."""
    said = root.run("sh", "-c", '"$@"; echo "exit $?"', "sh", *APT, *words)
    assert ("exit 0" in said.splitlines()) != fails, said
    return said


def settle(root: Root) -> None:
    root.until(lambda: active(root), f"the service is not active:\n{journal(root)}")


def prepare(root: Root, folder: Path) -> None:
    """The libraries of Debian's own, from its archive; the box's repository beside them."""
    depends = subprocess.run(
        ["dpkg-deb", "-f", next((folder / "pool").glob("*.deb")), "Depends"], capture_output=True, text=True, check=True
    ).stdout
    names = [word.split("|")[0].split("(")[0].strip().removesuffix(":any") for word in depends.split(",")]
    root.chroot("apt-get", "update", "-qq")
    root.chroot(*APT, "install", "--no-install-recommends", *names, "python3-aiohttp", "python3-segno", "gpgv")
    shutil.copytree(folder, root.path / "srv/repository")
    shutil.copy(folder / repository.KEYRING, root.path / "etc/apt/keyrings" / repository.KEYRING)
    for listed in debians(root):
        listed.rename(root.path / "srv" / listed.name)  # the running system has no network to look there
    (root.path / "etc/apt/sources.list.d/mind-box.sources").write_text(repository.source("file:/srv/repository"))


def debians(root: Root) -> list[Path]:
    """The lists of Debian's own archive."""
    apt = root.path / "etc/apt"
    listed = (apt / "sources.list", *(apt / "sources.list.d").glob("*"))
    return [path for path in listed if path.exists() and "mind" not in path.name]


def installs(root: Root) -> None:
    apt(root, "update")
    began = time.monotonic()
    said = apt(root, "install", f"mind-box={OLD}")
    took = time.monotonic() - began
    settle(root)
    assert "conffile" not in said and "WARN" not in said.upper().replace("WARN-", ""), said
    answer = json.loads(root.run("mind-box", "status", "--json"))
    assert answer["running"] and answer["journal"] == "/var/lib/mind-box/journal.db", answer
    assert show(root, "FragmentPath") == "/usr/lib/systemd/system/mind-box.service"
    assert show(root, "UnitFileState") == "enabled"
    compiled = (root.path / "usr/lib/mind-box").rglob("commands/__pycache__/cli.*.pyc")
    assert list(compiled), "without compiled modules the box takes five times as long to start"
    assert not list((root.path / "usr/share/mind-box-firmware").rglob("__pycache__"))
    say(f"apt install: running after {took:.0f} s")
    verdicts = [json.loads(line) for line in as_box(root, "mind-box", "doctor", "--json").splitlines()]
    wrong = [v for v in verdicts if v["state"] == "wrong" and v["part"] in ("python", "service")]
    assert wrong == []
    assert not [v for v in verdicts if "please report" in v["cure"]], verdicts
    say(f"doctor: {len(verdicts)} verdicts, nothing of the installation is wrong")
    assert root.run("mind-box", "--version") == f"mind-box {deb.version()}"
    assert "hold no firmware" not in root.run("sh", "-c", "ls /usr/share/mind-box-firmware/files/main.py")
    security = root.run("systemd-analyze", "security", "--no-pager", "mind-box.service").splitlines()[-1]
    say("systemd-analyze security: " + security.strip("→ "))
    assert root.run("sh", "-c", "man -w mind-box-backup 2>/dev/null || ls /usr/share/man/man1/mind-box-backup.1.gz")


def as_box(root: Root, *command: str) -> str:
    return root.run("setpriv", "--reuid", "mind-box", "--regid", "mind-box", "--init-groups", *command)


def plays(root: Root) -> str:
    """A game, as a box that stood here before left it; its line of JSON."""
    root.run("systemctl", "stop", "mind-box")
    play = (
        "import sys; sys.path.insert(0, '/usr/lib/mind-box')\n"
        "from pathlib import Path\n"
        "from mind_box.game import events as ev\n"
        "from mind_box.journal.journal import Journal\n"
        "j = Journal.open(Path('/var/lib/mind-box/journal.db'))\n"
        "begun = ev.Started((1, 2), {'variant': 'classic', 'hands': 'unknown'}, ())\n"
        "j.append([begun, ev.Concentrated(), ev.Laid(17)])\n"
        "j.close()\n"
    )
    said = as_box(root, "python3", "-c", play)
    assert said == "", said
    root.run("systemctl", "start", "mind-box")
    settle(root)
    return games(root)


def games(root: Root) -> str:
    told = root.run("mind-box", "journal", "export")
    assert '"seats": [1, 2]' in told, told
    return told


def upgrades(root: Root, game: str) -> None:
    settings = root.path / SETTINGS
    settings.write_text(settings.read_text() + "[table]\nvote = 31\n")
    pid = show(root, "MainPID")
    apt(root, "install", "mind-box")
    assert version(root) == NEW
    root.until(lambda: show(root, "MainPID") not in (pid, "0") and active(root), "not restarted by the upgrade")
    assert "vote = 31" in settings.read_text() and games(root) == game
    say(f"upgrade from {OLD} to {NEW}: restarted, settings and games are there")
    apt(root, "install", "--allow-downgrades", f"mind-box={OLD}")
    settle(root)
    assert "vote = 31" in settings.read_text() and games(root) == game
    say("downgrade: the same")


def updates(root: Root, home: Path, game: str) -> None:
    """The box's own command: not in a game; then the new version; back from one that never becomes ready."""
    there = root.path / "srv/repository"
    said = root.run("mind-box", "update")
    assert "a game is at the table" in said and version(root) == OLD, said
    ends(root)
    root.run("mind-box", "update", "--check")
    refused = as_box(root, "systemctl", "start", "mind-box-update-check.service")
    assert "denied" in refused.lower() or "authentication" in refused.lower(), refused
    said = as_box(root, "systemctl", "start", "mind-box-update-now.service")  # as the lobby's menu does
    said += root.run("cat", "/run/mind-box-update/said")
    assert f"mind-box {NEW} is ready" in said and version(root) == NEW, said
    settle(root)
    assert game.partition('"summary"')[0] in games(root) and (root.path / f"var/cache/mind-box/{deb_of(NEW)}").exists()
    say(f"mind-box update: from {OLD} to {NEW}, in the lobby only")
    with tempfile.TemporaryDirectory() as place:
        broken = changed(there / "pool" / deb_of(NEW), Path(place), BROKEN, unit="ExecStart=/bin/false")
        repository.make(there, [broken], "releases@example.org", deb.commit_time(), home)
    began = time.monotonic()
    said = root.run("sh", "-c", "mind-box update; echo exit $?")
    assert "exit 1" in said and f"back to {NEW}" in said and version(root) == NEW, said
    settle(root)
    games(root)
    say(f"mind-box update: {BROKEN} never becomes ready, {NEW} is back after {time.monotonic() - began:.0f} s")
    (there / "pool" / deb_of(BROKEN)).unlink()
    repository.make(there, [], "releases@example.org", deb.commit_time(), home)
    apt(root, "update")


def version(root: Root) -> str:
    return root.run("dpkg-query", "-W", "-f", "${Version}", "mind-box").splitlines()[0]


def deb_of(number: str) -> str:
    return f"mind-box_{number}_all.deb"


def ends(root: Root) -> None:
    """The game at the table."""
    root.run("systemctl", "stop", "mind-box")
    end = (
        "import sys; sys.path.insert(0, '/usr/lib/mind-box')\n"
        "from pathlib import Path\n"
        "from mind_box.game import events as ev\n"
        "from mind_box.journal.journal import Journal\n"
        "j = Journal.open(Path('/var/lib/mind-box/journal.db'))\n"
        "j.append([ev.Left()])\n"
        "j.close()\n"
    )
    as_box(root, "python3", "-c", end)
    root.run("systemctl", "start", "mind-box")
    settle(root)


def foreign_settings(root: Root) -> None:
    """A new version with other settings of its own asks nobody and takes nothing."""
    settings = root.path / SETTINGS
    shipped = "[box]\nseats = 2\n"
    new = next((root.path / "srv/repository/pool").glob(f"*_{NEW}_*"))
    changed(new, root.path / "srv", LATER, shipped)
    mine = settings.read_text()
    apt(
        root,
        "install",
        "-o",
        "Dpkg::Options::=--force-confdef",
        "-o",
        "Dpkg::Options::=--force-confold",
        f"/srv/{deb_of(LATER)}",
    )
    settle(root)
    assert settings.read_text() == mine
    assert settings.with_name("box.toml.dpkg-dist").read_text() == shipped
    say("settings of one's own stay, the package's new ones lie beside them")


def refuses_strangers(root: Root, home: Path) -> None:
    """A repository that somebody else signed, and one that was changed after it was signed."""
    there = root.path / "srv/repository"
    release = there / "dists/stable/InRelease"
    sound = release.read_bytes()
    repository.sign(there / "dists/stable", made_key(home, "stranger@example.org"), home)
    assert "Missing key" in (said := apt(root, "update", "--error-on=any", fails=True)), said
    release.write_bytes(sound.replace(b"Suite: stable", b"Suite: stabil"))
    assert "signature" in apt(root, "update", "--error-on=any", fails=True).lower()
    release.write_bytes(sound)
    apt(root, "update", "--error-on=any")
    say("a repository signed by somebody else, or changed afterwards, is refused")


def goes(root: Root) -> None:
    apt(root, "remove", "mind-box")
    assert show(root, "ActiveState") == "inactive"
    assert (root.path / "var/lib/mind-box/journal.db").exists() and (root.path / SETTINGS).exists()
    assert not (root.path / "usr/lib/mind-box").exists(), "compiled modules stay behind"
    apt(root, *KEEP, "install", f"mind-box={NEW}")
    settle(root)
    games(root)
    say("remove keeps games and settings; installed again they are there")
    apt(root, "purge", "mind-box")
    left = [p for p in ("usr/lib/mind-box", "var/lib/mind-box", "etc/mind-box") if (root.path / p).exists()]
    links = [str(p) for p in (root.path / "etc/systemd").rglob("*mind-box*")]
    assert left == [] and links == [], (left, links)
    say("purge leaves nothing")


def takes_over(root: Root) -> None:
    """What `make install` had laid, running, with its games."""
    for listed in [p for p in (root.path / "srv").iterdir() if p.suffix in (".list", ".sources")]:
        listed.rename(root.path / "etc/apt/sources.list.d" / f"debian-{listed.name}")
    root.chroot("make", "-C", "/src", "install")
    for listed in debians(root):
        listed.unlink()
    settings = root.path / SETTINGS
    settings.write_text(settings.read_text() + "[table]\nvote = 32\n")
    drop_in = root.path / "etc/systemd/system/mind-box.service.d/page.conf"
    drop_in.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(root.path / "src/systemd/page.conf", drop_in)
    root.boot()
    settle(root)
    assert show(root, "FragmentPath").startswith("/etc/")
    before = (root.path / "var/lib/mind-box").stat().st_uid
    apt(root, "install", f"mind-box={NEW}")
    settle(root)
    assert show(root, "FragmentPath") == "/usr/lib/systemd/system/mind-box.service"
    assert "/usr/bin/mind-box" in show(root, "ExecStart"), show(root, "ExecStart")
    assert "--page" in show(root, "ExecStart")
    assert not (root.path / "opt/mind-box").exists() and not (root.path / "usr/local/bin/mind-box").is_symlink()
    assert "vote = 32" in settings.read_text() and (root.path / "var/lib/mind-box").stat().st_uid == before
    assert json.loads(root.run("/usr/bin/mind-box", "status", "--json"))["running"]
    say("an installation under /opt is taken over: its settings, games and page stay")


def main(arguments: Sequence[str]) -> int:
    directory = Path(arguments[0] if arguments else tempfile.mkdtemp(prefix="mind-box-roots-")).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    print("trixie, the Debian package:", flush=True)
    home = Path(tempfile.mkdtemp(prefix="gpg-"))
    folder = packages(directory, home)
    root = Root("trixie", directory)
    root.make()
    prepare(root, folder)
    root.boot()
    try:
        installs(root)
        comes_back(root)
        may_power_off(root)
        game = plays(root)
        upgrades(root, game)
        updates(root, home, game)
        foreign_settings(root)
        refuses_strangers(root, home)
        goes(root)
        root.halt()
        takes_over(root)
    except BaseException:
        print(journal(root), flush=True)
        raise
    finally:
        root.halt()
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
        shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
