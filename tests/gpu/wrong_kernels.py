"""Kernels with a mistake, and what launches one of them in a process of its own: `python wrong_kernels.py NAME`.

An error on the device ends all use of it in a process, so the tests look at what such a process says. It survives the launch: the last
line on its standard output names the exception, or the sum of the result if there was none.
"""
from __future__ import annotations

import os
import sys

import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

STEPS, ROWS, COLS = tl.constexpr(40), tl.constexpr(64), tl.constexpr(64)


@triton.jit
def nothing():
    pass


@triton.jit
def arrive_once(bar):
    tle.gpu.barrier_arrive(bar, phaseIdx=0)


@triton.jit
def wait_once(bar, out):
    tle.gpu.barrier_wait(bar, phaseIdx=0)  # waits for a second arrival
    tl.store(out, 1.0)


@triton.jit
def under_arrived(src, out):
    """Two arrivals complete the barrier, one comes."""
    bar = tle.gpu.alloc_barrier(arrive_count=2)
    tle.gpu.warp_specialize([(arrive_once, (bar, )), (wait_once, (bar, out))], [4], [168])


@triton.jit
def under_arrived_at_the_end(src, out):
    """Three partitions meet at the end, but the barrier counts four."""
    bar = tle.gpu.alloc_barrier(arrive_count=4)
    tle.gpu.warp_specialize([(arrive_once, (bar, )), (arrive_once, (bar, )), (arrive_once, (bar, ))], [4, 2], [168, 24])
    tle.gpu.barrier_wait(bar, phaseIdx=0)  # waits for a fourth arrival
    tl.store(out, 1.0)


@triton.jit
def fill(src, ring, full, empty):
    for i in range(0, STEPS):
        tle.gpu.barrier_wait(empty[i % 2], phaseIdx=i // 2)
        tle.gpu.copy(src, ring.slot(i % 2), [ROWS, COLS], [i * ROWS, 0], barrier=full[i % 2])


@triton.jit
def drain(out, ring, full, empty, EARLY: tl.constexpr):
    total = tl.zeros([ROWS, COLS], tl.float32)
    for i in range(0, STEPS):
        tle.gpu.barrier_wait(full[i % 2], phaseIdx=i // 2)
        if EARLY:
            tle.gpu.barrier_arrive(empty[i % 2], phaseIdx=i // 2)
        total += ring.slot(i % 2).load()
        if not EARLY:
            tle.gpu.barrier_arrive(empty[i % 2], phaseIdx=i // 2)
    tl.store(out + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], total)


@triton.jit
def ring_of_two(src, out, EARLY: tl.constexpr):
    """The sum of all blocks. With EARLY a slot is released before it is read."""
    ring = tle.gpu.alloc([2, ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barriers(2, expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([(fill, (src, ring, full, empty)), (drain, (out, ring, full, empty, EARLY))], [4], [168])


@triton.jit
def pairs(src, first, second, full, empty):
    for i in range(0, STEPS // 2):
        tle.gpu.barrier_wait(empty, phaseIdx=i)
        tle.gpu.copy(src, first, [ROWS, COLS], [2 * i * ROWS, 0], barrier=full)
        tle.gpu.copy(src, second, [ROWS, COLS], [(2 * i + 1) * ROWS, 0], barrier=full)


@triton.jit
def sums(out, first, second, full, empty):
    total = tl.zeros([ROWS, COLS], tl.float32)
    for i in range(0, STEPS // 2):
        tle.gpu.barrier_wait(full, phaseIdx=i)
        total += first.load() + second.load()
        tle.gpu.barrier_arrive(empty, phaseIdx=i)
    tl.store(out + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], total)


@triton.jit
def two_copies_of_a_use(src, out):
    """The sum of all blocks, two of which complete one use of a barrier: nothing is wrong."""
    first = tle.gpu.alloc([ROWS, COLS], src.dtype)
    second = tle.gpu.alloc([ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=2 * ROWS * COLS * 4)
    empty = tle.gpu.alloc_barrier(init=tle.gpu.READY)
    tle.gpu.warp_specialize([(pairs, (src, first, second, full, empty)), (sums, (out, first, second, full, empty))], [4], [168])


def attention(device: str) -> torch.Tensor:
    """One small call of examples/attention.py, checked: nothing is wrong."""
    import attention as example

    simulated = device == "cpu"
    q, k, v = (torch.randn((1, 70 if simulated else 300, 1 if simulated else 2, 64), device=device).bfloat16() for _ in range(3))
    # Few barriers and small tiles: what the sanitizer adds grows with them, and so does the time to compile it.
    out = example.attention(q, k, v, tile=example.Tile(consumers=2, keys=64, stages=2, q_stages=1, registers=240, turns=True, apart=False))
    expected, _ = example.reference(q, k, v, False, None)
    assert example.relative_error(out, expected) <= example.TOLERANCE[q.dtype]
    return out.isnan()


def run(name: str, device: str) -> torch.Tensor:
    if name == "attention":
        return attention(device)
    rows, columns = ROWS.value, COLS.value
    src, out = torch.ones((STEPS.value * rows, columns), device=device), torch.zeros((rows, columns), device=device)
    descriptor = TensorDescriptor.from_tensor(src, [rows, columns])
    if name in ("ring", "early release"):
        ring_of_two[(1, )](descriptor, out, name == "early release")
    else:
        {"under-arrived": under_arrived, "under-arrived at the end": under_arrived_at_the_end, "two copies": two_copies_of_a_use}[name][(1, )](descriptor, out)
    return out


def main() -> None:
    device = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))
    try:
        print("result", float(run(sys.argv[1], device).sum()))
    except Exception as error:
        print("caught", type(error).__name__, str(error).splitlines()[0])


if __name__ == "__main__":
    main()
