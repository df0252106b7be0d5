# What this reader is made of. Change it to what you have wired; firmware/README.md shows the wires.

CHIP = "pn532"  # "pn532", or "rc522" (which is always on SPI)
BUS = "uart"  # how the PN532 is wired: "uart", "i2c" or "spi"; set the two switches on its board to the same

UART_ID, UART_TX, UART_RX = 1, 4, 5  # GP numbers, not pin numbers
I2C_ID, I2C_SDA, I2C_SCL, I2C_FREQ = 0, 4, 5, 100000
SPI_ID, SPI_SCK, SPI_MOSI, SPI_MISO, SPI_CS = 0, 18, 19, 16, 17
RC522_RESET = 20

LED = "LED"  # the board's own lamp, a GP number, or None
WATCHDOG = True  # restarts a reader that hangs
AWAY = 1000  # ms that a card must have been away before it counts again (200 to 10000)
