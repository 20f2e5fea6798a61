"""Buffers: slots of a ring, initial values, memory_space, pointers into a buffer, scratch memory beside buffers."""
from __future__ import annotations

import kernels
import pytest
import torch


@pytest.mark.parametrize("by_method", [True, False], ids=["slot", "index"])
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_ring(device, dtype, depth, by_method):
    tiles = 7
    src = torch.randn((tiles, 32, 64), device=device).to(dtype)
    dst = torch.zeros_like(src)
    kernels.ring[(1, )](src, dst, tiles, depth, 32, 64, by_method)
    torch.testing.assert_close(dst, src + src, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_init_value(device, dtype):
    src = torch.randn((32, 64), device=device).to(dtype)
    dst = torch.zeros_like(src)
    kernels.init_value[(1, )](src, dst, 32, 64)
    torch.testing.assert_close(dst, src + src + src, rtol=0, atol=0)


def test_memory_space(device):
    src = torch.randn((32, 64), device=device)
    dst = torch.zeros((64, 32), device=device)
    kernels.memory_space[(1, )](src, dst, 32, 64)
    torch.testing.assert_close(dst, src.T, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32, torch.int8], ids=str)
def test_transpose_through_indices(device, dtype):
    src = torch.randint(-100, 100, (32, 64), device=device).to(dtype)
    dst = torch.zeros((64, 32), dtype=dtype, device=device)
    kernels.transpose[(1, )](src, dst, 32, 64)
    torch.testing.assert_close(dst, src.T, rtol=0, atol=0)


def test_histogram_with_shared_atomics(device):
    src = torch.randint(0, 20, (1024, ), dtype=torch.int32, device=device)
    dst = torch.zeros(16, dtype=torch.int32, device=device)
    kernels.histogram[(1, )](src, dst, 1024, 16)
    torch.testing.assert_close(dst, torch.bincount(src, minlength=20)[:16].to(torch.int32))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("bm, bn", [(32, 64), (128, 128)])
def test_reductions_do_not_overlap_live_buffers(device, dtype, bm, bn):
    src = torch.randn((3, bm, bn), device=device).to(dtype)
    dst = torch.zeros((2, bm, bn), dtype=dtype, device=device)
    sums = torch.zeros(bm + 2 * bn, device=device)
    kernels.reduce_beside_live_buffers[(1, )](src, dst, sums, bm, bn)
    torch.testing.assert_close(dst, src[:2], rtol=0, atol=0)
    value = src[2].float()
    expected = torch.cat([value.sum(1), value.max(0).values, value.cumsum(0).sum(0)])
    torch.testing.assert_close(sums, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_async_load(device, dtype, is_async):
    m, n, bm, bn = 50, 200, 32, 64
    src = torch.randn((m, n), device=device).to(dtype)
    dst = torch.zeros((m, bn), device=device)
    kernels.async_load_sum[((m + bm - 1) // bm, )](src, dst, m, n, bm, bn, is_async)
    padded = torch.ones((m, 256), device=device)
    padded[:, :n] = src.float()
    torch.testing.assert_close(dst, padded.reshape(m, 4, bn).sum(1), rtol=1e-5, atol=1e-5)
