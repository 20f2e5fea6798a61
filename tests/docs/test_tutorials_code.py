"""The kernels of docs/tutorials compile for sm_90 as their pages say: TMA, WGMMA from shared memory, partitions, no spills."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated; an example sets it without a GPU

import pytest  # noqa: E402

from tests.tle.language.compiling import compiled  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "examples")]

import tutorials  # noqa: E402
from first_look import assemble  # noqa: E402


def rows(count: int, columns: int = 128) -> str:
    return f"tensordesc<fp16[{count}, {columns}]>"


def attention(keys: int) -> tuple[str, dict, dict]:
    types = {"q_desc": rows(64), "k_desc": rows(keys), "v_desc": rows(keys), "o_desc": rows(64), "keys": "i32", "scale": "fp32"}
    return "attention", types, {"BN": keys, "D": 128, "STAGES": 2}


KERNELS = {
    "1_copy": ("copy", {"src": "*fp16", "dst": "*fp16", "rows": "i32", "cols": "i32"}, {"BM": 128, "BN": 64}),
    "2_tma": ("add", {name: rows(64, 64) for name in ("a_desc", "b_desc", "out_desc")} | {"tiles": "i32"}, {"BM": 64, "BN": 64}),
    "3_wgmma": ("scores", {"q_desc": rows(64), "k_desc": rows(64), "s_ptr": "*fp16", "queries": "i32", "keys": "i32"}, {"BN": 64, "D": 128}),
    "4_producer": attention(64),
    "5_pingpong": attention(128),
}

COPIES = {"1_copy": 0, "2_tma": 3, "3_wgmma": 2, "4_producer": 4, "5_pingpong": 6}
"""TMA instructions: tensors wider than 64 elements take two each."""

PRODUCTS = {"1_copy": 0, "2_tma": 0, "3_wgmma": 8, "4_producer": 8 + 4, "5_pingpong": 2 * (8 + 8 + 8 + 8)}
"""K of 16 each: D / 16 for the scores, keys / 16 for the values."""

WARPS = {"4_producer": 8, "5_pingpong": 12}


@pytest.mark.parametrize("page", KERNELS)
def test_code(page, tmp_path):
    name, types, constants = KERNELS[page]
    kernel = getattr(tutorials.kernels(page, tmp_path), name)
    result = compiled(kernel, types, constants, aligned=True, num_warps=4)
    ptx = result.asm["ptx"]
    report = assemble(ptx).replace("ptxas warning : Too many maxnreg specified", "")  # of 8 warps each thread may have all 255
    assert "0 bytes spill stores, 0 bytes spill loads" in report and not re.search(r"C75\d\d|warning", report), report
    assert result.metadata.num_warps == WARPS.get(page, 4)
    assert ptx.count("cp.async.bulk.tensor") == COPIES[page]
    assert ptx.count("wgmma.mma_async") == PRODUCTS[page]
    assert ("setmaxnreg" in ptx) == (page in WARPS)
