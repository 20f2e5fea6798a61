"""Every wrong mutant of a sample is found within the default schedules. No equivalent one is, and all its interleavings were run.

SAMPLE names the sample.
"""
from __future__ import annotations

import os

import pytest

from tests.simulator import mutants

MUTANTS = [mutant for mutant in mutants.all_mutants() if mutant.sample == os.environ.get("SAMPLE", mutant.sample)]


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_mutant(mutant, tmp_path):
    what, by = mutants.verdict(mutant, str(tmp_path))
    assert what == ("nothing" if mutant.equivalent else "found"), by
    assert by == "exhausted" or not mutant.equivalent
