"""Compile time of a kernel with 0 to 6 workers, each of another number of warps than the launch's. Needs no GPU.

    python bench/compile_workers.py [--rounds 5] [--arch 90]

Seconds of processor time (ptxas included) from source to machine code with an empty cache, and of that what the stages up to
TTGIR take: Triton had a kernel of 6 partitions that took half an hour. Each worker multiplies matrices, sums and scales.
"""
from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "0"

import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ROUNDS = 5
MOST = 6


@triton.jit
def work(x, y, n):
    i = tl.arange(0, 32)
    o = i[:, None] * 32 + i[None, :]
    a = tle.gpu.alloc([32, 32], tl.float16)
    acc = tl.zeros([32, 32], tl.float32)
    for k in range(n):
        tle.gpu.copy(x + k * 1024 + o, a, [32, 32])
        acc = tl.dot(a.load(), tl.load(x + k * 1024 + o), acc)
    acc = tl.exp(acc - tl.max(acc, 1)[:, None])
    tl.store(y + o, acc / tl.sum(acc, 1)[:, None])


@triton.jit
def kernel(x, y, n, WARPS: tl.constexpr, REGISTERS: tl.constexpr):
    W: tl.constexpr = len(WARPS)
    if W == 0:
        work(x, y, n)
    elif W == 1:
        tle.gpu.warp_specialize([(work, (x, y, n)), (work, (x, y, n))], WARPS, REGISTERS)
    elif W == 2:
        tle.gpu.warp_specialize([(work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n))], WARPS, REGISTERS)
    elif W == 4:
        tle.gpu.warp_specialize([(work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n))],
                                WARPS, REGISTERS)
    else:
        tle.gpu.warp_specialize([(work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n)), (work, (x, y, n)),
                                 (work, (x, y, n)), (work, (x, y, n))], WARPS, REGISTERS)


def processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compile_once(workers: int, arch: int) -> tuple[float, float]:
    """Seconds of one compilation: all of it, and its part up to TTGIR."""
    constants = {"WARPS": (2, ) * workers, "REGISTERS": (96, ) * workers}
    types = {name: "constexpr" if name in constants else {"x": "*fp16", "y": "*fp32", "n": "i32"}[name] for name in kernel.arg_names}
    front: list[float] = []

    def listener(*, times: knobs.CompileTimes, **_: object) -> None:
        front.append(times.ir_initialization * 1e-6 + sum(duration for name, duration in times.lowering_stages if name in ("ttir", "ttgir")) * 1e-6)

    with tempfile.TemporaryDirectory() as folder, knobs.cache.scope(), knobs.compilation.scope():
        knobs.cache.dir = folder
        knobs.compilation.listener = listener
        start = processor_seconds()
        triton.compile(ASTSource(kernel, types, constants), target=GPUTarget("cuda", arch, 32), options={"num_warps": 4})
        return processor_seconds() - start, front[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--arch", type=int, default=90)
    args = parser.parse_args()
    compile_once(0, args.arch)  # what is loaded once
    print(f"{Path(__file__).name}: sm_{args.arch}, median of {args.rounds}\nworkers  total (s)  up to TTGIR (s, wall)")
    for workers in (0, 1, 2, 4, MOST):
        once = [compile_once(workers, args.arch) for _ in range(args.rounds)]
        total, front = (statistics.median(each) for each in zip(*once, strict=True))
        print(f"{workers:7}  {total:9.2f}  {front:14.2f}")


if __name__ == "__main__":
    main()
