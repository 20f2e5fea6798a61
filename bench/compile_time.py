"""Compile time of examples/matmul.py's kernel with our stage beside the same algorithm in plain Triton. Needs no GPU.

    python bench/compile_time.py [--rounds 20] [--arch 90] [--limit 1.15] [--out bench/results]

One process; every compilation starts from source with an empty cache and ends with the machine code. The two kernels take
turns, so a change of the machine's speed meets both. The exit code is 1 when a ratio of the medians is over --limit.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "0"  # the example would choose the interpreter on a machine with no GPU

import triton
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))
import matmul as example  # noqa: E402  (from examples/)
import report  # noqa: E402

ROUNDS = 20
LIMIT = 1.15
STAGES = 3


def plain_kernel() -> triton.JITFunction:
    """The plain kernel that bench/matmul.py measures (its file has the example's name)."""
    spec = importlib.util.spec_from_file_location("bench_matmul", HERE / "matmul.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.plain_kernel


def source(kernel: triton.JITFunction, even: bool) -> ASTSource:
    """The kernel on row-major fp16 matrices with the example's tile for sm_90."""
    constants = {"EVEN": even, **example.SM90_CONFIG, "STAGES": STAGES, "stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
    constants = {name: value for name, value in constants.items() if name in kernel.arg_names}
    types = {name: "constexpr" if name in constants else "*fp16" if name.endswith("_ptr") else "i32" for name in kernel.arg_names}
    aligned = {(index, ): [["tt.divisibility", 16]] for index, name in enumerate(kernel.arg_names) if types[name] != "constexpr"}
    return ASTSource(kernel, types, constants, aligned)


def compile_once(kernel: triton.JITFunction, even: bool, arch: int) -> dict[str, float]:
    """Milliseconds of one compilation with an empty cache: "total", and each of Triton's stages."""
    stages: dict[str, float] = {}

    def listener(*, times: knobs.CompileTimes, cache_hit: bool, **_: object) -> None:
        assert not cache_hit
        stages.update({"source": times.ir_initialization * 1e-3}, **{name: duration * 1e-3 for name, duration in times.lowering_stages})

    with tempfile.TemporaryDirectory() as folder, knobs.cache.scope(), knobs.compilation.scope():
        knobs.cache.dir = folder
        knobs.compilation.listener = listener
        start = time.perf_counter()
        triton.compile(source(kernel, even), target=GPUTarget("cuda", arch, 32), options={"num_warps": example.SM90_WARPS, "num_stages": STAGES})
        total = (time.perf_counter() - start) * 1e3
    return {"total": total, **stages}


def measure(even: bool, arch: int, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Times of both kernels in each round; one round before them is not counted."""
    kernels = {"TLE": example.matmul_kernel, "plain": plain_kernel()}
    times: dict[str, list[dict[str, float]]] = {name: [] for name in kernels}
    for index in range(rounds + 1):
        for name, kernel in kernels.items():
            once = compile_once(kernel, even, arch)
            if index:
                times[name].append(once)
    return times


def summary(times: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Median of every stage by kernel, and the ratio TLE / plain."""
    medians = {name: {stage: statistics.median(once[stage] for once in rounds) for stage in rounds[0]} for name, rounds in times.items()}
    return {**medians, "ratio": {stage: medians["TLE"][stage] / medians["plain"][stage] for stage in medians["plain"]}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--out", type=Path, default=Path("bench/results"))
    options = parser.parse_args()

    lines = [f"# Compile time, sm_{options.arch}, median of {options.rounds} in milliseconds", ""]
    record: dict[str, object] = {"arch": options.arch, "rounds": options.rounds}
    ratios = []
    for even in (True, False):
        times = measure(even, options.arch, options.rounds)
        medians = summary(times)
        name = "even sizes" if even else "ragged sizes"
        record[name] = {"milliseconds": times, "median": medians}
        lines += [f"| {name} | TLE | plain | ratio |", "|---|---|---|---|"]
        for stage, ratio in medians["ratio"].items():
            lines.append(f"| {stage} | {medians['TLE'][stage]:.1f} | {medians['plain'][stage]:.1f} | {ratio:.3f} |")
        lines.append("")
        ratios.append(medians["ratio"]["total"])
    report.save(options.out, "compile_time", record, "\n".join(lines))
    if max(ratios) > options.limit:
        sys.exit(f"ratio {max(ratios):.3f} is over {options.limit}")


if __name__ == "__main__":
    main()
