"""docs/simulator.md has the table and the reasons of the mutants there are."""
from __future__ import annotations

from tests.simulator import mutants


def numbers(table: str) -> list[list[str]]:
    """Name, mutants, equivalent and wrong of each row."""
    return [[cell.strip() for cell in line.strip("|").split("|")][:4] for line in table.splitlines() if line.startswith("| ")]


def test_document():
    written = mutants.generated(mutants.DOCUMENT.read_text())
    every = mutants.all_mutants()
    assert numbers(written) == numbers(mutants.table(every, {}))
    assert written.endswith(mutants.reasons())
    cells = [line.split("|") for line in written.splitlines() if line.startswith("| ") and "changed" not in line and "sample" not in line]
    assert cells and all(row[4] == row[5] for row in cells), "all wrong ones were found when the table was written"


def test_enough():
    every = mutants.all_mutants()
    assert sum(not mutant.equivalent for mutant in every) >= 300
    assert len(set(every)) == len(every)


def test_each_reason_is_needed():
    every = mutants.all_mutants()
    assert all(any(rule(mutant) for mutant in every) for rule, _ in mutants.EQUIVALENT)
