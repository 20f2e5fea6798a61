"""Kernels of test_local_ptr.py: accesses through pointers into buffers."""
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def reverse(src, dst, N: tl.constexpr, NVMMA: tl.constexpr):
    """Writes through computed indices, then reads the whole buffer."""
    i = tl.arange(0, N)
    buffer = tle.gpu.alloc([N], src.dtype.element_ty, nv_mma_shared_layout=NVMMA)
    tl.store(tle.gpu.local_ptr(buffer, (N - 1 - i, )), tl.load(src + i))
    tl.store(dst + i, tl.load(tle.gpu.local_ptr(buffer)))


@triton.jit
def gather(src, rows, cols, dst, BM: tl.constexpr, BN: tl.constexpr, COUNT: tl.constexpr, NVMMA: tl.constexpr):
    """Reads COUNT elements of a tile at run-time indices."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    at = tl.arange(0, COUNT)
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=NVMMA)
    tle.gpu.copy(src + offsets, buffer, [BM, BN])
    tl.store(dst + at, tl.load(tle.gpu.local_ptr(buffer, (tl.load(rows + at), tl.load(cols + at)))))


@triton.jit
def scatter(src, rows, cols, dst, BM: tl.constexpr, BN: tl.constexpr, COUNT: tl.constexpr, NVMMA: tl.constexpr):
    """Writes COUNT elements of a tile of zeros at run-time indices, then copies the tile out."""
    offsets = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    at = tl.arange(0, COUNT)
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=NVMMA)
    tl.store(tle.gpu.local_ptr(buffer), tl.zeros([BM, BN], src.dtype.element_ty))
    tl.store(tle.gpu.local_ptr(buffer, (tl.load(rows + at), tl.load(cols + at))), tl.load(src + at))
    tle.gpu.copy(buffer, dst + offsets, [BM, BN])


@triton.jit
def masked_whole(src, dst, n, BM: tl.constexpr, BN: tl.constexpr, OTHER: tl.constexpr, NVMMA: tl.constexpr):
    """A masked store over a known tile and masked loads with and without `other`, all on the full view."""
    linear = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([BM, BN], src.dtype.element_ty, nv_mma_shared_layout=NVMMA)
    view = tle.gpu.local_ptr(buffer)
    tl.store(view, tl.load(src + linear))
    tl.store(view, tl.load(src + BM * BN + linear), mask=linear < n)
    tl.store(dst + linear, tl.load(view))
    tl.store(dst + BM * BN + linear, tl.load(view, mask=linear % 3 == 0, other=OTHER))
    tl.store(dst + 2 * BM * BN + linear, tl.load(view, mask=linear % 5 == 0))


@triton.jit
def slots(src, dst, tiles, DEPTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """A ring whose slots are written and read through indices, transposed."""
    m = tl.broadcast_to(tl.arange(0, BM)[:, None], [BM, BN])
    n = tl.broadcast_to(tl.arange(0, BN)[None, :], [BM, BN])
    ring = tle.gpu.alloc([DEPTH, BM, BN], src.dtype.element_ty)
    for t in range(0, tiles):
        slot = ring.slot(t % DEPTH)
        tl.store(tle.gpu.local_ptr(slot, (m, n)), tl.load(src + t * BM * BN + m * BN + n))
        tl.store(dst + t * BM * BN + tl.trans(n * BM + m), tl.load(tle.gpu.local_ptr(slot, (tl.trans(m), tl.trans(n)))))


@triton.jit
def three_indices(src, dst, DEPTH: tl.constexpr, BM: tl.constexpr, COUNT: tl.constexpr, B: tl.constexpr):
    """A DEPTH x BM buffer, DEPTH no power of two, indexed in both dimensions; B lanes walk over COUNT elements."""
    buffer = tle.gpu.alloc([DEPTH, BM], src.dtype.element_ty)
    for start in range(0, COUNT, B):
        i = start + tl.arange(0, B)
        i = tl.where(i < COUNT, i, 0)
        tl.store(tle.gpu.local_ptr(buffer, (i // BM, i % BM)), tl.load(src + i))
    for start in range(0, COUNT, B):
        i = start + tl.arange(0, B)
        j = tl.where(i < COUNT, COUNT - 1 - i, 0)
        tl.store(dst + i, tl.load(tle.gpu.local_ptr(buffer, (j // BM, j % BM))), mask=i < COUNT)


@triton.jit
def scalars(src, dst, count, N: tl.constexpr):
    """Prefix sums by scalar loads and stores in a loop that the next iteration depends on."""
    i = tl.arange(0, N)
    buffer = tle.gpu.alloc([N], tl.int32)
    tl.store(tle.gpu.local_ptr(buffer), tl.load(src + i))
    for k in range(1, count):
        before = tl.load(tle.gpu.local_ptr(buffer, (k - 1, )))
        here = tle.gpu.local_ptr(buffer, (k, ))
        tl.store(here, tl.load(here) + before)
    tl.store(dst + i, tl.load(tle.gpu.local_ptr(buffer)))


@triton.jit
def shift_in_loop(src, dst, steps, N: tl.constexpr):
    """Rotates a buffer in place by reading and writing all of it in each iteration: every step needs both barriers."""
    i = tl.arange(0, N)
    buffer = tle.gpu.alloc([N], tl.int32)
    tl.store(tle.gpu.local_ptr(buffer), tl.load(src + i))
    for _ in range(0, steps):
        value = tl.load(tle.gpu.local_ptr(buffer, ((i + 1) % N, )))
        tl.store(tle.gpu.local_ptr(buffer, (i, )), value)
    tl.store(dst + i, tl.load(tle.gpu.local_ptr(buffer)))


@triton.jit
def branches(src, dst, flag, N: tl.constexpr):
    """Stores in one branch, a load by whole buffer behind it, and the other way round."""
    i = tl.arange(0, N)
    buffer = tle.gpu.alloc([N], tl.float32)
    tl.store(tle.gpu.local_ptr(buffer), tl.load(src + i))
    if flag > 0:
        tl.store(tle.gpu.local_ptr(buffer, ((i * 7) % N, )), tl.load(src + i) * 2)
    else:
        tl.store(tle.gpu.local_ptr(buffer), tl.load(src + i) * 3)
    tl.store(dst + i, tl.load(tle.gpu.local_ptr(buffer, ((i * 3) % N, ))))


@triton.jit
def chase(table, dst, steps, N: tl.constexpr):
    """Follows links in a table in shared memory while global memory is read in the same loop."""
    i = tl.arange(0, N)
    buffer = tle.gpu.alloc([N], tl.int32)
    tl.store(tle.gpu.local_ptr(buffer), tl.load(table + i))
    at = i
    total = tl.zeros([N], tl.int32)
    for _ in range(0, steps):
        at = tl.load(tle.gpu.local_ptr(buffer, (at, )))
        total += tl.load(table + at)
    tl.store(dst + i, total)


@triton.jit
def beside_scratch(src, dst, sums, rounds, N: tl.constexpr):
    """Two buffers live in turn, with reductions and conversions between their accesses: their scratch memory must not
    overlap a live buffer, and a dead buffer's memory must not be taken while others still read it."""
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for t in range(0, rounds):
        first = tle.gpu.alloc([N], tl.float32)
        tl.store(tle.gpu.local_ptr(first, (N - 1 - i, )), tl.load(src + t * N + i))
        sum = tl.sum(tl.load(src + t * N + i), axis=0)
        second = tle.gpu.alloc([2 * N], tl.float32)
        tl.store(tle.gpu.local_ptr(second, (2 * i, )), tl.load(tle.gpu.local_ptr(first, (i, ))))
        tl.store(tle.gpu.local_ptr(second, (2 * i + 1, )), i + sum)
        scan = tl.cumsum(tl.load(src + t * N + i), axis=0)
        total += tl.load(tle.gpu.local_ptr(second, (2 * (N - 1 - i), ))) + scan
        total += tl.load(tle.gpu.local_ptr(second, (2 * i + 1, )))
        tl.store(sums + t, tl.max(tl.load(tle.gpu.local_ptr(first)), axis=0))
    tl.store(dst + i, total)


