"""A Timer for bench/abba.py that needs no GPU."""
from __future__ import annotations

import time
from collections.abc import Callable


def clock(operator: Callable[[], object], calls: int) -> Callable[[int], list[float]]:
    """Times one call per replay by the clock of the process; `calls` only divides a graph's time on a GPU."""

    def replay(count: int) -> list[float]:
        times = []
        for _ in range(count):
            start = time.perf_counter()
            operator()
            times.append((time.perf_counter() - start) * 1e6)
        return times

    return replay
