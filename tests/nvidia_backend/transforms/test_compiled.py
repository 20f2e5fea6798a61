"""What stock Triton makes of the lowered kernels: instructions, shared memory, order. No GPU needed."""
from __future__ import annotations

import re
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.errors import LoweringError

from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")


def loop_of(text: str) -> str:
    """The only loop of a TTGIR module."""
    (body, ) = re.findall(r"^    (?:%\S+ = )?scf\.for .*?^    \}", text, re.MULTILINE | re.DOTALL)
    return body


# Dots on buffers ---------------------------------------------------------------------------------------------------------


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    rows, cols, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    pa = tl.multiple_of(a + rows[:, None] * K + ks[None, :], [16, 16])
    pb = tl.multiple_of(b + ks[:, None] * N + cols[None, :], [16, 16])
    sa = tle.gpu.alloc([M, BK], a.dtype.element_ty)
    sb = tle.gpu.alloc([BK, N], b.dtype.element_ty)
    acc = tl.zeros([M, N], tl.float32)
    for _ in tle.gpu.pipeline(0, K, BK, num_stages=STAGES):
        tle.gpu.copy(pa, sa, [M, BK])
        tle.gpu.copy(pb, sb, [BK, N])
        acc = tl.dot(sa.load(), sb.load(), acc)
        pa += BK
        pb += BK * N
    tl.store(c + rows[:, None] * N + cols[None, :], acc)


def compile_matmul(dtype: str, stages: int, **options: Any) -> Any:
    return compiled(matmul, {"a": f"*{dtype}", "b": f"*{dtype}", "c": "*fp32", "K": "i32"},
                    {"M": 128, "N": 64, "BK": 64, "STAGES": stages}, **options)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("warps", [4, 8])
def test_wgmma_reads_the_buffers(dtype: str, warps: int) -> None:
    kernel = compile_matmul(dtype, 1, num_warps=warps)
    loop = loop_of(kernel.asm["ttgir"])
    assert "ttng.warp_group_dot" in loop
    assert "ttg.local_load" not in loop
    assert "ttg.convert_layout" not in loop, "the accumulator stays in its registers"
    writes = [place.start() for place in re.finditer(r"ttg\.(local_store|async_wait)", loop)]
    fence, dot = loop.index("ttng.fence_async_shared"), loop.index("ttng.warp_group_dot")
    assert writes and writes[-1] < fence < dot
    ptx = kernel.asm["ptx"]
    assert "wgmma.mma_async" in ptx
    before_epilogue = ptx[:ptx.rindex("wgmma.wait_group")]
    assert "ld.shared" not in before_epilogue and "ldmatrix" not in before_epilogue


def test_mma_before_hopper_reads_the_buffers() -> None:
    kernel = compile_matmul("fp16", 1, capability=80)
    assert "mma.sync" in kernel.asm["ptx"] and "ldmatrix" in kernel.asm["ptx"]
    assert "wgmma" not in kernel.asm["ptx"]
    assert kernel.asm["ttgir"].count("ttg.local_alloc") == 2, "no second trip through shared memory"


def test_stages_multiply_the_buffers() -> None:
    one, three = compile_matmul("fp16", 1), compile_matmul("fp16", 3)
    assert "cp.async" in three.asm["ptx"] and "wgmma.mma_async" in three.asm["ptx"]
    tiles = (128 * 64 + 64 * 64) * 2
    assert one.metadata.shared < 2 * tiles <= three.metadata.shared


