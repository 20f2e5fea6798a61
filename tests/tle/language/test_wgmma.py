"""WGMMA: what is refused, with the legal set in the text, and the IR of what is not."""
from __future__ import annotations

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.tle.language.cases import Case, Cases
from tests.tle.language.compiling import calls, ttir

CASES = Cases()
breaks = CASES.breaks

# --- rules -----------------------------------------------------------------------------------------------------------


@breaks("I14", "wgmma needs a Hopper GPU (sm_90), but the kernel is compiled for sm_80", capability=80)
def product_on_ampere():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a)  # <-


@breaks("I14", "sm_100", capability=100)
def product_on_blackwell():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a)  # <-


@breaks("W1", "wgmma a must be a shared-memory buffered_tensor or a tl.tensor, but got 1.0 (float)")
def a_float():
    b = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(1.0, b)  # <-


@breaks("W1", "but got a descriptor of blocks of shape (64, 64) and type fp16")
def a_descriptor(x, n):
    b = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.wgmma(d, b)  # <-


@breaks("W2", "wgmma b must be a shared-memory buffered_tensor, but got a tensor of shape (64, 64) and type fp16")
def b_tensor():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, tl.zeros([64, 64], tl.float16))  # <-


@breaks("W2", "but got None")
def b_none():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, None)  # <-


@breaks("W3", "wgmma b must have rank 2, but has shape (2, 64, 64)")
def b_ring():
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([2, 64, 64], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W3", "wgmma a must have rank 2, but has shape ()")
def a_scalar(n):
    b = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(n, b)  # <-


@breaks("W4", "wgmma b (buffer of shape (64, 64)) has a swizzled_shared_layout, but must use an nv_mma_shared_layout with a swizzle")
def b_plain():
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16, nv_mma_shared_layout=False)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W4", "wgmma a (buffer of shape (64, 64)) has no swizzle (swizzled=False)")
def a_without_swizzle():
    ONES: tl.constexpr = (1, 1)
    ORDER: tl.constexpr = (1, 0)
    a = tle.gpu.alloc([64, 64], tl.float16, tle.gpu.nv_mma_shared_layout([64, 64], ORDER, tl.float16, ONES, ONES, ORDER, False, False))
    tle.gpu.wgmma(a, a)  # <-


@breaks("W4", "wgmma b (buffer of shape (64, 8)) has no swizzle (rows of 16 bytes)")
def b_with_narrow_rows():
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 8], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W5", "no instruction for operands of type fp16 and bf16. Allowed are two of fp16, two of bf16, two of fp32 (as tf32), two of int8")
def two_types():
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.bfloat16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W5", "operands of type fp64 and fp64")
def fp64_operands():
    a = tle.gpu.alloc([64, 64], tl.float64)
    tle.gpu.wgmma(a, a)  # <-


@breaks("W5", "operands of type uint8 and uint8")
def uint8_operands():
    a = tle.gpu.alloc([64, 64], tl.uint8)
    tle.gpu.wgmma(a, a, trans_b=True)  # <-


@breaks("W5", "operands of type int8 and fp8e5")
def int8_and_fp8():
    a = tle.gpu.alloc([64, 64], tl.int8)
    b = tle.gpu.alloc([64, 64], tl.float8e5)
    tle.gpu.wgmma(a, b, trans_b=True)  # <-


