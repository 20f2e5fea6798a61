"""One program of the grid while it runs: its memory, its actors, the engines that work for them, and what goes wrong."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from flagtree.errors import MissingExtraError

from .actor import Actor
from .arena import Allocation, Arena
from .deadlock import Wait, explain
from .findings import (AccumulatorFinding, BarrierAtExitFinding, BufferBeforeWaitFinding, CopyNeverAwaitedFinding, Finding,
                       OperandOverwrittenRace, ReadAfterWriteRace, UninitialisedReadFinding, WriteAfterReadRace, WriteAfterWriteRace)
from .interleavings import MOST_STEPS
from .mbarrier import MBarrier
from .operation import ATOMIC, DATA, Operation, State
from .policy import Policy
from .session import Session
from .shadow import Access, runs
from .source import here
from .tma import Copy
from .wgmma import Group

_PATIENCE = MOST_STEPS
"""Turns that an actor may have one after the other while others could go on: one that polls waits for them. Not less than MOST_STEPS: where
interleavings are enumerated, all who can go must be candidates."""


class Program:
    """A program and its schedule. `current` is the actor that runs now."""

    def __init__(self, session: Session, grid: tuple[int, int, int], warps: int, name: str = "the kernel", number: int = 0) -> None:
        self.session = session
        self.number = number
        self.grid = grid
        self.arena = Arena()
        if session.timeline is not None:
            session.timeline.begin(f"{name}, program {grid}")
        self.work = 0
        """Elements computed since the current actor's last pause."""
        self.main = self.current = Actor(name, warps)
        self.actors: list[Actor] = []
        """The partitions of the running warp_specialize."""
        self.copies: list[Copy] = []
        self.slots: list[MBarrier] = []
        self.found: list[Finding] = []
        self._hub: Any = None

    # Scheduling

    @functools.cached_property
    def policy(self) -> Policy:
        """Who goes next; made when it is first asked, as a kernel without shared memory never does."""
        return self.session.policy(self.number)

    def pause(self) -> None:
        """A point at which others may go on: before everything that another actor can notice."""
        if self.policy.timed:
            self.policy.spend(self.current, self.work)
            self.work = 0
        if self._hub is not None:
            self._hub.switch()
        elif self.copies or self.main.groups:
            self._engines([self.main])

    def pause_among_partitions(self) -> None:
        """A pause in front of an access to global memory, which partitions, but no engine, may poll."""
        if self._hub is not None:
            self.pause()

    def wait(self, wait: Wait) -> None:
        """The current actor goes on when `wait` is over. Raises a DeadlockFinding if that cannot happen any more."""
        actor = self.current
        actor.waiting = wait
        self.policy.request(actor, wait.operation)
        since = self.policy.time(actor) if self.policy.timed else 0
        if self._hub is not None:
            self._hub.switch()
        else:
            while not wait.over() or self._step_engine([actor]):
                if not wait.over() and not self._step_engine([]):
                    self._deadlock([actor])
        actor.waiting = None
        self.note(wait.operation, wait.barrier.state)
        if self.policy.timed:
            self.policy.waited(actor, since, str(wait.barrier), str(wait.place))
            if wait.barrier.last is not None and self.policy.time(actor) > since:
                self.session.timeline.arrow(*wait.barrier.last, actor.name, self.policy.time(actor), str(wait.barrier))

    def partitions(self, actors: list[Actor], bodies: list[Callable[[], Any]]) -> list[Any]:
        """Run each body as its actor until all are done; their results."""
        try:
            import greenlet
        except ImportError:
            raise MissingExtraError(package="greenlet") from None
        results: list[Any] = [None] * len(actors)

        def run(index: int) -> None:
            results[index] = bodies[index]()
            actors[index].done = True

        self.actors, self._hub = actors, greenlet.getcurrent()
        for index, actor in enumerate(actors):
            self.policy.follows(actor, [self.main])
            actor.greenlet = greenlet.greenlet(run)
            actor.start = index
        streak = 0
        try:
            while not all(actor.done for actor in actors):
                ready = [actor for actor in actors if not actor.done and actor.ready()]
                engines = self._working()
                if not ready and not engines:
                    self._deadlock(actors)
                if streak >= _PATIENCE and (len(ready) > 1 or engines):
                    ready = [actor for actor in ready if actor is not self.current]
                    streak = 0
                chosen = self.policy.choose(ready, engines)
                streak = streak + 1 if chosen is self.current else 0
                if isinstance(chosen, Actor):
                    self.current = chosen
                    chosen.greenlet.switch(*(() if chosen.greenlet else (chosen.start, )))
                    if chosen.done:
                        self._drain(chosen)
                else:
                    self._step(chosen)
        finally:
            for actor in actors:
                if actor.greenlet:
                    actor.greenlet.throw(greenlet.GreenletExit)
            self.actors, self._hub, self.current = [], None, self.main
        self.policy.follows(self.main, actors)
        return results

    def note(self, operation: Operation, state: State, process: Any = None) -> None:
        """The current actor, or `process`, does something that others can notice."""
        if self.policy.recording:
            self.policy.note(process or self.current, operation, state)

    def _engines(self, actors: list[Actor]) -> None:
        """Let engines work until the policy prefers an actor."""
        while self._step_engine(actors):
            pass

    def _step_engine(self, actors: list[Actor]) -> bool:
        """Let the policy choose; False if it is an actor's turn or no engine has work."""
        engines = self._working()
        if not engines:
            return False
        chosen = self.policy.choose(actors, engines)
        if isinstance(chosen, Actor):
            return False
        self._step(chosen)
        return True

    def _working(self) -> list[Any]:
        groups = [actor.groups[0] for actor in (self.actors or [self.main]) if actor.groups]
        return [*self.copies, *groups]

    def _step(self, engine: Any) -> None:
        if isinstance(engine, Copy):
            self.note(Operation(DATA, engine.barrier.key, bytes=engine.bytes), engine.barrier.state, engine)
        if not engine.step():
            return
        if isinstance(engine, Copy):
            self.copies.remove(engine)
            if self.policy.timed:
                engine.barrier.last = engine.lane, self.policy.finish(engine)
        else:
            engine.actor.groups.remove(engine)
        self.policy.forget(engine)

    def complete(self, actor: Actor, pendings: int) -> None:
        """Let the oldest WGMMA groups of `actor` finish until `pendings` are left."""
        if self.policy.timed:
            self.policy.awaited(actor, actor.groups[:max(0, len(actor.groups) - pendings)], str(here()))
        while len(actor.groups) > pendings:
            self._step(actor.groups[0])

    def _drain(self, actor: Actor) -> None:
        if actor.groups:
            self.complete(actor, 0)

    def _deadlock(self, actors: list[Actor]) -> None:
        finding = explain(actors)
        self._stamp(finding)
        self.session.add(finding)
        raise finding

    # Findings

    def report(self, finding: Finding) -> None:
        """Note what is wrong; the program goes on."""
        self._stamp(finding)
        self.found.append(finding)
        self.session.add(finding)

    def _stamp(self, finding: Finding) -> None:
        finding.grid, finding.seed = self.grid, self.session.seed

    def finish(self) -> None:
        """The program has ended: what it leaves unfinished is wrong, and in a strict session the first finding is raised."""
        self._drain(self.main)
        while self.copies:
            self._step(self.copies[0])
        for slot in self.slots:
            self._check_exit(slot)
        if self.session.strict and self.found:
            raise self.found[0]

    def _check_exit(self, slot: MBarrier) -> None:
        places = [(f"{name} arrives", place) for name, place, _ in slot.arrivals] or [(f"{slot.name} is allocated", slot.place)]
        seen = max(slot.seen.values(), default=0)
        if slot.bytes:
            state = f"{slot.bytes} of the {slot.expect_bytes} bytes of a use have not come"
            self.report(BarrierAtExitFinding(places, barrier=slot, state=state))
        elif slot.pending != slot.count:
            state = f"{slot.count - slot.pending} of {slot.count} arrivals"
            self.report(BarrierAtExitFinding(places, barrier=slot, state=state))
        elif slot.completed > seen and slot.expect_bytes is not None:
            self.report(CopyNeverAwaitedFinding(places, barrier=slot, completed=slot.completed, seen=seen))
        elif slot.completed > seen and not slot.ready:
            self.report(BarrierAtExitFinding(places, barrier=slot, state=f"{slot.completed} use(s) are complete, {seen} were waited for"))

    # Shared memory

    def read(self, view: np.ndarray) -> None:
        """The current actor reads a whole view."""
        self._touch_view(view, False, self._access(""))

    def write(self, view: np.ndarray) -> None:
        """The current actor writes a whole view."""
        self._touch_view(view, True, self._access(""))

    def read_by(self, view: np.ndarray, group: Group) -> None:
        """A WGMMA group of the current actor reads a view from now to its completion."""
        actor = self.current
        self._touch_view(view, False, Access(actor.queue, group.number, f"WGMMA of {actor}", "WGMMA", False, group.place))

    def write_by(self, view: np.ndarray, copy: Copy) -> None:
        """A TMA load of the current actor writes a view from now to its completion."""
        access = Access(copy.barrier.tma, copy.phase + 1, f"TMA load of {self.current}", "TMA", False, copy.place)
        self._touch_view(view, True, access)

    def touch(self, addresses: np.ndarray, size: int, write: bool, atomic: bool = False) -> None:
        """The current actor accesses the elements of `size` bytes at `addresses` (uint64, one dimension), all inside of buffers."""
        if not addresses.size:
            return
        access = self._access("", atomic)
        first = int(addresses[0])
        allocation = self.arena.find(first)
        last = first + size * addresses.size
        if last <= allocation.address + allocation.array.nbytes and bool((np.diff(addresses) == size).all()):
            self._touch(allocation, first - allocation.address, last - allocation.address, write, access)
            return

        def one(begin: int, end: int) -> None:
            while begin < end:
                part = self.arena.find(begin)
                stop = min(end, part.address + part.array.nbytes)
                self._touch(part, begin - part.address, stop - part.address, write, access)
                begin = stop

        runs(np.unique(addresses).tolist(), size, one)

    def _access(self, engine: str, atomic: bool = False) -> Access:
        actor = self.current
        return Access(actor, actor.clock[actor], actor.name, engine, atomic, here())

    def _touch_view(self, view: np.ndarray, write: bool, access: Access) -> None:
        allocation = self.arena.of(view)
        self._touch(allocation, *allocation.span(view), write, access)

    def _touch(self, allocation: Allocation, first: int, last: int, write: bool, access: Access) -> None:
        clock = self.current.clock
        if access.atomic:
            self.note(Operation(ATOMIC, allocation.key, span=(first, last)), State())
        if write:
            conflicts, fresh = allocation.shadow.write(first, last, access, clock), None
        else:
            conflicts, fresh = allocation.shadow.read(first, last, access, clock)
        for earlier, was_write, begin, end in conflicts[:4]:
            self._race(allocation, earlier, was_write, access, write, (max(begin, first), min(end, last)))
        if fresh:
            self.report(UninitialisedReadFinding([(f"{access.actor} reads", access.place)], actor=access.actor, buffer=allocation.name,
                                                 bytes=f"{fresh[0]}..{fresh[1] - 1}"))

    def _race(self, allocation: Allocation, earlier: Access, was_write: bool, later: Access, write: bool, touched: tuple[int, int]) -> None:
        """Report two accesses in no order; the rule depends on what they are."""
        if was_write and earlier.engine == "TMA" and later.engine != "TMA":
            rule = BufferBeforeWaitFinding
        elif was_write and write:
            rule = WriteAfterWriteRace
        elif was_write:
            rule = ReadAfterWriteRace
        elif earlier.engine == "WGMMA":
            rule = OperandOverwrittenRace
        else:
            rule = WriteAfterReadRace
        places = [(f"{earlier.actor} {'writes' if was_write else 'reads'}", earlier.place), (f"{later.actor} {'writes' if write else 'reads'}", later.place)]
        lines = (f"missing: an arrive of {earlier.actor} after line {earlier.place.line} and a wait for it before line {later.place.line}", )
        self.report(rule(places, lines, touched, later=later.actor, earlier=earlier.actor, buffer=allocation.name))

    def misused(self, group: Group) -> None:
        """The result of a group is looked at before its wait."""
        actor = self.current
        pending = group.actor.issued - group.number + 1
        self.report(AccumulatorFinding([("the wgmma", group.place), (f"{actor} uses its result", here())], actor=actor, pending=pending))
