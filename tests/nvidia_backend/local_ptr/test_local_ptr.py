"""Pointers into buffers through the whole compiler: the PTX of the device tests' kernels. No GPU needed."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.gpu import local_ptr_kernels as kernels
from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")

BOTH = pytest.mark.parametrize("capability", [80, 90])


def ttgir_and_ptx(kernel: Any, arguments: str, constants: dict[str, Any], capability: int, **options: Any) -> tuple[str, str]:
    """`arguments`: "name:type ...". A cubin is made too, so ptxas has read the PTX."""
    signature = dict(argument.split(":") for argument in arguments.split())
    asm = compiled(kernel, signature, constants, capability, **options).asm
    return asm["ttgir"], re.split(r"\n\s*\.section", asm["ptx"])[0]


def count(pattern: str, text: str) -> int:
    return len(re.findall(pattern, text))


@BOTH
@pytest.mark.parametrize("element, width", [("i8", 8), ("u8", 8), ("i16", 16), ("fp16", 16), ("bf16", 16), ("fp32", 32), ("i32", 32), ("fp64", 64),
                                            ("i64", 64), ("fp8e5", 8)])
def test_stores_of_every_width(element: str, width: int, capability: int) -> None:
    ttgir, ptx = ttgir_and_ptx(kernels.reverse, f"src:*{element} dst:*{element}", {"N": 128, "NVMMA": True}, capability)
    assert count(rf"st\.shared\.b{width} \[", ptx) == 1
    # What is left of tl.load and tl.store are the two accesses of global memory.
    assert count(r"tt\.load ", ttgir) == count(r"tt\.store ", ttgir) == 1
    assert count(r"ttg\.local_load ", ttgir) == 1 and "ttg.local_store" not in ttgir
    assert count(r"ld\.global", ptx) == count(r"st\.global", ptx) == 1


@BOTH
def test_loads_and_masks(capability: int) -> None:
    constants = {"BM": 16, "BN": 32, "OTHER": 7, "NVMMA": False}
    ttgir, ptx = ttgir_and_ptx(kernels.masked_whole, "src:*fp16 dst:*fp16 n:i32", constants, capability)
    assert count(r"tt\.load ", ttgir) == 2 and count(r"tt\.store ", ttgir) == 3
    per_thread = 16 * 32 // 128
    assert count(r"@%p\d+ st\.shared\.b16", ptx) == per_thread
    assert count(r"mov\.b16 (%rs\d+), 0; @%p\d+ ld\.shared\.b16 \1,", ptx) == per_thread
    assert count(r"mov\.b16 (%rs\d+), %rs\d+; @%p\d+ ld\.shared\.b16 \1,", ptx) == per_thread


@BOTH
def test_order_in_a_loop(capability: int) -> None:
    """Load, barrier, store, barrier: of each iteration, and nothing that Triton could have moved."""
    ttgir, ptx = ttgir_and_ptx(kernels.shift_in_loop, "src:*i32 dst:*i32 steps:i32", {"N": 128}, capability, num_stages=4)
    loop = ptx[ptx.index("Loop Header"):]
    kinds = re.findall(r"ld\.shared|st\.shared|bar\.sync|\bbra\b", loop)
    assert kinds[:5] == ["bar.sync", "ld.shared", "bar.sync", "st.shared", "bra"]
    assert "tt.num_stages = 0" in ttgir


@BOTH
def test_loads_that_feed_a_pipelined_load_stay_in_order(capability: int) -> None:
    """Triton's pipeliner cannot predicate these loads: with stages asked for it would abort the process."""
    ttgir, ptx = ttgir_and_ptx(kernels.chase, "table:*i32 dst:*i32 steps:i32", {"N": 256}, capability, num_stages=4)
    assert count(r"scf\.for", ttgir) == 1 and "cp.async" not in ptx
    assert count(r"ld\.shared\.b32", ptx) == 2


def test_scratch_is_apart_from_live_buffers() -> None:
    """128 and 256 floats are live together, and scan and reduction have scratch memory of their own."""
    kernel = compiled(kernels.beside_scratch, {"src": "*fp32", "dst": "*fp32", "sums": "*fp32", "rounds": "i32"}, {"N": 128})
    assert kernel.metadata.shared > 128 * 4 + 256 * 4
    ttgir = kernel.asm["ttgir"]
    assert count(r"ttg\.local_dealloc", ttgir) == count(r"ttg\.local_alloc", ttgir) == 2


def test_what_was_stored_is_fenced_before_wgmma() -> None:
    ttgir, ptx = ttgir_and_ptx(kernels.dot_of_stored, "a:*fp16 b:*fp16 c:*fp32", {"M": 64, "N": 64, "K": 64}, 90)
    last_store = ttgir.rindex('tle.shared_access = "store"')
    fence = ttgir.index("ttng.fence_async_shared", last_store)
    barrier = ttgir.index("gpu.barrier", fence)
    assert last_store < fence < barrier < ttgir.index("ttng.warp_group_dot", last_store)
    assert "wgmma.mma_async" in ptx


