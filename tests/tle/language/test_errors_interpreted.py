"""The same rules under the stock interpreter, with the same messages. Runs with TRITON_INTERPRET=1."""
from __future__ import annotations

import traceback

import pytest
import torch

from tests.tle.language import test_errors

# Rules about the compilation itself: options, target, kind of function.
COMPILED_ONLY = {"A16", "I10", "I13"}
CASES = [case for case in test_errors.CASES if case.rule not in COMPILED_ONLY and case.capability == 90]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.__name__)
def test_rule(case: test_errors.Case) -> None:
    arguments = {"x": torch.zeros(64 * 64 * 4, dtype=torch.float16), "n": 64, "wide": 2**40, "ratio": 0.5}
    names = case.kernel.arg_names
    with pytest.raises(Exception) as caught:
        case.kernel[(1, )](*(arguments[name] for name in names))
    text = "".join(traceback.format_exception(caught.value))
    assert f"[{case.rule}] " in text
    assert "# <-" in text
