"""Plain Triton kernels that together use every operation the stock front end emits, for the round trip tests."""
from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def elementwise(x, y, n, scale, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(x + offsets, mask, other=1.0, cache_modifier=".cg", eviction_policy="evict_first")
    tl.assume(n > 0)
    a = tl.clamp(tl.sqrt_rn(tl.abs(a)), 0.5, scale) + tl.div_rn(a, 3.0) + libdevice.tanh(a) + tl.erf(a) + tl.exp2(a) * tl.sin(a)
    a = tl.fma(a, a, tl.where(mask, a, tl.minimum(a, 2.0, propagate_nan=tl.PropagateNan.ALL)))
    bits = a.to(tl.int32, bitcast=True) << 3
    high = tl.umulhi(bits.to(tl.uint32, bitcast=True), bits.to(tl.uint32, bitcast=True))
    narrow = a.to(tl.float8e4nv).to(tl.float32) + a.to(tl.bfloat16).to(tl.float32) + a.to(tl.float16, fp_downcast_rounding="rtz")
    tl.store(y + offsets, narrow + high, mask, cache_modifier=".wt", eviction_policy="evict_last")
    tl.debug_barrier()


@triton.jit
def shapes(x, y, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    index = tl.multiple_of(rows[:, None] * BLOCK, (16, 1)) + columns[None, :]
    a = tl.load(x + index)
    low, high = tl.split(tl.join(a, a + 1.0))
    both = tl.interleave(low, tl.trans(high)).reshape(BLOCK, 2, BLOCK).permute(2, 0, 1)
    flat = tl.reshape(both, 2 * BLOCK * BLOCK, can_reorder=True)
    counts = tl.histogram(rows, BLOCK)
    picked = tl.gather(a, tl.broadcast_to(columns[None, :], (BLOCK, BLOCK)), axis=1)
    joined = tl.cat(rows, columns, can_reorder=True)
    tl.store(y + index, picked + tl.sum(flat))
    tl.store(y + tl.arange(0, 2 * BLOCK), joined.to(tl.float32))
    tl.store(y + rows, counts.to(tl.float32))


@triton.jit
def _larger(a, i, b, j):
    take = a > b
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def _swap(a, b):
    return b, a


@triton.jit
def regions(x, y, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    a = tl.load(x + rows)
    value, where = tl.reduce((a, rows), 0, _larger)
    total = tl.associative_scan(a, 0, tl.standard._sum_combine, reverse=True)
    first, second = tl.map_elementwise(_swap, a, total)
    i = 0
    while i < n:
        if value > 3.0:
            first += second
        else:
            first = tl.sort(first)
        i += 1
    for k in tl.range(0, n, num_stages=3, loop_unroll_factor=2, disable_licm=True):
        first += k
    if n == 7:
        return
    tl.store(y + rows, first + where)
    tl.device_print("first: ", first, hex=True)
    tl.device_assert(n < 100, "too large")


@triton.jit(noinline=True)
def _helper(a, n):
    return a + n


@triton.jit
def atomics(x, y, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    old = tl.atomic_add(y + rows, rows, mask=rows < n, sem="relaxed", scope="cta")
    old += tl.atomic_cas(x + rows, old, rows, sem="release")
    old += tl.atomic_max(x + rows, old) + tl.atomic_xchg(y + rows, old, sem="acquire", scope="sys")
    old = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [old], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(y, _helper(n, n))
    tl.store(y + rows, old + tl.load(y + rows, volatile=True))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a + rows[:, None] * K + inner[None, :]
    b_ptrs = b + inner[:, None] * N + columns[None, :]
    accumulator = tl.zeros((BM, BN), tl.float32)
    left, right = tl.load(a_ptrs), tl.load(b_ptrs)
    for k in range(0, K, BK):
        left = tl.load(a_ptrs, mask=inner[None, :] < K - k, other=0.0)
        right = tl.load(b_ptrs, mask=inner[:, None] < K - k, other=0.0)
        accumulator = tl.dot(left, right, accumulator, input_precision="ieee", max_num_imprecise_acc=32)
        a_ptrs += BK
        b_ptrs += BK * N
    scales = tl.full((BM, BK // 32), 127, tl.uint8)
    lhs = left.to(tl.float8e5)
    rhs = right.to(tl.float8e4nv)
    accumulator = tl.dot_scaled(lhs, scales, "e5m2", rhs, None, "e4m3", accumulator)
    tl.store(c + rows[:, None] * N + columns[None, :], accumulator.to(tl.float16))


@triton.jit
def descriptors(a, b, c, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(a, [M, N], [N, 1], [BM, BN], padding_option="nan")
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    rowwise = tl.make_tensor_descriptor(b, [M, N], [N, 1], [1, BN])
    bytewise = tl.make_tensor_descriptor(b.to(tl.pointer_type(tl.uint8)), [M, N], [N, 1], [BM, BN])
    tile = source.load([0, 0])
    target.store([0, 0], tile)
    target.atomic_add([0, 0], tile)
    rows = rowwise.gather(tl.arange(0, BM), 0)
    rowwise.scatter(rows, tl.arange(0, BM), 0)
    pointer = tl.make_block_ptr(a, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    pointer = tl.advance(pointer, (0, BN))
    block = tl.load(pointer, boundary_check=(0, 1), padding_option="zero")
    tl.store(pointer, block + rows + bytewise.load([0, 0]).to(tl.float16), boundary_check=(0, 1))


KERNELS = {
    "elementwise": (elementwise, {"x": "*fp32", "y": "*fp32", "n": "i32", "scale": "fp32"}, {"BLOCK": 128}),
    "shapes": (shapes, {"x": "*fp32", "y": "*fp32"}, {"BLOCK": 16}),
    "regions": (regions, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 64}),
    "atomics": (atomics, {"x": "*i32", "y": "*i32", "n": "i32"}, {"BLOCK": 128}),
    "matmul": (matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
               {"BM": 128, "BN": 128, "BK": 64}),
    "descriptors": (descriptors, {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32"}, {"BM": 64, "BN": 64}),
}
