"""Correct kernels run right, and without a finding, under every schedule tried, and in every interleaving that differs."""
from __future__ import annotations

import flagtree
import pytest
from flagtree.simulator.session import Session, simulating

from tests.simulator import samples


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("run", samples.ALL, ids=lambda run: run.__name__)
def test_sample(run, seed):
    with simulating(Session(seed=seed)) as session:
        run()
    assert session.findings == []


@pytest.mark.parametrize("run", samples.ALL, ids=lambda run: run.__name__)
def test_barriers_leave_one_order(run):
    """Each program of a sample has one interleaving: its barriers leave no choice that matters."""
    report = flagtree.check(run, progress=False)
    assert report.ok and report.exhausted
    programs = {"run_gemm": 2, "run_split_k": 3, "run_persistent": 2}.get(run.__name__, 1)
    assert (report.interleavings, report.schedules) == (programs, 8)
