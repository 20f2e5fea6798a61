"""One broken kernel for each rule the simulator finds (docs/errors.md, rules D, R and U)."""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import flagtree
import numpy as np
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.simulator.errors import GridError, NotAKernelError, PageError, ParameterNameError, SchedulesError, SeedError

from tests.simulator.samples import descriptor, gemm_load, produce_consume, ring_drain, ring_fill, run_ring_copy


def found(kernel, *args, schedules=8, first_seed=0, num_warps=4, grid=(1, )):
    """Rule -> its first finding in the first bad schedule."""
    report = flagtree.check(kernel, schedules, first_seed, progress=False)[grid](*args, num_warps=num_warps)
    assert report.error is None, report
    assert str(report) and json.loads(report.to_json())["ok"] == report.ok
    return {finding.rule: finding for finding in reversed(report.findings)}


# Deadlocks


@triton.jit
def wait_once(bars):
    tle.gpu.barrier_wait(bars[1], phaseIdx=0)


@triton.jit
def arrive_once(bars, SLOT: tl.constexpr):
    tle.gpu.barrier_arrive(bars[SLOT], phaseIdx=0)


@triton.jit
def never_arrived(SLOT: tl.constexpr):
    ready = tle.gpu.alloc_barriers(2)
    tle.gpu.warp_specialize([(wait_once, (ready, )), (arrive_once, (ready, SLOT))], [4], [168])


def test_never_arrived():
    assert not found(never_arrived, 1)
    deadlock = found(never_arrived, 0)["D1"]
    assert "wait_once (partition 0) waits at ready[1], where nothing ever arrived" in deadlock.message
    assert "arrive_once (partition 1) has ended" in deadlock.message
    [wait] = deadlock.waits
    assert (wait["barrier"], wait["slot"], wait["use"], wait["parity"], wait["complete"], wait["missing"]) == ("ready", 1, 0, 0, 0, 1)
    assert deadlock.places[0][1].text == "tle.gpu.barrier_wait(bars[1], phaseIdx=0)" and deadlock.places[0][1].function == "wait_once"


@triton.jit
def wait_for_the_count(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=0)


@triton.jit
def arrive_at(bar):
    tle.gpu.barrier_arrive(bar, phaseIdx=0)


@triton.jit
def count_too_large(COUNT: tl.constexpr):
    done = tle.gpu.alloc_barrier(arrive_count=COUNT)
    tle.gpu.warp_specialize([(wait_for_the_count, (done, )), (arrive_at, (done, )), (arrive_at, (done, ))], [4, 4], [168, 168])


def test_arrivals_missing():
    assert not found(count_too_large, 2)
    deadlock = found(count_too_large, 3)["D2"]
    assert "waits at done[0], whose phase has 2 of 3 arrivals" in deadlock.message


@triton.jit
def wait_for_use(bar, USE: tl.constexpr):
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=USE)


@triton.jit
def arrive_twice_in_turn(bar, other):
    tle.gpu.barrier_arrive(bar, phaseIdx=0)
    tle.gpu.barrier_wait(other, phaseIdx=0)
    tle.gpu.barrier_arrive(bar, phaseIdx=1)


@triton.jit
def let_go(bar, other):
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_arrive(other, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=1)
    tle.gpu.barrier_wait(bar, phaseIdx=0)


@triton.jit
def wrong_phase():
    done = tle.gpu.alloc_barrier()
    other = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(arrive_twice_in_turn, (done, other)), (let_go, (done, other))], [4], [168])


def test_wrong_phase():
    deadlock = found(wrong_phase)["D3"]
    assert "for use 0 (parity 0), but 2 phase(s) are complete" in deadlock.message


@triton.jit
def too_few_bytes(src, BYTES: tl.constexpr):
    buffer = tle.gpu.alloc([16, 32], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=BYTES)
    tle.gpu.copy(src, buffer, [16, 32], [0, 0], barrier=full)
    tle.gpu.barrier_wait(full, phaseIdx=0)


def test_bytes_missing():
    src = descriptor(torch.zeros(16, 32).half(), [16, 32])
    assert not found(too_few_bytes, src, 1024)
    deadlock = found(too_few_bytes, src, 1536)["D4"]
    assert "waits at full[0], which expects 1536 bytes and still misses 512" in deadlock.message


@triton.jit
def release_late(first, second):
    """The release comes after a barrier that the other side's wait gates."""
    tle.gpu.barrier_wait(first, phaseIdx=0)
    tle.gpu.barrier_arrive(second, phaseIdx=0)
    tle.gpu.barrier_wait(first, phaseIdx=1)
    tle.gpu.barrier_arrive(second, phaseIdx=1)


@triton.jit
def wait_first(first, second):
    tle.gpu.barrier_arrive(first, phaseIdx=0)
    tle.gpu.barrier_wait(second, phaseIdx=0)
    tle.gpu.barrier_wait(second, phaseIdx=1)
    tle.gpu.barrier_arrive(first, phaseIdx=1)


@triton.jit
def circle():
    full = tle.gpu.alloc_barrier()
    empty = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(release_late, (full, empty)), (wait_first, (full, empty))], [4], [168])


