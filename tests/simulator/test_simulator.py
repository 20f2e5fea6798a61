"""What only the simulator shows: poison, bounds, lifetime, bfloat16, other array types, the interpreter's state.

Runs under TRITON_INTERPRET=1. The meaning of the operations themselves is tested by tests/gpu, in the simulator, too.
"""
from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import numpy as np
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.language.errors import SlotIndexRangeError
from flagtree.simulator.arena import Arena
from flagtree.simulator.bfloat16 import narrow, widen
from flagtree.simulator.builder import install
from flagtree.simulator.errors import SharedAccessError
from flagtree.simulator.session import Session
from triton.runtime.errors import InterpreterError


@pytest.fixture
def lenient(monkeypatch):
    """A session that only collects findings."""
    session = Session(strict=False)
    monkeypatch.setattr(install(), "session", session)
    return session


@triton.jit
def read_uninitialised(dst, SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE], dst.dtype.element_ty)
    tl.store(dst + tl.arange(0, SIZE), tl.load(tle.gpu.local_ptr(buffer)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn])
def test_fresh_float_memory_is_nan(dtype, lenient):
    dst = torch.zeros(64, dtype=torch.float32).to(dtype)
    read_uninitialised[(1, )](dst, 64)
    assert dst.float().isnan().all()


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_fresh_integer_memory_is_poisoned(dtype, lenient):
    dst = torch.zeros(64, dtype=dtype)
    read_uninitialised[(1, )](dst, 64)
    assert (dst.view(torch.uint8) == 0xCD).all()


@triton.jit
def leave_a_mark(dst, SIZE: tl.constexpr):
    """Program 0 fills its buffer; the next program gets memory of its own."""
    buffer = tle.gpu.alloc([SIZE], tl.float32)
    if tl.program_id(0) == 0:
        tl.store(tle.gpu.local_ptr(buffer), tl.full([SIZE], 1.0, tl.float32))
    tl.store(dst + tl.program_id(0) * SIZE + tl.arange(0, SIZE), tl.load(tle.gpu.local_ptr(buffer)))


def test_programs_do_not_share_buffers(lenient):
    dst = torch.zeros(2, 32)
    leave_a_mark[(2, )](dst, 32)
    assert (dst[0] == 1).all() and dst[1].isnan().all()
    assert [(finding.rule, finding.grid) for finding in lenient.findings] == [("U3", (1, 0, 0))]


@triton.jit
def gather(src, dst, index, count, SIZE: tl.constexpr, MASKED: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    buffer = tle.gpu.alloc([SIZE], tl.float32, init_value=tl.load(src + lanes))
    pointers = tle.gpu.local_ptr(buffer, (tl.load(index + lanes), ))
    if MASKED:
        value = tl.load(pointers, mask=lanes < count, other=-1.0)
    else:
        value = tl.load(pointers)
    tl.store(dst + lanes, value)


@pytest.mark.parametrize("bad", [-1, 32, 2**30])
def test_load_out_of_bounds(bad):
    index = torch.arange(32, dtype=torch.int32)
    index[5] = bad
    with pytest.raises(InterpreterError, match=r"\[L8\] 1 active lane.*lane \(5,\).*index \(" + str(bad)) as caught:
        gather[(1, )](torch.randn(32), torch.zeros(32), index, 32, 32, False)
    assert isinstance(caught.value.__cause__, SharedAccessError)
    traceback = caught.traceback[-1].frame if caught.value.__cause__ is None else caught.value.__cause__.__traceback__
    lines = []
    while traceback:
        lines.append((traceback.tb_frame.f_code.co_filename, traceback.tb_frame.f_code.co_name))
        traceback = traceback.tb_next
    assert (__file__, "gather") in lines


def test_masked_lane_may_be_out_of_bounds():
    index = torch.arange(32, dtype=torch.int32)
    index[20:] = 1000
    src, dst = torch.randn(32), torch.zeros(32)
    gather[(1, )](src, dst, index, 20, 32, True)
    torch.testing.assert_close(dst[:20], src[:20], rtol=0, atol=0)
    assert (dst[20:] == -1).all()


@triton.jit
def second_index_too_large(SIZE: tl.constexpr):
    """Element (0, SIZE) has the address of element (1, 0): inside the buffer, but not what was asked for."""
    buffer = tle.gpu.alloc([SIZE, SIZE], tl.float32, init_value=tl.zeros([SIZE, SIZE], tl.float32))
    zero = tl.program_id(0)
    tl.store(tle.gpu.local_ptr(buffer, (zero, zero + SIZE)), 1.0)


def test_each_index_is_checked():
    with pytest.raises(InterpreterError, match=r"\[L8\].*index \(0, 16\) of a buffer of shape \(16, 16\)"):
        second_index_too_large[(1, )](16)


@triton.jit
def atomic_out_of_bounds(SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE], tl.int32, init_value=tl.zeros([SIZE], tl.int32))
    tl.atomic_add(tle.gpu.local_ptr(buffer, (tl.arange(0, SIZE) + 1, )), tl.full([SIZE], 1, tl.int32))


