"""Speed of examples/matmul_ws.py beside cuBLAS (torch.matmul, torch._scaled_mm) on one GPU.

    python bench/gemm.py [--sizes 4096 8192] [--dtypes bf16 fp16 fp8] [--out bench/results]
    python bench/gemm.py --tune --sizes 4096 --dtypes bf16      # which tiles, depths and orders of tiles are fastest

All forms of the kernel and cuBLAS take part in every round. Every result is checked before it is timed.
"""
from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import matmul_ws as example  # noqa: E402  (from examples/)
import report  # noqa: E402

PEER = "cuBLAS"
SHARED_BYTES = 227 * 1024


def candidates() -> dict[str, example.Form]:
    """Forms to try: those of the example with other depths, orders of tiles, and parts of a store, as far as they fit."""
    tiles = [(True, 128, 256), (True, 256, 128), (False, 128, 128), (False, 64, 256)]
    forms = {}
    for cooperative, bm, bn in tiles:
        for split in (1, 2):
            for stages in (6, 5, 4, 3):
                staging = bm * bn * 2 * (1 if cooperative else 2) // split
                if stages * (bm + bn) * example.LOAD_BYTES + staging + 1024 > SHARED_BYTES:
                    continue
                for group in (4, 8, 16):
                    name = f"{'cooperative' if cooperative else 'pingpong'} {bm}x{bn}, {stages} stages, split {split}, group {group}"
                    forms[name] = example.Form(COOPERATIVE=cooperative, BM=bm, BN=bn, STAGES=stages, SPLIT=split, GROUP=group)
    return forms


def variants(a: torch.Tensor, b: torch.Tensor, forms: Mapping[str, example.Form]) -> dict[str, Callable[[], torch.Tensor]]:
    """Functions that compute A @ B into an output of their own and return it."""
    fp8 = a.dtype.itemsize == 1
    dtype = torch.bfloat16 if fp8 else a.dtype

    def output() -> torch.Tensor:
        return torch.empty((a.shape[0], b.shape[1]), dtype=dtype, device=a.device)

    def ours(form: example.Form, c: torch.Tensor) -> Callable[[], torch.Tensor]:
        def run() -> torch.Tensor:
            example.launch(a, b, c, form)
            return c

        return run

    def peer(c: torch.Tensor) -> Callable[[], torch.Tensor]:
        one = torch.ones((), device=a.device)
        if fp8:
            return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=dtype, use_fast_accum=True, out=c)
        return lambda: torch.matmul(a, b, out=c)

    return {f"TLE, {name}": ours(form, output()) for name, form in forms.items()} | {PEER: peer(output())}


def benchmark(m: int, n: int, k: int, dtype_name: str, forms: Mapping[str, example.Form], rounds: int, milliseconds: int) -> dict:
    """Times, speeds, errors and ratios for one shape and dtype."""
    dtype = example.DTYPES[dtype_name]
    a, b = example.random_operands(m, n, k, dtype, "cuda")
    functions = variants(a, b, forms)
    errors = {name: example.relative_error(function(), a, b) for name, function in functions.items()}
    wrong = {name: error for name, error in errors.items() if not error <= example.TOLERANCE[dtype]}
    if wrong:
        sys.exit(f"wrong results ({dtype_name}): {wrong}")
    times = report.measure(functions, rounds, milliseconds)
    ratios = {name: report.median_ratio(times, name, PEER) for name in times if name != PEER}
    best = max(ratios, key=ratios.__getitem__)
    return {
        "shape": [m, n, k],
        "dtype": dtype_name,
        "milliseconds": times,
        "tflops": {name: 2e-9 * m * n * k / statistics.median(t) for name, t in times.items()},
        "relative_error": errors,
        "of_peer": ratios,
        "best": best,
    }


def table(results: list[dict], machine: dict[str, str]) -> str:
    lines = ["# Warp-specialized matrix product", "", ", ".join(f"{k} {v}" for k, v in machine.items()), ""]
    for result in results:
        lines += [f"## {' x '.join(map(str, result['shape']))} (M x N x K), {result['dtype']}", "",
                  f"| variant | TFLOP/s | of {PEER} | relative error |", "|---|---|---|---|"]
        for name, speed in sorted(result["tflops"].items(), key=lambda item: -item[1]):
            lines.append(f"| {name} | {speed:.0f} | {result['of_peer'].get(name, 1.0):.3f} | {result['relative_error'][name]:.1e} |")
        lines += ["", f"- best: {result['best']}, {result['of_peer'][result['best']]:.3f} of {PEER}", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[4096, 8192], help="M = N = K (default %(default)s)")
    parser.add_argument("--shapes", nargs="*", default=[], metavar="MxNxK", help="more shapes, e.g. 4096x7168x16384")
    parser.add_argument("--dtypes", nargs="+", choices=example.DTYPES, default=["bf16", "fp16", "fp8"])
    parser.add_argument("--rounds", type=int, help="default 7")
    parser.add_argument("--milliseconds", type=int, default=50, help="of replay for each variant in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--tune", action="store_true", help="try many forms, 2 rounds unless --rounds says otherwise, and save as gemm_tune")
    options = parser.parse_args()
    torch.manual_seed(0)
    forms = candidates() if options.tune else example.FORMS
    rounds = options.rounds or (2 if options.tune else 7)
    shapes = [(size, size, size) for size in options.sizes] + [tuple(map(int, shape.split("x"))) for shape in options.shapes]
    results = [benchmark(*shape, dtype, forms, rounds, options.milliseconds) for dtype in options.dtypes for shape in shapes]
    machine = report.machine()
    record = {"machine": machine, "forms": {name: vars(form) for name, form in forms.items()}, "results": results}
    report.save(options.out, "gemm_tune" if options.tune else "gemm", record, table(results, machine))


if __name__ == "__main__":
    main()
