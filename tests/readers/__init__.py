"""Readers: codecs, drivers and the supervised port, with no hardware."""
