"""Kernels of test_hopper_language.py: each uses one feature of the Hopper language and writes what can be computed by torch."""
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl

#-----------------------------------------------------------------------------------------------------------------------
# Completion of TMA loads, rings
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def store_block(out, block, row, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Write `block` to rows `row` and on of `out`, a row-major matrix of COLS columns."""
    rows = row + tl.arange(0, ROWS)
    tl.store(out + rows[:, None] * COLS + tl.arange(0, COLS)[None, :], block)


@triton.jit
def load_block(src, row, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = row + tl.arange(0, ROWS)
    return tl.load(src + rows[:, None] * COLS + tl.arange(0, COLS)[None, :])


@triton.jit
def completion(src, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One load that completes on a barrier."""
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype)
    bar = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * (src.dtype.primitive_bitwidth // 8))
    tle.gpu.copy(src, buffer, [ROWS, COLS], [tl.program_id(0) * ROWS, 0], barrier=bar)
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    store_block(out, buffer.load(), tl.program_id(0) * ROWS, ROWS, COLS)


@triton.jit
def prefetch(src, out, blocks, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A ring without partitions: DEPTH loads are in flight, a slot is filled again after it was read."""
    ring = tle.gpu.alloc([DEPTH, ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barriers(DEPTH, expect_bytes=ROWS * COLS * (src.dtype.primitive_bitwidth // 8))
    for i in tl.static_range(DEPTH):
        if i < blocks:
            tle.gpu.copy(src, ring.slot(i), [ROWS, COLS], [i * ROWS, 0], barrier=full[i])
    for i in range(0, blocks):
        slot = i % DEPTH
        tle.gpu.barrier_wait(full[slot], phaseIdx=i // DEPTH)
        store_block(out, ring.slot(slot).load() + 1.0, i * ROWS, ROWS, COLS)
        if i + DEPTH < blocks:
            tl.debug_barrier()
            tle.gpu.copy(src, ring.slot(slot), [ROWS, COLS], [(i + DEPTH) * ROWS, 0], barrier=full[slot])


@triton.jit
def one_slot_two_ways(first, second, out, flag, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Another load in each branch, one wait after them."""
    buffer = tle.gpu.alloc([ROWS, COLS], first.dtype)
    bar = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 2)
    if flag > 0:
        tle.gpu.copy(first, buffer, [ROWS, COLS], [0, 0], barrier=bar)
    else:
        tle.gpu.copy(second, buffer, [ROWS, COLS], [ROWS, 0], barrier=bar)
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    store_block(out, buffer.load(), 0, ROWS, COLS)


@triton.jit
def ring_producer(src, ring, full, empty, tiles, steps, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    count = 0
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        for step in range(0, steps):
            slot = count % DEPTH
            tle.gpu.barrier_wait(empty[slot], phaseIdx=count // DEPTH)
            tle.gpu.copy(src, ring.slot(slot), [ROWS, COLS], [(tile * steps + step) * ROWS, 0], barrier=full[slot])
            count += 1


@triton.jit
def ring_consumer(out, ring, full, empty, tiles, steps, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    count = 0
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        total = tl.zeros([ROWS, COLS], tl.float32)
        for _ in range(0, steps):
            slot = count % DEPTH
            tle.gpu.barrier_wait(full[slot], phaseIdx=count // DEPTH)
            total += ring.slot(slot).load()
            tle.gpu.barrier_arrive(empty[slot], phaseIdx=count // DEPTH)
            count += 1
        store_block(out, total, tile * ROWS, ROWS, COLS)


@triton.jit
def persistent_ring(src, out, tiles, steps, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """out tile = sum of its `steps` blocks; the count of the ring runs on over the tiles of a program."""
    ring = tle.gpu.alloc([DEPTH, ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barriers(DEPTH, expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barriers(DEPTH, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (ring_producer, (src, ring, full, empty, tiles, steps, DEPTH, ROWS, COLS)),
        (ring_consumer, (out, ring, full, empty, tiles, steps, DEPTH, ROWS, COLS)),
    ], [4], [168])


@triton.jit
def two_loads_producer(a, b, a_ring, b_ring, full, empty, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        slot = step % 2
        tle.gpu.barrier_wait(empty[slot], phaseIdx=step // 2)
        tle.gpu.copy(a, a_ring.slot(slot), [ROWS, COLS], [step * ROWS, 0], barrier=full[slot])
        tle.gpu.copy(b, b_ring.slot(2 * slot), [COLS, ROWS], [0, step * ROWS], barrier=full[slot])
        tle.gpu.copy(b, b_ring.slot(2 * slot + 1), [COLS, ROWS], [COLS, step * ROWS], barrier=full[slot])


@triton.jit
def two_loads_consumer(out, a_ring, b_ring, full, empty, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        slot = step % 2
        tle.gpu.barrier_wait(full[slot], phaseIdx=step // 2)
        value = a_ring.slot(slot).load() + tl.trans(b_ring.slot(2 * slot).load()) - tl.trans(b_ring.slot(2 * slot + 1).load())
        tle.gpu.barrier_arrive(empty[slot], phaseIdx=step // 2)
        store_block(out, value, step * ROWS, ROWS, COLS)


@triton.jit
def three_loads_of_a_use(a, b, out, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Three loads of two shapes complete one use of a slot. a: steps * ROWS x COLS, b: 2 * COLS x steps * ROWS."""
    a_ring = tle.gpu.alloc([2, ROWS, COLS], a.dtype)
    b_ring = tle.gpu.alloc([4, COLS, ROWS], b.dtype)
    full = tle.gpu.alloc_barriers(2, expect_bytes=3 * ROWS * COLS * 2)
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (two_loads_producer, (a, b, a_ring, b_ring, full, empty, steps, ROWS, COLS)),
        (two_loads_consumer, (out, a_ring, b_ring, full, empty, steps, ROWS, COLS)),
    ], [4], [168])


#-----------------------------------------------------------------------------------------------------------------------
# Consumers of one slot and of slots of their own
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def one_slot_producer(src, buffer, full, empty, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        tle.gpu.barrier_wait(empty, phaseIdx=step)
        tle.gpu.copy(src, buffer, [ROWS, COLS], [step * ROWS, 0], barrier=full)


@triton.jit
def shared_consumer(out, buffer, full, empty, steps, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        tle.gpu.barrier_wait(full, phaseIdx=step)
        value = buffer.load() * (CID + 1)
        tle.gpu.barrier_arrive(empty, phaseIdx=step)
        store_block(out, value, (CID * steps + step) * ROWS, ROWS, COLS)


@triton.jit
def two_consumers_of_one_slot(src, out, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barrier(arrive_count=2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (one_slot_producer, (src, buffer, full, empty, steps, ROWS, COLS)),
        (shared_consumer, (out, buffer, full, empty, steps, 0, ROWS, COLS)),
        (shared_consumer, (out, buffer, full, empty, steps, 1, ROWS, COLS)),
    ], [4, 4], [168, 168])


@triton.jit
def coordinates(row, RANK: tl.constexpr):
    """Of a block of whole rows; dimensions in front have one element."""
    if RANK == 2:
        return row, 0
    else:
        return 0, 0, 0, row, 0


@triton.jit
def one_warp_producer(src, ring, full, empty, steps, RANK: tl.constexpr, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        slot = step % DEPTH
        tle.gpu.barrier_wait(empty[slot], phaseIdx=step // DEPTH)
        tle.gpu.copy(src, ring.slot(slot), [ROWS, COLS], coordinates(step * ROWS, RANK), barrier=full[slot])


@triton.jit
def storing_consumer(dst, staging, ring, full, empty, steps, CID: tl.constexpr, RANK: tl.constexpr, DEPTH: tl.constexpr, ROWS: tl.constexpr,
                     COLS: tl.constexpr):
    for step in range(0, steps):
        slot = step % DEPTH
        tle.gpu.barrier_wait(full[slot], phaseIdx=step // DEPTH)
        value = ring.slot(slot).load() * (CID + 1)
        tle.gpu.barrier_arrive(empty[slot], phaseIdx=step // DEPTH)
        staging.store(value)
        tle.gpu.copy(staging, dst, [ROWS, COLS], coordinates((CID * steps + step) * ROWS, RANK))


@triton.jit
def producer_of_one_warp(src, out, steps, RANK: tl.constexpr, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """The last worker alone uses the descriptor that is read; the consumers, the default partition and a worker, the one that is written."""
    ring = tle.gpu.alloc([DEPTH, ROWS, COLS], src.dtype)
    first, second = tle.gpu.alloc([ROWS, COLS], out.dtype), tle.gpu.alloc([ROWS, COLS], out.dtype)
    full = tle.gpu.alloc_barriers(DEPTH, expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barriers(DEPTH, arrive_count=2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (storing_consumer, (out, first, ring, full, empty, steps, 0, RANK, DEPTH, ROWS, COLS)),
        (storing_consumer, (out, second, ring, full, empty, steps, 1, RANK, DEPTH, ROWS, COLS)),
        (one_warp_producer, (src, ring, full, empty, steps, RANK, DEPTH, ROWS, COLS)),
    ], [4, 1], [168, 24])


@triton.jit
def own_producer(src, state, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    buffers, full, empty = state
    for step in range(0, steps):
        for cid in tl.static_range(2):
            tle.gpu.barrier_wait(empty[cid], phaseIdx=step)
            tle.gpu.copy(src, buffers.slot(cid), [ROWS, COLS], [(step * 2 + cid) * ROWS, 0], barrier=full[cid])


@triton.jit
def own_consumer(out, state, steps, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    buffers, full, empty = state
    for step in range(0, steps):
        tle.gpu.barrier_wait(full[CID], phaseIdx=step)
        value = buffers.slot(CID).load() + CID
        tle.gpu.barrier_arrive(empty[CID], phaseIdx=step)
        store_block(out, value, (step * 2 + CID) * ROWS, ROWS, COLS)


@triton.jit
def consumers_of_own_slots(src, out, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Slots chosen by CID; buffers and barriers travel in a tuple."""
    buffers = tle.gpu.alloc([2, ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barriers(2, expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barriers(num_barriers=2, arrive_count=1, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (own_producer, (src, (buffers, full, empty), steps, ROWS, COLS)),
        (own_consumer, (out, (buffers, full, empty), steps, 0, ROWS, COLS)),
        (own_consumer, (out, (buffers, full, empty), steps, 1, ROWS, COLS)),
    ], [4, 4], [168, 168])


@triton.jit
def release_weighted(empty, use):
    tle.gpu.barrier_arrive(empty, arrive_count=3, phaseIdx=use)


@triton.jit
def weighted_consumer(out, buffer, full, empty, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    for step in range(0, steps):
        tle.gpu.barrier_wait(full, phaseIdx=step)
        value = buffer.load()
        release_weighted(empty, step)
        store_block(out, value, step * ROWS, ROWS, COLS)


@triton.jit
def weighted_arrival(src, out, steps, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One arrival that counts three."""
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barrier(arrive_count=3, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (one_slot_producer, (src, buffer, full, empty, steps, ROWS, COLS)),
        (weighted_consumer, (out, buffer, full, empty, steps, ROWS, COLS)),
    ], [4], [168])


#-----------------------------------------------------------------------------------------------------------------------
# Named barriers
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def nothing():
    pass


@triton.jit
def hand_over(src, out, buffer, sync, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    if CID == 0:
        buffer.store(load_block(src, 0, ROWS, COLS))
        tle.gpu.barrier_arrive(sync[0])
    else:
        tle.gpu.barrier_wait(sync[0])
        store_block(out, buffer.load() * 2, 0, ROWS, COLS)


@triton.jit
def named_hand_over(src, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One consumer arrives at a named barrier, the other waits there and reads what the first has written."""
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype.element_ty)
    sync = tle.gpu.alloc_barriers(num_barriers=1, arrive_count=256)
    tle.gpu.warp_specialize([
        (nothing, ()),
        (hand_over, (src, out, buffer, sync, 0, ROWS, COLS)),
        (hand_over, (src, out, buffer, sync, 1, ROWS, COLS)),
    ], [4, 4], [168, 168])


@triton.jit
def copy_over(src, out, first, second, ready, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    offsets = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    if CID == 0:
        tle.gpu.copy(src + offsets, first, [ROWS, COLS])
        tle.gpu.copy(src + ROWS * COLS + offsets, second, [ROWS, COLS])
        tle.gpu.barrier_arrive(ready)
    else:
        tle.gpu.barrier_wait(ready)
        tle.gpu.copy(second, out + offsets, [ROWS, COLS])
        store_block(out, first.load() * 2, ROWS, ROWS, COLS)


@triton.jit
def copies_of_workers(src, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One consumer copies into buffers by pointers, the other one out of them."""
    first = tle.gpu.alloc([ROWS, COLS], src.dtype.element_ty)
    second = tle.gpu.alloc([ROWS, COLS], src.dtype.element_ty)
    ready = tle.gpu.alloc_barrier(arrive_count=256)
    tle.gpu.warp_specialize([
        (nothing, ()),
        (copy_over, (src, out, first, second, ready, 0, ROWS, COLS)),
        (copy_over, (src, out, first, second, ready, 1, ROWS, COLS)),
    ], [4, 4], [168, 168])


@triton.jit
def take_turns(out, buffer, turn, rounds, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    if CID == 1:
        buffer.store(tl.zeros([ROWS, COLS], tl.int32))
        tle.gpu.barrier_arrive(turn[0])
    for round in range(0, rounds):
        tle.gpu.barrier_wait(turn[CID])
        buffer.store(buffer.load() * 3 + (CID + 1))
        if CID == 0:
            tle.gpu.barrier_arrive(turn[1])
        elif round < rounds - 1:
            tle.gpu.barrier_arrive(turn[0])
    if CID == 1:
        store_block(out, buffer.load(), 0, ROWS, COLS)


@triton.jit
def named_turns(out, rounds, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Two consumers change one buffer in turn, ordered by two named barriers."""
    buffer = tle.gpu.alloc([ROWS, COLS], tl.int32)
    turn = tle.gpu.alloc_barriers(2, arrive_count=256)
    tle.gpu.warp_specialize([
        (nothing, ()),
        (take_turns, (out, buffer, turn, rounds, 0, ROWS, COLS)),
        (take_turns, (out, buffer, turn, rounds, 1, ROWS, COLS)),
    ], [4, 4], [168, 168])


@triton.jit
def meet(src, out, buffer, all_here, CID: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    buffer.slot(CID).store(load_block(src, CID * ROWS, ROWS, COLS))
    tle.gpu.barrier_wait(all_here)
    store_block(out, buffer.slot((CID + 1) % 3).load(), CID * ROWS, ROWS, COLS)


@triton.jit
def named_rendezvous(src, out, ROWS: tl.constexpr, COLS: tl.constexpr):
    """The default partition and two workers, of 4 and 8 warps, wait for each other; each reads what its neighbour has written."""
    buffer = tle.gpu.alloc([3, ROWS, COLS], src.dtype.element_ty)
    all_here = tle.gpu.alloc_barrier(arrive_count=512)
    tle.gpu.warp_specialize([
        (meet, (src, out, buffer, all_here, 0, ROWS, COLS)),
        (meet, (src, out, buffer, all_here, 1, ROWS, COLS)),
        (meet, (src, out, buffer, all_here, 2, ROWS, COLS)),
    ], [4, 8], [64, 64])


#-----------------------------------------------------------------------------------------------------------------------
# WGMMA
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def product(a_ptr, b_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TRANS_A: tl.constexpr, TRANS_B: tl.constexpr,
            REGISTER_A: tl.constexpr, OUT: tl.constexpr):
    """One product. a: M x K (K x M with TRANS_A), b: K x N (N x K with TRANS_B); with REGISTER_A a is a block tensor."""
    A_ROWS: tl.constexpr = K if TRANS_A else M
    A_COLS: tl.constexpr = M if TRANS_A else K
    B_ROWS: tl.constexpr = N if TRANS_B else K
    B_COLS: tl.constexpr = K if TRANS_B else N
    b = tle.gpu.alloc([B_ROWS, B_COLS], b_ptr.dtype.element_ty)
    b.store(load_block(b_ptr, 0, B_ROWS, B_COLS))
    block = load_block(a_ptr, 0, A_ROWS, A_COLS)
    if REGISTER_A:
        acc = tle.gpu.wgmma(block, b, out_dtype=OUT, trans_a=TRANS_A, trans_b=TRANS_B)
        acc = tle.gpu.wgmma_wait(0, acc)
        store_block(out, acc, 0, M, N)
    else:
        a = tle.gpu.alloc([A_ROWS, A_COLS], a_ptr.dtype.element_ty, init_value=block)
        acc = tle.gpu.wgmma(a, b, out_dtype=OUT, trans_a=TRANS_A, trans_b=TRANS_B)
        acc = tle.gpu.wgmma_wait(acc)
        store_block(out, acc, 0, M, N)


@triton.jit
def product_with_acc(a_ptr, b_ptr, c_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """c + a b, with a given accumulator."""
    a = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty, init_value=load_block(a_ptr, 0, M, K))
    b = tle.gpu.alloc([K, N], b_ptr.dtype.element_ty, init_value=load_block(b_ptr, 0, K, N))
    acc = tle.gpu.wgmma(a, b, load_block(c_ptr, 0, M, N))
    store_block(out, tle.gpu.wgmma_wait(0, acc), 0, M, N)


@triton.jit
def imprecise_sum(a_ptr, b_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, IMPRECISE: tl.constexpr):
    """A fp8 product whose partial sums leave the hardware after IMPRECISE additions."""
    a = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty, init_value=load_block(a_ptr, 0, M, K))
    b = tle.gpu.alloc([N, K], b_ptr.dtype.element_ty, init_value=load_block(b_ptr, 0, N, K))
    acc = tle.gpu.wgmma(a, b, max_num_imprecise_acc=IMPRECISE, trans_b=True)
    store_block(out, tle.gpu.wgmma_wait(0, acc), 0, M, N)


@triton.jit
def accumulators_in_flight(a_ptr, b_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two groups run; the first is used while the second still may. a: M x 2K, b: two K x N below each other."""
    a0 = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty)
    a1 = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty)
    b = tle.gpu.alloc([2, K, N], b_ptr.dtype.element_ty)
    a0.store(load_block(a_ptr, 0, M, K))
    a1.store(load_block(a_ptr, M, M, K))
    b.slot(0).store(load_block(b_ptr, 0, K, N))
    b.slot(1).store(load_block(b_ptr, K, K, N))
    acc1 = tle.gpu.wgmma(a0, b.slot(0))
    acc2 = tle.gpu.wgmma(a1, b.slot(1))
    acc1 = tle.gpu.wgmma_wait(1, acc1)
    store_block(out, acc1 * 2.0, 0, M, N)
    acc2 = tle.gpu.wgmma_wait(0, acc2)
    store_block(out, acc2 + 1.0, M, M, N)


@triton.jit
def carried_accumulators(a_ptr, b_ptr, out, steps, STEPS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two accumulators carried by a loop, with a product of the one before in flight at its end."""
    a = tle.gpu.alloc([STEPS, M, K], a_ptr.dtype.element_ty)
    b = tle.gpu.alloc([STEPS, K, N], b_ptr.dtype.element_ty)
    for i in tl.static_range(STEPS):
        a.slot(i).store(load_block(a_ptr, i * M, M, K))
        b.slot(i).store(load_block(b_ptr, i * K, K, N))
    even = tle.gpu.wgmma(a.slot(0), b.slot(0))
    odd = tle.gpu.wgmma(a.slot(1), b.slot(1))
    for i in range(1, steps):
        even = tle.gpu.wgmma(a.slot(2 * i), b.slot(2 * i), even)
        odd = tle.gpu.wgmma(a.slot(2 * i + 1), b.slot(2 * i + 1), odd)
        even = tle.gpu.wgmma_wait(1, even)
    even = tle.gpu.wgmma_wait(0, even)
    odd = tle.gpu.wgmma_wait(0, odd)
    store_block(out, even, 0, M, N)
    store_block(out, odd, M, M, N)


@triton.jit
def chained_products(q_ptr, k_ptr, v_ptr, out, blocks, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """sum over blocks of relu(Q K^T) V, the left factor in registers: written anew in each iteration."""
    q = tle.gpu.alloc([M, D], q_ptr.dtype.element_ty, init_value=load_block(q_ptr, 0, M, D))
    k = tle.gpu.alloc([N, D], q_ptr.dtype.element_ty)
    v = tle.gpu.alloc([N, D], q_ptr.dtype.element_ty)
    acc = tl.zeros([M, D], tl.float32)
    for block in range(0, blocks):
        k.store(load_block(k_ptr, block * N, N, D))
        v.store(load_block(v_ptr, block * N, N, D))
        scores = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(q, k, trans_b=True))
        p = tl.maximum(scores, 0.0).to(q_ptr.dtype.element_ty)
        acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(p, v, acc))
    store_block(out, acc, 0, M, D)


@triton.jit
def restaged_factor(a_ptr, b_ptr, c_ptr, out, M: tl.constexpr):
    """(A B) C with the first product written to a buffer that the second reads: generic stores before WGMMA."""
    a = tle.gpu.alloc([M, M], a_ptr.dtype.element_ty, init_value=load_block(a_ptr, 0, M, M))
    b = tle.gpu.alloc([M, M], a_ptr.dtype.element_ty, init_value=load_block(b_ptr, 0, M, M))
    c = tle.gpu.alloc([M, M], a_ptr.dtype.element_ty, init_value=load_block(c_ptr, 0, M, M))
    first = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b))
    a.store(first.to(a_ptr.dtype.element_ty))
    store_block(out, tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, c)), 0, M, M)


@triton.jit
def tiles_for_two(b_desc, ring, full, empty, steps, N: tl.constexpr, K: tl.constexpr, DEPTH: tl.constexpr):
    for i in range(0, steps):
        tle.gpu.barrier_wait(empty[i % DEPTH], phaseIdx=i // DEPTH)
        tle.gpu.copy(b_desc, ring.slot(i % DEPTH), [N, K], [i * N, 0], barrier=full[i % DEPTH])


@triton.jit
def products_of_two_steps(out, a, ring, full, empty, steps, M: tl.constexpr, N: tl.constexpr, DEPTH: tl.constexpr):
    tle.gpu.barrier_wait(full[0], phaseIdx=0)
    first = tle.gpu.wgmma(a.slot(0), ring.slot(0), trans_b=True)
    second = tl.zeros([M, N], tl.float32)
    for i in range(1, steps):
        tle.gpu.barrier_wait(full[i % DEPTH], phaseIdx=i // DEPTH)
        second = tle.gpu.wgmma(a.slot(1), ring.slot((i - 1) % DEPTH), second, trans_b=True)
        first = tle.gpu.wgmma(a.slot(0), ring.slot(i % DEPTH), first, trans_b=True)
        second = tle.gpu.wgmma_wait(1, second)
        tle.gpu.barrier_arrive(empty[(i - 1) % DEPTH], phaseIdx=(i - 1) // DEPTH)
    second = tle.gpu.wgmma(a.slot(1), ring.slot((steps - 1) % DEPTH), second, trans_b=True)
    first = tle.gpu.wgmma_wait(1, first)
    store_block(out, first, 0, M, N)
    second = tle.gpu.wgmma_wait(0, second)
    store_block(out, second, M, M, N)


@triton.jit
def products_of_one_step(out, a, ring, full, empty, steps, M: tl.constexpr, N: tl.constexpr, DEPTH: tl.constexpr):
    first = tl.zeros([M, N], tl.float32)
    second = tl.zeros([M, N], tl.float32)
    for i in range(0, steps):
        tle.gpu.barrier_wait(full[i % DEPTH], phaseIdx=i // DEPTH)
        first = tle.gpu.wgmma(a.slot(0), ring.slot(i % DEPTH), first, trans_b=True)
        second = tle.gpu.wgmma(a.slot(1), ring.slot(i % DEPTH), second, trans_b=True)
        first = tle.gpu.wgmma_wait(1, first)
        second = tle.gpu.wgmma_wait(0, second)
        tle.gpu.barrier_arrive(empty[i % DEPTH], phaseIdx=i // DEPTH)
    store_block(out, first, 0, M, N)
    store_block(out, second, M, M, N)


@triton.jit
def tiles_used_twice(a_ptr, b_desc, out, steps, APART: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DEPTH: tl.constexpr):
    """out: the sums over tiles b of a0 b^T and a1 b^T. A tile is read by two products, of one step, or of a step and the next (APART)."""
    a = tle.gpu.alloc([2, M, K], a_ptr.dtype.element_ty)
    a.slot(0).store(load_block(a_ptr, 0, M, K))
    a.slot(1).store(load_block(a_ptr, M, M, K))
    ring = tle.gpu.alloc([DEPTH, N, K], b_desc.dtype)
    full = tle.gpu.alloc_barriers(DEPTH, expect_bytes=N * K * (b_desc.dtype.primitive_bitwidth // 8))
    empty = tle.gpu.alloc_barriers(DEPTH, init=tle.gpu.READY)
    consume: tl.constexpr = products_of_two_steps if APART else products_of_one_step
    tle.gpu.warp_specialize([
        (tiles_for_two, (b_desc, ring, full, empty, steps, N, K, DEPTH)),
        (consume, (out, a, ring, full, empty, steps, M, N, DEPTH)),
    ], [4], [168])


@triton.jit
def rewritten_factor(q_ptr, k_ptr, v_ptr, out, steps, STEPS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, PENDINGS: tl.constexpr):
    """sum over steps of relu(Q K_[i-1]^T) V_i. The left factor, in registers, is written anew while PENDINGS products may still read it."""
    q = tle.gpu.alloc([M, D], q_ptr.dtype.element_ty, init_value=load_block(q_ptr, 0, M, D))
    k = tle.gpu.alloc([STEPS, N, D], q_ptr.dtype.element_ty)
    v = tle.gpu.alloc([STEPS, N, D], q_ptr.dtype.element_ty)
    for i in tl.static_range(STEPS):
        k.slot(i).store(load_block(k_ptr, i * N, N, D))
        v.slot(i).store(load_block(v_ptr, i * N, N, D))
    p = tl.zeros([M, N], q_ptr.dtype.element_ty)
    acc = tl.zeros([M, D], tl.float32)
    for i in range(0, steps):
        scores = tle.gpu.wgmma(q, k.slot(i), trans_b=True)
        acc = tle.gpu.wgmma(p, v.slot(i), acc)
        scores = tle.gpu.wgmma_wait(1, scores)
        acc = tle.gpu.wgmma_wait(PENDINGS, acc)
        p = tl.maximum(scores, 0.0).to(q_ptr.dtype.element_ty)
    store_block(out, tle.gpu.wgmma_wait(0, acc), 0, M, D)


@triton.jit
def transposed_factor(a_ptr, b_ptr, c_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BY_FLAG: tl.constexpr):
    """(A B)^T C: the accumulator of one product, turned around by trans_a or tl.trans, is the left factor of the next."""
    a = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty, init_value=load_block(a_ptr, 0, M, K))
    b = tle.gpu.alloc([K, N], a_ptr.dtype.element_ty, init_value=load_block(b_ptr, 0, K, N))
    c = tle.gpu.alloc([M, K], a_ptr.dtype.element_ty, init_value=load_block(c_ptr, 0, M, K))
    first = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b)).to(a_ptr.dtype.element_ty)
    if BY_FLAG:
        store_block(out, tle.gpu.wgmma_wait(0, tle.gpu.wgmma(first, c, trans_a=True)), 0, N, K)
    else:
        store_block(out, tle.gpu.wgmma_wait(0, tle.gpu.wgmma(tl.trans(first), c)), 0, N, K)


@triton.jit
def chained_integers(a_ptr, b_ptr, c_ptr, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """(A B^T mod 16) C^T in int8: the left factor of the second product comes out of the int32 accumulator of the first."""
    a = tle.gpu.alloc([M, K], tl.int8, init_value=load_block(a_ptr, 0, M, K))
    b = tle.gpu.alloc([N, K], tl.int8, init_value=load_block(b_ptr, 0, N, K))
    c = tle.gpu.alloc([K, N], tl.int8, init_value=load_block(c_ptr, 0, K, N))
    first = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(a, b, trans_b=True))
    store_block(out, tle.gpu.wgmma_wait(0, tle.gpu.wgmma((first & 15).to(tl.int8), c, trans_b=True)), 0, M, K)


#-----------------------------------------------------------------------------------------------------------------------
# Partitions
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def affine(src, out, part, size, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    """out = src * FACTOR + part on elements part * size and on."""
    for start in range(0, size, BLOCK):
        at = part * size + start + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(src + at) * FACTOR + part, mask=start + tl.arange(0, BLOCK) < size)


@triton.jit
def workers_of(src, out, size, WARPS: tl.constexpr, BLOCK: tl.constexpr):
    """The default partition and one worker of WARPS warps."""
    tle.gpu.warp_specialize([
        (affine, (src, out, 0, size, 2, BLOCK)),
        (affine, (src, out, 1, size, 3, BLOCK)),
    ], [WARPS], [64])


@triton.jit
def workers_of_all_sizes(src, out, size, BLOCK: tl.constexpr):
    """The default partition and workers of 1, 2, 4 and 8 warps."""
    tle.gpu.warp_specialize([
        (affine, (src, out, 0, size, 2, BLOCK)),
        (affine, (src, out, 1, size, 3, BLOCK)),
        (affine, (src, out, 2, size, 4, BLOCK)),
        (affine, (src, out, 3, size, 5, BLOCK)),
        (affine, (src, out, 4, size, 6, BLOCK)),
    ], [1, 2, 4, 8], [64, 64, 64, 64])


@triton.jit
def reduced_rows(src, out, part, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Row sums and a cumulative sum, which exchange data between the warps of the partition."""
    block = load_block(src, part * ROWS, ROWS, COLS)
    store_block(out, tl.cumsum(block, axis=0) + tl.sum(block, axis=1)[:, None] + tl.trans(tl.trans(block)), part * ROWS, ROWS, COLS)


@triton.jit
def workers_that_reduce(src, out, WARPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.warp_specialize([
        (reduced_rows, (src, out, 0, ROWS, COLS)),
        (reduced_rows, (src, out, 1, ROWS, COLS)),
        (reduced_rows, (src, out, 2, ROWS, COLS)),
    ], [WARPS, 4], [64, 64])


@triton.jit
def counted(src, n):
    total = 0
    for i in range(0, n):
        total += tl.load(src + i)
    return total, n * 2


@triton.jit
def one_block(src, BLOCK: tl.constexpr):
    return tl.load(src + tl.arange(0, BLOCK)) + 1


@triton.jit
def default_results(src, out, n, BLOCK: tl.constexpr):
    """What the default partition returns, scalars and a block tensor, is used after both are done."""
    total, twice = tle.gpu.warp_specialize([(counted, (src, n)), (affine, (src, out, 0, BLOCK, 3, BLOCK))], [4], [64])
    block = tle.gpu.warp_specialize([(one_block, (src, BLOCK)), (affine, (src, out, 1, BLOCK, 3, BLOCK))], [4], [64])
    tl.store(out + 2 * BLOCK + tl.arange(0, BLOCK), block + total + twice)


@triton.jit
def take(ring, full, slot, use):
    tle.gpu.barrier_wait(full[slot], phaseIdx=use)
    return ring.slot(slot).load()


@triton.jit
def take_and_release(ring, full, empty, count, DEPTH: tl.constexpr):
    value = take(ring, full, count % DEPTH, count // DEPTH)
    tle.gpu.barrier_arrive(empty[count % DEPTH], phaseIdx=count // DEPTH)
    return value


@triton.jit
def helping_consumer(out, ring, full, empty, blocks, part, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    for count in range(0, blocks):
        store_block(out, take_and_release(ring, full, empty, count, DEPTH) + part, (part * blocks + count) * ROWS, ROWS, COLS)


@triton.jit
def put(src, ring, full, empty, count, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.barrier_wait(empty[count % DEPTH], phaseIdx=count // DEPTH)
    tle.gpu.copy(src, ring.slot(count % DEPTH), [ROWS, COLS], [count * ROWS, 0], barrier=full[count % DEPTH])


@triton.jit
def helping_producer(src, ring, full, empty, blocks, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    for count in range(0, blocks):
        put(src, ring, full, empty, count, DEPTH, ROWS, COLS)


@triton.jit
def helpers(src, out, blocks, DEPTH: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Helpers two calls deep use barriers, buffers and a descriptor; workers of 4 and 8 warps call the same ones."""
    ring = tle.gpu.alloc([DEPTH, ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barriers(DEPTH, expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barriers(DEPTH, arrive_count=2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (helping_producer, (src, ring, full, empty, blocks, DEPTH, ROWS, COLS)),
        (helping_consumer, (out, ring, full, empty, blocks, 0, DEPTH, ROWS, COLS)),
        (helping_consumer, (out, ring, full, empty, blocks, 1, DEPTH, ROWS, COLS)),
    ], [4, 8], [64, 64])


@triton.jit
def fill(src, buffer, full, empty, block, use, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.barrier_wait(empty, phaseIdx=use)
    tle.gpu.copy(src, buffer, [ROWS, COLS], [block * ROWS, 0], barrier=full)


@triton.jit
def drain(out, buffer, full, empty, block, use, ROWS: tl.constexpr, COLS: tl.constexpr):
    tle.gpu.barrier_wait(full, phaseIdx=use)
    value = buffer.load()
    tle.gpu.barrier_arrive(empty, phaseIdx=use)
    store_block(out, value, block * ROWS, ROWS, COLS)


@triton.jit
def partitions_in_a_loop(src, out, blocks, only_even, ROWS: tl.constexpr, COLS: tl.constexpr):
    """warp_specialize in a loop and in an if in it; the count of uses runs on."""
    buffer = tle.gpu.alloc([ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barrier(init=tle.gpu.READY)
    use = 0
    for block in range(0, blocks):
        if (only_even == 0) | (block % 2 == 0):
            tle.gpu.warp_specialize([
                (fill, (src, buffer, full, empty, block, use, ROWS, COLS)),
                (drain, (out, buffer, full, empty, block, use, ROWS, COLS)),
            ], [4], [168])
            use += 1


@triton.jit
def guarded_consumer(out, ring, full, empty, blocks, ROWS: tl.constexpr, COLS: tl.constexpr):
    for count in range(0, blocks):
        tle.gpu.barrier_wait(full, phaseIdx=count)
        if count % 3 == 0:
            store_block(out, ring.load(), count * ROWS, ROWS, COLS)
        tle.gpu.barrier_arrive(empty, phaseIdx=count)


@triton.jit
def guarded_producer(src, ring, full, empty, blocks, ROWS: tl.constexpr, COLS: tl.constexpr):
    count = 0
    while count < blocks:
        tle.gpu.barrier_wait(empty, phaseIdx=count)
        tle.gpu.copy(src, ring, [ROWS, COLS], [count * ROWS, 0], barrier=full)
        count += 1


@triton.jit
def branches_in_workers(src, out, blocks, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A while loop in the producer, an if in the consumer; every third block is stored."""
    ring = tle.gpu.alloc([ROWS, COLS], src.dtype)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 4)
    empty = tle.gpu.alloc_barrier(init=tle.gpu.READY)
    tle.gpu.warp_specialize([
        (guarded_producer, (src, ring, full, empty, blocks, ROWS, COLS)),
        (guarded_consumer, (out, ring, full, empty, blocks, ROWS, COLS)),
    ], [4], [168])


@triton.jit
def multiplying_consumer(c, a, b, staging, full, steps, M: tl.constexpr, N: tl.constexpr):
    acc = tl.zeros([M, N], tl.float32)
    for step in range(0, steps):
        tle.gpu.barrier_wait(full[step % 2], phaseIdx=step // 2)
        acc = tle.gpu.wgmma(a.slot(step % 2), b.slot(step % 2), acc)
        acc = tle.gpu.wgmma_wait(0, acc)
    staging.store(acc.to(staging.dtype))
    tle.gpu.copy(staging, c, [M, N], [0, 0])


@triton.jit
def loading_producer(a_desc, b_desc, a, b, full, steps, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    for step in range(0, steps):
        tle.gpu.copy(a_desc, a.slot(step % 2), [M, K], [0, step * K], barrier=full[step % 2])
        tle.gpu.copy(b_desc, b.slot(step % 2), [K, N], [step * K, 0], barrier=full[step % 2])


@triton.jit
def tma_epilogue(a_desc, b_desc, out, steps, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WARPS: tl.constexpr):
    """A product of up to two steps by a worker of WARPS warps, stored through shared memory by TMA; ragged edges are not written."""
    a = tle.gpu.alloc([2, M, K], a_desc.dtype)
    b = tle.gpu.alloc([2, K, N], b_desc.dtype)
    staging = tle.gpu.alloc([M, N], out.dtype)
    full = tle.gpu.alloc_barriers(2, expect_bytes=(M + N) * K * 2)
    tle.gpu.warp_specialize([
        (loading_producer, (a_desc, b_desc, a, b, full, steps, M, N, K)),
        (multiplying_consumer, (out, a, b, staging, full, steps, M, N)),
    ], [WARPS], [168])


@triton.jit
def storing_worker(dst, buffer, blocks, ROWS: tl.constexpr, COLS: tl.constexpr):
    for block in range(0, blocks):
        buffer.store(tl.full([ROWS, COLS], 1.0, tl.float32) * block)
        tle.gpu.copy(buffer, dst, [ROWS, COLS], [block * ROWS, 0])


@triton.jit
def tma_stores_in_a_loop(out, blocks, WARPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One staging buffer, written again while the store before may still read it."""
    buffer = tle.gpu.alloc([ROWS, COLS], tl.float32)
    tle.gpu.warp_specialize([(nothing, ()), (storing_worker, (out, buffer, blocks, ROWS, COLS))], [WARPS], [64])


@triton.jit
def pointing_worker(src, out, buffer, part, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    pointers = tle.gpu.local_ptr(buffer, (at, ))
    tl.store(pointers, tl.load(src + part * SIZE + at))
    tl.debug_barrier()
    reverse = tle.gpu.local_ptr(buffer, (SIZE - 1 - at, ))
    tl.store(out + part * SIZE + at, tl.load(reverse, mask=at % 2 == 0, other=-1))


@triton.jit
def pointers_in_workers(src, out, WARPS: tl.constexpr, SIZE: tl.constexpr):
    """Each partition turns a row around through a buffer of its own, by local_ptr, tl.store and tl.load."""
    first = tle.gpu.alloc([SIZE], src.dtype.element_ty, nv_mma_shared_layout=False)
    second = tle.gpu.alloc([SIZE], src.dtype.element_ty, nv_mma_shared_layout=False)
    tle.gpu.warp_specialize([
        (pointing_worker, (src, out, first, 0, SIZE)),
        (pointing_worker, (src, out, second, 1, SIZE)),
    ], [WARPS], [64])


@triton.jit
def dot_by_pointers(a_ptr, b_ptr, out, part, steps, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    acc = tl.zeros([M, N], tl.float32)
    for i in range(0, steps):
        acc = tl.dot(load_block(a_ptr, (part * steps + i) * M, M, K), load_block(b_ptr, i * K, K, N), acc)
    store_block(out, acc, part * M, M, N)


@triton.jit
def dots_by_pointers(a_ptr, b_ptr, out, steps, WARPS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Each partition multiplies what it loads itself, by tl.load and tl.dot."""
    tle.gpu.warp_specialize([
        (dot_by_pointers, (a_ptr, b_ptr, out, 0, steps, M, N, K)),
        (dot_by_pointers, (a_ptr, b_ptr, out, 1, steps, M, N, K)),
    ], [WARPS], [128])
