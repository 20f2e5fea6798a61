"""What stock Triton makes of barriers: who initializes, announces and arrives, and that named barriers stay as they are. No GPU needed."""
from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.errors import LoweringError
from triton._C.libtriton import ir, nvidia, passes

from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")


# Producer and consumer ---------------------------------------------------------------------------------------------------


@triton.jit
def produce(src, ring, empty, full, n, STAGES: tl.constexpr):
    for i in range(n):
        s = i % STAGES
        tle.gpu.barrier_wait(empty[s], phaseIdx=i // STAGES)
        tle.gpu.copy(src, ring[s], [64, 64], [i * 64, 0], barrier=full[s])


@triton.jit
def consume(dst, ring, empty, full, n, STAGES: tl.constexpr):
    rows, cols = tl.arange(0, 64), tl.arange(0, 64)
    for i in range(n):
        s = i % STAGES
        tle.gpu.barrier_wait(full[s], phaseIdx=i // STAGES)
        tile = ring[s].load()
        tle.gpu.barrier_arrive(empty[s], phaseIdx=i // STAGES)
        tl.store(dst + (i * 64 + rows[:, None]) * 64 + cols[None, :], tile)


@triton.jit
def stream(src, dst, n, STAGES: tl.constexpr, CONSUMERS: tl.constexpr):
    ring = tle.gpu.alloc([STAGES, 64, 64], tl.float16)
    empty = tle.gpu.alloc_barriers(STAGES, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(STAGES, expect_bytes=64 * 64 * 2)
    tle.gpu.warp_specialize([(produce, (src, ring, empty, full, n, STAGES)), (consume, (dst, ring, empty, full, n, STAGES))], [CONSUMERS], [64])


def build_stream(stages: int, num_warps: int = 4, consumers: int = 4) -> Any:
    """A producer of `num_warps` warps and a worker of `consumers`."""
    return compiled(stream, {"src": "tensordesc<fp16[64, 64]>", "dst": "*fp16", "n": "i32"}, {"STAGES": stages, "CONSUMERS": consumers},
                    num_warps=num_warps)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_a_ring_is_initialized_once_and_before_use(stages: int, num_warps: int) -> None:
    ptx = build_stream(stages, num_warps).asm["ptx"]
    inits = [place.start() for place in re.finditer(r"mbarrier\.init\.shared::cta\.b64 \[\S+\], \d+;", ptx)]
    assert len(inits) == 2 * stages
    fence = ptx.index("fence.proxy.async.shared::cta", inits[-1])
    barrier = ptx.index("bar", fence)
    assert re.match(r"bar(rier)?(\.cta)?\.sync", ptx[barrier:])
    assert barrier < min(ptx.index("mbarrier.try_wait"), ptx.index("mbarrier.arrive"), ptx.index("cp.async.bulk.tensor"))


def test_one_thread_announces_the_bytes_and_one_copies() -> None:
    kernel = build_stream(3)
    ptx = kernel.asm["ptx"]
    assert re.findall(r"(@\S+) mbarrier\.arrive\.expect_tx\.shared\.b64 _, \[\S+\], (\d+);", ptx)[0][1] == "8192"
    assert ptx.count("mbarrier.arrive.expect_tx") == 1
    copies = re.findall(r"(@\S+) cp\.async\.bulk\.tensor", ptx)
    assert len(copies) == 1 and "elect.sync" in ptx
    assert ptx.count("mbarrier.arrive.shared::cta.b64") == 1


def test_one_of_many_warps_arrives_after_all_threads() -> None:
    """More than eight warps would be more arrivals of a phase than warps may make for themselves."""
    kernel = build_stream(2, consumers=16)
    ptx = kernel.asm["ptx"]
    assert kernel.asm["ttgir"].count("ttng.arrive_barrier") == 1
    assert re.findall(r"mbarrier\.init\.shared::cta\.b64 \[\S+\], (\d+);", ptx) == ["1", "1", "1", "1"]
    arrive = ptx.index("mbarrier.arrive.shared::cta.b64")
    last_read = ptx.rindex("ld.shared", 0, arrive)
    assert re.search(r"bar(rier)?(\.cta)?\.sync", ptx[last_read:arrive])


@pytest.mark.parametrize("warps", [2, 4, 8])
def test_every_warp_arrives_for_itself(warps: int) -> None:
    kernel = build_stream(2, consumers=warps)
    ptx = kernel.asm["ptx"]
    assert "ttng.arrive_barrier" not in kernel.asm["ttgir"]
    assert re.findall(r"mbarrier\.init\.shared::cta\.b64 \[\S+\], (\d+);", ptx) == [str(warps), str(warps), "1", "1"]
    assert re.search(r"bar\.warp\.sync\s+-1;.*?@first mbarrier\.arrive\.shared::cta\.b64 _, \[\S+\], 1;", ptx, re.DOTALL)
    arrive = ptx.index("@first mbarrier.arrive")
    between = ptx[ptx.rindex("ld.shared", 0, arrive):arrive]
    assert "bar.sync" not in between and "barrier.cta.sync" not in between


# Memory ------------------------------------------------------------------------------------------------------------------


@triton.jit
def add_up(x):
    return tl.sum(tl.load(x + tl.arange(0, 1024)))


@triton.jit
def produce_and_add(src, x, ring, empty, full, n):
    for i in range(n):
        tle.gpu.barrier_wait(empty[i % 2], phaseIdx=i // 2)
        tle.gpu.copy(src, ring[i % 2], [64, 64], [i * 64, 0], barrier=full[i % 2])
        tl.store(x + i, add_up(x))


@triton.jit
def consume_and_add(x, ring, empty, full, done, n):
    for i in range(n):
        tle.gpu.barrier_wait(full[i % 2], phaseIdx=i // 2)
        tl.store(x + i, add_up(x))
        tle.gpu.barrier_arrive(empty[i % 2], phaseIdx=i // 2)
    tle.gpu.barrier_arrive(done, phaseIdx=0)


@triton.jit
def barriers_beside_sums(src, x, n):
    empty = tle.gpu.alloc_barriers(2, init=tle.gpu.READY)
    ring = tle.gpu.alloc([2, 64, 64], tl.float16)
    full = tle.gpu.alloc_barriers(2, expect_bytes=64 * 64 * 2)
    done = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(produce_and_add, (src, x, ring, empty, full, n)), (consume_and_add, (x, ring, empty, full, done, n))], [4], [64])
    tle.gpu.barrier_wait(done, phaseIdx=0)
    tl.store(x, add_up(x))


def with_offsets(ttgir: str, path: Path) -> str:
    """TTGIR with the offsets that stock Triton gives to what needs shared memory."""
    path.write_text(ttgir)
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    manager = ir.pass_manager(context)
    passes.ttgpuir.add_allocate_warp_groups(manager)
    passes.convert.add_scf_to_cf(manager)
    nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, 90, 87)
    manager.run(module, "offsets")
    return module.str_nodebug()


def test_barriers_share_their_memory_with_nothing(tmp_path: Path) -> None:
    """Neither with each other, nor with a buffer, nor with what sums in both partitions and behind them take for a while."""
    ttgir = with_offsets(compiled(barriers_beside_sums, {"src": "tensordesc<fp16[64, 64]>", "x": "*fp32", "n": "i32"}).asm["ttgir"], tmp_path / "in.ttgir")
    allocs = []
    for offset, shape, bits in re.findall(r"ttg\.local_alloc \{allocation\.offset = (\d+) : i32\}.* -> !ttg\.memdesc<([\dx]+)x[if](\d+),", ttgir):
        allocs.append(range(int(offset), int(offset) + math.prod(map(int, shape.split("x"))) * int(bits) // 8))
    assert sorted(map(len, allocs)) == [8, 16, 16, 2 * 64 * 64 * 2]
    sums = [range(int(offset), int(offset) + 4 * 4) for offset in re.findall(r"\}\) \{allocation\.offset = (\d+) : i32\}", ttgir)]  # a number of each warp
    assert len(sums) == 3
    for one, other in [*combinations(allocs, 2), *((alloc, total) for alloc in allocs for total in sums)]:
        assert one.stop <= other.start or other.stop <= one.start


# Named barriers ----------------------------------------------------------------------------------------------------------


@triton.jit
def idle():
    pass


@triton.jit
def take_turns(dst, turn, n, CID: tl.constexpr):
    lanes = tl.arange(0, 128)
    if CID == 0:
        tle.gpu.barrier_arrive(turn[CID])
    for i in range(n):
        if i % 2 == 0:
            tl.store(dst + lanes + i * 256, lanes + CID)
        tle.gpu.barrier_wait(turn[CID])
        tl.store(dst + lanes + i * 256 + 128, lanes + CID)
        tle.gpu.barrier_arrive(turn[1 - CID])


@triton.jit
def ping_pong(dst, n):
    turn = tle.gpu.alloc_barriers(2, arrive_count=256)
    tle.gpu.warp_specialize([(idle, ()), (take_turns, (dst, turn, n, 0)), (take_turns, (dst, turn, n, 1))], [4, 4], [152, 152])


def test_named_barriers_keep_their_number_and_place() -> None:
    kernel = compiled(ping_pong, {"dst": "*i32", "n": "i32"})
    ptx = kernel.asm["ptx"]
    waits = re.findall(r"bar(?:rier)?(?:\.cta)?\.sync(?:\.aligned)?\s+(\d+), 256;", ptx)
    arrivals = re.findall(r"bar(?:rier)?(?:\.cta)?\.arrive(?:\.aligned)?\s+(\d+), 256;", ptx)
    assert sorted(waits) == ["4", "5"], "one wait for each worker; 0 to 3 are Triton's"
    assert sorted(arrivals) == ["4", "4", "5"]
    assert "mbarrier" not in ptx
    llir = kernel.asm["llir"]
    declared = re.findall(r"declare void @llvm\.nvvm\.barrier\.cta\.(?:sync|arrive)\.aligned\.count\(.*\) (#\d+)", llir)
    assert len(declared) == 2
    for group in declared:
        assert re.search(rf"attributes {group} = \{{ .*\bconvergent\b", llir)


# Rules that only the whole kernel shows -----------------------------------------------------------------------------------


@triton.jit
def waits_named(bars):
    tle.gpu.barrier_wait(bars[0])


@triton.jit
def arrives_with_phase(bars):
    tle.gpu.barrier_arrive(bars[0], phaseIdx=0)


@triton.jit
def mixed():
    bars = tle.gpu.alloc_barriers(1, arrive_count=128)
    tle.gpu.warp_specialize([(waits_named, (bars, )), (arrives_with_phase, (bars, ))], [4], [152])


def test_mixed_use_is_refused_with_both_places() -> None:
    with pytest.raises(LoweringError, match=r"\[B27\]") as caught:
        compiled(mixed, {})
    text = str(caught.value)
    line = waits_named.starting_line_number + 2
    assert f"test_barriers.py:{line}" in text
    assert f"test_barriers.py:{arrives_with_phase.starting_line_number + 2}" in text


@triton.jit
def short_copy(src):
    tile = tle.gpu.alloc([64, 64], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=64 * 64 * 4)
    tle.gpu.copy(src, tile, [64, 64], [0, 0], barrier=full)
    tle.gpu.barrier_wait(full, phaseIdx=0)


def test_wrong_bytes_are_refused() -> None:
    with pytest.raises(LoweringError, match=r"\[C31\] the copies that complete one use of the barrier bring 8192 bytes, but .* 16384"):
        compiled(short_copy, {"src": "tensordesc<fp16[64, 64]>"})
