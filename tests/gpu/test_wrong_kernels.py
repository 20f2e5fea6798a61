"""What kernels with a mistake do on the device: TLE_WAIT_TIMEOUT_MS ends waits, and Triton's concurrency sanitizer sees races.

Under TRITON_INTERPRET=1 the simulator finds the same mistakes.
"""
from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = (HERE / "wrong_kernels.py").read_text().splitlines()
SUM = "result 163840.0"  # of STEPS blocks of ones


class Outcome(NamedTuple):
    last: str
    errors: str
    seconds: float


def launch(name: str, folder: Path, **environment: str) -> Outcome:
    """Run wrong_kernels.py in a process that has to end by itself."""
    paths = [str(HERE.parents[1] / "examples"), *sys.path]  # without the tree's root, as conftest.py leaves it
    start = time.monotonic()
    done = subprocess.run([sys.executable, str(HERE / "wrong_kernels.py"), name], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TRITON_CACHE_DIR": str(folder), **environment})
    assert done.returncode == 0, done.stderr
    return Outcome(done.stdout.strip().splitlines()[-1], done.stderr, time.monotonic() - start)


def line_of(comment: str) -> int:
    (number, ) = [number for number, text in enumerate(SOURCE, 1) if text.endswith(f"# {comment}")]
    return number


@pytest.mark.parametrize("name, comment", [("under-arrived", "waits for a second arrival"), ("under-arrived at the end", "waits for a fourth arrival")])
def test_a_wait_in_vain_ends(device, tmp_path, name, comment):
    """Within the bound, with the line of the wait; the process goes on."""
    outcome = launch(name, tmp_path, TLE_WAIT_TIMEOUT_MS="300")
    if device == "cpu":
        assert outcome.last.startswith("caught ") and "[D2]" in outcome.last + outcome.errors
        return
    assert outcome.last.startswith("caught ") and "device-side assert" in outcome.last, outcome
    assert f"wrong_kernels.py:{line_of(comment)}: " in outcome.errors
    assert "a wait at a barrier took longer than 300 ms (TLE_WAIT_TIMEOUT_MS)" in outcome.errors
    assert outcome.seconds < 60


@pytest.mark.parametrize("name, result", [("ring", SUM), ("two copies", SUM), ("attention", "result 0.0")])
def test_bounded_waits_change_no_result(tmp_path, name, result):
    assert launch(name, tmp_path, TLE_WAIT_TIMEOUT_MS="20000").last == result


@pytest.mark.parametrize("name, result", [("ring", SUM), ("two copies", SUM), ("attention", "result 0.0")])
def test_the_sanitizer_finds_nothing_wrong(tmp_path, name, result):
    """In a minute, compilation included."""
    outcome = launch(name, tmp_path, TRITON_INSTRUMENTATION_MODE="consan")
    assert outcome.last == result, outcome
    assert outcome.seconds < 60


def test_the_sanitizer_finds_a_race(device, tmp_path):
    outcome = launch("early release", tmp_path, TRITON_INSTRUMENTATION_MODE="consan")
    assert outcome.last.startswith("caught "), outcome
    if device == "cuda":
        assert "device-side assert" in outcome.last and "wrong_kernels.py" in outcome.errors
