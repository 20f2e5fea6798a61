"""The wheel's parser and verifier accept what the passes make of every input of the lit tests beside this file."""
from __future__ import annotations

from pathlib import Path

import pytest
from triton._C.libtriton import ir, nvidia

from flagtree import _core

LAUNCH = "{num-warps=4 num-ctas=1 capability=90}"
PASSES = ["tle-promote-pipelined-buffers", "tle-lower-dot-operands", "tle-lower-copy", "tle-lower-async-load", "tle-lower-barriers",
          "tle-lower-wgmma", "tle-lower-memory", "tle-bound-waits"]
PIPELINE = f"builtin.module(tle-fence-writes,{','.join(name + LAUNCH for name in PASSES)},tle-encode-descriptors)"


def inputs() -> list[pytest.param]:
    """Every module of the files whose passes are expected to succeed."""
    files = [file for file in sorted(Path(__file__).parent.glob("*.mlir")) if "invalid" not in file.name]
    return [pytest.param(text, id=f"{file.stem}-{part}") for file in files
            for part, text in enumerate(file.read_text().split("// -----"))]


@pytest.mark.parametrize("text", inputs())
def test_the_wheel_accepts_the_result(text: str, tmp_path: Path) -> None:
    lowered = _core.run(text, PIPELINE)
    assert '"tle.' not in lowered
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    (tmp_path / "lowered.mlir").write_text(lowered)
    module = ir.parse_mlir_module(str(tmp_path / "lowered.mlir"), context)
    assert module.verify()


def test_there_are_inputs() -> None:
    assert len(inputs()) > 20
