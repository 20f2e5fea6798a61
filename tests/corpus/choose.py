"""Makes kernels.json from the candidates that propose.py found, and rows written by hand.

    python -m tests.corpus.choose --limit fla-core=80 --limit liger-kernel=40 ... proposed/fla-core.json proposed/liger-kernel.json ...

Kernels with rare operations come first, then the cheap ones. Each chosen row is compiled once more to note its features and
to leave out what takes long.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections import Counter

from tests.corpus import table
from tests.corpus.features import features
from tests.corpus.packages import describe_device, find_kernel
from tests.corpus.stages import Compilation


def ranked(candidates: list[dict]) -> list[dict]:
    """Candidates by how much rare content a second of compile time buys."""
    frequency = Counter(name for candidate in candidates for name in candidate["ops"])
    return sorted(candidates, key=lambda candidate: -sum(1 / frequency[name] for name in candidate["ops"]) / (0.3 + candidate["seconds"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", action="append", default=[], metavar="PACKAGE=COUNT")
    parser.add_argument("--seconds", type=float, default=2.0, help="most processor seconds to PTX of one kernel")
    parser.add_argument("candidates", nargs="+")
    options = parser.parse_args()
    limits = {name: int(count) for name, count in (word.split("=") for word in options.limit)}
    describe_device()
    rows = []
    for path in options.candidates:
        with open(path) as file:
            candidates = [result for result in json.load(file) if "row" in result]
        for candidate in ranked(candidates)[:limits.get(candidates[0]["row"]["package"], len(candidates))]:
            row = table.Kernel(**candidate["row"])
            find_kernel(row.module, row.kernel)  # importing it is not compiling it
            start = time.process_time()
            compilation = Compilation(row)
            text = compilation.run("ttir").str_nodebug()
            compilation.run("ttgir", "llir", "ptx")
            if time.process_time() - start <= options.seconds:
                rows.append(dataclasses.replace(row, features=tuple(features(text))))
    table.save(rows)
    print(Counter(row.package for row in rows), Counter(feature for row in rows for feature in row.features))


if __name__ == "__main__":
    main()
