"""Products of every operand type against torch, and the queue of groups."""
from __future__ import annotations

import flagtree
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr):
    a_smem = tle.gpu.alloc([M, K], a.dtype)
    b_smem = tle.gpu.alloc([N, K], b.dtype)
    tle.gpu.copy(a, a_smem, [M, K], [0, 0])
    tle.gpu.copy(b, b_smem, [N, K], [0, 0])
    acc = tle.gpu.wgmma(a_smem, b_smem, out_dtype=OUT, trans_b=True)
    acc = tle.gpu.wgmma(a_smem, b_smem, acc, out_dtype=OUT, trans_b=True)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


def descriptor(tensor):
    return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), list(tensor.shape))


def operand(dtype, rows, seed):
    values = torch.randn(rows, 64, generator=torch.Generator().manual_seed(seed))
    return (values * 40).to(dtype) if dtype == torch.int8 else values.to(dtype)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("a_type, b_type, out, tolerance", [
    (torch.float16, torch.float16, tl.float32, 1e-5),
    (torch.float16, torch.float16, tl.float16, 1e-3),
    (torch.bfloat16, torch.bfloat16, tl.float32, 1e-5),
    (torch.float32, torch.float32, tl.float32, 2e-3),
    (torch.float8_e4m3fn, torch.float8_e4m3fn, tl.float32, 1e-5),
    (torch.float8_e5m2, torch.float8_e4m3fn, tl.float32, 1e-5),
    (torch.int8, torch.int8, tl.int32, 0),
], ids=str)
def test_product(a_type, b_type, out, tolerance, seed):
    a, b = operand(a_type, 64, 1), operand(b_type, 16, 2)
    c = torch.zeros(64, 16, dtype={tl.float32: torch.float32, tl.float16: torch.float16, tl.int32: torch.int32}[out])
    flagtree.simulate(product, seed=seed)[(1, )](descriptor(a), descriptor(b), c, 64, 16, 64, out)
    expected = 2 * (a.double() @ b.double().T)
    assert (c.double() - expected).norm() <= tolerance * expected.norm()


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.float16])
def test_nan_is_nan(dtype):
    a, b, c = operand(dtype, 64, 1), operand(dtype, 16, 2), torch.zeros(64, 16)
    a.view(torch.uint8)[3, :] = 0x7F
    flagtree.simulate(product)[(1, )](descriptor(a), descriptor(b), c, 64, 16, 64, tl.float32)
    assert c[3].isnan().all() and c.isnan().sum() == 16


@triton.jit
def multiply(a):
    tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, a))


@triton.jit
def nothing():
    pass


@triton.jit
def product_of_a_worker(WARPS: tl.constexpr):
    a = tle.gpu.alloc([64, 64], tl.float16, init_value=tl.zeros([64, 64], tl.float16))
    tle.gpu.warp_specialize([(nothing, ()), (multiply, (a, ))], [WARPS], [64])


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_a_product_takes_a_warp_group(warps):
    report = flagtree.check(product_of_a_worker, schedules=1)[(1, )](warps)
    if warps % 4:
        assert f"[W18] wgmma is carried out by warp groups of 4 warps, but this code runs with {warps}" in str(report)
    else:
        assert report.ok, report
