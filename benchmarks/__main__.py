"""Runs the benchmarks named on the command line, or all of them; one JSON object with what each gave.

One that this machine lacks something for is ``left_out`` and says why; one that fails is ``failed``, and then the exit
status is 1. The others' figures are given all the same.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import traceback
from typing import Any

import benchmarks
from mind_box.pip import pip

OURS = ("benchmarks", "mind_box", "tests")


def main(names: list[str]) -> int:
    """Each module with a ``measure()`` that gives JSON-ready figures is a benchmark."""
    found = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_")]
    unknown = set(names) - set(found)
    if unknown:
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(found)}", file=sys.stderr)
        return 2
    results = {}
    for name in names or found:
        print(f"{name} ...", file=sys.stderr)
        results[name] = result = _measured(name)
        for what in ("left_out", "failed"):
            if what in result:
                print(f"{name}: {what.replace('_', ' ')}: {result[what]}", file=sys.stderr)
    print(json.dumps(results, indent=2))
    return int(any("failed" in result for result in results.values()))


def _measured(name: str) -> dict[str, Any]:
    try:
        result: dict[str, Any] = importlib.import_module(f"benchmarks.{name}").measure()
    except benchmarks.Missing as e:
        return {"left_out": str(e)}
    except Exception as e:
        package = e.name.partition(".")[0] if isinstance(e, ModuleNotFoundError) and e.name else None
        if package is None or package in OURS:
            traceback.print_exc()
            return {"failed": f"{type(e).__name__}: {e}"}
        return {"left_out": f"the Python package {package} is not installed; {pip('install', package)}"}
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
