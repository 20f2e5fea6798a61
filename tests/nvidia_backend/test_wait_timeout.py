"""TLE_WAIT_TIMEOUT_MS: a wait at an mbarrier that gives up; without it the code of a kernel is as ever."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.errors import WaitTimeoutError

from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")

SWITCH = "TLE_WAIT_TIMEOUT_MS"


@triton.jit
def fill(src, ring, full, empty, steps):
    for i in range(0, steps):
        tle.gpu.barrier_wait(empty[i % 2], phaseIdx=i // 2)  # waits for the consumer
        tle.gpu.copy(src, ring.slot(i % 2), [32, 32], [i * 32, 0], barrier=full[i % 2])


@triton.jit
def drain(out, ring, full, empty, steps):
    rows, columns = tl.arange(0, 32), tl.arange(0, 32)
    for i in range(0, steps):
        tle.gpu.barrier_wait(full[i % 2], phaseIdx=i // 2)  # waits for the producer
        value = ring.slot(i % 2).load()
        tle.gpu.barrier_arrive(empty[i % 2], phaseIdx=i // 2)
        tl.store(out + (i * 32 + rows)[:, None] * 32 + columns[None, :], value)


@triton.jit
def pipe(src, out, steps, WARPS: tl.constexpr):
    ring = tle.gpu.alloc([2, 32, 32], tl.float32)
    full = tle.gpu.alloc_barriers(2, expect_bytes=32 * 32 * 4)
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    tle.gpu.warp_specialize([(fill, (src, ring, full, empty, steps)), (drain, (out, ring, full, empty, steps))], [WARPS], [168])


@triton.jit
def whole(src, out):
    buffer = tle.gpu.alloc([32, 32], tl.float32)
    tle.gpu.copy(src, buffer, [32, 32], [0, 0])  # waits by itself
    tl.store(out + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], buffer.load())


@triton.jit
def named(p):
    bar = tle.gpu.alloc_barrier(arrive_count=128)
    tle.gpu.barrier_wait(bar)
    tl.store(p, 1)


def ptx_of_pipe(warps: int = 4) -> str:
    kernel = compiled(pipe, {"src": "tensordesc<fp32[32, 32]>", "out": "*fp32", "steps": "i32"}, {"WARPS": warps})
    assert kernel.asm["cubin"]
    return kernel.asm["ptx"]


def loops(ptx: str) -> int:
    """Loops that look at the clock."""
    return len(re.findall(r"setp\.lt\.u64 early, now, 250000000;", ptx))


def test_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    ptx = ptx_of_pipe()
    assert "globaltimer" not in ptx and "__assertfail" not in ptx
    assert ptx.count("mbarrier.try_wait") == 2


@pytest.mark.parametrize("warps", [1, 4, 8])
def test_every_wait_of_a_partition_is_bounded(warps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In workers of other sizes too; the failure is told with the line of the wait."""
    monkeypatch.setenv(SWITCH, "250")
    ptx = ptx_of_pipe(warps)
    assert loops(ptx) == 2 and ptx.count("mbarrier.try_wait") == 4
    source = Path(__file__).read_text().splitlines()
    waits = {number for number, text in enumerate(source, 1) if text.endswith(("# waits for the consumer", "# waits for the producer"))}
    told = {int(number) for number in re.findall(r"st\.param\.b32\s+\[param2\], (\d+);", ptx)}
    assert told == waits and len(waits) == 2


def test_a_copy_that_waits_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "250")
    kernel = compiled(whole, {"src": "tensordesc<fp32[32, 32]>", "out": "*fp32"})
    assert loops(kernel.asm["ptx"]) == 1


def test_a_named_barrier_is_not_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "250")
    assert "globaltimer" not in compiled(named, {"p": "*i32"}).asm["ptx"]


@pytest.mark.parametrize("given", ["0", "-5", "1s", "0.5", "86400001"])
def test_i17_no_number_of_milliseconds(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, given)
    with pytest.raises(WaitTimeoutError, match=rf"\[I17\] {SWITCH} must be a number of milliseconds from 1 to 86400000, but is '{re.escape(given)}'"):
        ptx_of_pipe()


def test_switching_it_on_compiles_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for value in ("", "250", "", "250"):
        monkeypatch.setenv(SWITCH, value)
        seen.append(loops(ptx_of_pipe()))
    assert seen == [0, 2, 0, 2]