@triton.jit
def dot_of_stored(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """WGMMA (or mma) on operands that were stored through pointers: needs a proxy fence before the dot."""
    m = tl.broadcast_to(tl.arange(0, M)[:, None], [M, K])
    k = tl.broadcast_to(tl.arange(0, K)[None, :], [M, K])
    left = tle.gpu.alloc([M, K], tl.float16)
    right = tle.gpu.alloc([K, N], tl.float16)
    tl.store(tle.gpu.local_ptr(left, (m, k)), tl.load(a + m * K + k))
    kn = tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(tle.gpu.local_ptr(right), tl.load(b + kn), mask=kn >= 0)
    product = tl.dot(tl.load(tle.gpu.local_ptr(left)), tl.load(tle.gpu.local_ptr(right)))
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], product)


@triton.jit
def histogram(src, dst, ranks, n, BINS: tl.constexpr, B: tl.constexpr, RANKS: tl.constexpr):
    """Counts of n values; with RANKS also each value's old count, in whatever order the atomics ran."""
    bins = tle.gpu.alloc([BINS], tl.int32, nv_mma_shared_layout=False)
    tl.store(tle.gpu.local_ptr(bins), tl.zeros([BINS], tl.int32))
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        valid = i < n
        value = tl.load(src + i, mask=valid, other=0)
        old = tl.atomic_add(tle.gpu.local_ptr(bins, (value, )), tl.full([B], 1, tl.int32), mask=valid, sem="relaxed", scope="cta")
        if RANKS:
            tl.store(ranks + i, old, mask=valid)
    tl.store(dst + tl.arange(0, BINS), tl.load(tle.gpu.local_ptr(bins)))


