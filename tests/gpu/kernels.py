"""Kernels of the device tests. The same ones run on a GPU and, under TRITON_INTERPRET=1, in the simulator."""
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def copy_tiles(src, dst, M, N, stride, BM: tl.constexpr, BN: tl.constexpr, NVMMA: tl.constexpr):
    """One BM x BN tile of a row-major matrix through shared memory, edges masked in both directions."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    offsets = rows[:, None] * stride + cols[None, :]
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=NVMMA)
    tle.gpu.copy(src + offsets, buffer, [BM, BN], mask=mask)
    tle.gpu.copy(buffer, dst + offsets, [BM, BN], mask=mask)


@triton.jit
def copy_unmasked(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    """A whole BM x BN matrix through shared memory."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty)
    tle.gpu.copy(src + offsets, buffer, [BM, BN])
    tle.gpu.copy(buffer, dst + offsets, [BM, BN])


@triton.jit
def masked_lanes_are_zero(src, dst, M, BM: tl.constexpr, BN: tl.constexpr):
    """Loads M of BM rows and stores the whole buffer: the masked-off rows arrive as zeros."""
    rows = tl.arange(0, BM)
    offsets = rows[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty)
    tle.gpu.copy(src + offsets, buffer, [BM, BN], mask=rows[:, None] < M)
    tle.gpu.copy(buffer, dst + offsets, [BM, BN])


