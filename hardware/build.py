"""Builds everything in hardware/ that is made from the settings: `python hardware/build.py [STEP...]`.

Tables need nothing but the package; diagrams need wireviz and Graphviz; the enclosure manifold3d and numpy; labels
reportlab and segno.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import bom
import cables
import diagram
import perfboard

from mind_box.cards import qr
from mind_box.cards.labels import choose, write
from mind_box.hardware import pins
from mind_box.hardware.boards import BOARDS
from mind_box.hardware.checks import muxes
from mind_box.hardware.wiring import wires
from mind_box.settings.loading import load
from mind_box.settings.schema import Config

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import schematic  # noqa: E402

BUILDS = ("standard", "full")
STEPS = ("tables", "diagrams", "enclosure", "labels")


def settings(build: str) -> Config:
    """The settings that a build stands for."""
    return load(HERE / f"{build}.toml")


def texts(build: str) -> dict[str, str]:
    """File name to content: what is compared with the committed files by a test."""
    config = settings(build)
    return {
        f"pins-{build}.md": _pins_page(build, config),
        f"wiring-{build}.yml": diagram.source(config, f"mind box, {build} build"),
        f"bom-{build}.csv": bom.as_csv(config),
        f"schematic-{build}.svg": schematic.svg(config, f"Mind box, {build} build"),
        f"cables-{build}.svg": cables.svg(config, f"Mind box, {build} build: both ends of every cable"),
        f"perfboard-{build}.md": perfboard.page(build, config),
        f"perfboard-{build}-above.svg": perfboard.svg(perfboard.board(config), False),
        f"perfboard-{build}-below.svg": perfboard.svg(perfboard.board(config), True),
    }


def _pins_page(build: str, config: Config) -> str:
    lines = [
        f"# Pins of the {build} build",
        "",
        f"Made from [{build}.toml]({build}.toml) by `make hardware`; the same table for your own settings: "
        "`mind-box pins --config FILE`.",
        "",
        pins.markdown(config, tuple(BOARDS.values())),
        "## Plugs on the perfboard",
        "",
        "One row of pins for each cable, in this order. All GND are joined, all 3V3 are joined.",
        "",
        "| plug | wire by wire |",
        "|---|---|",
    ]
    for plug in diagram.plugs(config, wires(config)):
        lines.append(
            f"| {plug.name} | {', '.join(line if line == end else f'{line} = {end}' for line, end, _ in plug.rows)} |"
        )
    if muxes(config):
        lines += ["", "SCL and SDA of the screens come from the multiplexer: SC0 and SD0 for channel 0, and so on."]
    return "\n".join(lines) + "\n"


def tables() -> None:
    """Pin tables, diagram sources, parts lists, schematics."""
    for build in BUILDS:
        for name, content in texts(build).items():
            (HERE / name).write_text(content, encoding="utf-8")


def diagrams() -> None:
    """Wiring diagrams as SVG and PNG, from the committed sources."""
    from PIL import Image

    for build in BUILDS:
        source = HERE / f"wiring-{build}.yml"
        tool = Path(sys.executable).with_name("wireviz")
        subprocess.run([str(tool), "-f", "sp", str(source)], check=True, stdout=subprocess.DEVNULL)
        path = HERE / f"wiring-{build}.png"
        image = Image.open(path).convert("RGB")
        image.thumbnail((2000, 2000), Image.Resampling.LANCZOS)
        image.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def enclosure() -> None:
    """STL files, pictures, drilling templates, and what every seat sees as a table. The pictures take minutes."""
    import printed
    import shots
    import solids
    import template
    from layout import Layout

    for folder in ("stl", "pictures", "templates"):
        (HERE / folder).mkdir(exist_ok=True)
    stale = set((HERE / "stl").glob("*.stl"))
    for build in BUILDS:
        plan = Layout(settings(build))
        for name, solid in printed.files(plan, build).items():
            path = HERE / "stl" / f"{name}.stl"
            solids.write_stl(solid, path)
            stale.discard(path)
        for paper in template.PAPERS:
            template.write(plan, HERE / "templates" / f"{build}-{paper}.pdf", paper, f"Mind box, {build} build")
        shots.make(plan, build, HERE / "pictures")
    for path in stale:
        path.unlink()
    (HERE / "sight.md").write_text(sight_page(), encoding="utf-8")


def sight_page() -> str:
    """What every seat sees of its screen, and the scanner of the tray: computed from the plan."""
    import report
    from layout import Layout

    return report.page({build: Layout(settings(build)) for build in BUILDS})


def labels() -> None:
    """Label sheets of the original deck, ready to print."""
    (HERE / "labels").mkdir(exist_ok=True)
    for paper in ("a4", "letter"):
        for size in (15,):
            out = HERE / "labels" / f"original-{paper}-{size}mm.pdf"
            write(out, qr.deck("original"), choose("plain", paper, size), size, note=f"original deck, {size} mm codes.")


def main() -> int:
    """Runs the steps that are named, all when none is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="*", choices=[*STEPS, []], default=[], help=f"of {', '.join(STEPS)}; none: all")
    chosen = parser.parse_args().step or STEPS
    for step in STEPS:
        if step in chosen:
            globals()[step]()
            print(f"hardware: {step} built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
