"""tle.gpu.copy between global and shared memory: pointers with masks, and TMA descriptors from host and device."""
from __future__ import annotations

import kernels
import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.int8]


def random(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> torch.Tensor:
    """Random data of any dtype: normal floats, integers from -100 to 99."""
    if dtype.is_floating_point:
        return torch.randn(shape, device=device).to(dtype)
    return torch.randint(-100, 100, shape, dtype=dtype, device=device)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("nvmma", [True, False])
def test_ragged_copy(device, dtype, nvmma):
    m, n, bm, bn = 100, 77, 32, 64
    src = random((m, n), dtype, device)
    dst = random((m, n), dtype, device)
    kernels.copy_tiles[(triton.cdiv(m, bm), triton.cdiv(n, bn))](src, dst, m, n, n, bm, bn, nvmma)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)


def test_masked_copy_leaves_the_rest_of_the_destination(device):
    m, n, bm, bn, pitch = 20, 24, 32, 32, 64
    src = random((m, pitch), torch.float16, device)
    dst = random((m + 16, pitch), torch.float16, device)
    expected = dst.clone()
    expected[:m, :n] = src[:, :n]
    kernels.copy_tiles[(1, 1)](src, dst, m, n, pitch, bm, bn, True)
    torch.testing.assert_close(dst, expected, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("bm, bn", [(64, 64), (16, 128), (128, 16), (1, 64)])
def test_whole_copy(device, dtype, bm, bn):
    src = random((bm, bn), dtype, device)
    dst = torch.empty_like(src)
    kernels.copy_unmasked[(1, )](src, dst, bm, bn)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)


@pytest.mark.parametrize("m", [0, 1, 17, 32])
def test_masked_lanes_load_zero(device, m):
    src = random((32, 64), torch.float16, device)
    dst = torch.full_like(src, float("nan"))
    kernels.masked_lanes_are_zero[(1, )](src, dst, m, 32, 64)
    expected = src.clone()
    expected[m:] = 0
    torch.testing.assert_close(dst, expected, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_tma_copy_with_host_descriptors(device, dtype):
    m, n, bm, bn = 96, 80, 32, 64
    src = random((m, n), dtype, device)
    dst = torch.zeros_like(src)
    kernels.tma_copy_host[(triton.cdiv(m, bm), triton.cdiv(n, bn))](TensorDescriptor.from_tensor(src, [bm, bn]),
                                                                   TensorDescriptor.from_tensor(dst, [bm, bn]), bm, bn)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_tma_copy_with_device_descriptors(device, dtype):
    m, n, bm, bn = 100, 80, 64, 32
    src = random((m, n), dtype, device)
    dst = torch.zeros_like(src)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=device))
    kernels.tma_copy_device[(triton.cdiv(m, bm), triton.cdiv(n, bn))](src, dst, m, n, bm, bn)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", [1, 64, 1024])
def test_round_trip_of_rows(device, dtype, n):
    src = random((3, n), dtype, device)
    dst = torch.zeros_like(src)
    kernels.round_trip_row[(3, )](src, dst, n)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("depth", [2, 3])
def test_round_trip_through_slots(device, dtype, depth):
    src = random((2 * depth, 16, 64), dtype, device)
    dst = torch.zeros_like(src)
    kernels.round_trip_ring[(1, )](src, dst, 2 * depth, depth, 16, 64)
    torch.testing.assert_close(dst, src, rtol=0, atol=0)
