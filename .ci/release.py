"""What has to hold before a release is built: `make release` asks this first. Nothing is tagged or sent anywhere.

python .ci/release.py            # 0: ready, prints the version; 1: says what is missing
python .ci/release.py --try      # installs dist's wheel into a new environment and runs `mind-box --version`
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version(root: Path) -> str:
    """The version as the package says it: the one place where it stands."""
    text = (root / "mind_box/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.M)
    if found is None:
        raise SystemExit(f'{root}/mind_box/__init__.py: has no line __version__ = "..."; write one')
    return found[1]


def missing(root: Path) -> list[str]:
    """What stands against a release of the tree as it lies there, each with its cure; nothing: it may be built."""
    out = []
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True)
    if status.returncode:
        out.append(f"{root} is no git repository: a release is built from a commit")
    elif status.stdout:
        out.append(f"uncommitted changes: commit or stash them first:\n{status.stdout.rstrip()}")
    now = version(root)
    log = root / "CHANGELOG.md"
    heading = re.search(
        rf"^## \[{re.escape(now)}\](.*)$", log.read_text(encoding="utf-8") if log.exists() else "", re.M
    )
    if heading is None:
        out.append(f"CHANGELOG.md: has no heading ## [{now}]: give what stands under Unreleased that name and a date")
    elif not re.fullmatch(r" - \d{4}-\d\d-\d\d", heading[1]):
        out.append(f"CHANGELOG.md: {heading[0]!r} has no date: write ## [{now}] - YYYY-MM-DD")
    tags = subprocess.run(["git", "tag", "--list", f"v{now}"], cwd=root, capture_output=True, text=True).stdout
    if tags.strip():
        out.append(f"v{now} is tagged already: raise __version__ in mind_box/__init__.py")
    return out


def try_wheel(root: Path) -> int:
    """Installs the wheel of this version as a stranger would, and asks the command for its version."""
    wheel = next((root / "dist").glob(f"*-{version(root)}-py3-none-any.whl"), None)
    if wheel is None:
        print(f"{root}/dist has no wheel of {version(root)}: run make release", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        pip = [f"{place}/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", root / "constraints.txt", wheel], check=True)
        said = subprocess.run([f"{place}/bin/mind-box", "--version"], cwd=place, capture_output=True, text=True).stdout
    print(f"{wheel.name}: installed by itself, says: {said.strip()}")
    return 0 if said == f"mind-box {version(root)}\n" else 1


def main() -> int:
    """The command."""
    if sys.argv[1:] == ["--try"]:
        return try_wheel(ROOT)
    found = missing(ROOT)
    for what in found:
        print(what, file=sys.stderr)
    if not found:
        print(f"mind-box {version(ROOT)} may be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
