"""How packages get into the Python that runs this: a checkout's .venv, the installed box's own, or Debian's."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path("/usr/lib/mind-box")
"""Where the Debian package keeps this program."""
DEBIANS = {
    "gpiod": "python3-libgpiod",
    "luma.oled": "mind-box",  # it brings its own
    "mpremote": "micropython-mpremote",
    "pillow": "python3-pil",
    "rpi.gpio": "python3-rpi.gpio",
}
"""What Debian calls otherwise than ``python3-NAME``."""


def packaged() -> bool:
    """Whether this program is the Debian package's: apt brings what it needs, and pip is kept off."""
    return PACKAGE in Path(__file__).parents


def pip(*words: str) -> str:
    """The command line. Packages by their own names: mind-box is in no registry, so its extras are in none either."""
    import shlex  # a start does without it

    if packaged():
        action = "remove" if words[0] == "uninstall" else "install"
        names = [re.split("[<>=!]", word)[0].lower() for word in words[1:] if not word.startswith("-")]
        again = ["--reinstall"] if any(word.startswith("--force") for word in words) else []
        return shlex.join(["sudo", "apt", action, *again, *(DEBIANS.get(name, f"python3-{name}") for name in names)])
    sudo = ["sudo"] if Path(sys.prefix).stat().st_uid == 0 else []
    return shlex.join([*sudo, f"{sys.prefix}/bin/pip", *words])


def install_again() -> str:
    """The command that puts the box's own files right."""
    return "sudo apt install --reinstall mind-box" if packaged() else "sudo make install"
