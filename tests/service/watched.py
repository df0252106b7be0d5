"""``mind-box`` as it is, that also tells a pipe each View it shows: a line with the journal's last row and the View.

``python -m tests.service.watched run --config FILE``; ``MIND_BOX_WATCH`` is the pipe's file descriptor.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from mind_box import cli, daemon
from mind_box.table.view import View


class WatchedDaemon(daemon.Daemon):
    """Tells after it showed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, watch=self._tell, **kwargs)
        self._pipe = int(os.environ["MIND_BOX_WATCH"])

    def _tell(self, view: View) -> None:
        assert self._journal is not None
        os.write(self._pipe, json.dumps([self._journal._last, view.to_json()]).encode() + b"\n")


if __name__ == "__main__":
    daemon.Daemon = WatchedDaemon  # type: ignore[misc]
    sys.exit(cli.main())
