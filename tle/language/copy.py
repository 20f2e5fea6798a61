"""tle.gpu.copy: a tile between global memory and a shared buffer."""
from __future__ import annotations

import math
from typing import Any

import triton.language as tl

from .barrier import barrier as Barrier
from .barrier import checked_slot
from .builtin import backend_for, builtin, describe, is_int, is_int_scalar, unwrap
from .errors import (CopyBarrierBytesError, CopyBarrierDirectionError, CopyBarrierExpectError, CopyCombinationError,
                     CopyDescriptorDtypeError, CopyDescriptorShapeError,
                     CopyDestinationTypeError, CopyMaskShapeError, CopyMaskTmaError, CopyMaskTypeError, CopyOffsetTypeError,
                     CopyOffsetsError, CopyOffsetsMissingError, CopyOffsetsRankError, CopyPointerDtypeError,
                     CopyPointerError, CopyPointerShapeError, CopyShapeError, CopyShapeTypeError, CopySourceTypeError, DescriptorOffsetError)
from .types import block_shape, buffered_tensor, check_whole, shared_pointer_type

_GLOBAL = (tl.tensor, tl.core.tensor_descriptor_base)


@builtin
def copy(src: Any, dst: Any, shape: Any, offsets: Any = None, barrier: Any = None, mask: Any = None,
         _semantic: Any = None, _generator: Any = None) -> None:
    """Copy a whole buffer from or to global memory; without `barrier` it has happened before the next statement.

    In a loop with `num_stages` of 2 or more of its own (tle.gpu.pipeline, tl.range) the copies of later iterations may run
    during earlier ones: they must not depend on what those store to global memory.

    One of src and dst is a buffer; the other a tensor of global pointers (one for each element, with an optional mask:
    lanes with false become zero on the way in and are not written on the way out) or a tensor descriptor (`offsets`: the
    position of the block's first element in each dimension, scalar int32, the last one at a multiple of 16 bytes). `shape` is
    the buffer's shape. Nothing is converted: element types must agree.

    A store to a descriptor writes whole chunks of 16 bytes: rows of a size between are written up to the next one.

    barrier: a slot of barriers with expect_bytes. The copy, from a descriptor to a buffer, then returns at once, and its bytes
    count towards the slot's current use; wait with tle.gpu.barrier_wait(slot, phaseIdx=...). Rules C1 to C19, C40, C41, A40,
    B8, B9.
    """
    if not isinstance(src, (*_GLOBAL, buffered_tensor)):
        raise CopySourceTypeError(got=describe(src))
    if not isinstance(dst, (*_GLOBAL, buffered_tensor)):
        raise CopyDestinationTypeError(got=describe(dst))
    incoming = isinstance(dst, buffered_tensor)
    buffer, other = (dst, src) if incoming else (src, dst)
    if not isinstance(buffer, buffered_tensor) or not isinstance(other, _GLOBAL):
        raise CopyCombinationError(src=describe(src), dst=describe(dst))
    _check_shape(shape, buffer)
    check_whole("copy", buffer)
    offsets, mask, barrier = unwrap(offsets), unwrap(mask), unwrap(barrier)
    if barrier is not None:
        if not incoming or isinstance(other, tl.tensor):
            raise CopyBarrierDirectionError(src=describe(src), dst=describe(dst))
        barrier = _checked_barrier(barrier, buffer, _semantic, _generator)
    backend = backend_for(_semantic, _generator)
    if isinstance(other, tl.tensor):
        if offsets is not None:
            raise CopyOffsetsError(got=describe(offsets))
        _check_pointers(other, buffer)
        mask = _checked_mask(mask, buffer.type.shape, _semantic)
        if incoming:
            backend.copy(other, buffer, mask)
        else:
            backend.copy_out(buffer, other, mask)
    else:
        if mask is not None:
            raise CopyMaskTmaError()
        _check_descriptor(other, buffer)
        offsets = _checked_offsets(offsets, other, _semantic)
        if barrier is not None:
            backend.async_tma_load(other, offsets, buffer, barrier)
        elif incoming:
            backend.tma_load(other, offsets, buffer)
        else:
            backend.tma_store(buffer, other, offsets)


