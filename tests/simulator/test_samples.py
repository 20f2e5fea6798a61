"""Correct kernels run right, and without a finding, under every schedule tried."""
from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import pytest
import samples
from flagtree.simulator.builder import install
from flagtree.simulator.session import Session


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("run", samples.ALL, ids=lambda run: run.__name__)
def test_sample(run, seed, monkeypatch):
    monkeypatch.setattr(install(), "session", Session(seed=seed))
    run()