@triton.jit
def atomic_old_values(src, dst, out, BM: tl.constexpr, BN: tl.constexpr):
    """An atomic on each element of a tile whose old values are read by all threads, in another arrangement."""
    linear = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    buffer = tle.gpu.alloc([BM, BN], tl.int32)
    view = tle.gpu.local_ptr(buffer)
    tl.store(view, tl.load(src + linear))
    old = tl.atomic_add(view, linear)
    older = tl.atomic_xchg(view, old * 2)
    tl.store(dst + tl.trans(linear), tl.trans(old))
    tl.store(dst + BM * BN + linear, older)
    tl.store(out + tl.arange(0, BN), tl.sum(old, axis=0))
    tl.store(dst + 2 * BM * BN + linear, tl.load(view))


@triton.jit
def reduce_by_atomics(src, dst, N: tl.constexpr, OP: tl.constexpr):
    """All N values into one element, by every kind of atomic."""
    value = tl.load(src + tl.arange(0, N))
    buffer = tle.gpu.alloc([1], src.dtype.element_ty, nv_mma_shared_layout=False)
    one = tle.gpu.local_ptr(buffer, (0, ))
    tl.store(one, tl.load(src))
    all = tle.gpu.local_ptr(buffer, (tl.zeros([N], tl.int32), ))
    if OP == "add":
        tl.atomic_add(all, value)
    elif OP == "min":
        tl.atomic_min(all, value)
    elif OP == "max":
        tl.atomic_max(all, value)
    elif OP == "and":
        tl.atomic_and(all, value)
    elif OP == "or":
        tl.atomic_or(all, value)
    else:
        tl.atomic_xor(all, value)
    tl.store(dst, tl.load(one))


@triton.jit
def compare_and_swap(dst, N: tl.constexpr):
    """Every element tries to take one of two locks; the old values tell who was first."""
    i = tl.arange(0, N)
    locks = tle.gpu.alloc([2], tl.int32, nv_mma_shared_layout=False)
    tl.store(tle.gpu.local_ptr(locks), tl.zeros([2], tl.int32))
    pointers = tle.gpu.local_ptr(locks, (i % 2, ))
    tl.store(dst + i, tl.atomic_cas(pointers, tl.zeros([N], tl.int32), i + 1))
    tl.store(dst + N + tl.arange(0, 2), tl.load(tle.gpu.local_ptr(locks)))


@triton.jit
def scalar_atomics(dst, rounds, N: tl.constexpr):
    """A counter bumped once per iteration by the whole program, its old value used by all threads."""
    i = tl.arange(0, N)
    counter = tle.gpu.alloc([2], tl.int32, nv_mma_shared_layout=False)
    tl.store(tle.gpu.local_ptr(counter), tl.zeros([2], tl.int32))
    for t in range(0, rounds):
        old = tl.atomic_add(tle.gpu.local_ptr(counter, (0, )), 1, sem="acq_rel", scope="cta")
        most = tl.atomic_max(tle.gpu.local_ptr(counter, (1, )), old * old, sem="release", scope="gpu")
        tl.store(dst + t * N + i, old * 1000 + most + tl.zeros([N], tl.int32))
    tl.store(dst + rounds * N, tl.load(tle.gpu.local_ptr(counter, (0, ))))
    tl.store(dst + rounds * N + 1, tl.load(tle.gpu.local_ptr(counter, (1, ))))
