"""What stock Triton and ptxas make of explicit WGMMA: nothing moved, doubled, dropped or serialized. No GPU needed."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.errors import LoweringError
from flagtree.nvidia_backend.ptxas_remarks import WgmmaSerializedWarning

from tests.tle.language.compiling import compiled

pytestmark = [
    pytest.mark.usefixtures("fresh_cache"),
    pytest.mark.filterwarnings("error::flagtree.nvidia_backend.ptxas_remarks.WgmmaSerializedWarning"),  # but where a test asks for it
]

TO_REGISTERS = re.compile(r"ttg\.convert_layout %\S+ : tensor<\S+, #mma\d*> -> tensor<\S+, (?:#ttg\.dot_op<\{opIdx = 0, parent = )?#mma\d*\b")


def loop_of(kernel: Any) -> str:
    """The outermost scf.for of a kernel's TTGIR; the first if there are several."""
    lines = kernel.asm["ttgir"].splitlines()
    start = next(number for number, line in enumerate(lines) if "scf.for" in line)
    indent = lines[start][:len(lines[start]) - len(lines[start].lstrip())]
    end = next(number for number in range(start, len(lines)) if lines[number].startswith(f"{indent}}}"))
    return "\n".join(lines[start:end + 1])


def conversions(text: str) -> list[str]:
    """The layout conversions that pass through shared memory: all but those between accumulators and to operand A."""
    return [line for line in text.splitlines() if "ttg.convert_layout" in line and not TO_REGISTERS.search(line)]


# The loop of a matrix product --------------------------------------------------------------------------------------------


