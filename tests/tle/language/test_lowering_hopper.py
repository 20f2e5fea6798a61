"""Kernels of the Hopper language down to machine code."""
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


@triton.jit
def idle():
    pass


@triton.jit
def put(p, value):
    tl.store(p, value)


@triton.jit
def put_unless(p, value):
    if value > 3:
        return
    tl.store(p, value)


@triton.jit
def next_number(n):
    return n + 1


@triton.jit
def two_tensors(p, n):
    o = tl.arange(0, 256)
    return tl.load(p + o), (o + n, n)


@triton.jit
def two_partitions(p, W: tl.constexpr, R: tl.constexpr):
    tle.gpu.warp_specialize([(put, (p, 1)), (put, (p + 1, 2))], [W], [R])


def threads(kernel: Any) -> int:
    (number, ) = re.findall(r"\.reqntid (\d+)", kernel.asm["ptx"])
    return int(number)


@pytest.mark.parametrize("registers", [24, 168, 240, 256])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_registers_are_moved_between_partitions(registers: int, num_warps: int) -> None:
    kernel = compiled(two_partitions, {"p": "*i32"}, {"W": 4, "R": registers}, num_warps=num_warps)
    found = re.findall(r"setmaxnreg\.\w+\.sync\.aligned\.u32 \t?(\d+)", kernel.asm["ptx"])
    assert str(registers) in found
    assert all(24 <= int(number) <= 256 for number in found)
    assert threads(kernel) == 32 * (num_warps + 4) == 32 * kernel.metadata.num_warps


