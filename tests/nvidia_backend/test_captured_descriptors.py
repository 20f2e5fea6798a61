"""Descriptors that warp_specialize captures compile whichever partitions use them; stock Triton alone would refuse those that
a worker leaves alone."""
from __future__ import annotations

import os
import re

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402

from tests.tle.language.compiling import compiled  # noqa: E402


def check(kernel: object, instruction: str) -> None:
    """`kernel` has machine code, moves tiles by `instruction`, and a worker leaves a captured descriptor alone."""
    assert kernel.asm["cubin"]
    assert instruction in kernel.asm["ptx"]
    workers = re.findall(r"partition\d+\((.*?)\) num_warps.*?\n(.*?)ttg\.warp_return", kernel.asm["ttgir"], re.DOTALL)
    unused = [name for arguments, body in workers for name in re.findall(r"(%\w+): !tt\.tensordesc", arguments)
              if not re.search(rf"{name}\b", body)]
    assert unused


@triton.jit
def nothing():
    pass


@triton.jit
def bring(src, buffer, full, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.copy(src, buffer, [ROWS, COLS], [0, 0], barrier=full)


@triton.jit
def take(out, buffer, full, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.barrier_wait(full, phaseIdx=0)
    tl.store(out + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], buffer.load())


# One worker loads ----------------------------------------------------------------------------------------------------------


@triton.jit
def loading(src, out, DEVICE: tl.constexpr, WARPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, BYTES: tl.constexpr):
    """The default partition and a worker take, the last worker brings; `src` is a descriptor, or a pointer it is made from."""
    if DEVICE:
        desc = tl.make_tensor_descriptor(src, [ROWS, COLS], [COLS, 1], [ROWS, COLS])
    else:
        desc = src
    buffer = tle.gpu.alloc([ROWS, COLS], desc.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=BYTES)
    tle.gpu.warp_specialize([
        (take, (out, buffer, full, ROWS, COLS)),
        (take, (out, buffer, full, ROWS, COLS)),
        (bring, (desc, buffer, full, ROWS, COLS)),
    ], [4, WARPS], [64, 64])


@pytest.mark.parametrize("dtype, rows, cols", [("fp16", 64, 64), ("fp16", 64, 16), ("bf16", 64, 32), ("fp32", 4, 32), ("fp32", 8, 4),
                                               ("i8", 64, 128), ("u8", 32, 16), ("fp8e5", 64, 64), ("fp16", 128, 128)])
def test_every_swizzle(dtype: str, rows: int, cols: int) -> None:
    size = {"fp16": 2, "bf16": 2, "fp32": 4}.get(dtype, 1)
    kernel = compiled(loading, {"src": f"tensordesc<{dtype}[{rows},{cols}]>", "out": f"*{dtype}"},
                      {"DEVICE": False, "WARPS": 1, "ROWS": rows, "COLS": cols, "BYTES": rows * cols * size})
    check(kernel, "cp.async.bulk.tensor.2d")


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("device", [False, True])
def test_made_by_host_or_device(device: bool, warps: int) -> None:
    kernel = compiled(loading, {"src": "*fp16" if device else "tensordesc<fp16[64,64]>", "out": "*fp16"},
                      {"DEVICE": device, "WARPS": warps, "ROWS": 64, "COLS": 64, "BYTES": 8192})
    check(kernel, "cp.async.bulk.tensor.2d")


# Stores and reductions, TMA copies and Triton's own operations -------------------------------------------------------------


@triton.jit
def write(dst, buffer, HOW: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    value = tl.full([ROWS, COLS], 1.0, dst.dtype)
    if HOW == "copy":
        buffer.store(value)
        tle.gpu.copy(buffer, dst, [ROWS, COLS], [0, 0])
    elif HOW == "store":
        dst.store([0, 0], value)
    elif HOW == "reduce":
        dst.atomic_add([0, 0], value)
    else:
        dst.store([0, 0], dst.load([0, 0]) + value)


@triton.jit
def writing(dst, HOW: tl.constexpr, DEFAULT_TOO: tl.constexpr, WARPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One worker of two writes, with DEFAULT_TOO the default partition as well."""
    first = tle.gpu.alloc([ROWS, COLS], dst.dtype)
    second = tle.gpu.alloc([ROWS, COLS], dst.dtype)
    if DEFAULT_TOO:
        tle.gpu.warp_specialize([
            (write, (dst, first, HOW, ROWS, COLS)),
            (write, (dst, second, HOW, ROWS, COLS)),
            (nothing, ()),
        ], [WARPS, 1], [64, 64])
    else:
        tle.gpu.warp_specialize([
            (nothing, ()),
            (nothing, ()),
            (write, (dst, second, HOW, ROWS, COLS)),
        ], [1, WARPS], [64, 64])


@pytest.mark.parametrize("default_too", [False, True])
@pytest.mark.parametrize("how", ["copy", "store", "reduce", "load"])
def test_writes(how: str, default_too: bool) -> None:
    kernel = compiled(writing, {"dst": "tensordesc<fp32[64,32]>"},
                      {"HOW": how, "DEFAULT_TOO": default_too, "WARPS": 4, "ROWS": 64, "COLS": 32})
    check(kernel, "cp.reduce.async.bulk.tensor" if how == "reduce" else "cp.async.bulk.tensor.2d.global.shared")


@pytest.mark.parametrize("how", ["copy", "store"])
def test_writes_of_a_worker_with_other_layouts(how: str) -> None:
    kernel = compiled(writing, {"dst": "tensordesc<fp16[32,64]>"},
                      {"HOW": how, "DEFAULT_TOO": False, "WARPS": 2, "ROWS": 32, "COLS": 64})
    check(kernel, "cp.async.bulk.tensor.2d.global.shared")


@triton.jit
def both_ways(desc, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A TMA copy by a worker, Triton's own operations before and in the default partition."""
    buffer = tle.gpu.alloc([ROWS, COLS], desc.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 2)
    desc.store([ROWS, 0], tl.trans(desc.load([0, 0])))
    tle.gpu.warp_specialize([
        (write, (desc, buffer, "load", ROWS, COLS)),
        (take, (out, buffer, full, ROWS, COLS)),
        (bring, (desc, buffer, full, ROWS, COLS)),
    ], [4, 1], [64, 64])


def test_copies_and_operations_of_triton() -> None:
    check(compiled(both_ways, {"desc": "tensordesc<fp16[64,64]>", "out": "*fp16"}, {"ROWS": 64, "COLS": 64}), "cp.async.bulk.tensor.2d")


# Five dimensions, loops and branches ----------------------------------------------------------------------------------------


@triton.jit
def bring_some(desc, other, buffer, full, start, count, flag, ROWS: tl.constexpr, COLS: tl.constexpr):
    use = 0
    while use < count:
        if use % 2 == flag:
            tle.gpu.copy(desc, buffer, [ROWS, COLS], [0, 0, 0, start + use * ROWS, 0], barrier=full)
        else:
            tle.gpu.copy(other, buffer, [ROWS, COLS], [0, 0, 0, start + use * ROWS, 0], barrier=full)
        use += 1


@triton.jit
def take_some(out, buffer, full, count, ROWS: tl.constexpr, COLS: tl.constexpr):
    for use in range(0, count):
        tle.gpu.barrier_wait(full, phaseIdx=use)
        tl.store(out + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], buffer.load())


@triton.jit
def partitions_everywhere(base, other, unused, starts, out, count, flag, ROWS: tl.constexpr, COLS: tl.constexpr):
    """warp_specialize in a loop and an if of it, with a descriptor that is made there, one of the host, and one that nothing uses."""
    buffer = tle.gpu.alloc([ROWS, COLS], tl.bfloat16)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 2)
    for i in range(0, count):
        start = tl.load(starts + i)
        if start >= 0:
            desc = tl.make_tensor_descriptor(base, [1, 1, 4, start, COLS], [4 * COLS, 4 * COLS, COLS, 4 * COLS, 1], [1, 1, 1, ROWS, COLS])
            tle.gpu.warp_specialize([
                (take_some, (out, buffer, full, count, ROWS, COLS)),
                (take_some, (out, buffer, full, count, ROWS, COLS)),
                (bring_some, (desc, other, buffer, full, start, count, flag, ROWS, COLS)),
            ], [4, 1], [64, 64])
            tle.gpu.warp_specialize([
                (leave, (unused, )),
                (take_some, (out, buffer, full, count, ROWS, COLS)),
                (bring_some, (other, desc, buffer, full, start, count, flag, ROWS, COLS)),
            ], [4, 1], [64, 64])


@triton.jit
def leave(desc):
    pass


def test_five_dimensions_loops_and_branches() -> None:
    kernel = compiled(partitions_everywhere, {"base": "*bf16", "other": "tensordesc<bf16[1,1,1,64,128]>", "unused": "tensordesc<fp32[8,64]>",
                                              "starts": "*i32", "out": "*bf16", "count": "i32", "flag": "i32"}, {"ROWS": 64, "COLS": 128})
    check(kernel, "cp.async.bulk.tensor.5d")


@triton.jit
def carried(first, second, out, count, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Descriptors that a branch chooses and a loop carries to the partitions."""
    buffer = tle.gpu.alloc([ROWS, COLS], first.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 2)
    desc, following = first, second
    if count > 3:
        desc = second
    for _ in range(0, count):
        tle.gpu.warp_specialize([
            (take, (out, buffer, full, ROWS, COLS)),
            (nothing, ()),
            (bring, (desc, buffer, full, ROWS, COLS)),
        ], [4, 1], [64, 64])
        desc, following = following, desc


def test_chosen_and_carried() -> None:
    kernel = compiled(carried, {"first": "tensordesc<fp16[64,64]>", "second": "tensordesc<fp16[64,64]>", "out": "*fp16", "count": "i32"},
                      {"ROWS": 64, "COLS": 64})
    check(kernel, "cp.async.bulk.tensor.2d")


# Nothing uses it ------------------------------------------------------------------------------------------------------------


@triton.jit
def unused(desc, out):
    tle.gpu.warp_specialize([(nothing, ()), (leave, (desc, )), (leave, (desc, ))], [4, 1], [64, 64])
    tl.store(out, 1.0)


def test_a_descriptor_that_nothing_uses() -> None:
    assert compiled(unused, {"desc": "tensordesc<fp16[64,64]>", "out": "*fp32"}).asm["cubin"]