@breaks("W6", "wgmma shape mismatch: a is (64, 32) (trans_a=False), b is (64, 128) (trans_b=False), so K is 32 in a and 64 in b")
def k_mismatch():
    a = tle.gpu.alloc([64, 32], tl.float16)
    b = tle.gpu.alloc([64, 128], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W6", "so K is 64 in a and 128 in b")
def k_mismatch_transposed():
    a = tle.gpu.alloc([64, 64], tl.float16)
    b = tle.gpu.alloc([64, 128], tl.float16)
    tle.gpu.wgmma(a, b, trans_b=True)  # <-


@breaks("W7", "wgmma result M dimension must be a multiple of 64, but is 32")
def m_too_small():
    a = tle.gpu.alloc([32, 64], tl.float16)
    b = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W7", "multiple of 64, but is 16")
def m_too_small_in_registers():
    b = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(tl.zeros([16, 64], tl.float16), b)  # <-


@breaks("W8", "must be a power of two from 8 to 256 (8, 16, 32, 64, 128, 256), but is 512")
def n_too_large():
    a = tle.gpu.alloc([64, 32], tl.float16)
    b = tle.gpu.alloc([32, 512], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W8", "but is 4")
def n_too_small():
    a = tle.gpu.alloc([64, 32], tl.float16)
    b = tle.gpu.alloc([32, 4], tl.float16)
    tle.gpu.wgmma(a, b)  # <-


@breaks("W9", "wgmma K dimension must be a multiple of 16 for type fp16, but is 8")
def k_too_small():
    a = tle.gpu.alloc([8, 64], tl.float16)
    b = tle.gpu.alloc([8, 64], tl.float16)
    tle.gpu.wgmma(a, b, trans_a=True)  # <-


@breaks("W9", "multiple of 32 for type int8, but is 16")
def k_too_small_for_int8():
    b = tle.gpu.alloc([16, 64], tl.int8)
    tle.gpu.wgmma(tl.zeros([64, 16], tl.int8), b)  # <-


@breaks("W10", "wgmma trans_a must be a compile-time bool, but got 1 (int)")
def trans_a_int():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, trans_a=1)  # <-


@breaks("W10", "wgmma trans_b must be a compile-time bool, but got a scalar of type int1")
def trans_b_at_run_time(n):
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, trans_b=n > 0)  # <-


@breaks("W11", "wgmma b of type int8 must have K contiguous in shared memory: the hardware transposes elements of 16 bits only. "
        "Give an N x K buffer with trans_b=True")
def int8_b_row_major():
    a = tle.gpu.alloc([64, 64], tl.int8)
    tle.gpu.wgmma(a, a)  # <-


@breaks("W11", "wgmma b of type fp8e4nv")
def fp8_b_row_major():
    b = tle.gpu.alloc([64, 64], tl.float8e4nv)
    tle.gpu.wgmma(tl.zeros([64, 64], tl.float8e5), b)  # <-


@breaks("W11", "wgmma a of type fp32 must have K contiguous in shared memory")
def fp32_a_transposed():
    a = tle.gpu.alloc([64, 64], tl.float32)
    tle.gpu.wgmma(a, a, trans_a=True, trans_b=True)  # <-


@breaks("W12", "wgmma acc must be a tl.tensor of shape (64, 64) and type fp32 or None, but got 0.0 (float)")
def acc_float():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, 0.0)  # <-


@breaks("W12", "but got a tensor of shape (64, 32) and type fp32")
def acc_shape():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, tl.zeros([64, 32], tl.float32))  # <-


@breaks("W12", "shape (64, 64) and type int32 or None, but got a tensor of shape (64, 64) and type fp32")
def acc_dtype():
    a = tle.gpu.alloc([64, 64], tl.int8)
    tle.gpu.wgmma(a, a, tl.zeros([64, 64], tl.float32), trans_b=True)  # <-


@breaks("W13", "wgmma out_dtype of operands of type bf16 must be tl.float32, but got bf16")
def bf16_result():
    a = tle.gpu.alloc([64, 64], tl.bfloat16)
    tle.gpu.wgmma(a, a, out_dtype=tl.bfloat16)  # <-


@breaks("W13", "operands of type fp16 must be tl.float32 or tl.float16, but got int32")
def int_result():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, out_dtype=tl.int32)  # <-


@breaks("W13", "operands of type int8 must be tl.int32, but got fp16")
def float_result_of_int8():
    a = tle.gpu.alloc([64, 64], tl.int8)
    tle.gpu.wgmma(a, a, out_dtype=tl.float16, trans_b=True)  # <-


@breaks("W13", "but got 'fp32' (str)")
def result_of_another_kind():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, out_dtype="fp32")  # <-


