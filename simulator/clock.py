"""Vector clocks: what an actor knows to have happened before.

A component is anything whose events are in order: a partition, its queue of WGMMA groups, the TMA copies that complete on one
barrier slot. An event is (component, count); it happened before everything whose clock holds that count or more.
"""
from __future__ import annotations

from collections.abc import Hashable

Component = Hashable


class Clock(dict[Component, int]):
    """Component -> the count up to which its events are known; a missing component counts as 0."""

    def join(self, other: Clock) -> None:
        """Know what `other` knows, too."""
        for component, count in other.items():
            if self.get(component, 0) < count:
                self[component] = count

    def knows(self, component: Component, count: int) -> bool:
        return self.get(component, 0) >= count

    def copy(self) -> Clock:
        return Clock(self)
