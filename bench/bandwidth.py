"""Bandwidth of examples/tile_copy.py, a copy through shared memory, beside torch's own copies on one GPU.

A copy_ in a CUDA graph becomes a memcpy node, which runs slower than the same call outside, and clone is another kernel: all
three are measured and the fastest is the peer.

    python bench/bandwidth.py [--mebibytes 1024] [--out bench/results]
"""
from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import report  # noqa: E402
import tile_copy as example  # noqa: E402  (from examples/)

DTYPES = {"fp16": torch.float16, "fp32": torch.float32}


def benchmark(size: int, dtype_name: str, rounds: int, milliseconds: int) -> dict:
    """Times, bandwidths and their ratio for a copy of `size` bytes, after a check that the copy is equal."""
    dtype = DTYPES[dtype_name]
    src = torch.randn(size // dtype.itemsize, device="cuda", dtype=dtype)
    ours, theirs = torch.empty_like(src), torch.empty_like(src)
    if not torch.equal(example.copy(src, ours), src):
        sys.exit(f"wrong result ({dtype_name})")
    copies = {"torch copy_ in a graph": lambda: theirs.copy_(src), "torch copy_": lambda: theirs.copy_(src), "torch clone": src.clone}
    times = report.measure({"TLE": lambda: example.copy(src, ours), **copies}, rounds, milliseconds,
                           eager=frozenset({"torch copy_", "torch clone"}))
    peer = min(copies, key=lambda name: statistics.median(times[name]))
    return {
        "bytes": src.nbytes,
        "dtype": dtype_name,
        "milliseconds": times,
        "gigabytes_per_second": {name: 2e-6 * src.nbytes / statistics.median(t) for name, t in times.items()},
        "peer": peer,
        "ratio": report.median_ratio(times, "TLE", peer),
    }


def table(results: list[dict], machine: dict[str, str]) -> str:
    lines = ["# Copy through shared memory", "", ", ".join(f"{k} {v}" for k, v in machine.items()), "",
             "| bytes | dtype | copy | GB/s |", "|---|---|---|---|"]
    for result in results:
        lines += [f"| {result['bytes']} | {result['dtype']} | {name} | {speed:.0f} |"
                  for name, speed in result["gigabytes_per_second"].items()]
    lines += ["", *(f"- {result['dtype']}: TLE / {result['peer']}: {result['ratio']:.3f}" for result in results)]
    return "\n".join([*lines, "", "Bandwidth counts the bytes read and the bytes written.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=1024, help="size of the tensor (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=int, default=50, help="of replay for each variant in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.manual_seed(0)
    results = [benchmark(options.mebibytes * 2**20, dtype, options.rounds, options.milliseconds) for dtype in DTYPES]
    machine = report.machine()
    report.save(options.out, "bandwidth", {"machine": machine, "results": results}, table(results, machine))


if __name__ == "__main__":
    main()
