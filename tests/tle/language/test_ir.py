"""The IR the front end writes: intrinsics, their types and attributes, and how buffers travel through a kernel."""
from __future__ import annotations

import re
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree import common_ir_enabled

from tests.tle.language.compiling import calls, ttir


@triton.jit
def alloc_default(N: tl.constexpr, D: tl.constexpr):
    tle.gpu.alloc([64, N], D)


@pytest.mark.parametrize("columns, dtype, swizzle", [(64, tl.float16, 128), (32, tl.float16, 64), (16, tl.float16, 32),
                                                     (8, tl.float16, 0), (32, tl.float32, 128), (128, tl.int8, 128),
                                                     (64, tl.float8e5, 64), (16, tl.int64, 128), (64, tl.bfloat16, 128)])
def test_default_layout_follows_the_row_width(columns: int, dtype: tl.dtype, swizzle: int) -> None:
    text = ttir(alloc_default, {}, {"N": columns, "D": dtype})
    width = dtype.primitive_bitwidth
    assert (f"#shared = #ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = false, "
            f"elementBitWidth = {width}}}>") in text
    (call, ) = calls(text, "alloc")
    assert re.search(rf"!ttg.memdesc<64x{columns}x\w+, #shared, #smem, mutable>", call)


@triton.jit
def alloc_plain(S: tl.constexpr):
    tle.gpu.alloc(S, tl.float16, nv_mma_shared_layout=False)


@pytest.mark.parametrize("shape, order", [((64, ), "[0]"), ((64, 32), "[1, 0]"), ((3, 16, 8), "[2, 1, 0]"),
                                          ((2, 2, 2, 8, 8), "[4, 3, 2, 1, 0]")])
def test_plain_layout(shape: tuple[int, ...], order: str) -> None:
    text = ttir(alloc_plain, {}, {"S": shape})
    assert f"#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {order}}}>" in text


@pytest.mark.parametrize("explicit", [False, True])
def test_optional_arguments_omitted_and_none(explicit: bool) -> None:

    @triton.jit
    def kernel(x, E: tl.constexpr):
        o = tl.arange(0, 64)
        if E:
            buf = tle.gpu.alloc(shape=(64, ), dtype=tl.float16, layout=None, scope=None, init_value=None,
                                nv_mma_shared_layout=None)
            tle.gpu.copy(src=x + o, dst=buf, shape=[64], offsets=None, barrier=None, mask=None)
            p = tle.gpu.local_ptr(buffer=buf, indices=None)
            v = tle.load(pointer=p, mask=None, other=None, is_async=None) + buf.load(target_shape=None)
        else:
            buf = tle.gpu.alloc((64, ), tl.float16)
            tle.gpu.copy(x + o, buf, [64])
            p = tle.gpu.local_ptr(buf)
            v = tle.load(p) + buf.load()
        tl.store(x + o, v)

    text = ttir(kernel, {"x": "*fp16"}, {"E": explicit})
    assert len(calls(text, "alloc")) == len(calls(text, "copy")) == len(calls(text, "local_ptr")) == 1
    assert "swizzlingByteWidth = 0" in text
    assert "tt.load.async" not in text


@triton.jit
def alloc_initialized():
    v = tl.full([16, 16], 3, tl.float32)
    buf = tle.gpu.alloc([16, 16], tl.float32, init_value=v)
    buf.store(buf.load() + 1)


def test_init_value_is_stored_at_allocation() -> None:
    text = ttir(alloc_initialized, {})
    stores = calls(text, "local_store")
    if common_ir_enabled():
        assert "(tensor<16x16xf32>, !ttg.memdesc<16x16xf32" in stores.pop(0)
    else:
        assert "(tensor<16x16xf32>) -> !ttg.memdesc<16x16xf32" in calls(text, "alloc")[0]
    assert len(calls(text, "local_load")) == len(stores) == 1


@triton.jit
def ring(x, n):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([3, 64, 64], tl.float16)
    for i in range(n):
        tle.gpu.copy(x + o[:, None] * 64 + o[None, :], buf[i % 3], [64, 64])
    buf.slot(2).store(tl.zeros([64, 64], tl.float16))


def test_slots_of_a_ring_of_three() -> None:
    text = ttir(ring, {"x": "*fp16", "n": "i32"})
    dynamic, static = calls(text, "slot")
    assert "!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, i32" in dynamic
    assert dynamic.endswith("-> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>")
    assert "%c2_i32" in static
    assert "elementBitWidth = 16, rank = 3}>" in text
    assert len(re.findall(r"func private @(tle.slot|tile.subview)\.", text)) == 1


@triton.jit
def add_one(buf):
    buf.store(buf.load() + 1)
    return buf


@triton.jit
def first_of(pair):
    return pair[0]


@triton.jit
def through_helpers():
    a = tle.gpu.alloc([32, 32], tl.float16)
    b = tle.gpu.alloc([32, 32], tl.float16)
    add_one(first_of((a, b))).store(tl.zeros([32, 32], tl.float16))