def test_circular_wait():
    deadlock = found(circle)["D5"]
    assert deadlock.cycle == ["release_late (partition 0)", "wait_first (partition 1)"]
    assert "release_late (partition 0) waits at full[0] -> wait_first (partition 1) waits at empty[0]" in deadlock.message
    assert {place.text for _, place in deadlock.places} == {
        "tle.gpu.barrier_wait(first, phaseIdx=1)", "tle.gpu.barrier_wait(second, phaseIdx=1)"}


@triton.jit
def rendezvous(bar, CID: tl.constexpr):
    if CID == 0:
        tle.gpu.barrier_arrive(bar)
    else:
        tle.gpu.barrier_wait(bar)


@triton.jit
def idle(bar):
    tle.gpu.barrier_wait(bar)


@triton.jit
def named(THREADS: tl.constexpr):
    meet = tle.gpu.alloc_barrier(arrive_count=THREADS)
    tle.gpu.warp_specialize([(nothing, ()), (rendezvous, (meet, 0)), (rendezvous, (meet, 1))], [4, 4], [168, 168])


@triton.jit
def nothing():
    pass


def test_named_threads_missing():
    assert not found(named, 256)
    deadlock = found(named, 384)["D6"]
    assert "waits at named barrier meet[0], where 256 of 384 threads have arrived" in deadlock.message


def test_named_thread_count():
    """The participants are known at run time only: too small a number."""
    finding = found(named, 128, schedules=8)["U6"]
    assert "named barrier meet[0] counts 128 threads" in finding.message


@triton.jit
def fill_less(src, dst, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    ring = tle.gpu.alloc([SLOTS, ROWS, COLS], tl.float16)
    empty = tle.gpu.alloc_barriers(SLOTS, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=ROWS * COLS * 2)
    tle.gpu.warp_specialize([
        (ring_fill, (src, ring, empty, full, tiles - 1, SLOTS, ROWS, COLS)),
        (ring_drain, (dst, ring, empty, full, tiles, SLOTS, ROWS, COLS)),
    ], [4], [168])


@triton.jit
def drain_less(src, dst, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    ring = tle.gpu.alloc([SLOTS, ROWS, COLS], tl.float16)
    empty = tle.gpu.alloc_barriers(SLOTS, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=ROWS * COLS * 2)
    tle.gpu.warp_specialize([
        (ring_fill, (src, ring, empty, full, tiles, SLOTS, ROWS, COLS)),
        (ring_drain, (dst, ring, empty, full, tiles - 1, SLOTS, ROWS, COLS)),
    ], [4], [168])


def test_one_use_too_many():
    src, dst = torch.zeros(80, 32).half(), torch.zeros(80, 32).half()
    deadlock = found(fill_less, descriptor(src, [16, 32]), dst, 5, 2, 16, 32)["D7"]
    assert "ring_drain (partition 1) waits at full[0]" in deadlock.message and "ring_fill (partition 0) has ended" in deadlock.message


def test_copy_never_awaited():
    src, dst = torch.zeros(80, 32).half(), torch.zeros(80, 32).half()
    finding = found(drain_less, descriptor(src, [16, 32]), dst, 5, 2, 16, 32)["U9"]
    assert "the last copies on full[0]: 3 use(s) are complete, 2 were waited for" in finding.message


# Races


@triton.jit
def store_row(buffer, bar, ARRIVE: tl.constexpr, VALUE: tl.constexpr):
    buffer.store(tl.full([64], VALUE, tl.float32))
    if ARRIVE:
        tle.gpu.barrier_arrive(bar, phaseIdx=0)


@triton.jit
def load_row(dst, buffer, bar, WAIT: tl.constexpr):
    if WAIT:
        tle.gpu.barrier_wait(bar, phaseIdx=0)
    tl.store(dst + tl.arange(0, 64), buffer.load())


@triton.jit
def write_then_read(dst, WAIT: tl.constexpr):
    row = tle.gpu.alloc([64], tl.float32)
    full = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(store_row, (row, full, True, 1.0)), (load_row, (dst, row, full, WAIT))], [4], [168])


def test_read_after_write():
    dst = torch.zeros(64)
    assert not found(write_then_read, dst, True)
    race = found(write_then_read, dst, False)["R1"]
    assert race.bytes == (0, 256) and "of row" in race.message
    assert [place.function for _, place in race.places] == ["store_row", "load_row"]


@triton.jit
def read_then_write(dst, ORDERED: tl.constexpr):
    row = tle.gpu.alloc([64], tl.float32, init_value=tl.zeros([64], tl.float32))
    read = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(load_and_tell, (dst, row, read)), (overwrite, (row, read, ORDERED))], [4], [168])


@triton.jit
def load_and_tell(dst, buffer, bar):
    tl.store(dst + tl.arange(0, 64), buffer.load())
    tle.gpu.barrier_arrive(bar, phaseIdx=0)