@pytest.mark.parametrize("warps, groups", [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_workers_of_any_size(warps: int, groups: int, num_warps: int) -> None:
    kernel = compiled(two_partitions, {"p": "*i32"}, {"W": warps, "R": 24}, num_warps=num_warps)
    assert threads(kernel) == 32 * (num_warps + 4 * groups)


@triton.jit
def nothing_to_do(p, n):
    tle.gpu.warp_specialize([(put, (p, n)), (idle, ())], [4], [24])
    tle.gpu.warp_specialize([(put, (p, n))], [], [])


def test_a_worker_that_does_nothing_and_none_at_all() -> None:
    kernel = compiled(nothing_to_do, {"p": "*i32", "n": "i32"})
    assert threads(kernel) == 256
    assert kernel.asm["ptx"].count("st.global") == 2


@triton.jit
def in_loops_and_branches(p, n):
    i = 0
    while i < n:
        if i % 2 == 0:
            i += tle.gpu.warp_specialize([(next_number, (n, )), (put_unless, (p + i, n))], [4], [24])
        else:
            for j in range(n):
                tle.gpu.warp_specialize([(put_unless, (p, j)), (put, (p + j, j))], [4], [24])
            i += 1


def test_inside_loops_and_branches() -> None:
    kernel = compiled(in_loops_and_branches, {"p": "*i32", "n": "i32"})
    assert kernel.asm["ttgir"].count("ttg.warp_specialize(") == 2


@triton.jit
def tensors_of_the_default_partition(p, n):
    values, pair = tle.gpu.warp_specialize([(two_tensors, (p, n)), (put, (p + 7, n))], [4], [24])
    tl.store(p + pair[0], values + pair[1])


def test_the_default_partition_may_give_tensors() -> None:
    kernel = compiled(tensors_of_the_default_partition, {"p": "*i32", "n": "i32"})
    assert re.search(r"ttg.warp_specialize\(.*\)", kernel.asm["ttgir"])


@triton.jit
def fill(d, a, empty, full, n):
    for i in range(n):
        tle.gpu.barrier_wait(empty[i % 3], phaseIdx=i // 3)
        tle.gpu.copy(d, a[i % 3], d.block_shape, [0, i * 64], barrier=full[i % 3])


@triton.jit
def drain(a, b, empty, full, turns, n, out, CID: tl.constexpr):
    o = tl.arange(0, 64)
    tile = out + CID * 4096 + o[:, None] * 64 + o[None, :]
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(n):
        tle.gpu.barrier_wait(full[i % 3], phaseIdx=i // 3)
        acc = tle.gpu.wgmma(a[i % 3], b, acc)
        acc = tle.gpu.wgmma_wait(0, acc)
        tle.gpu.barrier_arrive(empty[i % 3], phaseIdx=i // 3)
    if CID == 0:
        tle.gpu.barrier_arrive(turns[0])
    else:
        tle.gpu.barrier_wait(turns[0])
    tl.store(tile, acc)


@triton.jit
def products(d, out, n):
    a = tle.gpu.alloc([3, 64, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16, init_value=tl.full([64, 64], 1, tl.float16))
    empty = tle.gpu.alloc_barriers(3, arrive_count=2, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(3, expect_bytes=64 * 64 * 2)
    turns = tle.gpu.alloc_barriers(1, arrive_count=256)
    tle.gpu.warp_specialize([(fill, (d, a, empty, full, n)), (drain, (a, b, empty, full, turns, n, out, 0)),
                             (drain, (a, b, empty, full, turns, n, out, 1))], [4, 4], [168, 168])


@pytest.mark.parametrize("debug", [False, True])
def test_a_producer_and_two_consumers(debug: bool) -> None:
    kernel = compiled(products, {"d": "tensordesc<fp16[64, 64]>", "out": "*fp32", "n": "i32"}, debug=debug)
    ptx = kernel.asm["ptx"]
    for instruction in ("mbarrier.init", "mbarrier.arrive.expect_tx", "mbarrier.try_wait", "cp.async.bulk.tensor.2d", "wgmma.mma_async",
                        "setmaxnreg.dec", "barrier.cta.sync", "barrier.cta.arrive"):
        assert instruction in ptx or instruction.replace(".cta", "") in ptx, instruction
    assert ("index is not between" in kernel.asm["ttir"]) == debug


@triton.jit
def product(x, y, A: tl.constexpr, B: tl.constexpr, OUT: tl.constexpr):
    o = tl.arange(0, 64)
    tile = o[:, None] * 64 + o[None, :]
    a = tle.gpu.alloc([64, 64], A, init_value=tl.load(x + tile).to(A))
    b = tle.gpu.alloc([64, 64], B, init_value=tl.load(x + 4096 + tile).to(B))
    acc = tle.gpu.wgmma(a, b, out_dtype=OUT, trans_b=True)
    tl.store(y + tile, tle.gpu.wgmma_wait(acc))


@pytest.mark.parametrize("a, b, out, instruction", [
    (tl.float16, tl.float16, tl.float32, "f32.f16.f16"), (tl.float16, tl.float16, tl.float16, "f16.f16.f16"),
    (tl.bfloat16, tl.bfloat16, tl.float32, "f32.bf16.bf16"), (tl.float32, tl.float32, tl.float32, "f32.tf32.tf32"),
    (tl.float8e4nv, tl.float8e5, tl.float32, "f32.e4m3.e5m2"), (tl.float8e5, tl.float8e5, tl.float16, "f16.e5m2.e5m2"),
    (tl.int8, tl.int8, tl.int32, "s32.s8.s8")], ids=str)
def test_types_of_products(a: tl.dtype, b: tl.dtype, out: tl.dtype, instruction: str) -> None:
    kernel = compiled(product, {"x": "*fp32", "y": f"*{'i32' if out == tl.int32 else out.name}"}, {"A": a, "B": b, "OUT": out})
    assert re.search(rf"wgmma.mma_async.sync.aligned.m64n64k\d+.{instruction}", kernel.asm["ptx"])


@triton.jit
def wait(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=0)  # use


@triton.jit
def meet(bar):
    tle.gpu.barrier_wait(bar)  # use


@triton.jit
def nobody_arrives():
    bar = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(idle, ()), (wait, (bar, ))], [4], [24])  # call


@triton.jit
def two_kinds():
    bar = tle.gpu.alloc_barrier(128)
    tle.gpu.barrier_arrive(bar, phaseIdx=0)
    tle.gpu.warp_specialize([(idle, ()), (meet, (bar, ))], [4], [24])  # call


@triton.jit
def chosen_at_run_time(n):
    bars = tle.gpu.alloc_barriers(2, 128)
    meet(bars[n % 2])  # call


@pytest.mark.parametrize("kernel, rule", [(nobody_arrives, "B37"), (two_kinds, "B27"), (chosen_at_run_time, "B28")],
                         ids=["nobody_arrives", "two_kinds", "chosen_at_run_time"])
def test_rules_of_the_whole_kernel_name_the_use_and_its_call(kernel: Any, rule: str) -> None:
    with pytest.raises(LoweringError) as caught:
        compiled(kernel, {"n": "i32"})
    error, _, notes = str(caught.value).partition("note: ")
    assert f"[{rule}]" in error and error.rstrip().endswith("# use")
    assert "called from here" in notes and "# call" in notes
