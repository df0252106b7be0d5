"""Runs the tests against mutants: all are collected and run once, then each mutant gets a fork of that warm process.

A fork runs the tests that reached the mutated function, the quickest first, until one fails.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

KILLED, TIMEOUT, SURVIVED, UNREACHED, UNCHECKED = "killed", "timeout", "survived", "not reached", "not checked"
FIRST, ALL = 1.0, 10.0
"""CPU seconds of tests that a mutant is given first, and at most: tests that take long are no first line."""
EXAMPLES = 6
BATCH = 50
GRACE = 15.0
"""Seconds for those that are under way when no other is begun any more."""
MOST = 255
"""The highest exit code of a fork."""


class _Run(NamedTuple):
    """A mutant being tried."""

    name: str
    tests: Sequence[pytest.Item]
    last: bool
    """There are no more tests for it."""


class Forks:
    """A pytest plugin that runs the collected tests for ``names``; what became of each is in ``found``."""

    def __init__(self, names: Sequence[str], seconds: float, workers: int, log: Path, most: float = ALL) -> None:
        self.found = dict.fromkeys(names, UNCHECKED)
        self.broken: list[str] = []
        """Tests that fail without a mutant: they count for nothing."""
        self._until = time.monotonic() + seconds
        self._workers = workers
        self._log = log
        self._most = most
        self._reached: dict[str, set[pytest.Item]] = defaultdict(set)
        self._cost: dict[pytest.Item, float] = {}
        self._checked: set[pytest.Item] = set()
        self._kills: dict[str, Counter[pytest.Item]] = defaultdict(Counter)
        hypothesis.settings.register_profile(
            "mutants", database=None, deadline=None, derandomize=True, report_multiple_bugs=False,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if not session.testsfailed:  # by an error of collection
            self._warm_up(session.items)
            set_mutant_under_test("")
            gc.collect()
            gc.freeze()  # what a fork never collects, it need not copy
            names = list(self.found)
            for some in range(0, len(names), BATCH):
                batch = names[some : some + BATCH]
                for name in batch:
                    if not self._tests(name):
                        self.found[name] = UNREACHED
                self._try(batch, FIRST)
                self._try(batch, self._most)
        return True

    def _try(self, names: Sequence[str], seconds: float) -> None:
        """With so much CPU time of tests, the likeliest first; who outlives only some of them is not checked yet."""
        running: dict[int, _Run] = {}
        for name in names:
            if self.found[name] != UNCHECKED:
                continue
            spent = 0.0
            tests: list[pytest.Item] = []
            for test in self._tests(name):
                spent += self._cost[test]
                if spent <= seconds or not tests:
                    tests.append(test)
            while len(running) >= self._workers:
                self._ended(running)
            if time.monotonic() > self._until:
                break
            running[self._fork(name, tests)] = _Run(
                name, tests, seconds == self._most or len(tests) == len(self._tests(name))
            )
        while running:
            self._ended(running)

    def _warm_up(self, items: Sequence[pytest.Item]) -> None:
        set_mutant_under_test("stats")  # each mutated function tells that it was called
        for item in items:
            _shorten(item)
            state()._stats.clear()
            began = time.process_time()
            if not _passes(item):
                self.broken.append(item.nodeid)
                continue
            self._cost[item] = time.process_time() - began
            for function in state()._stats:
                self._reached[function].add(item)

    def _sound(self, tests: Sequence[pytest.Item]) -> bool:
        """Whether the last of these fails only for a mutant: without one, in a fork too, it has to pass."""
        if tests[-1] not in self._checked:
            pid = self._fork("", tests)
            if os.waitpid(pid, 0)[1]:
                return False
            self._checked.add(tests[-1])
        return True

    def _tests(self, name: str) -> list[pytest.Item]:
        """Those that reach it: first what has killed others of the same function, then the quickest."""
        function = mangled_name_from_mutant_name(name)
        kills = self._kills[function]
        return sorted(self._cost.keys() & self._reached[function], key=lambda test: (-kills[test], self._cost[test]))

    def _fork(self, name: str, tests: Sequence[pytest.Item]) -> int:
        pid = os.fork()
        return pid or self._run(name, tests)

    def _run(self, name: str, tests: Sequence[pytest.Item]) -> NoReturn:
        """In the fork: its end is the verdict, 0 or the number of the test that failed."""
        code = MOST
        try:
            seconds = 2 + 5 * sum(self._cost.get(test, 0.0) for test in tests)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            left = self._until + GRACE - time.monotonic()
            signal.alarm(max(1, int(min(60 + 5 * seconds, left))))  # for one that waits for something
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            set_mutant_under_test(name)
            code = next((min(n, MOST) for n, test in enumerate(tests, 1) if not _passes(test)), 0)
        finally:
            os._exit(code)

    def _ended(self, running: dict[int, _Run]) -> None:
        """Waits for one."""
        pid, status = os.waitpid(-1, 0)
        run = running.pop(pid, None)
        if run is None:
            return
        code = os.waitstatus_to_exitcode(status)
        if code < 0 and time.monotonic() > self._until:
            return  # it was not given its time
        verdict = SURVIVED if not code else KILLED if code > 0 else TIMEOUT  # a signal: its time was up
        if verdict == KILLED and code < MOST:
            if not self._sound(run.tests[:code]):
                self.broken.append(run.tests[code - 1].nodeid)
                self._cost.pop(run.tests[code - 1], None)
                return
            self._kills[mangled_name_from_mutant_name(run.name)][run.tests[code - 1]] += 1
        if code or run.last:
            self.found[run.name] = verdict
        with self._log.open("a") as log:  # for whoever waits
            print(verdict, "of all" if run.last else "of some", run.name, file=log)


def _shorten(item: pytest.Item) -> None:
    """Properties are tried on few examples: what they alone find in many is not the tests' first line."""
    test: Any = getattr(item, "obj", None)
    if hypothesis.is_hypothesis_test(test):
        test._hypothesis_internal_use_settings = hypothesis.settings(
            test._hypothesis_internal_use_settings, max_examples=EXAMPLES
        )


def _passes(item: pytest.Item) -> bool:
    reports: Iterator[pytest.TestReport] = iter(runtestprotocol(item, log=False, nextitem=None))
    return not any(report.failed for report in reports)
