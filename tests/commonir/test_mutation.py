"""Damaged modules never end the process: each is converted to what the wheel accepts, or refused with a diagnostic."""
from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from flagtree import _core

from tests.commonir.core_helpers import convert, lit_modules, parse

SEEDS = ["alloc_copy.mlir", "async_copy.mlir", "control_flow.mlir", "invalid.mlir", "merge_waits.mlir", "raising.mlir", "subview.mlir", "tensor.mlir"]
WORDS = ["f16", "f32", "i32", "index", "shared", "l1", "0", "1", "2", "-1", "16", "64", "256", "true", "[]", "#shared", "#flat", "#ring", "transpose"]


def functions() -> list[str]:
    """Small modules with one function each, from the files of the other tests."""
    found = []
    for name in SEEDS:
        for module in lit_modules(name):
            module = re.sub(r"^\s*//.*\n", "", module, flags=re.MULTILINE)
            aliases = "".join(re.findall(r"^#\w+ = .*\n", module, flags=re.MULTILINE))
            found += [aliases + function for function in re.findall(r"^tt\.func.*?^}\n", module, flags=re.MULTILINE | re.DOTALL)]
    return found


def mutate(text: str, chance: random.Random) -> str:
    """One to three small changes: a line dropped, doubled or moved, a word replaced, a value exchanged for another."""
    for _ in range(chance.randint(1, 3)):
        lines = text.splitlines(keepends=True)
        body = [index for index, line in enumerate(lines) if line.startswith("  ")] or [0]
        kind = chance.randrange(5)
        at = chance.choice(body)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(chance.choice(body), lines[at])
        elif kind == 2:
            lines.insert(chance.choice(body), lines.pop(at))
        else:
            pattern = r"%\w+" if kind == 3 else r"(?<=[\[<, =])[\w#-]+(?=[\]>, x])"
            words = list(re.finditer(pattern, lines[at]))
            if words:
                word = chance.choice(words)
                others = re.findall(r"%\w+", text) if kind == 3 else WORDS
                lines[at] = lines[at][: word.start()] + chance.choice(others) + lines[at][word.end() :]
        text = "".join(lines)
    return text


@pytest.mark.parametrize("seed", range(10))
def test_no_damage_ends_the_process(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    seeds = functions()
    accepted = refused = 0
    for _ in range(1000):
        text = mutate(chance.choice(seeds), chance)
        try:
            converted = convert(text, enable_async_copy=chance.random() < 0.5)
        except _core.CoreError as error:
            assert error.message
            refused += 1
            continue
        assert "tile." not in converted and "unrealized_conversion_cast" not in converted
        accepted += 1
        if accepted % 10 == 0:
            parse(converted, tmp_path / "module.mlir")
    # Both outcomes are common, or the mutations do not test what they should.
    assert accepted > 50
    assert refused > 300
