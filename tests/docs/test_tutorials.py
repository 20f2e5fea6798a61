"""Every program of docs/tutorials runs, in the simulator, and is what a reader copies from the page."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorials").glob("[0-9]*.md"))


def test_there_are_pages():
    assert len(PAGES) == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_program(page, tmp_path):
    program, = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    file = tmp_path / f"tutorial_{page.stem}.py"
    file.write_text(program)
    result = subprocess.run([sys.executable, file], env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout in ("equal\n", "close\n")


def test_links():
    for page in [*PAGES, PAGES[0].parent / "README.md"]:
        for target in re.findall(r"\]\(([\w./]+\.(?:md|py))\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
