"""Why nobody can move: who waits for whom, and what is the likely cause."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .findings import (ArrivalsMissingFinding, BytesMissingFinding, CircularWaitFinding, DeadlockFinding, NeverArrivedFinding,
                       OneUseTooManyFinding, ThreadsMissingFinding, WrongPhaseFinding)
from .mbarrier import MBarrier
from .named_barrier import NamedBarrier
from .operation import Operation
from .source import Place

if TYPE_CHECKING:
    from .actor import Actor


@dataclass
class Wait:
    """What an actor waits for. `use` is phaseIdx, `parity` the phase of the hardware; both None at a named barrier."""

    barrier: MBarrier | NamedBarrier
    operation: Operation
    place: Place
    use: int | None = None
    parity: int | None = None

    def over(self) -> bool:
        return self.operation.passes(self.barrier.completed)


def explain(actors: list[Actor]) -> DeadlockFinding:
    """The finding for a program in which every actor is done or waits, and no engine has work."""
    stuck = [actor for actor in actors if not actor.done]
    edges = {actor: [other for other in _arrivers(actor, actors) if not other.done] for actor in stuck}
    cycle = _cycle(edges)
    causes = [_cause(actor, actors) for actor in stuck]
    rule, actor, values = min(causes, key=lambda cause: _ORDER.index(cause[0]))
    if rule is OneUseTooManyFinding and len(cycle) > 1:
        rule, values = CircularWaitFinding, {"circle": " -> ".join(f"{one} waits at {one.waiting.barrier}" for one in cycle)}
    lines = [_describe(one) for one in stuck]
    lines += [f"{one} has ended" for one in actors if one.done]
    if len(cycle) > 1:
        lines.append("circle of waits: " + " -> ".join([*map(str, cycle), str(cycle[0])]))
    if rule is not CircularWaitFinding:
        values = {"actor": actor, "barrier": actor.waiting.barrier, **values}
    places = [(f"{one} waits at {one.waiting.barrier}", one.waiting.place) for one in stuck]
    finding = rule(places, tuple(lines), [_data(one) for one in stuck], [str(one) for one in cycle] if len(cycle) > 1 else [], **values)
    return finding


def _describe(actor: Actor) -> str:
    wait = actor.waiting
    barrier = wait.barrier
    if isinstance(barrier, NamedBarrier):
        came = ", ".join(f"{name} with {count}" for name, _, count in barrier.arrivals) or "nobody"
        return f"{actor}: named barrier {barrier}: {barrier.arrived} of {barrier.threads} threads have arrived ({came})"
    arrived = barrier.count - barrier.pending
    came = ", ".join(dict.fromkeys(f"{name} at line {place.line}" for name, place, _ in barrier.arrivals)) or "nobody"
    text = (f"{actor}: {barrier}: wants use {wait.use} (parity {wait.parity}), {barrier.completed} phase(s) complete; the next has "
            f"{arrived} of {barrier.count} arrivals ({came})")
    return text + (f", {barrier.bytes} bytes missing" if barrier.bytes else "")


def _data(actor: Actor) -> dict[str, Any]:
    """The wait as plain data."""
    wait, barrier = actor.waiting, actor.waiting.barrier
    data = {"partition": actor.name, "file": wait.place.file, "line": wait.place.line, "barrier": barrier.name, "slot": barrier.index,
            "kind": barrier.kind}
    if isinstance(barrier, NamedBarrier):
        return data | {"threads": barrier.threads, "missing": barrier.threads - barrier.arrived}
    return data | {"use": wait.use, "parity": wait.parity, "complete": barrier.completed, "missing": barrier.pending,
                   "bytes": barrier.bytes}


def _arrivers(actor: Actor, actors: list[Actor]) -> list[Actor]:
    """Who might complete what `actor` waits for: those who have arrived at the barrier before, else those who were given it."""
    barrier = actor.waiting.barrier
    others = [other for other in actors if other is not actor]
    return [other for other in others if other.name in barrier.total] or [other for other in others if barrier.name in other.barriers]


def _cycle(edges: dict[Actor, list[Actor]]) -> list[Actor]:
    """A shortest circle in the wait-for graph; [] if there is none."""
    best: list[Actor] = []
    for start in edges:
        paths = [[start]]
        seen = set()
        while paths:
            path = paths.pop(0)
            for following in edges.get(path[-1], []):
                if following is start and (not best or len(path) < len(best)):
                    best = path
                elif following not in seen and following in edges:
                    seen.add(following)
                    paths.append([*path, following])
    return best


_ORDER = [BytesMissingFinding, ThreadsMissingFinding, ArrivalsMissingFinding, NeverArrivedFinding, WrongPhaseFinding,
          OneUseTooManyFinding]
"""What explains more comes first."""


def _cause(actor: Actor, actors: list[Actor]) -> tuple[type[DeadlockFinding], Actor, dict[str, Any]]:
    """The rule that fits the wait of one actor best, and the values of its template."""
    wait, barrier = actor.waiting, actor.waiting.barrier
    arrivers = _arrivers(actor, actors)
    doing = "; ".join(f"{other} has ended" if other.done else f"{other} waits at {other.waiting.barrier}" for other in arrivers)
    doing = doing or "no other partition was given this barrier"
    if isinstance(barrier, NamedBarrier):
        return ThreadsMissingFinding, actor, {"arrived": barrier.arrived, "threads": barrier.threads, "why": doing}
    if barrier.bytes:
        return BytesMissingFinding, actor, {"expected": barrier.expect_bytes, "missing": barrier.bytes, "why": doing}
    if 0 < barrier.pending < barrier.count:
        return ArrivalsMissingFinding, actor, {"arrived": barrier.count - barrier.pending, "count": barrier.count, "why": doing}
    if not barrier.total:
        return NeverArrivedFinding, actor, {"why": doing}
    if wait.use is not None and _complete(wait.use, barrier):
        return WrongPhaseFinding, actor, {"use": wait.use, "parity": wait.parity, "completed": barrier.completed, "why": doing}
    return OneUseTooManyFinding, actor, {"why": f"{_arrived_text(barrier)}; {doing}"}


def _complete(use: int, barrier: MBarrier) -> bool:
    """Whether use `use` is complete, so that the wait counts wrongly or came too late."""
    return use < barrier.completed + (1 if barrier.ready else 0)


def _arrived_text(barrier: MBarrier) -> str:
    return "arrivals so far: " + ", ".join(f"{count} by {name}" for name, count in barrier.total.items())
