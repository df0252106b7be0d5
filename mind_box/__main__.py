"""``python -m mind_box`` is ``mind-box``."""

import sys

from mind_box.cli import main

sys.exit(main())
