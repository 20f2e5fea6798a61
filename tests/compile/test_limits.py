"""What compilers of such kernels aborted on, or made slow: widths and shapes at the limits, odd stages, many partitions."""
from __future__ import annotations

import os
import re
import resource
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402
from triton import knobs  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.backends.nvidia.driver import make_launcher  # noqa: E402
from triton.compiler.errors import CompilationError  # noqa: E402

from tests.tle.language import compiling  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/gpu"), str(ROOT / "examples")]

import attention  # noqa: E402
import descriptor_kernels  # noqa: E402
import hopper_kernels as kernels  # noqa: E402
import kernels as plain  # noqa: E402
import torch  # noqa: E402
from first_look import kernel_source  # noqa: E402
from hopper_kernels import loading_producer, multiplying_consumer  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_cache")


def compiled(kernel: Any, types: dict[str, str], constants: dict[str, Any], **options: Any) -> Any:
    """The kernel compiled for sm_90. Arguments without a type or a constant are int32."""
    return compiling.compiled(kernel, dict.fromkeys(kernel.arg_names, "i32") | types, constants, **options)


def product(m: int, n: int, k: int) -> Any:
    return compiled(kernels.product, {"a_ptr": "*fp16", "b_ptr": "*fp16", "out": "*fp32"},
                    {"M": m, "N": n, "K": k, "TRANS_A": False, "TRANS_B": True, "REGISTER_A": False, "OUT": tl.float32})


