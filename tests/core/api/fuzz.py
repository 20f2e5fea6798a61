"""Gives bad modules to the core; every outcome but a text or a CoreError ends this process. Run by fuzz_test.py.

    python fuzz.py mutations <file for the module at work> <seed module> <first> <last>
    python fuzz.py forms <file for the module at work> <file of attributes and types>

Prints how many modules there were and how many of them the core refused.
"""
from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from flagtree import _core

PIPELINES = ("", "builtin.module(raise-intrinsics,canonicalize,cse)")
WORDS = (
    "", "-1", "0", "3", "99999999999999999999", "2147483648", "9223372036854775807", "i1", "i32", "f16", "index", "none", "tensor<4xf32>", "tensor<*xf32>",
    "tensor<?x4xf32>", "tensor<f32>", "tensor<4294967296x4294967296xf32>", "memref<4xf32>", "vector<4xf32>", "!tt.ptr<f16>", "!ttg.async.token", "!tt.nothing",
    "#ttg.shared_memory", "#ttg.slice<{dim = 0, parent = 1}>", "dense<0>", "dense<[1, 2]>", "dense<\"0x00\">", "array<i32>", "array<i64: 1>", "unit", "@f", "%0",
    "%arg0", "^bb0", "loc(unknown)", "<{", "}>", "({", "})", "[", "]", "(", ")", "\"", "->", "=", ":", "\n", "é", "true", "affine_map<(d0) -> (d0)>", "0x7FC00000",
)

PLACES = (
    '"a.b"() {x = FORM} : () -> ()',
    '"a.b"() <{x = FORM}> : () -> ()',
    '"a.b"() : () -> FORM',
    '"a.b"() : () -> tensor<4xFORM>',
    '"a.b"() : () -> tensor<4xi32, FORM>',
    '"a.b"() : () -> !ttg.memdesc<4xi32, FORM, #ttg.shared_memory>',
    '%0 = "arith.constant"() <{value = FORM}> : () -> i32',
    '#q = FORM\n"a.b"() {x = #q} : () -> ()',
    '!q = FORM\n"a.b"() : () -> !q',
    '"tt.func"() <{function_type = FORM, sym_name = "x"}> ({}) : () -> ()',
    '"a.b"() : () -> () loc(FORM)',
    "module attributes {x.y = FORM} {}",
)


def mutate(text: str, generator: random.Random) -> str:
    """`text` with one to four changes: tokens replaced, swapped, repeated or dropped, the text cut off."""
    tokens = re.findall(r"\w+|\s+|.", text)
    for _ in range(generator.randint(1, 4)):
        i, j = generator.randrange(len(tokens)), generator.randrange(len(tokens))
        kind = generator.randrange(7)
        if kind == 0:
            tokens[i] = generator.choice(WORDS)
        elif kind == 1:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif kind == 2:
            tokens.insert(i, tokens[j])
        elif kind == 3:
            del tokens[i]
        elif kind == 4:
            numbers = [k for k, token in enumerate(tokens) if token.isdigit()]
            if numbers:
                tokens[generator.choice(numbers)] = str(generator.choice((0, 1, 2, 3, 5, 64, 2**31, 2**32, 2**63 - 1, 2**63, 2**64)))
        elif kind == 5:
            lines = "".join(tokens).split("\n")
            a, b = generator.randrange(len(lines)), generator.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            tokens = re.findall(r"\w+|\s+|.", "\n".join(lines))
        elif generator.random() < 0.1:
            del tokens[i:]
        if not tokens:
            return ""
    return "".join(tokens)


def mutations(seed: str, first: str, last: str) -> Iterator[str]:
    text = Path(seed).read_text()
    for number in range(int(first), int(last)):
        yield mutate(text, random.Random(number))


def forms(file: str) -> Iterator[str]:
    """Modules that hold an attribute or type of the file, one a line, in every place there is."""
    for form in Path(file).read_text().splitlines():
        for place in PLACES:
            yield place.replace("FORM", form)


def main(at_work: Path, modules: Iterator[str]) -> None:
    count = refused = 0
    for module in modules:
        at_work.write_text(module)
        try:
            _core.run(module, PIPELINES[count % len(PIPELINES)])
        except _core.CoreError:
            refused += 1
        count += 1
    print(count, refused)


if __name__ == "__main__":
    main(Path(sys.argv[2]), {"mutations": mutations, "forms": forms}[sys.argv[1]](*sys.argv[3:]))
