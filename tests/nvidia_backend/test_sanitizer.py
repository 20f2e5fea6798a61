"""Kernels compiled with Triton's concurrency sanitizer (TRITON_INSTRUMENTATION_MODE=consan), which checks accesses as they happen."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402
from flagtree.nvidia_backend.errors import LoweringError  # noqa: E402
from triton import knobs  # noqa: E402

from tests.tle.language.compiling import compiled  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))

import wrong_kernels as kernels  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_cache")

TYPES = {"src": "tensordesc<fp32[64, 64]>", "wide": "tensordesc<fp32[128, 64]>", "out": "*fp32"}


def build(kernel: Any, mode: str, monkeypatch: pytest.MonkeyPatch, **constants: Any) -> Any:
    monkeypatch.setattr(knobs.compilation, "instrumentation_mode", mode)
    return compiled(kernel, TYPES, constants, instrumentation_mode=mode)


@pytest.mark.parametrize("kernel, constants, copies", [(kernels.ring_of_two, {"EARLY": False}, 1), (kernels.two_copies_of_a_use, {}, 2)])
def test_every_copy_is_an_arrival(kernel: Any, constants: dict[str, Any], copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sanitizer counts copies, so that barriers count them too; without it one arrival announces all bytes."""

    def counts(mode: str) -> tuple[str, int]:
        ttgir = build(kernel, mode, monkeypatch, **constants).asm["ttgir"]
        init, *_ = re.findall(r"ttng\.init_barrier %[\w, ]+, (\d+)", ttgir)
        return init, ttgir.count("ttng.barrier_expect")

    assert counts("") == ("1", 1)
    assert counts("consan") == (str(copies), copies)


def test_registers_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks need more of them than a partition's share: ptxas would spill, and take minutes over it."""
    assert "setmaxnreg" in build(kernels.ring_of_two, "", monkeypatch, EARLY=False).asm["ptx"]
    sanitized = build(kernels.ring_of_two, "consan", monkeypatch, EARLY=False)
    assert "setmaxnreg" not in sanitized.asm["ptx"] and "__assertfail" in sanitized.asm["ptx"]
    assert sanitized.asm["cubin"] and sanitized.metadata.global_scratch_size > 0


@triton.jit
def two_copies_or_one(src, wide, out):
    first = tle.gpu.alloc([64, 64], src.dtype)
    second = tle.gpu.alloc([64, 64], src.dtype)
    both = tle.gpu.alloc([128, 64], src.dtype)
    bar = tle.gpu.alloc_barrier(expect_bytes=128 * 64 * 4)
    tle.gpu.copy(src, first, [64, 64], [0, 0], barrier=bar)
    tle.gpu.copy(src, second, [64, 64], [64, 0], barrier=bar)
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.copy(wide, both, [128, 64], [0, 0], barrier=bar)
    tle.gpu.barrier_wait(bar, phaseIdx=1)
    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], first.load() + second.load() + both.load().reshape([2, 64, 64]).sum(0))


def test_b38_uses_with_other_numbers_of_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(two_copies_or_one, "", monkeypatch).asm["cubin"]
    with pytest.raises(LoweringError, match=r"\[B38\] Triton's concurrency sanitizer takes every copy for an arrival, but the uses of the barrier have 2 copies and 1"):
        build(two_copies_or_one, "consan", monkeypatch)