def _check_shape(shape: Any, buffer: buffered_tensor) -> None:
    shape = unwrap(shape)
    if not isinstance(shape, tuple) or not all(is_int(extent) for extent in shape):
        raise CopyShapeTypeError(got=describe(shape))
    if shape != buffer.type.shape:
        raise CopyShapeError(shape=shape, buffer_shape=buffer.type.shape)


def _checked_barrier(barrier: Any, buffer: buffered_tensor, semantic: Any, generator: Any) -> Barrier:
    """The slot the copy completes on (B8, B9, C40, C41)."""
    slot = checked_slot("copy", barrier, semantic, generator)
    expected = slot.type.expect_bytes
    if expected is None:
        raise CopyBarrierExpectError(got=describe(slot))
    moved = math.prod(buffer.type.shape) * buffer.dtype.primitive_bitwidth // 8
    if moved > expected:
        raise CopyBarrierBytesError(shape=buffer.type.shape, dtype=buffer.dtype, moved=moved, expected=expected)
    return slot


def _check_pointers(pointers: tl.tensor, buffer: buffered_tensor) -> None:
    if not pointers.type.is_block() or not pointers.dtype.is_ptr() or pointers.dtype.element_ty.is_block():
        raise CopyPointerError(got=describe(pointers))
    if isinstance(pointers.dtype, shared_pointer_type):
        raise CopyPointerError(got=f"{describe(pointers)} to shared memory")
    if block_shape(pointers) != buffer.type.shape:
        raise CopyPointerShapeError(shape=block_shape(pointers), buffer_shape=buffer.type.shape)
    if pointers.dtype.element_ty != buffer.dtype:
        raise CopyPointerDtypeError(dtype=pointers.dtype.element_ty, buffer_dtype=buffer.dtype)


def _checked_mask(mask: Any, shape: tuple[int, ...], semantic: Any) -> tl.tensor | None:
    """The mask as a boolean tensor of the buffer's shape."""
    if mask is None or mask is True:
        return None
    if mask is False:
        mask = semantic.to_tensor(False)
    if not isinstance(mask, tl.tensor) or mask.dtype != tl.int1:
        raise CopyMaskTypeError(got=describe(mask))
    given = block_shape(mask)
    if given and (len(given) != len(shape) or any(extent not in (1, full) for extent, full in zip(given, shape, strict=True))):
        raise CopyMaskShapeError(shape=given, buffer_shape=shape)
    return semantic.broadcast_impl_shape(mask, list(shape))


def _check_descriptor(desc: tl.core.tensor_descriptor_base, buffer: buffered_tensor) -> None:
    block, shape = tuple(desc.block_shape), buffer.type.shape
    extra = len(block) - len(shape)
    if extra < 0 or block[extra:] != shape or any(extent != 1 for extent in block[:extra]):
        raise CopyDescriptorShapeError(shape=block, buffer_shape=shape)
    if desc.dtype != buffer.dtype:
        raise CopyDescriptorDtypeError(dtype=desc.dtype, buffer_dtype=buffer.dtype)


def _checked_offsets(offsets: Any, desc: tl.core.tensor_descriptor_base, semantic: Any) -> list[tl.tensor]:
    """The offsets as scalar int32 tensors."""
    block = tuple(desc.block_shape)
    if not isinstance(offsets, tuple):
        raise CopyOffsetsMissingError(rank=len(block), got=describe(offsets))
    if len(offsets) != len(block):
        raise CopyOffsetsRankError(count=len(offsets), shape=block)
    if is_int(offsets[-1]):
        check_innermost(offsets[-1], desc.dtype)
    return [_checked_offset(axis, unwrap(offset), semantic) for axis, offset in enumerate(offsets)]


def check_innermost(offset: int, dtype: tl.dtype) -> None:
    """C19 unless a descriptor's offset in the innermost dimension is a multiple of 16 bytes, as stock Triton documents for its own accesses."""
    unit = 128 // dtype.primitive_bitwidth
    if offset % unit:
        raise DescriptorOffsetError(unit=unit, dtype=dtype, offset=offset)


def _checked_offset(axis: int, offset: Any, semantic: Any) -> tl.tensor:
    if is_int(offset) and -2**31 <= offset < 2**31:
        return semantic.to_tensor(offset)
    if not is_int_scalar(offset) or offset.dtype.primitive_bitwidth > 32:
        raise CopyOffsetTypeError(axis=axis, got=describe(offset))
    return semantic.cast(offset, tl.int32)
