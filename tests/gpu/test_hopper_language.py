"""Every feature of the Hopper language in a small kernel, end to end, against torch."""
from __future__ import annotations

import pytest
import torch
from hopper_cases import CASES, base


@pytest.mark.parametrize("name", CASES)
def test_feature(device, name):
    case = CASES[name]
    arguments = case.arguments(device)
    expected = case.expected(arguments)
    case.kernel[(case.grid, )](**arguments, **case.constants, num_warps=case.num_warps)
    got = base(arguments["out"]).double()
    expected = expected.double()
    assert got.shape == expected.shape
    if case.tolerance == 0 or not expected.any():
        assert torch.equal(got, expected)
    else:
        error = float((got - expected).norm() / expected.norm())
        assert error <= case.tolerance, f"relative error {error:.2e}"