def test_buffers_pass_through_helpers_and_tuples() -> None:
    text = ttir(through_helpers, {})
    first = calls(text, "alloc")[0].split(" = ")[0]
    assert [first in line for line in calls(text, "local_load")] == [True]
    assert [first in line for line in calls(text, "local_store")] == [True, True]


@triton.jit
def chosen(n):
    a = tle.gpu.alloc([32, 32], tl.float16)
    b = tle.gpu.alloc([32, 32], tl.float16)
    if n > 0:
        c = a
    else:
        c = b
    for _ in range(n):
        c.store(tl.zeros([32, 32], tl.float16))
        a, b = b, a
    while n > 1:
        n -= 1
        b = a
    a.store(b.load())


def test_buffers_pass_through_if_for_and_while() -> None:
    text = ttir(chosen, {"n": "i32"}, optimize=False)
    assert re.search(r"scf.if .* -> \(!ttg.memdesc<32x32xf16", text)
    assert re.search(r"scf.for .*iter_args\(.*!ttg.memdesc<32x32xf16, #shared, #smem, mutable>\)", text)
    assert re.search(r"scf.while .*!ttg.memdesc<32x32xf16", text)


@triton.jit
def attributes_of_a_buffer():
    buf = tle.gpu.alloc([2, 64, 32], tl.float16)
    tl.static_assert(buf.shape[0] == 2)
    tl.static_assert(buf[0].shape[1] == 32)
    tl.static_assert(buf.dtype == tl.float16)
    tl.static_assert(buf.type.storage == tle.gpu.smem)
    tl.static_assert(buf[1].type.alloc_shape[0] == 64)
    tl.static_assert(isinstance(buf.type.layout, tle.gpu.nv_mma_shared_layout))
    tl.static_assert(isinstance(buf, tle.gpu.buffered_tensor))
    for i in tl.static_range(buf.shape[0]):
        buf[i].store(tl.zeros(buf[i].shape, buf.dtype))


def test_attributes() -> None:
    assert len(calls(ttir(attributes_of_a_buffer, {}), "local_store")) == 2


@triton.jit
def read(pointers):
    return tl.load(pointers)


@triton.jit
def shared_and_global(x):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([64], tl.float16)
    tl.store(x + o, read(tle.gpu.local_ptr(buf)) + read(x + o))


def test_a_helper_is_compiled_once_for_shared_and_once_for_global_pointers() -> None:
    text = ttir(shared_and_global, {"x": "*fp16"}, optimize=False)
    assert "SPfp16S64S" in text
    assert re.search(r"read__Pfp16S64S", text)


@triton.jit
def copies(x, n):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([64, 64], tl.float16)
    p = x + o[:, None] * 64 + o[None, :]
    tle.gpu.copy(p, buf, [64, 64], mask=o[:, None] < n)
    tle.gpu.copy(buf, p, [64, 64], mask=n > 3)
    tle.gpu.copy(buf, p, [64, 64], mask=True)
    tle.gpu.copy(p, buf, [64, 64], mask=False)


def test_masks_are_broadcast() -> None:
    text = ttir(copies, {"x": "*fp16", "n": "i32"})
    into, never = calls(text, "copy")
    out, unmasked = calls(text, "copy_out")
    assert "tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xi1>) -> ()" in into
    assert "tensor<64x64xi1>" in never
    assert "(!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi1>) -> ()" in out
    assert "i1" not in unmasked


@triton.jit
def descriptor_copies(x, n, short):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(d, buf, [64, 64], [n, 64])
    tle.gpu.copy(buf, d, [64, 64], [short, n])


def test_descriptor_copies_are_tma_on_hopper() -> None:
    text = ttir(descriptor_copies, {"x": "*fp16", "n": "i32", "short": "i16"})
    assert ("(!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()"
            in calls(text, "tma_load")[0])
    assert ("(!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>, i32, i32) -> ()"
            in calls(text, "tma_store")[0])


def test_descriptor_copies_become_pointers_on_ampere() -> None:
    text = ttir(descriptor_copies, {"x": "*fp16", "n": "i32", "short": "i16"}, capability=80)
    assert not calls(text, "tma_load") and not calls(text, "tma_store")
    assert "tensordesc" not in text
    assert len(calls(text, "local_store")) == len(calls(text, "local_load")) == 1
    assert text.count("tt.load ") == text.count("tt.store ") == 1


@triton.jit
def descriptor_argument(d, n):
    buf = tle.gpu.alloc([64, 32], tl.float16)
    tle.gpu.copy(src=d, dst=buf, shape=(64, 32), offsets=(n, 0))


@pytest.mark.parametrize("capability, op", [(80, "local_store"), (90, "tma_load")])
def test_descriptors_made_on_the_host(capability: int, op: str) -> None:
    text = ttir(descriptor_argument, {"d": "tensordesc<fp16[64, 32]>", "n": "i32"}, capability=capability)
    assert len(calls(text, op)) == 1


