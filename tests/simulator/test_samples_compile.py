"""The samples compile for Hopper as they are: what the simulator runs is what a GPU would."""
from __future__ import annotations

import pytest
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.simulator import samples

NAMES = {torch.float16: "fp16", torch.float32: "fp32"}


def type_of(value):
    if isinstance(value, TensorDescriptor):
        return f"tensordesc<{NAMES[value.base.dtype]}{value.block_shape}>"
    if isinstance(value, torch.Tensor):
        return f"*{NAMES[value.dtype]}"
    return "fp32" if isinstance(value, float) else "i32"


class Compiled(Exception):
    """Instead of a launch."""

    def __init__(self, kernel):
        super().__init__()
        self.asm = kernel.asm


@pytest.mark.parametrize("run", samples.ALL, ids=lambda run: run.__name__)
def test_compiles(run, monkeypatch):

    def compile(self, *args, grid, warmup, num_warps=4):
        values = dict(zip(self.arg_names, args, strict=True))
        constants = {parameter.name: values[parameter.name] for parameter in self.params if parameter.is_constexpr}
        signature = {name: "constexpr" if name in constants else type_of(value) for name, value in values.items()}
        raise Compiled(triton.compile(ASTSource(self, signature, constants), target=GPUTarget("cuda", 90, 32), options={"num_warps": num_warps}))

    monkeypatch.setattr(JITFunction, "run", compile)
    with pytest.raises(Compiled) as result:
        run()
    ptx = result.value.asm["ptx"]
    assert "mbarrier.init" in ptx and result.value.asm["cubin"]
    assert ("wgmma.mma_async" in ptx) == ("gemm" in run.__name__ or run.__name__ in ("run_split_k", "run_persistent", "run_attention", "run_attention_3"))
