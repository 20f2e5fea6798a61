"""tle.gpu.wgmma and wgmma_wait: products of a warp group that run beside the program, one group each, first in first out."""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, is_int, unwrap
from .errors import (WgmmaATypeError, WgmmaAccError, WgmmaBTypeError, WgmmaDtypeError, WgmmaFlagTypeError, WgmmaImpreciseError,
                     WgmmaKError, WgmmaLayoutError, WgmmaMajorError, WgmmaMError, WgmmaNError, WgmmaOutDtypeError, WgmmaPrecisionError,
                     WgmmaRankError, WgmmaShapeError, WgmmaWaitAccError, WgmmaWaitPendingsError, WgmmaWarpsError)
from .layouts import nv_mma_shared_layout
from .target import partition_num_warps, require_hopper
from .types import block_shape, buffered_tensor

_FP8 = (tl.float8e4nv, tl.float8e5)
_LARGEST_N = 256
_K_BITS = 256  # of a row of A that one instruction takes
_MOST_PENDING = 7  # PTX ISA, wgmma.wait_group
_LEAST_IMPRECISE = 32


@builtin
def wgmma(a: Any, b: Any, acc: Any = None, input_precision: Any = None, max_num_imprecise_acc: Any = None, out_dtype: Any = tl.float32,
          trans_a: Any = False, trans_b: Any = False, _semantic: Any = None, _generator: Any = None) -> tl.tensor:
    """Start acc + op(a) @ op(b) as one group; the result may be used after tle.gpu.wgmma_wait only.

    a: buffer or block tensor of M x K (K x M with trans_a), b: buffer of K x N (N x K with trans_b), both NVMMA layouts with a
    swizzle. M: a multiple of 64, N: a power of two from 8 to 256, K: a multiple of 256 bits. Types: fp16, bf16, fp32 (as tf32),
    int8, or any pair of float8e4nv and float8e5; what is not of 16 bits must have K contiguous in its buffer.
    acc: M x N, None for zeros. out_dtype: fp32; fp16 too for fp16 and fp8; the result of int8 is int32.
    max_num_imprecise_acc: for fp8 with fp32 only, 32 or more; None is the target's default. input_precision: "tf32" for fp32.
    Rules W1 to W15, W18, I14.
    """
    require_hopper("wgmma", _semantic)
    _check_warps(_semantic, _generator)
    trans_a, trans_b = _checked_flag("trans_a", trans_a), _checked_flag("trans_b", trans_b)
    _check_operand_kinds(a, b)
    _check_dtypes(a.dtype, b.dtype)
    m, n = _checked_shape(_shape(a), _shape(b), trans_a, trans_b, a.dtype)
    if isinstance(a, buffered_tensor):
        _check_buffer("a", a)
    _check_buffer("b", b)
    _check_major(a, b, trans_a, trans_b)
    result = tl.block_type(_checked_out_dtype(out_dtype, a.dtype), [m, n])
    acc = _checked_acc(acc, result)
    precision = _checked_precision(input_precision, a.dtype, _semantic)
    imprecise = _checked_imprecise(max_num_imprecise_acc, a.dtype, result.element_ty, _semantic)
    if trans_a and isinstance(a, tl.tensor):
        a, trans_a = _semantic.permute(a, (1, 0)), False
    return backend_for(_semantic, _generator).wgmma(a, b, acc, result, precision, imprecise, trans_a, trans_b)


@builtin
def wgmma_wait(pendings: Any, acc: Any = None, _semantic: Any = None, _generator: Any = None) -> tl.tensor:
    """`acc` once at most `pendings` groups issued after it may still run; wgmma_wait(acc) is wgmma_wait(0, acc).

    pendings: compile-time, 0 to 7. acc: a result of wgmma. Rules W16, W17, I14.
    """
    require_hopper("wgmma_wait", _semantic)
    pendings, acc = unwrap(pendings), unwrap(acc)
    if acc is None and isinstance(pendings, tl.tensor):
        pendings, acc = 0, pendings
    if not is_int(pendings) or not 0 <= pendings <= _MOST_PENDING:
        raise WgmmaWaitPendingsError(got=describe(pendings), most=_MOST_PENDING)
    if not isinstance(acc, tl.tensor) or len(block_shape(acc)) != 2 or acc.dtype not in (tl.float32, tl.float16, tl.int32):
        raise WgmmaWaitAccError(got=describe(acc))
    return backend_for(_semantic, _generator).wgmma_wait(acc, pendings)


def _shape(operand: Any) -> tuple[int, ...]:
    return operand.type.shape if isinstance(operand, buffered_tensor) else block_shape(operand)


def _check_warps(semantic: Any, generator: Any) -> None:
    """W18: a warp group is four warps."""
    warps = partition_num_warps(semantic, generator)
    if warps % 4:
        raise WgmmaWarpsError(warps=warps)


def _checked_flag(name: str, flag: Any) -> bool:
    flag = unwrap(flag)
    if flag is None:
        return False
    if not isinstance(flag, bool):
        raise WgmmaFlagTypeError(name=name, got=describe(flag))
    return flag


def _check_operand_kinds(a: Any, b: Any) -> None:
    """W1 to W3: what a and b are."""
    if not isinstance(a, (buffered_tensor, tl.tensor)):
        raise WgmmaATypeError(got=describe(a))
    if not isinstance(b, buffered_tensor):
        raise WgmmaBTypeError(got=describe(b))
    for name, operand in (("a", a), ("b", b)):
        if len(_shape(operand)) != 2:
            raise WgmmaRankError(name=name, shape=_shape(operand))


