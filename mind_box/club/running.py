"""The hub as a process: database, broker and page, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal

from mind_box.club.hub import Hub
from mind_box.club.server import ClubPage
from mind_box.club.store import Store
from mind_box.settings.schema import Config

log = logging.getLogger(__name__)


def run(config: Config) -> int:
    """0: stopped; 1: its page cannot listen. Raises ``StoreError`` where the database cannot be used."""
    store = Store(config.club.database)
    store.open()
    try:
        return asyncio.run(_serve(config, store))
    finally:
        store.close()


async def _serve(config: Config, store: Store) -> int:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    hub = Hub(config.broker, store)
    page = ClubPage(config.club, config.box.language, hub, store)
    hub.changed = page.changed
    try:
        await page.start()
    except OSError as e:
        log.error(
            "the hub's page: %s:%d cannot be used (%s); set club.host and club.port",
            config.club.host,
            config.club.port,
            e.strerror,
        )
        return 1
    shown = f"[{config.club.host}]" if ":" in config.club.host else config.club.host
    log.info("results go into %s; the board is at http://%s:%s/", store.place, shown, page.port)
    hub.start()
    await stop.wait()
    hub.stop()
    await page.stop()
    return 0