@triton.jit
def overwrite(buffer, bar, ORDERED: tl.constexpr):
    if ORDERED:
        tle.gpu.barrier_wait(bar, phaseIdx=0)
    tl.store(tle.gpu.local_ptr(buffer, (32 + tl.arange(0, 32), )), tl.full([32], 1.0, tl.float32))


def test_write_after_read():
    dst = torch.zeros(64)
    assert not found(read_then_write, dst, True)
    findings = found(read_then_write, dst, False)
    assert findings["R2"].bytes == (128, 256)


@triton.jit
def both_write(rendezvous_between: tl.constexpr):
    staging = tle.gpu.alloc([64], tl.float32)
    turn = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(store_row, (staging, turn, True, 1.0)), (store_after, (staging, turn, rendezvous_between))], [4], [168])


@triton.jit
def store_after(buffer, bar, WAIT: tl.constexpr):
    if WAIT:
        tle.gpu.barrier_wait(bar, phaseIdx=0)
    buffer.store(tl.full([64], 2.0, tl.float32))


def test_write_after_write():
    """Two consumers share one staging buffer in the epilogue without a rendezvous."""
    assert not found(both_write, True)
    race = found(both_write, False)["R3"]
    assert "both write bytes 0..255 of staging" in race.message


@triton.jit
def multiply_and_release(c, a_ring, b_ring, empty, full, row, col, width, steps, SLOTS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                         EARLY: tl.constexpr):
    acc = tl.zeros([BM, BN], tl.float32)
    for k in range(0, steps):
        slot = k % SLOTS
        tle.gpu.barrier_wait(full[slot], phaseIdx=k // SLOTS)
        acc = tle.gpu.wgmma(a_ring[slot], b_ring[slot], acc)
        if not EARLY:
            acc = tle.gpu.wgmma_wait(0, acc)
        tle.gpu.barrier_arrive(empty[slot], phaseIdx=k // SLOTS)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(c + tl.arange(0, BM)[:, None] * width + tl.arange(0, BN)[None, :], acc)


@triton.jit
def release_gemm(a, b, c, steps, EARLY: tl.constexpr):
    a_ring = tle.gpu.alloc([2, 64, 16], tl.float16)
    b_ring = tle.gpu.alloc([2, 16, 16], tl.float16)
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(2, expect_bytes=(64 * 16 + 16 * 16) * 2)
    tle.gpu.warp_specialize([
        (gemm_load, (a, b, a_ring, b_ring, empty, full, 0, 0, steps, 2, 64, 16, 16)),
        (multiply_and_release, (c, a_ring, b_ring, empty, full, 0, 0, 16, steps, 2, 64, 16, EARLY)),
    ], [4], [240])


def test_operand_overwritten():
    a, b, c = torch.randn(64, 64).half(), torch.randn(64, 16).half(), torch.zeros(64, 16)
    arguments = descriptor(a, [64, 16]), descriptor(b, [16, 16]), c, 4
    assert not found(release_gemm, *arguments, False)
    race = found(release_gemm, *arguments, True)["R4"]
    assert "WGMMA of multiply_and_release (partition 1)" in race.message
    assert race.places[0][1].text.startswith("acc = tle.gpu.wgmma(")


# Misuse


@triton.jit
def product(dst, WAITS: tl.constexpr):
    a = tle.gpu.alloc([64, 16], tl.float16, init_value=tl.full([64, 16], 1.0, tl.float16))
    b = tle.gpu.alloc([16, 16], tl.float16, init_value=tl.full([16, 16], 1.0, tl.float16))
    first = tle.gpu.wgmma(a, b)
    second = tle.gpu.wgmma(a, b)
    if WAITS == 0:
        first = tle.gpu.wgmma_wait(0, first)
    if WAITS == 1:
        first = tle.gpu.wgmma_wait(1, first)
    if WAITS == 2:
        first = tle.gpu.wgmma_wait(2, first)
    tl.store(dst + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], first)
    second = tle.gpu.wgmma_wait(0, second)
    tl.store(dst + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], second)


@pytest.mark.parametrize("waits, wrong", [(0, False), (1, False), (2, True), (3, True)])
def test_accumulator_before_its_wait(waits, wrong):
    dst = torch.zeros(64, 16)
    findings = found(product, dst, waits)
    assert set(findings) == ({"U1"} if wrong else set())
    if wrong:
        assert findings["U1"].places[1][1].text.startswith("tl.store(dst")
        assert "2 group(s) may still run" in findings["U1"].message


@triton.jit
def before_wait(src, dst, WAIT: tl.constexpr):
    tile = tle.gpu.alloc([16, 32], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=1024)
    tle.gpu.copy(src, tile, [16, 32], [0, 0], barrier=full)
    if WAIT:
        tle.gpu.barrier_wait(full, phaseIdx=0)
    tl.store(dst + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :], tile.load())
    if not WAIT:
        tle.gpu.barrier_wait(full, phaseIdx=0)


def test_buffer_before_its_wait():
    src, dst = torch.randn(16, 32).half(), torch.zeros(16, 32).half()
    assert not found(before_wait, descriptor(src, [16, 32]), dst, True)
    finding = found(before_wait, descriptor(src, [16, 32]), dst, False)["U2"]
    assert finding.kind == "misuse" and "bytes 0..1023 of tile" in finding.message


