"""The ports to the hardware, and the real drivers behind them."""
