"""Minutes at every door: ``python -m tests.fuzz.long [SECONDS] [TARGET ...]``.

With atheris (pip install atheris) the search is led by coverage; without it sound input is spoiled at random, as the
short test does. Each target runs in a process of its own. What broke it is
printed as a Python literal, to become a seed.
"""

from __future__ import annotations

import importlib.util
import logging
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 600


def at_random(name: str, seconds: float) -> int:
    """Spoils sound input until the time is over; how many tries that were."""
    from tests.fuzz.targets import TARGETS, seeds
    from tests.fuzz.test_fuzz import spoiled

    rng = random.Random()
    corpus = seeds(name)
    end = time.monotonic() + seconds
    tries = 0
    while time.monotonic() < end:
        data = spoiled(rng.choice(corpus), rng)
        if rng.random() < 0.02 and len(corpus) < 500:
            corpus.append(data)
        try:
            TARGETS[name](data)
        except BaseException:
            print(f"{name} breaks on {data!r}", flush=True)
            raise
        tries += 1
    return tries


def by_coverage(name: str, seconds: float) -> None:
    """Hands the process to atheris, which ends it."""
    import atheris

    with atheris.instrument_imports(include=["mind_box"]):
        from tests.fuzz.targets import TARGETS, seeds

    def one(data: bytes) -> None:
        try:
            TARGETS[name](data)
        except BaseException:
            print(f"{name} breaks on {data!r}", flush=True)
            raise

    folder = Path(tempfile.mkdtemp(prefix="mind-box-fuzz-"))
    for i, seed in enumerate(seeds(name)):
        (folder / str(i)).write_bytes(seed)
    arguments = [f"-max_total_time={int(seconds)}", "-max_len=20000", "-print_final_stats=1"]
    arguments += [f"-artifact_prefix={folder}/", str(folder)]
    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--one"]:
        logging.disable(logging.CRITICAL)
        name, seconds = arguments[1], float(arguments[2])
        if importlib.util.find_spec("atheris") is not None:
            by_coverage(name, seconds)
        print(f"{name}: {at_random(name, seconds)} tries at random")
        return 0
    from tests.fuzz.targets import TARGETS

    each = arguments[0] if arguments else str(SECONDS)
    broken = []
    for name in arguments[1:] or TARGETS:
        command = [sys.executable, "-m", "tests.fuzz.long", "--one", name, each]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).splitlines()
        runs = next((line.split()[-1] for line in said if "stat::number_of_executed_units" in line), "")
        state = "nothing broke it" if done.returncode == 0 else "BROKEN"
        print(f"{name}: {runs + ' tries led by coverage' if runs else said[-1] if said else ''}: {state}", flush=True)
        if done.returncode:
            broken.append(name)
            told = [line for line in said if not line.startswith("#")]
            print("\n".join(line[:4000] for line in told), flush=True)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
