"""Who touched which bytes of a buffer last: the shadow of an allocation, in which races show.

Bytes with the same history share a cell. An access either fits the cells there are or splits them; a write joins them.
"""
from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .clock import Clock, Component
from .source import Place


class Access(NamedTuple):
    """One access to shared memory: an event of `component`.

    `actor`: who made it, for people. `engine`: "" for a load or store of the partition itself, "TMA" or "WGMMA".
    """

    component: Component
    count: int
    actor: str
    engine: str
    atomic: bool
    place: Place


class Cell:
    """The last write to some bytes and the reads since, one for each component and engine."""

    __slots__ = ("reads", "write")

    def __init__(self, write: Access | None = None, reads: dict[Component, Access] | None = None) -> None:
        self.write = write
        self.reads = {} if reads is None else reads


Conflict = tuple[Access, bool, int, int]
"""An earlier access, whether it was a write, and the first and last+1 byte both touched."""


class Shadow:
    """History of the bytes of one allocation."""

    def __init__(self, size: int) -> None:
        self._starts = [0]
        self._cells = [Cell()]
        self._size = size

    def read(self, first: int, last: int, access: Access, clock: Clock) -> tuple[list[Conflict], tuple[int, int] | None]:
        """Record a read of bytes first..last-1. The unordered writes before it, and the first and last+1 of the first run of bytes never written."""
        conflicts: list[Conflict] = []
        fresh = None
        for index in self._range(first, last):
            cell = self._cells[index]
            if cell.write is None:
                begin, end = self._bytes(index)
                if fresh is None:
                    fresh = begin, end
                elif fresh[1] == begin:
                    fresh = fresh[0], end
            elif not _ordered(cell.write, access, clock):
                conflicts.append((cell.write, True, *self._bytes(index)))
            cell.reads[access.component] = access
        return conflicts, fresh

    def write(self, first: int, last: int, access: Access, clock: Clock) -> list[Conflict]:
        """Record a write of bytes first..last-1. The unordered accesses before it."""
        conflicts: list[Conflict] = []
        indices = self._range(first, last)
        for index in indices:
            cell = self._cells[index]
            if cell.write is not None and not _ordered(cell.write, access, clock):
                conflicts.append((cell.write, True, *self._bytes(index)))
            conflicts += [(read, False, *self._bytes(index)) for read in cell.reads.values() if not _ordered(read, access, clock)]
        self._starts[indices.start:indices.stop] = [first]
        self._cells[indices.start:indices.stop] = [Cell(access)]
        return conflicts

    def _bytes(self, index: int) -> tuple[int, int]:
        end = self._starts[index + 1] if index + 1 < len(self._starts) else self._size
        return self._starts[index], end

    def _range(self, first: int, last: int) -> range:
        """Indices of the cells that are exactly first..last-1, split as needed."""
        begin = self._split(first)
        return range(begin, self._split(last))

    def _split(self, position: int) -> int:
        """Index of the cell that starts at `position`."""
        if position >= self._size:
            return len(self._starts)
        index = bisect_left(self._starts, position)
        if index < len(self._starts) and self._starts[index] == position:
            return index
        index = bisect_right(self._starts, position)
        cell = self._cells[index - 1]
        self._starts.insert(index, position)
        self._cells.insert(index, Cell(cell.write, dict(cell.reads)))
        return index


def _ordered(earlier: Access, later: Access, clock: Clock) -> bool:
    return clock.knows(earlier.component, earlier.count) or (earlier.atomic and later.atomic)


def runs(offsets: Iterator[int] | list[int], size: int, record: Callable[[int, int], None]) -> None:
    """Call `record(first, last)` for each run of adjacent elements of `size` bytes at sorted, distinct `offsets`."""
    first = last = None
    for offset in offsets:
        if offset != last:
            if first is not None:
                record(first, last)
            first = offset
        last = offset + size
    if first is not None:
        record(first, last)
