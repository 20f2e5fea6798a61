"""The schedule of a modelled Hopper multiprocessor, for timelines: who is first in modelled time goes next.

The costs are rough (they order events and show who waits for whom, they do not predict run times): one operation of each
thread in a cycle, a tensor core of 4096 fp16 operations in a cycle that all partitions share, TMA with a latency and a
bandwidth that all copies share.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .actor import Actor
from .policy import Policy
from .tma import Copy

if TYPE_CHECKING:
    from .timeline import Timeline
    from .wgmma import Group

SYNCHRONISATION = 20
"""Cycles of a wait that passes, of an arrive, of issuing a copy or a product."""

TMA_LATENCY = 600
TMA_BYTES = 32
"""Of one cycle."""

TENSOR_OPERATIONS = 4096
"""Of one cycle, for operands of 16 bits; proportionally more for narrower ones."""


class TimedPolicy(Policy):
    """Has a clock for each actor and engine, and writes what they do to a timeline."""

    timed = True

    def __init__(self, timeline: Timeline) -> None:
        super().__init__(0)
        self._timeline = timeline
        self._now = 0.0
        self._times: dict[Any, float] = {}
        self._spans: dict[Any, tuple[float, float]] = {}
        self._tensor_free = 0.0
        self._tma_free = 0.0

    def choose(self, actors: Sequence[Any], engines: Sequence[Any]) -> Any:
        """The one with the earliest time."""
        candidates = [(self.finish(engine), 0, index, engine) for index, engine in enumerate(engines)]
        candidates += [(self.time(actor), 1, index, actor) for index, actor in enumerate(actors)]
        time, _, _, chosen = min(candidates, key=lambda candidate: candidate[:3])
        self._now = max(self._now, time)
        return chosen

    def poisons(self) -> bool:
        return False

    def pieces(self) -> int:
        return 1

    def time(self, actor: Actor) -> float:
        """Where an actor is; a new one begins now."""
        return self._times.setdefault(actor, self._now)

    def spend(self, actor: Actor, elements: int = 0) -> None:
        """An actor has synchronised, after `elements` element operations."""
        begin = self.time(actor)
        work = elements / actor.threads
        if work:
            self._timeline.span(actor.name, "compute", begin, begin + work, "compute")
        self._times[actor] = begin + work + SYNCHRONISATION

    def waited(self, actor: Actor, since: float, what: str, place: str) -> None:
        """A wait of an actor is over now."""
        end = max(since, self._now)
        self._times[actor] = end
        self._timeline.span(actor.name, f"wait {what}", since, end, "wait", what, place)

    def awaited(self, actor: Actor, groups: Sequence[Group], place: str) -> None:
        """An actor has waited for WGMMA groups."""
        since = self.time(actor)
        end = max([since, *(self.finish(group) for group in groups)])
        self._times[actor] = end
        if end > since:
            self._timeline.span(actor.name, "wait wgmma", since, end, "wait", "wgmma", place)

    def forget(self, engine: Any) -> None:
        super().forget(engine)
        begin, end = self._span(engine)
        self._spans.pop(engine)
        self._timeline.span(engine.lane, f"line {engine.place.line}", begin, end, engine.kind, str(engine.target), str(engine.place))

    def finish(self, engine: Any) -> float:
        """When an engine will have done its work."""
        return self._span(engine)[1]

    def _span(self, engine: Any) -> tuple[float, float]:
        """When an engine's work runs; decided when it is first asked for, which is when it was issued."""
        if engine not in self._spans:
            issued = self._times.get(engine.issuer, self._now)
            if isinstance(engine, Copy):
                begin = max(issued, self._tma_free)
                self._tma_free = begin + engine.bytes / TMA_BYTES
                self._spans[engine] = issued, self._tma_free + TMA_LATENCY
            else:
                begin = max(issued, self._tensor_free)
                self._tensor_free = begin + engine.operations / TENSOR_OPERATIONS
                self._spans[engine] = begin, self._tensor_free
        return self._spans[engine]
