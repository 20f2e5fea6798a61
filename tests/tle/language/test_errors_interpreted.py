"""The same rules under the stock interpreter, with the same messages. Runs with TRITON_INTERPRET=1."""
from __future__ import annotations

import pytest
import triton
import triton.experimental.tle.language as tle

from tests.tle.language import test_barriers, test_errors, test_warp_specialize, test_wgmma
from tests.tle.language.cases import Case

# Rules about the compilation itself: options, target, kind of function, registers.
COMPILED_ONLY = {"A16", "I10", "I13", "I14", "S9", "S10", "S11", "S15", "S16", "S17"}
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
