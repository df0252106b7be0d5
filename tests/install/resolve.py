"""Where each package that a box needs comes from on a Pi: ``python -m tests.install.resolve``.

For arm64 and armhf, bookworm (Python 3.11) and trixie (3.13): a wheel from PyPI, of the tested version where the
installer asks for that, Debian's own package in a version that will do, or, for what has neither, said: built on the
Pi. Raspberry Pi OS's own archives cannot be asked from here; what is only there is named. Exit status 1 when something
comes from nowhere, or pip would fall back to a package that does not work.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

REPO = Path(__file__).parents[2]

SYSTEMS = {
    ("bookworm", "arm64"): ("3.11", ["manylinux_2_17_aarch64", "manylinux_2_28_aarch64", "manylinux_2_34_aarch64"]),
    ("bookworm", "armhf"): ("3.11", ["manylinux_2_17_armv7l", "manylinux_2_31_armv7l", "manylinux_2_34_armv7l"]),
    ("trixie", "arm64"): ("3.13", ["manylinux_2_17_aarch64", "manylinux_2_28_aarch64", "manylinux_2_39_aarch64"]),
    ("trixie", "armhf"): ("3.13", ["manylinux_2_17_armv7l", "manylinux_2_31_armv7l", "manylinux_2_39_armv7l"]),
}
EXTRAS = ("page", "labels", "update", "spi", "lgpio", "rpigpio")
DEBIAN = {
    "pillow": "python3-pil",
    "gpiod": "python3-libgpiod",
    "spidev": "python3-spidev",
    "rpi-gpio": "python3-rpi.gpio",
}
ONLY_ON_PI_OS = {"lgpio": "python3-lgpio", "rpi-gpio": "python3-rpi.gpio"}
BUILD = {
    "gpiod": "gcc libc6-dev python3-dev",
    "spidev": "gcc libc6-dev python3-dev",
    "pillow": "gcc libc6-dev python3-dev libjpeg-dev zlib1g-dev libfreetype-dev",
}
"""What a build on the Pi takes, as apt packages."""
STUBS = {"lgpio": "0.0.0.2", "gpiod": "1.5.4"}
"""What pip falls back to without a word; neither works."""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def tested() -> dict[str, str]:
    """The versions that the installer holds a box to: those of ``constraints.txt`` but for what it leaves out."""
    left_out = re.search(r"grep -Ev '(.*)' \"\$SOURCE/constraints.txt", (REPO / "systemd/install.sh").read_text())
    assert left_out, "systemd/install.sh takes no constraints"
    lines = (REPO / "constraints.txt").read_text().splitlines()
    kept = [Requirement(line) for line in lines if "==" in line and not re.match(left_out[1], line)]
    return {plain(requirement.name): str(requirement.specifier) for requirement in kept}


def needed(python: str, machine: str) -> dict[str, str]:
    """Every distribution a box needs there and what version; from the metadata of what is installed here."""
    held = tested()
    environment: dict[str, Any] = {
        **default_environment(),
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": machine,
    }
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    ours = list(project["dependencies"])
    for extra in EXTRAS:
        ours += [f'{text}; extra == "{extra}"' for text in project["optional-dependencies"][extra]]
    found: dict[str, str] = {}
    waiting = [("mind-box", extra) for extra in ("", *EXTRAS)]
    seen = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            requires = ours if name == "mind-box" else metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # not for this machine; its own needs are none for those that have no wheel
        for text in requires:
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({**environment, "extra": extra}):
                continue
            child = plain(requirement.name)
            found[child] = held.get(child) or str(requirement.specifier) or found.get(child, "")
            waiting += [(child, more) for more in ("", *requirement.extras)]
    return found


def wheel(name: str, wanted: str, python: str, platforms: list[str]) -> str | None:
    """The version of the wheel that pip takes; None: there is none."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["-d", directory]
        command += [f"--platform={p}" for p in platforms]
        command += [f"--python-version={python}", "--implementation=cp", f"{name}{wanted}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        files = list(Path(directory).iterdir())
    return files[0].name.split("-")[1] if done.returncode == 0 and files else None


def _archive() -> str:
    """Where this machine's own packages come from; the archive of security updates holds only some."""
    known = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)"], capture_output=True, text=True, check=True
    )
    return next(uri for uri in known.stdout.split() if "security" not in uri)


def debian(package: str, suite: str, architecture: str) -> str | None:
    """The version in Debian's archive, asked through apt with lists of its own; None: not there."""
    place = Path(tempfile.gettempdir()) / f"mind-box-apt-{suite}-{architecture}"
    lists = place / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    sources = place / "sources.list"
    sources.write_text(f"deb {_archive()} {suite} main\n")
    options = (
        f"APT::Architecture={architecture}", f"APT::Architectures={architecture}", f"Dir::State::Lists={lists}",
        f"Dir::Etc::SourceList={sources}", "Dir::Etc::SourceParts=-", "Dir::Cache::pkgcache=",
        "Dir::Cache::srcpkgcache=", "Dir::State::status=/dev/null",
    )  # fmt: skip
    flags = [flag for option in options for flag in ("-o", option)]
    if not list(lists.glob("*Packages*")):
        subprocess.run(["apt-get", *flags, "-qq", "update"], check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run(["apt-cache", *flags, "policy", package], capture_output=True, text=True, check=True).stdout
    candidate = re.search(r"Candidate: (?:\d+:)?([\d.]+)", shown)
    return candidate[1] if candidate else None


def does(version: str | None, wanted: str) -> bool:
    try:
        return version is not None and Requirement(f"x{wanted}").specifier.contains(Version(version))
    except InvalidVersion:
        return False


def main() -> int:
    bad = 0
    for (suite, architecture), (python, platforms) in SYSTEMS.items():
        print(f"{suite} {architecture} (Python {python}):")
        machine = "aarch64" if architecture == "arm64" else "armv7l"
        for name, wanted in sorted(needed(python, machine).items()):
            got = wheel(name, wanted, python, platforms)
            package = DEBIAN.get(name)
            theirs = debian(package, suite, architecture) if package else None
            if got is not None and got == STUBS.get(name):
                print(f"  {name} {got}: A STUB THAT DOES NOT WORK")
                bad += 1
            elif does(theirs, wanted):
                print(f"  {name}{wanted}: Debian's {package} {theirs}" + (f" (also a wheel, {got})" if got else ""))
            elif got is not None:
                print(f"  {name}{wanted}: wheel {got}" + (f" (Debian's {package} is {theirs})" if theirs else ""))
            elif name in ONLY_ON_PI_OS:
                print(f"  {name}{wanted}: optional; only Raspberry Pi OS's own archive has it: {ONLY_ON_PI_OS[name]}")
            elif name in BUILD:
                print(f"  {name}{wanted}: built on the Pi, or a wheel of Raspberry Pi OS's own; takes: {BUILD[name]}")
            else:
                print(f"  {name}{wanted}: COMES FROM NOWHERE")
                bad += 1
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
