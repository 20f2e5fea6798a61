"""All operations of `flagtree.language.backend.Backend`, on NumPy data."""
from __future__ import annotations

from .asynchronous import async_tma_load, wgmma, wgmma_wait
from .barriers import alloc_barriers, barrier_arrive, barrier_slot, barrier_wait, named_barrier_arrive, named_barrier_wait
from .memory import alloc, copy, copy_out, local_load, local_ptr, local_store, mark_async, memory_space, slot, tma_load, tma_store
from .partitions import warp_specialize

__all__ = ["alloc", "alloc_barriers", "async_tma_load", "barrier_arrive", "barrier_slot", "barrier_wait", "copy", "copy_out", "local_load",
           "local_ptr", "local_store", "mark_async", "memory_space", "named_barrier_arrive", "named_barrier_wait", "slot", "tma_load",
           "tma_store", "warp_specialize", "wgmma", "wgmma_wait"]
