"""One side of bench/abba.py: a resident process that prepares operators and times them on request.

Requests and answers are lines of JSON. {"do": "hello"}; {"do": "prepare", "entry": FILE_OR_MODULE:FUNCTION} builds the operator, runs it,
which compiles it, checks it and makes it ready to be replayed; {"do": "sample"}; {"do": "finish"} checks the operator again and
drops it. An answer with "error" holds a traceback; the process goes on.

An entry is a function that returns two: the operator, which takes no arguments and leaves its result in tensors of its own, and a check of
that result, which returns a dictionary of facts and raises for a wrong result.
"""
from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from abba_report import CALLS, REPLAYS

Timer = Callable[[Callable[[], object], int], Callable[[int], list[float]]]
"""timer(operator, calls) returns a function that replays `calls` calls n times and returns n times of one call in microseconds."""

WARM_UP = 3


def load(entry: str) -> Callable[..., Any]:
    """The function of `entry`, "path/to/file.py:function" or "package.module:function"."""
    place, separator, name = entry.rpartition(":")
    if not separator:
        raise ValueError(f"an entry is FILE_OR_MODULE:FUNCTION, got {entry!r}")
    if not place.endswith(".py"):
        return getattr(importlib.import_module(place), name)
    # Not the file's own name: two files may share it.
    module_name = "abba_" + "".join(c if c.isalnum() else "_" for c in os.path.abspath(place))
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, place)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    return getattr(sys.modules[module_name], name)


def cuda_graph(operator: Callable[[], object], calls: int) -> Callable[[int], list[float]]:
    """The Timer for a GPU: `calls` calls in a CUDA graph, and an event before and after each replay."""
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            operator()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            operator()
    graph.replay()
    torch.cuda.synchronize()

    def replay(count: int) -> list[float]:
        events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
        for start, end in events:
            start.record()
            graph.replay()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) * 1e3 / calls for start, end in events]

    return replay


class Worker:
    """Answers requests; `timer` is how an operator is timed."""

    def __init__(self, timer: Timer) -> None:
        self._timer = timer
        self._replay: Callable[[int], list[float]] | None = None
        self._check: Callable[[], dict[str, Any]] | None = None

    def hello(self) -> dict[str, Any]:
        """What the process runs: versions, where the packages come from, and the GPU's name and UUID if there is one."""
        import flagtree
        import torch
        import triton
        import triton.experimental.tle.language as tle

        gpu = torch.cuda.get_device_properties(0) if torch.cuda.is_available() else None
        return {
            "flagtree": flagtree.__version__,
            "common_ir": flagtree.common_ir_enabled(),
            "triton": triton.__version__,
            "torch": torch.__version__,
            "python": sys.version.split()[0],
            "files": {"flagtree": flagtree.__file__, "triton": triton.__file__, "tle": tle.__file__},
            "device": gpu.name if gpu else "CPU",
            "uuid": f"GPU-{str(gpu.uuid).removeprefix('GPU-')}" if gpu else None,
        }

    def prepare(self, entry: str) -> dict[str, Any]:
        """Compiles, warms up and checks the operator of `entry`, and makes it ready to be replayed. Returns the facts of the check."""
        self._replay = self._check = None
        operator, check = load(entry)()
        for _ in range(WARM_UP):
            operator()
        facts = check()
        self._replay = self._timer(operator, CALLS)
        self._check = check
        return {"check": facts}

    def sample(self) -> dict[str, Any]:
        """Monotonic seconds before and after REPLAYS replays, and their times. The clock is one for all processes of the machine."""
        if self._replay is None:
            raise RuntimeError("no operator is prepared")
        start = time.monotonic()
        replays = self._replay(REPLAYS)
        return {"start": start, "end": time.monotonic(), "replays_us": replays}

    def finish(self) -> dict[str, Any]:
        """Checks what the replays left behind and forgets the operator."""
        if self._check is None:
            raise RuntimeError("no operator is prepared")
        facts = self._check()
        self._replay = self._check = None
        return {"check": facts}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; an exception becomes {"error": traceback}."""
        actions = {"hello": self.hello, "prepare": self.prepare, "sample": self.sample, "finish": self.finish}
        try:
            arguments = dict(request)
            return actions[arguments.pop("do")](**arguments)
        except Exception:
            return {"error": traceback.format_exc()}

    def serve(self, requests: TextIO, answers: TextIO) -> None:
        """Answers every line of `requests` until they end."""
        for line in requests:
            answers.write(json.dumps(self.answer(json.loads(line))) + "\n")
            answers.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timer", help="FILE_OR_MODULE:FUNCTION, a Timer (default: CUDA graphs)")
    options = parser.parse_args()
    # What operators print must not end up among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    Worker(load(options.timer) if options.timer else cuda_graph).serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
