"""tle.gpu.alloc: a buffer in shared memory."""
from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, is_int, unwrap
from .errors import (AllocDtypeError, AllocDtypeTypeError, AllocExtentError, AllocExtentTypeError, AllocFlagTypeError,
                     AllocInitShapeError, AllocInitTypeError, AllocLayoutTypeError, AllocRankError, AllocScopeTypeError,
                     AllocShapeTypeError, AllocTmemError, AllocTooLargeError, LayoutError)
from .handles import ir_type_of
from .layouts import nv_mma_shared_layout as NVMMALayout
from .layouts import shared_layout, swizzled_shared_layout
from .scopes import scope as Scope
from .scopes import smem, tmem
from .target import capability, require_one_block
from .types import block_shape, buffered_tensor, buffered_tensor_type

_KIB = 1024
# Shared memory one block may have, by compute capability (CUDA C++ Programming Guide, technical specifications).
_SHARED_BYTES = MappingProxyType({80: 163 * _KIB, 86: 99 * _KIB, 87: 163 * _KIB, 89: 99 * _KIB, 90: 227 * _KIB,
                                  100: 227 * _KIB, 103: 227 * _KIB, 120: 99 * _KIB, 121: 99 * _KIB})


def shared_bytes(capability: int) -> int:
    """Shared memory, in bytes, that a block may have on sm_<capability>."""
    return _SHARED_BYTES.get(capability, max(_SHARED_BYTES.values()))


@builtin
def alloc(shape: Any, dtype: Any, layout: Any = None, scope: Any = smem, init_value: Any = None,
          nv_mma_shared_layout: Any = True, _semantic: Any = None, _generator: Any = None) -> buffered_tensor:
    """A new buffer in shared memory, alive until the kernel ends.

    shape: 1 to 5 compile-time extents, powers of two (a leading stage dimension may be any positive number).
    dtype: integers and floats of 8 to 64 bits. layout: a shared_layout of that shape; None for the default, NVMMA or,
    with nv_mma_shared_layout=False, plain row-major. init_value: block tensor of shape and dtype stored at once.
    Rules A2 to A16.
    """
    shape = _checked_shape(shape)
    dtype = _checked_dtype(dtype)
    scope = unwrap(scope)
    if scope is None:
        scope = smem
    if not isinstance(scope, Scope):
        raise AllocScopeTypeError(got=describe(scope))
    if scope == tmem:
        raise AllocTmemError()
    layout = _checked_layout(layout, nv_mma_shared_layout, shape, dtype)
    _check_target(shape, dtype, _semantic)
    init = _checked_init(init_value, shape, dtype)
    handle = backend_for(_semantic, _generator).alloc(shape, dtype, layout, init)
    return buffered_tensor(handle, buffered_tensor_type(dtype, shape, scope, layout, shape, ir_type_of(handle)))


def _checked_shape(shape: Any) -> tuple[int, ...]:
    shape = unwrap(shape)
    if not isinstance(shape, tuple):
        raise AllocShapeTypeError(got=describe(shape))
    for axis, extent in enumerate(shape):
        if not is_int(extent):
            raise AllocExtentTypeError(axis=axis, got=describe(extent))
    if not 1 <= len(shape) <= 5:
        raise AllocRankError(shape=shape, rank=len(shape))
    for axis, extent in enumerate(shape):
        stage = axis == 0 and len(shape) >= 2
        if extent <= 0 or (not stage and extent & (extent - 1)):
            raise AllocExtentError(axis=axis, extent=extent, shape=shape)
    return shape


def _checked_dtype(dtype: Any) -> tl.dtype:
    dtype = unwrap(dtype)
    if not isinstance(dtype, tl.dtype):
        raise AllocDtypeTypeError(got=describe(dtype))
    if not (dtype.is_int() or dtype.is_floating()) or dtype.primitive_bitwidth < 8:
        raise AllocDtypeError(dtype=dtype)
    return dtype


def _checked_layout(layout: Any, nv_mma: Any, shape: tuple[int, ...], dtype: tl.dtype) -> shared_layout:
    layout, nv_mma = unwrap(layout), unwrap(nv_mma)
    if nv_mma is None:
        nv_mma = True
    if not isinstance(nv_mma, bool):
        raise AllocFlagTypeError(got=describe(nv_mma))
    if layout is None:
        return NVMMALayout.make_default(shape, dtype) if nv_mma else swizzled_shared_layout.make_default(len(shape))
    if not isinstance(layout, shared_layout):
        raise AllocLayoutTypeError(got=describe(layout))
    if problem := layout.problem_with(shape, dtype):
        raise LayoutError(layout=type(layout).__name__, reason=problem)
    return layout


def _check_target(shape: tuple[int, ...], dtype: tl.dtype, semantic: Any) -> None:
    """A16 (several blocks) and A12 (more than a block can have; the stage checks the sum, A26)."""
    require_one_block(semantic)
    target = capability(semantic)
    needed = math.prod(shape) * dtype.primitive_bitwidth // 8
    limit = shared_bytes(target)
    if needed > limit:
        raise AllocTooLargeError(shape=shape, dtype=dtype, needed=needed, capability=target, limit=limit)


def _checked_init(init: Any, shape: tuple[int, ...], dtype: tl.dtype) -> tl.tensor | None:
    init = unwrap(init)
    if init is None:
        return None
    if not isinstance(init, tl.tensor):
        raise AllocInitTypeError(got=describe(init))
    if block_shape(init) != shape or init.dtype != dtype:
        raise AllocInitShapeError(shape=block_shape(init), dtype=init.dtype, buffer_shape=shape, buffer_dtype=dtype)
    return init
