"""The tree's Python is clean by the pinned ruff."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

TREE = Path(os.environ["TREE_MARKER"]).resolve().parent
RUFF = Path(os.environ["RUFF_STAMP"]).resolve().parent / "site" / "bin" / "ruff"


def check(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [RUFF, "check", "--no-cache", "--output-format=concise", *options, "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_tree_is_clean():
    done = check(TREE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_finds(tmp_path):
    (tmp_path / "bad.py").write_text("import os\n")
    done = check(tmp_path, f"--config={TREE / 'ruff.toml'}")
    assert done.returncode == 1 and "F401" in done.stdout