@triton.jit
def unit_leading_block(x, n):
    d = tl.make_tensor_descriptor(x, [n, n, n], [n, n, 1], [1, 64, 64])
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(d, buf, [64, 64], [n, 0, 0])
    tle.gpu.copy(buf, d, [64, 64], [n, 0, 0])


@pytest.mark.parametrize("capability", [80, 90])
def test_descriptor_blocks_may_have_leading_units(capability: int) -> None:
    text = ttir(unit_leading_block, {"x": "*fp16", "n": "i32"}, capability=capability)
    assert (len(calls(text, "tma_load")), len(calls(text, "local_store"))) == ((1, 0) if capability == 90 else (0, 1))


@triton.jit
def pointers(x, n):
    o = tl.arange(0, 32)
    buf = tle.gpu.alloc([2, 32], tl.int32)
    one = tle.gpu.local_ptr(buf, (1, n))
    tl.atomic_add(one, 1)
    some = tle.gpu.local_ptr(buf, [o * 0, o])
    tl.store(some, tl.load(tle.gpu.local_ptr(buf, indices=(o * 0 + 1, o)), mask=o < n, other=7), mask=o < n)
    tl.store(x + o, tl.load(tle.gpu.local_ptr(buf[0])))


def test_local_pointers() -> None:
    text = ttir(pointers, {"x": "*i32", "n": "i32"})
    one, scattered, gathered, whole = calls(text, "local_ptr")
    assert "i32, i32) -> !tt.ptr<i32>" in one
    assert "tensor<32xi32>, tensor<32xi32>) -> tensor<32x!tt.ptr<i32>>" in gathered
    assert "tensor<32xi32>, tensor<32xi32>) -> tensor<32x!tt.ptr<i32>>" in scattered
    assert whole.endswith("(!ttg.memdesc<32xi32, #shared1, #smem, mutable>) -> tensor<32x!tt.ptr<i32>>")


@triton.jit
def asynchronous(x, n):
    o = tl.arange(0, 64)
    v = tle.load(x + o, mask=o < n, other=0.0, is_async=True)
    w = tle.load(x + o, cache_modifier=".cg", eviction_policy="evict_last", is_async=False)
    tl.store(x + o, tle.gpu.memory_space(v, tle.gpu.smem) + tle.gpu.storage_kind(w, "smem"))


def test_load_and_memory_space() -> None:
    text = ttir(asynchronous, {"x": "*fp16", "n": "i32"})
    loads = [line for line in text.splitlines() if "tt.load " in line]
    assert ["tt.load.async = true" in line for line in loads] == [True, False]
    assert "cacheModifier = cg" in loads[1] and "evict_last" in loads[1]
    assert ['tle.space = "smem"' in line for line in calls(text, "memory_space")] == [True, True]


@triton.jit
def pipelined(x, n):
    o = tl.arange(0, 64)
    for i in tle.gpu.pipeline(0, n, 2, num_stages=3, loop_unroll_factor=2):
        tl.store(x + o + i, 0.0)


@triton.jit
def plain_range(x, n):
    o = tl.arange(0, 64)
    for i in tl.range(0, n, 2, num_stages=3, loop_unroll_factor=2):
        tl.store(x + o + i, 0.0)


def test_pipeline_is_tl_range() -> None:
    signature = {"x": "*fp16", "n": "i32"}
    assert tle.gpu.pipeline is tl.range
    assert ttir(pipelined, signature).replace("pipelined", "plain_range") == ttir(plain_range, signature)


@triton.jit
def explicit_layouts():
    L: tl.constexpr = tle.gpu.nv_mma_shared_layout.make_default([64, 32], tl.float16)
    a = tle.gpu.alloc([64, 32], tl.float16, layout=L)
    b = tle.gpu.alloc([32, 64], tl.float16, layout=L.make_permute((1, 0)))
    c = tle.gpu.alloc([64, 32], tl.float16, tle.gpu.swizzled_shared_layout(8, 1, 4, [1, 0], [1, 1], [1, 1], [1, 1], [1, 0]))
    a.store(c.load() + tl.trans(b.load()))


def test_explicit_layouts() -> None:
    text = ttir(explicit_layouts, {})
    assert "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>" in text
    assert "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>" in text
    assert "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>" in text


@triton.jit
def no_tle(x):
    tl.store(x, 1.0)


def test_only_kernels_with_intrinsics_are_marked() -> None:
    assert "tle." not in ttir(no_tle, {"x": "*fp16"})
    assert "tle.used = 1 : i32" in ttir(alloc_initialized, {})


def test_locations_are_the_users() -> None:
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    from tests.tle.language.compiling import source
    target = GPUTarget("cuda", 90, 32)
    backend: Any = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    text = str(source(alloc_initialized, {}).make_ir(target, options, backend.get_codegen_implementation(options), {}, context))
    line = next(number for number, line in enumerate(open(__file__), 1) if "init_value=v)" in line)
    assert f'test_ir.py":{line}:' in text
