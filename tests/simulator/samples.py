"""Correct kernels with partitions, barriers, TMA and WGMMA, small enough for many schedules; each with a check of its result."""
from __future__ import annotations

import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def descriptor(tensor, block):
    return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()), block)


# Ring copy: one partition fills a ring by TMA, another empties it.


@triton.jit
def ring_fill(src, ring, empty, full, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    for i in range(0, tiles):
        slot = i % SLOTS
        use = i // SLOTS
        tle.gpu.barrier_wait(empty[slot], phaseIdx=use)
        tle.gpu.copy(src, ring[slot], [ROWS, COLS], [i * ROWS, 0], barrier=full[slot])


@triton.jit
def ring_drain(dst, ring, empty, full, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    for i in range(0, tiles):
        slot = i % SLOTS
        use = i // SLOTS
        tle.gpu.barrier_wait(full[slot], phaseIdx=use)
        tile = ring[slot].load()
        tle.gpu.barrier_arrive(empty[slot], phaseIdx=use)
        tl.store(dst + i * ROWS * COLS + at, tile * 2)


@triton.jit
def ring_copy(src, dst, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    ring = tle.gpu.alloc([SLOTS, ROWS, COLS], tl.float16)
    empty = tle.gpu.alloc_barriers(SLOTS, arrive_count=1, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=ROWS * COLS * 2)
    tle.gpu.warp_specialize([
        (ring_fill, (src, ring, empty, full, tiles, SLOTS, ROWS, COLS)),
        (ring_drain, (dst, ring, empty, full, tiles, SLOTS, ROWS, COLS)),
    ], [4], [168])


def run_ring_copy(kernel=ring_copy, tiles=5, slots=2, rows=16, cols=32):
    generator = torch.Generator().manual_seed(0)
    src = torch.randn(tiles * rows, cols, generator=generator).half()
    dst = torch.zeros_like(src)
    kernel[(1, )](descriptor(src, [rows, cols]), dst, tiles, slots, rows, cols)
    torch.testing.assert_close(dst, src * 2, rtol=0, atol=0)


# GEMM: a producer loads tiles of A and B, consumers multiply the upper and the lower half of A's tile.


@triton.jit
def gemm_load(a, b, a_ring, b_ring, empty, full, row, col, steps, SLOTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              BK: tl.constexpr):
    for k in range(0, steps):
        slot = k % SLOTS
        use = k // SLOTS
        tle.gpu.barrier_wait(empty[slot], phaseIdx=use)
        tle.gpu.copy(a, a_ring[slot], [BM, BK], [row, k * BK], barrier=full[slot])
        tle.gpu.copy(b, b_ring[slot], [BK, BN], [k * BK, col], barrier=full[slot])


@triton.jit
def gemm_multiply(c, a_ring, b_ring, empty, full, row, col, width, steps, SLOTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, steps):
        slot = k % SLOTS
        use = k // SLOTS
        tle.gpu.barrier_wait(full[slot], phaseIdx=use)
        acc = tle.gpu.wgmma(a_ring[slot], b_ring[slot], acc)
        acc = tle.gpu.wgmma_wait(0, acc)
        tle.gpu.barrier_arrive(empty[slot], phaseIdx=use)
    at = (row + tl.arange(0, BM))[:, None] * width + col + tl.arange(0, BN)[None, :]
    tl.store(c + at, acc.to(tl.float16))


@triton.jit
def gemm(a, b, c, width, steps, SLOTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    a_ring = tle.gpu.alloc([SLOTS, BM, BK], tl.float16)
    b_ring = tle.gpu.alloc([SLOTS, BK, BN], tl.float16)
    empty = tle.gpu.alloc_barriers(SLOTS, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=(BM * BK + BK * BN) * 2)
    tle.gpu.warp_specialize([
        (gemm_load, (a, b, a_ring, b_ring, empty, full, row, col, steps, SLOTS, BM, BN, BK)),
        (gemm_multiply, (c, a_ring, b_ring, empty, full, row, col, width, steps, SLOTS, BM, BN)),
    ], [4], [240])


def run_gemm(kernel=gemm, m=128, n=64, k=96, slots=2, bm=64, bn=32, bk=32):
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(m, k, generator=generator).half()
    b = torch.randn(k, n, generator=generator).half()
    c = torch.zeros(m, n).half()
    kernel[(m // bm, n // bn)](descriptor(a, [bm, bk]), descriptor(b, [bk, bn]), c, n, k // bk, slots, bm, bn, bk)
    torch.testing.assert_close(c.float(), a.float() @ b.float(), rtol=1e-2, atol=1e-2)


ALL = [run_ring_copy, run_gemm]