def test_atomic_out_of_bounds():
    with pytest.raises(InterpreterError, match=r"\[L8\].*lane \(15,\).*index \(16,\)"):
        atomic_out_of_bounds[(1, )](16)


@triton.jit
def float_atomic(dst, index, SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE], tl.float32, init_value=tl.zeros([SIZE], tl.float32))
    lanes = tl.arange(0, SIZE)
    tl.atomic_max(tle.gpu.local_ptr(buffer, (tl.load(index + lanes), )), lanes.to(tl.float32))
    tl.store(dst + lanes, buffer.load())


def test_float_atomic_is_checked_through_its_cast():
    dst, index = torch.zeros(8), torch.tensor([0, 0, 0, 3, 3, 5, 5, 7], dtype=torch.int32)
    float_atomic[(1, )](dst, index, 8)
    assert dst.tolist() == [2, 0, 0, 4, 0, 6, 0, 7]
    index[6] = 8
    with pytest.raises(InterpreterError, match=r"\[L8\]"):
        float_atomic[(1, )](dst, index, 8)


@triton.jit
def atomic_of_broadcast_operands(dst, limit, SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([1, SIZE], tl.int32, init_value=tl.zeros([1, SIZE], tl.int32))
    row = tl.arange(0, 1)[:, None]
    tl.atomic_add(tle.gpu.local_ptr(buffer), row + 3, mask=row < limit)
    tl.store(dst + row + tl.arange(0, SIZE)[None, :], buffer.load())


@pytest.mark.parametrize("limit, expected", [(0, 0), (1, 3)])
def test_atomic_of_broadcast_operands(limit, expected):
    dst = torch.full((1, 64), -1, dtype=torch.int32)
    atomic_of_broadcast_operands[(1, )](dst, limit, 64)
    assert dst.tolist() == [[expected] * 64]


@triton.jit
def compare_and_swap_out_of_bounds(SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE], tl.int32, init_value=tl.zeros([SIZE], tl.int32))
    tl.atomic_cas(tle.gpu.local_ptr(buffer, (tl.program_id(0) + SIZE, )), 0, 1)


def test_compare_and_swap_out_of_bounds():
    with pytest.raises(InterpreterError, match=r"\[L8\].*index \(16,\)"):
        compare_and_swap_out_of_bounds[(1, )](16)


@triton.jit
def pointer_past_the_end(SIZE: tl.constexpr):
    buffer = tle.gpu.alloc([SIZE], tl.int32, init_value=tl.zeros([SIZE], tl.int32))
    tl.store(tle.gpu.local_ptr(buffer) + SIZE, tl.full([SIZE], 1, tl.int32))


def test_pointer_arithmetic_is_checked():
    with pytest.raises(InterpreterError, match=r"\[L8\] 16 active lane.*outside of every buffer"):
        pointer_past_the_end[(1, )](16)


@triton.jit
def slot_at(dst, stage, STAGES: tl.constexpr, SIZE: tl.constexpr):
    ring = tle.gpu.alloc([STAGES, SIZE], tl.float32)
    for i in range(0, STAGES):
        ring.slot(i).store(tl.full([SIZE], 0.0, tl.float32) + i)
    tl.store(dst + tl.arange(0, SIZE), ring[stage].load())


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_slots_are_views(stage):
    dst = torch.zeros(16)
    slot_at[(1, )](dst, stage, 3, 16)
    assert (dst == stage).all()


@pytest.mark.parametrize("stage", [-1, 3])
def test_slot_out_of_range(stage):
    with pytest.raises(InterpreterError, match=rf"\[{SlotIndexRangeError.rule}\].*stage {stage} .*\(3, 16\)"):
        slot_at[(1, )](torch.zeros(16), stage, 3, 16)


def test_narrow_rounds_to_nearest_even():
    values = torch.cat([torch.randn(4096) * 10.0**e for e in range(-40, 39, 6)])
    values = torch.cat([values, torch.tensor([0.0, -0.0, float("inf"), -float("inf"), 3.4e38, 1.00390625, 1.01171875])])
    bits = narrow(values.numpy())
    assert (bits == values.bfloat16().view(torch.uint16).numpy()).all()
    assert np.isnan(widen(narrow(np.array([np.nan], dtype=np.float32)))).all()
    everything = np.arange(65536, dtype=np.uint16)
    number = ~np.isnan(widen(everything))
    assert (narrow(widen(everything))[number] == everything[number]).all()


