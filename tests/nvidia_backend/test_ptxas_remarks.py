"""Serialized WGMMA becomes a warning with the kernel's line."""
from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.ptxas_remarks import WgmmaSerializedWarning, warn_serialized, wgmma_lines

from tests.tle.language.compiling import compiled

LOG = ("ptxas info    : ({code}) Potential Performance Loss: wgmma.mma_async instructions are serialized due to {reason} in the function "
       "'{kernel}'\nptxas info    : Used 106 registers\n")
PTX = """
.visible .entry first(
	.param .u64 a
)
{
	.loc	1 10 5
	wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {x};
	.loc	1 11 5                          // k.py:11:5
	add.f32 a, b, c;
}
.visible .entry second(
	.param .u64 a
)
{
	.loc	2 20 5, function_name $L__info_string0, inlined_at 1 40 7
	wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {x};
	wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {y};
	.loc	1 22 5
	wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {x};
}
	.file	1 "/code/k.py"
	.file	2 "/code/helper.py"
"""


def test_lines_of_a_function() -> None:
    assert wgmma_lines(PTX, "first") == [("/code/k.py", 10)]
    assert wgmma_lines(PTX, "second") == [("/code/helper.py", 20), ("/code/k.py", 22)]
    assert wgmma_lines(PTX, "third") == []


@pytest.mark.parametrize("code, reason, advice", [
    ("C7510", "wgmma pipeline crossing function boundary at a function call", "in one place of the kernel"),
    ("C7511", "insufficient register resources for the wgmma pipeline", "smaller tiles"),
    ("C7512", "insufficient register resources for the function", "smaller tiles"),
    ("C7513", "non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage", "operand a"),
    ("C7514", "non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage", "clear"),
    ("C7515", "non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage", "Read"),
    ("C7516", "ill formed pipeline stage", "on every path"),
])
def test_every_reason(code: str, reason: str, advice: str) -> None:
    with pytest.warns(WgmmaSerializedWarning) as caught:
        warn_serialized(LOG.format(code=code, reason=reason, kernel="second"), PTX)
    (warning, ) = caught
    assert (warning.filename, warning.lineno) == ("/code/helper.py", 20)
    assert (warning.message.kernel, warning.message.code, warning.message.reason) == ("second", code, reason)
    assert advice in str(warning.message) and "/code/k.py:22" in str(warning.message)


def test_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_serialized("ptxas info    : Used 106 registers, used 0 barriers\n", PTX)


@triton.jit
def overwrites_operand(q, k, v, o, n, N: tl.constexpr, WAIT: tl.constexpr):
    sq = tle.gpu.alloc([64, 64], tl.bfloat16)
    sk = tle.gpu.alloc([N, 64], tl.bfloat16)
    sv = tle.gpu.alloc([N, 64], tl.bfloat16)
    tle.gpu.copy(q, sq, [64, 64], [0, 0])
    tle.gpu.copy(k, sk, [N, 64], [0, 0])
    tle.gpu.copy(v, sv, [N, 64], [0, 0])
    p = tl.zeros([64, N], tl.bfloat16)
    acc = tl.zeros([64, 64], tl.float32)
    for _ in range(n):
        s = tle.gpu.wgmma(sq, sk, trans_b=True)
        acc = tle.gpu.wgmma(p, sv, acc)
        s = tle.gpu.wgmma_wait(1, s)
        acc = tle.gpu.wgmma_wait(WAIT, acc)
        p = tl.exp2(s).to(tl.bfloat16)
    acc = tle.gpu.wgmma_wait(0, acc)
    m, d = tl.arange(0, 64), tl.arange(0, 64)
    tl.store(o + m[:, None] * 64 + d[None, :], acc)


def build(wait: int) -> Any:
    desc = "tensordesc<bf16[64, 64]>"
    return compiled(overwrites_operand, {"q": desc, "k": desc, "v": desc, "o": "*fp32", "n": "i32"}, {"N": 64, "WAIT": wait})


@pytest.mark.usefixtures("fresh_cache")
def test_a_kernel_that_overwrites_an_operand_in_flight() -> None:
    with pytest.warns(WgmmaSerializedWarning, match="kernel overwrites_operand") as caught:
        build(1)
    (warning, ) = [each for each in caught if isinstance(each.message, WgmmaSerializedWarning)]
    assert warning.message.code == "C7513"
    assert warning.filename == __file__
    source = Path(__file__).read_text().splitlines()
    assert [source[line - 1].strip() for _, line in warning.message.lines] == ["s = tle.gpu.wgmma(sq, sk, trans_b=True)",
                                                                               "acc = tle.gpu.wgmma(p, sv, acc)"]


@pytest.mark.usefixtures("fresh_cache")
def test_a_kernel_that_waits_first() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", WgmmaSerializedWarning)
        build(0)
