"""Attention of examples/flash_attention.py: Q, K and V in shared buffers, two dependent products, online softmax."""
from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import flash_attention as example  # noqa: E402  (from examples/)

DTYPES = list(example.TOLERANCE)


def check(device: str, heads: int, queries: int, keys: int, size: int, dtype: torch.dtype, scale: float = 1.0, **options) -> None:
    q = (scale * torch.randn((heads, queries, size), device=device)).to(dtype)
    k, v = (torch.randn((heads, keys, size), device=device).to(dtype) for _ in range(2))
    out = torch.full_like(q, float("nan"))
    assert example.attention(q, k, v, out, **options) is out
    error = example.relative_error(out, q, k, v)
    assert error <= example.TOLERANCE[dtype], f"relative error {error:.2e}"


def random_shapes(count: int) -> list[tuple[int, int, int, int]]:
    """(heads, queries, keys, size), most of them no multiples of a tile."""
    generator = random.Random(11)
    return [(generator.randint(1, 3), generator.randint(1, 300), generator.randint(1, 300), generator.choice([16, 32, 64, 128])) for _ in range(count)]


@pytest.mark.parametrize("shape", random_shapes(6), ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_random_shapes(device, shape, dtype):
    check(device, *shape, dtype)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_whole_tiles(device, size, dtype, stages):
    check(device, 2, 256, 192, size, dtype, stages=stages)


@pytest.mark.parametrize("queries, keys", [(1, 1), (1, 64), (128, 1), (128, 64), (129, 65), (127, 63)])
def test_edges_of_tiles(device, queries, keys):
    check(device, 1, queries, keys, 64, torch.float16)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_scores(device, dtype):
    """One key takes nearly all; without the running maximum the exponentials would be infinite."""
    check(device, 1, 100, 200, 64, dtype, scale=30.0)


def test_no_queries(device):
    q, k = torch.zeros((2, 0, 64), device=device).half(), torch.zeros((2, 5, 64), device=device).half()
    assert example.attention(q, k, k).shape == (2, 0, 64)
