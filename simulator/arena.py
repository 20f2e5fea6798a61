"""The shared memory of one program of the grid."""
from __future__ import annotations

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import _get_np_dtype

ALIGNMENT = 1024
"""Bytes; the strictest alignment that a 128-byte swizzled tile has on the device."""

POISON_INTEGER = 0xCD
POISON_FLOAT = 0xFF  # all bits set is a NaN in every IEEE format and in float8e4nv


class Arena:
    """Buffers that live as long as the program that allocated them.

    A buffer is a NumPy array at an address of this process, so that the interpreter's own load, store and atomic
    helpers, which take addresses, work on it. The arena holds the arrays: a pointer tensor alone would not keep them.
    """

    def __init__(self) -> None:
        self._arrays: list[np.ndarray] = []

    def allocate(self, shape: tuple[int, ...], dtype: tl.dtype) -> np.ndarray:
        """A contiguous array of `shape` filled with a poison pattern: nothing may rely on what memory held before."""
        element = _get_np_dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * element.itemsize
        raw = np.full(size + ALIGNMENT, POISON_FLOAT if dtype.is_floating() else POISON_INTEGER, dtype=np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        array = raw[start:start + size].view(element).reshape(shape)
        self._arrays.append(array)
        return array

    def inside(self, addresses: np.ndarray, size: int) -> np.ndarray:
        """Boolean array of the addresses' shape: do the `size` bytes from there lie inside one buffer?"""
        result = np.zeros(addresses.shape, dtype=bool)
        for array in self._arrays:
            start = array.ctypes.data
            if array.nbytes >= size:
                result |= (addresses >= start) & (addresses <= start + array.nbytes - size)
        return result
