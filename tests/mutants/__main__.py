"""Mutation testing (docs/mutants.md): mutmut spoils the program in small ways, and a test has to notice each.

    python -m tests.mutants --seed X --count 100 --seconds 150     an area and mutants of it, drawn by X
    python -m tests.mutants --seed X --area game --count 400       mutants of this area

Exits with 1 when a mutant survives that ``equivalent.txt`` does not know, in a file that is settled (``areas.py``).
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import random
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from mutmut.mutation.file_mutation import MutatedFile, mutate_file_contents

from tests.mutants.areas import AREAS, Change, equivalent, settled
from tests.mutants.forks import ALL, KILLED, SURVIVED, TIMEOUT, UNCHECKED, UNREACHED, Forks
from tests.mutants.types import mistyped

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutants"
EQUIVALENT = "equivalent"


def mutated(area: str) -> dict[str, MutatedFile]:
    """All mutants of these sources by module; the program with them in place of the sources is below ``BUILD``."""
    root = BUILD / area
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(ROOT / "mind_box", root / "mind_box", ignore=shutil.ignore_patterns("__pycache__"))
    modules = {}
    for path in sorted(path for pattern in AREAS[area].sources.split() for path in root.glob(f"mind_box/{pattern}")):
        file = mutate_file_contents(str(path), path.read_text())
        path.write_text(file.code)
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        modules[module.removesuffix(".__init__")] = file
    return modules


def change(module: str, file: MutatedFile, mutant: str) -> Change:
    """What a mutant changes."""
    lines = file.code.splitlines()
    original = mutant.rpartition("__mutmut_")[0] + "__mutmut_orig"
    before, after = (
        [line.strip().replace(name, "") for line in lines[span.start - 1 : span.end]]
        for name, span in ((name, file.line_span_by_function_name[name]) for name in (original, mutant))
    )
    diff = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    old, new = (" / ".join(line[2:] for line in diff if line[0] == sign) for sign in "-+")
    return module.removeprefix("mind_box.").replace(".", "/") + ".py", old, new


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--seed", default="", help="draws the mutants, and the area where none is given")
    parser.add_argument("--area", choices=AREAS)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=86_400, help="after so long no other mutant is begun")
    parser.add_argument("--name", action="append", help="only mutants whose names hold this, instead of drawn ones")
    parser.add_argument("--most", type=float, default=ALL, help="CPU seconds of tests that a mutant is given")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many mutants at once")
    chosen = parser.parse_args()
    until = time.monotonic() + chosen.seconds

    draw = random.Random(chosen.seed)
    area = chosen.area or draw.choice(list(AREAS))
    os.chdir(ROOT)
    modules = mutated(area)
    every = [f"{module}.{name}" for module, file in modules.items() for name in file.mutant_names]
    refused = mistyped(BUILD / area, modules)
    names = [name for name in every if name not in refused]
    if chosen.name:
        drawn = [name for name in names if any(part in name for part in chosen.name)]
    else:
        draw.shuffle(names)  # a larger count goes on where a smaller one ended
        drawn = names[: chosen.count]

    sys.path.insert(0, str(BUILD / area))
    importlib.import_module("mind_box")  # what is below it comes from there too, whatever pytest does to the path
    parts = ((name, *name.rpartition(".")[::2]) for name in drawn)
    changes = {name: change(module, modules[module], mutant) for name, module, mutant in parts}
    known = equivalent()
    tried = [name for name in drawn if changes[name] not in known]
    forks = Forks(tried, until - time.monotonic(), chosen.workers, BUILD / area / "log", chosen.most)
    tests = [f"tests/{path}" for path in AREAS[area].tests.split()]
    options = ["-p", "no:cacheprovider", "-p", "no:terminal", "-m", "not slow"]
    code = pytest.main([*options, *tests], plugins=[forks])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        print("The tests cannot be collected: run pytest", *tests)
        return 1
    if forks.broken:
        print("\nThese tests failed without a mutant and were left out:", *forks.broken, sep="\n")

    survivors, failed = [], False
    counts = Counter(forks.found.values())
    counts[EQUIVALENT] = len(drawn) - len(tried)
    for name, status in forks.found.items():
        if status in (SURVIVED, UNREACHED):
            failed = failed or settled(changes[name][0])
            survivors.append("{}: {}\n{} `{}` -> `{}`: ".format(status, name, *changes[name]))
    print("", *survivors, sep="\n")
    verdicts = (KILLED, TIMEOUT, EQUIVALENT, SURVIVED, UNREACHED, UNCHECKED)
    print(f"Mutants of {area}: {len(every)}, of which the type checker refuses {len(refused)}.")
    print(f"Drawn of the others by {chosen.seed!r}: {len(drawn)};",
          ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts if counts[verdict]) + ".")  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
