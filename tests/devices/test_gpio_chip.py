"""Finding the header's GPIO chip in fake /dev and /sys trees: Pi Zero to Pi 5, several numberings, none at all."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from mind_box.devices.gpio.header_chip import NoChip, chips, header_chip, named_chip


class Tree:
    """A machine's /dev and /sys. ``label`` reads what a chip calls itself, as the kernel's ioctl would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.labels: dict[str, str | OSError] = {}
        (root / "dev").mkdir()

    def chip(self, number: int, label: str | OSError, compatible: str = "", node: str = "of_node") -> Tree:
        name = f"gpiochip{number}"
        (self.root / "dev" / name).touch()
        self.labels[name] = label
        if compatible:
            place = self.root / "sys/bus/gpio/devices" / name / node
            place.mkdir(parents=True)
            (place / "compatible").write_bytes(compatible.encode().replace(b" ", b"\0") + b"\0")
        return self

    def link(self, number: int, target: int) -> Tree:
        (self.root / "dev" / f"gpiochip{number}").symlink_to(f"gpiochip{target}")
        return self

    @property
    def label(self) -> Callable[[Path], str]:
        def read(path: Path) -> str:
            found = self.labels[path.resolve().name]
            if isinstance(found, OSError):
                raise found
            return found

        return read


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


BOARDS = {
    "Pi Zero, Zero 2, 1, 2, 3": (
        [(0, "pinctrl-bcm2835"), (1, "brcmvirt-gpio"), (2, "raspberrypi-exp-gpio")],
        0,
    ),
    "Pi 4, 400, CM4": ([(0, "pinctrl-bcm2711"), (1, "raspberrypi-exp-gpio")], 0),
    "Pi 5 with the first kernels: 4": (
        [(n, f"gpio-brcmstb@107d50{n}000") for n in range(4)] + [(4, "pinctrl-rp1")],
        4,
    ),
    "Pi 5 with kernel 6.6.45: 0": (
        [(0, "pinctrl-rp1")] + [(n, f"gpio-brcmstb@107d50{n}000") for n in range(10, 14)],
        0,
    ),
    "Pi 5 with later kernels: 11 to 15": (
        [(n, f"gpio-brcmstb@107d50{n}000") for n in range(11, 15)] + [(15, "pinctrl-rp1")],
        15,
    ),
    "an expander came first": ([(0, "mcp23017"), (1, "pinctrl-bcm2711")], 1),
}


@pytest.mark.parametrize(("there", "header"), BOARDS.values(), ids=BOARDS)
def test_gpiozero_1166_by_label_whatever_its_number(tree: Tree, there: list[tuple[int, str]], header: int) -> None:
    """gpiozero#1166, Blinka#1119, pironman5#95: the chip was 4, then 0, now 11-15, and the last digit broke."""
    for number, label in there:
        tree.chip(number, label)
    found = header_chip(tree.root, tree.label)
    assert found.path == tree.root / f"dev/gpiochip{header}"
    assert found.number == header


COMPATIBLES = {
    "Pi 3": "brcm,bcm2835-gpio",
    "Pi 4": "brcm,bcm2711-gpio brcm,bcm2835-gpio",
    "Pi 5": "raspberrypi,rp1-gpio",
}


@pytest.mark.parametrize("compatible", COMPATIBLES.values(), ids=COMPATIBLES)
@pytest.mark.parametrize("node", ["of_node", "device/of_node"])
def test_by_device_tree_where_the_label_is_another(tree: Tree, compatible: str, node: str) -> None:
    tree.chip(0, "gpio-brcmstb@1", "brcm,bcm7445-gpio").chip(3, "renamed", compatible, node)
    assert header_chip(tree.root, tree.label).number == 3


def test_a_link_from_an_old_number_is_the_same_chip(tree: Tree) -> None:
    """Raspberry Pi OS may add gpiochip4 -> gpiochip0 on a Pi 5."""
    tree.chip(0, "pinctrl-rp1").link(4, 0)
    assert len(chips(tree.root, tree.label)) == 1
    assert header_chip(tree.root, tree.label).path.name == "gpiochip0"
    assert named_chip(str(tree.root / "dev/gpiochip4"), "gpio.chip", tree.root, tree.label).number == 0


def test_a_link_whose_target_went_away_is_no_chip(tree: Tree) -> None:
    tree.link(4, 0)
    tree.labels["gpiochip0"] = FileNotFoundError(errno.ENOENT, "No such file or directory")
    with pytest.raises(NoChip):
        header_chip(tree.root, tree.label)


def test_no_chip_at_all(tree: Tree) -> None:
    with pytest.raises(NoChip, match=r"no /dev/gpiochip\* at all.*Raspberry Pi"):
        header_chip(tree.root, tree.label)


def test_other_chips_only_are_listed(tree: Tree) -> None:
    tree.chip(0, "INT33FC:00").chip(1, "mcp23017")
    with pytest.raises(NoChip, match=r"gpiochip0 INT33FC:00, gpiochip1 mcp23017.*gpio\.chip"):
        header_chip(tree.root, tree.label)


def test_a_chip_that_may_not_be_opened_is_still_known_by_its_tree(tree: Tree) -> None:
    tree.chip(0, PermissionError(errno.EACCES, "Permission denied"), "brcm,bcm2711-gpio")
    with pytest.raises(NoChip, match=r"may not open .*gpiochip0.*group gpio"):
        header_chip(tree.root, tree.label)


def test_a_chip_that_cannot_be_opened(tree: Tree) -> None:
    tree.chip(0, OSError(errno.EIO, "Input/output error"), "brcm,bcm2711-gpio")
    with pytest.raises(NoChip, match="Input/output error"):
        header_chip(tree.root, tree.label)


def test_a_chip_by_name(tree: Tree) -> None:
    tree.chip(0, "pinctrl-bcm2711").chip(2, "mcp23017")
    assert named_chip("mcp23017", "gpio.expander", tree.root, tree.label).number == 2
    assert named_chip(str(tree.root / "dev/gpiochip2"), "gpio.expander", tree.root, tree.label).number == 2
    with pytest.raises(NoChip, match=r"'pcf8574'.*gpiochip2 mcp23017.*gpio\.expander"):
        named_chip("pcf8574", "gpio.expander", tree.root, tree.label)


def test_this_machine_is_looked_at_without_harm() -> None:
    assert isinstance(chips(), list)
