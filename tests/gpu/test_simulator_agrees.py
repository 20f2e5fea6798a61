"""What kernels compute on the GPU is what the simulator says, within the tolerances of docs/simulator.md.

The simulator runs in processes of its own (Triton is either interpreted or compiled in one), on the same seeded inputs:

    TRITON_INTERPRET=1 python test_simulator_agrees.py results.pt PART PARTS
"""
from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "tests/simulator")]

import attention  # noqa: E402  (from examples/)
import flash_attention  # noqa: E402
import matmul_ws  # noqa: E402
import samples  # noqa: E402  (from tests/simulator/)
import tile_copy  # noqa: E402

PROCESSES = min(8, os.cpu_count() or 1)

EXACT, FP32, FP16, BF16, FP8 = 0.0, 1e-5, 5e-4, 4e-3, 1e-2
"""Relative Frobenius errors allowed: nothing is rounded, or the result is float32, float16 or bfloat16, or the operands float8."""

Case = Callable[[str], dict[str, torch.Tensor]]
"""Runs on a device; the results."""


def normal(device: str, dtype: torch.dtype, *shape: int, seed: int = 0) -> torch.Tensor:
    """Random numbers, the same on every device."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype).to(device)


def attend(device: str, dtype: torch.dtype, size: int, causal: bool) -> dict[str, torch.Tensor]:
    q = normal(device, dtype, 1, 200, 2, size)
    k, v = (normal(device, dtype, 1, 260, 1, size, seed=seed) for seed in (1, 2))
    out, lse = attention.attention(q, k, v, causal=causal, return_lse=True)
    return {"result": out, "logarithm": lse}


def attend_varlen(device: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    q, k, v = (normal(device, dtype, 170, 2, 64, seed=seed) for seed in range(3))
    ends = torch.tensor([0, 70, 70, 170], dtype=torch.int32, device=device)
    out, lse = attention.attention_varlen(q, k, v, ends, ends, 100, 100, causal=True, return_lse=True)
    return {"result": out, "logarithm": lse}


def flash(device: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    q, k, v = (normal(device, dtype, 2, rows, 64, seed=seed) for seed, rows in enumerate((130, 200, 200)))
    return {"result": flash_attention.attention(q, k, v)}


def multiply(device: str, dtype: torch.dtype, form: str) -> dict[str, torch.Tensor]:
    a, b = normal(device, dtype, 200, 192), normal(device, dtype, 140, 192, seed=1).mT
    return {"result": matmul_ws.matmul(a, b, form=form)}


def copied(device: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    src = normal(device, dtype, 20_000)
    return {"result": tile_copy.copy(src, torch.zeros_like(src))}


def sample(run: Callable[[str], torch.Tensor], device: str) -> dict[str, torch.Tensor]:
    return {"result": run(device)}


BITS = {torch.float16: FP16, torch.bfloat16: BF16, torch.float8_e4m3fn: FP8}
SAMPLES = {"run_ring_copy": EXACT, "run_produce_consume": EXACT, "run_gemm": FP16, "run_late_gemm": FP16, "run_persistent": FP16, "run_split_k": FP32,
           "run_attention": FP16, "run_attention_3": FP16}
"""Attention's result is float32, but the weights that are multiplied are float16."""


def all_cases() -> dict[str, tuple[Case, float]]:
    """Name -> what to run, and the error allowed."""
    cases: dict[str, tuple[Case, float]] = {}
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        for size in (64, 128, 256):
            for causal in (False, True):
                label = f"attention {name} D={size}{' causal' if causal else ''}"
                cases[label] = (lambda device, dtype=dtype, size=size, causal=causal: attend(device, dtype, size, causal)), BITS[dtype]
        cases[f"attention_varlen {name}"] = (lambda device, dtype=dtype: attend_varlen(device, dtype)), BITS[dtype]
        cases[f"flash_attention {name}"] = (lambda device, dtype=dtype: flash(device, dtype)), BITS[dtype]
        cases[f"tile_copy {name}"] = (lambda device, dtype=dtype: copied(device, dtype)), EXACT
    for name, dtype in matmul_ws.DTYPES.items():
        for form in matmul_ws.FORMS:
            cases[f"matmul_ws {name} {form}"] = (lambda device, dtype=dtype, form=form: multiply(device, dtype, form)), BITS[dtype]
    for name, tolerance in SAMPLES.items():
        cases[name] = functools.partial(sample, getattr(samples, name)), tolerance
    return cases


CASES = all_cases()


@pytest.fixture(scope="module")
def simulated(device, tmp_path_factory) -> dict[str, dict[str, torch.Tensor]]:
    """Results of all cases, from the simulator."""
    if device != "cuda":
        pytest.fail("this test compares with a GPU: unset TRITON_INTERPRET")
    folder = tmp_path_factory.mktemp("simulated")
    environment = {**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__]
    children = [subprocess.Popen([*command, folder / f"{part}.pt", str(part), str(PROCESSES)], env=environment) for part in range(PROCESSES)]
    assert [child.wait() for child in children] == [0] * PROCESSES
    return {name: results for part in range(PROCESSES) for name, results in torch.load(folder / f"{part}.pt").items()}


@pytest.mark.parametrize("name", CASES)
def test_agrees(name, device, simulated):
    run, tolerance = CASES[name]
    results = run(device)
    assert results.keys() == simulated[name].keys()
    for what, value in results.items():
        compare(f"{name}, {what}", value.cpu(), simulated[name][what], FP32 if what == "logarithm" else tolerance)


def compare(label: str, got: torch.Tensor, expected: torch.Tensor, tolerance: float) -> None:
    """Same type, shape and infinities; a relative error within the tolerance, and no single element off by more than 4 times that
    of the largest."""
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    finite = expected.isfinite()
    assert torch.equal(torch.where(finite, 0, got), torch.where(finite, 0, expected)) and finite.any()
    got, expected = got[finite].double(), expected[finite].double()
    error = float((got - expected).norm() / expected.norm())
    largest = float((got - expected).abs().max() / expected.abs().max())
    print(f"{label}: relative error {error:.1e}, largest {largest:.1e} (allowed {tolerance:.0e})")
    assert error <= tolerance and largest <= 4 * tolerance, f"{label}: relative error {error:.2e}, largest {largest:.2e}"


def main(path: str, part: int, parts: int) -> None:
    """Run every parts-th case in the simulator and save the results."""
    torch.save({name: CASES[name][0]("cpu") for name in list(CASES)[part::parts]}, path)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
