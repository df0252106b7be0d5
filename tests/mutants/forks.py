"""Runs the tests against mutants: all are collected and run once, then each mutant gets a fork of that warm process.

A fork runs the tests that reached the mutated function, the quickest first, until one fails.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

KILLED, TIMEOUT, SURVIVED, UNREACHED, UNCHECKED = "killed", "timeout", "survived", "not reached", "not checked"
FIRST, ALL = 1.0, float("inf")
EXAMPLES = 6
_STATUS = {0: SURVIVED, 1: KILLED}
"""By the exit code of a fork; a signal has ended it otherwise: its time was up."""


class Forks:
    """A pytest plugin that runs the collected tests for ``names``; what became of each is in ``found``."""

    def __init__(self, names: Sequence[str], seconds: float, workers: int, log: Path) -> None:
        self.found = dict.fromkeys(names, UNCHECKED)
        self.broken: list[str] = []
        """Tests that fail without a mutant: they count for nothing."""
        self._until = time.monotonic() + seconds
        self._workers = workers
        self._log = log
        self._reached: dict[str, set[pytest.Item]] = defaultdict(set)
        self._cost: dict[pytest.Item, float] = {}
        hypothesis.settings.register_profile(
            "mutants", database=None, deadline=None, derandomize=True, report_multiple_bugs=False,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if not session.testsfailed:  # by an error of collection
            self._warm_up(session.items)
            self._check_forks()
            for name in self.found:
                if not self._tests(name):
                    self.found[name] = UNREACHED
            self._try(FIRST)
            self._try(ALL)
        return True

    def _try(self, seconds: float) -> None:
        """With so much CPU time of tests, the quickest first; who outlives only some of them is not checked yet."""
        running: dict[int, tuple[str, bool]] = {}
        for name in [name for name, status in self.found.items() if status == UNCHECKED]:
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
            running[self._fork(name, tests)] = name, len(tests) == len(self._tests(name))
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

    def _check_forks(self) -> None:
        """A fork without a mutant has to survive: a test that fails in one would kill every mutant."""
        set_mutant_under_test("")
        tests = list(self._cost)
        pid = os.fork()
        if not pid:
            self._run("", tests)
        if not os.waitpid(pid, 0)[1]:
            return
        for item in tests:  # which one?
            pid = os.fork()
            if not pid:
                self._run("", [item])
            if os.waitpid(pid, 0)[1]:
                self.broken.append(item.nodeid)
                del self._cost[item]

    def _tests(self, name: str) -> list[pytest.Item]:
        reached = self._reached[mangled_name_from_mutant_name(name)]
        return sorted(self._cost.keys() & reached, key=self._cost.__getitem__)

    def _fork(self, name: str, tests: Sequence[pytest.Item]) -> int:
        pid = os.fork()
        return pid or self._run(name, tests)

    def _run(self, name: str, tests: Sequence[pytest.Item]) -> NoReturn:
        """In the fork: its end is the verdict."""
        code = 1
        try:
            seconds = 2 + 5 * sum(map(self._cost.__getitem__, tests))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            signal.alarm(int(60 + 5 * seconds))  # for one that waits for something
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            set_mutant_under_test(name)
            code = 0 if all(map(_passes, tests)) else 1
        finally:
            os._exit(code)

    def _ended(self, running: dict[int, tuple[str, bool]]) -> None:
        """Waits for one."""
        pid, status = os.waitpid(-1, 0)
        if pid in running:
            name, by_all = running.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            if code or by_all:
                self.found[name] = _STATUS.get(code, TIMEOUT)
            with self._log.open("a") as log:  # for whoever waits
                print(_STATUS.get(code, TIMEOUT), "of all" if by_all else "of some", name, file=log)


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
