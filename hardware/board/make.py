"""``make board``: the carrier from its design to what a fab takes. ``python hardware/board/make.py [check]``

KiCad runs in a root of its own (``root.sh``). ``check`` draws nothing anew: KiCad's own check over the committed board,
and whether the committed files are what it makes of it; exit status 75 when no root is to be had.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from board import bill, design, drawing, saved  # noqa: E402

NAME = "carrier"
PROJECT = (f"{NAME}.kicad_pcb", f"{NAME}.kicad_pro", "fp-lib-table")
LAYERS = "F.Cu,B.Cu,F.Mask,B.Mask,F.Silkscreen,B.Silkscreen,Edge.Cuts"
STAMP = "2026-01-01T00:00:00"
"""In place of every date: the same board makes the same files."""
DATE = re.compile(rb"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)?")
VIEWS = {
    "above": ("--side", "top", "--zoom", "1.05"),
    "below": ("--side", "bottom", "--zoom", "1.05"),
    "view": ("--perspective", "--rotate", "'-45,0,25'", "--zoom", "0.8"),
}


class Root:
    """The Debian that KiCad runs in; files go in and out by its folder ``build``."""

    def __init__(self, bodies: bool = False) -> None:
        """``bodies``: with those of the parts, for the pictures."""
        command = ["sh", str(HERE / "root.sh"), *(["bodies"] if bodies else [])]
        made = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if made.returncode:
            raise SystemExit(made.returncode)
        self.path = Path(made.stdout.strip())
        self.build = self.path / "build"
        shutil.rmtree(self.build, ignore_errors=True)
        self.build.mkdir()

    def run(self, *command: str, check: bool = True) -> int:
        """A command with ``build`` as its folder."""
        inner = 'mount -t proc proc /proc; cd /build; HOME=/build PYTHONPATH=/build/source exec "$@"'
        line = ["unshare", "--mount", "--pid", "--fork", "chroot", str(self.path), "sh", "-c", inner, "sh", *command]
        done = subprocess.run(line, stdout=subprocess.DEVNULL)
        if check and done.returncode:
            raise SystemExit(f"make board: {' '.join(command[:3])} failed with status {done.returncode}")
        return done.returncode

    def draw(self) -> None:
        """Places, routes and pours."""
        source = self.build / "source" / "board"
        source.mkdir(parents=True)
        for name in ("router.py", "lay.py"):
            shutil.copy(HERE / name, source / name)
        (self.build / "design.json").write_text(design.as_json(), encoding="utf-8")
        shutil.copy(self.path / "usr/share/kicad/template/fp-lib-table", self.build)
        self.run("python3", "-m", "board.lay", "design.json", PROJECT[0])

    def take(self) -> None:
        """The committed board instead."""
        for name in PROJECT:
            shutil.copy(HERE / name, self.build / name)

    def check(self) -> None:
        """KiCad's own check, at all severities. Ends with what it found."""
        status = self.run("kicad-cli", "pcb", "drc", "--severity-all", "--exit-code-violations", "--format", "json",
                          "-o", "drc.json", PROJECT[0], check=False)  # fmt: skip
        found = json.loads((self.build / "drc.json").read_text(encoding="utf-8"))
        for item in [*found["violations"], *found["unconnected_items"]]:
            places = "; ".join(i["description"] for i in item["items"])
            print(f"{item['severity']}: {item['description']}: {places}", file=sys.stderr)
        print(f"KiCad's check: {len(found['violations'])} violations, {len(found['unconnected_items'])} unconnected")
        if status or found["violations"] or found["unconnected_items"]:
            raise SystemExit(1)

    def export(self) -> None:
        """Gerber, drill files, placement."""
        (self.build / "gerber").mkdir()
        out = ("-o", "gerber/")
        self.run("kicad-cli", "pcb", "export", "gerbers", *out, "-l", LAYERS, "--subtract-soldermask", PROJECT[0])
        self.run("kicad-cli", "pcb", "export", "drill", *out, "--excellon-separate-th", PROJECT[0])
        place = f"{NAME}-placement.csv"
        self.run("kicad-cli", "pcb", "export", "pos", "--format", "csv", "--units", "mm", "-o", place, PROJECT[0])
        for path in [*(self.build / "gerber").iterdir(), self.build / place]:
            path.write_bytes(DATE.sub(STAMP.encode(), path.read_bytes()))

    def pictures(self) -> None:
        """As it looks with its parts."""
        for name, view in VIEWS.items():
            self.run("kicad-cli", "pcb", "render", "--quality", "basic", *view, "-w", "1400", "--height", "1150",
                     "--background", "opaque", "-o", f"{NAME}-{name}.png", PROJECT[0])  # fmt: skip


def pack(folder: Path, out: Path) -> None:
    """What is uploaded: one archive, the same from the same files."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(path.name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


def texts() -> dict[str, str]:
    """File name to content of what needs no KiCad: the parts list and the drawing for whoever solders."""
    board = saved.read(HERE / PROJECT[0])
    return {f"{NAME}-bom.csv": bill.as_csv(), f"{NAME}-assembly.html": drawing.page(board)}


def write_texts() -> None:
    """Writes them."""
    for name, content in texts().items():
        (HERE / name).write_text(content, encoding="utf-8")


def make() -> None:
    """Everything anew; the board itself only when its design has changed."""
    root = Root(bodies=True)
    if (HERE / PROJECT[0]).exists() and saved.read(HERE / PROJECT[0]).comment.endswith(design.digest()):
        root.take()
    else:
        root.draw()
    root.check()
    root.export()
    root.pictures()
    for name in (*PROJECT, f"{NAME}-placement.csv", *(f"{NAME}-{view}.png" for view in VIEWS)):
        shutil.copy(root.build / name, HERE / name)
    shutil.rmtree(HERE / "gerber", ignore_errors=True)
    shutil.copytree(root.build / "gerber", HERE / "gerber")
    pack(HERE / "gerber", HERE / f"{NAME}-gerber.zip")
    write_texts()


def check() -> None:
    """The committed board and its files. Ends with what is wrong."""
    root = Root()
    root.take()
    root.check()
    root.export()
    made = [*(root.build / "gerber").iterdir(), root.build / f"{NAME}-placement.csv"]
    stale = [p.name for p in made if p.read_bytes() != (HERE / p.relative_to(root.build)).read_bytes()]
    if stale:
        raise SystemExit(f"make board: {', '.join(stale)} is not what {PROJECT[0]} makes: run `make board` and commit")


def main() -> None:
    """Makes, or checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=("make", "check", "texts"), default="make")
    {"make": make, "check": check, "texts": write_texts}[parser.parse_args().step]()


if __name__ == "__main__":
    main()
