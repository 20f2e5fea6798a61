"""What a step of a program does to the objects that its actors and engines share, and which of it may change places.

Two things are called independent if whichever comes first, the same follows from both together. At a barrier:

    waits                 are independent of each other; they only look
    a wait and the rest   are not: an arrival may end the phase that the wait is for
    arrivals, data        of the same phase are independent: the phase ends with the last of them, whichever that is
    copies                are not: the first one of a use arrives and says how many bytes to expect

Atomics are independent if they touch different bytes. Other accesses to shared memory need not be looked at: two of them that
conflict and are in no order are a race, which any of their orders shows.
"""
from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

ARRIVE, COPY, DATA, WAIT, ATOMIC = "arrive", "copy", "data", "wait", "atomic"


class Operation(NamedTuple):
    """`target`: the object, by a name that is the same in every run. `count`: arrivals (threads at a named barrier). `bytes`: that
    have come. `wanted`: of a wait, the parity at an mbarrier or the rounds at a named barrier. `span`: of an atomic, first and
    last+1 byte."""

    kind: str
    target: Hashable
    count: int = 0
    bytes: int = 0
    wanted: int = 0
    named: bool = False
    span: tuple[int, int] = (0, 0)

    def passes(self, completed: int) -> bool:
        """Whether a wait is over when so many phases, or rounds, are complete."""
        return completed > self.wanted if self.named else completed & 1 != self.wanted


class State(NamedTuple):
    """A barrier before an operation: complete phases, arrivals and bytes that the current one still needs."""

    completed: int = 0
    pending: int = 0
    bytes: int = 0


def commute(first: Operation, second: Operation, state: State) -> bool:
    """Whether two operations of different actors or engines, both possible in `state` of the first one's target, are independent."""
    if first.target != second.target:
        return True
    if first.kind == ATOMIC:
        return not _overlap(first, second)
    if WAIT in (first.kind, second.kind):
        return first.kind == second.kind
    if first.kind == second.kind == COPY or _completes(first, state) or _completes(second, state):
        return False
    return first.count + second.count <= state.pending


def ordered(earlier: Operation, before_earlier: State, later: Operation, before_later: State) -> bool:
    """Whether two operations that have happened, on the same target, are not independent."""
    if earlier.kind == ATOMIC:
        return _overlap(earlier, later)
    if WAIT in (earlier.kind, later.kind):
        return earlier.kind != later.kind
    if earlier.kind == later.kind == COPY or before_earlier.completed != before_later.completed:
        return True
    return earlier.count > before_earlier.pending or later.count > before_later.pending


def _completes(operation: Operation, state: State) -> bool:
    return operation.kind != COPY and operation.count >= state.pending and operation.bytes == state.bytes


def _overlap(first: Operation, second: Operation) -> bool:
    return first.span[0] < second.span[1] and second.span[0] < first.span[1]
