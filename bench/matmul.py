"""Speed of examples/matmul.py beside plain Triton and torch on one GPU.

    python bench/matmul.py [--size 4096] [--out bench/results]

Plain Triton is the same algorithm with tl.load in place of the shared buffers. It is measured with the same tile and as
many stages as the TLE kernel, and tuned by itself. Every result is checked before it is timed.
"""
from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import torch
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import matmul as example  # noqa: E402  (from examples/)
import report  # noqa: E402

TILE = {"BM": 128, "BN": 256, "BK": 64, "GROUP": 8}
WARPS = 8
STAGES = (1, 3, 4)


@triton.jit
def plain_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                 EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """examples/matmul.py without TLE."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    first_m = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first_m, GROUP)
    pid_m = first_m + pid % (GROUP * tiles_n) % height
    pid_n = pid % (GROUP * tiles_n) // height

    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_tile = a_ptr + rows[:, None].to(tl.int64) * stride_am + ks[None, :] * stride_ak
    b_tile = b_ptr + ks[:, None] * stride_bk + cols[None, :].to(tl.int64) * stride_bn
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN:
            a = tl.load(a_tile)
            b = tl.load(b_tile)
        else:
            left = K - k * BK
            a = tl.load(a_tile, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
            b = tl.load(b_tile, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_tile += BK * stride_ak
        b_tile += BK * stride_bk

    c_tile = c_ptr + rows[:, None].to(tl.int64) * stride_cm + cols[None, :] * stride_cn
    tl.store(c_tile, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def plain_configs() -> list[triton.Config]:
    """The example's candidates; the stages are num_stages, which plain Triton pipelines its loads by."""
    return [
        triton.Config({n: v for n, v in c.kwargs.items() if n != "STAGES"}, num_warps=c.num_warps,
                      num_stages=c.kwargs["STAGES"]) for c in example.configs()
    ]


tuned_plain = triton.autotune(plain_configs(), key=["M", "N", "K"])(triton.heuristics({"EVEN": example.is_even})(plain_kernel))


def variants(a: torch.Tensor, b: torch.Tensor) -> dict[str, Callable[[], torch.Tensor]]:
    """Functions that compute A @ B into an output of their own and return it."""
    (m, k), n = a.shape, b.shape[1]
    outputs = {}

    def launcher(name: str, kernel, **options):
        c = outputs[name] = torch.empty((m, n), dtype=a.dtype, device=a.device)
        arguments = (a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())

        def launch() -> torch.Tensor:
            kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]), )](*arguments, **options)
            return c

        return launch

    even = m % TILE["BM"] == 0 and n % TILE["BN"] == 0 and k % TILE["BK"] == 0
    result = {}
    for stages in STAGES:
        for name, kernel, options in [
            (f"TLE, same tile, {stages} stage(s)", example.matmul_kernel, {"STAGES": stages}),
            (f"plain, same tile, {stages} stage(s)", plain_kernel, {"num_stages": stages}),
        ]:
            result[name] = launcher(name, kernel, EVEN=even, num_warps=WARPS, **TILE, **options)
    result["TLE, tuned"] = launcher("TLE, tuned", example.tuned_kernel)
    result["plain, tuned"] = launcher("plain, tuned", tuned_plain)
    result["torch"] = lambda: torch.matmul(a, b, out=outputs.setdefault("torch", torch.empty((m, n), dtype=a.dtype, device=a.device)))
    return result


def benchmark(size: int, dtype_name: str, rounds: int, milliseconds: int) -> dict:
    """Times, speeds, errors and ratios for one dtype."""
    dtype = example.DTYPES[dtype_name]
    a = torch.randn((size, size), device="cuda").to(dtype)
    b = torch.randn((size, size), device="cuda").to(dtype)
    functions = variants(a, b)
    errors = {name: example.relative_error(function(), a, b) for name, function in functions.items()}
    wrong = {name: error for name, error in errors.items() if not error <= example.TOLERANCE[dtype]}
    if wrong:
        sys.exit(f"wrong results ({dtype_name}): {wrong}")
    times = report.measure(functions, rounds, milliseconds)
    ratios = {f"TLE / plain, same tile, {s} stage(s)": report.median_ratio(times, f"TLE, same tile, {s} stage(s)",
                                                                        f"plain, same tile, {s} stage(s)")
              for s in STAGES}
    ratios["TLE / plain, tuned"] = report.median_ratio(times, "TLE, tuned", "plain, tuned")
    ratios |= {f"{name} / torch": report.median_ratio(times, name, "torch") for name in times if name != "torch"}
    return {
        "size": size,
        "dtype": dtype_name,
        "tile": {**TILE, "num_warps": WARPS},
        "tuned": {"TLE": str(example.tuned_kernel.best_config), "plain": str(tuned_plain.best_config)},
        "milliseconds": times,
        "tflops": {name: 2e-9 * size**3 / statistics.median(t) for name, t in times.items()},
        "relative_error": errors,
        "ratios": ratios,
    }


def table(results: list[dict], machine: dict[str, str]) -> str:
    lines = ["# Matrix product", "", ", ".join(f"{k} {v}" for k, v in machine.items()), ""]
    for result in results:
        size = result["size"]
        lines += [f"## {size} x {size} x {size}, {result['dtype']}, tile {result['tile']}", "",
                  "| variant | TFLOP/s | of torch | relative error |", "|---|---|---|---|"]
        for name, speed in result["tflops"].items():
            share = result["ratios"].get(f"{name} / torch", 1.0)
            lines.append(f"| {name} | {speed:.0f} | {share:.3f} | {result['relative_error'][name]:.1e} |")
        lines += ["", *(f"- {name}: {ratio:.3f}" for name, ratio in result["ratios"].items() if "torch" not in name),
                  *(f"- tuned {name}: {config}" for name, config in result["tuned"].items()), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4096, help="M = N = K (default %(default)s)")
    parser.add_argument("--dtypes", nargs="+", choices=example.DTYPES, default=["fp16", "bf16"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=int, default=50, help="of replay for each variant in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.manual_seed(0)
    results = [benchmark(options.size, dtype, options.rounds, options.milliseconds) for dtype in options.dtypes]
    machine = report.machine()
    report.save(options.out, "matmul", {"machine": machine, "results": results}, table(results, machine))


if __name__ == "__main__":
    main()
