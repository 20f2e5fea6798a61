"""Copy of a tensor through shared memory: one tile per program, global to shared and shared to global.

    python examples/tile_copy.py                   # on a GPU: checked, GB/s beside torch's own copy
    python examples/tile_copy.py --elements 12345  # no size has to be a multiple of the tile

Without a GPU the kernel runs on the CPU under Triton's interpreter.
"""
from __future__ import annotations

import argparse
import os
import sys

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import triton
import triton.experimental.tle.language as tle
import triton.language as tl

TILE_BYTES = 16384
"""Bytes of a tile: 128 threads with 8 loads of 16 bytes each in flight, and 13 such blocks fit on an SM."""


@triton.jit
def copy_kernel(src, dst, count, EVEN: tl.constexpr, TILE: tl.constexpr):
    """Copies elements [pid * TILE, (pid + 1) * TILE) of `count`. EVEN: all tiles are whole, no mask is needed."""
    offsets = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    buffer = tle.gpu.alloc([TILE], src.dtype.element_ty, nv_mma_shared_layout=False)
    if EVEN:
        tle.gpu.copy(src + offsets, buffer, [TILE])
        tle.gpu.copy(buffer, dst + offsets, [TILE])
    else:
        tle.gpu.copy(src + offsets, buffer, [TILE], mask=offsets < count)
        tle.gpu.copy(buffer, dst + offsets, [TILE], mask=offsets < count)


def copy(src: torch.Tensor, dst: torch.Tensor) -> torch.Tensor:
    """Copies `src` to `dst` and returns `dst`.

    Both are contiguous, of one shape, one dtype (of 1, 2, 4 or 8 bytes, not bool) and on one device. Raises ValueError
    for tensors that do not match this.
    """
    if src.shape != dst.shape or src.dtype != dst.dtype or src.device != dst.device:
        raise ValueError(f"copy takes tensors of one shape, dtype and device, got {tuple(src.shape)} {src.dtype} on "
                         f"{src.device} and {tuple(dst.shape)} {dst.dtype} on {dst.device}")
    if not (src.is_contiguous() and dst.is_contiguous()):
        raise ValueError("copy takes contiguous tensors")
    if src.dtype == torch.bool or src.dtype.is_complex:
        raise ValueError(f"copy takes integers and floats, got {src.dtype}")
    if src.numel():
        tile = TILE_BYTES // src.element_size()
        copy_kernel[(triton.cdiv(src.numel(), tile), )](src, dst, src.numel(), src.numel() % tile == 0, tile)
    return dst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    on_gpu = torch.cuda.is_available() and not triton.knobs.runtime.interpret
    parser.add_argument("--elements", type=int, default=2**29 if on_gpu else 100_000, help="fp16 elements (default %(default)s)")
    options = parser.parse_args()
    torch.manual_seed(0)
    src = torch.randn(options.elements, device="cuda" if on_gpu else "cpu").half()
    dst = torch.empty_like(src)
    if not torch.equal(copy(src, dst), src):
        sys.exit("the result is wrong")
    print(f"{options.elements} fp16 elements copied through shared memory: equal")
    if on_gpu:
        for name, function in [("this kernel", lambda: copy(src, dst)), ("torch", lambda: dst.copy_(src))]:
            milliseconds = triton.testing.do_bench_cudagraph(function, return_mode="median")
            print(f"  {name:<12} {2 * src.nbytes / milliseconds * 1e-6:.0f} GB/s")


if __name__ == "__main__":
    main()
