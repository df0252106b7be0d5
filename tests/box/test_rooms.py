"""The README's table of rooms is what the imports say: every module has its room, none knows more than it may, and
no way leads in a circle."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
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
    """What a file imports from ``mind_box``, inside its functions too: modules, and names in them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names = [f"{node.module}.{name}" for name in names]
        yield from (name for name in names if name.startswith("mind_box.") and name != "mind_box.__version__")


def rooms_known(file: Path) -> set[str]:
    """The modules and folders of ``mind_box`` that a file imports from."""
    return {name.split(".")[1] for name in imports(file)}


def modules() -> Iterator[tuple[str, Path]]:
    """Each file of the program and its module or folder."""
    for file in sorted(PROGRAM.rglob("*.py")):
        name = file.relative_to(PROGRAM).parts[0].removesuffix(".py")
        if not name.startswith("__"):
            yield name, file


def test_every_module_has_a_room_and_every_room_its_modules() -> None:
    assert set(table()) == {name for name, _ in modules()}


def test_rooms_know_what_the_table_says() -> None:
    """Neither more nor less: what no longer needs to be known goes from the table."""
    rooms = table()
    known: dict[str, set[str]] = {}
    for name, file in modules():
        room, knows = rooms[name]
        if knows != "all":
            known.setdefault(room, set()).update(
                rooms[other][0] for other in rooms_known(file) if rooms[other][0] != room
            )
    told = {room: set() if knows == "nothing" else {rooms[k][0] for k in knows.split(", ")}
            for room, knows in rooms.values() if knows != "all"}  # fmt: skip
    assert known == told


def test_rooms_know_each_other_in_one_direction() -> None:
    """Also those that may know all."""
    rooms = table()
    graph: dict[str, set[str]] = {}
    for name, file in modules():
        room = rooms[name][0]
        graph.setdefault(room, set()).update({rooms[other][0] for other in rooms_known(file)} - {room})
    TopologicalSorter(graph).prepare()  # a CycleError names the circle


def test_modules_know_each_other_in_one_direction() -> None:
    """Inside a room too; an import for the types alone, or in a function, is one."""
    files = {file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): file
             for file in PROGRAM.rglob("*.py")}  # fmt: skip
    graph = {name: {found if found in files else found.rpartition(".")[0] for found in imports(file)} - {name}
             for name, file in files.items()}  # fmt: skip
    TopologicalSorter(graph).prepare()


def test_a_file_has_at_most_400_lines() -> None:
    """Where it has more, it has two subjects."""
    lines = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines())
             for file in PROGRAM.rglob("*.py")}  # fmt: skip
    assert {name: count for name, count in lines.items() if count > 400} == {}


def test_only_the_commands_read_a_command_line() -> None:
    readers = {name for name, file in modules() if "argparse" in file.read_text(encoding="utf-8")}
    assert readers == {"commands"}
