"""The source files that the lines of PTX refer to."""
from __future__ import annotations

import re
from pathlib import Path

_FILE = re.compile(r'^\s*\.file\s+(\d+) "([^"]*)"(?: "([^"]*)")?', re.MULTILINE)


def source_files(ptx: str) -> dict[str, str]:
    """Number in `.loc` -> path."""
    return {number: str(Path(folder, name)) if name else folder for number, folder, name in _FILE.findall(ptx)}
