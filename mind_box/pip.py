"""How packages get into the Python that runs this: a checkout's .venv, or the installed box's own."""

from __future__ import annotations

import sys
from pathlib import Path


def pip(*words: str) -> str:
    """The command line. Packages by their own names: mind-box is in no registry, so its extras are in none either."""
    import shlex  # a start does without it

    sudo = ["sudo"] if Path(sys.prefix).stat().st_uid == 0 else []
    return shlex.join([*sudo, f"{sys.prefix}/bin/pip", *words])
