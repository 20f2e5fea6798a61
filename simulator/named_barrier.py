"""Named barriers: 16 counters of a block that count threads (PTX ISA, "bar.sync" and "bar.arrive")."""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from .clock import Clock
from .operation import State

if TYPE_CHECKING:
    from .source import Place


class NamedBarrier:
    """One slot in its named use. It lets everyone go, and starts anew, when as many threads as expected have arrived."""

    kind = "named barrier"

    def __init__(self, key: Hashable, name: str, index: int, threads: int, place: Place) -> None:
        self.key = key
        self.name = name
        self.index = index
        self.threads = threads
        self.place = place
        self.arrived = 0
        self.completed = 0
        self.alone: str | None = None
        """Who has completed a round alone."""
        self.arrivals: list[tuple[str, Place, int]] = []
        self.total: dict[str, int] = {}
        self.last: tuple[str, float] | None = None
        """Lane and modelled time of the last arrival, for a timeline."""
        self.clock = Clock()
        self.done_clock = Clock()

    def __str__(self) -> str:
        return f"{self.name}[{self.index}]"

    @property
    def state(self) -> State:
        """What an operation finds."""
        return State(self.completed, self.threads - self.arrived)

    def arrive(self, threads: int, actor: str, place: Place, clock: Clock) -> str | None:
        """`threads` threads arrive. What is wrong with it, if anything, for a message."""
        problem = None
        if any(name == actor for name, _, _ in self.arrivals):
            problem = f"{actor} arrives twice before the other participants have arrived once"
        elif self.arrived + threads > self.threads:
            who = ", ".join(f"{name} with {count}" for name, _, count in [*self.arrivals, (actor, place, threads)])
            problem = f"{self.arrived + threads} threads have arrived ({who})"
        elif self.alone not in (None, actor):
            problem = f"{self.alone} has completed a round alone, without {actor}"
        self.clock.join(clock)
        self.arrived += threads
        self.arrivals.append((actor, place, threads))
        self.total[actor] = self.total.get(actor, 0) + threads
        if self.arrived >= self.threads:
            self.completed += 1
            if len(self.arrivals) == 1:
                self.alone = actor
            self.arrived = 0
            self.arrivals = []
            self.done_clock = self.clock.copy()
        return problem
