"""``python -m mind_box`` is ``mind-box``."""

import sys

from mind_box.commands.cli import main

sys.exit(main())
