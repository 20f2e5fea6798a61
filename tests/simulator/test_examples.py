"""The warp-specialized examples: nothing is found in any interleaving, as their barriers leave one order to each program."""
from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import attention  # noqa: E402  (from examples/)
import flagtree  # noqa: E402
import matmul_ws  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402


BLOCKS = 3
"""Of the examples' grids in the interpreter."""


def check_all(action) -> None:
    """A correct result, no finding, and no interleaving but one for each program, all in the least number of runs."""
    report = flagtree.check(action, schedules=2, progress=False)
    assert report.ok and report.exhausted, report
    assert report.interleavings == BLOCKS, report.coverage


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("size", attention.TILES)
def test_attention(size, causal):
    q, k, v = (torch.randn(1, 300, 2, size).half() for _ in range(3))
    expected, _ = attention.reference(q, k, v, causal)

    def run():
        assert attention.relative_error(attention.attention(q, k, v, causal=causal), expected) < attention.TOLERANCE[q.dtype]

    check_all(run)


@pytest.mark.parametrize("form", matmul_ws.FORMS)
def test_matmul(form):
    a, b = matmul_ws.random_operands(600, 300, 200, torch.float16, "cpu")

    def run():
        assert matmul_ws.relative_error(matmul_ws.matmul(a, b, form=form), a, b) < matmul_ws.TOLERANCE[a.dtype]

    check_all(run)