@triton.jit
def drain_in_halves(dst, ring, empty, full, tiles, EARLY: tl.constexpr):
    """With EARLY, the slot is released between the two reads of it."""
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    for i in range(0, tiles):
        slot = i % 2
        tle.gpu.barrier_wait(full[slot], phaseIdx=i // 2)
        left = tl.load(tle.gpu.local_ptr(ring[slot], tl.broadcast(rows, columns)))
        if EARLY:
            tle.gpu.barrier_arrive(empty[slot], phaseIdx=i // 2)
        right = tl.load(tle.gpu.local_ptr(ring[slot], tl.broadcast(rows, columns + 16)))
        if not EARLY:
            tle.gpu.barrier_arrive(empty[slot], phaseIdx=i // 2)
        out = dst + (i * 16 + rows) * 32 + columns
        tl.store(out, left)
        tl.store(out + 16, right)


@triton.jit
def halves(src, dst, tiles, EARLY: tl.constexpr):
    ring = tle.gpu.alloc([2, 16, 32], tl.float16)
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(2, expect_bytes=1024)
    tle.gpu.warp_specialize([(ring_fill, (src, ring, empty, full, tiles, 2, 16, 32)),
                             (drain_in_halves, (dst, ring, empty, full, tiles, EARLY))], [4], [168])


def test_slot_released_before_the_last_read():
    """If the next copy is ahead of the read it is U2, else R2: both say that the release is too early."""
    src, dst = torch.randn(64, 32).half(), torch.zeros(64, 32).half()
    assert not found(halves, descriptor(src, [16, 32]), dst, 4, False)
    findings = {rule: finding for seed in range(4)
                for rule, finding in found(halves, descriptor(src, [16, 32]), dst, 4, True, schedules=1, first_seed=seed).items()}
    assert set(findings) == {"R2", "U2"}
    assert "release the slot only behind this access" in findings["U2"].message
    assert "a barrier that the reader arrives at after the read" in findings["R2"].message


@triton.jit
def half_written(dst):
    buffer = tle.gpu.alloc([64], tl.float32)
    tl.store(tle.gpu.local_ptr(buffer, (tl.arange(0, 32), )), tl.zeros([32], tl.float32))
    tl.store(dst + tl.arange(0, 64), buffer.load())


def test_uninitialised_read():
    """Of what is read, only the bytes that nothing was stored to."""
    assert "reads bytes 128..255 of buffer" in found(half_written, torch.zeros(64))["U3"].message


@triton.jit
def two_on_a_line():
    one = tle.gpu.alloc_barrier(); other = tle.gpu.alloc_barrier()  # noqa: E702
    tle.gpu.barrier_arrive(one, phaseIdx=0)
    tle.gpu.barrier_wait(other, phaseIdx=0)


def test_two_barriers_of_one_line():
    """The line does not tell which is which: neither gets the name of the other."""
    assert re.search(r"waits at barrier of line \d+\[0\], where nothing ever arrived", found(two_on_a_line)["D1"].message)


@triton.jit
def left_over():
    half = tle.gpu.alloc_barrier(arrive_count=2)
    tle.gpu.barrier_arrive(half, phaseIdx=0)


def test_barrier_at_exit():
    assert "half[0] is left in the wrong phase when the program ends: 1 of 2 arrivals" in found(left_over)["U4"].message


@triton.jit
def two_copies(src, dst, BYTES: tl.constexpr):
    tiles = tle.gpu.alloc([2, 16, 32], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=BYTES)
    tle.gpu.copy(src, tiles[0], [16, 32], [0, 0], barrier=full)
    tle.gpu.copy(src, tiles[1], [16, 32], [16, 0], barrier=full)
    tle.gpu.barrier_wait(full, phaseIdx=0)


@pytest.mark.parametrize("expected, rule", [(2048, None), (1024, "U7"), (1536, "U5"), (4096, "D4")])
def test_two_copies_and_one_expect(expected, rule):
    """A slot copied twice with the bytes of one copy."""
    src = descriptor(torch.zeros(32, 32).half(), [16, 32])
    findings = found(two_copies, src, torch.zeros(1), expected)
    assert rule in findings if rule else not findings
    if rule == "U7":
        assert "where copies arrive, expect_bytes to the bytes of all copies of one use" in findings[rule].message


@triton.jit
def produce_count(data, empty, full, rounds):
    for i in range(0, rounds):
        tle.gpu.barrier_wait(empty, phaseIdx=i)
        data.store(tl.full([64], 1.0, tl.float32))
        tle.gpu.barrier_arrive(full, phaseIdx=i)


@triton.jit
def consume_count(data, empty, full, rounds, TIMES: tl.constexpr):
    for i in range(0, rounds):
        tle.gpu.barrier_wait(full, phaseIdx=i)
        data.load()
        for _ in tl.static_range(TIMES):
            tle.gpu.barrier_arrive(empty, phaseIdx=i)


@triton.jit
def two_consumers(COUNT: tl.constexpr):
    data = tle.gpu.alloc([64], tl.float32)
    empty = tle.gpu.alloc_barrier(arrive_count=COUNT, init=tle.gpu.READY)
    full = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(produce_count, (data, empty, full, 4)), (consume_count, (data, empty, full, 4, 1)),
                             (consume_count, (data, empty, full, 4, 1))], [4, 4], [168, 168])


def test_two_consumers_and_a_count_of_one():
    """The producer is the default partition, two consumers arrive, arrive_count is 1."""
    assert not found(two_consumers, 2)
    rules = [found(two_consumers, 1, schedules=1, first_seed=seed) for seed in range(8)]
    assert all("U11" in findings or "D3" in findings for findings in rules)
    [finding] = [findings["U11"] for findings in rules if "U11" in findings][:1]
    assert "a phase takes 1 arrival(s), so far arrived 1 by consume_count" in finding.message


@triton.jit
def one_consumer(TIMES: tl.constexpr):
    data = tle.gpu.alloc([64], tl.float32)
    empty = tle.gpu.alloc_barrier(init=tle.gpu.READY)
    full = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(produce_count, (data, empty, full, 4)), (consume_count, (data, empty, full, 4, TIMES))], [4], [168])


