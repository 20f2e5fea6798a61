"""Accesses through pointers into buffers: indices, masks, types, order, atomics, memory beside scratch."""
from __future__ import annotations

import local_ptr_kernels as kernels
import pytest
import torch

DTYPES = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
          torch.float64]
SIZES = [1, 16, 128, 1024]


def values(shape, dtype, device):
    """Numbers that each type holds exactly."""
    return torch.randint(0, 100, shape, device=device).to(dtype)


@pytest.mark.parametrize("nvmma", [True, False])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reverse(device, dtype, size, nvmma):
    src = values((size, ), dtype, device)
    dst = torch.zeros_like(src)
    kernels.reverse[(1, )](src, dst, size, nvmma)
    torch.testing.assert_close(dst, src.flip(0), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
def test_reverse_eight_bit_floats(device, dtype):
    src = values((256, ), torch.uint8, device).view(dtype)
    dst = torch.zeros_like(src)
    kernels.reverse[(1, )](src, dst, 256, False)
    torch.testing.assert_close(dst.view(torch.uint8), src.view(torch.uint8).flip(0), rtol=0, atol=0)


TILES = [(8, 16), (16, 64), (64, 64), (32, 256), (128, 32)]


@pytest.mark.parametrize("nvmma", [True, False])
@pytest.mark.parametrize("bm, bn", TILES)
@pytest.mark.parametrize("count", [16, 512])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.int64], ids=str)
def test_gather(device, dtype, count, bm, bn, nvmma):
    src = values((bm, bn), dtype, device)
    rows = torch.randint(0, bm, (count, ), dtype=torch.int32, device=device)
    cols = torch.randint(0, bn, (count, ), dtype=torch.int64, device=device)
    dst = torch.zeros(count, dtype=dtype, device=device)
    kernels.gather[(1, )](src, rows, cols, dst, bm, bn, count, nvmma)
    torch.testing.assert_close(dst, src[rows.long(), cols], rtol=0, atol=0)


@pytest.mark.parametrize("nvmma", [True, False])
@pytest.mark.parametrize("bm, bn", TILES)
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.int64], ids=str)
def test_scatter(device, dtype, bm, bn, nvmma):
    count = 64
    places = torch.randperm(bm * bn, device=device)[:count]
    src = values((count, ), dtype, device)
    dst = torch.ones((bm, bn), dtype=dtype, device=device)
    rows, cols = (places // bn).to(torch.int32), (places % bn).to(torch.int32)
    kernels.scatter[(1, )](src, rows, cols, dst, bm, bn, count, nvmma)
    expected = torch.zeros((bm, bn), dtype=dtype, device=device)
    expected[rows.long(), cols.long()] = src
    torch.testing.assert_close(dst, expected, rtol=0, atol=0)


@pytest.mark.parametrize("nvmma", [True, False])
@pytest.mark.parametrize("bm, bn", TILES)
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.int64], ids=str)
def test_masks_on_the_whole_buffer(device, dtype, bm, bn, nvmma):
    n, other = bm * bn // 2 + 3, 7
    src = values((2, bm, bn), dtype, device)
    dst = torch.zeros((3, bm, bn), dtype=dtype, device=device)
    kernels.masked_whole[(1, )](src, dst, n, bm, bn, other, nvmma)
    linear = torch.arange(bm * bn, device=device).reshape(bm, bn)
    merged = torch.where(linear < n, src[1], src[0])
    torch.testing.assert_close(dst[0], merged, rtol=0, atol=0)
    torch.testing.assert_close(dst[1], torch.where(linear % 3 == 0, merged, torch.full_like(merged, other)))
    kept = linear % 5 == 0
    torch.testing.assert_close(dst[2][kept], merged[kept], rtol=0, atol=0)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_slots(device, dtype, depth):
    src = torch.randn((7, 32, 64), device=device).to(dtype)
    dst = torch.zeros((7, 64, 32), dtype=dtype, device=device)
    kernels.slots[(1, )](src, dst, 7, depth, 32, 64)
    torch.testing.assert_close(dst, src.transpose(1, 2), rtol=0, atol=0)


