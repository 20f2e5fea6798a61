"""TMA loads in flight."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from .actor import Actor
    from .mbarrier import MBarrier
    from .source import Place


class Copy:
    """One load on its way to shared memory: brings its data piece by piece and then reports its bytes to its barrier."""

    kind = "tma"

    def __init__(self, block: np.ndarray, destination: np.ndarray, barrier: MBarrier, pieces: int, issuer: Actor, place: Place) -> None:
        self._block = block
        self._destination = destination
        self._pieces = self._left = min(pieces, len(destination))
        self.barrier = barrier
        self.issuer = issuer
        self.place = place
        self.phase = barrier.completed
        self.key = issuer.make()

    @property
    def lane(self) -> str:
        """Its line of a timeline."""
        return f"TMA {self.barrier.name}"

    @property
    def target(self) -> MBarrier:
        """What it completes on."""
        return self.barrier

    @property
    def bytes(self) -> int:
        """What it moves."""
        return self._destination.nbytes

    def step(self) -> bool:
        """Bring the next piece; whether it was the last."""
        rows = len(self._destination)
        begin, end = (rows * (self._pieces - self._left + step) // self._pieces for step in (0, 1))
        self._destination[begin:end] = self._block[begin:end]
        self._left -= 1
        if self._left:
            return False
        self.barrier.deliver(self.bytes, self.phase)
        return True
