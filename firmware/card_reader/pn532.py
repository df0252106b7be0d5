"""A PN532 on the bus that the settings name."""

from mind_box.devices.nfc.watch import Watch

_POLL = 10
"""ms between two looks at a field with a tag in it: here they cost nothing."""


class Chip:
    """The watch, with its bytes carried."""

    def __init__(self, settings, sink) -> None:
        if settings.BUS == "i2c":
            from bus_i2c import Bus
        elif settings.BUS == "spi":
            from bus_spi import Bus
        else:
            from bus_uart import Bus
        self._bus = Bus(settings)
        sink.send = self._bus.write
        self._watch = Watch(sink, settings.AWAY, self._bus.wake, _POLL)
        self._started = False

    def step(self, now: int) -> None:
        """Carries what there is."""
        if not self._started:
            self._started = True
            self._watch.start(now)
        data = self._bus.read()
        if data:
            self._watch.feed(data, now)
        if now >= self._watch.deadline:
            self._watch.tick(now)
