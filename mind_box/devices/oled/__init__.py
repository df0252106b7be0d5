"""OLED panels: what changed goes out over I2C or SPI, one worker a bus."""