@breaks("W14", "must be a compile-time integer of at least 32 and is for fp8 operands with an fp32 result only, but got 31 (int)")
def imprecise_below_the_least():
    a = tle.gpu.alloc([64, 64], tl.float8e5)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=31, trans_b=True)  # <-


@breaks("W14", "but got 0 (int) for operands of type fp8e4nv and a result of type fp32")
def imprecise_zero():
    a = tle.gpu.alloc([64, 64], tl.float8e4nv)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=0, trans_b=True)  # <-


@breaks("W14", "but got 16 (int)")
def imprecise_sixteen():
    a = tle.gpu.alloc([64, 64], tl.float8e4nv)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=16, trans_b=True)  # <-


@breaks("W14", "but got 64 (int) for operands of type fp16 and a result of type fp32")
def imprecise_of_fp16():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=64)  # <-


@breaks("W14", "but got 64 (int) for operands of type fp8e5 and a result of type fp16")
def imprecise_to_fp16():
    a = tle.gpu.alloc([64, 64], tl.float8e5)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=64, out_dtype=tl.float16, trans_b=True)  # <-


@breaks("W14", "but got a scalar of type int32")
def imprecise_at_run_time(n):
    a = tle.gpu.alloc([64, 64], tl.float8e5)
    tle.gpu.wgmma(a, a, max_num_imprecise_acc=n, trans_b=True)  # <-


@breaks("W15", "wgmma input_precision of operands of type fp32 must be 'tf32', but is 'ieee' (str)")
def ieee_fp32():
    a = tle.gpu.alloc([64, 64], tl.float32)
    tle.gpu.wgmma(a, a, input_precision="ieee", trans_b=True)  # <-


@breaks("W15", "operands of type fp16 must be 'tf32' or 'ieee', but is a scalar of type int32")
def precision_at_run_time(n):
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, input_precision=n)  # <-


@breaks("W15", "operands of type fp16 must be 'tf32' or 'ieee', but is 'tf32x3' (str)")
def precision_of_several_products():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a, input_precision="tf32x3")  # <-


@breaks("W16", "wgmma_wait pendings must be a compile-time integer from 0 to 7, but got 8 (int)")
def wait_for_too_few():
    a = tle.gpu.alloc([64, 64], tl.float16)
    acc = tle.gpu.wgmma(a, a)
    tle.gpu.wgmma_wait(8, acc)  # <-


@breaks("W16", "but got -1 (int)")
def wait_for_negative():
    a = tle.gpu.alloc([64, 64], tl.float16)
    acc = tle.gpu.wgmma(a, a)
    tle.gpu.wgmma_wait(-1, acc)  # <-


@breaks("W16", "but got a scalar of type int32")
def wait_at_run_time(n):
    a = tle.gpu.alloc([64, 64], tl.float16)
    acc = tle.gpu.wgmma(a, a)
    tle.gpu.wgmma_wait(n, acc)  # <-


@breaks("W17", "wgmma_wait acc must be a tl.tensor that wgmma made, but got None")
def wait_for_nothing():
    tle.gpu.wgmma_wait(0)  # <-


@breaks("W17", "but got buffered_tensor<64x64xfp16, share_memory>")
def wait_for_a_buffer():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma_wait(0, a)  # <-


@breaks("W17", "but got a scalar of type int32")
def wait_for_a_scalar(n):
    tle.gpu.wgmma_wait(n)  # <-


@breaks("W18", "wgmma is carried out by warp groups of 4 warps, but this code runs with 2", num_warps=2)
def half_a_warp_group():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a)  # <-


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_compiled()


# --- IR --------------------------------------------------------------------------------------------------------------


@triton.jit
def product(M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, A: tl.constexpr, B: tl.constexpr, TA: tl.constexpr, TB: tl.constexpr,
            OUT: tl.constexpr, IMPRECISE: tl.constexpr):
    a = tle.gpu.alloc([K, M] if TA else [M, K], A)
    b = tle.gpu.alloc([N, K] if TB else [K, N], B)
    acc = tle.gpu.wgmma(a, b, None, None, IMPRECISE, OUT, trans_a=TA, trans_b=TB)
    tle.gpu.wgmma_wait(acc)


