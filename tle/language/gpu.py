"""tle.gpu: shared memory and what moves data through it, barriers, WGMMA and warp specialization."""
from __future__ import annotations

from typing import Any

from .absent import GPU, Absent, unknown
from .alloc import alloc
from .barrier import PENDING, READY, alloc_barrier, alloc_barriers, barrier, barrier_arrive, barrier_type, barrier_wait
from .copy import copy
from .layouts import layout, nv_mma_shared_layout, shared_layout, swizzled_shared_layout, tensor_memory_layout
from .local_ptr import local_ptr
from .memory_space import memory_space
from .scopes import scope, smem, tmem
from .types import buffered_tensor, buffered_tensor_type
from .warp_specialize import warp_specialize
from .wgmma import wgmma, wgmma_wait

storage_kind = memory_space

__all__ = ["PENDING", "READY", "alloc", "alloc_barrier", "alloc_barriers", "barrier", "barrier_arrive", "barrier_type", "barrier_wait",
           "buffered_tensor", "buffered_tensor_type", "copy", "layout", "local_ptr", "memory_space", "nv_mma_shared_layout",
           "pipeline", "scope", "shared_layout", "smem", "storage_kind", "swizzled_shared_layout", "tensor_memory_layout",  # noqa: F822
           "tmem", "warp_specialize", "wgmma", "wgmma_wait"]


def __getattr__(name: str) -> Any:
    """`pipeline` is tl.range itself, looked up at each use: the code generator accepts no other iterator, and the
    stock interpreter replaces tl.range while it runs a kernel. Names FlagTree has and this version has not are `absent.Absent`."""
    if name == "pipeline":
        import triton.language
        return triton.language.range
    if name in GPU:
        return Absent(f"tle.gpu.{name}")
    raise unknown("tle.gpu", name, ["tle.load", *(f"tle.gpu.{own}" for own in __all__)])
