"""The default layout of the core is the one stock Triton's conversion to TTGIR gives."""
from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from triton._C.libtriton import ir, passes
from triton.backends.nvidia.compiler import nvidia

PRINTER = os.environ["PRINT_DEFAULT_BLOCKED"]


def ours(cases: list[tuple[int, int, tuple[int, ...]]]) -> list[str]:
    lines = "".join(f"{warps} {ctas} {' '.join(map(str, shape))}\n" for warps, ctas, shape in cases)
    return subprocess.run([PRINTER], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()


def stock(shapes: list[tuple[int, ...]], num_warps: int, num_ctas: int, folder: Path) -> list[str]:
    """The layouts of constants of `shapes` after the stock conversion."""
    uses = []
    for i, shape in enumerate(shapes):
        tensor = f"tensor<{'x'.join(map(str, shape))}xf32>"
        uses.append(f"%{i} = arith.constant dense<{i + 1}.0> : {tensor}\n"
                    f'"tt.print"(%{i}) <{{hex = false, isSigned = array<i32: 0>, prefix = "case {i}:"}}> : ({tensor}) -> ()')
    path = folder / "constants.mlir"
    path.write_text("tt.func public @k() {\n" + "\n".join(uses) + "\ntt.return\n}\n")
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    manager = ir.pass_manager(context)
    passes.ttir.add_convert_to_ttgpuir(manager, "cuda:90", num_warps, 32, num_ctas)
    manager.run(module, "convert")
    text = module.str_nodebug()
    aliases = dict(re.findall(r"^(#\w+) = (#ttg\..*)$", text, re.MULTILINE))
    printed = dict(re.findall(r'tt\.print " ?case (\d+):.*(#blocked\d*)>$', text, re.MULTILINE))
    return [aliases[printed[str(i)]] for i in range(len(shapes))]


def random_shapes(seed: int, count: int) -> list[tuple[int, ...]]:
    generator = random.Random(seed)
    shapes = []
    while len(shapes) < count:
        shape = tuple(2 ** generator.randint(0, 7) for _ in range(generator.randint(1, 5)))
        elements = 1
        for size in shape:
            elements *= size
        if elements <= 2 ** 20:
            shapes.append(shape)
    return shapes


@pytest.mark.parametrize(("num_warps", "num_ctas"), list(itertools.product((1, 2, 4, 8, 16), (1, 2, 4))))
def test_equals_stock_conversion(num_warps: int, num_ctas: int, tmp_path: Path) -> None:
    shapes = random_shapes(seed=num_warps * 10 + num_ctas, count=40)
    expected = stock(shapes, num_warps, num_ctas, tmp_path)
    assert ours([(num_warps, num_ctas, shape) for shape in shapes]) == expected
