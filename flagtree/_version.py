"""The version of the package and the Triton versions it works with; plain text files for the build to read."""
from __future__ import annotations

VERSION = "0.1.0"
SUPPORTED_TRITON = "3.6.0"
