"""What docs/simulator.md says of fences: whatever writes a buffer, and whoever reads or overwrites it asynchronously, the compiler puts one between.

That is why the simulator need not look for missing ones: the language has no fence that could be left out.
"""
from __future__ import annotations

import re

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.tle.language.compiling import compiled

STORE, ADDRESS = r"ttg\.local_store", r'tt\.elementwise_inline_asm "(?![^"]*mbarrier)'
WRITES = {"init": STORE, "store": STORE, "pointers": ADDRESS, "atomic": ADDRESS, "copy": STORE}
"""How generic instructions write a buffer, and what stands for it in TTGIR."""

USES = {"wgmma": r"ttng\.warp_group_dot ", "tma": r"ttng\.async_tma_copy_local_to_global", "overwrite": r"ttng\.async_tma_copy_global_to_local"}
"""What reads or overwrites asynchronously."""

FENCE, ARRIVE = r"ttng\.fence_async_shared", r"mbarrier\.arrive"


@triton.jit
def write(src, buffer, N: tl.constexpr, WRITE: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    if WRITE == "store":
        buffer.store(tl.load(src + at))
    if WRITE == "pointers":
        rows, columns = tl.broadcast(N - 1 - tl.arange(0, N)[:, None], tl.arange(0, N)[None, :])
        tl.store(tle.gpu.local_ptr(buffer, (rows, columns)), tl.load(src + at))
    if WRITE == "atomic":
        tl.atomic_add(tle.gpu.local_ptr(buffer), tl.load(src + at))
    if WRITE == "copy":
        tle.gpu.copy(src + at, buffer, [N, N])


@triton.jit
def use(dst, desc, buffer, N: tl.constexpr, USE: tl.constexpr):
    if USE == "wgmma":
        acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(buffer, buffer, trans_b=True))
        tl.store(dst + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :], acc)
    if USE == "tma":
        tle.gpu.copy(buffer, desc, [N, N], [0, 0])
    if USE == "overwrite":
        tle.gpu.copy(desc, buffer, [N, N], [0, 0])


@triton.jit
def writer(src, buffer, ready, N: tl.constexpr, WRITE: tl.constexpr):
    write(src, buffer, N, WRITE)
    tle.gpu.barrier_arrive(ready, phaseIdx=0)


@triton.jit
def user(dst, desc, buffer, ready, N: tl.constexpr, USE: tl.constexpr):
    tle.gpu.barrier_wait(ready, phaseIdx=0)
    use(dst, desc, buffer, N, USE)


@triton.jit
def kernel(src, dst, desc, N: tl.constexpr, WRITE: tl.constexpr, USE: tl.constexpr, APART: tl.constexpr):
    if WRITE == "init":
        at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
        buffer = tle.gpu.alloc([N, N], src.dtype.element_ty, init_value=tl.load(src + at))
    else:
        buffer = tle.gpu.alloc([N, N], src.dtype.element_ty)
    if APART:
        ready = tle.gpu.alloc_barrier()
        tle.gpu.warp_specialize([(writer, (src, buffer, ready, N, WRITE)), (user, (dst, desc, buffer, ready, N, USE))], [4], [168])
    else:
        write(src, buffer, N, WRITE)
        use(dst, desc, buffer, N, USE)


def last(pattern: str, text: str) -> int:
    """Where the last match begins."""
    return [match.start() for match in re.finditer(pattern, text)][-1]


@pytest.mark.parametrize("apart", [False, True], ids=["one", "two"])
@pytest.mark.parametrize("how", USES)
@pytest.mark.parametrize("what", WRITES)
def test_fence(what, how, apart):
    constants = {"N": 64, "WRITE": what, "USE": how, "APART": apart}
    kind = "fp32" if what == "atomic" else "fp16"
    asm = compiled(kernel, {"src": f"*{kind}", "dst": "*fp32", "desc": f"tensordesc<{kind}[64, 64]>"}, constants, num_warps=4).asm
    text = asm["ttgir"]
    written, used = last(WRITES[what], text), last(USES[how], text)
    assert written < used
    if how == "tma":
        # By the threads that read, with no barrier of the kernel's in between.
        fence = written + last(FENCE, text[written:used])
        assert not re.search(r"mbarrier\.(try_wait|arrive)|partition\d+\(", text[fence:used])
    else:
        # By the threads that write, before others learn of it.
        end = written + re.search(f"{ARRIVE}|{USES[how]}", text[written:]).start()
        assert re.search(FENCE, text[written:end])
    assert asm["ptx"].count("fence.proxy.async") >= 1
