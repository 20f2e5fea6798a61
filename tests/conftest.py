"""Makes the tests use the installed package.

`python -m pytest` puts the working directory first in sys.path; there flagtree/ of the source tree, which has no
compiled core, would hide it.
"""
from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT]
