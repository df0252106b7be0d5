"""The card's image, put together from a small root: its table and file systems, what it must not hold, how it grows."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mind_box.first_start.helper import Places
from package.card import image
from package.repository import KEYRING

EPOCH = 1_764_600_000
SIZES = (40, 24, 8)
needs_tools = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("sfdisk", "mkfs.vfat", "mcopy", "mke2fs")),
    reason="apt install fdisk dosfstools mtools e2fsprogs",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What mmdebstrap leaves, as far as it matters here."""
    place = tmp_path / "root"
    files = {
        "etc/passwd": "root:x:0:0::/root:/bin/bash\nmind-box:x:997:996::/var/lib/mind-box:/usr/sbin/nologin\n",
        "etc/shadow": "root:$y$secret:1:0:99999:7:::\nmind-box:!*:1::::::\n",
        "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
        "var/lib/dbus/machine-id": "0123456789abcdef0123456789abcdef\n",
        "etc/ssh/ssh_host_ed25519_key": "PRIVATE",
        "var/lib/systemd/random-seed": "seed",
        "etc/NetworkManager/system-connections/home.nmconnection": "psk=secret",
        "var/lib/apt/lists/partial/x": "x",
        "root/.bash_history": "secret",
        "boot/firmware/config.txt": "arm_64bit=1\n",
        "boot/firmware/overlays/i2c.dtbo": "overlay",
        "etc/systemd/system/multi-user.target.wants/ssh.service": "enabled",
    }
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (place / "var/lib/mind-box").mkdir(parents=True)
    return place


def tool(*words: object, text: str | None = None) -> str:
    return subprocess.run(list(map(str, words)), input=text, capture_output=True, text=True, check=True).stdout


def partitions(card: Path) -> list[dict[str, Any]]:
    table: dict[str, Any] = json.loads(tool("sfdisk", "--json", card))
    return list(table["partitiontable"]["partitions"])


def part(card: Path, number: int, to: Path) -> Path:
    """One partition as a file of its own."""
    found = partitions(card)[number - 1]
    tool("dd", f"if={card}", f"of={to}", "bs=512", f"skip={found['start']}", f"count={found['size']}", "status=none")
    return to


