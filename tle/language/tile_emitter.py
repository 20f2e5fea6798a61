"""Backend that writes IR when the wheel was built with CommonIR: what TileIR can say goes out as `tile.<op>`.

The rest (masked copies, TMA, pointers into buffers) stays `tle.<op>`; both work on the same buffers, which the core
joins.
"""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .emitter import Emitter
from .layouts import shared_layout
from .types import buffered_tensor


class TileEmitter(Emitter):
    """Protocol `backend.Backend`, like its base."""

    def alloc(self, shape: tuple[int, ...], dtype: tl.dtype, layout: shared_layout, init: tl.tensor | None) -> Any:
        handle = self._call("tile.alloc", [], [self._memdesc_type(shape, dtype, layout)])
        if init is not None:
            self._call("tile.store_tensor", [init.handle, handle], [])
        return handle

    def slot(self, buffer: buffered_tensor, index: tl.tensor) -> Any:
        self._assert_in_bounds("buffer", index, buffer.type.shape[0])
        zeros = [self._builder.get_int32(0)] * (len(buffer.type.shape) - 1)
        return self._call("tile.subview", [buffer.handle, index.handle, *zeros], [self._slot_type(buffer)])

    def local_load(self, buffer: buffered_tensor) -> tl.tensor:
        type = self._block(buffer.dtype, buffer.type.shape)
        return tl.tensor(self._call("tile.to_tensor", [buffer.handle], [type.to_ir(self._builder)]), type)

    def local_store(self, buffer: buffered_tensor, value: tl.tensor) -> None:
        self._call("tile.store_tensor", [value.handle, buffer.handle], [])

    def copy(self, src: tl.tensor, dst: buffered_tensor, mask: tl.tensor | None) -> None:
        if mask is not None:
            super().copy(src, dst, mask)
        else:
            self._call("tile.copy", [src.handle, dst.handle], [])

    def copy_out(self, src: buffered_tensor, dst: tl.tensor, mask: tl.tensor | None) -> None:
        if mask is not None:
            super().copy_out(src, dst, mask)
        else:
            self._call("tile.copy", [src.handle, dst.handle], [])
