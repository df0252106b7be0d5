"""Runs the benchmarks named on the command line, or all of them; one JSON object with what each gave."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys

import benchmarks


def main(names: list[str]) -> int:
    """Each module with a ``measure()`` that gives JSON-ready figures is a benchmark."""
    found = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_")]
    unknown = set(names) - set(found)
    if unknown:
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(found)}", file=sys.stderr)
        return 2
    results = {}
    for name in names or found:
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "measure"):
            print(f"{name} ...", file=sys.stderr)
            results[name] = module.measure()
    print(json.dumps(results, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
