"""Layouts of shared buffers: which address each element of a buffer has.

Names, fields and defaults are FlagTree's; `order` lists dimensions from the fastest running to the slowest. Layouts are
values: comparable, hashable, usable as tl.constexpr arguments of a kernel.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import triton.language as tl

from .builtin import is_int, unwrap
from .errors import LayoutError


def _device_callable(fn: Any) -> Any:
    """Let a kernel call `fn`, which needs no compiler state, while it is compiled."""
    fn.__triton_builtin__ = True
    return fn


class layout:
    """Base of all layouts."""


class shared_layout(layout):
    """Base of layouts of shared memory."""

    @property
    def rank(self) -> int:
        """Rank of the buffers this layout is for."""
        raise NotImplementedError

    def make_permute(self, dims: tuple[int, ...]) -> shared_layout:
        """The layout of the buffer whose dimension i is dimension dims[i] of this one's."""
        raise NotImplementedError

    def drop_leading(self) -> shared_layout:
        """The layout of one stage of a buffer with a leading stage dimension."""
        raise NotImplementedError

    def problem_with(self, shape: tuple[int, ...], dtype: tl.dtype) -> str | None:
        """Why a buffer of `shape` and `dtype` cannot have this layout, or None."""
        raise NotImplementedError

    def to_ir(self, builder: Any) -> Any:
        """The attribute of dialect ttg, made by a GluonOpBuilder."""
        raise NotImplementedError

    def mangle(self) -> str:
        """Part of the name of a helper function that takes a buffer of this layout."""
        raise NotImplementedError


def _row_major(rank: int) -> tuple[int, ...]:
    return tuple(range(rank - 1, -1, -1))


def _ints(owner: layout, name: str, value: Any) -> tuple[int, ...]:
    """Field `name` as a tuple of integers; anything else is A9."""
    value = unwrap(value)
    if not isinstance(value, tuple) or not all(is_int(item) for item in value):
        raise LayoutError(layout=type(owner).__name__, reason=f"{name} must be a list of integers, not {value!r}")
    return value


def _check_cta(owner: layout, rank: int, **fields: tuple[int, ...]) -> None:
    """The fields about a cluster of blocks must be of the layout's rank and say: one block (A9)."""
    for name, value in fields.items():
        if len(value) != rank:
            raise LayoutError(layout=type(owner).__name__, reason=f"{name} {value} must have {rank} entries")
        if name == "numCTAOrder":
            if sorted(value) != list(range(rank)):
                raise LayoutError(layout=type(owner).__name__, reason=f"{name} {value} is not a permutation")
        elif any(item != 1 for item in value):
            raise LayoutError(layout=type(owner).__name__,
                              reason=f"{name} {value} spreads a buffer over several blocks; only ones are supported")


