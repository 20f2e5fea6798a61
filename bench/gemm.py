"""Speed of examples/matmul_ws.py beside cuBLAS (torch.matmul, torch._scaled_mm) on one GPU.

    python bench/gemm.py [--sizes 4096 8192] [--dtypes bf16 fp16 fp8] [--out bench/results]

All forms of the kernel and cuBLAS take part in every round. Every result is checked before it is timed.
"""
from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import matmul_ws as example  # noqa: E402  (from examples/)
import report  # noqa: E402

PEER = "cuBLAS"


def variants(a: torch.Tensor, b: torch.Tensor) -> dict[str, Callable[[], torch.Tensor]]:
    """Functions that compute A @ B into an output of their own and return it."""
    fp8 = a.dtype.itemsize == 1
    dtype = torch.bfloat16 if fp8 else a.dtype

    def output() -> torch.Tensor:
        return torch.empty((a.shape[0], b.shape[1]), dtype=dtype, device=a.device)

    def ours(form: str, c: torch.Tensor) -> Callable[[], torch.Tensor]:
        return lambda: example.matmul(a, b, out=c, form=form)

    def peer(c: torch.Tensor) -> Callable[[], torch.Tensor]:
        one = torch.ones((), device=a.device)
        if fp8:
            return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=dtype, use_fast_accum=True, out=c)
        return lambda: torch.matmul(a, b, out=c)

    return {f"TLE, {form}": ours(form, output()) for form in example.FORMS} | {PEER: peer(output())}


def benchmark(m: int, n: int, k: int, dtype_name: str, rounds: int, milliseconds: int) -> dict:
    """Times, speeds, errors and ratios for one shape and dtype."""
    dtype = example.DTYPES[dtype_name]
    a, b = example.random_operands(m, n, k, dtype, "cuda")
    functions = variants(a, b)
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
        for name, speed in result["tflops"].items():
            lines.append(f"| {name} | {speed:.0f} | {result['of_peer'].get(name, 1.0):.3f} | {result['relative_error'][name]:.1e} |")
        lines += ["", f"- best: {result['best']}, {result['of_peer'][result['best']]:.3f} of {PEER}", ""]
    lines += ["Forms:", "", *(f"- {name}: {form}" for name, form in example.FORMS.items()), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[4096, 8192], help="M = N = K (default %(default)s)")
    parser.add_argument("--shapes", nargs="*", default=[], metavar="MxNxK", help="more shapes, e.g. 4096x7168x16384")
    parser.add_argument("--dtypes", nargs="+", choices=example.DTYPES, default=["bf16", "fp16", "fp8"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=int, default=50, help="of replay for each variant in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.manual_seed(0)
    shapes = [(size, size, size) for size in options.sizes] + [tuple(map(int, shape.split("x"))) for shape in options.shapes]
    results = [benchmark(*shape, dtype, options.rounds, options.milliseconds) for dtype in options.dtypes for shape in shapes]
    machine = report.machine()
    forms = {name: vars(form) for name, form in example.FORMS.items()}
    report.save(options.out, "gemm", {"machine": machine, "forms": forms, "results": results}, table(results, machine))


if __name__ == "__main__":
    main()
