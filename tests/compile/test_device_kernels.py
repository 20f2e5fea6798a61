"""The kernels of the device tests and the examples compile to machine code without a GPU, and into the expected instructions."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated; an example sets it without a GPU

import pytest  # noqa: E402

from tests.tle.language import compiling  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/gpu"), str(ROOT / "examples")]

import descriptor_kernels  # noqa: E402
import flash_attention  # noqa: E402
import kernels  # noqa: E402
import tile_copy  # noqa: E402


def compiled(kernel: Any, arch: int, types: dict[str, str], warps: int = 4, **constants: Any) -> Any:
    """The kernel compiled for `arch`. Arguments without a type or a constant are int32; pointers are 16-byte aligned."""
    return compiling.compiled(kernel, dict.fromkeys(kernel.arg_names, "i32") | types, constants, arch, aligned=True, num_warps=warps)


def pointers(element: str, *names: str) -> dict[str, str]:
    return {name: f"*{element}" for name in names}


TILE = {"BM": 32, "BN": 64}
MATMUL = {"BM": 64, "BN": 64, "BK": 32}
CASES = {
    "copy": (kernels.copy_tiles, pointers("fp16", "src", "dst"), {**TILE, "NVMMA": True}),
    "copy bf16": (kernels.copy_tiles, pointers("bf16", "src", "dst"), {**TILE, "NVMMA": False}),
    "copy int8": (kernels.copy_tiles, pointers("i8", "src", "dst"), {**TILE, "NVMMA": True}),
    "whole copy": (kernels.copy_unmasked, pointers("fp32", "src", "dst"), {"BM": 128, "BN": 16}),
    "copy of a row": (kernels.copy_unmasked, pointers("bf16", "src", "dst"), {"BM": 1, "BN": 64}),
    "masked load": (kernels.masked_lanes_are_zero, pointers("fp16", "src", "dst"), TILE),
    **{f"ring of {depth}": (kernels.ring, pointers("fp16", "src", "dst"), {**TILE, "DEPTH": depth, "METHOD": depth % 2 == 0})
       for depth in (1, 2, 3, 5)},
    **{f"matmul {element} {stages} {ta} {tb}": (kernels.matmul, pointers(element, "a_ptr", "b_ptr", "c_ptr"),
                                                {**MATMUL, "STAGES": stages, "TRANS_A": ta, "TRANS_B": tb})
       for element in ("fp16", "bf16", "fp32") for stages, ta, tb in ((1, False, False), (3, False, True), (3, True, False))},
    **{f"TMA from the host {element}": (kernels.tma_copy_host, dict.fromkeys(("src", "dst"), f"tensordesc<{element}[32, 64]>"), TILE)
       for element in ("fp16", "fp32")},
    "TMA from the kernel": (kernels.tma_copy_device, pointers("fp16", "src", "dst"), TILE),
    "matmul by TMA": (kernels.tma_matmul, {"a_desc": "tensordesc<fp16[64, 32]>", "b_desc": "tensordesc<fp16[32, 64]>",
                                           "c_ptr": "*fp32"}, MATMUL),
    "TMA of vectors": (descriptor_kernels.copy_row, dict.fromkeys(("src", "dst"), "tensordesc<i8[64]>"), {"BLOCK": 64}),
    **{f"TMA of {rows} x {cols} {element}": (descriptor_kernels.copy_tile, {"src": f"tensordesc<{element}[{rows}, {cols}]>", "dst": f"*{element}"},
                                             {"ROWS": rows, "COLS": cols})
       for element, rows, cols in (("fp16", 64, 8), ("fp32", 64, 4), ("i8", 64, 16), ("fp16", 512, 64), ("fp16", 16, 512))},
    "TMA at the edges": (descriptor_kernels.store_tile, {"dst": "tensordesc<i8[32, 128]>"}, {"ROWS": 32, "COLS": 128}),
    "five TMA descriptors": (descriptor_kernels.five, {**dict.fromkeys("abcde", "tensordesc<i32[32, 32]>"), "out": "*i32"}, {"SIZE": 32}),
    "ten TMA descriptors": (descriptor_kernels.twenty, {**{f"d{i}": "tensordesc<i32[32, 32]>" for i in range(10)},
                                                        **{f"p{i}": "*i32" for i in range(10)}, "out": "*i32"}, {"SIZE": 32}),
    "async load": (kernels.async_load_sum, pointers("fp32", "src", "dst"), {**TILE, "ASYNC": True}),
    "initial value": (kernels.init_value, pointers("fp16", "src", "dst"), TILE),
    "memory space": (kernels.memory_space, pointers("fp32", "src", "dst"), TILE),
    "transpose": (kernels.transpose, pointers("i8", "src", "dst"), TILE),
    "histogram": (kernels.histogram, pointers("i32", "src", "dst"), {"COUNT": 1024, "BINS": 16}),
    "reductions": (kernels.reduce_beside_live_buffers, {"src": "*fp16", "dst": "*fp16", "sums": "*fp32"}, TILE),
    "copy example": (tile_copy.copy_kernel, pointers("fp16", "src", "dst"), {"EVEN": False, "TILE": 8192}),
}


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("name", CASES)
def test_compiles(name, arch):
    kernel, types, constants = CASES[name]
    ptx = compiled(kernel, arch, types, **constants).asm["ptx"]
    if "matmul" in name:
        assert ("wgmma.mma_async" in ptx) == (arch == 90)
        assert ("mma.sync" in ptx) == (arch == 80)
    if "TMA" in name:
        assert ("cp.async.bulk.tensor" in ptx) == (arch == 90)
    if name == "async load":
        assert "cp.async" in ptx
    if name == "histogram":
        assert re.search(r"\batom\.[\w.]*shared", ptx)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("element", ["fp16", "bf16"])
@pytest.mark.parametrize("trans_a, trans_b", [(False, False), (True, False), (False, True), (True, True)])
def test_wgmma_reads_shared_memory(element, stages, trans_a, trans_b):
    """No operand comes back from shared memory to registers."""
    ptx = compiled(kernels.matmul, 90, pointers(element, "a_ptr", "b_ptr") | {"c_ptr": "*fp32"}, **MATMUL, STAGES=stages,
                   TRANS_A=trans_a, TRANS_B=trans_b, stride_cn=1).asm["ptx"]
    assert "wgmma.mma_async" in ptx
    before_the_end = ptx[:ptx.rindex("wgmma.wait_group")]
    assert "ld.shared" not in before_the_end and "ldmatrix" not in before_the_end


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("element", ["fp16", "bf16"])
@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("even", [True, False])
def test_attention(arch, element, size, even):
    """Both products on tensor cores; whole tiles of Q, K and V come by asynchronous copies, and nothing of TileIR is left."""
    types = pointers(element, "q_ptr", "k_ptr", "v_ptr", "o_ptr") | {"scale": "fp32"}
    stages = compiled(flash_attention.attention_kernel, arch, types, flash_attention.WARPS, **flash_attention.TILE, EVEN=even, D=size).asm
    assert len(re.findall(r"wgmma\.mma_async|mma\.sync", stages["ptx"])) >= 2
    assert ("wgmma.mma_async" in stages["ptx"]) == (arch == 90)
    assert not even or stages["ttgir"].count("ttg.async_copy_global_to_local") >= 3
    assert not re.search(r"\btile\.\w|!tile\.|\btle\.\w+ %|unrealized_conversion_cast", re.sub(r"loc\(.*|#loc.*", "", stages["ttgir"]))
