"""examples/matmul_ws.py as a reader runs it without a GPU, in the simulator, and what its function refuses."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import pytest
import torch

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import matmul_ws as example  # noqa: E402


@pytest.mark.parametrize("form, dtype", [("cooperative", "bf16"), ("pingpong", "fp8")])
def test_program(form, dtype):
    env = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    arguments = ["--m", "150", "--n", "90", "--k", "200", "--dtype", dtype, "--form", form]
    result = subprocess.run([sys.executable, EXAMPLES / "matmul_ws.py", *arguments], env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = [line.strip().split("  ", 1) for line in result.stdout.splitlines() if line.startswith("  ")]
    facts = {name: value.strip() for name, value in lines}
    assert float(facts["relative error to torch in float64"].split()[0]) <= example.TOLERANCE[example.DTYPES[dtype]]
    assert facts["bytes of spills"] == "0" and facts["wgmma serialized"] == "False"


@pytest.mark.parametrize("form", example.FORMS)
def test_every_form_of_every_order(form):
    torch.manual_seed(0)
    for dtype in example.DTYPES.values():
        a = torch.randn(70, 100).to(dtype)
        b = torch.randn(100, 40).to(dtype)
        for left in (a, a.mT.contiguous().mT):
            for right in (b, b.mT.contiguous().mT):
                assert example.relative_error(example.matmul(left, right, form=form), a, b) <= example.TOLERANCE[dtype]


A, B = torch.zeros(16, 32).half(), torch.zeros(32, 24).half()
F8 = torch.float8_e4m3fn


@pytest.mark.parametrize("a, b, options, message", [
    (A[0], B, {}, r"M x K and a K x N matrix, got shapes \(32,\)"),
    (A, A, {}, r"got shapes \(16, 32\) and \(16, 32\)"),
    (A, B.bfloat16(), {}, "got torch.float16 and torch.bfloat16"),
    (A.float(), B.float(), {}, "got torch.float32"),
    (A, B.to("meta"), {}, "one device, got cpu and meta"),
    (A, B, {"form": "other"}, "form must be one of cooperative, tall, pingpong, got 'other'"),
    (A, B, {"out_dtype": torch.bfloat16}, "result of torch.float16 operands is torch.float16, got torch.bfloat16"),
    (A.to(F8), B.to(F8), {"out_dtype": torch.float32}, "is torch.float16 or torch.bfloat16, got torch.float32"),
    (A, B, {"out": torch.zeros(16, 25).half()}, r"out must be 16 x 24 on cpu, got \(16, 25\) on cpu"),
    (A, B, {"out": torch.zeros(24, 16).half().mT}, "out must be row-major, aligned to 16 bytes and have a multiple of 8 columns"),
    (A, B[:, :23], {"out": torch.zeros(16, 23).half()}, "got strides .* and 23 columns"),
    (A.to(F8), B.to(F8), {"out": torch.zeros(16, 24).half(), "out_dtype": torch.bfloat16}, "out_dtype is torch.bfloat16, but out is of"),
])
def test_refuses(a, b, options, message):
    with pytest.raises(ValueError, match=message):
        example.matmul(a, b, **options)