def _check_buffer(name: str, buffer: buffered_tensor) -> None:
    """W4: what a descriptor of WGMMA can say."""
    layout = buffer.type.layout
    if not isinstance(layout, nv_mma_shared_layout):
        raise WgmmaLayoutError(name=name, shape=buffer.type.shape, problem=f"has a {type(layout).__name__}")
    if layout.swizzle_bytes == 0:
        contiguous = buffer.type.shape[layout.order[0]] * buffer.dtype.primitive_bitwidth // 8
        reason = "swizzled=False" if not layout.swizzled else f"rows of {contiguous} bytes"
        raise WgmmaLayoutError(name=name, shape=buffer.type.shape, problem=f"has no swizzle ({reason})")


def _check_dtypes(a: tl.dtype, b: tl.dtype) -> None:
    """W5: the pairs there are instructions for."""
    if not (a in _FP8 and b in _FP8) and (a != b or a not in (tl.float16, tl.bfloat16, tl.float32, tl.int8)):
        raise WgmmaDtypeError(a=a, b=b)


def _checked_shape(a: tuple[int, ...], b: tuple[int, ...], trans_a: bool, trans_b: bool, dtype: tl.dtype) -> tuple[int, int]:
    """M and N of the product (W6 to W9)."""
    m, k = reversed(a) if trans_a else a
    k_of_b, n = reversed(b) if trans_b else b
    if k != k_of_b:
        raise WgmmaShapeError(a=a, b=b, trans_a=trans_a, trans_b=trans_b, k=k, k_of_b=k_of_b)
    if m % 64:
        raise WgmmaMError(m=m)
    if not 8 <= n <= _LARGEST_N or n & (n - 1):
        raise WgmmaNError(n=n)
    unit = _K_BITS // dtype.primitive_bitwidth
    if k % unit:
        raise WgmmaKError(k=k, dtype=dtype, unit=unit)
    return m, n


def _check_major(a: Any, b: buffered_tensor, trans_a: bool, trans_b: bool) -> None:
    """W11: the hardware transposes elements of 16 bits alone; others must have K contiguous in shared memory."""
    if a.dtype.primitive_bitwidth == 16:
        return
    if isinstance(a, buffered_tensor) and a.type.layout.transposed != trans_a:
        raise WgmmaMajorError(name="a", dtype=a.dtype, fix="an M x K buffer without trans_a")
    if b.type.layout.transposed == trans_b:
        raise WgmmaMajorError(name="b", dtype=b.dtype, fix="an N x K buffer with trans_b=True")


def _checked_out_dtype(out: Any, dtype: tl.dtype) -> tl.dtype:
    """Element type of the accumulator (W13)."""
    out = unwrap(out)
    if out is None:
        out = tl.float32
    if dtype == tl.int8:
        allowed, result = (tl.float32, tl.int32), tl.int32  # fp32 is what is given by default
    else:
        allowed, result = ((tl.float32, tl.float16) if dtype in (*_FP8, tl.float16) else (tl.float32, )), out
    if not isinstance(out, tl.dtype) or out not in allowed:
        legal = "tl.int32" if dtype == tl.int8 else " or ".join(f"tl.{item.name.replace('fp', 'float')}" for item in allowed)
        raise WgmmaOutDtypeError(got=describe(out), dtype=dtype, allowed=legal)
    return result


def _checked_acc(acc: Any, result: tl.block_type) -> tl.tensor | None:
    acc = unwrap(acc)
    if acc is None:
        return None
    if not isinstance(acc, tl.tensor) or block_shape(acc) != tuple(result.shape) or acc.dtype != result.element_ty:
        raise WgmmaAccError(got=describe(acc), shape=tuple(result.shape), dtype=result.element_ty)
    return acc


def _checked_precision(precision: Any, dtype: tl.dtype, semantic: Any) -> str:
    """W15: WGMMA reads fp32 as tf32; for other types the precision has no meaning."""
    precision = unwrap(precision)
    given = precision is not None
    if not given:
        precision = getattr(semantic.builder.options, "default_dot_input_precision", "tf32")
    legal = ("tf32", ) if dtype == tl.float32 else ("tf32", "ieee")
    if dtype != tl.float32 and not given:
        return "tf32" if precision not in legal else precision
    if not isinstance(precision, str) or precision not in legal:
        raise WgmmaPrecisionError(got=describe(precision), dtype=dtype, allowed=" or ".join(map(repr, legal)))
    return precision


def _checked_imprecise(number: Any, dtype: tl.dtype, out: tl.dtype, semantic: Any) -> int:
    """Additions of a fp8 product that may be rounded together (W14); 0 where the number has no meaning."""
    number = unwrap(number)
    meaningful = dtype in _FP8 and out == tl.float32
    if number is None:
        return getattr(semantic.builder.options, "max_num_imprecise_acc_default", 2**30) if meaningful else 0
    if not is_int(number) or not meaningful or not _LEAST_IMPRECISE <= number < 2**31:
        raise WgmmaImpreciseError(got=describe(number), dtype=dtype, out=out, least=_LEAST_IMPRECISE)
    return number
