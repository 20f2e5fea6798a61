"""Kernels through a compiler with CommonIR: what becomes of their buffers and copies."""
from __future__ import annotations

import re

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from tests.commonir.core_helpers import count

@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, stride_a, stride_b, stride_c, k_tiles, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_tile = a_ptr + rows[:, None] * stride_a + ks[None, :]
    b_tile = b_ptr + ks[:, None] * stride_b + cols[None, :]
    a_buf = tle.gpu.alloc([BM, BK], a_ptr.dtype.element_ty)
    b_buf = tle.gpu.alloc([BK, BN], b_ptr.dtype.element_ty)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for _ in range(k_tiles):
        tle.gpu.copy(a_tile, a_buf, [BM, BK])
        tle.gpu.copy(b_tile, b_buf, [BK, BN])
        acc = tl.dot(a_buf.load(), b_buf.load(), acc)
        a_tile += BK
        b_tile += BK * stride_b
    c_buf = tle.gpu.alloc([BM, BN], c_ptr.dtype.element_ty)
    c_buf.store(acc.to(c_ptr.dtype.element_ty))
    tle.gpu.copy(c_buf, c_ptr + rows[:, None] * stride_c + cols[None, :], [BM, BN])


@triton.jit
def flash(q_ptr, k_ptr, v_ptr, o_ptr, stride, scale, tiles, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    d = tl.arange(0, D)
    q_buf = tle.gpu.alloc([BM, D], q_ptr.dtype.element_ty)
    k_buf = tle.gpu.alloc([BN, D], k_ptr.dtype.element_ty)
    v_buf = tle.gpu.alloc([BN, D], v_ptr.dtype.element_ty)
    tle.gpu.copy(q_ptr + rows[:, None] * stride + d[None, :], q_buf, [BM, D])
    q = q_buf.load()
    k_tile = k_ptr + columns[:, None] * stride + d[None, :]
    v_tile = v_ptr + columns[:, None] * stride + d[None, :]
    biggest = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for _ in range(tiles):
        tle.gpu.copy(k_tile, k_buf, [BN, D])
        tle.gpu.copy(v_tile, v_buf, [BN, D])
        scores = tl.dot(q, tl.trans(k_buf.load())) * scale
        new = tl.maximum(biggest, tl.max(scores, 1))
        p = tl.exp2(scores - new[:, None])
        old = tl.exp2(biggest - new)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(v_ptr.dtype.element_ty), v_buf.load(), acc * old[:, None])
        biggest = new
        k_tile += BN * stride
        v_tile += BN * stride
    tl.store(o_ptr + rows[:, None] * stride + d[None, :], (acc / total[:, None]).to(o_ptr.dtype.element_ty))


@triton.jit
def mixed(x_ptr, y_ptr, n, N: tl.constexpr, STAGES: tl.constexpr):
    """Plain and masked copies, slots, pointers and whole loads on the buffers of one kernel."""
    offsets = tl.arange(0, N)
    ring = tle.gpu.alloc([STAGES, N], x_ptr.dtype.element_ty)
    last = tle.gpu.alloc([N], x_ptr.dtype.element_ty)
    for i in range(n):
        slot = ring.slot(i % STAGES)
        tle.gpu.copy(x_ptr + i * N + offsets, slot, [N])
        tle.gpu.copy(x_ptr + i * N + offsets, last, [N], mask=offsets < n)
        tl.store(y_ptr + i * N + offsets, slot.load() + tl.load(tle.gpu.local_ptr(last, [N - 1 - offsets])))


@triton.jit
def producer(x_ptr, first, second, ready, N: tl.constexpr):
    tle.gpu.copy(x_ptr + tl.arange(0, N), first, [N])
    tle.gpu.copy(x_ptr + N + tl.arange(0, N), second, [N])
    tle.gpu.barrier_arrive(ready)


@triton.jit
def consumer(y_ptr, first, second, ready, N: tl.constexpr):
    tle.gpu.barrier_wait(ready)
    tl.store(y_ptr + tl.arange(0, N), first.load())
    tle.gpu.copy(second, y_ptr + N + tl.arange(0, N), [N])


@triton.jit
def nothing():
    pass


