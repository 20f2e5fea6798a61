"""Kernels nobody here wrote pass the compiler core unchanged, and compile to the same PTX with our stage as without.

The packages and the stock results come first: until `_stock` is done flagtree cannot be imported, so they are the plain wheel's own (flag-gems uses
TLE where it finds it). CORPUS_PACKAGE names the distribution, CORPUS_PART ("1/3") the share of its rows.
"""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Iterator

import pytest

from tests.corpus import table
from tests.corpus.features import features
from tests.corpus.packages import describe_device
from tests.corpus.stages import Compilation

pytestmark = pytest.mark.filterwarnings("ignore")  # what the kernels are warned of is not ours

EMPTY_PIPELINE = "builtin.module()"
AMPERE_EVERY = 4


def _rows() -> list[table.Kernel]:
    part, parts = (int(word) for word in os.environ.get("CORPUS_PART", "1/1").split("/"))
    return table.load(os.environ["CORPUS_PACKAGE"])[part - 1::parts]


ROWS = _rows()
AMPERE_ROWS = ROWS[::AMPERE_EVERY]


@dataclasses.dataclass(frozen=True)
class Stock:
    """What the plain wheel makes of a row; `error` if it does not compile."""

    ttir: str = ""
    ptx: str = ""
    error: str = ""


def _compile(row: table.Kernel, capability: int) -> Stock:
    try:
        compilation = Compilation(row, capability)
        return Stock(str(compilation.run("ttir")), compilation.run("ttgir", "llir", "ptx"))
    except Exception as error:  # reported by the row's own test
        return Stock(error=f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def _without_flagtree() -> Iterator[None]:
    """As on a machine where the wheel is not installed."""
    assert "flagtree" not in sys.modules
    sys.modules["flagtree"] = None
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "flagtree" or name.startswith("triton.experimental.tle")]:
        del sys.modules[name]


@functools.cache
def _stock() -> dict[tuple[str, int], Stock]:
    describe_device()
    with _without_flagtree():
        return {(row.id, capability): _compile(row, capability) for capability, rows in ((90, ROWS), (80, AMPERE_ROWS)) for row in rows}


@pytest.fixture
def stock() -> dict[tuple[str, int], Stock]:
    return _stock()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_core_keeps_the_module(row: table.Kernel, stock: dict[tuple[str, int], Stock]) -> None:
    assert not stock[row.id, 90].error
    from flagtree import _core
    from flagtree.nvidia_backend.module_text import generic_text, parse

    module = Compilation(row).run("ttir")
    text = generic_text(module)
    assert "#loc" in text
    assert features(text) == list(row.features)
    parsed = parse(_core.run(text, EMPTY_PIPELINE), module.context)
    assert str(parsed) == str(module)


@pytest.mark.parametrize(("row", "capability"), [(row, 90) for row in ROWS] + [(row, 80) for row in AMPERE_ROWS],
                         ids=lambda value: value.id if isinstance(value, table.Kernel) else f"sm_{value}")
def test_stage_changes_nothing(row: table.Kernel, capability: int, stock: dict[tuple[str, int], Stock], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = stock[row.id, capability]
    assert not expected.error
    import triton.experimental.tle.language  # noqa: F401  (installs the stage)
    from flagtree import _core

    def refuse(*arguments: object) -> None:
        raise AssertionError("the compiler core ran on a kernel without tle calls")

    monkeypatch.setattr(_core, "run", refuse)
    compilation = Compilation(row, capability)
    assert compilation.stages["ttir"].__module__ == "flagtree.nvidia_backend.pipeline"
    assert str(compilation.run("ttir")) == expected.ttir
    assert compilation.run("ttgir", "llir", "ptx") == expected.ptx