@triton.jit
def bfloat16_arithmetic(a, b, dst, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    x = tl.load(a + lanes)
    y = tl.load(b + lanes)
    buffer = tle.gpu.alloc([SIZE], tl.bfloat16, init_value=x * y + x - y)
    z = tl.load(tle.gpu.local_ptr(buffer))
    tl.store(dst + lanes, tl.where(z < x, -z, z))


def test_bfloat16_arithmetic():
    a, b, dst = torch.randn(128).bfloat16(), torch.randn(128).bfloat16(), torch.zeros(128).bfloat16()
    bfloat16_arithmetic[(1, )](a, b, dst, 128)
    z = a * b + a - b
    torch.testing.assert_close(dst, torch.where(z < a, -z, z), rtol=0, atol=0)


@triton.jit
def convert(src, dst, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    tl.store(dst + lanes, tl.load(src + lanes).to(dst.dtype.element_ty))


@pytest.mark.parametrize("other", [torch.int32, torch.float16, torch.float32, torch.float64], ids=str)
def test_bfloat16_conversions(other):
    src = (torch.randn(64) * 100).bfloat16()
    there = torch.zeros(64, dtype=other)
    convert[(1, )](src, there, 64)
    torch.testing.assert_close(there, src.to(other), rtol=0, atol=0)
    back = torch.zeros(64, dtype=torch.bfloat16)
    convert[(1, )](there, back, 64)
    torch.testing.assert_close(back, there.to(torch.bfloat16), rtol=0, atol=0)


@triton.jit
def bfloat16_reductions(src, sums, best, scan, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows, cols = tl.arange(0, ROWS), tl.arange(0, COLS)
    value = tl.load(src + rows[:, None] * COLS + cols[None, :])
    tl.store(sums + cols, tl.sum(value, axis=0))
    tl.store(best + rows, tl.argmax(value, axis=1))
    tl.store(scan + rows[:, None] * COLS + cols[None, :], tl.associative_scan(value, 1, larger))


@triton.jit
def larger(x, y):
    return tl.where(x > y, x, y)


def test_bfloat16_reductions():
    src = torch.randint(-8, 8, (16, 32)).bfloat16() + torch.arange(32).bfloat16() / 64
    sums, best, scan = torch.zeros(32).bfloat16(), torch.zeros(16, dtype=torch.int32), torch.zeros_like(src)
    bfloat16_reductions[(1, )](src, sums, best, scan, 16, 32)
    torch.testing.assert_close(sums, src.sum(0), rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(src.gather(1, best.long()[:, None])[:, 0], src.max(1).values, rtol=0, atol=0)
    torch.testing.assert_close(scan, src.cummax(1).values, rtol=0, atol=0)


@triton.jit
def sum_of_rows(buffer, ROWS: tl.constexpr):
    """A helper that gets a buffer as argument and loops."""
    total = tl.load(tle.gpu.local_ptr(buffer.slot(0)))
    for i in range(1, ROWS):
        total += tl.load(tle.gpu.local_ptr(buffer.slot(i)))
    return total


@triton.jit
def call_a_helper(src, dst, rows, ROWS: tl.constexpr, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    buffer = tle.gpu.alloc([ROWS, SIZE], tl.float32)
    for i in range(0, rows):
        tle.gpu.copy(src + i * SIZE + lanes, buffer.slot(i), [SIZE])
    tl.store(dst + lanes, sum_of_rows(buffer, ROWS))
    for i in tle.gpu.pipeline(0, tl.cdiv(rows * SIZE, SIZE), num_stages=2):  # a run-time range after a helper was called
        tle.gpu.copy(buffer.slot(i), dst + (i + 1) * SIZE + lanes, [SIZE])


def test_buffers_pass_through_helpers():
    src, dst = torch.randn(3, 32), torch.zeros(4, 32)
    call_a_helper[(1, )](src, dst, 3, 3, 32)
    torch.testing.assert_close(dst, torch.cat([src.sum(0, keepdim=True), src]))


def test_arena_aligns_and_separates():
    arena = Arena()
    arrays = [arena.allocate((3, 5, 7), dtype) for dtype in (tl.int8, tl.float16, tl.float64)]
    for array in arrays:
        start = array.ctypes.data
        assert start % 1024 == 0
        addresses = np.array([start - 1, start, start + array.nbytes - 1, start + array.nbytes], dtype=np.uint64)
        assert arena.inside(addresses, 1).tolist() == [False, True, True, False]
        assert arena.inside(addresses, 2).tolist() == [False, True, False, False]


@triton.jit
def stock_kernel(src, dst, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    tl.store(dst + lanes, tl.load(src + lanes) + 1)


def test_stock_kernels_and_masks_still_work():
    src, dst = torch.randn(64), torch.zeros(64)
    stock_kernel[(1, )](src, dst, 64)
    torch.testing.assert_close(dst, src + 1)
