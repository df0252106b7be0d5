"""What the status lamp says: written down in firmware/README.md, and nowhere else but here."""

CARD = 150
"""ms that the lamp is dark for a card."""


def lit(chip: str, attended: bool, since_card: int, now: int) -> bool:
    """Whether the lamp is lit at ``now`` ms.

    Flickering (5 a second): the chip is silent. As long on as off: the reader is broken, most likely its settings. A
    flash every second: no box listens. Steady: all is well. Dark for a moment: a card was read.
    """
    if chip == "silent":
        return now % 200 < 100
    if chip == "broken":
        return now % 1000 < 500
    if since_card < CARD:
        return False
    return attended or now % 1000 < 100