@pytest.mark.parametrize("n", [8, 16, 32, 64, 128, 256])
def test_instructions_are_as_wide_as_the_tile(n: int) -> None:
    widths = set(re.findall(r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k16", product(64, n, 32).asm["ptx"]))
    assert widths == {str(n)}


@triton.jit
def odd_buffer(src, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.alloc([ROWS, COLS], tl.float16)


@pytest.mark.parametrize("rows, cols, axis, extent", [*((32, n, 1, n) for n in (48, 80, 96, 112, 176, 192, 264)), (0, 64, 0, 0)])
def test_tiles_that_tensors_cannot_have(rows: int, cols: int, axis: int, extent: int) -> None:
    """Widths WGMMA has and Triton has not, and boxes wider than a swizzle: refused where the buffer is made."""
    with pytest.raises(CompilationError, match=rf"\[A5\] alloc shape\[{axis}\] = {extent} of shape \({rows}, {cols}\) is not allowed: "
                       "every extent must be a positive power of two"):
        compiled(odd_buffer, {"src": "*fp16"}, {"ROWS": rows, "COLS": cols})


@triton.jit
def odd_product(out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tle.gpu.alloc([M, K], tl.float16)
    b = tle.gpu.alloc([N, K], tl.float16)
    tle.gpu.wgmma(a, b, trans_b=True)  # <-


@pytest.mark.parametrize("m, n, k, says", [
    (96, 64, 64, r"\[W7\] wgmma result M dimension must be a multiple of 64, but is 96. Allowed are 64, 128, 256"),
    *((64, n, 64, rf"\[W8\] wgmma result N dimension must be a power of two from 8 to 256 \(8, 16, 32, 64, 128, 256\), but is {n}")
      for n in (80, 96, 112, 176, 192, 264)),
    (64, 64, 8, r"\[W\d\] .*(rows of 16 bytes|K dimension must be a multiple of 16)"),
])
def test_products_wgmma_or_triton_cannot_do(m: int, n: int, k: int, says: str) -> None:
    with pytest.raises(CompilationError, match=says) as caught:
        compiled(odd_product, {"out": "*fp32"}, {"M": m, "N": n, "K": k})
    assert "# <-" in str(caught.value)


@triton.jit
def odd_descriptor(src, n, COLS: tl.constexpr):
    tl.make_tensor_descriptor(src, [n, n], [n, 1], [64, COLS])  # <-


@pytest.mark.parametrize("cols", [48, 80, 96])
def test_descriptors_that_tensors_cannot_have(cols: int) -> None:
    with pytest.raises(CompilationError, match="power of 2") as caught:
        compiled(odd_descriptor, {"src": "*fp16"}, {"COLS": cols})
    assert "# <-" in str(caught.value)


@triton.jit
def flags(src, out):
    buffer = tle.gpu.alloc([64, 64], src.dtype)
    tle.gpu.copy(src, buffer, [64, 64], [0, 0])


def test_a_descriptor_of_booleans() -> None:
    with pytest.raises(CompilationError, match=r"\[A7\] alloc cannot hold elements of type int1"):
        compiled(flags, {"src": "tensordesc<i1[64, 64]>"}, {})


@pytest.mark.parametrize("num_stages", [0, 1, 9])
def test_any_number_of_stages(num_stages: int) -> None:
    """As an option, with barriers and without, and of a loop."""
    ring = {"DEPTH": 2, "ROWS": 32, "COLS": 32}
    assert compiled(kernels.persistent_ring, {"src": "tensordesc<fp32[32, 32]>", "out": "*fp32"}, ring, num_stages=num_stages).asm["cubin"]
    matmul = {"BM": 64, "BN": 64, "BK": 16, "STAGES": num_stages, "TRANS_A": False, "TRANS_B": False}
    assert compiled(plain.matmul, dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16"), matmul, num_stages=num_stages).asm["cubin"]


@pytest.mark.parametrize("size", attention.TILES)
def test_descriptors_of_tiles_share_their_constants(size: int) -> None:
    """A 64-bit constant for each tile of each product would take a pair of registers each."""
    form = attention.Variant(0, torch.bfloat16, size, attention.TILES[size], False, False, False)
    ptx = triton.compile(kernel_source(attention, form), target=GPUTarget("cuda", 90, 32), options={"num_warps": attention.WARPS}).asm["ptx"]
    products, constants = ptx.count("wgmma.mma_async"), set(re.findall(r"\b\d{15,}\b", ptx))
    assert 0 < len(constants) <= products / 2


def test_the_launcher_of_kernels_with_descriptors() -> None:
    """What Triton generates to launch a kernel that was compiled ahead of time, without a GPU."""
    types = {**dict.fromkeys("abcde", "tensordesc<i32[32, 32]>"), "out": "*i32"}
    kernel = compiled(descriptor_kernels.five, types, {"SIZE": 32})
    source = make_launcher(kernel.src.constants, kernel.src.signature, kernel.metadata.tensordesc_meta)
    assert len(kernel.metadata.tensordesc_meta) == 5
    assert len(set(re.findall(r"CUtensorMap\*? \*?(?:tma_ptr|arg)(\d+)", source))) == 5


@triton.jit
def load(src, a, b, full):
    loading_producer(src, src, a, b, full, 2, 64, 64, 64)


@triton.jit
def multiply(out, a, b, staging, full):
    multiplying_consumer(out, a, b, staging, full, 2, 64, 64)


@triton.jit
def workers(src, out, WORKERS: tl.constexpr):
    """A producer and one consumer or four, each of which multiplies what one ring brings."""
    a = tle.gpu.alloc([2, 64, 64], src.dtype)
    b = tle.gpu.alloc([2, 64, 64], src.dtype)
    staging = tle.gpu.alloc([64, 64], src.dtype)
    full = tle.gpu.alloc_barriers(2, expect_bytes=2 * 64 * 64 * 2)
    args = (out, a, b, staging, full)
    if WORKERS == 1:
        tle.gpu.warp_specialize([(load, (src, a, b, full)), (multiply, args)], [4], [64])
    else:
        tle.gpu.warp_specialize([(load, (src, a, b, full)), (multiply, args), (multiply, args), (multiply, args), (multiply, args)], [4, 4, 4, 4], [64, 64, 64, 64])


def seconds() -> float:
    """Processor time of this process and of those it has waited for, ptxas among them: other load does not count."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def test_partitions_compile_in_time(tmp_path: Path) -> None:
    """Four workers in less than ten seconds, and in no more than four times what one takes."""

    def time_of(number: int, run: int) -> float:
        knobs.cache.dir = str(tmp_path / f"{number}-{run}")
        start = seconds()
        kernel = compiled(workers, dict.fromkeys(("src", "out"), "tensordesc<fp16[64, 64]>"), {"WORKERS": number})
        assert kernel.asm["ttgir"].count("ttng.warp_group_dot ") == number
        return seconds() - start

    one, four = [min(time_of(number, run) for run in range(3)) for number in (1, 4)]
    assert four < 10
    assert four < 4 * one