def test_two_arrivals_in_a_phase_of_one():
    """Over-arrival; under-arrival is test_arrivals_missing."""
    assert not found(one_consumer, 1)
    findings = found(one_consumer, 2)
    assert "consume_count (partition 1) completes phase 1 of empty[0]" in findings["U11"].message


@triton.jit
def wait_every_other(bar, done):
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_wait(done, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=2)


@triton.jit
def arrive_three_times(bar, done):
    for i in range(0, 3):
        tle.gpu.barrier_arrive(bar, phaseIdx=i)
    tle.gpu.barrier_arrive(done, phaseIdx=0)


@triton.jit
def missed():
    bar = tle.gpu.alloc_barrier()
    done = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(wait_every_other, (bar, done)), (arrive_three_times, (bar, done))], [4], [168])


def test_phase_missed():
    finding = found(missed)["U8"]
    assert "wait_every_other (partition 0) passes a wait at bar[0] when 3 phases are complete, but 1 were at its wait before" in finding.message
    assert "it has missed 1 phase(s)" in finding.message


@triton.jit
def arrive_with_weight(bar):
    tle.gpu.barrier_arrive(bar, arrive_count=1, phaseIdx=0)
    tle.gpu.barrier_arrive(bar, arrive_count=2, phaseIdx=0)


@triton.jit
def too_heavy():
    done = tle.gpu.alloc_barrier(arrive_count=2)
    arrive_with_weight(done)


def test_over_arrival():
    assert "arrives at done[0] when its phase has 1 of 2 arrivals left, 1 too few" in found(too_heavy)["U7"].message


@triton.jit
def mixed():
    bar = tle.gpu.alloc_barrier(arrive_count=128)
    tle.gpu.barrier_wait(bar)
    tle.gpu.barrier_arrive(bar, arrive_count=128, phaseIdx=0)


def test_mixed_barrier():
    assert "bar[0] is used as a named barrier and as a mbarrier" in found(mixed)["U10"].message


@triton.jit
def arrive_and_wait(ARRIVE: tl.constexpr, WAIT: tl.constexpr, READY: tl.constexpr):
    bar = tle.gpu.alloc_barrier(init=tle.gpu.READY if READY else tle.gpu.PENDING)
    if READY:
        tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_arrive(bar, phaseIdx=ARRIVE)
    tle.gpu.barrier_wait(bar, phaseIdx=WAIT)


@pytest.mark.parametrize("arrival, wait, ready", [(0, 0, False), (2, 0, False), (-2, 0, False), (0, 1, True), (0, 7, True),
                                                  (7, 0, False), (-1, 0, False), (1, 1, True)])
def test_phase_of_an_arrival(arrival, wait, ready):
    """The first use is 0, or has its last bit; a READY barrier lets the wait of use 0 pass before."""
    findings = found(arrive_and_wait, arrival, wait, ready)
    assert set(findings) == ({"U18"} if arrival % 2 else set())
    if arrival % 2:
        assert (f"the kernel arrives at bar[0] with phaseIdx={arrival}, but 0 phase(s) are complete, so that it counts for use 0: "
                "the two must be both even or both odd.") in findings["U18"].message.replace("arrive_and_wait", "the kernel")
        assert findings["U18"].places[0][1].text == "tle.gpu.barrier_arrive(bar, phaseIdx=ARRIVE)"


@triton.jit
def arrive_at_use(bar, use):
    tle.gpu.barrier_arrive(bar, phaseIdx=use)


@triton.jit
def wait_for_uses(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=1)


@triton.jit
def second_use(use):
    done = tle.gpu.alloc_barrier()
    tle.gpu.barrier_arrive(done, phaseIdx=0)
    tle.gpu.warp_specialize([(wait_for_uses, (done, )), (arrive_at_use, (done, use))], [4], [24])