@BOTH
@pytest.mark.parametrize("block, replicas", [(1024, 0), (128, 0), (16, 112)])
def test_each_element_is_updated_once(block: int, replicas: int, capability: int) -> None:
    constants = {"BINS": 256, "B": block, "RANKS": True}
    ttgir, ptx = ttgir_and_ptx(kernels.histogram, "src:*i32 dst:*i32 ranks:*i32 n:i32", constants, capability)
    assert "tt.atomic_rmw" not in ttgir and "atom.global" not in ptx
    update = (rf"and\.b32 thread, thread, {replicas}; setp\.eq\.u32 owner, thread, 0; and\.pred update, owner, %p\d+; mov\.b32 old, 0; "
              r"@update atom\.relaxed\.cta\.shared\.add\.u32 old")
    assert count(update, ptx) == max(1, block // 128)
    assert ("@owner st.shared.b32" in ptx) == (replicas != 0)


INTEGERS = {"i32": "s32", "u32": "u32", "i64": "s64"}


@BOTH
@pytest.mark.parametrize("op, element, instruction", [
    *(("add", element, f"add.u{element[1:]}") for element in ("i32", "i64")),
    *((op, element, f"{op}.{name}") for op in ("min", "max") for element, name in INTEGERS.items()),
    *((op, element, f"{op}.b{element[1:]}") for op in ("and", "or", "xor") for element in ("i32", "i64")),
    ("add", "fp16", "add.noftz.f16"), ("add", "fp32", "add.f32"), ("add", "fp64", "add.f64"),
    ("max", "fp32", "max.s32"), ("max", "fp32", "min.u32"), ("min", "fp64", "min.s64"), ("min", "fp64", "max.u64"),
])
def test_atomic_instructions(op: str, element: str, instruction: str, capability: int) -> None:
    _, ptx = ttgir_and_ptx(kernels.reduce_by_atomics, f"src:*{element} dst:*{element}", {"N": 64, "OP": op}, capability)
    assert count(rf"@update atom\.acq_rel\.gpu\.shared\.{re.escape(instruction)} ", ptx) == 1


@pytest.mark.parametrize("capability, instruction", [(80, "cas.b16"), (90, "add.noftz.bf16")])
def test_bfloat16_atomics(capability: int, instruction: str) -> None:
    _, ptx = ttgir_and_ptx(kernels.reduce_by_atomics, "src:*bf16 dst:*bf16", {"N": 64, "OP": "add"}, capability)
    assert count(rf"atom\.acq_rel\.gpu\.shared\.{re.escape(instruction)} ", ptx) == 1


@BOTH
def test_scalar_atomics(capability: int) -> None:
    """One thread of the program updates; its semantics and scope are the ones asked for."""
    ttgir, ptx = ttgir_and_ptx(kernels.scalar_atomics, "dst:*i32 rounds:i32", {"N": 64}, capability)
    assert count(r"and\.b32 thread, thread, 127;", ptx) == 2
    assert "atom.acq_rel.cta.shared.add.u32" in ptx and "atom.release.gpu.shared.max.s32" in ptx
    assert count(r"tt\.unsplat", ttgir) == 2


@triton.jit
def offset_pointer(dst):
    buffer = tle.gpu.alloc([16], tl.float32)
    tl.store(dst, tl.load(tle.gpu.local_ptr(buffer, (0, )) + 1))


@triton.jit
def carried_pointer(dst, n):
    buffer = tle.gpu.alloc([16], tl.float32)
    pointer = tle.gpu.local_ptr(buffer, (0, ))
    for i in range(0, n):
        tl.store(pointer, 1.0)
        pointer = tle.gpu.local_ptr(buffer, (i, ))
    tl.store(dst, tl.load(pointer))


@triton.jit
def range_outside(dst):
    buffer = tle.gpu.alloc([16], tl.float32)
    tl.store(dst + tl.arange(0, 32), tl.load(tle.gpu.local_ptr(buffer, (tl.arange(0, 32), ))))


@pytest.mark.parametrize("kernel, arguments, message, line", [
    (offset_pointer, {"dst": "*fp32"}, r"\[L30\] .*'tt.addptr'", "tle.gpu.local_ptr(buffer, (0, )) + 1"),
    (carried_pointer, {"dst": "*fp32", "n": "i32"}, r"\[L30\] .*'scf.for'", "for i in range(0, n)"),
    (range_outside, {"dst": "*fp32"}, r"\[L8\] index 31 ", "tle.gpu.local_ptr(buffer, (tl.arange(0, 32), ))"),
])
def test_refused_uses(kernel: Any, arguments: dict[str, str], message: str, line: str) -> None:
    """The core's rules name the user's line."""
    with pytest.raises(Exception, match=message) as caught:
        compiled(kernel, arguments, {}, 90)
    located = re.search(r"test_local_ptr\.py:(\d+)", str(caught.value))
    assert located, str(caught.value)
    assert line in Path(__file__).read_text().splitlines()[int(located.group(1)) - 1]
