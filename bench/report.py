"""What the benchmarks share: repeated measurement of several variants, and the result as JSON and as a table."""
from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Callable
from pathlib import Path

import torch
import triton


def measure(variants: dict[str, Callable[[], object]], rounds: int, milliseconds: int,
            eager: frozenset[str] = frozenset()) -> dict[str, list[float]]:
    """Median time of one call in milliseconds, for each variant in each round.

    Calls are replayed from a CUDA graph for about `milliseconds`; those of `eager` are launched one by one. Rounds go
    through all variants in turn, forth and back, so that a change of clocks, or heat left by the variant before, meets
    all of them; a variant runs once beforehand, which compiles and tunes it.
    """
    for function in variants.values():
        function()
    times: dict[str, list[float]] = {name: [] for name in variants}
    for round in range(rounds):
        order = list(variants.items())
        for name, function in order if round % 2 == 0 else reversed(order):
            bench = triton.testing.do_bench if name in eager else triton.testing.do_bench_cudagraph
            times[name].append(bench(function, rep=milliseconds, return_mode="median"))
    return times


def median_ratio(times: dict[str, list[float]], name: str, baseline: str) -> float:
    """How many times as fast as `baseline` variant `name` is: median over the rounds of the ratio within a round."""
    return statistics.median(b / t for t, b in zip(times[name], times[baseline], strict=True))


def machine() -> dict[str, str]:
    """What the numbers were measured on and with."""
    import flagtree

    return {
        "gpu": torch.cuda.get_device_name(),
        "cuda": str(torch.version.cuda),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "flagtree": flagtree.__version__,
        "python": platform.python_version(),
    }


def save(folder: Path, name: str, record: dict, table: str) -> None:
    """Write `record` to folder/name.json and `table` (Markdown) to folder/name.md, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
    (folder / f"{name}.md").write_text(table)
    print(table)
