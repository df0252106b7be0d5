"""Mutants that the type checker refuses: they come past no `make lint`, so no test has to notice them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from mutmut.mutation.file_mutation import MutatedFile

ROOT = Path(__file__).parents[2]
ARTEFACTS = {"no-redef", "unused-ignore"}
"""What is wrong only because all copies of a function stand beside each other."""


def mistyped(root: Path, modules: Mapping[str, MutatedFile]) -> set[str]:
    """Those of these mutants, as they stand below ``root``, in which there is an error that the original has not."""
    shutil.copy(ROOT / "pyproject.toml", root)
    command = [sys.executable, "-m", "mypy", "--output", "json", "--cache-dir", str(root.parent / "types")]
    command += [part for module in modules for part in ("-m", module)]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout
    errors: dict[str, dict[int, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    for line in said.splitlines():
        error = json.loads(line)
        module = ".".join(Path(error["file"]).with_suffix("").parts).removesuffix(".__init__")
        if error["severity"] == "error" and error["code"] not in ARTEFACTS:
            errors[module][error["line"]].add((error["code"], error["message"]))

    found = set()
    for module, file in modules.items():

        def within(name: str, file: MutatedFile = file, module: str = module) -> set[tuple[str, str]]:
            span = file.line_span_by_function_name[name]
            return {e for line in range(span.start, span.end + 1) for e in errors[module].get(line, ())}

        for name in file.mutant_names:
            if within(name) - within(name.rpartition("__mutmut_")[0] + "__mutmut_orig"):
                found.add(f"{module}.{name}")
    return found
