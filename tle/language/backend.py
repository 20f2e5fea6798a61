"""The interface between the checks of the front end and whatever carries an operation out.

Two implementations exist: `emitter.Emitter` writes IR, module `flagtree.simulator.memory` runs on numpy data under
the stock interpreter. By the time a backend function is called every compile-time rule has been checked.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import triton.language as tl

if TYPE_CHECKING:
    from .layouts import shared_layout
    from .types import buffered_tensor


class Backend(Protocol):
    """Operations on shared memory. A handle is opaque to the front end; a buffer holds it as `buffer.handle`."""

    def alloc(self, shape: tuple[int, ...], dtype: tl.dtype, layout: shared_layout, init: tl.tensor | None) -> Any:
        """Handle of a new buffer; `init`, when given, is a block tensor of exactly `shape` and `dtype`."""
        ...

    def slot(self, buffer: buffered_tensor, index: tl.tensor) -> Any:
        """Handle of `buffer[index]`, a view without the leading dimension; `index` is a scalar int32."""
        ...

    def local_load(self, buffer: buffered_tensor) -> tl.tensor:
        """The whole buffer as a block tensor of its shape and dtype."""
        ...

    def local_store(self, buffer: buffered_tensor, value: tl.tensor) -> None:
        """Write `value` (exactly the buffer's shape and dtype) to the whole buffer."""
        ...

    def copy(self, src: tl.tensor, dst: buffered_tensor, mask: tl.tensor | None) -> None:
        """Global to shared: `src` is a pointer tensor of dst's shape; lanes with a false mask become zero."""
        ...

    def copy_out(self, src: buffered_tensor, dst: tl.tensor, mask: tl.tensor | None) -> None:
        """Shared to global: `dst` is a pointer tensor of src's shape; lanes with a false mask are not written."""
        ...

    def tma_load(self, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor) -> None:
        """The descriptor's block at `offsets` (scalar int32, in elements) to `dst`; the padding of the descriptor outside the tensor."""
        ...

    def tma_store(self, src: buffered_tensor, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor]) -> None:
        """`src` to the descriptor's block at `offsets`; elements outside the tensor are not written."""
        ...

    def local_ptr(self, buffer: buffered_tensor, indices: list[tl.tensor] | None) -> tl.tensor:
        """Pointers (`shared_pointer_type`) to elements: of all of them in the buffer's shape (None), or of those at
        `indices`, one integer tensor for each dimension, all scalar or all of one shape."""
        ...

    def memory_space(self, value: tl.tensor, space: str) -> tl.tensor:
        """`value`, with the wish that it lives in `space` ("smem") recorded."""
        ...

    def mark_async(self, value: tl.tensor) -> None:
        """Record that the load which made `value` may run asynchronously."""
        ...
