"""Shared memory on NumPy data: `flagtree.language.backend.Backend`'s part about buffers and what happens at once.

A handle is a NumPy array (a view of one for a slot) in the arena of the running program; bfloat16 and float8 elements
are bit patterns, as in the stock interpreter. Every function has finished its effect when it returns.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from flagtree.language.errors import SlotIndexRangeError
from flagtree.language.types import shared_pointer_type

from .builder import INDEX_ATTR, install, program
from .source import assigned_name, here

if TYPE_CHECKING:
    from flagtree.language.layouts import shared_layout
    from flagtree.language.types import buffered_tensor


def alloc(shape: tuple[int, ...], dtype: tl.dtype, layout: shared_layout, init: tl.tensor | None) -> np.ndarray:
    """A new array of `shape`: `init`'s values, or poison. The layout has no meaning here."""
    now, place = program(), here()
    array = now.arena.allocate(shape, dtype, assigned_name(place) or f"the buffer of line {place.line}", now.current.make())
    if init is not None:
        now.write(array)
        array[...] = init.handle.data
    return array


def slot(buffer: buffered_tensor, index: tl.tensor) -> np.ndarray:
    """View of one slot of the leading dimension. Raises SlotIndexRangeError: the device would read the neighbour."""
    position = int(index.handle.data.item())
    stages = buffer.handle.shape[0]
    if not 0 <= position < stages:
        raise SlotIndexRangeError(index=position, shape=buffer.handle.shape, stages=stages, last=stages - 1)
    return buffer.handle[position]


def local_load(buffer: buffered_tensor) -> tl.tensor:
    """A copy of the whole buffer as a block tensor."""
    _touch(buffer, write=False)
    return _block(buffer.handle.copy(), buffer.dtype)


def local_store(buffer: buffered_tensor, value: tl.tensor) -> None:
    """Write the whole buffer."""
    _touch(buffer, write=True)
    buffer.handle[...] = value.handle.data


def copy(src: tl.tensor, dst: buffered_tensor, mask: tl.tensor | None) -> None:
    """Global to shared, zero where the mask is false."""
    _touch(dst, write=True)
    lanes = _all_true(dst) if mask is None else mask.handle
    dst.handle[...] = install().create_masked_load(src.handle, lanes, None, None, None, False).data


def copy_out(src: buffered_tensor, dst: tl.tensor, mask: tl.tensor | None) -> None:
    """Shared to global where the mask is true."""
    _touch(src, write=False)
    lanes = _all_true(src) if mask is None else mask.handle
    values = TensorHandle(src.handle, src.dtype)
    install().create_masked_store(dst.handle, values, lanes, None, None)


def tma_load(desc: tl.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor) -> None:
    """The descriptor's block at `offsets`, with the descriptor's padding outside of its tensor."""
    _touch(dst, write=True)
    block = install().create_descriptor_load(desc.handle, [o.handle for o in offsets], None, None)
    dst.handle[...] = block.data.reshape(dst.handle.shape)


def tma_store(src: buffered_tensor, desc: tl.tensor_descriptor_base, offsets: list[tl.tensor]) -> None:
    """`src` to the part of the descriptor's block at `offsets` that lies inside its tensor."""
    _touch(src, write=False)
    block = TensorHandle(src.handle.reshape(desc.handle.block_shape), src.dtype)
    install().create_descriptor_store(desc.handle, block, [o.handle for o in offsets])


def local_ptr(buffer: buffered_tensor, indices: list[tl.tensor] | None) -> tl.tensor:
    """Pointers to elements. An index out of range makes an invalid pointer, an error only for a lane that uses it."""
    array = buffer.handle
    if indices is None:
        position = np.indices(array.shape, dtype=np.int64) if array.ndim else np.zeros((0, ), dtype=np.int64)
        shape = array.shape
    else:
        position = [index.handle.data.astype(np.int64) for index in indices]
        shape = indices[0].shape if indices[0].type.is_block() else ()
    address = np.full(shape or (1, ), array.ctypes.data, dtype=np.int64)
    valid = np.ones(address.shape, dtype=bool)
    for axis, size, stride in zip(position, array.shape, array.strides, strict=True):
        address = address + axis * stride
        valid &= (axis >= 0) & (axis < size)
    pointer = shared_pointer_type(buffer.dtype)
    handle = TensorHandle(np.where(valid, address, 0).astype(np.uint64), pointer)
    handle.set_attr(INDEX_ATTR, (array.shape, position))
    return tl.tensor(handle, tl.block_type(pointer, list(shape)) if shape else pointer)


def memory_space(value: tl.tensor, space: str) -> tl.tensor:
    """`value`: where it lives cannot be observed."""
    return value


def mark_async(value: tl.tensor) -> None:
    """Nothing: the load has already happened, which is one of the orders an asynchronous load allows."""


def _touch(buffer: buffered_tensor, write: bool) -> None:
    """The current actor reads or writes the whole buffer now."""
    now = program()
    now.pause()
    if write:
        now.write(buffer.handle)
    else:
        now.read(buffer.handle)


def _block(data: np.ndarray, dtype: tl.dtype) -> tl.tensor:
    return tl.tensor(TensorHandle(data, dtype), tl.block_type(dtype, list(data.shape)))


def _all_true(buffer: buffered_tensor) -> TensorHandle:
    return TensorHandle(np.ones(buffer.handle.shape, dtype=bool), tl.int1)