@pytest.mark.parametrize("depth", [2, 3, 5, 12])
def test_leading_dimension_of_any_size(device, depth):
    src = values((depth, 64), torch.int32, device)
    dst = torch.zeros_like(src)
    kernels.three_indices[(1, )](src, dst, depth, 64, depth * 64, 64)
    torch.testing.assert_close(dst.flatten(), src.flatten().flip(0), rtol=0, atol=0)


@pytest.mark.parametrize("size", SIZES[1:])
def test_scalars_in_a_loop(device, size):
    src = values((size, ), torch.int32, device)
    dst = torch.zeros_like(src)
    kernels.scalars[(1, )](src, dst, size, size)
    torch.testing.assert_close(dst, src.cumsum(0).to(torch.int32), rtol=0, atol=0)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("size", [64, 256, 2048])
def test_rotation_in_place(device, size, num_warps):
    src = values((size, ), torch.int32, device)
    dst = torch.zeros_like(src)
    kernels.shift_in_loop[(1, )](src, dst, 37, size, num_warps=num_warps)
    torch.testing.assert_close(dst, src.roll(-37), rtol=0, atol=0)


@pytest.mark.parametrize("flag", [0, 1])
def test_branches(device, flag):
    src = torch.randn(512, device=device)
    dst = torch.zeros_like(src)
    kernels.branches[(1, )](src, dst, flag, 512)
    i = torch.arange(512, device=device)
    buffer = src * 3
    if flag:
        buffer = torch.zeros_like(src)
        buffer[(i * 7) % 512] = src * 2
    torch.testing.assert_close(dst, buffer[(i * 3) % 512], rtol=0, atol=0)


@pytest.mark.parametrize("num_stages", [1, 3])
def test_links_beside_global_loads(device, num_stages):
    table = torch.randperm(256, device=device).to(torch.int32)
    dst = torch.zeros_like(table)
    kernels.chase[(1, )](table, dst, 50, 256, num_stages=num_stages)
    at, total = torch.arange(256, device=device), torch.zeros_like(table)
    for _ in range(50):
        at = table[at].long()
        total += table[at]
    torch.testing.assert_close(dst, total, rtol=0, atol=0)


@pytest.mark.parametrize("size", [128, 1024])
def test_buffers_in_turn_beside_scratch(device, size):
    rounds = 9
    src = torch.randint(0, 8, (rounds, size), device=device).to(torch.float32)
    dst, sums = torch.zeros(size, device=device), torch.zeros(rounds, device=device)
    kernels.beside_scratch[(1, )](src, dst, sums, rounds, size)
    i = torch.arange(size, device=device)
    expected = (src + src.cumsum(1) + i + src.sum(1, keepdim=True)).sum(0)
    torch.testing.assert_close(dst, expected, rtol=1e-6, atol=0)
    torch.testing.assert_close(sums, src.max(1).values, rtol=0, atol=0)


@pytest.mark.parametrize("m, n, k", [(64, 64, 64), (128, 64, 128)])
def test_dot_of_what_was_stored(device, m, n, k):
    a, b = (torch.randint(-4, 5, shape, device=device).to(torch.float16) for shape in [(m, k), (k, n)])
    c = torch.zeros((m, n), device=device)
    for _ in range(20):
        kernels.dot_of_stored[(1, )](a, b, c, m, n, k)
        torch.testing.assert_close(c, a.float() @ b.float(), rtol=0, atol=0)


