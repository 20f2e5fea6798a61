"""The same rules under the stock interpreter, with the same messages. Runs with TRITON_INTERPRET=1."""
from __future__ import annotations

import pytest

from tests.tle.language import test_barriers, test_errors, test_warp_specialize, test_wgmma
from tests.tle.language.cases import Case

# Rules about the compilation itself: options, target, kind of function, registers.
COMPILED_ONLY = {"A16", "I10", "I13", "I14", "S9", "S10", "S11", "S15", "S16", "S17"}
CASES = [case for module in (test_errors, test_barriers, test_wgmma, test_warp_specialize) for case in module.CASES
         if case.rule not in COMPILED_ONLY and case.capability == 90]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_interpreted()
