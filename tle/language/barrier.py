"""Barriers of a block: mbarriers, which count arrivals and bytes use by use, and named barriers, which count threads.

Which of the two a slot is follows from its uses: with `phaseIdx` it is an mbarrier, without a named barrier.
"""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, is_int, is_int_scalar, unwrap
from .errors import (ArriveCountError, ArriveCountTypeError, ArriveWeightError, BarrierArrayError, BarrierCountError,
                     BarrierCountTypeError, BarrierIndexRangeError, BarrierIndexTypeError, BarrierInitError, BarrierOperandError, BarrierTypeError,
                     ExpectBytesArrivalsError, ExpectBytesError, ExpectBytesTypeError, NamedDynamicSlotError, NamedExpectBytesError, NamedReadyError,
                     NamedThreadsError, NamedWeightError, PhaseTypeError, SlotIndexedAgainError, TmaBarrierArriveError)
from .handles import handle_type, handle_value, ir_type_of
from .target import require_hopper

PENDING = tl.constexpr("pending")
READY = tl.constexpr("ready")

# Both counts of an mbarrier have 20 bits (PTX ISA, mbarrier object); a bulk copy moves multiples of 16 bytes.
_MAX_COUNT = 2**20 - 1
_BYTE_UNIT = 16
_MOST_BARRIERS = 4096  # each is initialized by code of its own: more take minutes to compile
_WARP, _MOST_THREADS = 32, 1024


class barrier_type(handle_type):
    """Type of a barrier array or, with `is_slot`, of one of its slots.

    `count`: slots of the array, 1 for a slot. `arrive_count`: arrivals that complete a use (mbarrier) or threads that take part (named).
    `ready`: whether the state before the first use counts as complete. `expect_bytes`: bytes a TMA load completes a use
    with, or None.
    """

    def __init__(self, count: int, arrive_count: int, ready: bool, expect_bytes: int | None, is_slot: bool, ir_type: Any = None) -> None:
        self.count = count
        self.arrive_count = arrive_count
        self.ready = ready
        self.expect_bytes = expect_bytes
        self.is_slot = is_slot
        self.ir_type = ir_type

    def slot(self, ir_type: Any) -> barrier_type:
        """The type of one slot."""
        return barrier_type(1, self.arrive_count, self.ready, self.expect_bytes, True, ir_type)

    def _key(self) -> tuple[Any, ...]:
        return self.count, self.arrive_count, self.ready, self.expect_bytes, self.is_slot

    def __str__(self) -> str:
        what = "barrier slot" if self.is_slot else f"barriers[{self.count}]"
        expects = "" if self.expect_bytes is None else f", expect_bytes={self.expect_bytes}"
        return f"{what}<arrive_count={self.arrive_count}, {'READY' if self.ready else 'PENDING'}{expects}>"

    def mangle(self) -> str:
        return f"barrier{self.count}A{self.arrive_count}{'R' if self.ready else 'P'}{self.expect_bytes or ''}{'S' if self.is_slot else ''}"

    def _unflatten_ir(self, handles: list[Any], cursor: int) -> tuple[barrier, int]:
        return barrier(handles[cursor], self), cursor + 1


class barrier(handle_value):
    """Barriers made by tle.gpu.alloc_barriers, or one slot of them. Not built by users.

    `dynamic`: known to be a slot chosen at run time; a value that came through a call or a branch has lost this. Rule B42.
    """

    operand_error = BarrierOperandError

    def __init__(self, handle: Any, type: barrier_type, dynamic: bool = False) -> None:
        super().__init__(handle, type)
        self.dynamic = dynamic

    @builtin
    def __getitem__(self, index: Any, _semantic: Any = None, _generator: Any = None) -> barrier:
        """Slot `index` of an array, an integer that is constant or not.

        B10 (a slot has no slots), B11 (constant out of bounds), B12 (type). With debug=True a run-time index is asserted to
        be in bounds.
        """
        if self.type.is_slot:
            raise SlotIndexedAgainError(got=describe(self))
        index = unwrap(index)
        if is_int(index):
            if not 0 <= index < self.type.count:
                raise BarrierIndexRangeError(index=index, count=self.type.count, last=self.type.count - 1)
            return _slot(self, _semantic.to_tensor(index), False, _semantic, _generator)
        if not is_int_scalar(index):
            raise BarrierIndexTypeError(got=describe(index))
        return _slot(self, _semantic.cast(index, tl.int32), True, _semantic, _generator)


def _slot(bars: barrier, index: tl.tensor, dynamic: bool, semantic: Any, generator: Any) -> barrier:
    handle = backend_for(semantic, generator).barrier_slot(bars, index)
    return barrier(handle, bars.type.slot(ir_type_of(handle)), dynamic)


@builtin
def alloc_barriers(num_barriers: Any, arrive_count: Any = 1, init: Any = PENDING, expect_bytes: Any = None,
                   _semantic: Any = None, _generator: Any = None) -> barrier:
    """An array of barriers; `bars[i]` is a slot.

    arrive_count: arrivals that complete a use, or the threads of a named barrier (warps * 32). init: PENDING, or READY for
    an mbarrier whose first wait passes. expect_bytes: for the completion of TMA loads, the bytes of one use; a multiple of
    16. All compile-time. Rules B1 to B7, B40, I14.
    """
    require_hopper("alloc_barriers", _semantic)
    type = barrier_type(_checked_count(num_barriers), _checked_arrive_count(arrive_count), _checked_init(init),
                        _checked_expect_bytes(expect_bytes), False)
    if type.expect_bytes is not None and type.arrive_count != 1:
        raise ExpectBytesArrivalsError(bytes=type.expect_bytes, got=type.arrive_count)
    handle = backend_for(_semantic, _generator).alloc_barriers(type)
    type.ir_type = ir_type_of(handle)
    return barrier(handle, type)


