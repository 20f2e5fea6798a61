"""Every interleaving that can make a difference, once: partial-order reduction by running a kernel again and again.

A run is a list of steps, each of an actor or of a TMA copy. Steps that are independent (operation.py) may change places, and runs
that differ in nothing else are the same interleaving. After a run, each pair of steps that are not independent and that nothing
else orders is a race; the reverse order is tried from the state before its first step. What was tried there already falls asleep,
and wakes up when something it depends on happens. This is Source-DPOR of Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic
partial order reduction" (POPL 2014), with waits, which a step can end and forbid again, tried at every state in which they pass.

The programs of a grid run one after the other, so each has a tree of its own, and a run takes one more branch of every tree.
"""
from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from .operation import WAIT, Operation, State, commute, ordered
from .order import Ordered, order_text

MOST_STEPS = 10_000
"""Of a program whose interleavings are looked at: what is kept of a run grows with the square of its steps."""

Process = Hashable
"""Key of an actor or a copy, the same in every run."""


class Step:
    """What one process did until another one's turn. `after`: steps of others that are over when it begins."""

    __slots__ = ("after", "operations", "process")

    def __init__(self, process: Process, after: list[int]) -> None:
        self.process = process
        self.after = after
        self.operations: list[tuple[Operation, State]] = []


class Node:
    """A state on the current path. `chosen`: who goes next. `todo`: who must go next in some run. `tried`: who has, with what it
    did. `asleep`: who was tried in a state before, and what it would do still commutes with everything since."""

    __slots__ = ("asleep", "chosen", "enabled", "todo", "tried")

    def __init__(self, chosen: Process, enabled: tuple[Process, ...], asleep: dict[Process, list[Operation]]) -> None:
        self.chosen = chosen
        self.enabled = enabled
        self.asleep = asleep
        self.tried: dict[Process, list[Operation]] = {}
        self.todo: set[Process] = set()

    def covers(self, process: Process) -> bool:
        return process == self.chosen or process in self.todo or process in self.tried or process in self.asleep


class Tree:
    """The interleavings of one program. `found`: how many were run. `over`: there is nothing left to try. `complete`: all were run."""

    def __init__(self) -> None:
        self.path: list[Node] = []
        self.found = 0
        self.over = False
        self.complete = False
        self._fresh = 0
        """Where the current path leaves the one before."""

    def learn(self, walk: Walk) -> None:
        """Take in a run, and choose the branch of the next one."""
        if walk.lost or len(walk.steps) < len(self.path):
            self.path, self.over = [], True
            return
        steps = walk.steps[:walk.redundant]
        if walk.redundant is None:
            self.found += 1
        else:
            del self.path[walk.redundant:]
        _Races(self.path, steps, self._fresh).find(walk.waiting if walk.redundant is None else {})
        while self.path:
            node = self.path[-1]
            node.tried[node.chosen] = [operation for operation, _ in steps[len(self.path) - 1].operations]
            left = [process for process in node.enabled if process in node.todo and process not in node.tried and process not in node.asleep]
            if left:
                node.chosen, self._fresh = left[0], len(self.path) - 1
                return
            self.path.pop()
        self.over = self.complete = True


class Walk(Ordered):
    """One run: along the path of a tree, then whoever comes first and is not asleep."""

    recording = True

    def __init__(self, tree: Tree) -> None:
        super().__init__({})
        self._tree = tree
        self.steps: list[Step] = []
        self.waiting: dict[Process, tuple[Operation, int | None]] = {}
        """Waits that are not over: the operation, and the last step of who waits."""
        self.redundant: int | None = None
        """The step where everyone who could go was asleep: what follows was run before."""
        self.lost = False
        """The program is too long, or did not go the way it went before."""
        self._last: dict[Process, int] = {}
        self._after: dict[Process, list[int]] = {}

    def pick(self, candidates: Sequence[Any]) -> int:
        if self.lost:
            return 0
        keys = tuple(candidate.key for candidate in candidates)
        path, depth = self._tree.path, len(self.steps)
        if depth == len(path):
            path.append(self._new(keys))
        node = path[depth]
        self.lost = node.enabled != keys or depth == MOST_STEPS
        if self.lost:
            return 0
        self.steps.append(Step(node.chosen, self._after.pop(node.chosen, [])))
        self._last[node.chosen] = depth
        return keys.index(node.chosen)

    def _new(self, keys: tuple[Process, ...]) -> Node:
        """The state after the last step."""
        asleep = self._asleep() if self.steps and self.redundant is None else {}
        awake = [key for key in keys if key not in asleep]
        if not awake:
            self.redundant = len(self.steps)
        return Node((awake or keys)[0], keys, asleep)

    def _asleep(self) -> dict[Process, list[Operation]]:
        """Who was asleep before the last step, or tried in its place, and is independent of it."""
        node, done = self._tree.path[-1], self.steps[-1].operations
        return {process: operations for process, operations in (node.asleep | node.tried).items()
                if all(commute(first, second, state) for first, state in done for second in operations)}

    def note(self, process: Any, operation: Operation, state: State) -> None:
        if not self.lost and (not self.steps or self.steps[-1].process != process.key):
            self.pick([process])  # nobody was asked: there was no choice
        if not self.lost:
            self.steps[-1].operations.append((operation, state))
        if operation.kind == WAIT:
            del self.waiting[process.key]

    def request(self, process: Any, operation: Operation) -> None:
        self.waiting[process.key] = operation, self._last.get(process.key)

    def follows(self, process: Any, others: Sequence[Any]) -> None:
        self._after[process.key] = [self._last[other.key] for other in others if other.key in self._last]


