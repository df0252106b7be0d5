"""``mind-box run``."""

from __future__ import annotations

import argparse
import gc
import logging
import sys

from mind_box.commands import add_config, config_of
from mind_box.settings.loading import described

log = logging.getLogger(__name__)


def run(parser: argparse.ArgumentParser) -> None:
    """``mind-box run``."""
    add_config(parser)
    parser.add_argument("--page", action="store_true", help="with the read-only table page (page.host, page.port)")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Runs the box until it is told to stop."""
    _with_patience()
    config = config_of(args)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    log.info("%s: %s", *described(config, args.config))
    if not (config.broker.host and config.broker.tls):
        _without_tls()
    from mind_box.service.daemon import run as run_daemon

    return run_daemon(config, page=args.page)


def _with_patience() -> None:
    """Looks for no garbage until the box has long been ready, and then not at what the start made: 50,000 objects that
    stay. A tenth of its time went into looking at them again and again."""
    gc.disable()
    gc.set_threshold(10_000)


def _without_tls() -> None:
    """Keeps OpenSSL out of the process: asyncio loads it if it can, 5 MB for a box that speaks no TLS.

    asyncio takes a missing ``ssl`` as it is: its own import of it is in a ``try``.
    """
    sys.modules.setdefault("ssl", None)  # type: ignore[arg-type]
