"""Shared buffers as values of a kernel: they pass through helper functions, if, for, while and tuples like tensors."""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, is_int, is_int_scalar, unwrap
from .errors import (BufferOperandError, LoadShapeError, SlotIndexRangeError, SlotIndexTypeError, SlotIndexWidthError, SlotRankError,
                     StoreValueShapeError, StoreValueTypeError, WholeBufferError)
from .handles import handle_type, handle_value, ir_type_of
from .layouts import shared_layout
from .scopes import scope


class shared_pointer_type(tl.pointer_type):
    """Pointer to shared memory, made by tle.gpu.local_ptr.

    In the IR it has address space 1: stock Triton's atomics refuse any other, and the compiler core follows the pointers
    from where they are made. Here it is its own type with its own mangled name, so that it never mixes with a global
    pointer of the same element type.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, shared_pointer_type) and self.element_ty == other.element_ty

    def __hash__(self) -> int:
        return hash((type(self), self.element_ty.name))

    def mangle(self) -> str:
        return f"SP{self.element_ty.mangle()}"


class buffered_tensor_type(handle_type):
    """Type of a buffer: `shape`, `dtype`, `storage` (a scope), `layout`, and `alloc_shape`, the shape it was allocated
    with."""

    def __init__(self, dtype: tl.dtype, shape: tuple[int, ...], storage: scope, layout: shared_layout,
                 alloc_shape: tuple[int, ...], ir_type: Any = None) -> None:
        self.dtype = dtype
        self.shape = shape
        self.storage = storage
        self.layout = layout
        self.alloc_shape = alloc_shape
        self.ir_type = ir_type

    @property
    def element_ty(self) -> tl.dtype:
        return self.dtype

    def _key(self) -> tuple[Any, ...]:
        return self.dtype.name, self.shape, self.storage, self.layout, self.alloc_shape

    def __str__(self) -> str:
        return f"buffered_tensor<{'x'.join(map(str, self.shape))}x{self.dtype}, {self.storage}>"

    def mangle(self) -> str:
        alloc = "" if self.alloc_shape == self.shape else f"A{'_'.join(map(str, self.alloc_shape))}"
        return f"buffered_{self.dtype.mangle()}S{'_'.join(map(str, self.shape))}{alloc}L{self.layout.mangle()}"

    def _unflatten_ir(self, handles: list[Any], cursor: int) -> tuple[buffered_tensor, int]:
        return buffered_tensor(handles[cursor], self), cursor + 1


class buffered_tensor(handle_value):
    """A buffer in shared memory, made by tle.gpu.alloc. Not built by users. Rule A48."""

    operand_error = BufferOperandError

    @property
    def shape(self) -> tl.tuple:
        """Extents as tl.constexpr, as a tensor has them; `type.shape` has them as integers."""
        return tl.tuple([tl.constexpr(extent) for extent in self.type.shape])

    @property
    def dtype(self) -> tl.dtype:
        return self.type.dtype

    @builtin
    def __getitem__(self, index: Any, _semantic: Any = None, _generator: Any = None) -> buffered_tensor:
        """`buf[i]` is `buf.slot(i)`."""
        return self.slot(index, _semantic=_semantic, _generator=_generator)

    @builtin
    def slot(self, stage: Any, _semantic: Any = None, _generator: Any = None) -> buffered_tensor:
        """The stage-th part of a buffer with a leading stage dimension: a view of shape[1:], nothing is copied.

        `stage` is a scalar int32, constant or not. A17 (rank), A18, A19 (type of the index), A24 (constant out of
        bounds; on the GPU a run-time index is asserted to be in bounds with debug=True only).
        """
        index = _stage_index(self.type.shape, stage, _semantic)
        backend = backend_for(_semantic, _generator)
        handle = backend.slot(self, index)
        type = self.type
        return buffered_tensor(handle, buffered_tensor_type(type.dtype, type.shape[1:], type.storage, type.layout.drop_leading(),
                                                            type.shape[1:], ir_type_of(handle)))

    @builtin
    def load(self, writable: Any = True, target_shape: Any = None, _semantic: Any = None,
             _generator: Any = None) -> tl.tensor:
        """The whole buffer as a block tensor. A40 (not all extents are powers of two), A43 (another target_shape).

        `writable` is accepted for FlagTree's sake: the result is a value, writing to the buffer does not change it.
        """
        check_whole("buffered_tensor.load", self)
        target_shape = unwrap(target_shape)
        if target_shape is not None and target_shape != self.type.shape:
            raise LoadShapeError(target=target_shape, shape=self.type.shape)
        return backend_for(_semantic, _generator).local_load(self)

    @builtin
    def store(self, value: Any, _semantic: Any = None, _generator: Any = None) -> None:
        """Write a block tensor of the buffer's shape and dtype to the whole buffer. A40, A41, A42."""
        check_whole("buffered_tensor.store", self)
        if not isinstance(value, tl.tensor):
            raise StoreValueTypeError(got=describe(value))
        shape = block_shape(value)
        if shape != self.type.shape or value.dtype != self.dtype:
            raise StoreValueShapeError(shape=shape, dtype=value.dtype, buffer_shape=self.type.shape,
                                       buffer_dtype=self.dtype)
        backend_for(_semantic, _generator).local_store(self, value)


def block_shape(value: tl.tensor) -> tuple[int, ...]:
    """Shape of a tensor as plain integers; () for a scalar."""
    return tuple(value.type.shape) if value.type.is_block() else ()


def check_whole(operation: str, buffer: buffered_tensor) -> None:
    """A40 unless the buffer's shape is one a block tensor can have."""
    if any(extent & (extent - 1) for extent in buffer.type.shape):
        raise WholeBufferError(operation=operation, shape=buffer.type.shape)


def _stage_index(shape: tuple[int, ...], stage: Any, semantic: Any) -> tl.tensor:
    """Check a stage index (A17 to A24) and give it as a scalar int32."""
    if len(shape) < 2:
        raise SlotRankError(shape=shape)
    index = unwrap(stage)
    if is_int(index):
        if not 0 <= index < shape[0]:
            raise SlotIndexRangeError(index=index, shape=shape, stages=shape[0], last=shape[0] - 1)
        return semantic.to_tensor(index)
    if not is_int_scalar(index):
        raise SlotIndexTypeError(got=describe(index))
    if index.dtype != tl.int32:
        raise SlotIndexWidthError(got=index.dtype)
    return index