@triton.jit
def specialized(x_ptr, y_ptr, N: tl.constexpr):
    """Buffers of CommonIR captured by two partitions, which copy into them and out of them."""
    first = tle.gpu.alloc([N], x_ptr.dtype.element_ty)
    second = tle.gpu.alloc([N], x_ptr.dtype.element_ty)
    ready = tle.gpu.alloc_barrier(arrive_count=256)
    tle.gpu.warp_specialize([(nothing, ()), (producer, (x_ptr, first, second, ready, N)), (consumer, (y_ptr, first, second, ready, N))],
                            [4, 4], [168, 168])


MATMUL = {"a_ptr": "*{0}", "b_ptr": "*{0}", "c_ptr": "*{0}", "stride_a": "i32", "stride_b": "i32", "stride_c": "i32", "k_tiles": "i32"}
FLASH = {"q_ptr": "*{0}", "k_ptr": "*{0}", "v_ptr": "*{0}", "o_ptr": "*{0}", "stride": "i32", "scale": "fp32", "tiles": "i32"}


def build(kernel, signature: dict[str, str], constants: dict[str, int], capability: int, dtype: str, stages: int = 1) -> dict[str, str]:
    """All stages of `kernel`, whose pointers and integers are multiples of 16, for loops of `stages` stages."""
    types = {name: signature[name].format(dtype) if name in signature else "constexpr" for name in kernel.arg_names}
    attributes = {(index, ): [["tt.divisibility", 16]] for index, text in enumerate(types.values()) if text not in ("fp32", "constexpr")}
    return triton.compile(ASTSource(kernel, types, constants, attributes), target=GPUTarget("cuda", capability, 32),
                          options={"num_stages": stages}).asm


def check_residue(stages: dict[str, str]) -> None:
    for stage in ("ttir", "ttgir"):
        assert not re.search(r"tile\.|!tile|unrealized_conversion_cast", re.sub(r"loc\(.*|#loc.*", "", stages[stage]))


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_matmul(capability: int, dtype: str) -> None:
    stages = build(matmul, MATMUL, {"BM": 64, "BN": 64, "BK": 32}, capability, dtype)
    check_residue(stages)
    assert count(stages["ttgir"], "ttg.async_copy_global_to_local") == 2
    assert count(stages["ttgir"], r"ttg.async_wait ") == 1


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_matmul_reads_buffers_where_they_are(dtype: str) -> None:
    stages = build(matmul, MATMUL, {"BM": 64, "BN": 64, "BK": 64}, 90, dtype)
    assert count(stages["ptx"], r"wgmma\.mma_async") > 0


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_flash(capability: int, dtype: str) -> None:
    stages = build(flash, FLASH, {"BM": 64, "BN": 64, "D": 64}, capability, dtype)
    check_residue(stages)
    assert count(stages["ttgir"], "ttg.async_copy_global_to_local") == 3
    assert count(stages["ttgir"], r"ttg.async_wait ") == 2


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_copies_of_later_iterations_overlap(capability: int, stages: int) -> None:
    """stages - 1 iterations are copied before the loop and one in it, into that many buffers; the wait leaves some in flight."""
    constants = {"BM": 64, "BN": 64, "BK": 64}
    text = build(matmul, MATMUL, constants, capability, "fp16", stages)["ttgir"]
    check_residue({"ttir": "", "ttgir": text})
    assert count(text, "ttg.async_copy_global_to_local") == 2 * stages
    assert re.search(r"ttg.async_wait .*num = [1-9]", text) or stages == 2


@pytest.mark.parametrize("dtype", ["fp16", "fp32", "i8"])
def test_mixed(dtype: str) -> None:
    stages = build(mixed, {"x_ptr": "*{0}", "y_ptr": "*{0}", "n": "i32"}, {"N": 512, "STAGES": 3}, 90, dtype)
    check_residue(stages)
    assert "ttg.memdesc_index" in stages["ttgir"]


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_partitions(dtype: str) -> None:
    stages = build(specialized, {"x_ptr": "*{0}", "y_ptr": "*{0}"}, {"N": 1024}, 90, dtype)
    check_residue(stages)
    _, copies, uses = re.split(r"partition\d\(.*num_warps", stages["ttgir"])
    # Whose allocation a captured buffer is, the conversion does not ask: each copy has its wait.
    assert count(copies, "ttg.async_copy_global_to_local") == 2 and count(copies, r"ttg.async_wait ") == 2
    assert count(uses, r"ttg.local_load ") == 2
    assert "bar.arrive" in stages["ptx"] or "barrier.cta.arrive" in stages["ptx"]
