"""tle.gpu.local_ptr: pointers into a shared buffer, for tl.load, tl.store and atomics."""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, is_int, unwrap
from .errors import (LocalPtrBufferError, LocalPtrIndexDtypeError, LocalPtrIndexMixError, LocalPtrIndexRangeError,
                     LocalPtrIndexShapeError, LocalPtrIndicesCountError, LocalPtrIndicesEmptyError,
                     LocalPtrIndicesTypeError)
from .types import block_shape, buffered_tensor, check_whole


@builtin
def local_ptr(buffer: Any, indices: Any = None, _semantic: Any = None, _generator: Any = None) -> tl.tensor:
    """Pointers to elements of a buffer, for tl.load, tl.store and tl.atomic_* only.

    indices None: to all of them, in the buffer's shape. A tuple of scalar integers, one for each dimension: one scalar
    pointer. A tuple of integer tensors of one shape: a pointer tensor of that shape. Constant indices are checked
    against the shape (L8), run-time ones are not. Rules L1 to L8, A40.
    """
    if not isinstance(buffer, buffered_tensor):
        raise LocalPtrBufferError(got=describe(buffer))
    if isinstance(indices, tl.constexpr):
        indices = indices.value
    if indices is None:
        check_whole("local_ptr", buffer)
        return backend_for(_semantic, _generator).local_ptr(buffer, None)
    return backend_for(_semantic, _generator).local_ptr(buffer, _checked_indices(indices, buffer.type.shape, _semantic))


def _checked_indices(indices: Any, shape: tuple[int, ...], semantic: Any) -> list[tl.tensor]:
    if not isinstance(indices, (list, tuple, tl.tuple)):
        raise LocalPtrIndicesTypeError(got=describe(indices))
    values = [unwrap(index) for index in indices]
    if not values:
        raise LocalPtrIndicesEmptyError()
    if len(values) != len(shape):
        raise LocalPtrIndicesCountError(rank=len(shape), count=len(values), shape=shape)
    checked = [_checked_index(axis, value, shape, semantic) for axis, value in enumerate(values)]
    shapes = [block_shape(index) for index in checked]
    if any(shapes) and not all(shapes):
        raise LocalPtrIndexMixError(shapes=shapes)
    if any(other != shapes[0] for other in shapes):
        raise LocalPtrIndexShapeError(shapes=shapes)
    return checked


def _checked_index(axis: int, index: Any, shape: tuple[int, ...], semantic: Any) -> tl.tensor:
    if is_int(index):
        if not 0 <= index < shape[axis]:
            raise LocalPtrIndexRangeError(axis=axis, index=index, extent=shape[axis], shape=shape, last=shape[axis] - 1)
        return semantic.to_tensor(index)
    if not isinstance(index, tl.tensor) or not index.dtype.is_int() or index.dtype == tl.int1:
        raise LocalPtrIndexDtypeError(axis=axis, got=describe(index))
    return index
