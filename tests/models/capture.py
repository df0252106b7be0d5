"""What a ``sim:`` bus wrote down, played to the models of the chips."""

from __future__ import annotations

from mind_box.virtual.i2c_bus import ModelBus


def play(capture: str, bus: ModelBus) -> None:
    """Sends what a ``CaptureBus`` wrote to the chips on a model bus. Raises ``ValueError`` for a broken line."""
    for line in capture.splitlines():
        address, _, payload = line.partition(" ")
        bus.write(int(address, 16), bytes.fromhex(payload))
