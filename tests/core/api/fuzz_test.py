"""No text ends the process or is accepted by accident: bad modules give a module or a CoreError."""
from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = {"kernel": HERE / "Inputs" / "kernel.mlir", "hopper_ops": HERE.parent / "triton" / "Inputs" / "hopper_ops.mlir"}
COUNT = 1500


def refused_share(tmp_path: Path, *arguments: object) -> float:
    """Runs fuzz.py; the share of modules that the core refused. Fails when the process ended in another way."""
    at_work = tmp_path / "module.mlir"
    command = [sys.executable, str(HERE / "fuzz.py"), str(arguments[0]), str(at_work), *map(str, arguments[1:])]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        ending = signal.Signals(-result.returncode).name if result.returncode < 0 else f"exit status {result.returncode}"
        pytest.fail(f"{ending}\n{result.stderr[-2000:]}\nin the module:\n{at_work.read_text()}")
    count, refused = map(int, result.stdout.split())
    return refused / count


@pytest.mark.parametrize("first", range(0, 2 * COUNT, COUNT))
@pytest.mark.parametrize("module", list(MODULES))
def test_mutated_modules(module: str, first: int, tmp_path: Path) -> None:
    assert 0.5 < refused_share(tmp_path, "mutations", MODULES[module], first, first + COUNT) < 1


def test_attributes_and_types_of_every_form(tmp_path: Path) -> None:
    assert 0.5 < refused_share(tmp_path, "forms", HERE / "Inputs" / "forms.txt") < 1
