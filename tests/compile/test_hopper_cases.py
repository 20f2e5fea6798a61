"""The kernels of tests/gpu/test_hopper_language.py compile to machine code for sm_90 without a GPU."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import torch  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

from tests.tle.language.compiling import compiled  # noqa: E402

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "gpu")]

from hopper_cases import CASES  # noqa: E402

ELEMENTS = {torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32", torch.int8: "i8", torch.int32: "i32",
            torch.float8_e4m3fn: "fp8e4nv", torch.float8_e5m2: "fp8e5"}


def type_of(argument: Any) -> str:
    if isinstance(argument, TensorDescriptor):
        return f"tensordesc<{ELEMENTS[argument.base.dtype]}{list(argument.block_shape)}>"
    return f"*{ELEMENTS[argument.dtype]}" if isinstance(argument, torch.Tensor) else "i32"


@pytest.mark.parametrize("name", CASES)
def test_compiles(name):
    case = CASES[name]
    types = {name: type_of(argument) for name, argument in case.arguments("cpu").items()}
    kernel = compiled(case.kernel, types, case.constants, aligned=True, num_warps=case.num_warps)
    assert kernel.asm["cubin"]
    products = any(word in name for word in ("product", "accumulators", "factor", "epilogue", "multiplies"))
    assert ("wgmma.mma_async" in kernel.asm["ptx"]) == products
