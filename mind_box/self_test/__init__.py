"""The self-test: its engine, and the one in the box's own menu."""
