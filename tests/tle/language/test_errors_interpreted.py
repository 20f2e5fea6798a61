"""The same rules under the stock interpreter, with the same messages. Runs with TRITON_INTERPRET=1."""
from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.tle.language import test_barriers, test_errors, test_warp_specialize, test_wgmma
from tests.tle.language.cases import Case, Cases, call_with_buffers, functions_of_triton

# Rules about the compilation itself: options, target, kind of function, registers.
COMPILED_ONLY = {"A16", "A49", "A50", "I10", "I13", "I14", "S9", "S10", "S11", "S15", "S16", "S17"}
CASES = [case for module in (test_errors, test_barriers, test_wgmma, test_warp_specialize) for case in module.CASES
         if case.rule not in COMPILED_ONLY and case.capability == 90]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_interpreted()


def undecorated():
    pass


@triton.jit
def partition_without_decorator():
    tle.gpu.warp_specialize([(undecorated, ()), (undecorated, ())], [4], [24])


def test_undecorated_partition() -> None:
    """A compilation ends before, with stock Triton's own message."""
    with pytest.raises(Exception, match=r"\[S3\] warp_specialize entry 0: undecorated is no function decorated with @triton.jit"):
        partition_without_decorator[(1, )]()


# What stock Triton's compiler refuses by itself, for all values alike.
SIMULATED = Cases()
breaks = SIMULATED.breaks


@breaks("A48", "has no absolute value")
def absolute_buffer():
    buf = tle.gpu.alloc([64], tl.float16)
    abs(buf)  # <-


@pytest.mark.parametrize("case", SIMULATED, ids=str)
def test_rule_of_the_simulator(case: Case) -> None:
    case.check_interpreted()


@pytest.mark.parametrize("name", functions_of_triton())
def test_functions_of_triton_take_no_buffer(name: str, tmp_path: Path) -> None:
    call_with_buffers(name, tmp_path).check_interpreted()


@triton.jit
def prints():
    buf = tle.gpu.alloc([64], tl.float16)
    print(f"{buf} {buf:>40}")


def test_a_buffer_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    prints[(1, )]()
    assert capsys.readouterr().out == "buffered_tensor<64xfp16, share_memory>   buffered_tensor<64xfp16, share_memory>\n"
