"""The workshop's own modules lie beside the tables they make, outside the package."""

import sys
from pathlib import Path

HARDWARE = Path(__file__).parents[2] / "hardware"
sys.path.insert(0, str(HARDWARE))
