"""The shared memory of one program of the grid."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import _get_np_dtype

from .shadow import Shadow

ALIGNMENT = 1024
"""Bytes; the strictest alignment that a 128-byte swizzled tile has on the device."""

POISON_INTEGER = 0xCD
POISON_FLOAT = 0xFF  # all bits set is a NaN in every IEEE format and in float8e4nv


class Allocation:
    """One buffer: its array, its address in this process, its name and who touched it."""

    def __init__(self, array: np.ndarray, dtype: tl.dtype, name: str, key: Hashable) -> None:
        self.key = key
        self.array = array
        self.dtype = dtype
        self.name = name
        self.address = array.ctypes.data
        self.shadow = Shadow(array.nbytes)

    def poison(self, view: np.ndarray) -> None:
        """Fill a part of the buffer with bits that nothing may rely on."""
        view.view(np.uint8)[...] = POISON_FLOAT if self.dtype.is_floating() else POISON_INTEGER

    def span(self, view: np.ndarray) -> tuple[int, int]:
        """First and last+1 byte of a view within the buffer."""
        first = view.ctypes.data - self.address
        return first, first + view.nbytes


class Arena:
    """Buffers that live as long as the program that allocated them.

    A buffer is a NumPy array at an address of this process, so that the interpreter's own load, store and atomic
    helpers, which take addresses, work on it. The arena holds the arrays: a pointer tensor alone would not keep them.
    """

    def __init__(self) -> None:
        self._allocations: list[Allocation] = []
        self._addresses: list[int] = []

    def allocate(self, shape: tuple[int, ...], dtype: tl.dtype, name: str = "a buffer", key: Hashable = None) -> np.ndarray:
        """A contiguous array of `shape` filled with a poison pattern: nothing may rely on what memory held before."""
        element = _get_np_dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * element.itemsize
        raw = np.empty(size + ALIGNMENT, dtype=np.uint8)
        start = -raw.ctypes.data % ALIGNMENT
        allocation = Allocation(raw[start:start + size].view(element).reshape(shape), dtype, name, key)
        allocation.poison(allocation.array)
        position = bisect_right(self._addresses, allocation.address)
        self._addresses.insert(position, allocation.address)
        self._allocations.insert(position, allocation)
        return allocation.array

    def find(self, address: int) -> Allocation | None:
        """The buffer that has the byte at `address`."""
        position = bisect_right(self._addresses, address) - 1
        if position < 0:
            return None
        allocation = self._allocations[position]
        return allocation if address < allocation.address + allocation.array.nbytes else None

    def of(self, view: np.ndarray) -> Allocation:
        """The buffer that `view` is a part of."""
        return self.find(view.ctypes.data)

    def inside(self, addresses: np.ndarray, size: int) -> np.ndarray:
        """Boolean array of the addresses' shape: do the `size` bytes from there lie inside one buffer?"""
        result = np.zeros(addresses.shape, dtype=bool)
        for allocation in self._allocations:
            start, size_of_buffer = allocation.address, allocation.array.nbytes
            if size_of_buffer >= size:
                result |= (addresses >= start) & (addresses <= start + size_of_buffer - size)
        return result
