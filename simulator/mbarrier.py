"""mbarriers: objects in shared memory that count arrivals and bytes, phase after phase (PTX ISA, "mbarrier")."""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from .clock import Clock
from .operation import State

if TYPE_CHECKING:
    from .actor import Actor
    from .source import Place


class MBarrier:
    """One slot. A phase completes when nothing is pending, neither arrivals nor bytes; the next one then begins."""

    kind = "mbarrier"

    def __init__(self, key: Hashable, name: str, index: int, count: int, ready: bool, expect_bytes: int | None, place: Place) -> None:
        self.key = key
        self.name = name
        self.index = index
        self.count = count
        self.ready = ready
        self.expect_bytes = expect_bytes
        self.place = place
        self.pending = count
        self.bytes = 0
        self.completed = 0
        self.clock = Clock()
        self.done_clock = Clock()
        self.arrivals: list[tuple[str, Place, int]] = []
        """Who arrived in the phase that is not complete yet."""
        self.total: dict[str, int] = {}
        """Arrivals of each actor, all phases together."""
        self.history: list[int] = []
        """Arrivals that each complete phase had."""
        self.seen: dict[Actor, int] = {}
        """Phases complete when an actor's last wait passed."""
        self.observed: dict[int, list[tuple[Actor, int]]] = {}
        """Complete phases -> the events at which waits saw so many."""
        self.overrun = 0
        """The last phase that was completed although nobody is known to have waited for the one before."""
        self.last: tuple[str, float] | None = None
        """Lane and modelled time of the last arrival, for a timeline."""
        self.unfilled = 0
        """Bytes the copies of the current use have still to bring before they are what was expected."""

    def __str__(self) -> str:
        return f"{self.name}[{self.index}]"

    @property
    def tma(self) -> tuple[str, MBarrier]:
        """The component of the copies that complete here."""
        return "tma", self

    @property
    def phases(self) -> tuple[str, MBarrier]:
        """The component of the phases that are complete."""
        return "phases", self

    def known(self, actor: Actor) -> int:
        """Phases that `actor` knows to be complete: by a wait of its own, or from others that synchronized with it."""
        return max(self.seen.get(actor, actor.born.get(self, 0)), actor.clock.get(self.phases, 0))

    @property
    def state(self) -> State:
        """What an operation finds."""
        return State(self.completed, max(0, self.pending), self.bytes)

    def arrive(self, count: int, actor: str, place: Place, clock: Clock) -> int:
        """`count` arrivals; those beyond what was pending (an error on the device) are returned and count for the next phase."""
        beyond = max(0, count - max(0, self.pending))
        self.clock.join(clock)
        self.pending -= count
        self.arrivals.append((actor, place, count))
        self.total[actor] = self.total.get(actor, 0) + count
        self._advance()
        return beyond

    def observe(self, actor: Actor) -> None:
        """A wait of `actor` has passed: it knows what happened before the last complete phase."""
        actor.clock.join(self.done_clock)
        self.observed.setdefault(self.completed, []).append((actor, actor.clock[actor]))
        self.seen[actor] = self.completed

    def expect(self, count: int) -> None:
        """`count` more bytes have to come before the phase is complete."""
        self.bytes += count

    def deliver(self, count: int, phase: int) -> None:
        """A copy issued in `phase` has brought `count` bytes."""
        self.bytes -= count
        self.clock[self.tma] = max(self.clock.get(self.tma, 0), phase + 1)
        self._advance()

    def _advance(self) -> None:
        while self.pending <= 0 and self.bytes == 0:
            watched = any(self.clock.knows(actor, count) for actor, count in self.observed.pop(self.completed, []))
            if not watched and (self.completed or self.ready):
                self.overrun = self.completed + 1
            self.completed += 1
            self.pending += self.count
            self.clock[self.phases] = self.completed
            self.done_clock = self.clock.copy()
            self.history.append(sum(count for _, _, count in self.arrivals))
            self.arrivals = []
