"""tl.dot on operands read from shared buffers."""
from __future__ import annotations

import random

import kernels
import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1e-2, torch.float32: 2e-3}
"""Relative Frobenius error allowed: output rounding of the 16-bit types, tf32 products for float32."""


def ragged_shapes(count: int) -> list[tuple[int, int, int]]:
    """Random (M, N, K) from 1 to 200; rows of a multiple of 8 elements are among them, most are not."""
    generator = random.Random(7)
    return [tuple(generator.randint(1, 200) for _ in range(3)) for _ in range(count)] + [(128, 128, 128), (64, 96, 72)]


def check(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    expected = a.double() @ b.double()
    error = (got.double() - expected).norm() / expected.norm()
    assert error < TOLERANCE[a.dtype], f"relative error {error:.2e}"


def run(a: torch.Tensor, b: torch.Tensor, bm: int, bn: int, bk: int, stages: int, trans_a=False, trans_b=False):
    (m, k), n = a.shape, b.shape[1]
    c = torch.full((m, n), float("nan"), dtype=a.dtype, device=a.device)
    kernels.matmul[(triton.cdiv(m, bm), triton.cdiv(n, bn))](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(),
                                                            bm, bn, bk, stages, trans_a, trans_b)
    check(c, a, b)


@pytest.mark.parametrize("shape", ragged_shapes(4), ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
@pytest.mark.parametrize("stages", [1, 3])
def test_ragged(device, shape, dtype, stages):
    m, n, k = shape
    a = torch.randn((m, k), device=device).to(dtype)
    b = torch.randn((k, n), device=device).to(dtype)
    run(a, b, 64, 64, 32, stages)


@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
def test_transposed_in_shared_memory(device, dtype, trans_a, trans_b):
    a = torch.randn((150, 100), device=device).to(dtype)
    b = torch.randn((100, 90), device=device).to(dtype)
    run(a, b, 64, 64, 32, 1, trans_a, trans_b)


@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
def test_transposed_in_global_memory(device, dtype):
    a = torch.randn((100, 128), device=device).to(dtype).T
    b = torch.randn((72, 100), device=device).to(dtype).T
    run(a, b, 64, 64, 32, 2, True, True)


@pytest.mark.parametrize("bm, bn, bk", [(128, 128, 64), (64, 256, 32), (128, 64, 128), (64, 16, 16)])
def test_tile_shapes(device, bm, bn, bk):
    a = torch.randn((160, 144), device=device).half()
    b = torch.randn((144, 272), device=device).half()
    run(a, b, bm, bn, bk, 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_operands_by_tma(device, dtype):
    m, n, k, bm, bn, bk = 200, 136, 104, 64, 64, 32
    a = torch.randn((m, k), device=device).to(dtype)
    b = torch.randn((k, n), device=device).to(dtype)
    c = torch.zeros((m, n), device=device)
    kernels.tma_matmul[(triton.cdiv(m, bm), triton.cdiv(n, bn))](TensorDescriptor.from_tensor(a, [bm, bk]),
                                                                TensorDescriptor.from_tensor(b, [bk, bn]), c, m, n, k,
                                                                bm, bn, bk)
    check(c, a, b)
