"""Figures, as JSON: ``python -m benchmarks [NAME...]`` (``make bench``)."""
