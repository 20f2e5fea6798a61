"""Operators that bench/abba.py compares: every function makes one, with random inputs, and returns it and the check of its result.

The operators have no tuning: both wheels run the same tile.
"""
from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch

Operator = tuple[Callable[[], object], Callable[[], dict[str, float]]]


def example(name: str) -> ModuleType:
    """examples/name.py under a name of its own, for bench/ has a matmul.py, too."""
    full = f"example_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).resolve().parents[1] / "examples" / f"{name}.py")
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def within(error: float, allowed: float) -> dict[str, float]:
    """The facts of a check; raises ValueError for an error that is not allowed."""
    if not error <= allowed:
        raise ValueError(f"wrong result: relative error {error:.2e}, allowed {allowed:.0e}")
    return {"relative_error": error, "allowed": allowed}


def matmul(size: int, tile: dict[str, int], warps: int) -> Operator:
    """fp16 matrix product, M = N = K = size."""
    module = example("matmul")
    torch.manual_seed(0)
    a, b = (torch.randn((size, size), device=device()).half() for _ in range(2))
    c = torch.full_like(a, float("nan"))
    grid = (-(-size // tile["BM"]) * -(-size // tile["BN"]), )

    def launch() -> None:
        module.matmul_kernel[grid](a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride(), EVEN=True, **tile, num_warps=warps)

    return launch, lambda: within(module.relative_error(c, a, b), module.TOLERANCE[c.dtype])


def matmul_4096() -> Operator:
    return matmul(4096, {"BM": 128, "BN": 256, "BK": 64, "STAGES": 3, "GROUP": 8}, 8)


def matmul_512() -> Operator:
    return matmul(512, {"BM": 64, "BN": 64, "BK": 64, "STAGES": 3, "GROUP": 8}, 4)


def attention(stages: int = 3, heads: int = 64, length: int = 4096, size: int = 64) -> Operator:
    """fp16 attention, forward, as many keys as queries; `stages` is what the compiler may make of the loop."""
    module = example("flash_attention")
    torch.manual_seed(0)
    q, k, v = (torch.randn((heads, length, size), device=device()).half() for _ in range(3))
    out = torch.full_like(q, float("nan"))

    def check() -> dict[str, float]:
        return within(module.relative_error(out, q, k, v), module.TOLERANCE[out.dtype])

    return lambda: module.attention(q, k, v, out, stages), check


def attention_1_stage() -> Operator:
    return attention(stages=1)


def copy(elements: int = 2**27) -> Operator:
    """Copy of fp16 elements through shared memory."""
    module = example("tile_copy")
    torch.manual_seed(0)
    src = torch.randn(elements, device=device()).half()
    dst = torch.full_like(src, float("nan"))

    def check() -> dict[str, float]:
        if not torch.equal(src, dst):
            raise ValueError("wrong result: the copy is not equal")
        return {"elements": elements}

    return lambda: module.copy(src, dst), check
