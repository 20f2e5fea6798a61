"""The interface between the checks of the front end and whatever carries an operation out.

Two implementations exist: `emitter.Emitter` writes IR, module `flagtree.simulator.backend` runs on numpy data under
the stock interpreter. By the time a backend function is called every compile-time rule has been checked.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import triton.language as tl

if TYPE_CHECKING:
    from .barrier import barrier, barrier_type
    from .layouts import shared_layout
    from .types import buffered_tensor
    from .warp_specialize import Partition


class Backend(Protocol):
    """What kernels do with shared memory, barriers, WGMMA and partitions. A handle is opaque to the front end; a buffer holds
    it as `buffer.handle`, a barrier as `bar.handle`."""

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

    def alloc_barriers(self, type: barrier_type) -> Any:
        """Handle of a new array of `type.count` barriers in their initial state; `type.is_slot` is False. Turns user-promise mode on."""
        ...

    def barrier_slot(self, bars: barrier, index: tl.tensor) -> Any:
        """Handle of `bars[index]`; `bars` is an array, `index` a scalar int32 (in bounds when constant)."""
        ...

    def barrier_wait(self, bar: barrier, use: int | tl.tensor, parity: tl.tensor) -> None:
        """Wait until use `use` of a slot is complete (mbarrier path).

        `use` is phaseIdx as the user gave it: an int or a scalar integer of any width. `parity` is the hardware's phase
        that belongs to it, a scalar int32: (use & 1) ^ (1 if the barrier starts READY else 0).
        """
        ...

    def barrier_arrive(self, bar: barrier, count: int, use: int | tl.tensor) -> None:
        """Arrive `count` times (1 to bar.type.arrive_count) at a slot in its use `use` (mbarrier path)."""
        ...

    def named_barrier_wait(self, bar: barrier) -> None:
        """All threads of the partition arrive at a slot and wait for bar.type.arrive_count threads (named path)."""
        ...

    def named_barrier_arrive(self, bar: barrier) -> None:
        """All threads of the partition arrive at a slot of bar.type.arrive_count threads and go on (named path)."""
        ...

    def async_tma_load(self, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor, bar: barrier) -> None:
        """As tma_load, but returns at once; the bytes of `dst` count towards bar.type.expect_bytes of the slot's current use,
        which completes with all of them: copies to one slot, one after the other, belong to one use until they have brought so many."""
        ...

    def wgmma(self, a: buffered_tensor | tl.tensor, b: buffered_tensor, acc: tl.tensor | None, result: tl.block_type,
              input_precision: str, max_num_imprecise_acc: int, trans_a: bool, trans_b: bool) -> tl.tensor:
        """Start acc + op(a) @ op(b) as one group of the warp group's queue and give the accumulator it will be in.

        `acc` None means zeros. `result` is the type of acc and of what is returned, M x N of fp32, fp16 or int32. op is the
        transposition that trans_a, trans_b ask for (trans_a is False for an `a` in registers). input_precision: "tf32" or "ieee".
        """
        ...

    def wgmma_wait(self, acc: tl.tensor, pendings: int) -> tl.tensor:
        """`acc` once at most `pendings` (0 to 7) groups issued after it may still run. Turns user-promise mode on."""
        ...

    def warp_specialize(self, partitions: list[Partition], num_warps: list[int], num_regs: list[int]) -> Any:
        """Run all partitions side by side until all are done; what the first (default) one returns: None, a value or a tuple.

        The default partition has the launch's warps; partition i + 1 has num_warps[i] warps and asks for num_regs[i] registers
        for each thread. Arguments are values of the kernel, constexpr included, and tl.tuple of such.
        """
        ...
