"""docs/errors.md, the rule classes, the rules of the compiled core and the tests agree."""
from __future__ import annotations

import re
from pathlib import Path

import flagtree.errors
import flagtree.language.errors
import flagtree.nvidia_backend.errors
import flagtree.simulator.errors
import flagtree.simulator.findings
import pytest

ROOT = Path(__file__).absolute().parents[2]
RULE = r"[ABCDILMRSTUVW][1-9][0-9]?"
MODULES = (flagtree.errors, flagtree.language.errors, flagtree.nvidia_backend.errors, flagtree.simulator.errors,
           flagtree.simulator.findings)
CLASSES = sorted({item for module in MODULES for item in vars(module).values()
                  if isinstance(item, type) and issubclass(item, flagtree.errors.TLEError) and item.rule}, key=lambda item: item.__name__)


def rows() -> dict[str, list[str]]:
    """Rule -> the cells of its row."""
    table = {}
    for line in (ROOT / "docs/errors.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if re.fullmatch(RULE, cells[0]):
            assert len(cells) == 4, line
            assert cells[0] not in table, f"{cells[0]} has two rows"
            assert all(cells), f"{cells[0]} has an empty cell"
            table[cells[0]] = cells
    return table


def numbers_in(*patterns: str) -> set[str]:
    """The rules named in files, as "[A1]" or as the string "A1"."""
    found: set[str] = set()
    for pattern in patterns:
        for file in ROOT.glob(pattern):
            found |= set(re.findall(rf"[\[\"']({RULE})[\]\"']", file.read_text()))
            found |= set(re.findall(rf"\\\[({RULE})\\\]", file.read_text()))
    return found


def rules_of_the_core() -> set[str]:
    """The rules the compiled core can name: the literals "[C20] ..." in it."""
    library = Path(flagtree.__file__).with_name("libflagtree_core.so").read_bytes()
    return {found.decode() for found in re.findall(rb"\[([ABCILMSTW][1-9][0-9]?)\] ", library)}


CPP = rules_of_the_core()


@pytest.mark.parametrize("rule", CLASSES, ids=lambda rule: rule.__name__)
def test_every_class_has_its_row(rule: type[flagtree.errors.TLEError]) -> None:
    number, done, message, fix = rows()[rule.rule]
    if rule.__module__ != "flagtree.simulator.errors":  # the simulator repeats rules for values known at run time
        assert f"{message} {fix}" == rule.template


def test_the_code_of_the_core_was_found() -> None:
    assert len(CPP) > 10


def test_rows_are_rules() -> None:
    documented = {rule for rule in rows() if flagtree.common_ir_enabled() or not rule.startswith("T")}
    assert documented == {rule.rule for rule in CLASSES} | CPP


def test_every_rule_has_a_test() -> None:
    assert set(rows()) - numbers_in("tests/**/*.py", "tests/**/*.mlir", "tests/**/*.cpp") == set()


def test_numbers_are_unique() -> None:
    own = [rule.rule for rule in CLASSES if rule.__module__ != "flagtree.simulator.errors"]
    assert len(own) == len(set(own))
