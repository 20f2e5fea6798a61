"""No text ends the process or is accepted by accident: mutated modules give a module or a CoreError."""
from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = {"kernel": HERE / "Inputs" / "kernel.mlir", "hopper_ops": HERE.parent / "triton" / "Inputs" / "hopper_ops.mlir"}
COUNT = 1500


@pytest.mark.parametrize("first", range(0, 2 * COUNT, COUNT))
@pytest.mark.parametrize("module", MODULES)
def test_mutated_modules(module: str, first: int, tmp_path: Path) -> None:
    at_work = tmp_path / "module.mlir"
    command = [sys.executable, str(HERE / "fuzz.py"), str(MODULES[module]), str(first), str(first + COUNT), str(at_work)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        ending = signal.Signals(-result.returncode).name if result.returncode < 0 else f"exit status {result.returncode}"
        pytest.fail(f"{ending}\n{result.stderr[-2000:]}\nin the module:\n{at_work.read_text()}")
    refused = int(result.stdout)
    assert COUNT * 0.5 < refused < COUNT
