"""The README's table of rooms is what the imports say: every module has its room, and none knows more than it may."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "mind_box"


def table() -> dict[str, tuple[str, str]]:
    """Module or folder of ``mind_box`` to its row's first cell, which stands for the room, and its last."""
    out: dict[str, tuple[str, str]] = {}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = text.partition("| room |")[2].partition("\n\n")[0].splitlines()[2:]
    for room, _, knows in (row.strip("| ").split(" | ") for row in rows):
        for name in re.findall(r"`([^`]+)`", room):
            out[name.removeprefix("mind_box/").rstrip("/").removesuffix(".py")] = room, knows
    return out


def imports(file: Path) -> Iterator[str]:
    """The modules and folders of ``mind_box`` that a file imports from."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names = [f"{node.module}.{name}" for name in names]
        for package, name, *_ in (name.split(".") for name in names if "." in name):
            if package == "mind_box" and name != "__version__":
                yield name


def modules() -> Iterator[tuple[str, Path]]:
    """Each file of the program and its module or folder."""
    for file in sorted(PROGRAM.rglob("*.py")):
        name = file.relative_to(PROGRAM).parts[0].removesuffix(".py")
        if not name.startswith("__"):
            yield name, file


def test_every_module_has_a_room_and_every_room_its_modules():
    assert set(table()) == {name for name, _ in modules()}


def test_rooms_know_what_the_table_says():
    """Neither more nor less: what no longer needs to be known goes from the table."""
    rooms = table()
    known: dict[str, set[str]] = {}
    for name, file in modules():
        room, knows = rooms[name]
        if knows != "all":
            known.setdefault(room, set()).update(rooms[other][0] for other in imports(file) if rooms[other][0] != room)
    told = {room: set() if knows == "nothing" else {rooms[k][0] for k in knows.split(", ")}
            for room, knows in rooms.values() if knows != "all"}  # fmt: skip
    assert known == told


def test_only_the_commands_read_a_command_line():
    readers = {name for name, file in modules() if "argparse" in file.read_text(encoding="utf-8")}
    assert readers == {"commands"}
