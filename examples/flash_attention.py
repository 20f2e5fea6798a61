"""Forward pass of attention with an online softmax: Q, K and V copied into shared buffers, both products on buffers.

    python examples/flash_attention.py                           # on a GPU: checked, TFLOP/s beside torch's own
    python examples/flash_attention.py --queries 77 --keys 333   # no length has to be a multiple of a tile

Without a GPU the kernel runs on the CPU under Triton's interpreter.
"""
from __future__ import annotations

import argparse
import math
import os
import sys

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import triton
import triton.experimental.tle.language as tle
import triton.language as tl

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}

TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1e-2}
"""Relative Frobenius error allowed: the probabilities and the result are rounded to the dtype."""

TILE = {"BM": 128, "BN": 64}
WARPS = 8


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, queries, keys, scale, EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """BM rows of softmax(Q K^T * scale) V for one head; program (row tile, head). `scale` has the factor log2(e) in it.

    All matrices are heads x length x D, contiguous. EVEN: both lengths are multiples of the tiles, so that no copy needs a mask.
    """
    head = tl.program_id(1).to(tl.int64)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    d = tl.arange(0, D)
    q_tile = q_ptr + head * queries * D + rows[:, None] * D + d[None, :]
    o_tile = o_ptr + head * queries * D + rows[:, None] * D + d[None, :]
    k_tile = k_ptr + head * keys * D + columns[:, None] * D + d[None, :]
    v_tile = v_ptr + head * keys * D + columns[:, None] * D + d[None, :]

    q_smem = tle.gpu.alloc([BM, D], q_ptr.dtype.element_ty)
    k_smem = tle.gpu.alloc([BN, D], k_ptr.dtype.element_ty)
    v_smem = tle.gpu.alloc([BN, D], v_ptr.dtype.element_ty)
    if EVEN:
        tle.gpu.copy(q_tile, q_smem, [BM, D])
    else:
        tle.gpu.copy(q_tile, q_smem, [BM, D], mask=(rows[:, None] < queries) & (d[None, :] < D))
    q = q_smem.load()

    biggest = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, keys, BN):
        if EVEN:
            tle.gpu.copy(k_tile, k_smem, [BN, D])
            tle.gpu.copy(v_tile, v_smem, [BN, D])
        else:
            inside = (start + columns[:, None] < keys) & (d[None, :] < D)
            tle.gpu.copy(k_tile, k_smem, [BN, D], mask=inside)
            tle.gpu.copy(v_tile, v_smem, [BN, D], mask=inside)
        scores = tl.dot(q, tl.trans(k_smem.load())) * scale
        if not EVEN:
            scores = tl.where(start + columns[None, :] < keys, scores, float("-inf"))
        new = tl.maximum(biggest, tl.max(scores, 1))
        weights = tl.exp2(scores - new[:, None])
        shrink = tl.exp2(biggest - new)
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v_ptr.dtype.element_ty), v_smem.load(), acc * shrink[:, None])
        biggest = new
        k_tile += BN * D
        v_tile += BN * D
    result = (acc / total[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_tile, result, mask=rows[:, None] < queries)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, out: torch.Tensor | None = None, stages: int = 3) -> torch.Tensor:
    """softmax(Q K^T / sqrt(D)) V for each head. The compiler may keep the copies of `stages` steps of the loop in flight.

    `q` is heads x queries x D, `k` and `v` are heads x keys x D; contiguous, of one dtype (float16 or bfloat16), on one device; there is
    a key at least, and D is 16, 32, 64 or 128. The result, or `out`, is like `q`. Sums are float32. Raises ValueError for tensors that do not match
    this.
    """
    out = torch.empty_like(q) if out is None else out
    if q.ndim != 3 or k.ndim != 3 or k.shape != v.shape or q.shape[::2] != k.shape[::2] or out.shape != q.shape:
        raise ValueError("attention takes heads x queries x D and twice heads x keys x D, "
                         f"got shapes {', '.join(str(tuple(t.shape)) for t in (q, k, v, out))}")
    if len({(t.dtype, t.device) for t in (q, k, v, out)}) != 1 or q.dtype not in TOLERANCE:
        raise ValueError(f"attention takes float16 or bfloat16 on one device, got {', '.join(f'{t.dtype} on {t.device}' for t in (q, k, v, out))}")
    if not all(t.is_contiguous() for t in (q, k, v, out)):
        raise ValueError("attention takes contiguous tensors")
    heads, queries, size = q.shape
    keys = k.shape[1]
    if size not in (16, 32, 64, 128) or not keys:
        raise ValueError(f"attention takes D of 16, 32, 64 or 128 and a key at least, got D = {size}, {keys} keys")
    if q.numel():
        even = queries % TILE["BM"] == 0 and keys % TILE["BN"] == 0
        attention_kernel[(triton.cdiv(queries, TILE["BM"]), heads)](q, k, v, out, queries, keys, math.log2(math.e) / math.sqrt(size), even, **TILE,
                                                                   D=size, num_warps=WARPS, num_stages=stages)
    return out


def relative_error(out: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> float:
    """Frobenius norm of the difference to attention computed by torch in float64, over that of the latter; head by head, to save memory."""
    difference = expected = 0.0
    for o_head, q_head, k_head, v_head in zip(out, q, k, v, strict=True):
        scores = q_head.double() @ k_head.double().T / math.sqrt(q.shape[-1])
        result = torch.softmax(scores, -1) @ v_head.double()
        difference += float((o_head.double() - result).norm()) ** 2
        expected += float(result.norm()) ** 2
    return math.sqrt(difference / expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    on_gpu = torch.cuda.is_available() and not triton.knobs.runtime.interpret
    length = 4096 if on_gpu else 300
    parser.add_argument("--heads", type=int, default=64 if on_gpu else 2)
    parser.add_argument("--queries", type=int, default=length)
    parser.add_argument("--keys", type=int, default=length)
    parser.add_argument("--size", type=int, default=64, help="D, elements of a row (default %(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    options = parser.parse_args()
    device, dtype = "cuda" if on_gpu else "cpu", DTYPES[options.dtype]
    torch.manual_seed(0)
    q = torch.randn((options.heads, options.queries, options.size), device=device).to(dtype)
    k, v = (torch.randn((options.heads, options.keys, options.size), device=device).to(dtype) for _ in range(2))
    error = relative_error(attention(q, k, v), q, k, v)
    print(f"attention, {options.heads} heads, {options.queries} x {options.keys} x {options.size}, {options.dtype}: "
          f"relative error {error:.2e} (allowed {TOLERANCE[dtype]:.0e})")
    if not error <= TOLERANCE[dtype]:
        sys.exit("the result is wrong")
    if on_gpu:
        out = torch.empty_like(q)
        work = 4e-9 * options.heads * options.queries * options.keys * options.size
        for name, function in [("this kernel", lambda: attention(q, k, v, out)),
                               ("torch", lambda: torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None]))]:
            print(f"  {name:<12} {work / triton.testing.do_bench_cudagraph(function, return_mode='median'):.0f} TFLOP/s")


if __name__ == "__main__":
    main()
