"""Attention, forward, at the speed of Hopper: one producer, consumers that take turns, a persistent grid.

    python examples/attention.py                                      # on a Hopper GPU: checked, TFLOP/s beside torch's own
    python examples/attention.py --causal --heads 16 --kv-heads 4 --dtype fp16

Without a GPU the kernel runs on the CPU under Triton's interpreter, which also looks for deadlocks and races.

Every block keeps working on tiles of BM = 64 * CONSUMERS queries of one head. The producer, a worker of one warp, brings
Q, K and V by TMA into rings of shared buffers; each consumer, a warp group, owns 64 of the queries. In a step a consumer starts
S = Q K^T of the next keys before O += P V of the last ones, and computes the softmax of S while O is still running. Named
barriers let the consumers start their products in turn, so that one computes a softmax while another's products run.
"""
from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import os
import sys
from typing import Any, NamedTuple

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import flagtree
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}

TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1e-2}
"""Relative Frobenius error allowed: the probabilities and the result are rounded to the dtype."""

ROWS = 64
"""Queries of one consumer: M of a WGMMA."""

WARPS = 4
"""Of each consumer: a warp group."""

PRODUCER_REGISTERS: tl.constexpr = tl.constexpr(32)
"""Of a thread of the producer's; what the consumers leave of the 512 of four threads, one in each quarter of the multiprocessor."""

LOG2_E = math.log2(math.e)

L2_BYTES = 32 << 20
"""Keys and values of a section of heads with a causal mask: little enough for the second-level cache."""

CAUSAL_ROUNDS = 2
"""Rounds of tiles that such a section has at most: in two, programs get as many long as short ones."""

SIMULATED_BLOCKS = 3
"""Blocks of a grid in Triton's interpreter: enough to share tiles, few enough to have several each."""


class Tile(NamedTuple):
    """How attention of one head size is cut: consumers, keys of a step, slots of the K and V rings, buffers for each
    consumer's Q, registers of a consumer's thread, whether consumers start their products in turn, and whether results have buffers of
    their own, from which they leave while the next tile begins."""

    consumers: int
    keys: int
    stages: int
    q_stages: int
    registers: int
    turns: bool
    apart: bool


TILES = {
    64: Tile(consumers=3, keys=128, stages=2, q_stages=2, registers=160, turns=True, apart=True),
    128: Tile(consumers=2, keys=128, stages=2, q_stages=2, registers=240, turns=True, apart=True),
    256: Tile(consumers=2, keys=64, stages=2, q_stages=1, registers=240, turns=True, apart=False),
}


@triton.jit
def tile_count(blocks, tiles):
    """Tiles of this program: tile_at(0), tile_at(1), ..."""
    rounds = tiles // blocks
    pid = tl.program_id(0)
    last = pid if rounds % 2 == 0 else blocks - 1 - pid
    return rounds + (last < tiles - rounds * blocks).to(tl.int32)


@triton.jit
def tile_at(turn, blocks, tiles_m, heads, section, BM: tl.constexpr):
    """(batch * heads + head, first query) of this program's tile number `turn`.

    Tiles are ordered by sections of `section` heads. In the last section the last queries, which have most keys under a causal mask, come
    first; in the one before they come last, and so on, so that long follows long from one section to the next. Programs take tiles forth and
    back, so that who began with the longest tile of a round ends with the shortest of the next.
    """
    pid = tl.program_id(0)
    tile = turn * blocks + (pid if turn % 2 == 0 else blocks - 1 - pid)
    index = tile // (section * tiles_m)
    first = index * section
    rest = tile - first * tiles_m
    width = tl.maximum(tl.minimum(section, heads - first), 1)  # behind the last tile nothing is left
    row = rest // width
    if (tl.cdiv(heads, section) - index) % 2 == 1:
        row = tiles_m - 1 - row
    return first + rest % width, row * BM


@triton.jit
def sequence(cu_ptr, batch, length, VARLEN: tl.constexpr):
    """(first row, rows) of a sequence."""
    if VARLEN:
        start = tl.load(cu_ptr + batch)
        return start, tl.load(cu_ptr + batch + 1) - start
    else:
        return 0, length