@builtin
def alloc_barrier(arrive_count: Any = 1, init: Any = PENDING, expect_bytes: Any = None, _semantic: Any = None,
                  _generator: Any = None) -> barrier:
    """One slot: alloc_barriers(1, ...)[0]."""
    bars = alloc_barriers(1, arrive_count, init, expect_bytes, _semantic=_semantic, _generator=_generator)
    return bars.__getitem__(0, _semantic=_semantic, _generator=_generator)


@builtin
def barrier_wait(bar: Any, phaseIdx: Any = None, _semantic: Any = None, _generator: Any = None) -> None:
    """Wait at a slot: for its use `phaseIdx` (0, 1, ...: how often the slot was used before) as an mbarrier, or without
    phaseIdx for all threads of a named barrier.

    Rules B8, B9 (what bar is), B13 (phaseIdx), B14, B15, B18, B41 (named).
    """
    bar = checked_slot("barrier_wait", bar, _semantic, _generator)
    use = unwrap(phaseIdx)
    backend = backend_for(_semantic, _generator)
    if use is None:
        _check_named("barrier_wait", bar)
        backend.named_barrier_wait(bar)
    else:
        backend.barrier_wait(bar, use, _parity(use, bar.type.ready, _semantic))


@builtin
def barrier_arrive(bar: Any, arrive_count: Any = 1, phaseIdx: Any = None, _semantic: Any = None, _generator: Any = None) -> None:
    """Arrive at a slot: `arrive_count` times at its use `phaseIdx` as an mbarrier, or without phaseIdx with all threads of
    the partition at a named barrier, without waiting.

    Rules B8, B9 (what bar is), B13 (phaseIdx), B14, B15, B17, B18, B41 (named), B16 (arrive_count), B19 (expect_bytes).
    """
    bar = checked_slot("barrier_arrive", bar, _semantic, _generator)
    count, use = unwrap(arrive_count), unwrap(phaseIdx)
    if count is None:
        count = 1
    backend = backend_for(_semantic, _generator)
    if use is None:
        _check_named("barrier_arrive", bar)
        if not is_int(count) or count != 1:
            raise NamedWeightError(got=describe(count))
        backend.named_barrier_arrive(bar)
        return
    if not is_int(count) or not 1 <= count <= bar.type.arrive_count:
        raise ArriveWeightError(got=describe(count), count=bar.type.arrive_count)
    if bar.type.expect_bytes is not None:
        raise TmaBarrierArriveError(bytes=bar.type.expect_bytes)
    _parity(use, bar.type.ready, _semantic)
    backend.barrier_arrive(bar, count, use)


def checked_slot(operation: str, bar: Any, semantic: Any, generator: Any) -> barrier:
    """`bar` as a slot; an array of one barrier stands for its only slot. B8, B9."""
    if not isinstance(bar, barrier):
        raise BarrierTypeError(operation=operation, got=describe(bar))
    if bar.type.is_slot:
        return bar
    if bar.type.count != 1:
        raise BarrierArrayError(operation=operation, count=bar.type.count)
    return bar.__getitem__(0, _semantic=semantic, _generator=generator)


def _check_named(operation: str, bar: barrier) -> None:
    """What a named barrier cannot have (B14, B15, B41, B18)."""
    if bar.type.ready:
        raise NamedReadyError(operation=operation)
    if bar.type.expect_bytes is not None:
        raise NamedExpectBytesError(operation=operation, bytes=bar.type.expect_bytes)
    if bar.type.arrive_count % _WARP or bar.type.arrive_count > _MOST_THREADS:
        raise NamedThreadsError(operation=operation, count=bar.type.arrive_count)
    if bar.dynamic:
        raise NamedDynamicSlotError(operation=operation)


def _parity(use: Any, ready: bool, semantic: Any) -> tl.tensor:
    """The hardware's phase of a use as scalar int32: (use & 1) ^ (1 if ready). B13."""
    if is_int(use):
        return semantic.to_tensor((use & 1) ^ int(ready))
    if not is_int_scalar(use):
        raise PhaseTypeError(got=describe(use))
    one = semantic.to_tensor(1)
    parity = semantic.cast(semantic.and_(use, one), tl.int32)
    return semantic.xor_(parity, one) if ready else parity


def _checked_count(count: Any) -> int:
    count = unwrap(count)
    if not is_int(count):
        raise BarrierCountTypeError(got=describe(count))
    if not 1 <= count <= _MOST_BARRIERS:
        raise BarrierCountError(got=count, largest=_MOST_BARRIERS)
    return count


def _checked_arrive_count(count: Any) -> int:
    count = unwrap(count)
    if count is None:
        return 1
    if not is_int(count):
        raise ArriveCountTypeError(got=describe(count))
    if not 1 <= count <= _MAX_COUNT:
        raise ArriveCountError(got=count, largest=_MAX_COUNT)
    return count


def _checked_init(init: Any) -> bool:
    """Whether the barriers start READY."""
    init = unwrap(init)
    if init is None:
        return False
    if not isinstance(init, str) or init.lower() not in (PENDING.value, READY.value):
        raise BarrierInitError(got=describe(init))
    return init.lower() == READY.value


def _checked_expect_bytes(expected: Any) -> int | None:
    expected = unwrap(expected)
    if expected is None:
        return None
    if not is_int(expected):
        raise ExpectBytesTypeError(got=describe(expected))
    if not 0 < expected <= _MAX_COUNT or expected % _BYTE_UNIT:
        raise ExpectBytesError(got=expected, largest=_MAX_COUNT // _BYTE_UNIT * _BYTE_UNIT)
    return expected
