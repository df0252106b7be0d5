"""Seconds of what ``make fuzz`` does for minutes: sound input, spoiled in every way, at every door."""

from __future__ import annotations

import logging
import os
import random

import pytest

from tests.fuzz.targets import TARGETS, seeds

ROUNDS = int(os.environ.get("MIND_BOX_FUZZ_ROUNDS", "600"))
SEED = int(os.environ.get("MIND_BOX_SEED", "6"))
WORDS = (b"-1", b"null", b"[]", b"{}", b'""', b"9" * 21, b"1e999", b"\xff\xfe", b"\x00", b"\r\n", b'"\\ud800"')


def spoiled(data: bytes, rng: random.Random) -> bytes:
    """A few changes: bits, bytes, pieces cut, doubled, moved, or words that parsers stumble over."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        end = min(at + rng.choice((1, 2, 8, 64)), len(out))
        match rng.randrange(7):
            case 0 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at:at] = rng.randbytes(rng.choice((1, 2, 30)))
            case 2:
                del out[at:end]
            case 3:
                out[at:at] = out[at:end] * rng.choice((1, 2, 40))
            case 4:
                out[at:end] = rng.choice(WORDS)
            case 5:
                moved = bytes(out[at:end])
                del out[at:end]
                to = rng.randrange(len(out) + 1)
                out[to:to] = moved
            case _:
                del out[at:]
    return bytes(out[:20_000])


@pytest.fixture(autouse=True)
def quiet() -> None:
    logging.disable(logging.CRITICAL)


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_from_outside_breaks_it(name: str, request: pytest.FixtureRequest) -> None:
    request.addfinalizer(lambda: logging.disable(logging.NOTSET))
    rng = random.Random(SEED)
    corpus = seeds(name)
    for data in corpus:
        TARGETS[name](data)
    for _ in range(ROUNDS):
        data = spoiled(rng.choice(corpus), rng)
        try:
            TARGETS[name](data)
        except Exception as e:
            raise AssertionError(f"{name} breaks on {data!r}") from e
        if rng.random() < 0.1:
            corpus.append(data)
