"""NumPy arrays where a launch expects tensors: as arguments, in tuples, and as the base of a TensorDescriptor."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from triton.tools.tensor_descriptor import TensorDescriptor

from .errors import ByteOrderError

if TYPE_CHECKING:
    import numpy as np


class HostArray:
    """A NumPy array with the methods of a tensor that Triton calls; bringing it to the host and back does nothing."""

    def __init__(self, array: np.ndarray) -> None:
        if not array.dtype.isnative:
            raise ByteOrderError(dtype=array.dtype.str)
        self._array = array
        self.dtype = _type(array.dtype)
        self.shape = array.shape

    def data_ptr(self) -> int:
        return self._array.ctypes.data

    def stride(self) -> tuple[int, ...]:
        """In elements."""
        return tuple(step // self._array.itemsize for step in self._array.strides)

    def extent(self) -> tuple[int, int]:
        """First and last address of the whole array that this may be a view of, the last one exclusive."""
        whole = self._array
        while is_array(whole.base):
            whole = whole.base
        reach = [step * (extent - 1) for step, extent in zip(whole.strides, whole.shape, strict=True)] if whole.size else []
        begin = whole.ctypes.data + sum(step for step in reach if step < 0)
        return begin, whole.ctypes.data + sum(step for step in reach if step > 0) + (whole.itemsize if whole.size else 0)

    def _itself(self, *args: Any, **kwargs: Any) -> HostArray:
        return self

    untyped_storage = cpu = new_empty = set_ = copy_ = storage_offset = size = _itself


class _Type:
    """An element type, named as torch names it."""

    def __init__(self, dtype: np.dtype) -> None:
        self.itemsize = dtype.itemsize
        self.is_floating_point = dtype.kind == "f"
        self._name = dtype.name

    def __str__(self) -> str:
        return self._name


@functools.cache  # Triton remembers what it knows of a type by the object's address
def _type(dtype: np.dtype) -> _Type:
    return _Type(dtype)


def is_array(value: Any) -> bool:
    """Whether it is a NumPy array; asks without importing NumPy, which programs for a GPU need not have."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def on_host(argument: Any) -> Any:
    """An argument of a launch with HostArrays for the NumPy arrays in it."""
    if is_array(argument):
        return HostArray(argument)
    if isinstance(argument, tuple):
        items = map(on_host, argument)
        return type(argument)(*items) if hasattr(argument, "_fields") else tuple(items)
    if isinstance(argument, TensorDescriptor) and is_array(argument.base):
        return TensorDescriptor(HostArray(argument.base), argument.shape, argument.strides, argument.block_shape, argument.padding)
    return argument


def allow_arrays_in_descriptors() -> None:
    """Let TensorDescriptor(array, ...) and TensorDescriptor.from_tensor(array, ...) pass the checks that stock Triton makes of a
    tensor. The descriptor keeps the array itself."""
    if isinstance(vars(TensorDescriptor)["__post_init__"], functools.partialmethod):
        return
    TensorDescriptor.__post_init__ = functools.partialmethod(_checked, TensorDescriptor.__post_init__)
    TensorDescriptor.from_tensor = staticmethod(functools.partial(_of, TensorDescriptor.from_tensor))


def _checked(self: TensorDescriptor, stock: Callable[[TensorDescriptor], None]) -> None:
    base = self.base
    if not is_array(base):
        return stock(self)
    self.base = HostArray(base)
    try:
        stock(self)
    finally:
        self.base = base
    return None


def _of(stock: Callable[..., TensorDescriptor], tensor: Any, block_shape: list[int], padding: str = "zero") -> TensorDescriptor:
    if not is_array(tensor):
        return stock(tensor, block_shape, padding)
    return TensorDescriptor(tensor, list(tensor.shape), list(HostArray(tensor).stride()), block_shape, padding)