def test_phase_of_a_later_arrival():
    """A phaseIdx of run time."""
    assert set(found(second_use, 1)) <= {"U11"}
    finding = found(second_use, 2)["U18"]
    assert "arrive_at_use (partition 1) arrives at done[0] with phaseIdx=2, but 1 phase(s) are complete, so that it counts for use 1" in finding.message


# Mistakes in kernels of several tiles


@triton.jit
def drain_some(dst, ring, empty, full, keep, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    for i in range(0, tiles):
        if tl.load(keep + i) != 0:
            tle.gpu.barrier_wait(full[i % SLOTS], phaseIdx=i // SLOTS)
            tl.store(dst + i * ROWS * COLS + at, ring[i % SLOTS].load())
            tle.gpu.barrier_arrive(empty[i % SLOTS], phaseIdx=i // SLOTS)


@triton.jit
def conditional_tile(src, dst, keep, tiles, SLOTS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    ring = tle.gpu.alloc([SLOTS, ROWS, COLS], tl.float16)
    empty = tle.gpu.alloc_barriers(SLOTS, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=ROWS * COLS * 2)
    tle.gpu.warp_specialize([
        (ring_fill, (src, ring, empty, full, tiles, SLOTS, ROWS, COLS)),
        (drain_some, (dst, ring, empty, full, keep, tiles, SLOTS, ROWS, COLS)),
    ], [4], [168])


@pytest.mark.parametrize("skip", range(6))
def test_tile_skipped_by_the_consumer(skip):
    """Its slot is neither waited for nor released."""
    src, dst, keep = torch.zeros(96, 32).half(), torch.zeros(96, 32).half(), torch.ones(6, dtype=torch.int32)
    arguments = descriptor(src, [16, 32]), dst, keep, 6, 2, 16, 32
    assert not found(conditional_tile, *arguments)
    keep[skip] = 0
    findings = found(conditional_tile, *arguments)
    assert findings
    assert any(rule[0] == "D" for rule in findings) or "U9" in findings


@triton.jit
def load_into_staging(src, tile, full):
    tle.gpu.copy(src, tile, [16, 32], [0, 0], barrier=full)


@triton.jit
def store_from_staging(dst, tile, full, WAIT: tl.constexpr):
    if WAIT:
        tle.gpu.barrier_wait(full, phaseIdx=0)
    tile.store(tl.full([16, 32], 1.0, tl.float16))
    tle.gpu.copy(tile, dst, [16, 32], [0, 0])
    if not WAIT:
        tle.gpu.barrier_wait(full, phaseIdx=0)


@triton.jit
def staging_reused(src, dst, WAIT: tl.constexpr):
    tile = tle.gpu.alloc([16, 32], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=1024)
    tle.gpu.warp_specialize([(load_into_staging, (src, tile, full)), (store_from_staging, (dst, tile, full, WAIT))], [4], [168])


def test_staging_tile_reused():
    """The buffer of a TMA store is the destination of a TMA load."""
    src, dst = (descriptor(torch.zeros(16, 32).half(), [16, 32]) for _ in range(2))
    assert not found(staging_reused, src, dst, True)
    assert set(found(staging_reused, src, dst, False)) & {"U2", "R2", "R3"}


@triton.jit
def prefetch(src, dst, tiles, SLOTS: tl.constexpr):
    """Load tile i + 1 before tile i is used."""
    ring = tle.gpu.alloc([SLOTS, 16, 32], tl.float16)
    full = tle.gpu.alloc_barriers(SLOTS, expect_bytes=1024)
    at = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tle.gpu.copy(src, ring[0], [16, 32], [0, 0], barrier=full[0])
    for i in range(0, tiles):
        if i + 1 < tiles:
            tle.gpu.copy(src, ring[(i + 1) % SLOTS], [16, 32], [(i + 1) * 16, 0], barrier=full[(i + 1) % SLOTS])
        tle.gpu.barrier_wait(full[i % SLOTS], phaseIdx=i // SLOTS)
        tl.store(dst + i * 512 + at, ring[i % SLOTS].load())


def test_ring_of_one_with_distance_one():
    """A tile is copied ahead into the slot that is still read."""
    src, dst = torch.randn(64, 32).half(), torch.zeros(64, 32).half()
    assert not found(prefetch, descriptor(src, [16, 32]), dst, 4, 2)
    torch.testing.assert_close(dst, src)
    assert {"R3", "U7"} <= set(found(prefetch, descriptor(src, [16, 32]), dst, 4, 1))


@triton.jit
def slot_before_the_first(src):
    tile = tle.gpu.alloc([16, 32], tl.float16)
    full = tle.gpu.alloc_barriers(2, expect_bytes=1024)
    tle.gpu.copy(src, tile, [16, 32], [0, 0], barrier=full[(tl.program_id(0) - 1) % 2])


def test_slot_out_of_bounds():
    """In C's arithmetic % keeps the sign, so slot (0 - 1) % 2 is -1."""
    assert set(found(slot_before_the_first, descriptor(torch.zeros(16, 32).half(), [16, 32]))) == {"B11"}


@triton.jit
def odd_offset(src, dst, column, HOW: tl.constexpr):
    tile = tle.gpu.alloc([16, 32], tl.float16, init_value=tl.zeros([16, 32], tl.float16))
    if HOW == "copy":
        tle.gpu.copy(src, tile, [16, 32], [1, column])
    elif HOW == "copy with a barrier":
        full = tle.gpu.alloc_barrier(expect_bytes=1024)
        tle.gpu.copy(src, tile, [16, 32], [1, column], barrier=full)
        tle.gpu.barrier_wait(full, phaseIdx=0)
    elif HOW == "copy out":
        tle.gpu.copy(tile, dst, [16, 32], [1, column])
    elif HOW == "load":
        dst.store([0, 0], src.load([1, column]))
    else:
        dst.store([1, column], src.load([0, 0]))


@pytest.mark.parametrize("how", ["copy", "copy with a barrier", "copy out", "load", "store"])
def test_innermost_offset(how):
    src, dst = (descriptor(torch.zeros(32, 64).half(), [16, 32]) for _ in range(2))
    assert not found(odd_offset, src, dst, 16, how)
    finding = found(odd_offset, src, dst, 20, how)["C19"]
    assert "must be a multiple of 8 elements of type fp16, 16 bytes, but is 20." in str(finding)


@triton.jit
def copy_of_the_first_only(src):
    tile = tle.gpu.alloc([16, 32], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=1024)
    if tl.program_id(0) == 0:
        tle.gpu.copy(src, tile, [16, 32], [0, 0], barrier=full)
    tle.gpu.barrier_wait(full, phaseIdx=0)


def test_copy_of_one_program_only():
    """One block of a grid expects bytes, all wait."""
    src = descriptor(torch.zeros(16, 32).half(), [16, 32])
    assert not found(copy_of_the_first_only, src)
    deadlock = found(copy_of_the_first_only, src, grid=(2, ))["D1"]
    assert deadlock.grid == (1, 0, 0) and deadlock.waits[0]["barrier"] == "full"


# Reports


def test_seed_replays():
    report = flagtree.check(lambda: run_ring_copy(), schedules=2, first_seed=5, progress=False)
    assert report.ok and report.schedules == 2 and report.seed is None


@triton.jit
def wrong_phase_type(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=0.5)


@triton.jit
def undefined_name(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=no_such_name)  # noqa: F821


@triton.jit
def breaks_a_rule(WRONG: tl.constexpr):
    ready = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(wrong_phase_type if WRONG else undefined_name, (ready, )), (wait_for_the_count, (ready, ))], [4], [24])


@pytest.mark.parametrize("wrong, says", [(True, "[B13] barrier phaseIdx must be"), (False, "the run raised NameError: name 'no_such_name' is not defined")])
def test_what_is_no_finding_has_its_line_too(wrong, says):
    report = flagtree.check(breaks_a_rule, schedules=1)[(1, )](wrong)
    text = str(report)
    assert says in text and json.dumps(says.removeprefix("the run raised "))[1:-1] in report.to_json()
    file, line, function, source = re.search(r"\n    (\S+):(\d+) in (\w+)\n        (.*)", text).groups()
    assert Path(file).name == "test_findings.py" and function == ("wrong_phase_type" if wrong else "undefined_name")
    assert Path(file).read_text().splitlines()[int(line) - 1].strip() == source and source.startswith("tle.gpu.barrier_wait(bar, phaseIdx=")


def test_a_grid_is_needed():
    for launcher in (flagtree.check(left_over), flagtree.simulate(left_over)):
        with pytest.raises(GridError, match=r"\[U16\] a grid must be .*, but is left out\."):
            launcher(0)


def test_greenlet_is_needed_for_partitions(monkeypatch):
    monkeypatch.setitem(sys.modules, "greenlet", None)
    with pytest.raises(Exception, match=r"\[V4\].*'flagtree\[sim\]'"):
        flagtree.simulate(never_arrived)[(1, )](1)
    assert not found(left_over).keys() - {"U4"}


def test_strict_launch_raises():
    with pytest.raises(Exception, match=r"\[D1\] deadlock: wait_once \(partition 0\) waits at ready\[1\]"):
        flagtree.simulate(never_arrived)[(1, )](0)


def test_numpy_arrays():
    src, dst = np.arange(5 * 64, dtype=np.float32), np.zeros(5 * 64, dtype=np.float32)
    report = flagtree.check(produce_consume, schedules=2, progress=False)[(1, )](src, dst, 5, 64)
    assert report.ok and (dst == src + 1).all()


def test_arguments_are_restored_for_each_schedule():
    counter = torch.zeros(1, dtype=torch.int32)
    assert flagtree.check(count_up, schedules=3, progress=False)[(1, )](counter).ok
    assert counter.item() == 1


@triton.jit
def count_up(counter):
    tl.store(counter, tl.load(counter) + 1)


def test_check_gives_a_wrong_result():
    def wrong():
        raise AssertionError("results differ")

    report = flagtree.check(wrong, schedules=3, progress=False)
    assert not report and report.seed == 0 and "results differ" in str(report)


def test_report_of_one_mistake_is_the_same_each_time():
    texts = {str(flagtree.check(never_arrived, first_seed=7, schedules=1, progress=False)[(1, )](0)) for _ in range(3)}
    assert len(texts) == 1


def needs_arguments(x):
    never_arrived[(1, )](x)


@pytest.mark.parametrize("what", [3, None, "x", needs_arguments], ids=repr)
@pytest.mark.parametrize("call", [flagtree.check, flagtree.trace, flagtree.simulate])
def test_u12_not_a_kernel(call, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotAKernelError, match=rf"\[U12\] flagtree\.{call.__name__} takes a kernel decorated with @triton\.jit.*, but got ") as caught:
        call(what)
    assert repr(what) in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_u12_says_what_a_function_lacks():
    with pytest.raises(NotAKernelError, match=r"missing a required argument: 'x'.*flagtree\.check\(lambda: program\(\*args\)\)"):
        flagtree.check(needs_arguments)
    with pytest.raises(NotAKernelError, match=r"flagtree\.simulate\(kernel\)\[grid\]"):
        flagtree.simulate(lambda: never_arrived[(1, )](0))


def test_functions_that_launch(tmp_path):
    counter = torch.zeros(1, dtype=torch.int32)
    assert flagtree.check(lambda by=counter: count_up[(1, )](by), schedules=1, progress=False).ok
    assert flagtree.trace(lambda *more: count_up[(1, )](counter), tmp_path / "page.html").is_file()
    assert flagtree.check(dict, progress=False).programs == 0  # a callable whose arguments Python does not tell
    assert counter.item() == 2


@pytest.mark.parametrize("schedules", [0, -1, 1.5, "8", None])
def test_u13_schedules(schedules):
    with pytest.raises(SchedulesError, match=rf"\[U13\] schedules of flagtree\.check must be a positive integer, but is {schedules!r}\."):
        flagtree.check(never_arrived, schedules)


@pytest.mark.parametrize("seed", ["nonsense", "", "3", "order", "order:0=1", -1, 1.5, None, [1], b"order:"], ids=repr)
def test_u14_seed(seed):
    for call in (lambda: flagtree.simulate(never_arrived, seed), lambda: flagtree.check(never_arrived, first_seed=seed)):
        with pytest.raises(SeedError, match=rf"\[U14\] {re.escape(repr(seed))} is no schedule: a seed is an integer of 0 or more, or a text that a report gives"):
            call()


@triton.jit
def waits_for_nobody():
    pass


@triton.jit
def two_partitions():
    tle.gpu.warp_specialize([(waits_for_nobody, ()), (waits_for_nobody, ())], [4], [24])


def test_u14_seed_of_another_kernel():
    says = r"\[U14\] '0\.7' is no schedule of this kernel with these arguments, where choice 0 is between 2: "
    with pytest.raises(Exception, match=says):
        flagtree.simulate(two_partitions, "order:0=0.7")[(1, )]()
    report = flagtree.check(two_partitions, first_seed="order:0=0.7", progress=False)[(1, )]()
    assert not report.findings and re.search(says, str(report.error))


@pytest.mark.parametrize("page, why", [(None, "is no path"), (3, "is no path"), (b"x.html", "is no path"), ("", "is a folder"), (".", "is a folder"),
                                       ("no/such/x.html", "is in a folder that does not exist"), ("x.json", "has this suffix itself")])
def test_u15_page(page, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PageError, match=rf"\[U15\] page of flagtree\.trace must be the path of a file to write, .*{re.escape(repr(page))} {why}\."):
        flagtree.trace(never_arrived, page)


@pytest.mark.parametrize("grid", [(), 1, None, "1", (1.5, ), (-1, ), (1, 1, 1, 1), (2, "a"), lambda meta: None], ids=repr)
def test_u16_grid(grid):
    counter = torch.zeros(1, dtype=torch.int32)
    with pytest.raises(GridError, match=r"\[U16\] a grid must be a tuple of one to three integers of 0 or more, or a function of the arguments that gives one, but is "):
        flagtree.simulate(count_up)[grid](counter)
    assert [finding.rule for finding in flagtree.check(count_up, progress=False)[grid](counter).findings] == ["U16"]


@pytest.mark.parametrize("grid", [(2, ), [2], (np.int64(2), ), (1, 2, 1), lambda meta: (2, ), torch.Size([2])], ids=repr)
def test_grids(grid):
    counter = torch.zeros(1, dtype=torch.int32)
    flagtree.simulate(count_up)[grid](counter)
    assert counter.item() == 2


def test_u17_name_of_an_argument():
    counter = torch.zeros(1, dtype=torch.int32)
    with pytest.raises(ParameterNameError, match=r"\[U17\] num_warp is neither a parameter of count_up\(\w+\) nor an option of a launch\."):
        flagtree.simulate(count_up)[(1, )](counter, num_warp=8)
    flagtree.simulate(count_up)[(1, )](counter, num_warps=8, num_stages=2, maxnreg=128)
    assert counter.item() == 1