def emitted(m: int, n: int, k: int, a: tl.dtype, b: tl.dtype | None = None, trans_a: bool = False, trans_b: bool = False,
            out: tl.dtype | None = None, imprecise: int | None = None) -> str:
    """The call of tle.wgmma."""
    (line, ) = calls(ttir(product, {}, {"M": m, "N": n, "K": k, "A": a, "B": b or a, "TA": trans_a, "TB": trans_b,
                                        "OUT": out, "IMPRECISE": imprecise}), "wgmma")
    return line


@pytest.mark.parametrize("m, n, k", [(64, 256, 16), (64, 16, 64), (128, 128, 64), (256, 64, 256), (512, 32, 32)])
@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
def test_shapes_of_16_bits(m: int, n: int, k: int, trans_a: bool, trans_b: bool) -> None:
    line = emitted(m, n, k, tl.bfloat16, trans_a=trans_a, trans_b=trans_b)
    a, b = f"{k}x{m}" if trans_a else f"{m}x{k}", f"{n}x{k}" if trans_b else f"{k}x{n}"
    assert f"(!ttg.memdesc<{a}xbf16, #shared" in line and f", !ttg.memdesc<{b}xbf16, #shared" in line
    assert line.endswith(f" -> tensor<{m}x{n}xf32>")
    assert f"tle.trans_a = {str(trans_a).lower()}, tle.trans_b = {str(trans_b).lower()}}}" in line


def test_the_narrowest_result() -> None:
    assert emitted(64, 8, 16, tl.float16, trans_b=True).endswith("-> tensor<64x8xf32>")
    assert emitted(64, 8, 32, tl.int8, trans_b=True).endswith("-> tensor<64x8xi32>")
    assert emitted(64, 8, 8, tl.float32, trans_b=True).endswith("-> tensor<64x8xf32>")


@pytest.mark.parametrize("a, b, out, result", [
    (tl.float16, tl.float16, tl.float16, "f16"), (tl.float16, tl.float16, tl.float32, "f32"), (tl.float16, tl.float16, None, "f32"),
    (tl.bfloat16, tl.bfloat16, tl.float32, "f32"), (tl.float32, tl.float32, tl.float32, "f32"), (tl.int8, tl.int8, tl.float32, "i32"),
    (tl.int8, tl.int8, tl.int32, "i32"), (tl.float8e4nv, tl.float8e4nv, tl.float32, "f32"), (tl.float8e4nv, tl.float8e5, tl.float32, "f32"),
    (tl.float8e5, tl.float8e4nv, tl.float16, "f16"), (tl.float8e5, tl.float8e5, None, "f32")], ids=str)
def test_types(a: tl.dtype, b: tl.dtype, out: tl.dtype | None, result: str) -> None:
    assert emitted(64, 32, 64, a, b, trans_b=True, out=out).endswith(f" -> tensor<64x32x{result}>")


@pytest.mark.parametrize("imprecise, number", [(None, 2**30), (32, 32), (64, 64), (128, 128), (2**30, 2**30)])
def test_imprecise_additions_of_fp8(imprecise: int | None, number: int) -> None:
    """K is 64: a number above it is allowed, and means all additions."""
    assert f"tle.max_num_imprecise_acc = {number} : i32" in emitted(64, 32, 64, tl.float8e5, trans_b=True, imprecise=imprecise)
    assert "tle.max_num_imprecise_acc = 0 : i32" in emitted(64, 32, 64, tl.float8e5, trans_b=True, out=tl.float16)
    assert "tle.max_num_imprecise_acc = 0 : i32" in emitted(64, 32, 64, tl.float16)


@triton.jit
def precision(P: tl.constexpr, D: tl.constexpr):
    a = tle.gpu.alloc([64, 64], D)
    tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, a, input_precision=P, trans_b=True))


