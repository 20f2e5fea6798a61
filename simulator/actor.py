"""Who takes part in a program: the kernel itself or its partitions, each with a queue of WGMMA groups."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .clock import Clock

if TYPE_CHECKING:
    from .deadlock import Wait
    from .wgmma import Group


class Actor:
    """A partition, or the kernel outside of warp_specialize."""

    def __init__(self, name: str, warps: int, clock: Clock | None = None) -> None:
        self.name = name
        self.warps = warps
        self.clock = Clock() if clock is None else clock.copy()
        self.clock[self] = 1
        self.issued = 0
        self.groups: list[Group] = []
        """WGMMA groups in flight, the oldest first."""
        self.waiting: Wait | None = None
        """What it waits for, while it cannot go on."""
        self.greenlet: Any = None
        self.start = 0
        self.done = False
        self.made = 0
        self.barriers: frozenset[str] = frozenset()
        """Names of the barriers it was given."""
        self.born: dict[Any, int] = {}
        """Complete phases of each slot when it began."""

    @property
    def key(self) -> str:
        """The same in every run."""
        return self.name

    def make(self) -> tuple[str, int]:
        """A key for the next thing it makes (a copy, a buffer, barriers), the same in every run."""
        self.made += 1
        return self.name, self.made

    def __str__(self) -> str:
        return self.name

    @property
    def threads(self) -> int:
        return 32 * self.warps

    @property
    def queue(self) -> tuple[str, Actor]:
        """The component of its WGMMA groups."""
        return "wgmma", self

    def release(self) -> Clock:
        """What others learn when they synchronise with this point; later events are after it."""
        known = self.clock.copy()
        self.clock[self] += 1
        return known

    def ready(self) -> bool:
        return self.waiting is None or self.waiting.over()
