"""Random tile programs of CommonIR on the device, against their meaning in NumPy."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import flagtree
import numpy as np
import pytest
import torch
import triton
from flagtree import _core
from flagtree.nvidia_backend import pipeline
from flagtree.nvidia_backend.module_text import generic_text

sys.path.append(str(Path(__file__).resolve().parents[2]))  # after the installed package
from tests.commonir import reference, tile_programs  # noqa: E402
from tests.commonir.core_helpers import convert, inlined  # noqa: E402

pytestmark = [
    pytest.mark.skipif(not flagtree.common_ir_enabled(), reason="the core is built without CommonIR"),
    pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") == "1", reason="TileIR is no language that the simulator runs"),
]


def lowered(text: str, whole: bool, path: Path, capability: int) -> str:
    """The program as Triton's "ttgir" stage takes it, by the conversion alone or by all passes of the compiler stage (`whole`)."""
    if not whole:
        return generic_text(inlined(convert(text, enable_async_copy=True, capability=capability), path))
    called = convert(text, enable_async_copy=True, keep_loops=False, capability=capability)
    options = SimpleNamespace(num_warps=4, num_ctas=1, num_stages=3)
    return _core.run(generic_text(inlined(called, path)), pipeline._early(options, capability))


def ordered(text: str) -> str:
    """A barrier behind each store: a program writes the same place more than once, by other threads."""
    return re.sub(r'^( *"tt\.store"\(.*)$', r'\1\n"gpu.barrier"() : () -> ()', text, flags=re.MULTILINE)


@pytest.mark.parametrize("whole", [False, True], ids=["conversion", "stage"])
@pytest.mark.parametrize("seed", range(80))
def test_tile_program(device: str, tmp_path: Path, seed: int, whole: bool) -> None:
    program = tile_programs.generate(seed)
    text = tile_programs.text(program)
    expected = reference.memory(seed)
    reference.execute(program, expected)
    major, minor = torch.cuda.get_device_capability()
    path = tmp_path / "program.ttir"
    path.write_text(ordered(lowered(text, whole, tmp_path / "called.mlir", 10 * major + minor)))
    kernel = triton.compile(str(path))
    arrays = {name: torch.from_numpy(array).to(device) for name, array in reference.memory(seed).items()}
    kernel[(1, 1, 1)](*(arrays[name] for name in tile_programs.ARGUMENTS))
    for name, array in arrays.items():
        np.testing.assert_array_equal(array.cpu().numpy(), expected[name], err_msg=f"{name} of seed {seed}\n{text}")