@pytest.mark.parametrize("given, dtype, number", [(None, tl.float32, 0), ("tf32", tl.float32, 0), (None, tl.float16, 0), ("ieee", tl.float16, 2)])
def test_input_precision(given: str | None, dtype: tl.dtype, number: int) -> None:
    (line, ) = calls(ttir(precision, {}, {"P": given, "D": dtype}), "wgmma")
    assert f"tle.input_precision = {number} : i32" in line


def test_a_default_precision_that_the_hardware_has_not_is_refused() -> None:
    with pytest.raises(triton.CompilationError, match=r"\[W15\] .* must be 'tf32', but is 'ieee'"):
        ttir(precision, {}, {"P": None, "D": tl.float32}, default_dot_input_precision="ieee")
    assert "tle.input_precision = 2" in ttir(precision, {}, {"P": None, "D": tl.float16}, default_dot_input_precision="ieee")


@triton.jit
def transposed_layouts(D: tl.constexpr):
    ONES: tl.constexpr = (1, 1)
    COLUMNS: tl.constexpr = (0, 1)
    b = tle.gpu.alloc([64, 32], D, tle.gpu.nv_mma_shared_layout([64, 32], COLUMNS, D, ONES, ONES, COLUMNS, False, True))
    a = tle.gpu.alloc([64, 128], D, tle.gpu.nv_mma_shared_layout([64, 128], COLUMNS, D, ONES, ONES, COLUMNS, False, True))
    tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b, trans_a=True))


def test_a_column_major_buffer_has_k_contiguous() -> None:
    (line, ) = calls(ttir(transposed_layouts, {}, {"D": tl.int8}), "wgmma")
    assert line.endswith("-> tensor<128x32xi32>")


@triton.jit
def register_operand(x, D: tl.constexpr, T: tl.constexpr):
    o = tl.arange(0, 64)
    a = tl.load(x + o[:, None] * 64 + o[None, :]).to(D)
    b = tle.gpu.alloc([64, 64], D)
    acc = tl.zeros([64, 64], tl.int32 if D == tl.int8 else tl.float32)
    acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b, acc, trans_a=T, trans_b=True))
    tl.store(x + o[:, None] * 64 + o[None, :], acc.to(tl.float16))


@pytest.mark.parametrize("dtype, name", [(tl.float16, "f16"), (tl.bfloat16, "bf16"), (tl.float32, "f32"), (tl.int8, "i8"), (tl.float8e5, "f8E5M2")])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_in_registers(dtype: tl.dtype, name: str, transposed: bool) -> None:
    text = ttir(register_operand, {"x": "*fp16"}, {"D": dtype, "T": transposed})
    (line, ) = calls(text, "wgmma")
    assert f"(tensor<64x64x{name}>, !ttg.memdesc<64x64x{name}, " in line
    assert "tle.trans_a = false" in line
    assert ("tt.trans" in text) == transposed


@triton.jit
def two_in_flight(n, x):
    o = tl.arange(0, 64)
    a = tle.gpu.alloc([2, 64, 64], tl.float16)
    b = tle.gpu.alloc([2, 64, 64], tl.float16)
    first = tl.zeros([64, 64], tl.float32)
    second = tl.zeros([64, 64], tl.float32)
    for i in range(n):
        first = tle.gpu.wgmma(a[i % 2], b[0], first)
        second = tle.gpu.wgmma(a[i % 2], b[1], second)
        first = tle.gpu.wgmma_wait(1, first)
        second = tle.gpu.wgmma_wait(pendings=0, acc=second)
    tl.store(x + o[:, None] * 64 + o[None, :], (first + second).to(tl.float16))


def test_several_accumulators_are_carried_by_a_loop() -> None:
    text = ttir(two_in_flight, {"n": "i32", "x": "*fp16"})
    assert len(calls(text, "wgmma")) == 2
    assert ["tle.pendings = 1" in line for line in calls(text, "wgmma_wait")] == [True, False]
    assert 'tle.wgmma_pipeline_mode = "user_promise"' in text


@triton.jit
def started():
    a = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(a, a)


def test_a_product_alone_promises_nothing() -> None:
    assert "tle.wgmma_pipeline_mode" not in ttir(started, {})
