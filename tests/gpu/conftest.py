"""Fixtures of the device tests: `device` is "cuda", or "cpu" when TRITON_INTERPRET=1 runs the kernels in the simulator."""
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))  # the tests import `kernels` from here


@pytest.fixture(scope="session")
def device() -> str:
    """Device the kernels run on. Without a GPU and without the simulator the tests fail: nothing would be tested."""
    if os.environ.get("TRITON_INTERPRET") == "1":
        return "cpu"
    if not torch.cuda.is_available():
        pytest.fail("no CUDA device; set TRITON_INTERPRET=1 to run these tests on the CPU")
    return "cuda"


@pytest.fixture(autouse=True)
def seeded() -> None:
    """The same data in every run."""
    torch.manual_seed(0)
