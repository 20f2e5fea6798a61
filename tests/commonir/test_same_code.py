"""What CommonIR changes in the code of a kernel: both wheels compile the same kernels, for sm_80 and sm_90."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "bench"))
import abba  # noqa: E402

Kernels = dict[str, dict[str, str]]

ASYNCHRONOUS = {
    f"{kernel} sm_{capability}": copies
    for capability in (80, 90)
    for kernel, copies in {
        "matmul even 1 stages": 2,
        "attention even 1 stages": 3,
        "attention even 3 stages": 1,
        "copy even": 1,
        "relay 1 stages": 1,
    }.items()
}
"""Kernels with copies that stay copies, without a mask and of proven alignment, and the number of these. CommonIR makes them asynchronous."""

COPY = re.compile(r"ttg\.local_store|ttg\.async_(copy|commit|wait)|= tt\.load")


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Kernels]:
    """The kernels of compile_examples.py without CommonIR (False) and with it (True)."""
    result = {}
    for variable in ("WHEEL_OFF", "WHEEL_ON"):
        folder = tmp_path_factory.mktemp(variable)
        abba.lay_out(Path(os.environ[variable]).resolve(), folder / "site")
        environment = {**os.environ, "PYTHONPATH": str(folder / "site"), "TRITON_CACHE_DIR": str(folder / "cache"), "TRITON_INTERPRET": "0"}
        run = subprocess.run([sys.executable, str(HERE / "compile_examples.py")], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        record = json.loads(run.stdout)
        result[record["common_ir"]] = record["kernels"]
    assert set(result) == {False, True} and set(result[False]) == set(result[True])
    return result


def operations(ttgir: str) -> Iterator[str]:
    """Lines of the kernel without names of values and layouts, locations, and what a copy consists of."""
    for line in ttgir.splitlines():
        line = re.sub(r" loc\(.*", "", line)
        if not line.startswith("#") and not COPY.search(line):
            yield re.sub(r"%[\w#]+|#(blocked|shared)\d*", "_", line)


def test_the_same_ptx_but_for_asynchronous_copies(sides: dict[bool, Kernels]) -> None:
    different = {name for name in sides[True] if abba.instructions(sides[False][name]["ptx"]) != abba.instructions(sides[True][name]["ptx"])}
    assert different == set(ASYNCHRONOUS)
    assert len(sides[True]) == 40


@pytest.mark.parametrize("name", sorted(ASYNCHRONOUS))
def test_only_copies_differ(sides: dict[bool, Kernels], name: str) -> None:
    off, on = (sides[flag][name]["ttgir"] for flag in (False, True))
    assert on.count("ttg.async_copy_global_to_local") - off.count("ttg.async_copy_global_to_local") == ASYNCHRONOUS[name]
    assert list(operations(on)) == list(operations(off))


def test_loops_of_stages_are_pipelined(sides: dict[bool, Kernels]) -> None:
    for capability in (80, 90):
        for kernel in ("matmul even", "matmul ragged"):
            for stages in (3, 4):
                ttgir = sides[True][f"{kernel} {stages} stages sm_{capability}"]["ttgir"]
                assert ttgir.count("ttg.async_copy_global_to_local") == 2 * stages
                assert re.search(rf"ttg\.async_wait .*num = {2 * (stages - 2)} ", ttgir)
