"""What a ghost has learnt of the persons' tempo: seconds a number, and seconds to lay a card.

A person waits r0 + p * gap * e^(w N) for a card. The ghost keeps m = ln p and q = ln r0 and how sure it is of both: an
extended Kalman filter in two numbers (Jazwinski 1970, "Stochastic Processes and Filtering Theory", ch. 8).

A long gap teaches p by the rule x = ln((wait - r0) / gap); V += .04^2; K = V / (V + .15^2); m += K * clip(x - m, .7);
V *= 1 - K. That is what is left of the filter when r0 is known, and then a short gap teaches nothing. While r0 is not
known, a short gap says much of it and little of p, and the filter moves each by what it says. From the long ones
alone a true r0 far from the reader's figure is found too late.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Final

from mind_box.game.values import dataclass

PACE: Final = 0.7
"""Seconds a number before anything is known of somebody."""
REACTION: Final = 0.5
"""Seconds to lay a card at a reader that states no figure of its own."""
LONG: Final = 5
"""Numbers from which on a gap teaches the pace by itself; below, only together with the reaction."""

_DRIFT: Final = 0.04**2
"""People's pace changes by so much (variance of m) from card to card."""
_UNEVEN: Final = 0.15**2
"""And they feel time so unevenly (variance of x)."""
_HANDLING: Final = 0.1**2
"""No card is laid just as quickly as the last (relative variance of r0)."""
_UNSURE: Final = 0.16
"""The variance of m in the beginning: paces differ by a factor of about 1.5."""
_UNSURE_R0: Final = 0.8**2
"""The variance of q in the beginning: people and readers differ by a factor of more than 2."""
_STRIDE: Final = 0.7
"""A wait may move m as if it were a factor of 2 off at most: somebody laughed, or reached for a glass."""
_STRIDE_R0: Final = 2.0
"""The same of a short gap: a reaction may well be six times the reader's figure, and so may a wait."""
_LEAST: Final = 0.02
"""Seconds: no wait is felt shorter."""
_PACES: Final = (log(0.02), log(20.0))
_REACTIONS: Final = (log(0.1), log(6.0))


@dataclass(frozen=True, slots=True)
class Estimate:
    """``m``: ln of seconds a number; ``q``: ln of seconds to lay a card; the variances of both, and their covariance.

    Plain numbers, as the journal keeps them. ``learns`` is false for a ghost of fixed pace.
    """

    m: float = log(PACE)
    q: float = log(REACTION)
    v_m: float = _UNSURE
    v_q: float = _UNSURE_R0
    v_mq: float = 0.0
    learns: bool = True

    @classmethod
    def beginning(cls, pace: float = PACE, reaction: float = REACTION, learns: bool = True) -> Estimate:
        """Before a card was laid. ``pace``: seconds a number; ``reaction``: the reader's own figure, seconds a card.

        Raises ``ValueError`` unless both are above 0.
        """
        if not (pace > 0 and reaction > 0):
            raise ValueError(f"a pace of {pace} s a number and {reaction} s a card: both have to be above 0")
        return cls(log(pace), log(reaction), learns=learns)

    @property
    def pace(self) -> float:
        """Seconds a number."""
        return exp(self.m)

    @property
    def reaction(self) -> float:
        """Seconds to lay a card."""
        return exp(self.q)

    def learn(self, gap: int, seconds: float) -> Estimate:
        """After a person laid a card in order, ``gap`` numbers above its pile, after ``seconds`` of play.

        A gap below 1 teaches nothing: a late card, or an equal one. Nor does a short one where r0 is known exactly.
        """
        if not self.learns or gap < 1 or (gap < LONG and not self.v_q):
            return self
        return self._long(gap, seconds) if gap >= LONG else self._short(gap, seconds)

    def _long(self, gap: int, seconds: float) -> Estimate:
        felt, reaction = self.pace * gap, self.reaction
        v_m, v_q, v_mq = self.v_m + _DRIFT, self.v_q, self.v_mq
        # ln((wait - r0) / gap) - m, and how it changes with q.
        off = _clipped(log(max(seconds - reaction, _LEAST) / felt), _STRIDE)
        by_q = reaction / felt
        noise = _UNEVEN + (_HANDLING * by_q * by_q if v_q else 0.0)
        spread = v_m + 2 * by_q * v_mq + by_q * by_q * v_q + noise
        gain_m, gain_q = (v_m + by_q * v_mq) / spread, (v_mq + by_q * v_q) / spread
        return Estimate(
            _within(self.m + gain_m * off, _PACES),
            _within(self.q + gain_q * off, _REACTIONS) if v_q else self.q,
            v_m - gain_m * gain_m * spread,
            v_q - gain_q * gain_q * spread,
            v_mq - gain_m * gain_q * spread,
        )

    def _short(self, gap: int, seconds: float) -> Estimate:
        felt, reaction = self.pace * gap, self.reaction
        whole = felt + reaction
        # ln(wait) - ln(what was to be expected), and how it changes with m and q.
        off = _clipped(log(max(seconds, _LEAST) / whole), _STRIDE_R0)
        by_m, by_q = felt / whole, reaction / whole
        noise = _UNEVEN * by_m * by_m + _HANDLING * by_q * by_q
        spread = by_m * by_m * self.v_m + 2 * by_m * by_q * self.v_mq + by_q * by_q * self.v_q + noise
        with_m, with_q = by_m * self.v_m + by_q * self.v_mq, by_m * self.v_mq + by_q * self.v_q
        gain_m, gain_q = with_m / spread, with_q / spread
        return Estimate(
            _within(self.m + gain_m * off, _PACES),
            _within(self.q + gain_q * off, _REACTIONS),
            self.v_m - gain_m * with_m,
            self.v_q - gain_q * with_q,
            self.v_mq - gain_m * with_q,
        )

    def wait(self, gap: int, noise: float = 0.0) -> float:
        """Seconds before a card ``gap`` numbers above its pile; ``noise`` is w * N, on what is felt."""
        return self.reaction + self.pace * max(gap, 0) * exp(noise)

    @property
    def sureness(self) -> float:
        """The standard deviation of m: 0.05 is about 5 % of the pace."""
        return sqrt(self.v_m)


def _clipped(value: float, most: float) -> float:
    return max(-most, min(most, value))


def _within(value: float, bounds: tuple[float, float]) -> float:
    return max(bounds[0], min(bounds[1], value))
