"""Program of test_same_code.py: compiles kernels with the wheel it finds, and prints what becomes of them as JSON.

    compile_examples.py

Prints {"common_ir": bool, "kernels": {name: {"ptx": text, "ttgir": text}}}; no GPU is needed.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # after the wheel

import flagtree  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402
from examples.flash_attention import TILE, WARPS, attention_kernel  # noqa: E402
from examples.matmul import SM90_CONFIG, SM90_WARPS, matmul_kernel  # noqa: E402
from examples.tile_copy import TILE_BYTES, copy_kernel  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def relay_kernel(src, dst, tiles, stride, TILE: tl.constexpr, STAGES: tl.constexpr):
    """Tile after tile through one buffer, in a loop that asks for stages; `stride` need not be a multiple of anything."""
    offsets = tl.arange(0, TILE)
    buffer = tle.gpu.alloc([TILE], src.dtype.element_ty, nv_mma_shared_layout=False)
    for i in tl.range(0, tiles, num_stages=STAGES):
        tle.gpu.copy(src + i * stride + offsets, buffer, [TILE])
        tle.gpu.copy(buffer, dst + i * stride + offsets, [TILE])


@triton.jit
def stored_kernel(src, dst, tiles, TILE: tl.constexpr, STAGES: tl.constexpr):
    """As relay_kernel, but the program itself loads what it stores into the buffer."""
    offsets = tl.arange(0, TILE)
    buffer = tle.gpu.alloc([TILE], src.dtype.element_ty, nv_mma_shared_layout=False)
    for i in tl.range(0, tiles, num_stages=STAGES):
        buffer.store(tl.load(src + i * TILE + offsets))
        tl.store(dst + i * TILE + offsets, buffer.load())


def compiled(kernel, dtype: str, constants: dict, capability: int, warps: int = 4, stages: int = 3, odd: tuple[str, ...] = ()) -> dict[str, str]:
    """PTX and TTGIR of `kernel`. Pointers and integers are multiples of 16, but for those in `odd`; `scale` is a float."""
    names = kernel.arg_names
    constants = {name: value for name, value in constants.items() if name in names}
    pointers = {"src", "dst", *(name for name in names if name.endswith("_ptr"))}
    types = {name: "constexpr" if name in constants else f"*{dtype}" if name in pointers else "fp32" if name == "scale" else "i32" for name in names}
    attributes = {(index, ): [["tt.divisibility", 16]] for index, name in enumerate(names)
                  if types[name] not in ("fp32", "constexpr") and name not in odd}
    asm = triton.compile(ASTSource(kernel, types, constants, attributes), target=GPUTarget("cuda", capability, 32),
                         options={"num_warps": warps, "num_stages": stages}).asm
    return {"ptx": asm["ptx"], "ttgir": asm["ttgir"]}


def kernels() -> dict[str, dict[str, str]]:
    result = {}
    unit = {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
    for capability, tile in ((80, {"BN": 128}), (90, {})):
        for even in (True, False):
            for stages in (1, 3, 4):
                constants = {**SM90_CONFIG, **tile, **unit, "EVEN": even, "STAGES": stages} | ({"BN": 128} if stages == 4 else {})
                key = f"matmul {'even' if even else 'ragged'} {stages} stages sm_{capability}"
                result[key] = compiled(matmul_kernel, "fp16", constants, capability, SM90_WARPS)
            constants = {"EVEN": even, "D": 64, **TILE}
            for stages in (1, 3):
                key = f"attention {'even' if even else 'ragged'} {stages} stages sm_{capability}"
                result[key] = compiled(attention_kernel, "fp16", constants, capability, WARPS, stages)
            key = f"copy {'even' if even else 'ragged'} sm_{capability}"
            result[key] = compiled(copy_kernel, "fp16", {"EVEN": even, "TILE": TILE_BYTES // 2}, capability)
        constants = {**SM90_CONFIG, **tile, **unit, "EVEN": True, "BN": 128, "BK": 32}
        result[f"matmul fp32 3 stages sm_{capability}"] = compiled(matmul_kernel, "fp32", constants, capability, SM90_WARPS)
        constants = {**SM90_CONFIG, **tile, **unit, "EVEN": True}
        result[f"matmul odd strides 3 stages sm_{capability}"] = compiled(matmul_kernel, "fp16", constants, capability, SM90_WARPS,
                                                                          odd=("stride_am", "stride_bk"))
        for stages in (1, 3):
            constants = {"TILE": 1024, "STAGES": stages}
            result[f"relay {stages} stages sm_{capability}"] = compiled(relay_kernel, "fp32", constants, capability)
            result[f"relay odd strides {stages} stages sm_{capability}"] = compiled(relay_kernel, "fp16", constants, capability, odd=("stride", ))
            result[f"stored {stages} stages sm_{capability}"] = compiled(stored_kernel, "fp16", constants, capability)
    return result


if __name__ == "__main__":
    print(json.dumps({"common_ir": flagtree.common_ir_enabled(), "kernels": kernels()}))
