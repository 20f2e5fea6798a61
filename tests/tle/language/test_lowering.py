"""From the language to machine code, for both generations of GPUs: what compiles, and what is refused with a rule."""
from __future__ import annotations

import re
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree import common_ir_enabled
from flagtree.nvidia_backend.errors import LoweringError

from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")

BOTH = pytest.mark.parametrize("capability", [80, 90])


@triton.jit
def store_and_load(x, S: tl.constexpr, N: tl.constexpr, D: tl.constexpr, NVMMA: tl.constexpr):
    o = tl.arange(0, N)
    buf = tle.gpu.alloc(S, D, nv_mma_shared_layout=NVMMA)
    buf.store(tl.reshape(tl.load(x + o).to(D), S))
    tl.store(x + o, tl.reshape(buf.load(), [N]).to(tl.float32))


@BOTH
@pytest.mark.parametrize("nvmma", [True, False])
@pytest.mark.parametrize("shape", [(1, ), (64, ), (4096, ), (8, 8), (64, 1), (1, 64), (128, 32), (4, 8, 16), (2, 2, 4, 8), (2, 2, 2, 4, 8)])
def test_shapes(shape: tuple[int, ...], nvmma: bool, capability: int) -> None:
    size = 1
    for extent in shape:
        size *= extent
    kernel = compiled(store_and_load, {"x": "*fp32"}, {"S": shape, "N": size, "D": tl.float16, "NVMMA": nvmma}, capability)
    assert kernel.metadata.shared >= 2 * size


@BOTH
@pytest.mark.parametrize("dtype", [tl.int8, tl.uint8, tl.int16, tl.uint16, tl.int32, tl.uint32, tl.int64, tl.uint64, tl.float16,
                                   tl.bfloat16, tl.float32, tl.float64, tl.float8e5], ids=str)
def test_dtypes(dtype: tl.dtype, capability: int) -> None:
    kernel = compiled(store_and_load, {"x": "*fp32"}, {"S": (32, 32), "N": 1024, "D": dtype, "NVMMA": True}, capability)
    assert kernel.metadata.shared >= 1024 * dtype.primitive_bitwidth // 8


@triton.jit
def ring(x, y, n, STAGES: tl.constexpr):
    o = tl.arange(0, 64)
    tile = o[:, None] * 64 + o[None, :]
    buf = tle.gpu.alloc([STAGES, 64, 64], tl.float16)
    for i in range(n):
        tle.gpu.copy(x + tile + i * 4096, buf[i % STAGES], [64, 64], mask=tile < n)
        tle.gpu.copy(buf.slot(i % STAGES), y + tile + i * 4096, [64, 64], mask=tile < n)


@BOTH
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_rings(stages: int, capability: int) -> None:
    kernel = compiled(ring, {"x": "*fp16", "y": "*fp16", "n": "i32"}, {"STAGES": stages}, capability)
    assert kernel.metadata.shared == stages * 64 * 64 * 2


@triton.jit
def product(a, b, c, K, T: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr):
    o = tl.arange(0, T)
    k = tl.arange(0, 64)
    a_tile = a + o[:, None] * K + k[None, :]
    b_tile = b + k[:, None] * T + o[None, :]
    a_smem = tle.gpu.alloc([T, 64], D)
    b_smem = tle.gpu.alloc([64, T], D)
    acc = tl.zeros([T, T], tl.float32)
    for _ in tle.gpu.pipeline(0, K, 64, num_stages=STAGES):
        tle.gpu.copy(a_tile, a_smem, [T, 64])
        tle.gpu.copy(b_tile, b_smem, [64, T])
        acc = tl.dot(a_smem.load(), b_smem.load(), acc)
        a_tile += 64
        b_tile += 64 * T
    tl.store(c + o[:, None] * T + o[None, :], acc)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("name, dtype", [("fp16", tl.float16), ("bf16", tl.bfloat16)])
def test_dot_reads_wgmma_operands_where_they_are(name: str, dtype: tl.dtype, stages: int) -> None:
    signature = {"a": f"*{name}", "b": f"*{name}", "c": "*fp32", "K": "i32"}
    hopper = compiled(product, signature, {"T": 128, "D": dtype, "STAGES": stages}, 90)
    assert "wgmma.mma_async" in hopper.asm["ptx"]
    loop = hopper.asm["ttgir"][hopper.asm["ttgir"].index("scf.for"):hopper.asm["ttgir"].index("scf.yield")]
    assert "ttng.warp_group_dot" in loop and "ttg.local_load" not in loop
    ampere = compiled(product, signature, {"T": 64, "D": dtype, "STAGES": stages}, 80)
    assert "mma.sync" in ampere.asm["ptx"] and "wgmma" not in ampere.asm["ptx"]


