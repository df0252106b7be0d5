"""The tests in the virtual machine run only when asked for (``make vm-test``): they need a built guest and minutes.

One guest serves all tests of a run but those of power cuts; each begins with a fresh journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ASKED = bool(os.environ.get("MIND_BOX_VM"))
FIGURES = Path(os.environ.get("MIND_BOX_VM_FIGURES", "build/vm-figures.json"))
collect_ignore_glob = [] if ASKED else ["test_*.py"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "quick: the part for CI, which has ten minutes")


class Figures:
    """What was measured, by name; kept over runs, so that one test can be measured again."""

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {}

    def __call__(self, name: str, value: Any) -> None:
        self.seen[name] = value

    def save(self) -> None:
        """Adds them to the file of figures."""
        known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps({**known, **self.seen}, indent=1, sort_keys=True) + "\n")


_figures = Figures()


@pytest.fixture(scope="session")
def figure() -> Iterator[Figures]:
    """``figure(name, value)`` notes a measurement."""
    yield _figures
    if _figures.seen:
        _figures.save()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _figures.seen:
        terminalreporter.section(f"figures, also in {FIGURES}")
        for name, value in sorted(_figures.seen.items()):
            terminalreporter.write_line(f"{name}: {value}")


if ASKED:
    from tests.vm.box import Box
    from tests.vm.guest import Guest
    from tests.vm.install import clean_tree, refresh
    from tests.vm.qemu import ARCH

    @pytest.fixture(scope="session")
    def tree() -> Iterator[Path]:
        """The present files of the program, as the guest shall see them."""
        with clean_tree() as directory:
            yield directory

    @pytest.fixture(scope="session")
    def guest(tmp_path_factory: pytest.TempPathFactory, tree: Path, figure: Figures) -> Iterator[Guest]:
        """A guest that is on, with a serial scanner plugged in."""
        machine = Guest(tmp_path_factory.mktemp("guest"), tree=tree)
        try:
            machine.start()
            figure(f"boot until the agent answers, {ARCH}, s", round(machine.boot_seconds, 1))
            refresh(machine)
            machine.plug_scanner()
            yield machine
        finally:
            machine.close()

    @pytest.fixture
    def box(guest: Guest) -> Iterator[Box]:
        """The box with the default settings and an empty journal, running."""
        box = Box(guest)
        box.configure()
        box.restart(empty=True)
        yield box
        box.rest()
