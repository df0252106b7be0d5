"""Models of chips, down to their bytes, that only tests use."""