@triton.jit
def through_tma(x, y, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    e = tl.make_tensor_descriptor(y, [n, n], [n, 1], [64, 64])
    buf = tle.gpu.alloc([64, 64], tl.float16)
    for i in range(0, n, 64):
        tle.gpu.copy(d, buf, [64, 64], [i, 0])
        tle.gpu.copy(buf, e, [64, 64], [0, i])


@BOTH
def test_descriptors(capability: int) -> None:
    ptx = compiled(through_tma, {"x": "*fp16", "y": "*fp16", "n": "i32"}, None, capability).asm["ptx"]
    assert ("cp.async.bulk.tensor.2d.shared" in ptx) == ("cp.async.bulk.tensor.2d.global" in ptx) == (capability == 90)


@triton.jit
def shared_histogram(x, y, n):
    o = tl.arange(0, 128)
    bins = tle.gpu.alloc([256], tl.int32, init_value=tl.zeros([256], tl.int32))
    tl.atomic_add(tle.gpu.local_ptr(bins, (tl.load(x + o, mask=o < n, other=0) & 255, )), 1, mask=o < n)
    b = tl.arange(0, 256)
    tl.store(y + b, tl.load(tle.gpu.local_ptr(bins)))


@BOTH
def test_atomics_stay_in_shared_memory(capability: int) -> None:
    ptx = compiled(shared_histogram, {"x": "*i32", "y": "*i32", "n": "i32"}, None, capability).asm["ptx"]
    assert re.search(r"(atom|red)\S*\.shared|(atom|red)\.shared", ptx)
    assert not re.search(r"(atom|red)\.\S*global", ptx)


@triton.jit
def gathered(x, n):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([3, 64], tl.float32)
    tl.store(tle.gpu.local_ptr(buf, (o % 3, o)), tl.load(x + o), mask=o < n)
    v = tl.load(tle.gpu.local_ptr(buf, (o % 3, 63 - o)), mask=o < n, other=-1.0)
    tl.store(tle.gpu.local_ptr(buf, (0, n)), 2.0)
    tl.store(x + o, v + tl.load(tle.gpu.local_ptr(buf, (0, n))))


@BOTH
def test_pointers_with_masks(capability: int) -> None:
    ptx = compiled(gathered, {"x": "*fp32", "n": "i32"}, None, capability).asm["ptx"]
    assert "ld.shared" in ptx and "st.shared" in ptx
    assert ptx.count("ld.global") == ptx.count("st.global") >= 1


@triton.jit
def asynchronous(x, y, n):
    o = tl.arange(0, 1024)
    v = tle.load(x + o, mask=o < n, other=0.0, is_async=True)
    tl.store(y + o, v + 1)


@BOTH
def test_asynchronous_load(capability: int) -> None:
    kernel = compiled(asynchronous, {"x": "*fp32", "y": "*fp32", "n": "i32"}, None, capability)
    assert "cp.async.ca.shared" in kernel.asm["ptx"]


@triton.jit
def chosen_by_if(x, n):
    o = tl.arange(0, 64)
    a = tle.gpu.alloc([64], tl.float16)
    b = tle.gpu.alloc([64], tl.float16)
    if n > 0:  # refused
        a = b
    a.store(tl.load(x + o))  # refused
    tl.store(x + o, b.load())


@triton.jit
def stage_chosen_by_if(x, n):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([2, 64], tl.float16)
    if n > 0:  # refused
        stage = buf[0]
    else:
        stage = buf[1]
    stage.store(tl.load(x + o))
    tl.store(x + o, stage.load())


@triton.jit
def pointer_arithmetic(x, n):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([64], tl.float16)
    tl.store(x + o, tl.load(tle.gpu.local_ptr(buf, (n, )) + o))  # refused


@triton.jit
def initialized_ring(x, n):
    o = tl.arange(0, 64)
    zeros = tl.zeros([4, 64], tl.float16)
    buf = tle.gpu.alloc([4, 64], tl.float16, init_value=zeros)  # refused
    tl.store(x + o, buf[n].load())


@BOTH
@pytest.mark.parametrize("kernel, rule, common_ir_rule", [(chosen_by_if, "A25", "T35"), (stage_chosen_by_if, "A25", "A25"),
                                                          (pointer_arithmetic, "L30", "L30"), (initialized_ring, "A25", "T45")],
                         ids=lambda value: getattr(value, "__name__", value))
def test_refused_by_the_core(kernel: Any, rule: str, common_ir_rule: str, capability: int) -> None:
    with pytest.raises(LoweringError) as caught:
        compiled(kernel, {"x": "*fp16", "n": "i32"}, None, capability)
    first, second, *_ = str(caught.value).splitlines()
    expected = common_ir_rule if common_ir_enabled() else rule
    assert first.startswith(f"{caught.value.file}:{caught.value.line}: [{expected}] ")
    assert second.endswith("# refused")


@triton.jit
def swapped(x, n):
    o = tl.arange(0, 64)
    a = tle.gpu.alloc([64], tl.float16)
    b = tle.gpu.alloc([64], tl.float16)
    a.store(tl.load(x + o))
    b.store(tl.load(x + o + 64))
    for i in range(n):
        tl.store(x + o + i * 64, a.load())
        a, b = b, a
    while n > 3:
        n -= 1
        b = a
    tl.store(x + o, b.load())


@BOTH
def test_loops_carry_buffers(capability: int) -> None:
    assert compiled(swapped, {"x": "*fp16", "n": "i32"}, None, capability).metadata.shared == 256


@triton.jit
def scalars(x, y, T: tl.constexpr):
    buf = tle.gpu.alloc([64], T, init_value=tl.full([64], 1.0, tl.float32).to(T))
    tl.store(tle.gpu.local_ptr(buf, (3, )), tl.load(x).to(T))
    tl.store(y + tl.arange(0, 64), buf.load())


@pytest.mark.parametrize("name, dtype", [("fp8e5", tl.float8e5), ("fp8e4nv", tl.float8e4nv), ("fp16", tl.float16), ("bf16", tl.bfloat16),
                                         ("fp64", tl.float64), ("i8", tl.int8), ("u64", tl.uint64)])
def test_scalars_are_cast(name: str, dtype: tl.dtype) -> None:
    """The last test, since a process of stock Triton that has converted to fp8e5 for sm_90 does so for sm_80 by instructions of sm_89."""
    assert compiled(scalars, {"x": "*fp32", "y": f"*{name}"}, {"T": dtype}).asm["cubin"]
