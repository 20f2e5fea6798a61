"""Speed of the kernels of docs/tutorials beside torch, cuBLAS and cuDNN on one Hopper GPU.

    python bench/tutorials.py [--out bench/results]
    python docs/tutorial_figures.py --write         # then puts the figures into the pages

The kernels are those of the pages, read from there. Every result is checked before it is timed.
"""
from __future__ import annotations

import argparse
import importlib.util
import re
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TREE / "examples"))
import attention as example  # noqa: E402  (from examples/)
import report  # noqa: E402

PAGES = TREE / "docs" / "tutorials"
OURS = "this page"
SIZE = 128
"""D of attention."""


class Sizes(NamedTuple):
    """Rows of 64 elements to copy and to add and blocks that add; queries and keys of the scores and of attention."""

    copied: int
    added: int
    blocks: int
    scores: tuple[int, int]
    attention: tuple[int, int]


LARGE = Sizes(copied=1 << 23, added=1 << 22, blocks=132 * 8, scores=(1 << 15, 1 << 13), attention=(1 << 14, 1 << 14))


class Case(NamedTuple):
    """A page's kernel (OURS) and others on the same operands: each function computes what `error` compares.

    work: bytes, or operations, of a call. eager: functions that are launched one by one, not replayed.
    """

    page: str
    title: str
    unit: str
    work: float
    functions: dict[str, Callable[[], torch.Tensor]]
    error: Callable[[torch.Tensor], float]
    tolerance: float
    eager: frozenset[str] = frozenset()