@triton.jit
def tile_of(turn, lengths, BM: tl.constexpr, VARLEN: tl.constexpr):
    """This program's tile number `turn`: batch, head, first query, first row and rows of the queries, first row and rows of the keys."""
    cu_q_ptr, cu_k_ptr, batches, heads, shared_heads, queries, keys, tiles_m, section = lengths
    pair, first = tile_at(turn, tl.num_programs(0), tiles_m, batches * heads, section, BM)
    batch = tl.minimum(pair // heads, batches - 1)  # so that the number behind the last tile reads lengths that are there
    q_start, q_rows = sequence(cu_q_ptr, batch, queries, VARLEN)
    k_start, k_rows = sequence(cu_k_ptr, batch, keys, VARLEN)
    return batch, pair % heads, first, q_start, q_rows, k_start, k_rows


@triton.jit
def key_steps(first_query, queries, keys, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Steps of BM queries, at least one; the last ones have keys that the mask hides."""
    if CAUSAL:
        seen = tl.minimum(keys, first_query + BM + keys - queries)
    else:
        seen = keys
    return tl.maximum(tl.cdiv(seen, BN), 1)


@triton.jit
def load_rows(desc, buffer, ready, batch, head, start, rows, row, N: tl.constexpr, D: tl.constexpr, VARLEN: tl.constexpr):
    """Start the copy of N rows from `row` of one head of a sequence of `rows` rows; rows outside arrive as zeros."""
    if VARLEN:
        tle.gpu.copy(desc, buffer, [N, D], [2**30, start + rows, head, 2**30 - rows + row, 0], barrier=ready)
    else:
        tle.gpu.copy(desc, buffer, [N, D], [batch, head, row, 0], barrier=ready)


@triton.jit
def store_rows(buffer, desc, batch, head, start, rows, row, N: tl.constexpr, D: tl.constexpr, VARLEN: tl.constexpr):
    """Write N rows from `row` of one head of a sequence; rows outside are left out."""
    if VARLEN:
        tle.gpu.copy(buffer, desc, [N, D], [2**30, start + rows, head, 2**30 - rows + row, 0])
    else:
        tle.gpu.copy(buffer, desc, [N, D], [batch, head, row, 0])


@triton.jit
def producer(q_desc, k_desc, v_desc, rings, lengths, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CONSUMERS: tl.constexpr,
             STAGES: tl.constexpr, Q_STAGES: tl.constexpr, CAUSAL: tl.constexpr, VARLEN: tl.constexpr):
    """Bring Q, K and V of every tile, K and V from the last keys to the first."""
    q_smem, k_smem, v_smem, q_full, q_empty, k_full, k_empty, v_full, v_empty = rings
    cu_q_ptr, cu_k_ptr, batches, heads, shared_heads, queries, keys, tiles_m, section = lengths
    rows: tl.constexpr = BM // CONSUMERS
    step = 0
    done = 0
    for turn in range(0, tile_count(tl.num_programs(0), batches * heads * tiles_m)):
        batch, head, first, q_start, q_rows, k_start, k_rows = tile_of(turn, lengths, BM, VARLEN)
        if not VARLEN or first < q_rows:
            kv_head = head // shared_heads
            last = key_steps(first, q_rows, k_rows, BM, BN, CAUSAL) - 1
            for c in tl.static_range(CONSUMERS):
                slot = done % Q_STAGES * CONSUMERS + c
                tle.gpu.barrier_wait(q_empty[slot], phaseIdx=done // Q_STAGES)
                load_rows(q_desc, q_smem[slot], q_full[slot], batch, head, q_start, q_rows, first + c * rows, rows, D, VARLEN)
                if c == 0:
                    tle.gpu.barrier_wait(k_empty[step % STAGES], phaseIdx=step // STAGES)
                    load_rows(k_desc, k_smem[step % STAGES], k_full[step % STAGES], batch, kv_head, k_start, k_rows, last * BN, BN, D, VARLEN)
            for back in range(0, last):
                # K of the next step goes out before V of this one, as they are used
                ahead = step + 1
                tle.gpu.barrier_wait(k_empty[ahead % STAGES], phaseIdx=ahead // STAGES)
                load_rows(k_desc, k_smem[ahead % STAGES], k_full[ahead % STAGES], batch, kv_head, k_start, k_rows, (last - 1 - back) * BN, BN,
                          D, VARLEN)
                tle.gpu.barrier_wait(v_empty[step % STAGES], phaseIdx=step // STAGES)
                load_rows(v_desc, v_smem[step % STAGES], v_full[step % STAGES], batch, kv_head, k_start, k_rows, (last - back) * BN, BN, D, VARLEN)
                step = ahead
            tle.gpu.barrier_wait(v_empty[step % STAGES], phaseIdx=step // STAGES)
            load_rows(v_desc, v_smem[step % STAGES], v_full[step % STAGES], batch, kv_head, k_start, k_rows, 0, BN, D, VARLEN)
            step += 1
            done += 1


@triton.jit
def mask(first_key, first_query, queries, keys, ROWS: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """What S = Q K^T starts from: 0, and -inf where a query does not see a key."""
    columns = tl.arange(0, BN)
    if CAUSAL:
        seen = tl.minimum(keys, first_query + 1 + keys - queries + tl.arange(0, ROWS))
        columns += first_key
    else:
        # The minimum is `keys`. A mask that is the same for all tiles would be kept in registers.
        seen = tl.zeros([ROWS], tl.int32) + (tl.minimum(keys, first_query + keys) - first_key)
    return tl.where(columns[None, :] < seen[:, None], 0.0, float("-inf"))


@triton.jit
def rows_of(turn, lengths, CID: tl.constexpr, CONSUMERS: tl.constexpr, ROWS: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
            VARLEN: tl.constexpr):
    """tile_of() for one consumer, and of its queries: the last step in which one of them sees a key, and the last step but for which
    all see all keys from 0 on."""
    batch, head, first, q_start, q_rows, k_start, k_rows = tile_of(turn, lengths, CONSUMERS * ROWS, VARLEN)
    row = first + CID * ROWS
    begin = key_steps(row, q_rows, k_rows, ROWS, BN, CAUSAL) - 1
    if CAUSAL:
        whole = row + 1 + k_rows - q_rows  # keys that all of the queries see, if there are so many
        last = tl.minimum(begin, tl.maximum(tl.minimum(whole, k_rows), 0) // BN)
    else:
        last = begin
    return batch, head, first, q_start, q_rows, k_rows, begin, last


@triton.jit
def weigh(s, biggest, scale, BLIND: tl.constexpr):
    """exp2((s - new) * scale), the new maximum of each row, and the factor for what was summed up under the old one. BLIND: there
    may be rows that have seen no key yet."""
    new = tl.maximum(biggest, tl.max(s, 1))
    scaled = new * scale
    if BLIND:
        scaled = tl.where(new == float("-inf"), 0.0, scaled)
    return tl.exp2(s * scale - scaled[:, None]), new, tl.exp2(biggest * scale - scaled)


@triton.jit
def lane_sums(weights):
    """Sums over the columns of equal number modulo 8, rows x 8: what one thread of a WGMMA result has of a row. Threads exchange
    nothing until a tile is complete."""
    return tl.sum(tl.reshape(weights, [weights.shape[0], weights.shape[1] // 8, 8]), 1)


@triton.jit
def scores(q, k_smem, k_full, k_empty, step, start, STAGES: tl.constexpr):
    """S = start + Q K^T of the keys of `step`, waited for."""
    tle.gpu.barrier_wait(k_full[step % STAGES], phaseIdx=step // STAGES)
    s = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(q, k_smem[step % STAGES], start, trans_b=True))
    tle.gpu.barrier_arrive(k_empty[step % STAGES], phaseIdx=step // STAGES)
    return s


@triton.jit
def skip(k_full, k_empty, v_full, v_empty, turns, step, CID: tl.constexpr, CONSUMERS: tl.constexpr, STAGES: tl.constexpr, TURNS: tl.constexpr):
    """Release keys and values of which none of the consumer's queries sees one."""
    slot = step % STAGES
    use = step // STAGES
    if TURNS:
        tle.gpu.barrier_wait(turns[CID])
        tle.gpu.barrier_arrive(turns[(CID + 1) % CONSUMERS])
    tle.gpu.barrier_wait(k_full[slot], phaseIdx=use)
    tle.gpu.barrier_arrive(k_empty[slot], phaseIdx=use)
    tle.gpu.barrier_wait(v_full[slot], phaseIdx=use)
    tle.gpu.barrier_arrive(v_empty[slot], phaseIdx=use)


@triton.jit
def advance_hidden(q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turns, step, acc, biggest, total, scale, start,
                   CID: tl.constexpr, CONSUMERS: tl.constexpr, STAGES: tl.constexpr, TURNS: tl.constexpr):
    """One step of keys that the mask hides from some queries, but for the last such step of a tile."""
    slot = step % STAGES
    if TURNS:
        tle.gpu.barrier_wait(turns[CID])
        tle.gpu.barrier_arrive(turns[(CID + 1) % CONSUMERS])
    s = scores(q, k_smem, k_full, k_empty, step, start, STAGES)
    weights, biggest, shrink = weigh(s, biggest, scale, True)
    total = total * shrink[:, None] + lane_sums(weights)
    tle.gpu.barrier_wait(v_full[slot], phaseIdx=step // STAGES)
    acc = tle.gpu.wgmma_wait(0, tle.gpu.wgmma(weights.to(v_smem.dtype), v_smem[slot], acc * shrink[:, None]))
    tle.gpu.barrier_arrive(v_empty[slot], phaseIdx=step // STAGES)
    return acc, biggest, total


@triton.jit
def advance(q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turns, step, p, acc, biggest, total, scale, CID: tl.constexpr,
            CONSUMERS: tl.constexpr, STAGES: tl.constexpr, TURNS: tl.constexpr):
    """Scores of step + 1, whose keys all queries see, while the weights of `step` meet their values."""
    slot = step % STAGES
    ahead = (step + 1) % STAGES
    tle.gpu.barrier_wait(k_full[ahead], phaseIdx=(step + 1) // STAGES)
    if TURNS:
        tle.gpu.barrier_wait(turns[CID])
    s = tle.gpu.wgmma(q, k_smem[ahead], trans_b=True)
    tle.gpu.barrier_wait(v_full[slot], phaseIdx=step // STAGES)
    acc = tle.gpu.wgmma(p, v_smem[slot], acc)
    if TURNS:
        tle.gpu.barrier_arrive(turns[(CID + 1) % CONSUMERS])
    s = tle.gpu.wgmma_wait(1, s)
    tle.gpu.barrier_arrive(k_empty[ahead], phaseIdx=(step + 1) // STAGES)
    weights, biggest, shrink = weigh(s, biggest, scale, False)
    total = total * shrink[:, None] + lane_sums(weights)
    p = weights.to(p.dtype)
    acc = tle.gpu.wgmma_wait(0, acc)
    tle.gpu.barrier_arrive(v_empty[slot], phaseIdx=step // STAGES)
    return p, acc * shrink[:, None], biggest, total


@triton.jit
def consumer(rings, lengths, outputs, o_smem, turns, scale, CID: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
             CONSUMERS: tl.constexpr, STAGES: tl.constexpr, Q_STAGES: tl.constexpr, CAUSAL: tl.constexpr, VARLEN: tl.constexpr,
             RAGGED: tl.constexpr, TURNS: tl.constexpr, APART: tl.constexpr):
    """64 of the queries of every tile."""
    q_smem, k_smem, v_smem, q_full, q_empty, k_full, k_empty, v_full, v_empty = rings
    cu_q_ptr, cu_k_ptr, batches, heads, shared_heads, queries, keys, tiles_m, section = lengths
    o_desc, lse_ptr, lse_stride = outputs
    rows: tl.constexpr = BM // CONSUMERS
    dtype: tl.constexpr = q_smem.dtype
    if TURNS and CID == CONSUMERS - 1:
        tle.gpu.barrier_arrive(turns[0])
    step = 0
    done = 0
    batch, head, first, q_start, q_rows, k_rows, begin, last = rows_of(0, lengths, CID, CONSUMERS, rows, BN, CAUSAL, VARLEN)
    for turn in range(0, tile_count(tl.num_programs(0), batches * heads * tiles_m)):
        row = first + CID * rows
        if not VARLEN or first < q_rows:
            slot = done % Q_STAGES * CONSUMERS + CID
            q = q_smem[slot]
            tle.gpu.barrier_wait(q_full[slot], phaseIdx=done // Q_STAGES)
            biggest = tl.full([rows], float("-inf"), tl.float32)
            total = tl.zeros([rows, 8], tl.float32)
            acc = tl.zeros([rows, D], tl.float32)
            if CAUSAL:
                for _ in range(begin, key_steps(first, q_rows, k_rows, BM, BN, CAUSAL) - 1):
                    skip(k_full, k_empty, v_full, v_empty, turns, step, CID, CONSUMERS, STAGES, TURNS)
                    step += 1
                for back in range(0, begin - last):
                    acc, biggest, total = advance_hidden(q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turns, step, acc, biggest, total, scale,
                                                         mask((begin - back) * BN, row, q_rows, k_rows, rows, BN, CAUSAL), CID, CONSUMERS, STAGES, TURNS)
                    step += 1

            start = mask(last * BN, row, q_rows, k_rows, rows, BN, CAUSAL) if CAUSAL or VARLEN or RAGGED else None
            s = scores(q, k_smem, k_full, k_empty, step, start, STAGES)
            weights, biggest, shrink = weigh(s, biggest, scale, CAUSAL or VARLEN)
            if CAUSAL:
                total = total * shrink[:, None]
                if begin > last:
                    acc = acc * shrink[:, None]
            total += lane_sums(weights)
            p = weights.to(dtype)

            for _ in range(0, last):
                p, acc, biggest, total = advance(q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turns, step, p, acc, biggest, total, scale,
                                                 CID, CONSUMERS, STAGES, TURNS)
                step += 1

            if APART:
                tle.gpu.barrier_arrive(q_empty[slot], phaseIdx=done // Q_STAGES)
            tle.gpu.barrier_wait(v_full[step % STAGES], phaseIdx=step // STAGES)
            acc = tle.gpu.wgmma(p, v_smem[step % STAGES], acc)
            next_batch, next_head, first, next_start, next_rows, k_rows, begin, last = rows_of(  # while the product runs
                turn + 1, lengths, CID, CONSUMERS, rows, BN, CAUSAL, VARLEN)
            acc = tle.gpu.wgmma_wait(0, acc)
            tle.gpu.barrier_arrive(v_empty[step % STAGES], phaseIdx=step // STAGES)
            step += 1

            total = tl.sum(total, 1)
            if CAUSAL or VARLEN:
                acc = acc * tl.where(total > 0, 1 / total, 0.0)[:, None]  # zeros for a query that sees no key
            else:
                acc = acc * (1 / total)[:, None]
            result = o_smem if APART else q  # Q is not read any more
            result.store(acc.to(dtype))
            store_rows(result, o_desc, batch, head, q_start, q_rows, row, rows, D, VARLEN)
            if not APART:
                tle.gpu.barrier_arrive(q_empty[slot], phaseIdx=done // Q_STAGES)
            done += 1
            if VARLEN:
                lse = lse_ptr + head.to(tl.int64) * lse_stride + q_start
            else:
                lse = lse_ptr + (batch * heads + head).to(tl.int64) * lse_stride
            offsets = row + tl.arange(0, rows)
            tl.store(lse + offsets, (biggest * scale + tl.log2(total)) * 0.6931471805599453, mask=offsets < q_rows)
        else:
            next_batch, next_head, first, next_start, next_rows, k_rows, begin, last = rows_of(
                turn + 1, lengths, CID, CONSUMERS, rows, BN, CAUSAL, VARLEN)
        batch = next_batch
        head = next_head
        q_start = next_start
        q_rows = next_rows
    if TURNS and CID == 0:
        tle.gpu.barrier_wait(turns[0])  # the arrival before the first turn is still there


@triton.jit(do_not_specialize=["cu_q_ptr", "cu_k_ptr", "batches", "heads", "shared_heads", "queries", "keys", "tiles_m", "section", "lse_stride"])
def attention_kernel(q_desc, k_desc, v_desc, o_desc, lse_ptr, cu_q_ptr, cu_k_ptr, batches, heads, shared_heads, queries, keys, tiles_m,
                     section, lse_stride, scale, BN: tl.constexpr, D: tl.constexpr, CONSUMERS: tl.constexpr, STAGES: tl.constexpr,
                     Q_STAGES: tl.constexpr, REGISTERS: tl.constexpr, TURNS: tl.constexpr, APART: tl.constexpr, CAUSAL: tl.constexpr,
                     VARLEN: tl.constexpr, RAGGED: tl.constexpr):
    """softmax(Q K^T * scale / log2(e)) V and the logarithm of its denominator, for all heads of all sequences."""
    rows: tl.constexpr = 64
    BM: tl.constexpr = rows * CONSUMERS
    dtype: tl.constexpr = q_desc.dtype
    q_smem = tle.gpu.alloc([Q_STAGES * CONSUMERS, rows, D], dtype)
    k_smem = tle.gpu.alloc([STAGES, BN, D], dtype)
    v_smem = tle.gpu.alloc([STAGES, BN, D], dtype)
    o_0 = tle.gpu.alloc([rows, D], dtype) if APART else q_smem  # one by one: a buffer of one consumer alone can be waited for late
    o_1 = tle.gpu.alloc([rows, D], dtype) if APART else q_smem
    o_2 = tle.gpu.alloc([rows, D], dtype) if APART and CONSUMERS == 3 else q_smem
    q_full = tle.gpu.alloc_barriers(Q_STAGES * CONSUMERS, expect_bytes=rows * D * 2)
    q_empty = tle.gpu.alloc_barriers(Q_STAGES * CONSUMERS, init=tle.gpu.READY)
    k_full = tle.gpu.alloc_barriers(STAGES, expect_bytes=BN * D * 2)
    k_empty = tle.gpu.alloc_barriers(STAGES, arrive_count=CONSUMERS, init=tle.gpu.READY)
    v_full = tle.gpu.alloc_barriers(STAGES, expect_bytes=BN * D * 2)
    v_empty = tle.gpu.alloc_barriers(STAGES, arrive_count=CONSUMERS, init=tle.gpu.READY)
    turns = tle.gpu.alloc_barriers(CONSUMERS, arrive_count=256)
    rings = (q_smem, k_smem, v_smem, q_full, q_empty, k_full, k_empty, v_full, v_empty)
    lengths = (cu_q_ptr, cu_k_ptr, batches, heads, shared_heads, queries, keys, tiles_m, section)
    outputs = (o_desc, lse_ptr, lse_stride)
    if CONSUMERS == 2:
        tle.gpu.warp_specialize([
            (consumer, (rings, lengths, outputs, o_0, turns, scale, 0, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN, RAGGED, TURNS, APART)),
            (consumer, (rings, lengths, outputs, o_1, turns, scale, 1, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN, RAGGED, TURNS, APART)),
            (producer, (q_desc, k_desc, v_desc, rings, lengths, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN)),
        ], [4, 1], [REGISTERS, PRODUCER_REGISTERS])
    else:
        tle.gpu.warp_specialize([
            (consumer, (rings, lengths, outputs, o_0, turns, scale, 0, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN, RAGGED, TURNS, APART)),
            (consumer, (rings, lengths, outputs, o_1, turns, scale, 1, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN, RAGGED, TURNS, APART)),
            (consumer, (rings, lengths, outputs, o_2, turns, scale, 2, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN, RAGGED, TURNS, APART)),
            (producer, (q_desc, k_desc, v_desc, rings, lengths, BM, BN, D, CONSUMERS, STAGES, Q_STAGES, CAUSAL, VARLEN)),
        ], [4, 4, 1], [REGISTERS, REGISTERS, PRODUCER_REGISTERS])


Layout = tuple[tuple[int, ...], tuple[int, ...]]
"""Shape and strides, in elements."""


class Variant(NamedTuple):
    """What the kernel is compiled for; no device under the interpreter."""

    device: int | None
    dtype: torch.dtype
    size: int
    tile: Tile
    causal: bool
    varlen: bool
    ragged: bool


def constants(variant: Variant) -> dict[str, Any]:
    """Compile-time arguments of the kernel, in its order."""
    tile = variant.tile
    return {
        "BN": tile.keys, "D": variant.size, "CONSUMERS": tile.consumers, "STAGES": tile.stages, "Q_STAGES": tile.q_stages,
        "REGISTERS": tile.registers, "TURNS": tile.turns, "APART": tile.apart, "CAUSAL": variant.causal, "VARLEN": variant.varlen, "RAGGED": variant.ragged
    }


def _descriptor(base: torch.Tensor, layout: Layout, rows: int) -> TensorDescriptor:
    """As Triton's front end and the simulator take it: for blocks of `rows` whole rows."""
    shape, strides = layout
    return TensorDescriptor(base, list(shape), list(strides), [1] * (len(shape) - 2) + [rows, shape[-1]])


@functools.cache
def most_blocks(device: int | None) -> int:
    """Blocks of a grid: one for each multiprocessor."""
    return SIMULATED_BLOCKS if device is None else driver.active.utils.get_device_properties(device)["multiprocessor_count"]


@functools.cache
def compiled(variant: Variant) -> flagtree.Launcher:
    """The launcher of the compiled kernel. The variant's device must be the current one."""
    size, rank = variant.size, 5 if variant.varlen else 4
    base = torch.empty((1, size), dtype=variant.dtype, device=f"cuda:{variant.device}")
    layout = (1, ) * (rank - 1) + (size, ), (size, ) * (rank - 1) + (1, )
    q, keys = _descriptor(base, layout, ROWS), _descriptor(base, layout, variant.tile.keys)
    lse = torch.empty(1, device=base.device)
    kernel = attention_kernel.warmup(q, keys, keys, q, lse, lse.int(), lse.int(), *[0] * 8, 1.0, **constants(variant), grid=(1, ), num_warps=WARPS)
    return flagtree.Launcher(kernel)


class Geometry(NamedTuple):
    """A tensor without its address. Plans are looked up by plain tuples of these, which are made in less time."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device


def _geometry(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.shape, tensor.stride(), tensor.dtype, tensor.device


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """A call without its addresses: what is allocated, layouts of q, k, v and the result for TMA, rows of the keys in memory, tiles to compute,
    and the other arguments of the kernel."""

    variant: Variant
    result: Layout
    lse: Layout
    descriptors: tuple[Layout, Layout, Layout, Layout]
    keys: int
    tiles: int
    numbers: tuple[Any, ...]

    @property
    def grid(self) -> tuple[int, int, int]:
        return min(most_blocks(self.variant.device), self.tiles), 1, 1

    @functools.cached_property
    def launch(self) -> functools.partial[None]:
        """To be called with the kernel's arguments while the variant's device is the current one."""
        return compiled(self.variant)[self.grid]


@functools.lru_cache(maxsize=1024)
def dense_plan(q: tuple[Any, ...], k: tuple[Any, ...], v: tuple[Any, ...], causal: bool, scale: float | None, tile: Tile | None) -> Plan:
    """Check the tensors and lay them out for TMA. ValueError says what does not fit."""
    q, k, v = Geometry(*q), Geometry(*k), Geometry(*v)
    _check(q, k, v, "batch x length x heads x D")
    batch, length, heads, _ = q.shape
    layouts = (_dense(*q[:2]), _dense(*k[:2]), _dense(*v[:2]), _dense(q.shape, _contiguous(q.shape)))
    return _plan(q, k, causal, scale, tile, False, layouts, (batch, heads, length), batch, length, k.shape[1])


@functools.lru_cache(maxsize=1024)
def varlen_plan(q: tuple[Any, ...], k: tuple[Any, ...], v: tuple[Any, ...], cu_q: tuple[Any, ...], cu_k: tuple[Any, ...], queries: int, keys: int,
                causal: bool, scale: float | None, tile: Tile | None) -> Plan:
    """As dense_plan; `queries` and `keys` are the largest lengths."""
    q, k, v, cu_q, cu_k = Geometry(*q), Geometry(*k), Geometry(*v), Geometry(*cu_q), Geometry(*cu_k)
    _check(q, k, v, "total x heads x D")
    if max(q.shape[0], k.shape[0]) > 2**30:
        raise ValueError(f"attention_varlen takes up to 2**30 rows, got {q.shape[0]} and {k.shape[0]}")
    for name, cu in (("cu_seqlens_q", cu_q), ("cu_seqlens_k", cu_k)):
        if cu.dtype != torch.int32 or len(cu.shape) != 1 or cu.shape[0] < 2 or cu.strides != (1, ) or cu.device != q.device:
            raise ValueError(f"{name} must be int32, contiguous, one number more than there are sequences, on {q.device}, "
                             f"got {cu.dtype}, shape {tuple(cu.shape)}, strides {cu.strides} on {cu.device}")
    batches = cu_q.shape[0] - 1
    if cu_k.shape[0] != batches + 1:
        raise ValueError(f"cu_seqlens_q and cu_seqlens_k must be of one length, got {batches + 1} and {cu_k.shape[0]}")
    if queries < 0 or keys < 0:
        raise ValueError(f"max_seqlen_q and max_seqlen_k must not be negative, got {queries} and {keys}")
    total, heads, _ = q.shape
    layouts = (_packed(*q[:2]), _packed(*k[:2]), _packed(*v[:2]), _packed(q.shape, _contiguous(q.shape)))
    return _plan(q, k, causal, scale, tile, True, layouts, (heads, total), batches, queries, max(keys, 1))


def _check(q: Geometry, k: Geometry, v: Geometry, dims: str) -> None:
    tensors = {"q": q, "k": k, "v": v}
    rank = dims.count("x") + 1
    if len(q.shape) != rank or len(k.shape) != rank or k.shape != v.shape or q.shape[-1] != k.shape[-1] or q.shape[:rank - 3] != k.shape[:rank - 3]:
        raise ValueError(f"attention takes {dims}, K and V of one shape, got shapes {', '.join(str(tuple(t.shape)) for t in tensors.values())}")
    if len({(t.dtype, t.device) for t in tensors.values()}) != 1 or q.dtype not in TOLERANCE:
        raise ValueError(f"attention takes float16 or bfloat16 on one device, got {', '.join(f'{t.dtype} on {t.device}' for t in tensors.values())}")
    if q.device.type != "cuda" and not triton.knobs.runtime.interpret:
        raise ValueError(f"attention takes tensors on a Hopper GPU, or on the CPU under TRITON_INTERPRET=1, got {q.device}")
    size, heads, kv_heads = q.shape[-1], q.shape[-2], k.shape[-2]
    if size not in TILES:
        raise ValueError(f"attention takes rows of {', '.join(map(str, TILES))} elements, got {size}")
    if not kv_heads or heads % kv_heads:
        raise ValueError(f"the heads of Q must be a multiple of those of K and V, got {heads} and {kv_heads}")
    for name, t in tensors.items():
        outer = [(extent, stride) for extent, stride in zip(t.shape[:-1], t.strides[:-1], strict=True) if extent > 1]
        if t.strides[-1] != 1 or any(stride % 8 or not 0 < stride < 2**34 for _, stride in outer):
            raise ValueError(f"{name} must have contiguous rows that begin at multiples of 16 bytes, got strides {t.strides}; {name}.contiguous() has")


def _plan(q: Geometry, k: Geometry, causal: bool, scale: float | None, tile: Tile | None, varlen: bool,
          layouts: tuple[Layout, Layout, Layout, Layout], lse_shape: tuple[int, ...], batches: int, queries: int, keys: int) -> Plan:
    """For `batches` sequences of up to `queries` and `keys` rows; the tensors have been checked."""
    size, heads, shared_heads, rows = q.shape[-1], q.shape[-2], q.shape[-2] // k.shape[-2], k.shape[-3]
    if scale is None:
        scale = size**-0.5
    if not 0 < scale < math.inf:
        raise ValueError(f"softmax_scale must be positive and finite, got {scale}")
    tile = tile or TILES[size]
    if tile.consumers not in (2, 3):
        raise ValueError(f"attention takes a tile of 2 or 3 consumers, got {tile.consumers}")
    tiles_m = -(-queries // (ROWS * tile.consumers)) if rows and q.shape[-3] else 0
    tiles = tiles_m * batches * heads
    if tiles >= 2**31:
        raise ValueError(f"attention takes less than 2**31 tiles of {ROWS * tile.consumers} queries, got {tiles}")
    section = 1  # so that blocks read the same keys at the same time
    if causal and tiles:
        section = section_heads(batches * heads, shared_heads, tiles_m, 4 * max(keys, 1) * size, most_blocks(q.device.index))
    numbers = (batches, heads, shared_heads, queries, keys, tiles_m, section, lse_shape[-1], scale * LOG2_E)
    variant = Variant(q.device.index, q.dtype, size, tile, causal, varlen, varlen or rows % tile.keys != 0)
    result, lse = (tuple(q.shape), _contiguous(q.shape)), (lse_shape, _contiguous(lse_shape))
    return Plan(variant, result, lse, layouts, rows, tiles, numbers + tuple(constants(variant).values()))


def section_heads(heads: int, shared_heads: int, tiles_m: int, head_bytes: int, blocks: int) -> int:
    """Heads of a section with a causal mask, of `heads` with `tiles_m` tiles each; `head_bytes`: of keys and values that `shared_heads` heads share."""
    most = max(1, min(L2_BYTES * shared_heads // head_bytes, CAUSAL_ROUNDS * blocks // tiles_m))
    return -(-heads // -(-heads // most))  # of nearly one width: a narrow last one gives its long tiles to few programs


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[dim + 1:]) for dim in range(len(shape)))


def _dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> Layout:
    """batch x length x heads x D as batch, head, row, element. TMA wants good strides of dimensions of one element, too."""
    batch, length, heads, size = shape
    a, b, c, _ = strides
    return (batch, heads, length, size), (a if batch > 1 else size, c if heads > 1 else size, b if length > 1 else size, 1)


def _packed(shape: tuple[int, ...], strides: tuple[int, ...]) -> Layout:
    """total x heads x D, so that a sequence has bounds of its own.

    Coordinates (2**30, end, head, 2**30 - length + row, element): the strides of the first two dimensions and of the rows add
    up to (end - length + row) * stride + 2**64 * 2 bytes, and the row is outside of the tensor from `length` on. This is how
    triton.tools.ragged_tma does it, with the heads in between.
    """
    total, heads, size = shape
    row, head, _ = strides
    row = row if total > 1 else size
    return (0x7fff0000, 0x7fff0000, heads, 2**30, size), (2**34 - row, row, head if heads > 1 else size, row, 1)


def _run(plan: Plan, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu: tuple[torch.Tensor, ...],
         return_lse: bool) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    if (q.data_ptr() | k.data_ptr() | v.data_ptr()) % 16:
        raise ValueError(f"attention takes tensors that begin at multiples of 16 bytes, got {', '.join(hex(t.data_ptr()) for t in (q, k, v))}")
    out = q.new_empty_strided(*plan.result)
    lse = q.new_empty_strided(*plan.lse, dtype=torch.float32)
    if plan.tiles:
        _launch(plan, q, k, v, out, lse, *(cu or (lse, lse)))
    elif not plan.keys:
        out.zero_()
        lse.fill_(-math.inf)
    return (out, lse) if return_lse else out


def _launch(plan: Plan, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, out: torch.Tensor, lse: torch.Tensor, cu_q: torch.Tensor,
            cu_k: torch.Tensor) -> None:
    device = plan.variant.device
    if device is None:
        blocks = (ROWS, plan.variant.tile.keys, plan.variant.tile.keys, ROWS)
        descriptors = [_descriptor(*of) for of in zip((q, k, v, out), plan.descriptors, blocks, strict=True)]
        attention_kernel[plan.grid](*descriptors, lse, cu_q, cu_k, *plan.numbers, num_warps=WARPS)
    elif device != torch.cuda.current_device():
        with torch.cuda.device(device):
            _launch(plan, q, k, v, out, lse, cu_q, cu_k)
    else:
        of_q, of_k, of_v, of_out = plan.descriptors
        plan.launch((q.data_ptr(), *of_q, "zero"), (k.data_ptr(), *of_k, "zero"), (v.data_ptr(), *of_v, "zero"), (out.data_ptr(), *of_out, "zero"),
                    lse.data_ptr(), cu_q.data_ptr(), cu_k.data_ptr(), *plan.numbers)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False, softmax_scale: float | None = None,
              return_lse: bool = False, tile: Tile | None = None) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """softmax(Q K^T * softmax_scale) V for each head; on a Hopper GPU, or on the CPU under TRITON_INTERPRET=1.

    q: batch x queries x heads x D; k, v: batch x keys x kv_heads x D; float16 or bfloat16; D of 64, 128 or 256; any lengths. `heads` is a
    multiple of `kv_heads`: query head h reads head h // (heads / kv_heads). Rows are contiguous and 16-byte aligned; other strides are free.
    causal: query i sees the keys up to i + keys - queries, so that the last query sees all. softmax_scale: 1 / sqrt(D) if not given.
    tile: for tuning; TILES[D] if not given.

    The result is like q, contiguous. With return_lse also float32, batch x heads x queries: the natural logarithm of the sum of
    exp(score * softmax_scale). A query that sees no key gets zeros and -inf. Products are summed in float32, P is rounded to
    the dtype. Scores and values must be finite for queries that do not see them, too. Raises ValueError for tensors that do not match this.
    """
    plan = dense_plan(_geometry(q), _geometry(k), _geometry(v), causal, softmax_scale, tile)
    return _run(plan, q, k, v, (), return_lse)


def attention_varlen(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, cu_seqlens_q: torch.Tensor, cu_seqlens_k: torch.Tensor, max_seqlen_q: int,
                     max_seqlen_k: int, causal: bool = False, softmax_scale: float | None = None, return_lse: bool = False,
                     tile: Tile | None = None) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """attention() for sequences of different lengths, packed one after the other.

    q: total_q x heads x D; k, v: total_k x kv_heads x D. Sequence i has the rows cu_seqlens[i] to cu_seqlens[i + 1] - 1; cu_seqlens are
    int32, contiguous, on the same device, and are not looked at by the host: they must not decrease, start at 0, and end at most at the
    total. max_seqlen_q must be no less than the longest sequence of queries: rows past it are not computed. max_seqlen_k steers
    the order of work alone. The result is like q; with return_lse also float32, heads x total_q.
    """
    plan = varlen_plan(_geometry(q), _geometry(k), _geometry(v), _geometry(cu_seqlens_q), _geometry(cu_seqlens_k), max_seqlen_q, max_seqlen_k,
                       causal, softmax_scale, tile)
    return _run(plan, q, k, v, (cu_seqlens_q, cu_seqlens_k), return_lse)


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False,
              softmax_scale: float | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """What attention() with return_lse computes, in float64, head by head to save memory."""
    batches, queries, heads, size = q.shape
    keys, shared_heads = k.shape[1], heads // k.shape[2]
    scale = size**-0.5 if softmax_scale is None else softmax_scale
    hidden = torch.ones((queries, keys), dtype=torch.bool, device=q.device).triu(keys - queries + 1) if causal else None
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    lse = torch.empty((batches, heads, queries), dtype=torch.float64, device=q.device)
    for b in range(batches):
        for h in range(heads):
            scores = q[b, :, h].double() @ k[b, :, h // shared_heads].double().T * scale
            if hidden is not None:
                scores.masked_fill_(hidden, -math.inf)
            lse[b, h] = torch.logsumexp(scores, -1)
            weights = torch.exp(scores - torch.where(lse[b, h].isinf(), 0, lse[b, h])[:, None])
            out[b, :, h] = weights @ v[b, :, h // shared_heads].double()
    return out, lse


def relative_error(out: torch.Tensor, expected: torch.Tensor) -> float:
    """Frobenius norm of the difference over that of `expected`; the norm itself where `expected` is zero."""
    return float((out.double() - expected).norm() / (expected.norm() or 1.0))


def operations(batches: int, heads: int, queries: int, keys: int, size: int, causal: bool) -> int:
    """Multiplications and additions of both products, of the pairs that the mask leaves."""
    pairs = queries * keys
    if causal:
        seeing = min(queries, keys)  # the last queries; the first of them sees keys - seeing + 1 keys
        pairs = seeing * (keys - seeing) + seeing * (seeing + 1) // 2
    return 4 * batches * heads * size * pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    on_gpu = torch.cuda.is_available() and not triton.knobs.runtime.interpret
    parser.add_argument("--batch", type=int, default=4 if on_gpu else 1)
    parser.add_argument("--heads", type=int, default=16 if on_gpu else 2)
    parser.add_argument("--kv-heads", type=int, help="default: as many as heads")
    parser.add_argument("--queries", type=int, default=4096 if on_gpu else 200)
    parser.add_argument("--keys", type=int, help="default: as many as queries")
    parser.add_argument("--size", type=int, default=128, choices=TILES, help="D, elements of a row (default %(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16")
    parser.add_argument("--causal", action="store_true")
    options = parser.parse_args()
    device = "cuda" if on_gpu else "cpu"
    keys, kv_heads, dtype = options.keys or options.queries, options.kv_heads or options.heads, DTYPES[options.dtype]
    torch.manual_seed(0)
    q = torch.randn((options.batch, options.queries, options.heads, options.size), device=device).to(dtype)
    k, v = (torch.randn((options.batch, keys, kv_heads, options.size), device=device).to(dtype) for _ in range(2))
    out, lse = attention(q, k, v, causal=options.causal, return_lse=True)
    expected, expected_lse = reference(q, k, v, options.causal)
    error = relative_error(out, expected)
    print(f"attention of {options.batch} x {options.heads} heads ({kv_heads} of K and V), {options.queries} x {keys} x {options.size}, "
          f"{options.dtype}{', causal' if options.causal else ''}: relative error {error:.2e} (allowed {TOLERANCE[dtype]:.0e}), "
          f"largest error of the logarithm {float((lse - expected_lse).nan_to_num().abs().max()):.1e}")
    if not error <= TOLERANCE[dtype]:
        sys.exit("the result is wrong")
    if not on_gpu:
        return
    work = operations(options.batch, options.heads, options.queries, keys, options.size, options.causal)
    functions = {"this kernel": lambda: attention(q, k, v, causal=options.causal)}
    if not options.causal or options.queries == keys:  # torch aligns its mask at the first key
        functions["torch"] = lambda: torch.nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=options.causal, enable_gqa=kv_heads != options.heads)
    for name, function in functions.items():
        print(f"  {name:<12} {1e-9 * work / triton.testing.do_bench_cudagraph(function, return_mode='median'):.0f} TFLOP/s")


if __name__ == "__main__":
    main()
