"""Figures, as JSON: ``python -m benchmarks [NAME...]`` (``make bench``)."""


class Missing(Exception):
    """What a benchmark needs and this machine has not; what to do, if anything can be done. It is left out."""
