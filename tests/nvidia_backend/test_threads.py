"""Kernels with partitions compile side by side in several threads and come out as they do alone. No GPU needed."""
from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton import knobs

from tests.tle.language.compiling import compiled

THREADS, TIMES = 8, 50


@triton.jit
def scale(x, y, B: tl.constexpr):
    o = tl.arange(0, B)
    buf = tle.gpu.alloc([B], tl.float32)
    tle.gpu.copy(x + o, buf, [B])
    tl.store(y + o, buf.load() * 2)


@triton.jit
def total(x, y, B: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, B))))


@triton.jit
def one(x, y, n):
    tle.gpu.warp_specialize([(scale, (x, y, 128)), (total, (x, y + 128, 256)), (scale, (x, y + 256, 64))], [1, 4], [24, 40])


@triton.jit
def other(x, y, n):
    for i in range(n):
        tle.gpu.warp_specialize([(total, (x + i, y, 512)), (scale, (x, y + 128, 32)), (total, (x, y + 256, 64))], [2, 8], [48, 64])


def ptx(kernel: Any) -> str:
    return compiled(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, num_warps=4).asm["ptx"]


@pytest.mark.usefixtures("fresh_cache")
def test_two_kernels_in_eight_threads() -> None:
    kernels = (one, other)
    with knobs.compilation.scope():
        knobs.compilation.always_compile = True
        alone = [ptx(kernel) for kernel in kernels]
        assert alone[0] != alone[1]
        together = threading.Barrier(THREADS)

        def compile_some(thread: int) -> list[tuple[int, str]]:
            together.wait()
            return [(index % 2, ptx(kernels[index % 2])) for index in range(thread, TIMES, THREADS)]

        with ThreadPoolExecutor(THREADS) as pool:
            results = [result for some in pool.map(compile_some, range(THREADS)) for result in some]
    assert len(results) == TIMES
    assert {which for which, _ in results} == {0, 1}
    for which, text in results:
        assert text == alone[which]
