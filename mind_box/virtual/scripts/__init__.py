"""Table scripts: virtual time, a box without hardware, replay and record."""
