"""A TLE kernel nobody here wrote: flag-gems' radix top-k (shared counters, histogram by shared-memory atomics)."""
from __future__ import annotations

import importlib
import re

import pytest
import triton.experimental.tle.language as tle  # noqa: F401  (flag-gems compiles its TLE kernels where it finds this)

from tests.corpus.packages import describe_device
from tests.corpus.stages import Compilation
from tests.corpus.table import Kernel

INTEGERS = {"Yi": "*i64:16", "stride_xm": "i32", "stride_ym": "i32", "n_cols": "i32"}


@pytest.fixture(scope="module", autouse=True)
def flag_gems() -> None:
    """The whole package, which also names parts of TLE that are not there."""
    describe_device()
    importlib.import_module("flag_gems")


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("element", ["fp16", "bf16", "fp32"])
def test_radix_top_k(element: str, capability: int) -> None:
    row = Kernel("flag-gems", "flag_gems.ops.topk", "topk_kernel_radix_tle", {"X": f"*{element}:16", "Yv": f"*{element}:16", **INTEGERS},
                 {"K": 60, "K_PAD": 64, "BLOCK_N": 512, "RADIX_BITS": 4}, num_warps=4, num_stages=2)
    compilation = Compilation(row, capability)
    ptx = compilation.run("ttir", "ttgir", "llir", "ptx")
    assert re.search(r"atom\.relaxed\.cta\.shared\.add\.u32", ptx)
    assert not re.search(r"\b(atom|red)\.(?!relaxed\.cta\.shared)[a-z]+", ptx)  # no atomic operation reaches global memory
    counters, selected, written = 16 * 4, 64 * 2 * (4 if element == "fp32" else 2), 4
    assert compilation.metadata["shared"] >= counters + selected + written
