"""Kernels of test_descriptors.py: what TMA does at the edges of tensors, and descriptors among other arguments."""
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def copy_row(src, dst, BLOCK: tl.constexpr):
    """A block of a vector through shared memory."""
    buffer = tle.gpu.alloc([BLOCK], src.dtype)
    tle.gpu.copy(src, buffer, [BLOCK], [tl.program_id(0) * BLOCK])
    tle.gpu.copy(buffer, dst, [BLOCK], [tl.program_id(0) * BLOCK])


@triton.jit
def store_tile(dst, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A tile of ones, at the edges too."""
    buffer = tle.gpu.alloc([ROWS, COLS], dst.dtype)
    buffer.store(tl.full([ROWS, COLS], 1, dst.dtype))
    tle.gpu.copy(buffer, dst, [ROWS, COLS], [tl.program_id(0) * ROWS, tl.program_id(1) * COLS])


@triton.jit
def copy_tile(src, dst, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A tile through shared memory by TMA, stored through pointers."""
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype)
    tle.gpu.copy(src, buffer, [ROWS, COLS], [tl.program_id(0) * ROWS, 0])
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tl.store(dst + rows[:, None] * COLS + tl.arange(0, COLS)[None, :], buffer.load())


@triton.jit
def tile_of(desc, SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE, SIZE], desc.dtype)
    tle.gpu.copy(desc, buffer, [SIZE, SIZE], [0, 0])
    return buffer.load()


@triton.jit
def five(a, f, b, g, c, h, d, i, e, j, out, SIZE: tl.constexpr):
    """Descriptors and int32 factors in turn."""
    total = tile_of(a, SIZE) * f + tile_of(b, SIZE) * g + tile_of(c, SIZE) * h + tile_of(d, SIZE) * i + tile_of(e, SIZE) * j
    tl.store(out + tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :], total)


@triton.jit
def twenty(d0, n0, d1, n1, d2, n2, d3, n3, d4, n4, d5, n5, d6, n6, d7, n7, d8, n8, d9, n9,
           p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, out, SIZE: tl.constexpr):
    """Ten tensors behind descriptors, ten behind pointers, integers between."""
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    total = tile_of(d0, SIZE) * n0 + tile_of(d1, SIZE) * n1 + tile_of(d2, SIZE) * n2 + tile_of(d3, SIZE) * n3 + tile_of(d4, SIZE) * n4
    total += tile_of(d5, SIZE) * n5 + tile_of(d6, SIZE) * n6 + tile_of(d7, SIZE) * n7 + tile_of(d8, SIZE) * n8 + tile_of(d9, SIZE) * n9
    total += tl.load(p0 + at) + tl.load(p1 + at) * 2 + tl.load(p2 + at) * 3 + tl.load(p3 + at) * 4 + tl.load(p4 + at) * 5
    total += tl.load(p5 + at) * 6 + tl.load(p6 + at) * 7 + tl.load(p7 + at) * 8 + tl.load(p8 + at) * 9 + tl.load(p9 + at) * 10
    tl.store(out + at, total)
