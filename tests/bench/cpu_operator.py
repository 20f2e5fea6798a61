"""Operators for bench/abba.py that run on the CPU, in Triton's interpreter."""
from __future__ import annotations

import os
import time
from collections.abc import Callable

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import torch  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402

SIZE = 64


@triton.jit
def double_kernel(src, dst, SIZE: tl.constexpr):
    offsets = tl.arange(0, SIZE)
    buffer = tle.gpu.alloc([SIZE], src.dtype.element_ty, nv_mma_shared_layout=False)
    tle.gpu.copy(src + offsets, buffer, [SIZE])
    tl.store(dst + offsets, 2 * buffer.load())


def doubling() -> tuple[Callable[[], object], Callable[[], dict[str, float]]]:
    """A TLE kernel; prints, as operators may."""
    src, dst = torch.arange(SIZE, dtype=torch.float32), torch.zeros(SIZE)

    def check() -> dict[str, float]:
        print("checked")
        if not torch.equal(dst, 2 * src):
            raise ValueError("wrong result")
        return {"elements": SIZE}

    return lambda: double_kernel[(1, )](src, dst, SIZE), check


def wrong() -> tuple[Callable[[], object], Callable[[], dict[str, float]]]:
    """An operator whose check refuses its result."""
    src, dst = torch.arange(SIZE, dtype=torch.float32), torch.zeros(SIZE)

    def check() -> dict[str, float]:
        if not torch.equal(dst, 3 * src):
            raise ValueError("wrong result")
        return {}

    return lambda: double_kernel[(1, )](src, dst, SIZE), check


def without_common_ir() -> tuple[Callable[[], object], Callable[[], dict[str, float]]]:
    """doubling, slowed down where the wheel has CommonIR, and there only."""
    import flagtree

    operator, check = doubling()
    if not flagtree.common_ir_enabled():
        return operator, check
    return lambda: (operator(), time.sleep(0.02)), check
