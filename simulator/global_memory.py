"""The global memory that a launch may touch. Stock Triton's interpreter reads and writes any address, and takes the process down with it."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from triton.runtime.interpreter import TensorDescriptor, _unwrap_tensor

from .errors import GlobalAccessError
from .host_array import HostArray


class Extent(NamedTuple):
    """The bytes of an argument's whole storage: a kernel may reach what its tensor is a view of."""

    name: str
    begin: int
    end: int


class GlobalMemory:
    """The tensors of a launch; None for a launch that began before the simulator was there. `foreign`: other memory may be reached, by
    such a launch, or because a pointer was made from an integer."""

    def __init__(self, arguments: Iterable[tuple[str, Any]] | None) -> None:
        self.extents = [extent for name, argument in arguments or () for extent in _extents(name, argument)]
        self.foreign = arguments is None

    def check(self, addresses: np.ndarray, mask: np.ndarray, size: int) -> None:
        """Raise GlobalAccessError if an active lane's `size` bytes are not within one extent."""
        active = addresses if mask.all() else addresses[np.broadcast_to(mask, addresses.shape)]
        if self.foreign or active.size == 0:
            return
        low, high = int(active.min()), int(active.max()) + size
        if any(extent.begin <= low and high <= extent.end for extent in self.extents):
            return
        lanes = [mask & (addresses >= extent.begin) & (addresses + size <= extent.end) for extent in self.extents]
        bad = np.argwhere(mask & ~np.any(lanes, axis=0))
        if len(bad):
            lane = tuple(int(i) for i in bad[0])
            where = self._where(int(addresses[lane]), [np.count_nonzero(inside) for inside in lanes])
            raise GlobalAccessError(count=len(bad), lane=lane, where=where)

    def _where(self, address: int, lanes: list[int]) -> str:
        """Where an address is, seen from the tensor that is meant: the one in which most lanes of the access are, or else the nearest."""
        if not self.extents:
            return "the launch has no tensors"
        _, meant = max(zip(lanes, self.extents, strict=True), key=lambda item: (item[0], min(address - item[1].begin, item[1].end - address)))
        side = f"{meant.begin - address} bytes before" if address < meant.begin else f"{address - meant.begin} bytes behind"
        return f"it is {side} the beginning of {meant.name}, whose memory has {meant.end - meant.begin} bytes"


def _extents(name: str, argument: Any) -> Iterator[Extent]:
    """Of the tensors in an argument as the interpreter gets it."""
    if isinstance(argument, tuple):
        for index, item in enumerate(argument):
            yield from _extents(f"{name}[{index}]", item)
    elif isinstance(argument, TensorDescriptor):
        yield from _extents(name, argument.base)
    elif isinstance(argument, HostArray):
        yield Extent(name, *argument.extent())
    elif hasattr(argument, "data_ptr"):
        storage = _unwrap_tensor(argument).untyped_storage()
        yield Extent(name, storage.data_ptr(), storage.data_ptr() + storage.nbytes())
