"""The warp-specialized matrix product of examples/matmul_ws.py: every form, dtype and order of operands, ragged shapes."""
from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import matmul_ws as example  # noqa: E402

FORMS = list(example.FORMS)
DTYPES = list(example.DTYPES.values())


def random_shapes(count: int, largest: int) -> list[tuple[int, int, int]]:
    """Random (M, N, K); most are no multiple of anything."""
    generator = random.Random(11)
    return [tuple(generator.randint(1, largest) for _ in range(3)) for _ in range(count)]


def largest_extent(device: str) -> int:
    """The simulator is slow."""
    return 1500 if device == "cuda" else 150


def check(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    assert got.shape == (a.shape[0], b.shape[1])
    error = example.relative_error(got, a, b)
    assert error <= example.TOLERANCE[a.dtype], f"relative error {error:.2e} for {a.shape[0]} x {a.shape[1]} by {b.shape[1]}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_random_shapes(device, form, dtype):
    for m, n, k in random_shapes(12 if device == "cuda" else 2, largest_extent(device)):
        a, b = example.random_operands(m, n, k, dtype, device)
        check(example.matmul(a, b, form=form), a, b)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (128, 256, 64), (256, 128, 128), (127, 257, 65), (64, 8, 16)])
def test_edges_of_tiles(device, form, dtype, m, n, k):
    """One step, one tile, one element more or less."""
    a, b = example.random_operands(m, n, k, dtype, device)
    check(example.matmul(a, b, form=form), a, b)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("steps", range(1, 13))
def test_steps(device, form, steps):
    """Any number of steps, so that the ring's count of uses starts each tile at another slot and parity."""
    m, n = (700, 3000) if device == "cuda" else (200, 60)
    a, b = example.random_operands(m, n, 64 * steps, torch.bfloat16, device)
    check(example.matmul(a, b, form=form), a, b)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("a_order", ["rows", "columns"])
@pytest.mark.parametrize("b_order", ["rows", "columns"])
def test_orders(device, form, dtype, a_order, b_order):
    m, n, k = (300, 520, 200) if device == "cuda" else (140, 72, 136)
    a = torch.randn(m, k, device=device).to(dtype)
    b = torch.randn(k, n, device=device).to(dtype)
    a = a if a_order == "rows" else a.mT.contiguous().mT
    b = b if b_order == "rows" else b.mT.contiguous().mT
    check(example.matmul(a, b, form=form), a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_views_that_tma_cannot_read(device, dtype):
    a = torch.randn(90, 150, device=device).to(dtype)[::2, 1:101]
    b = torch.randn(100, 140, device=device).to(dtype)[:, 3::2]
    check(example.matmul(a, b), a, b)
    a = torch.randn(45, 1, device=device).to(dtype).expand(45, 100)
    check(example.matmul(a, b), a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_extents_of_one(device, dtype):
    for m, n, k in [(1, 50, 70), (50, 1, 70), (50, 70, 1)]:
        a, b = example.random_operands(m, n, k, dtype, device)
        check(example.matmul(a, b), a, b)
        a, b = a.mT.contiguous().mT, b.mT.contiguous().mT
        check(example.matmul(a, b), a, b)


@pytest.mark.parametrize("m, n, k", [(0, 5, 4), (5, 0, 4), (5, 3, 0)])
def test_nothing(device, m, n, k):
    a, b = example.random_operands(m, n, k, torch.float16, device)
    assert torch.equal(example.matmul(a, b), torch.zeros(m, n, dtype=torch.float16, device=device))


@pytest.mark.parametrize("out_dtype", example.OUT_DTYPES, ids=str)
def test_result_types_of_fp8(device, out_dtype):
    a, b = example.random_operands(130, 70, 256, torch.float8_e4m3fn, device)
    c = example.matmul(a, b, out_dtype=out_dtype)
    assert c.dtype == out_dtype
    check(c, a, b)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_written_beside_the_result(device, form):
    m, n, k = 131, 88, 70
    a, b = example.random_operands(m, n, k, torch.float16, device)
    around = torch.full((m + 2, n), 7.0, dtype=torch.float16, device=device)
    result = example.matmul(a, b, out=around[1:-1], form=form)
    assert result.data_ptr() == around[1:-1].data_ptr()
    check(around[1:-1], a, b)
    assert torch.all(around[0] == 7) and torch.all(around[-1] == 7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_repeated_runs_are_identical(device, form, dtype):
    shapes = random_shapes(8, largest_extent(device)) if device == "cuda" else [(130, 70, 200)]
    operands = [example.random_operands(m, n, k, dtype, device) for m, n, k in shapes]
    first = [example.matmul(a, b, form=form) for a, b in operands]
    for _ in range(40 if device == "cuda" else 1):
        for (a, b), c in zip(operands, first, strict=True):
            assert torch.equal(example.matmul(a, b, form=form), c)