@triton.jit
def gemm(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, TA: tl.constexpr, TB: tl.constexpr, OUT: tl.constexpr,
         PENDINGS: tl.constexpr, IMPRECISE: tl.constexpr):
    sa = tle.gpu.alloc([2, BK, M] if TA else [2, M, BK], a.dtype)
    sb = tle.gpu.alloc([2, N, BK] if TB else [2, BK, N], b.dtype)
    acc = tl.zeros([M, N], OUT)
    for i in range(K):
        s = i % 2
        tle.gpu.copy(a, sa[s], [BK, M] if TA else [M, BK], [i * BK, 0] if TA else [0, i * BK])
        tle.gpu.copy(b, sb[s], [N, BK] if TB else [BK, N], [0, i * BK] if TB else [i * BK, 0])
        acc = tle.gpu.wgmma(sa[s], sb[s], acc, out_dtype=OUT, trans_a=TA, trans_b=TB, max_num_imprecise_acc=IMPRECISE)
        acc = tle.gpu.wgmma_wait(PENDINGS, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(c + m[:, None] * N + n[None, :], acc)


def build(types: tuple[str, str, str], m: int = 128, n: int = 128, k: int = 64, trans: tuple[bool, bool] = (False, True), pendings: int = 1,
          imprecise: int | None = None, num_warps: int = 4) -> Any:
    a, b, out = types
    shape_a, shape_b = (k, m) if trans[0] else (m, k), (n, k) if trans[1] else (k, n)
    dtype = {"fp32": tl.float32, "fp16": tl.float16, "i32": tl.int32}[out]
    signature = {"a": f"tensordesc<{a}{list(shape_a)}>", "b": f"tensordesc<{b}{list(shape_b)}>", "c": f"*{out}", "K": "i32"}
    constants = {"M": m, "N": n, "BK": k, "TA": trans[0], "TB": trans[1], "OUT": dtype, "PENDINGS": pendings, "IMPRECISE": imprecise}
    return compiled(gemm, signature, constants, num_warps=num_warps)


def check_loop(kernel: Any, pendings: int) -> None:
    loop = loop_of(kernel)
    assert "ttg.convert_layout" not in loop
    assert loop.count("ttng.warp_group_dot ") == 1
    assert re.findall(r"warp_group_dot_wait .*pendings = (\d)", loop) == [str(pendings)], "neither more waits nor others"
    assert "iter_args" in loop and "#mma>" in loop.splitlines()[0], "the accumulator is carried in its registers"
    assert "fence_async_shared" not in loop, "only TMA writes the buffers"


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("pendings", [0, 1])
def test_products_overlap_in_a_loop(num_warps: int, pendings: int) -> None:
    kernel = build(("fp16", "fp16", "fp32"), pendings=pendings, num_warps=num_warps)
    check_loop(kernel, pendings)
    assert "tle.wgmma_pipeline_mode = \"user_promise\"" in kernel.asm["ttgir"]
    assert f"wgmma.wait_group.sync.aligned {pendings};" in kernel.asm["ptx"]


@pytest.mark.parametrize("a, b, out, instruction", [
    ("fp16", "fp16", "fp32", "k16.f32.f16.f16"),
    ("bf16", "bf16", "fp32", "k16.f32.bf16.bf16"),
    ("fp32", "fp32", "fp32", "k8.f32.tf32.tf32"),
    ("fp8e4nv", "fp8e4nv", "fp32", "k32.f32.e4m3.e4m3"),
    ("fp8e5", "fp8e4nv", "fp32", "k32.f32.e5m2.e4m3"),
    ("i8", "i8", "i32", "k32.s32.s8.s8"),
])
def test_types(a: str, b: str, out: str, instruction: str) -> None:
    kernel = build((a, b, out))
    check_loop(kernel, 1)
    assert f"wgmma.mma_async.sync.aligned.m64n128{instruction}" in kernel.asm["ptx"]


@pytest.mark.parametrize("operand, instruction", [("fp16", "k16.f16.f16.f16"), ("fp8e5", "k32.f16.e5m2.e5m2")])
def test_halves_wait_for_themselves(operand: str, instruction: str) -> None:
    kernel = build((operand, operand, "fp16"))
    loop = loop_of(kernel)
    assert "isAsync" not in loop, "the packed registers are taken apart behind the product"
    assert "ttg.convert_layout" not in loop
    assert f"m64n128{instruction}" in kernel.asm["ptx"]


def test_sums_outside_of_the_tensor_cores() -> None:
    """Triton adds the partial sums of such a product up in front of its own wait, so that ptxas has to wait in between."""
    with pytest.warns(WgmmaSerializedWarning) as caught:
        kernel = build(("fp8e5", "fp8e5", "fp32"), imprecise=32)
    assert any(each.message.kernel == "gemm" for each in caught)
    assert "isAsync" not in loop_of(kernel)
    ptx = kernel.asm["ptx"]
    assert ptx.count("add.f32") >= 2 * 64, "two sums of 64 registers for each of the rows of warps"


@pytest.mark.parametrize("trans", [(False, False), (False, True), (True, False), (True, True)])
def test_transpositions(trans: tuple[bool, bool]) -> None:
    kernel = build(("bf16", "bf16", "fp32"), trans=trans)
    check_loop(kernel, 1)
    assert loop_of(kernel).count("ttg.memdesc_trans") == sum(trans)
    (flags, ) = set(re.findall(r"wgmma\.mma_async.* 1, 1, (\d), (\d);", kernel.asm["ptx"]))
    assert flags == (str(int(trans[0])), str(int(not trans[1])))


@pytest.mark.parametrize("m, n, num_warps, instruction", [
    (64, 8, 4, "m64n8"), (64, 16, 4, "m64n16"), (64, 32, 8, "m64n16"), (64, 64, 16, "m64n16"), (64, 256, 4, "m64n256"),
    (128, 256, 8, "m64n256"), (256, 64, 4, "m64n64"), (256, 128, 16, "m64n128"), (128, 64, 16, "m64n32"),
])
def test_tiles(m: int, n: int, num_warps: int, instruction: str) -> None:
    kernel = build(("fp16", "fp16", "fp32"), m, n, 32, num_warps=num_warps)
    assert "ttg.convert_layout" not in loop_of(kernel)
    assert f"wgmma.mma_async.sync.aligned.{instruction}k16" in kernel.asm["ptx"]


# Attention ---------------------------------------------------------------------------------------------------------------


@triton.jit
def attention(q, k, v, o, n, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Scores of the next tile run beside the second product of this one and its softmax."""
    sq = tle.gpu.alloc([M, D], tl.bfloat16)
    sk = tle.gpu.alloc([2, N, D], tl.bfloat16)
    sv = tle.gpu.alloc([2, N, D], tl.bfloat16)
    tle.gpu.copy(q, sq, [M, D], [0, 0])
    tle.gpu.copy(k, sk[0], [N, D], [0, 0])
    s = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(sq, sk[0], trans_b=True))
    high = tl.max(s, 1) * scale
    p = tl.exp2(s * scale - high[:, None])
    total = tl.sum(p, 1)
    p = p.to(tl.bfloat16)
    acc = tl.zeros([M, D], tl.float32)
    for i in range(1, n):
        slot = i % 2
        tle.gpu.copy(k, sk[slot], [N, D], [i * N, 0])
        tle.gpu.copy(v, sv[slot], [N, D], [i * N - N, 0])
        s = tle.gpu.wgmma(sq, sk[slot], trans_b=True)
        acc = tle.gpu.wgmma(p, sv[slot], acc)
        s = tle.gpu.wgmma_wait(1, s)
        higher = tl.maximum(high, tl.max(s, 1) * scale)
        alpha = tl.exp2(high - higher)
        high = higher
        p = tl.exp2(s * scale - high[:, None])
        total = total * alpha + tl.sum(p, 1)
        acc = tle.gpu.wgmma_wait(0, acc)
        acc = acc * alpha[:, None]
        p = p.to(tl.bfloat16)
    tle.gpu.copy(v, sv[0], [N, D], [n * N - N, 0])
    acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(p, sv[0], acc)) / total[:, None]
    m, d = tl.arange(0, M), tl.arange(0, D)
    tl.store(o + m[:, None] * D + d[None, :], acc.to(tl.bfloat16))


@pytest.mark.parametrize("m, n, d, num_warps", [(64, 128, 128, 4), (64, 64, 128, 4), (64, 128, 64, 4), (128, 128, 128, 8), (64, 64, 256, 4)])
def test_attention(m: int, n: int, d: int, num_warps: int) -> None:
    kernel = compiled(attention, {"q": f"tensordesc<bf16[{m}, {d}]>", "k": f"tensordesc<bf16[{n}, {d}]>", "v": f"tensordesc<bf16[{n}, {d}]>",
                                  "o": "*bf16", "n": "i32", "scale": "fp32"}, {"M": m, "N": n, "D": d}, num_warps=num_warps)
    loop = loop_of(kernel)
    assert conversions(loop) == []
    order = re.findall(r"ttng\.warp_group_dot(?:_wait)? .*?(?:pendings = \d|isAsync = true)|math\.exp2|ttg\.local_load", loop)
    names = [re.sub(r" %.*(pendings|isAsync)", r" \1", each) for each in order]
    assert names[:3] == ["ttng.warp_group_dot isAsync = true"] * 2 + ["ttng.warp_group_dot_wait pendings = 1"]
    assert names.count("ttng.warp_group_dot_wait pendings = 0") == 1
    assert "math.exp2" in names[3:names.index("ttng.warp_group_dot_wait pendings = 0")], "softmax beside the second product"
    assert "ttg.local_load" not in names and "ttg.local_store" not in loop
    assert re.search(r"wgmma\.mma_async.*\{%r\d+, ?%r\d+, ?%r\d+, ?%r\d+\}, %rd", kernel.asm["ptx"]), "P comes from registers"


# What Triton's passes must not do ----------------------------------------------------------------------------------------


@triton.jit
def twins(q, o):
    s = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(q, s, [64, 64], [0, 0])
    x = tle.gpu.wgmma(s, s)
    y = tle.gpu.wgmma(s, s)
    x = tle.gpu.wgmma_wait(1, x)
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(o + i, x)
    y = tle.gpu.wgmma_wait(0, y)
    tl.store(o + 4096 + i, y)


def test_equal_products_are_two_groups() -> None:
    """Were they one, wait(1) would leave it running."""
    kernel = compiled(twins, {"q": "tensordesc<fp16[64, 64]>", "o": "*fp32"})
    assert kernel.asm["ptx"].count("wgmma.commit_group") == 2
    assert re.findall(r"wgmma\.wait_group\.sync\.aligned (\d)", kernel.asm["ptx"]) == ["1", "0"]


@triton.jit
def released(q, o, bar_free, n):
    s = tle.gpu.alloc([2, 64, 64], tl.float16)
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(n):
        tle.gpu.copy(q, s[i % 2], [64, 64], [0, i])
        acc = tle.gpu.wgmma(s[i % 2], s[i % 2], acc)
        acc = tle.gpu.wgmma_wait(0, acc)
        tl.store(bar_free + i, i)
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(o + i, acc)


def test_a_wait_stays_in_front_of_what_follows() -> None:
    """The accumulator is only read behind the loop, but the buffer is given back in it."""
    kernel = compiled(released, {"q": "tensordesc<fp16[64, 64]>", "o": "*fp32", "bar_free": "*i32", "n": "i32"})
    loop = loop_of(kernel)
    assert loop.index("ttng.warp_group_dot ") < loop.index("ttng.warp_group_dot_wait") < loop.index("tt.store")
    ptx = kernel.asm["ptx"]
    assert ptx.index("wgmma.commit_group") < ptx.index("wgmma.wait_group") < ptx.index("st.global.b32")


@triton.jit
def scratch_beside_a_product(q, x, o):
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(q, a, [64, 64], [0, 0])
    acc = tle.gpu.wgmma(a, a)
    t = tl.sum(tl.load(x + tl.arange(0, 2048)))
    acc = tle.gpu.wgmma_wait(0, acc)
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(o + i, acc + t)


def test_memory_is_not_reused_while_a_product_reads_it() -> None:
    kernel = compiled(scratch_beside_a_product, {"q": "tensordesc<fp16[64, 64]>", "x": "*fp32", "o": "*fp32"})
    ttgir = kernel.asm["ttgir"]
    assert ttgir.index("tt.reduce") < ttgir.index("ttng.warp_group_dot_wait") < ttgir.index("ttg.local_dealloc")


@triton.jit
def from_memory(x, k, o, n):
    """Operand A is loaded from global memory in each iteration, through a buffer of Triton's own."""
    b = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(k, b, [64, 64], [0, 0])
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    acc = tl.zeros([64, 64], tl.float32)
    for j in range(n):
        acc = tle.gpu.wgmma(tl.load(x + j * 4096 + i), b, acc)
        acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(o + i, acc)


def test_operand_from_memory() -> None:
    kernel = compiled(from_memory, {"x": "*fp16", "k": "tensordesc<fp16[64, 64]>", "o": "*fp32", "n": "i32"})
    loop = loop_of(kernel)
    assert re.search(r"ttng\.warp_group_dot .*#ttg\.dot_op<\{opIdx = 0", loop)
    assert loop.splitlines()[0].count("#mma>") == 1


@triton.jit
def written_by_threads(x, o, n):
    a = tle.gpu.alloc([2, 64, 64], tl.float16)
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    acc = tl.zeros([64, 64], tl.float32)
    for j in range(n):
        a[j % 2].store(tl.load(x + j * 4096 + i))
        acc = tle.gpu.wgmma(a[j % 2], a[j % 2], acc)
        acc = tle.gpu.wgmma_wait(1, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(o + i, acc)


def test_stores_are_fenced_and_ordered() -> None:
    ptx = compiled(written_by_threads, {"x": "*fp16", "o": "*fp32", "n": "i32"}).asm["ptx"]
    store, fence, product = ptx.index("st.shared"), ptx.index("fence.proxy.async"), ptx.index("wgmma.mma_async")
    assert store < fence < ptx.index("bar.sync", fence) < product


# Modes -------------------------------------------------------------------------------------------------------------------


@triton.jit
def plain_dot(x, y, o, n, PROMISE: tl.constexpr):
    tle.gpu.alloc([64], tl.float32, nv_mma_shared_layout=False)
    if PROMISE:
        tle.gpu.alloc_barrier()
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    px, py = tl.multiple_of(x + i, [16, 16]), tl.multiple_of(y + i, [16, 16])
    acc = tl.zeros([64, 64], tl.float32)
    for _ in tl.range(n, num_stages=3):
        acc = tl.dot(tl.load(px), tl.load(py), acc)
        px += 4096
        py += 4096
    tl.store(o + i, acc)


@pytest.mark.parametrize("promise", [False, True])
def test_stock_pipelining_is_left_out_if_promised(promise: bool) -> None:
    kernel = compiled(plain_dot, {"x": "*fp16", "y": "*fp16", "o": "*fp32", "n": "i32"}, {"PROMISE": promise})
    assert ("user_promise" in kernel.asm["ttgir"]) == promise
    assert ("cp.async" in kernel.asm["ptx"]) == (not promise)
    assert ("pendings = 1" in kernel.asm["ttgir"]) == (not promise)


# Mistakes ----------------------------------------------------------------------------------------------------------------


@triton.jit
def unwaited(q, o):
    s = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.copy(q, s, [64, 64], [0, 0])
    acc = tle.gpu.wgmma(s, s)
    acc *= 2  # here
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(o + i, acc)


def test_a_mistake_at_its_line() -> None:
    with pytest.raises(LoweringError, match=r"\[W30\] uses the result of a wgmma") as raised:
        compiled(unwaited, {"q": "tensordesc<fp16[64, 64]>", "o": "*fp32"})
    lines = Path(__file__).read_text().splitlines()
    assert raised.value.file == __file__
    assert lines[raised.value.line - 1].strip() == "acc *= 2  # here"
    (note, ) = raised.value.notes
    assert lines[note.line - 1].strip() == "acc = tle.gpu.wgmma(s, s)"
