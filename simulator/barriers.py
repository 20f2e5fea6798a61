"""Barriers of a kernel: `flagtree.language.backend.Backend`'s part about them."""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from flagtree.language.errors import BarrierIndexRangeError

from .builder import program
from .deadlock import Wait
from .findings import (ArrivalPhaseFinding, MixedBarrierFinding, NamedThreadsFinding, OverArrivalFinding, PhaseMissedFinding,
                       PhaseOverrunFinding)
from .mbarrier import MBarrier
from .named_barrier import NamedBarrier
from .operation import ARRIVE, WAIT, Operation
from .source import Place, assigned_name, here

if TYPE_CHECKING:
    import triton.language as tl

    from flagtree.language.barrier import barrier, barrier_type


class Slot:
    """One barrier of an array. Its first use decides whether it is an mbarrier or a named barrier."""

    def __init__(self, key: Hashable, name: str, index: int, type: barrier_type, place: Place) -> None:
        self._key = key
        self.name = name
        self._index = index
        self._type = type
        self._place = place
        self._mbarrier: MBarrier | None = None
        self._named: NamedBarrier | None = None
        self._first: Place | None = None

    def mbarrier(self) -> MBarrier:
        """The slot as an mbarrier."""
        if self._mbarrier is None:
            type = self._type
            self._mbarrier = MBarrier((*self._key, self._index), self.name, self._index, type.arrive_count, type.ready, type.expect_bytes, self._place)
            program().slots.append(self._mbarrier)
            self._used(self._named is not None, "named barrier", "mbarrier")
        return self._mbarrier

    def named(self) -> NamedBarrier:
        """The slot as a named barrier."""
        if self._named is None:
            self._named = NamedBarrier((*self._key, self._index, "named"), self.name, self._index, self._type.arrive_count, self._place)
            self._used(self._mbarrier is not None, "mbarrier", "named barrier")
        return self._named

    def _used(self, mixed: bool, first: str, second: str) -> None:
        place = here()
        if mixed:
            places = [(f"used as a {first}", self._first), (f"used as a {second}", place)]
            program().report(MixedBarrierFinding(places, barrier=f"{self.name}[{self._index}]", first=first, second=second))
        self._first = place


def alloc_barriers(type: barrier_type) -> list[Slot]:
    """Slots in their initial state."""
    place = here()
    name = assigned_name(place) or f"barrier of line {place.line}"
    key = program().current.make()
    return [Slot(key, name, index, type, place) for index in range(type.count)]


def barrier_slot(bars: barrier, index: tl.tensor) -> Slot:
    """One slot. Raises BarrierIndexRangeError: the device would take other memory for a barrier."""
    position = int(index.handle.data.item())
    count = len(bars.handle)
    if not 0 <= position < count:
        raise BarrierIndexRangeError(index=position, count=count, last=count - 1)
    return bars.handle[position]


def barrier_wait(bar: barrier, use: int | tl.tensor, parity: tl.tensor) -> None:
    """Wait for a phase of an mbarrier by its parity, as the hardware does."""
    now = program()
    slot, bit = bar.handle.mbarrier(), int(parity.handle.data.item())
    now.pause()
    now.wait(Wait(slot, Operation(WAIT, slot.key, wanted=bit), here(), _number(use), bit))
    actor = now.current
    before = slot.known(actor)
    slot.observe(actor)
    if slot.completed - before >= 2:
        now.report(PhaseMissedFinding([(f"{actor} waits", here()), (f"{slot.name} is allocated", slot.place)], actor=actor, barrier=slot,
                                      completed=slot.completed, before=before, missed=slot.completed - before - 1))


def barrier_arrive(bar: barrier, count: int, use: int | tl.tensor) -> None:
    """Arrive at an mbarrier; the hardware does not know the use, and takes it for the one that is not complete yet."""
    now = program()
    now.pause()
    slot, number = bar.handle.mbarrier(), _number(use)
    actor, completed = now.current, slot.completed
    now.note(Operation(ARRIVE, slot.key, count), slot.state)
    arrive(slot, count)
    if (number - completed) % 2:
        now.report(ArrivalPhaseFinding([(f"{actor} arrives", here()), (f"{slot.name} is allocated", slot.place)], actor=actor, barrier=slot,
                                       use=number, completed=completed))


def _number(use: int | tl.tensor) -> int:
    """A phaseIdx as Python's integer."""
    return use if isinstance(use, int) else int(use.handle.data.item())


def arrive(slot: MBarrier, count: int) -> None:
    """`count` arrivals of the current actor at its current line."""
    now = program()
    actor, place, pending = now.current, here(), max(0, slot.pending)
    earlier = [(f"{name} arrives", line) for name, line, _ in slot.arrivals]
    if now.policy.timed:
        slot.last = actor.name, now.policy.time(actor)
    overrun = slot.overrun
    beyond = slot.arrive(count, actor.name, place, actor.release())
    if slot.overrun > overrun:
        total = ", ".join(f"{number} by {name}" for name, number in slot.total.items())
        now.report(PhaseOverrunFinding([(f"{actor} arrives", place), (f"{slot.name} is allocated", slot.place)], actor=actor, barrier=slot,
                                       phase=slot.overrun - 1, before=slot.overrun - 2, count=slot.count, total=total))
    if beyond:
        now.report(OverArrivalFinding([*earlier, (f"{actor} arrives", place)], actor=actor, barrier=slot, pending=pending,
                                      count=slot.count, beyond=beyond))


def named_barrier_wait(bar: barrier) -> None:
    """Arrive with all threads of the partition and wait for the others."""
    now = program()
    slot = bar.handle.named()
    now.pause()
    rounds = slot.completed
    _named_arrive(slot)
    now.wait(Wait(slot, Operation(WAIT, slot.key, wanted=rounds, named=True), here()))
    now.current.clock.join(slot.done_clock)


def named_barrier_arrive(bar: barrier) -> None:
    """Arrive with all threads of the partition and go on."""
    program().pause()
    _named_arrive(bar.handle.named())


def _named_arrive(slot: NamedBarrier) -> None:
    now = program()
    actor, place = now.current, here()
    places = [*((f"{name} takes part", line) for name, line, _ in slot.arrivals), (f"{actor} takes part", place)]
    if now.policy.timed:
        slot.last = actor.name, now.policy.time(actor)
    now.note(Operation(ARRIVE, slot.key, actor.threads), slot.state)
    problem = slot.arrive(actor.threads, actor.name, place, actor.release())
    if problem:
        now.report(NamedThreadsFinding(places, barrier=slot, threads=slot.threads, problem=problem))