def kernels(page: str, folder: Path) -> ModuleType:
    """What the program of a page defines, without what it runs: up to its line `device = ...`."""
    program, = re.findall(r"^```python\n(.*?)^device = ", (PAGES / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)
    path = folder / f"tutorial_{page}.py"
    path.write_text(program)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random(device: str, *rows: int, columns: int) -> list[torch.Tensor]:
    return [torch.randn((n, columns), device=device).half() for n in rows]


def rows_of(count: int, *tensors: torch.Tensor) -> list[TensorDescriptor]:
    """Descriptors of blocks of `count` whole rows."""
    return [TensorDescriptor.from_tensor(t, [count, t.shape[1]]) for t in tensors]


def copy_case(sizes: Sizes, device: str, folder: Path) -> Case:
    page = "1_copy"
    program = kernels(page, folder)
    src, = random(device, sizes.copied, columns=64)
    out, theirs = torch.empty_like(src), torch.empty_like(src)

    def ours() -> torch.Tensor:
        program.copy[(triton.cdiv(len(src), 128), )](src, out, *src.shape, BM=128, BN=64)
        return out

    peers = {"torch copy_": lambda: theirs.copy_(src), "torch clone": src.clone}
    return Case(page, f"{src.nbytes >> 20} MiB, fp16", "GB/s", 2 * src.nbytes, {OURS: ours} | peers, lambda result: float(not torch.equal(result, src)),
                0.0, frozenset(peers))


def add_case(sizes: Sizes, device: str, folder: Path) -> Case:
    page = "2_tma"
    program = kernels(page, folder)
    a, b = random(device, sizes.added, sizes.added, columns=64)
    out, theirs, expected = torch.empty_like(a), torch.empty_like(a), a + b
    descriptors = rows_of(64, a, b, out)

    def ours() -> torch.Tensor:
        program.add[(sizes.blocks, )](*descriptors, triton.cdiv(len(a), 64), BM=64, BN=64)
        return out

    return Case(page, f"sum of two times {a.nbytes >> 20} MiB, fp16", "GB/s", 3 * a.nbytes,
                {OURS: ours, "torch": lambda: torch.add(a, b, out=theirs)}, lambda result: float(not torch.equal(result, expected)), 0.0)


def scores_case(sizes: Sizes, device: str, folder: Path) -> Case:
    page = "3_wgmma"
    program = kernels(page, folder)
    queries, keys = sizes.scores
    q, k = random(device, queries, keys, columns=SIZE)
    out, theirs = (torch.empty((queries, keys), device=device).half() for _ in range(2))
    descriptors = rows_of(64, q, k)
    sample = slice(None, None, max(1, queries // 1024))
    expected = q[sample].double() @ k.double().T

    def ours() -> torch.Tensor:
        program.scores[(triton.cdiv(queries, 64), )](*descriptors, out, queries, keys, BN=64, D=SIZE, num_warps=4)
        return out

    return Case(page, f"{queries} queries, {keys} keys, D = {SIZE}, fp16", "TFLOP/s", 2 * queries * keys * SIZE,
                {OURS: ours, "cuBLAS": lambda: torch.matmul(q, k.T, out=theirs)},
                lambda result: example.relative_error(result[sample], expected), example.TOLERANCE[torch.float16])


def attention_peers(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, Callable[[], torch.Tensor]]:
    """examples/attention.py, cuDNN, and what torch chooses by itself."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    heads_first, heads_third = [t[None, None] for t in (q, k, v)], [t[None, :, None] for t in (q, k, v)]

    def torch_attention() -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(*heads_first)[0, 0]

    def cudnn() -> torch.Tensor:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch_attention()

    return {"examples/attention.py": lambda: example.attention(*heads_third)[0, :, 0], "cuDNN": cudnn, "torch": torch_attention}


def attention_case(page: str, rows: int, keys_of_step: int, sizes: Sizes, device: str, folder: Path) -> Case:
    """rows: queries of a block; each descriptor of Q and O is for 64 of them."""
    program = kernels(page, folder)
    queries, keys = sizes.attention
    q, k, v = random(device, queries, keys, keys, columns=SIZE)
    out = torch.empty_like(q)
    (q_desc, out_desc), (k_desc, v_desc) = rows_of(64, q, out), rows_of(keys_of_step, k, v)
    expected = example.reference(*(t[None, :, None] for t in (q, k, v)))[0][0, :, 0]

    def ours() -> torch.Tensor:
        program.attention[(triton.cdiv(queries, rows), )](q_desc, k_desc, v_desc, out_desc, keys, example.LOG2_E * SIZE**-0.5, BN=keys_of_step, D=SIZE,
                                                          STAGES=2, num_warps=4)
        return out

    return Case(page, f"{queries} queries, {keys} keys, D = {SIZE}, fp16, one head", "TFLOP/s", example.operations(1, 1, queries, keys, SIZE, False),
                {OURS: ours} | attention_peers(q, k, v), lambda result: example.relative_error(result, expected), example.TOLERANCE[torch.float16])


MAKERS: tuple[Callable[[Sizes, str, Path], Case], ...] = (
    copy_case,
    add_case,
    scores_case,
    lambda *arguments: attention_case("4_producer", 64, 64, *arguments),
    lambda *arguments: attention_case("5_pingpong", 128, 128, *arguments),
)
"""One case at a time is made, measured and dropped: together they would not fit every GPU."""


def check(case: Case) -> tuple[dict[str, float], dict[str, str]]:
    """Errors by function, and why some refused; those are taken out of the case. Leaves the program if a result is wrong."""
    errors, refused = {}, {}
    for name, function in list(case.functions.items()):
        try:
            errors[name] = case.error(function())
        except RuntimeError as error:
            if name == OURS:
                raise
            refused[name] = str(error).splitlines()[0]
            del case.functions[name]
    wrong = {name: error for name, error in errors.items() if not error <= case.tolerance}
    if wrong:
        sys.exit(f"wrong results ({case.page}): {wrong}")
    return errors, refused


def benchmark(case: Case, rounds: int, milliseconds: int) -> dict:
    """Times and speeds, and how fast the page's kernel is in parts of the fastest library."""
    errors, refused = check(case)
    times = report.measure(case.functions, rounds, milliseconds, case.eager)
    scale = 1e-6 if case.unit == "GB/s" else 1e-9
    speeds = {name: scale * case.work / statistics.median(t) for name, t in times.items()}
    libraries = [name for name in speeds if name not in (OURS, "examples/attention.py")]
    peer = max(libraries, key=speeds.__getitem__)
    return {
        "page": case.page, "title": case.title, "unit": case.unit, "milliseconds": times, "speed": speeds, "relative_error": errors, "refused": refused,
        "peer": peer, "of_peer": {name: report.median_ratio(times, name, peer) for name in times},
    }


def table(results: list[dict], machine: dict[str, str]) -> str:
    lines = ["# Tutorials", "", ", ".join(f"{k} {v}" for k, v in machine.items()), ""]
    for result in results:
        lines += [f"## {result['page']}: {result['title']}", "", f"| kernel | {result['unit']} | of {result['peer']} | relative error |", "|---|---|---|---|"]
        for name, speed in sorted(result["speed"].items(), key=lambda item: -item[1]):
            lines.append(f"| {name} | {speed:.0f} | {result['of_peer'][name]:.3f} | {result['relative_error'][name]:.1e} |")
        lines += ["", *(f"- {name} refused: {why}" for name, why in result["refused"].items())]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=int, default=50, help="of replay for each kernel in each round")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.manual_seed(0)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for make in MAKERS:
            results.append(benchmark(make(LARGE, "cuda", Path(folder)), options.rounds, options.milliseconds))
            torch.cuda.empty_cache()
    machine = report.machine()
    report.save(options.out, "tutorials", {"machine": machine, "results": results}, table(results, machine))


if __name__ == "__main__":
    main()
