"""Schedules: who goes next. The same seed always gives the same choices."""
from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .operation import Operation, State

_CORNERS = 4


class Policy:
    """Chooses between actors that can go on and engines that can finish work.

    Seeds 0 to 3 are the corners of what the hardware may do: engines as late or as early as possible, with the first or the
    last partition as far ahead as it can get. The others draw a priority for each actor and engine, and redraw it now and then:
    most ordering mistakes need only a few changes of priority to show.
    """

    timed = False
    """Whether it wants to know how long what is done takes."""

    recording = False
    """Whether it wants to know what is done."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = random.Random(seed)
        self._corner = seed if seed < _CORNERS else None
        self._priorities: dict[Any, float] = {}
        self._change = 0.02 + 0.3 * self._random.random() ** 2
        self._late = self._random.random()

    def choose(self, actors: Sequence[Any], engines: Sequence[Any]) -> Any:
        """One of the actors or engines; at least one is given. Actors come in the order of the program."""
        if self._corner is not None:
            early, last = self._corner in (1, 3), self._corner in (2, 3)
            groups = (engines, actors) if early else (actors, engines)
            candidates = groups[0] or groups[1]
            return candidates[-1 if last and candidates is actors else 0]
        candidates = [*actors, *engines]
        for candidate in candidates:
            if candidate not in self._priorities:
                lower = self._late if candidate in engines else 0.0
                self._priorities[candidate] = self._random.random() - lower
        chosen = max(candidates, key=self._priorities.__getitem__)
        if self._random.random() < self._change:
            self._priorities[chosen] = self._random.random() - 1.0
        return chosen

    def note(self, process: Any, operation: Operation, state: State) -> None:
        """An actor or a copy does something that others can notice, to an object in `state`; only if `recording`."""

    def request(self, process: Any, operation: Operation) -> None:
        """An actor begins to wait; only if `recording`."""

    def follows(self, process: Any, others: Sequence[Any]) -> None:
        """What an actor or a copy does next comes after what others have done; only if `recording`."""

    def forget(self, engine: Any) -> None:
        """`engine` has finished."""
        self._priorities.pop(engine, None)

    def poisons(self) -> bool:
        """Whether the destination of a copy is overwritten with poison when the copy starts."""
        return self._random.random() < 0.5 if self._corner is None else self._corner in (1, 2)

    def pieces(self) -> int:
        """In how many pieces a copy brings its data."""
        return self._random.randint(1, 3) if self._corner is None else 1 + self._corner % 2
