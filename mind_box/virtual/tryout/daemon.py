"""The process that ``mind-box try`` starts and kills: the real daemon, wired to a virtual box.

``python -m mind_box.virtual.tryout.daemon SETTINGS SOCKET``; only ``mind_box.virtual.tryout.machine`` starts it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from functools import partial
from pathlib import Path

from mind_box.service.daemon import Daemon
from mind_box.settings.loading import load
from mind_box.virtual.tryout.link import Link, open_linked


async def main(settings: str, path: str) -> int:
    """Runs the daemon until it is told to stop, or the box hangs up."""
    link = Link(path)
    daemon = Daemon(load(Path(settings)), partial(open_linked, link), lambda view: link.show(view, daemon.language))
    return await daemon.serve()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
