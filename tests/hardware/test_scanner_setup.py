"""The scanner's set-up against a model of its registers."""

from pathlib import Path

import pytest
import scanner_setup
from scanner_setup import WISHES, Refused, Scanner, crc16, frame, set_up


class Module:
    """A GM65 as its manual has it: factory settings, answers with a CRC, saves only when told to."""

    def __init__(self, deaf: bool = False, stuck: int | None = None, noise: bytes = b"") -> None:
        self.registers = {0x0000: 0xD4, 0x0005: 0x0A, 0x0006: 0x32, 0x0013: 0x8A, 0x003F: 0x01}
        self.saved = dict(self.registers)
        self.writes = 0
        self._deaf, self._stuck, self._noise = deaf, stuck, noise
        self._out = b"42\r"  # a code that was read before

    def reset_input_buffer(self) -> None:
        self._out = b""

    def write(self, data: bytes) -> None:
        if self._deaf or data[:2] != b"\x7e\x00" or crc16(data[2:-2]) != int.from_bytes(data[-2:], "big"):
            return
        kind, _, high, low, value = data[2:-2]
        register, answer = high << 8 | low, 0
        if kind == 0x07:
            answer = self.registers[register]
        elif kind == 0x08:
            self.writes += 1
            if register != self._stuck:
                self.registers[register] = value
        elif kind == 0x09:
            self.saved = dict(self.registers)
        body = bytes((0x00, 0x01, answer))
        self._out += self._noise + b"\x02\x00" + body + crc16(body).to_bytes(2, "big")

    def read(self, size: int = 1) -> bytes:
        out, self._out = self._out[:size], self._out[size:]
        return out


def test_frames_are_those_of_the_manuals() -> None:
    assert crc16(b"123456789") == 0x31C3
    assert frame(0x09, 0, 0).hex(" ") == "7e 00 09 01 00 00 00 de c8"
    assert frame(0x07, 0x002A, 2).hex(" ") == "7e 00 07 01 00 2a 02 d8 0f"
    assert frame(0x08, 0x00D9, 0xD3).hex(" ") == "7e 00 08 01 00 d9 d3 20 38"


def test_factory_module_becomes_as_wished_and_stays_so() -> None:
    module = Module()
    told = set_up(Scanner(module))
    assert told[-1] == "saved"
    assert module.saved == module.registers
    assert module.saved[0x0000] == 0b1000_1110
    assert module.saved[0x0013] & 0x80 == 0
    for wish in WISHES:
        assert module.saved[wish.register] & wish.mask == wish.value


def test_what_is_right_is_left_alone() -> None:
    module = Module()
    set_up(Scanner(module))
    module.writes = 0
    assert all("right" in line for line in set_up(Scanner(module)))
    assert module.writes == 0


def test_show_changes_nothing() -> None:
    module = Module()
    before = dict(module.registers)
    assert any("->" in line for line in set_up(Scanner(module), only_show=True))
    assert module.registers == before


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (Module(deaf=True), "no answer"),
        (Module(noise=b"MB1:042:0F\r"), "is no answer"),
        (Module(stuck=0x0005), "0x0005 stayed 0x0a"),
    ],
    ids=["deaf", "another device", "stuck"],
)
def test_faults_are_told_and_nothing_is_saved(module: Module, says: str) -> None:
    saved = dict(module.saved)
    with pytest.raises(Refused, match=says):
        set_up(Scanner(module))
    assert module.saved == saved


def test_device_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["scanner_setup.py", str(tmp_path / "none")])
    assert scanner_setup.main() == 1
    assert "none" in capsys.readouterr().err
