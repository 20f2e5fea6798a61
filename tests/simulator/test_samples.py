"""Correct kernels run right, and without a finding, under every schedule tried."""
from __future__ import annotations

import pytest
from flagtree.simulator.session import Session, simulating

from tests.simulator import samples


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("run", samples.ALL, ids=lambda run: run.__name__)
def test_sample(run, seed):
    with simulating(Session(seed=seed)) as session:
        run()
    assert session.findings == []
