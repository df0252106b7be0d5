"""``mind-box try``."""

from __future__ import annotations

import argparse
from pathlib import Path

from mind_box.game.cards import VARIANTS
from mind_box.settings.loading import load
from mind_box.virtual.tryout.partners import PARTNERS
from mind_box.virtual.tryout.try_box import PORT, Wishes, try_box


def try_(parser: argparse.ArgumentParser) -> None:
    """``mind-box try``."""
    parser.add_argument("--config", metavar="FILE", type=Path, help="try these settings instead of a box made to fit")
    parser.add_argument(
        "--players", metavar="N", type=int, choices=range(2, 9), help="2 to 8 (default: 3, or as in --state)"
    )
    parser.add_argument("--variant", choices=VARIANTS, help="the order of cards")
    parser.add_argument(
        "--hands",
        choices=("unknown", "known"),
        help="known: every card is shown to the box when dealt (default); unknown: it counts",
    )
    parser.add_argument("--partners", choices=("person", *PARTNERS), default="human", help="who sits beside you")
    parser.add_argument("--port", metavar="P", type=_port, help=f"port of the page (default: {PORT}, else a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the page's address")
    parser.add_argument("--state", metavar="DIR", type=Path, help="keep the game there (default: it goes at the end)")
    parser.add_argument("--seed", metavar="N", type=int, help="shuffle the same way each time")
    parser.set_defaults(run=_try)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 (any that is free) to 65535")
    return port


def _try(args: argparse.Namespace) -> int:
    """Runs until it is told to stop."""
    config = load(args.config) if args.config is not None else None
    wishes = Wishes(
        args.players, args.variant, args.hands, args.port, not args.no_browser, args.state, args.partners, args.seed
    )
    return try_box(config, wishes)
