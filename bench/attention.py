"""Speed of examples/attention.py beside FlashAttention-3, cuDNN and torch's varlen_attn on one Hopper GPU.

    python bench/attention.py [--sizes 64 128 256] [--lengths 512 1024 2048 4096 8192 16384] [--out bench/results]
    python bench/attention.py --tiles 128:2,128,2,2,240,1,1 128:2,128,2,2,240,0,1      # forms of the kernel instead of peers

Every case has 16 Ki tokens and 2048 elements of Q per token (16 heads of D = 128), as in the FlashAttention-3 paper. FlashAttention-3
is the package fa3-fwd (bf16 alone) or FlashAttention's own flash_attn_interface, installed or in a folder given by --fa3. Peers that cannot be imported, or
refuse a case, are left out and named. Results are checked against float64 on one head and against each other before anything is timed.
"""
from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import attention as example  # noqa: E402  (from examples/)
import report  # noqa: E402

TOKENS = 16384
ELEMENTS = 2048
OURS = "TLE"
KINDS = ("full", "causal", "varlen full", "varlen causal")

Peers = dict[str, Callable[[], torch.Tensor]]


def fa3_module(folder: Path | None):
    """FlashAttention-3, or None."""
    if folder is not None:
        sys.path.insert(0, str(folder))
    for name in ("fa3_fwd_interface", "flash_attn_interface"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def first(result) -> torch.Tensor:
    """The output of a function that may return more beside it."""
    return result[0] if isinstance(result, tuple | list) else result


def dense_peers(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, fa3) -> Peers:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    heads_first = [t.transpose(1, 2) for t in (q, k, v)]

    def cudnn() -> torch.Tensor:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(*heads_first, is_causal=causal).transpose(1, 2)

    peers: Peers = {"cuDNN": cudnn}
    if fa3 is not None:
        peers["FA3"] = lambda: first(fa3.flash_attn_func(q, k, v, causal=causal))
    return peers


def varlen_peers(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu: torch.Tensor, longest: int, causal: bool, fa3) -> Peers:
    peers: Peers = {}
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        pass
    else:
        try:
            varlen_attn(q, k, v, cu, cu, longest, longest, is_causal=causal)
            peers["torch varlen"] = lambda: first(varlen_attn(q, k, v, cu, cu, longest, longest, is_causal=causal))
        except TypeError:  # torch 2.11 says window_size where torch 2.10 said is_causal
            window = (-1, 0) if causal else (-1, -1)
            peers["torch varlen"] = lambda: first(varlen_attn(q, k, v, cu, cu, longest, longest, window_size=window))
    if fa3 is not None:
        peers["FA3"] = lambda: first(fa3.flash_attn_varlen_func(q, k, v, cu, cu, longest, longest, causal=causal))
    return peers


def case(kind: str, size: int, length: int, dtype: torch.dtype, fa3, tiles: dict[str, example.Tile]) -> tuple[Peers, Callable[[torch.Tensor], float]]:
    """The functions to measure, and the error of a result on the last head of the last sequence."""
    causal, heads, batch = "causal" in kind, ELEMENTS // size, TOKENS // length
    q, k, v = (torch.randn((batch, length, heads, size), device="cuda").to(dtype) for _ in range(3))
    expected, _ = example.reference(q[-1:, :, -1:], k[-1:, :, -1:], v[-1:, :, -1:], causal)
    functions: Peers = {}
    if kind.startswith("varlen"):
        packed = [t.flatten(0, 1) for t in (q, k, v)]
        cu = torch.arange(0, TOKENS + 1, length, dtype=torch.int32, device="cuda")
        for name, tile in tiles.items():
            functions[name] = lambda tile=tile: example.attention_varlen(*packed, cu, cu, length, length, causal=causal, tile=tile)
        if len(tiles) == 1:
            functions |= varlen_peers(*packed, cu, length, causal, fa3)
    else:
        for name, tile in tiles.items():
            functions[name] = lambda tile=tile: example.attention(q, k, v, causal=causal, tile=tile)
        if len(tiles) == 1:
            functions |= dense_peers(q, k, v, causal, fa3)
    return functions, lambda out: example.relative_error(out.reshape(q.shape)[-1:, :, -1:], expected)


def host_microseconds(function: Callable[[], object], calls: int = 200) -> float:
    """Median time until a call returns, which queues its work, in microseconds."""
    function()
    times = []
    for _ in range(calls):
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        function()
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times) / 1000


