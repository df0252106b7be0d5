"""``mind-box try``: the box in a browser."""