def test_a_card_holds_no_identity_and_no_secret(root: Path) -> None:
    for _ in range(2):  # again on a root that was prepared before
        image.prepare(root)
    left = b"".join(p.read_bytes() for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    for secret in (b"0123456789abcdef", b"PRIVATE", b"secret", b"seed"):
        assert secret not in left, secret
    assert (root / "etc/machine-id").read_text() == "uninitialized\n"
    shadow = dict(line.split(":")[:2] for line in (root / "etc/shadow").read_text().splitlines())
    assert shadow == {"root": "*", "mind-box": "*"}, "no password opens it"
    assert not list((root / "etc/systemd/system").glob("*.wants/ssh.*")), "ssh is off until it is asked for"
    assert (root / "boot/firmware/config.txt").read_text().count("dtparam=i2c_arm=on") == 1


def test_its_first_start_is_asked_for(root: Path) -> None:
    image.prepare(root)
    assert (root / str(Places().wanted).lstrip("/")).exists()
    assert "boot/firmware" in str(Places().asked) and "/boot/firmware vfat" in image.FSTAB
    links = {p.name: p.readlink() for p in (root / "etc/systemd/system").glob("*.wants/*")}
    assert set(links) == {"mind-box-grow.service", "mind-box-identity.service"}
    for link in links.values():
        assert (root / str(link).lstrip("/")).exists()


def test_updates_come_from_where_it_is_told(root: Path, tmp_path: Path) -> None:
    image.prepare(root)
    assert not (root / "etc/apt/sources.list.d/mind-box.sources").exists()
    (root / "etc/apt/keyrings").mkdir(parents=True)
    (tmp_path / "key").write_bytes(b"key")
    image.prepare(root, "https://boxes.example", tmp_path / "key")
    source = (root / "etc/apt/sources.list.d/mind-box.sources").read_text()
    assert "URIs: https://boxes.example\n" in source and f"/etc/apt/keyrings/{KEYRING}" in source
    assert (root / "etc/apt/keyrings" / KEYRING).read_bytes() == b"key"


def older_ext4() -> bool:
    """Before 1.47.1 mke2fs takes over when the files of the root were changed last, which nobody can set."""
    said = subprocess.run(["mke2fs", "-V"], capture_output=True, text=True).stderr
    number = re.search(r"mke2fs ([\d.]+)", said)
    assert number is not None, said
    return tuple(map(int, number[1].split("."))) < (1, 47, 1)


@needs_tools
def test_three_partitions_sound_and_the_same_twice(root: Path, tmp_path: Path) -> None:
    image.prepare(root)
    cards = [tmp_path / name for name in ("one.img", "two.img")]
    for card in cards:
        image.assemble(root, card, EPOCH, SIZES)
    found = partitions(cards[0])
    assert [(p["start"], p["size"], p["type"]) for p in found] == [
        (4 * 2048, 40 * 2048, "c"), (44 * 2048, 24 * 2048, "83"), (68 * 2048, 8 * 2048, "83"),
    ]  # fmt: skip
    fat = part(cards[0], 1, tmp_path / "fat")
    assert "dtparam=i2c_arm=on" in tool("mtype", "-i", fat, "::config.txt")
    assert tool("mtype", "-i", fat, "::overlays/i2c.dtbo") == "overlay"
    for number, name in ((2, "system"), (3, "games")):
        ext4 = part(cards[0], number, tmp_path / name)
        tool("e2fsck", "-f", "-n", ext4)
        assert f"Filesystem volume name:   {name}\n" in tool("dumpe2fs", "-h", ext4)
    assert tool("debugfs", "-R", "cat /etc/hostname", tmp_path / "system") == "mind-box\n"
    assert "overlays" not in tool("debugfs", "-R", "ls /boot/firmware", tmp_path / "system")
    owner = tool("debugfs", "-R", "stat /", tmp_path / "games")
    assert re.search(r"User: +997 +Group: +996 ", owner), owner
    begin = 44 * image.MIB if older_ext4() else None  # the table and the FAT alone
    sums = {hashlib.sha256(card.read_bytes()[:begin]).hexdigest() for card in cards}
    assert len(sums) == 1, "the same root gives the same bytes"
    assert (root / "boot/firmware/config.txt").exists(), "the root is as it was"


@needs_tools
def test_the_games_grow_to_the_end_of_the_card(root: Path, tmp_path: Path) -> None:
    image.prepare(root)
    card = tmp_path / "card.img"
    image.assemble(root, card, EPOCH, SIZES)
    before = partitions(card)
    with card.open("r+b") as file:
        file.truncate(200 * image.MIB)
    for _ in range(2):  # at every start
        tool("sh", root / "usr/lib/mind-box/card/grow.sh", card, 3)
        after = partitions(card)
        assert after[:2] == before[:2] and after[2]["start"] == before[2]["start"]
        assert after[2]["size"] == 200 * 2048 - before[2]["start"]
    games = part(card, 3, tmp_path / "games")
    tool("e2fsck", "-f", "-n", games)
    tool("resize2fs", games)  # what systemd-growfs does when it is mounted
    assert "Block count:              " in tool("dumpe2fs", "-h", games)
    assert "x-systemd.growfs" in image.FSTAB


@needs_tools
def test_a_card_that_was_not_written_to_its_end_is_told(root: Path, tmp_path: Path) -> None:
    image.prepare(root)
    card = tmp_path / "card.img"
    image.assemble(root, card, EPOCH, SIZES)
    with card.open("r+b") as file:
        file.truncate(60 * image.MIB)
    grow = ["sh", str(root / "usr/lib/mind-box/card/grow.sh"), str(card), "3"]
    done = subprocess.run(grow, capture_output=True, text=True)
    assert done.returncode == 1 and "was not written to its end" in done.stderr


@needs_tools
def test_a_system_that_does_not_fit_is_told(root: Path, tmp_path: Path) -> None:
    image.prepare(root)
    (root / "big").write_bytes(b"x" * 30 * image.MIB)
    with pytest.raises(image.ImageError, match="too small"):
        image.assemble(root, tmp_path / "card.img", EPOCH, SIZES)
    assert (root / "boot/firmware/config.txt").exists()


def test_a_root_without_the_package_is_none(root: Path, tmp_path: Path) -> None:
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/bash\n")
    with pytest.raises(image.ImageError, match="the package is not installed"):
        image.assemble(root, tmp_path / "card.img", EPOCH, SIZES)


def test_what_it_takes_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(image.ImageError, match="qemu-user-static"):
        image.make_root(tmp_path / "new", tmp_path / "mind-box.deb")
    assert "linux-image-arm64" in image.wanted_packages() and "raspi-firmware" in image.wanted_packages()