def measure(kind: str, size: int, length: int, dtype: torch.dtype, fa3, tiles: dict[str, example.Tile], rounds: int, milliseconds: int) -> dict:
    functions, error_of = case(kind, size, length, dtype, fa3, tiles)
    errors, refused = {}, {}
    for name, function in list(functions.items()):
        try:
            errors[name] = error_of(function())
        except RuntimeError as error:
            if name in tiles:
                raise
            refused[name] = str(error).splitlines()[0]
            del functions[name]
    wrong = {name: error for name, error in errors.items() if not error <= example.TOLERANCE[dtype]}
    if wrong:
        sys.exit(f"wrong results ({kind}, D = {size}, length {length}): {wrong}")
    times = report.measure(functions, rounds, milliseconds)
    work = example.operations(TOKENS // length, ELEMENTS // size, length, length, size, "causal" in kind)
    ours = next(iter(tiles))
    return {
        "kind": kind, "size": size, "length": length, "dtype": str(dtype), "milliseconds": times, "relative_error": errors, "refused": refused,
        "tflops": {name: 1e-9 * work / statistics.median(t) for name, t in times.items()},
        "ratios": {name: report.median_ratio(times, ours, name) for name in times if name != ours},
    }


def geomean(values: list[float]) -> float:
    return statistics.geometric_mean(values) if values else float("nan")


def table(results: list[dict], host: dict[str, float], machine: dict[str, str]) -> str:
    """TFLOP/s by length, and below them how many times as fast as each peer the first variant is."""
    lines = ["# Attention, forward", "", ", ".join(f"{k} {v}" for k, v in machine.items()), "",
             f"{TOKENS} tokens, {ELEMENTS} elements of Q per token; TFLOP/s, CUDA-graph replay.", ""]
    groups = {}
    for result in results:
        groups.setdefault((result["kind"], result["size"], result["dtype"]), []).append(result)
    for (kind, size, dtype), group in groups.items():
        lengths = [r["length"] for r in group]
        names = list(dict.fromkeys(name for r in group for name in r["tflops"]))
        lines += [f"## {kind}, D = {size}, {dtype.removeprefix('torch.')}", "", "| | " + " | ".join(map(str, lengths)) + " | geomean from 1024 |",
                  "|---" * (len(lengths) + 2) + "|"]
        for name in names:
            row = [r["tflops"].get(name) for r in group]
            long = [s for s, n in zip(row, lengths, strict=True) if s and n >= 1024]
            lines.append(f"| {name} | " + " | ".join(f"{s:.0f}" if s else "-" for s in row) + f" | {geomean(long):.0f} |")
        ours = names[0]
        for name in names[1:]:
            row = [r["ratios"].get(name) for r in group]
            long = [s for s, n in zip(row, lengths, strict=True) if s and n >= 1024]
            lines.append(f"| {ours} / {name} | " + " | ".join(f"{s:.3f}" if s else "-" for s in row) + f" | {geomean(long):.3f} |")
        for name, reason in {n: why for r in group for n, why in r["refused"].items()}.items():
            lines.append(f"\n{name} refused a case: {reason}")
        lines.append("")
    if host:
        lines += ["## Host time of a call", "", "| | microseconds |", "|---|---|", *(f"| {name} | {time:.1f} |" for name, time in host.items()), ""]
    return "\n".join(lines)


def host_times(fa3) -> dict[str, float]:
    """Host time of small calls: the GPU is done before the next one begins."""
    result = {}
    for kind in ("full", "varlen full"):
        functions, _ = case(kind, 128, 512, torch.bfloat16, fa3, {OURS: example.TILES[128]})
        result |= {f"{kind}, {name}": host_microseconds(function) for name, function in functions.items()}
    return result


def tile_forms(texts: list[str]) -> dict[int, dict[str, example.Tile]]:
    """Forms given as D:consumers,keys,stages,q_stages,registers,turns,apart."""
    forms: dict[int, dict[str, example.Tile]] = {}
    for text in texts:
        size, _, fields = text.partition(":")
        *numbers, turns, apart = map(int, fields.split(","))
        forms.setdefault(int(size), {})[fields] = example.Tile(*numbers, bool(turns), bool(apart))
    return forms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 64, 256])
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--dtype", choices=example.DTYPES, default="bf16")
    parser.add_argument("--tiles", nargs="+", default=[], help="forms of the kernel to compare: D:consumers,keys,stages,q_stages,registers,turns,apart")
    parser.add_argument("--fa3", type=Path, help="folder of FlashAttention-3 (an unpacked wheel of fa3-fwd)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=int, default=30, help="of replay for each variant in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.manual_seed(0)
    fa3, dtype, forms = fa3_module(options.fa3), example.DTYPES[options.dtype], tile_forms(options.tiles)
    host = {} if forms else host_times(fa3)
    machine = report.machine() | {"fa3": getattr(fa3, "__version__", "yes") if fa3 else "not installed"}
    for size in forms or options.sizes:
        results: list[dict] = []
        for kind in options.kinds:
            results += [measure(kind, size, length, dtype, fa3, forms.get(size, {OURS: example.TILES.get(size)}), options.rounds, options.milliseconds)
                        for length in options.lengths]
            # After every kind, so that a run that is cut short leaves what it has.
            name = f"attention_tiles_{size}" if forms else f"attention_{size}_{options.dtype}"
            report.save(options.out, name, {"machine": machine, "results": results, "host_microseconds": host}, table(results, host, machine))


if __name__ == "__main__":
    main()