@triton.jit
def scores(q, k, o, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sq = tle.gpu.alloc([M, D], q.dtype.element_ty)
    sk = tle.gpu.alloc([N, D], k.dtype.element_ty)
    tle.gpu.copy(q + m[:, None] * D + d[None, :], sq, [M, D])
    tle.gpu.copy(k + n[:, None] * D + d[None, :], sk, [N, D])
    acc = tl.dot(sq.load(), sk.load().T)
    tl.store(o + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("dtype,result", [("fp16", "fp32"), ("fp32", "fp32"), ("i8", "i32"), ("fp8e5", "fp32")])
def test_a_transposed_operand_is_a_view(dtype: str, result: str) -> None:
    kernel = compiled(scores, {"q": f"*{dtype}", "k": f"*{dtype}", "o": f"*{result}"}, {"M": 64, "N": 32, "D": 64})
    assert "ttg.memdesc_trans" in kernel.asm["ttgir"]
    assert "wgmma.mma_async" in kernel.asm["ptx"]


# TMA ---------------------------------------------------------------------------------------------------------------------


@triton.jit
def tma_copy(src, other, dst, n):
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16)
    for i in range(n):
        tle.gpu.copy(src, a, [64, 64], [i * 64, 0])
        tle.gpu.copy(other, b, [64, 64], [i * 64, 0])
        a.store(a.load() + b.load())
        tle.gpu.copy(a, dst, [64, 64], [i * 64, 0])


def test_tma_copies() -> None:
    desc = "tensordesc<fp16[64, 64]>"
    kernel = compiled(tma_copy, {"src": desc, "other": desc, "dst": desc, "n": "i32"})
    loop = loop_of(kernel.asm["ttgir"])
    order = ["ttng.init_barrier", "ttng.barrier_expect", "ttng.async_tma_copy_global_to_local", "ttng.wait_barrier", "ttng.inval_barrier",
             "ttg.local_load", "ttg.local_store", "ttng.fence_async_shared", "ttng.async_tma_copy_local_to_global",
             "ttng.async_tma_store_wait"]
    places = [loop.index(op) for op in order]
    assert places == sorted(places)
    assert loop.count("ttng.wait_barrier") == 1, "the loads overlap"
    assert loop.count("ttng.async_tma_copy_global_to_local") == 2
    assert "tt.num_stages = 0" in kernel.asm["ttgir"]
    assert kernel.asm["ptx"].count("cp.async.bulk.tensor.2d.shared::cluster.global") == 2
    assert [meta["swizzle"] for meta in kernel.metadata.tensordesc_meta] == [3, 3, 3]


# Lifetime and order ------------------------------------------------------------------------------------------------------


@triton.jit
def two_buffers_and_a_reduction(x, y, i):
    o = tl.arange(0, 1024)
    a = tle.gpu.alloc([1024], tl.float32, nv_mma_shared_layout=False)
    b = tle.gpu.alloc([1024], tl.float32, nv_mma_shared_layout=False)
    tl.store(tle.gpu.local_ptr(a, [o]), tl.load(x + o))
    tl.store(tle.gpu.local_ptr(b, [o]), tl.load(y + o))
    total = tl.sum(tl.load(y + o) * 2)
    tl.store(x + i, total + tl.load(tle.gpu.local_ptr(a, [i])) + tl.load(tle.gpu.local_ptr(b, [i])))


def test_addressed_buffers_and_scratch_memory_do_not_overlap() -> None:
    """The reduction of 4 warps needs scratch memory while both buffers hold values that are read behind it."""
    kernel = compiled(two_buffers_and_a_reduction, {"x": "*fp32", "y": "*fp32", "i": "i32"})
    assert len(set(re.findall(r"ttg\.local_dealloc (%\w+)", kernel.asm["ttgir"]))) == 2
    assert kernel.metadata.shared >= 2 * 4096 + 4 * 4


@triton.jit
def read_before_overwriting(x, n):
    o = tl.arange(0, 128)
    a = tle.gpu.alloc([128], tl.float32)
    tle.gpu.copy(x + o, a, [128])
    first = a.load()
    for i in range(n):
        a.store(first + i)
    tle.gpu.copy(a, x + o, [128])


def test_a_load_is_not_moved_into_the_loop_that_overwrites_its_buffer() -> None:
    text = compiled(read_before_overwriting, {"x": "*fp32", "n": "i32"}).asm["ttgir"]
    assert "ttg.local_store" in loop_of(text)
    assert "ttg.local_load" not in loop_of(text)


@triton.jit
def store_and_dot(a, x, y, c, n):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    s = tle.gpu.alloc([16, 16], tl.float16)
    acc = tl.zeros([16, 16], tl.float32)
    for k in range(n):
        left = tl.load(a + i * 16 + j + k * 256)
        s.store(tl.load(x + i * 16 + j + k * 256))
        acc = tl.dot(left, s.load(), acc)
    tl.store(c + i * 16 + j, acc)


@pytest.mark.parametrize("stages", [1, 3])
def test_accesses_keep_their_order_in_loops(stages: int) -> None:
    """Triton's pipeliner would put the load of the buffer before the store of the same iteration."""
    text = compiled(store_and_dot, {"a": "*fp16", "x": "*fp16", "y": "*fp16", "c": "*fp32", "n": "i32"}, num_stages=stages).asm["ttgir"]
    store, load = re.search(r"ttg\.local_store .*mutable>", loop_of(text)), re.search(r"ttg\.local_load .*mutable> ->", loop_of(text))
    assert store.start() < load.start()


@triton.jit
def swapped(x, c, n):
    o = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    a, b = tle.gpu.alloc([64, 64], tl.float16), tle.gpu.alloc([64, 64], tl.float16)
    b.store(tl.load(x + o))
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(n):
        a.store(tl.load(x + o + i))
        acc = tl.dot(a.load(), b.load(), acc)
        a, b = b, a
    tl.store(c + o, acc)


def test_buffers_that_change_places_are_not_prefetched() -> None:
    """Triton's prefetching would read the buffer of the next iteration before that has written it."""
    text = compiled(swapped, {"x": "*fp16", "c": "*fp32", "n": "i32"}, capability=80).asm["ttgir"]
    before, loop = text.split("scf.for")[0], loop_of(text)
    assert "ttg.local_load" not in before
    assert loop.index("ttg.local_store") < loop.index("ttg.local_load")


@triton.jit
def staged(x):
    o = tl.arange(0, 128)
    tl.store(x + o, tle.gpu.memory_space(tl.load(x + o), "smem"))


def test_memory_space_goes_through_shared_memory() -> None:
    kernel = compiled(staged, {"x": "*fp32"})
    order = [kernel.asm["ttgir"].index(op) for op in ("tt.load", "ttg.local_alloc", "ttg.local_store", "ttg.local_load", "tt.store")]
    assert order == sorted(order)
    assert kernel.metadata.shared == 128 * 4


@triton.jit
def ring(x, n):
    o = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    slots = tle.gpu.alloc([3, 64, 64], tl.float16)
    for i in range(n):
        tle.gpu.copy(x + o + i * 4096, slots[i % 3], [64, 64])
        tle.gpu.copy(slots[i % 3], x + o + i * 4096, [64, 64])


def test_slots_are_views_of_one_buffer() -> None:
    kernel = compiled(ring, {"x": "*fp16", "n": "i32"})
    assert "!ttg.memdesc<3x64x64xf16" in kernel.asm["ttgir"] and "ttg.memdesc_index" in kernel.asm["ttgir"]
    assert kernel.metadata.shared == 3 * 64 * 64 * 2


# Asynchronous loads ------------------------------------------------------------------------------------------------------


@triton.jit
def async_load(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + o, tle.load(x + o, mask=o < n, other=1, is_async=True), mask=o < n)


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("dtype,size,is_copied", [("fp32", 128, True), ("fp64", 128, True), ("fp16", 1024, False), ("fp16", 128, False),
                                                  ("i8", 1024, False), ("i1", 1024, False)])
def test_asynchronous_loads_of_unknown_alignment(capability: int, dtype: str, size: int, is_copied: bool) -> None:
    kernel = compiled(async_load, {"x": f"*{dtype}", "y": f"*{dtype}", "n": "i32"}, {"B": size}, capability=capability)
    assert ("cp.async" in kernel.asm["ptx"]) == is_copied


@triton.jit
def aligned_async_load(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    mask = o < n * 16
    tl.store(y + o, tle.load(tl.multiple_of(x + o, 16), mask=mask, is_async=True), mask=mask)


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "i8", "fp8e5"])
def test_asynchronous_loads_of_known_alignment(dtype: str) -> None:
    kernel = compiled(aligned_async_load, {"x": f"*{dtype}", "y": f"*{dtype}", "n": "i32"}, {"B": 2048})
    assert "cp.async" in kernel.asm["ptx"]


def test_tma_before_hopper_is_an_ordinary_copy() -> None:
    desc = "tensordesc<fp16[64, 64]>"
    kernel = compiled(tma_copy, {"src": desc, "other": desc, "dst": desc, "n": "i32"}, capability=80)
    assert "cp.async.bulk" not in kernel.asm["ptx"]


@triton.jit
def gathered_and_copied(desc, x):
    a = tle.gpu.alloc([1, 64], tl.float16)
    tle.gpu.copy(desc, a, [1, 64], [0, 0])
    rows = desc.gather(tl.arange(0, 32), 0)
    tl.store(x + tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :], rows)


def test_c29_a_descriptor_with_two_layouts() -> None:
    with pytest.raises(LoweringError, match=r"\[C29\] the descriptor is also used"):
        compiled(gathered_and_copied, {"desc": "tensordesc<fp16[1, 64]>", "x": "*fp16"})
