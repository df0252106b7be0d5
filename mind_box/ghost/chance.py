"""The chance of a ghost: a stream that one can enter anywhere, so that an evening replays from its seed alone.

Each number is made from the seed and the counts that name the draw (a generator that counts, as Salmon et al. 2011,
"Parallel random numbers: as easy as 1, 2, 3"). Nothing is drawn in between and nothing need be remembered: whoever
begins in the middle finds the same number under the same counts. Python's own ``random`` does not promise that its
Gaussian numbers stay the same from one version to the next, and a journal outlives a version.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import Final

_HALF: Final = 2.0**-64


def normal(seed: int, *counts: int) -> float:
    """A number of the standard normal distribution, always the same for the same seed and counts (any integers)."""
    from hashlib import blake2b  # which loads OpenSSL: a box that starts does without

    named = ":".join(map(str, (seed, *counts))).encode()
    bits = blake2b(named, digest_size=16, person=b"mind-box ghost").digest()
    first, second = (int.from_bytes(bits[at : at + 8], "big") for at in (0, 8))
    # Box and Muller 1958; the first is never 0, whose logarithm there is none of.
    return sqrt(-2.0 * log((first + 1) * _HALF)) * cos(2.0 * pi * second * _HALF)