class _Races:
    """What is in no order in a run. A set of steps is an integer, with the bit of each step in it."""

    def __init__(self, path: list[Node], steps: list[Step], fresh: int) -> None:
        self._path = path
        self._steps = steps
        self._fresh = fresh
        self._past: list[int] = []
        """Steps that happen before each step."""
        self._history: dict[Hashable, list[tuple[int, Operation, State]]] = {}

    def find(self, waiting: dict[Process, tuple[Operation, int | None]]) -> None:
        """Note in the states of the path who else must go first there. `waiting`: who waits at the end."""
        last: dict[Process, int] = {}
        for index, step in enumerate(self._steps):
            known = past = self._until([*step.after, *([last[step.process]] if step.process in last else [])])
            for operation, state in step.operations:
                past = self._compare(index, step.process, operation, state, known, past)
            self._past.append(past)
            last[step.process] = index
            for operation, state in step.operations:
                self._history.setdefault(operation.target, []).append((index, operation, state))
        for process, (operation, before) in waiting.items():
            known = self._until([] if before is None else [before])
            self._compare(len(self._steps), process, operation, State(), known, known)

    def _until(self, indices: list[int]) -> int:
        result = 0
        for index in indices:
            result |= self._past[index] | 1 << index
        return result

    def _compare(self, index: int, process: Process, operation: Operation, state: State, known: int, past: int) -> int:
        """The past of step `index` after one of its operations. `known`: what its process knew before; `past`: and from this step."""
        for earlier, other, before in reversed(self._history.get(operation.target, [])):
            if past >> earlier & 1 or not ordered(other, before, operation, state):
                continue
            if index >= self._fresh and operation.kind != WAIT:
                self._reverse(earlier, index, process, past)
            past |= self._past[earlier] | 1 << earlier
        if index >= self._fresh and operation.kind == WAIT:
            for earlier, other, before in self._history.get(operation.target, []):
                if other.kind != WAIT and not known >> earlier & 1 and operation.passes(before.completed):
                    self._reverse(earlier, index, process, past)
        return past

    def _reverse(self, earlier: int, later: int, process: Process, past: int) -> None:
        """Let someone go before step `earlier` with whom `process` can get to its step `later`, without that step."""
        node = self._path[earlier]
        firsts = [key for key in self._firsts(earlier, later, process, past) if key in node.enabled] or list(node.enabled)
        if not any(map(node.covers, firsts)):
            node.todo.add(process if process in firsts else firsts[0])

    def _firsts(self, earlier: int, later: int, process: Process, past: int) -> Iterator[Process]:
        """Who can begin, when everything up to step `later` happens but step `earlier` and what depends on it."""
        seen: set[Process] = set()
        between = 0
        for index in range(earlier + 1, later):
            if self._past[index] >> earlier & 1:
                continue
            other = self._steps[index].process
            if other not in seen and not self._past[index] & between:
                yield other
            seen.add(other)
            between |= 1 << index
        if process not in seen and not past & between:
            yield process


class Exploration:
    """The trees of all programs that one action launches, the n-th one in each run."""

    def __init__(self) -> None:
        self._trees: dict[int, Tree] = {}
        self._orders: dict[int, dict[int, int]] = {}
        self._walk: tuple[Tree, Walk] | None = None

    def policy(self, number: int) -> Ordered:
        """The schedule of program `number` in this run; programs come one after the other."""
        self._learn()
        tree = self._trees.setdefault(number, Tree())
        if tree.over:
            return Ordered({})
        walk = Walk(tree)
        self._walk = tree, walk
        self._orders[number] = walk.taken
        return walk

    def finish_run(self) -> str:
        """The run has ended; its schedule as text."""
        self._learn()
        text = order_text(self._orders)
        self._orders = {}
        return text

    def _learn(self) -> None:
        if self._walk is not None:
            tree, walk = self._walk
            self._walk = None
            tree.learn(walk)

    @property
    def found(self) -> int:
        """Interleavings of all programs together."""
        return sum(tree.found for tree in self._trees.values())

    @property
    def over(self) -> bool:
        """Whether another run would find nothing new; False before the first."""
        return bool(self._trees) and all(tree.over for tree in self._trees.values())

    @property
    def complete(self) -> bool:
        """Whether all interleavings were run."""
        return all(tree.complete for tree in self._trees.values())