@triton.jit
def ring(src, dst, tiles, DEPTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, METHOD: tl.constexpr):
    """Tiles through a ring of DEPTH slots: tile t is read DEPTH - 1 steps after it was written, and doubled."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([DEPTH, BM, BN], src.dtype.element_ty)
    for t in range(0, DEPTH - 1):
        tle.gpu.copy(src + t * BM * BN + offsets, buffer.slot(t % DEPTH), [BM, BN])
    for t in range(0, tiles):
        ahead = t + DEPTH - 1
        if METHOD:
            written = buffer.slot(ahead % DEPTH)
            read = buffer.slot(t % DEPTH)
        else:
            written = buffer[ahead % DEPTH]
            read = buffer[t % DEPTH]
        inside = tl.full([BM, BN], 0, tl.int32) + ahead < tiles
        tle.gpu.copy(src + ahead * BM * BN + offsets, written, [BM, BN], mask=inside)
        value = tl.load(tle.gpu.local_ptr(read))
        tl.store(dst + t * BM * BN + offsets, value + value)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr, TRANS_A: tl.constexpr,
           TRANS_B: tl.constexpr):
    """C = A @ B, both operands from shared memory; TRANS_A, TRANS_B keep the tile transposed there."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    dtype: tl.constexpr = a_ptr.dtype.element_ty
    if TRANS_A:
        a_smem = tle.gpu.alloc([BK, BM], dtype)
    else:
        a_smem = tle.gpu.alloc([BM, BK], dtype)
    if TRANS_B:
        b_smem = tle.gpu.alloc([BN, BK], dtype)
    else:
        b_smem = tle.gpu.alloc([BK, BN], dtype)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in tle.gpu.pipeline(0, tl.cdiv(K, BK), num_stages=STAGES):
        ks = k * BK + rk
        if TRANS_A:
            tle.gpu.copy(a_ptr + ks[:, None] * stride_ak + rm[None, :] * stride_am, a_smem, [BK, BM],
                         mask=(ks[:, None] < K) & (rm[None, :] < M))
            a = tl.trans(tl.load(tle.gpu.local_ptr(a_smem)))
        else:
            tle.gpu.copy(a_ptr + rm[:, None] * stride_am + ks[None, :] * stride_ak, a_smem, [BM, BK],
                         mask=(rm[:, None] < M) & (ks[None, :] < K))
            a = tl.load(tle.gpu.local_ptr(a_smem))
        if TRANS_B:
            tle.gpu.copy(b_ptr + rn[:, None] * stride_bn + ks[None, :] * stride_bk, b_smem, [BN, BK],
                         mask=(rn[:, None] < N) & (ks[None, :] < K))
            b = tl.trans(tl.load(tle.gpu.local_ptr(b_smem)))
        else:
            tle.gpu.copy(b_ptr + ks[:, None] * stride_bk + rn[None, :] * stride_bn, b_smem, [BK, BN],
                         mask=(ks[:, None] < K) & (rn[None, :] < N))
            b = tl.load(tle.gpu.local_ptr(b_smem))
        acc = tl.dot(a, b, acc)
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn, c, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def tma_copy_host(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    """A tile through shared memory with descriptors made on the host."""
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    buffer = tle.gpu.alloc([BM, BN], src.dtype)
    tle.gpu.copy(src, buffer, [BM, BN], [row, col])
    tle.gpu.copy(buffer, dst, [BM, BN], [row, col])


@triton.jit
def tma_copy_device(src, dst, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """As tma_copy_host, with descriptors made in the kernel."""
    src_desc = tl.make_tensor_descriptor(src, [M, N], [N, 1], [BM, BN])
    dst_desc = tl.make_tensor_descriptor(dst, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty)
    tle.gpu.copy(src_desc, buffer, [BM, BN], [row, col])
    tle.gpu.copy(buffer, dst_desc, [BM, BN], [row, col])


@triton.jit
def tma_matmul(a_desc, b_desc, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A @ B with both operand tiles brought by TMA."""
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    a_smem = tle.gpu.alloc([BM, BK], a_desc.dtype)
    b_smem = tle.gpu.alloc([BK, BN], b_desc.dtype)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        tle.gpu.copy(a_desc, a_smem, [BM, BK], [row, k * BK])
        tle.gpu.copy(b_desc, b_smem, [BK, BN], [k * BK, col])
        acc = tl.dot(tl.load(tle.gpu.local_ptr(a_smem)), tl.load(tle.gpu.local_ptr(b_smem)), acc)
    rm = row + tl.arange(0, BM)
    rn = col + tl.arange(0, BN)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def async_load_sum(src, dst, M, N, BM: tl.constexpr, BN: tl.constexpr, ASYNC: tl.constexpr):
    """Sum of the column tiles of a row-major matrix, each read by tle.load."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    total = tl.zeros([BM, BN], dtype=tl.float32)
    for n in range(0, tl.cdiv(N, BN)):
        at = n * BN + cols
        mask = (rows[:, None] < M) & (at[None, :] < N)
        total += tle.load(src + rows[:, None] * N + at[None, :], mask=mask, other=1.0, is_async=ASYNC)
    tl.store(dst + rows[:, None] * BN + cols[None, :], total, mask=rows[:, None] < M)


@triton.jit
def init_value(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    """A buffer that starts with a computed tile."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    value = tl.load(src + offsets)
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, init_value=value + value)
    tl.store(dst + offsets, tl.load(tle.gpu.local_ptr(buffer)) + value)


@triton.jit
def memory_space(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    """A tile asked to live in shared memory, then read by every row's neighbour."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    value = tle.gpu.memory_space(tl.load(src + offsets), "smem")
    tl.store(dst + tl.arange(0, BN)[:, None] * BM + tl.arange(0, BM)[None, :], tl.trans(value))


@triton.jit
def transpose(src, dst, BM: tl.constexpr, BN: tl.constexpr):
    """Transposes a tile by reading the buffer at computed indices."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=False)
    tle.gpu.copy(src + offsets, buffer, [BM, BN])
    n = tl.broadcast_to(tl.arange(0, BN)[:, None], [BN, BM])
    m = tl.broadcast_to(tl.arange(0, BM)[None, :], [BN, BM])
    tl.store(dst + n * BM + m, tl.load(tle.gpu.local_ptr(buffer, (m, n))))


@triton.jit
def histogram(src, dst, COUNT: tl.constexpr, BINS: tl.constexpr):
    """Counts values 0..BINS-1 with shared-memory atomics."""
    bins = tle.gpu.alloc([BINS], tl.int32, nv_mma_shared_layout=False, init_value=tl.zeros([BINS], tl.int32))
    value = tl.load(src + tl.arange(0, COUNT))
    tl.atomic_add(tle.gpu.local_ptr(bins, (value, )), tl.full([COUNT], 1, tl.int32), mask=value < BINS)
    tl.debug_barrier()
    tl.store(dst + tl.arange(0, BINS), tl.load(tle.gpu.local_ptr(bins)))


@triton.jit
def reduce_beside_live_buffers(src, dst, sums, BM: tl.constexpr, BN: tl.constexpr):
    """Reductions and a scan need shared scratch of their own while two buffers are live: it must not overlap them."""
    rows = tl.arange(0, BM)
    cols = tl.arange(0, BN)
    offsets = rows[:, None] * BN + cols[None, :]
    first = tle.gpu.alloc([BM, BN], src.dtype.element_ty)
    second = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=False)
    tle.gpu.copy(src + offsets, first, [BM, BN])
    tle.gpu.copy(src + BM * BN + offsets, second, [BM, BN])
    value = tl.load(src + 2 * BM * BN + offsets).to(tl.float32)
    tl.store(sums + rows, tl.sum(value, axis=1))
    tl.store(sums + BM + cols, tl.max(value, axis=0))
    scan = tl.cumsum(value, axis=0)
    tl.store(sums + BM + BN + cols, tl.sum(tl.trans(scan), axis=1))
    tl.store(dst + offsets, tl.load(tle.gpu.local_ptr(first)))
    tl.store(dst + BM * BN + offsets, tl.load(tle.gpu.local_ptr(second)))


@triton.jit
def round_trip_row(src, dst, N: tl.constexpr):
    """A row through shared memory."""
    offsets = tl.program_id(0) * N + tl.arange(0, N)
    buffer = tle.gpu.alloc([N], src.dtype.element_ty)
    tle.gpu.copy(src + offsets, buffer, [N])
    tle.gpu.copy(buffer, dst + offsets, [N])


@triton.jit
def round_trip_ring(src, dst, tiles, DEPTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Tiles through the slots of a ring, DEPTH of them written before they are copied out, the last one first."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    ring = tle.gpu.alloc([DEPTH, BM, BN], src.dtype.element_ty)
    for first in range(0, tiles, DEPTH):
        for slot in range(0, DEPTH):
            tle.gpu.copy(src + (first + slot) * BM * BN + offsets, ring.slot(slot), [BM, BN])
        for back in range(1, DEPTH + 1):
            slot = DEPTH - back
            tle.gpu.copy(ring.slot(slot), dst + (first + slot) * BM * BN + offsets, [BM, BN])
