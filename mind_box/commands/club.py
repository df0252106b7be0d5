"""``mind-box club``."""

from __future__ import annotations

import argparse
import logging
import sys

from mind_box.commands import add_config, config_of
from mind_box.pip import pip


def club(parser: argparse.ArgumentParser) -> None:
    """``mind-box club``."""
    add_config(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print every game as a table and end")
    form.add_argument("--league", action="store_true", help="print the league as a table and end")
    parser.set_defaults(run=_club)


def _club(args: argparse.Namespace) -> int:
    """0: stopped, or printed; 1: it cannot work, which is said; 2: the settings name no broker."""
    config = config_of(args)
    try:
        import paho.mqtt.client  # noqa: F401

        from mind_box.club.league import CSV_HEAD, RESULTS_HEAD, as_rows, league, results_as_rows
        from mind_box.club.running import run
        from mind_box.club.server import as_csv
        from mind_box.club.store import Store, StoreError
    except ImportError as e:
        cure = pip("install", "paho-mqtt", "sqlalchemy", "aiohttp", "psycopg[binary]")
        print(f"mind-box club needs packages that are not there ({e}): {cure}", file=sys.stderr)
        return 1
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        if args.csv or args.league:
            store = Store(config.club.database)
            store.open()
            results = store.results()
            head, rows = (RESULTS_HEAD, results_as_rows(results)) if args.csv else (CSV_HEAD, as_rows(league(results)))
            print(as_csv(head, rows), end="")
            return 0
        if not config.broker.host:
            print("broker.host is not set: the hub finds its boxes through a broker (docs/club.md)", file=sys.stderr)
            return 2
        return run(config)
    except StoreError as e:
        print(e, file=sys.stderr)
        return 1