@pytest.mark.parametrize("bins", [8, 256])
@pytest.mark.parametrize("block", [16, 128, 1024])
def test_histogram(device, block, bins):
    src = torch.randint(0, bins, (5000, ), dtype=torch.int32, device=device)
    dst = torch.zeros(bins, dtype=torch.int32, device=device)
    ranks = torch.full_like(src, -1)
    counts = torch.bincount(src, minlength=bins).to(torch.int32)
    kernels.histogram[(1, )](src, dst, ranks, 5000, bins, block, False)
    torch.testing.assert_close(dst, counts)
    kernels.histogram[(1, )](src, dst, ranks, 5000, bins, block, True)
    torch.testing.assert_close(dst, counts)
    # Each value's ranks are 0, 1, 2, ... in some order.
    for value in range(bins):
        mine = ranks[src == value].sort().values
        torch.testing.assert_close(mine, torch.arange(len(mine), dtype=torch.int32, device=device))


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("bm, bn", [(1, 16), (4, 8), (16, 64), (64, 64)])
def test_old_values_reach_every_thread(device, bm, bn, num_warps):
    src = values((bm, bn), torch.int32, device)
    dst, out = torch.zeros((3, bm, bn), dtype=torch.int32, device=device), torch.zeros(bn, dtype=torch.int32, device=device)
    kernels.atomic_old_values[(1, )](src, dst, out, bm, bn, num_warps=num_warps)
    linear = torch.arange(bm * bn, dtype=torch.int32, device=device).reshape(bm, bn)
    torch.testing.assert_close(dst, torch.stack([src, src + linear, src * 2]), rtol=0, atol=0)
    torch.testing.assert_close(out, src.sum(0).to(torch.int32))


ATOMICS = [("add", dtype) for dtype in (torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64)]
ATOMICS += [(op, dtype) for op in ("min", "max") for dtype in (torch.int32, torch.uint32, torch.int64, torch.float32, torch.float64)]
ATOMICS += [(op, dtype) for op in ("and", "or", "xor") for dtype in (torch.int32, torch.int64)]


@pytest.mark.parametrize("size", [4, 64, 512])
@pytest.mark.parametrize("op, dtype", ATOMICS, ids=str)
def test_reduce_by_atomics(device, op, dtype, size):
    if op == "add":  # small enough for every partial sum to be exact in bfloat16
        data = torch.zeros(size, dtype=torch.int64, device=device)
        data[:64] = torch.randint(0, 4, (min(size, 64), ), device=device)
    elif dtype == torch.uint32:
        data = torch.randint(0, 2**32, (size, ), device=device)
    else:
        data = torch.randint(-1000, 1000, (size, ), device=device)
    src, dst = data.to(dtype), torch.zeros(1, dtype=dtype, device=device)
    kernels.reduce_by_atomics[(1, )](src, dst, size, op)
    reduce = {"add": torch.add, "min": torch.minimum, "max": torch.maximum, "and": torch.bitwise_and, "or": torch.bitwise_or,
              "xor": torch.bitwise_xor}[op]
    expected = data[0]
    for value in data:
        expected = reduce(expected, value)
    torch.testing.assert_close(dst[0].to(torch.int64), expected.to(dtype).to(torch.int64), rtol=0, atol=0)


@pytest.mark.parametrize("size", [8, 512])
def test_compare_and_swap(device, size):
    dst = torch.zeros(size + 2, dtype=torch.int32, device=device)
    kernels.compare_and_swap[(1, )](dst, size)
    for lock in range(2):
        seen, owner = dst[lock:size:2], int(dst[size + lock])
        assert owner % 2 == (lock + 1) % 2 and 1 <= owner <= size
        # The owner saw the lock open, everybody else saw the owner's number.
        assert [int(value) for value in seen.unique()] == [0, owner]
        assert int((seen == 0).sum()) == 1 and int(dst[owner - 1]) == 0


@pytest.mark.parametrize("num_warps", [1, 4])
def test_scalar_atomics_in_a_loop(device, num_warps):
    rounds, size = 20, 64
    dst = torch.zeros(rounds * size + 2, dtype=torch.int32, device=device)
    kernels.scalar_atomics[(1, )](dst, rounds, size, num_warps=num_warps)
    before = [0] + [t * t for t in range(rounds - 1)]
    expected = torch.tensor([t * 1000 + before[t] for t in range(rounds)], dtype=torch.int32, device=device)
    torch.testing.assert_close(dst[:-2].reshape(rounds, size), expected[:, None].expand(rounds, size))
    assert dst[-2:].tolist() == [rounds, (rounds - 1)**2]
