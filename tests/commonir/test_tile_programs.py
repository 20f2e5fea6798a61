"""Random tile programs mean the same before and after the conversion, and the wheel compiles what they become."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commonir import converted, reference, tile_programs
from tests.commonir.core_helpers import compile_stock, convert, count, inlined, parse

BATCH = 25


def check(seed: int, enable_async_copy: bool) -> str:
    """The converted program of `seed`, after comparing what it does with what the program means."""
    program = tile_programs.generate(seed)
    text = tile_programs.text(program)
    result = convert(text, enable_async_copy=enable_async_copy)
    assert "tile." not in result and "unrealized_conversion_cast" not in result
    expected = reference.memory(seed)
    reference.execute(program, expected)
    for late in (False, True):
        arrays = reference.memory(seed)
        converted.execute(result, [arrays[name] for name in tile_programs.ARGUMENTS], late)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, expected[name], err_msg=f"{name} of seed {seed}, late={late}\n{text}")
    return result


@pytest.mark.parametrize("enable_async_copy", [False, True])
@pytest.mark.parametrize("first", range(0, 400, BATCH))
def test_same_meaning(first: int, enable_async_copy: bool, tmp_path: Path) -> None:
    for seed in range(first, first + BATCH):
        parse(check(seed, enable_async_copy), tmp_path / f"{seed}.mlir")


def test_programs_have_everything() -> None:
    # Or the property holds of less than it says.
    text = "".join(check(seed, True) for seed in range(50))
    for name in ("ttg.async_copy_global_to_local", "tt.load", "ttg.memdesc_index", "ttg.memdesc_subslice", "scf.for", "scf.if", "tt.call", "ttg.local_store"):
        assert count(text, f'"{name}"') > 20, name
    assert count(text, '"ttg.async_wait"') < count(text, '"ttg.async_copy_global_to_local"')


@pytest.mark.parametrize("broken", ["ttg.async_wait", "ttg.local_store", "tt.store"])
def test_missing_operations_are_noticed(broken: str) -> None:
    noticed = 0
    for seed in range(20):
        lines = check(seed, True).splitlines()
        at = [index for index, line in enumerate(lines) if f'"{broken}"' in line]
        if not at:
            continue
        del lines[at[-1]]
        arrays, expected = reference.memory(seed), reference.memory(seed)
        reference.execute(tile_programs.generate(seed), expected)
        try:
            converted.execute("\n".join(lines), [arrays[name] for name in tile_programs.ARGUMENTS], True)
            np.testing.assert_array_equal(np.concatenate(list(arrays.values())), np.concatenate(list(expected.values())))
        except AssertionError:
            noticed += 1
    assert noticed > 3


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("seed", range(40))
def test_compiles(seed: int, capability: int, tmp_path: Path) -> None:
    result = str(inlined(check(seed, seed % 4 != 0), tmp_path / "called.mlir"))
    texts = compile_stock(result, tmp_path / "m.mlir", capability)
    assert f".target sm_{capability}" in texts["ptx"]
    assert ("cp.async" in texts["ptx"]) == ("ttg.async_copy_global_to_local" in texts["ttgir"])
