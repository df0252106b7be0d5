"""Whether the settings can be right: looked at once, so that a slip is said and not tripped over later."""

_WIRES = {
    "uart": (("UART_ID", 1), ("UART_TX", 29), ("UART_RX", 29)),
    "i2c": (("I2C_ID", 1), ("I2C_SDA", 29), ("I2C_SCL", 29), ("I2C_FREQ", 1000000)),
    "spi": (("SPI_ID", 1), ("SPI_SCK", 29), ("SPI_MOSI", 29), ("SPI_MISO", 29), ("SPI_CS", 29)),
}
"""What each bus needs, and the most it may be."""


def wrong(settings) -> str:
    """What is wrong with them and what they must be; empty when nothing is."""
    chip = getattr(settings, "CHIP", None)
    if chip not in ("pn532", "rc522"):
        return 'CHIP must be "pn532" or "rc522"'
    bus = "spi" if chip == "rc522" else getattr(settings, "BUS", None)
    if bus not in _WIRES:
        return 'BUS must be "uart", "i2c" or "spi"'
    numbers = _WIRES[bus] + (("AWAY", 10000),)
    if chip == "rc522":
        numbers += (("RC522_RESET", 29),)
    for name, most in numbers:
        value = getattr(settings, name, None)
        least = 200 if name == "AWAY" else 1000 if name == "I2C_FREQ" else 0
        if type(value) is not int or not least <= value <= most:
            return f"{name} must be a number from {least} to {most}"
    if getattr(settings, "WATCHDOG", None) not in (True, False):
        return "WATCHDOG must be True or False"
    lamp = getattr(settings, "LED", 0.0)
    if lamp is not None and type(lamp) not in (int, str):
        return 'LED must be "LED", a GP number or None'
    return ""