def _permute(values: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(values[dim] for dim in dims)


def _permute_order(order: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dims.index(dim) for dim in order)


@dataclass(frozen=True)
class swizzled_shared_layout(shared_layout):
    """Rows in `order`, groups of `vectorSize` elements exchanged by XOR with (row / perPhase) % maxPhase.

    vectorSize, perPhase and maxPhase are powers of two; (1, 1, 1) is the plain layout. A9 for anything else.
    """

    vectorSize: int
    perPhase: int
    maxPhase: int
    order: tuple[int, ...]
    numCTAs: tuple[int, ...]
    numCTAsPerCGA: tuple[int, ...]
    numCTASplit: tuple[int, ...]
    numCTAOrder: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("vectorSize", "perPhase", "maxPhase"):
            value = unwrap(getattr(self, name))
            if not is_int(value) or value <= 0 or value & (value - 1):
                raise LayoutError(layout=type(self).__name__, reason=f"{name} must be a positive power of two, not {value!r}")
            object.__setattr__(self, name, value)
        for name in ("order", "numCTAs", "numCTAsPerCGA", "numCTASplit", "numCTAOrder"):
            object.__setattr__(self, name, _ints(self, name, getattr(self, name)))
        if sorted(self.order) != list(range(len(self.order))) or not self.order:
            raise LayoutError(layout=type(self).__name__, reason=f"order {self.order} is not a permutation of the dimensions")
        _check_cta(self, self.rank, numCTAs=self.numCTAs, numCTAsPerCGA=self.numCTAsPerCGA,
                   numCTASplit=self.numCTASplit, numCTAOrder=self.numCTAOrder)

    @classmethod
    @_device_callable
    def make_default(cls, rank: int) -> swizzled_shared_layout:
        """The plain row-major layout of a buffer of `rank` dimensions."""
        rank = unwrap(rank)
        if not is_int(rank) or rank < 1:
            raise LayoutError(layout=cls.__name__, reason=f"rank must be a positive integer, not {rank!r}")
        ones, order = (1, ) * rank, _row_major(rank)
        return cls(1, 1, 1, order, ones, ones, ones, order)

    @property
    def rank(self) -> int:
        return len(self.order)

    def make_permute(self, dims: tuple[int, ...]) -> swizzled_shared_layout:
        dims = _ints(self, "dims", dims)
        return replace(self, order=_permute_order(self.order, dims), numCTAs=_permute(self.numCTAs, dims),
                       numCTAsPerCGA=_permute(self.numCTAsPerCGA, dims), numCTASplit=_permute(self.numCTASplit, dims),
                       numCTAOrder=_permute_order(self.numCTAOrder, dims))

    def drop_leading(self) -> swizzled_shared_layout:
        order = tuple(dim - 1 for dim in self.order if dim != 0)
        ones = (1, ) * len(order)
        return replace(self, order=order, numCTAs=ones, numCTAsPerCGA=ones, numCTASplit=ones,
                       numCTAOrder=tuple(dim - 1 for dim in self.numCTAOrder if dim != 0))

    def problem_with(self, shape: tuple[int, ...], dtype: tl.dtype) -> str | None:
        if self.rank != len(shape):
            return f"it is for rank {self.rank}, the buffer's shape {shape} has rank {len(shape)}"
        return None

    def to_ir(self, builder: Any) -> Any:
        return builder.get_swizzled_shared_layout(self.vectorSize, self.perPhase, self.maxPhase, list(self.order), [])

    def mangle(self) -> str:
        return f"SW{self.vectorSize}_{self.perPhase}_{self.maxPhase}_{'_'.join(map(str, self.order))}"


@dataclass(frozen=True)
class nv_mma_shared_layout(shared_layout):
    """What WGMMA and TMA read: rows of 128, 64 or 32 bytes with 16-byte chunks exchanged by XOR, or unswizzled.

    The widest swizzle whose width divides a contiguous row in bytes is used; a buffer of rank 1, of fewer than 8 rows,
    or with `swizzled=False` has none. `order` is row-major or has its last two dimensions exchanged. A9 otherwise.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    elemType: tl.dtype
    numCTAsPerCGA: tuple[int, ...]
    numCTASplit: tuple[int, ...]
    numCTAOrder: tuple[int, ...]
    fp4Padded: bool
    swizzled: bool

    def __post_init__(self) -> None:
        for name in ("shape", "order", "numCTAsPerCGA", "numCTASplit", "numCTAOrder"):
            object.__setattr__(self, name, _ints(self, name, getattr(self, name)))
        for name in ("elemType", "fp4Padded", "swizzled"):
            object.__setattr__(self, name, unwrap(getattr(self, name)))
        if not isinstance(self.elemType, tl.dtype) or self.elemType.primitive_bitwidth not in (8, 16, 32, 64):
            raise LayoutError(layout=type(self).__name__, reason=f"elemType must be of 8, 16, 32 or 64 bits, not {self.elemType}")
        rank = self.rank
        last_two_exchanged = (rank - 2, rank - 1, *_row_major(rank - 2)) if rank >= 2 else ()
        if self.order not in (_row_major(rank), last_two_exchanged):
            raise LayoutError(layout=type(self).__name__,
                              reason=f"order {self.order} must be row-major {_row_major(rank)} or transposed {last_two_exchanged}")
        if self.fp4Padded:
            raise LayoutError(layout=type(self).__name__, reason="fp4Padded is for Blackwell's 4-bit operands")
        _check_cta(self, rank, numCTAsPerCGA=self.numCTAsPerCGA, numCTASplit=self.numCTASplit, numCTAOrder=self.numCTAOrder)

    @classmethod
    @_device_callable
    def make_default(cls, shape: tuple[int, ...], elemType: tl.dtype) -> nv_mma_shared_layout:
        """Row-major and swizzled."""
        shape = unwrap(shape)
        if not isinstance(shape, tuple) or not shape:
            raise LayoutError(layout=cls.__name__, reason=f"shape must be a list of extents, not {shape!r}")
        ones, order = (1, ) * len(shape), _row_major(len(shape))
        return cls(shape, order, elemType, ones, ones, order, False, True)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def transposed(self) -> bool:
        return self.order != _row_major(self.rank)

    @property
    def swizzle_bytes(self) -> int:
        """Width of the swizzle pattern, 0 for none. A leading stage dimension (rank >= 3) does not count as rows, so
        that one stage has the same pattern as the whole."""
        rank = self.rank
        if not self.swizzled or rank == 1:
            return 0
        contiguous = self.order[0]
        rows = math.prod(extent for dim, extent in enumerate(self.shape) if dim != contiguous and (dim > 0 or rank == 2))
        row_bytes = self.shape[contiguous] * self.elemType.primitive_bitwidth // 8
        if rows < 8:
            return 0
        return next((width for width in (128, 64, 32) if row_bytes % width == 0), 0)

    def make_permute(self, dims: tuple[int, ...]) -> nv_mma_shared_layout:
        dims = _ints(self, "dims", dims)
        return replace(self, shape=_permute(self.shape, dims), order=_permute_order(self.order, dims),
                       numCTAsPerCGA=_permute(self.numCTAsPerCGA, dims), numCTASplit=_permute(self.numCTASplit, dims),
                       numCTAOrder=_permute_order(self.numCTAOrder, dims))

    def drop_leading(self) -> nv_mma_shared_layout:
        shape = self.shape[1:]
        ones = (1, ) * len(shape)
        return replace(self, shape=shape, order=tuple(dim - 1 for dim in self.order if dim != 0), numCTAsPerCGA=ones,
                       numCTASplit=ones, numCTAOrder=_row_major(len(shape)))

    def problem_with(self, shape: tuple[int, ...], dtype: tl.dtype) -> str | None:
        if self.shape != shape:
            return f"it is for shape {self.shape}, the buffer's shape is {shape}"
        if self.elemType != dtype:
            return f"it is for elements of type {self.elemType}, the buffer holds {dtype}"
        return None

    def to_ir(self, builder: Any) -> Any:
        return builder.get_nvmma_shared_layout(self.swizzle_bytes, self.elemType.primitive_bitwidth, self.transposed, False,
                                               [], self.rank)

    def mangle(self) -> str:
        return f"NV{self.swizzle_bytes}{'T' if self.transposed else ''}"


@dataclass(frozen=True)
class tensor_memory_layout(shared_layout):
    """Layout of Blackwell's tensor memory. It can be built and compared; no buffer can have it yet (A11)."""

    blockM: int
    blockN: int
    colStride: int
    CTASplitM: int
    CTASplitN: int
    twoCTAs: bool = False

    @classmethod
    @_device_callable
    def make_default(cls, shape: tuple[int, int]) -> tensor_memory_layout:
        """One tile of the given shape, two columns for each element."""
        shape = unwrap(shape)
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise LayoutError(layout=cls.__name__, reason=f"shape must be two extents, not {shape!r}")
        return cls(shape[0], shape[1], 2, 1, 1)

    def problem_with(self, shape: tuple[int, ...], dtype: tl.dtype) -> str | None:
        return "it is for tensor memory, the buffer is in shared memory"
