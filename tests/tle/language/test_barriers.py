"""Barriers: what is refused, the IR of what is not, and how barriers travel through a kernel."""
from __future__ import annotations

import re

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.tle.language.cases import Case, Cases
from tests.tle.language.compiling import calls, ttir

CASES = Cases()
breaks = CASES.breaks

# --- rules -----------------------------------------------------------------------------------------------------------


@breaks("I14", "alloc_barriers needs a Hopper GPU (sm_90), but the kernel is compiled for sm_80", capability=80)
def barriers_on_ampere():
    tle.gpu.alloc_barrier()  # <-


@breaks("A16", "num_ctas=2", num_ctas=2)
def barriers_in_a_cluster():
    tle.gpu.alloc_barrier()  # <-


@breaks("B1", "num_barriers must be a compile-time integer, but got a scalar of type int32")
def count_at_run_time(n):
    tle.gpu.alloc_barriers(n)  # <-


@breaks("B1", "but got None")
def count_none():
    tle.gpu.alloc_barriers(None)  # <-


@breaks("B1", "but got True (bool)")
def count_bool():
    tle.gpu.alloc_barriers(True)  # <-


@breaks("B2", "num_barriers must be positive and at most 4096, but got 0")
def count_zero():
    tle.gpu.alloc_barriers(0)  # <-


@breaks("B2", "but got 4097")
def count_of_elements():
    tle.gpu.alloc_barriers(64 * 64 + 1)  # <-


@breaks("B3", "arrive_count must be a compile-time integer, but got a scalar of type int32")
def arrive_count_at_run_time(n):
    tle.gpu.alloc_barriers(2, arrive_count=n)  # <-


@breaks("B3", "but got 1.0 (float)")
def arrive_count_float():
    tle.gpu.alloc_barrier(1.0)  # <-


@breaks("B4", "arrive_count must be positive and at most 1048575, but got 0")
def arrive_count_zero():
    tle.gpu.alloc_barrier(arrive_count=0)  # <-


@breaks("B4", "but got 1048576")
def arrive_count_beyond_20_bits():
    tle.gpu.alloc_barrier(arrive_count=1 << 20)  # <-


@breaks("B5", "barrier init must be tle.gpu.PENDING or tle.gpu.READY, but got 'full' (str)")
def init_unknown():
    tle.gpu.alloc_barrier(init="full")  # <-


@breaks("B5", "but got 1 (int)")
def init_int():
    tle.gpu.alloc_barriers(2, init=1)  # <-


@breaks("B6", "expect_bytes must be a compile-time integer or None, but got a scalar of type int32")
def expect_bytes_at_run_time(n):
    tle.gpu.alloc_barrier(expect_bytes=n)  # <-


@breaks("B7", "expect_bytes must be a positive multiple of 16 of at most 1048560, but got 0")
def expect_no_bytes():
    tle.gpu.alloc_barrier(expect_bytes=0)  # <-


@breaks("B7", "but got 100")
def expect_odd_bytes():
    tle.gpu.alloc_barrier(expect_bytes=100)  # <-


@breaks("B7", "but got 1048576")
def expect_too_many_bytes():
    tle.gpu.alloc_barrier(expect_bytes=1 << 20)  # <-


@breaks("B40", "a barrier with expect_bytes=128 has arrive_count 1, but got 2")
def expect_bytes_and_arrivals():
    tle.gpu.alloc_barriers(2, arrive_count=2, expect_bytes=128)  # <-


@breaks("B8", "barrier_wait expects a tle.gpu barrier, but got buffered_tensor<64xint64")
def wait_on_a_buffer():
    buf = tle.gpu.alloc([64], tl.int64)
    tle.gpu.barrier_wait(buf, phaseIdx=0)  # <-


@breaks("B8", "barrier_arrive expects a tle.gpu barrier, but got None")
def arrive_at_nothing():
    tle.gpu.barrier_arrive(None, phaseIdx=0)  # <-


@breaks("B9", "barrier_wait takes one barrier, but got an array of 2. Index it, e.g. bars[i]")
def wait_on_an_array():
    bars = tle.gpu.alloc_barriers(2)
    tle.gpu.barrier_wait(bars, phaseIdx=0)  # <-


@breaks("B10", "a tle.gpu barrier slot cannot be indexed again, but got an index of a barrier slot<arrive_count=3, PENDING>")
def slot_of_a_slot():
    bars = tle.gpu.alloc_barriers(2, arrive_count=3)
    bars[0][0]  # <-


@breaks("B10", "barrier slot<arrive_count=1, READY>")
def slot_of_a_single_barrier():
    bar = tle.gpu.alloc_barrier(init=tle.gpu.READY)
    tle.gpu.barrier_wait(bar[0], phaseIdx=0)  # <-


@breaks("B11", "barrier index 2 is out of bounds for 2 barriers; allowed are 0 to 1")
def index_beyond_the_end():
    bars = tle.gpu.alloc_barriers(2)
    bars[2]  # <-


@breaks("B11", "barrier index -1 is out of bounds for 3 barriers; allowed are 0 to 2. Negative numbers do not count from the end")
def index_of_the_stage_before_the_first(n):
    bars = tle.gpu.alloc_barriers(3)
    for i in tl.static_range(2):
        tle.gpu.barrier_wait(bars[i - 1], phaseIdx=0)  # <-


@breaks("B12", "barrier index must be a scalar integer, but got 0.5 (float)")
def index_float():
    bars = tle.gpu.alloc_barriers(2)
    bars[0.5]  # <-


@breaks("B12", "but got a tensor of shape (2,) and type int32")
def index_tensor():
    bars = tle.gpu.alloc_barriers(2)
    bars[tl.arange(0, 2)]  # <-


@breaks("B12", "but got a scalar of type int1")
def index_bool(n):
    bars = tle.gpu.alloc_barriers(2)
    bars[n > 0]  # <-


@breaks("B12", "but got a tuple (0 (int), 0 (int))")
def index_pair():
    bars = tle.gpu.alloc_barriers(2)
    bars[0, 0]  # <-


@breaks("B13", "barrier phaseIdx must be a scalar integer or None, but got 0.5 (float)")
def phase_float():
    tle.gpu.barrier_wait(tle.gpu.alloc_barrier(), phaseIdx=0.5)  # <-


@breaks("B13", "but got True (bool)")
def phase_bool():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(), phaseIdx=True)  # <-


@breaks("B13", "but got a scalar of type int1")
def phase_comparison(n):
    tle.gpu.barrier_wait(tle.gpu.alloc_barrier(), phaseIdx=n > 0)  # <-


@breaks("B13", "but got a tensor of shape (2,) and type int32")
def phase_tensor():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(), phaseIdx=tl.arange(0, 2))  # <-


@breaks("B14", "barrier_wait without phaseIdx selects a named barrier, which does not support READY")
def named_wait_ready():
    tle.gpu.barrier_wait(tle.gpu.alloc_barrier(128, tle.gpu.READY))  # <-


@breaks("B14", "barrier_arrive without phaseIdx selects a named barrier, which does not support READY")
def named_arrive_ready():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(128, tle.gpu.READY))  # <-


@breaks("B15", "barrier_wait on a barrier with expect_bytes=128 requires phaseIdx")
def named_wait_bytes():
    tle.gpu.barrier_wait(tle.gpu.alloc_barrier(expect_bytes=128))  # <-


@breaks("B15", "barrier_arrive on a barrier with expect_bytes=128 requires phaseIdx")
def named_arrive_bytes():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(expect_bytes=128))  # <-


@breaks("B16", "must be a compile-time integer from 1 to the barrier's arrive_count, 1, but got 2 (int)")
def arrive_twice_at_once():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(), 2, phaseIdx=0)  # <-


@breaks("B16", "arrive_count, 4, but got 0 (int)")
def arrive_never():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(4), 0, 0)  # <-


@breaks("B16", "but got a scalar of type int32")
def arrive_at_run_time(n):
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(4), n, 0)  # <-


@breaks("B17", "a named barrier requires barrier_arrive arrive_count = 1, but got 2 (int)")
def named_arrive_twice():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(256), 2)  # <-


@breaks("B18", "barrier_wait without phaseIdx selects a named barrier, which requires a static barrier slot index")
def named_dynamic_slot(n):
    bars = tle.gpu.alloc_barriers(2, 128)
    tle.gpu.barrier_wait(bars[n % 2])  # <-


@breaks("B19", "barrier_arrive on a barrier with expect_bytes=128: such a barrier is for the completion of TMA loads only")
def arrive_for_a_copy():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(expect_bytes=128), phaseIdx=0)  # <-


@breaks("B41", "barrier_wait without phaseIdx selects a named barrier, whose arrive_count is the number of threads that take part, a multiple of 32 up to "
        "1024, but it is 2")
def named_arrivals():
    tle.gpu.barrier_wait(tle.gpu.alloc_barrier(arrive_count=2))  # <-


@breaks("B41", "but it is 1056")
def named_too_many_threads():
    tle.gpu.barrier_arrive(tle.gpu.alloc_barrier(arrive_count=1056))  # <-


@breaks("C18", "copy barrier is only supported for TMA global-to-shared copy, but src=a tensor of shape (64,) and type pointer<fp16>")
def barrier_of_a_pointer_copy(x):
    buf = tle.gpu.alloc([64], tl.float16)
    bar = tle.gpu.alloc_barrier(expect_bytes=128)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64], barrier=bar)  # <-


@breaks("C18", "dst=a descriptor of blocks of shape (64, 64) and type fp16")
def barrier_of_a_store(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    bar = tle.gpu.alloc_barrier(expect_bytes=8192)
    tle.gpu.copy(buf, d, [64, 64], [0, 0], barrier=bar)  # <-


@breaks("B8", "copy expects a tle.gpu barrier, but got 1 (int)")
def barrier_of_another_kind(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [0, 0], barrier=1)  # <-


@breaks("B9", "copy takes one barrier, but got an array of 2")
def barrier_array_of_a_copy(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    bars = tle.gpu.alloc_barriers(2, expect_bytes=8192)
    tle.gpu.copy(d, buf, [64, 64], [0, 0], barrier=bars)  # <-


@breaks("C40", "TMA copy barrier must be allocated with expect_bytes, but got barrier slot<arrive_count=1, PENDING>")
def barrier_without_bytes(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [0, 0], barrier=tle.gpu.alloc_barrier())  # <-


@breaks("C41", "the copy moves 8192 bytes (shape (64, 64), type fp16), but its barrier completes a use with 4096")
def barrier_of_a_smaller_tile(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [0, 0], barrier=tle.gpu.alloc_barrier(expect_bytes=64 * 64))  # <-


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_compiled()


# --- IR --------------------------------------------------------------------------------------------------------------

SLOT = "!ttg.memdesc<1xi64, #shared, #smem, mutable>"


@triton.jit
def allocations(N: tl.constexpr, COUNT: tl.constexpr, INIT: tl.constexpr, BYTES: tl.constexpr):
    tle.gpu.alloc_barriers(N, COUNT, INIT, BYTES)


@pytest.mark.parametrize("init, ready", [("PENDING", "false"), ("pending", "false"), ("Ready", "true"), (None, "false"), (tle.gpu.READY, "true")])
def test_allocation(init: object, ready: str) -> None:
    text = ttir(allocations, {}, {"N": 5, "COUNT": 2, "INIT": init, "BYTES": None})
    assert calls(text, "alloc_barriers") == [
        f"%0 = tt.call @tle.alloc_barriers.0() {{tle.arrive_count = 2 : i32, tle.ready = {ready}}} : "
        "() -> !ttg.memdesc<5x1xi64, #shared, #smem, mutable>"
    ]
    assert "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>" in text
    assert 'tle.wgmma_pipeline_mode = "user_promise"' in text


def test_expected_bytes_are_in_the_allocation() -> None:
    text = ttir(allocations, {}, {"N": 1, "COUNT": 1, "INIT": "pending", "BYTES": 4096})
    assert "{tle.arrive_count = 1 : i32, tle.expect_bytes = 4096 : i32, tle.ready = false}" in text


@triton.jit
def defaults(E: tl.constexpr):
    if E:
        bar = tle.gpu.alloc_barrier(arrive_count=None, init=None, expect_bytes=None)
        named = tle.gpu.alloc_barriers(num_barriers=1, arrive_count=128, init=None, expect_bytes=None)
        tle.gpu.barrier_arrive(bar=bar, arrive_count=None, phaseIdx=0)
        tle.gpu.barrier_wait(bar=named, phaseIdx=None)
        tle.gpu.barrier_arrive(bar=named, arrive_count=None, phaseIdx=None)
    else:
        bar = tle.gpu.alloc_barrier()
        named = tle.gpu.alloc_barriers(1, 128)
        tle.gpu.barrier_arrive(bar, phaseIdx=0)
        tle.gpu.barrier_wait(named)
        tle.gpu.barrier_arrive(named)


def test_optional_arguments_omitted_and_none() -> None:
    assert ttir(defaults, {}, {"E": True}) == ttir(defaults, {}, {"E": False})


@triton.jit
def constant_use(USE: tl.constexpr, INIT: tl.constexpr):
    bar = tle.gpu.alloc_barrier(init=INIT)
    tle.gpu.barrier_wait(bar, phaseIdx=USE)


@pytest.mark.parametrize("init, use, parity", [("pending", 0, 0), ("pending", 1, 1), ("pending", 6, 0), ("ready", 0, 1), ("ready", 1, 0),
                                               ("ready", 2**40, 1), ("pending", -1, 1)])
def test_phase_of_a_constant_use(init: str, use: int, parity: int) -> None:
    """(phaseIdx & 1) ^ init_polarity."""
    text = ttir(constant_use, {}, {"USE": use, "INIT": init})
    (wait, ) = calls(text, "barrier_wait")
    (operand, ) = re.findall(r"\(%\d+, (%\w+)\)", wait)
    assert f"{operand} = arith.constant {parity} : i32" in text


@triton.jit
def use_at_run_time(n, wide, INIT: tl.constexpr):
    bar = tle.gpu.alloc_barrier(init=INIT)
    tle.gpu.barrier_wait(bar, phaseIdx=n)
    tle.gpu.barrier_wait(bar, phaseIdx=wide)


@pytest.mark.parametrize("init", ["pending", "ready"])
@pytest.mark.parametrize("small, large", [("i32", "i64"), ("u32", "i8")])
def test_phase_of_a_use_at_run_time(init: str, small: str, large: str) -> None:
    text = ttir(use_at_run_time, {"n": small, "wide": large}, {"INIT": init}, optimize=False)
    assert text.count("arith.andi") == 2
    assert text.count("arith.xori") == (2 if init == "ready" else 0)
    assert all(f"({SLOT}, i32)" in line for line in calls(text, "barrier_wait"))


@triton.jit
def wait_and_arrive(bars, i, use):
    tle.gpu.barrier_wait(bars[i], phaseIdx=use)
    arrive(bars, i, use)


@triton.jit
def arrive(bars, i, use):
    tle.gpu.barrier_arrive(bars[i], phaseIdx=use)


@triton.jit
def ring(n, wide, STAGES: tl.constexpr):
    SLOTS: tl.constexpr = STAGES - 1
    bars = tle.gpu.alloc_barriers(num_barriers=SLOTS, arrive_count=1, init=tle.gpu.READY)
    for i in range(n):
        wait_and_arrive(bars, i % SLOTS, i // SLOTS)
    for j in range(wide):
        wait_and_arrive(bars, j % SLOTS, j // SLOTS)


@pytest.mark.parametrize("stages", [2, 3, 4, 6])
def test_rings_of_any_depth_index_in_helpers(stages: int) -> None:
    text = ttir(ring, {"n": "i32", "wide": "i64"}, {"STAGES": stages})
    assert len(calls(text, "barrier_wait")) == len(calls(text, "barrier_arrive")) == 2
    assert all("(!ttg.memdesc" in line and ", i32) -> " in line for line in calls(text, "slot"))
    assert text.count("@tle.slot.") == 4 + 1


@triton.jit
def debugged(n):
    bars = tle.gpu.alloc_barriers(3)
    buf = tle.gpu.alloc([4, 64], tl.float16)
    buf[(n - 1) % 4].store(tl.zeros([64], tl.float16))
    tle.gpu.barrier_arrive(bars[(n - 1) % 3], phaseIdx=0)


@pytest.mark.parametrize("debug", [False, True])
def test_debugging_guards_an_index_of_run_time(debug: bool) -> None:
    text = ttir(debugged, {"n": "i32"}, debug=debug)
    assert ("barrier index is not between 0 and 2" in text) == ("buffer index is not between 0 and 3" in text) == debug


@triton.jit
def choose(n):
    first = tle.gpu.alloc_barriers(2, 3)
    second = tle.gpu.alloc_barriers(2, 3)
    pair = (first, second)
    if n > 4:
        bars = pair[0]
    else:
        bars = pair[1]
    slot = bars[0]
    for i in range(n):
        tle.gpu.barrier_arrive(slot, 2, phaseIdx=i)
        slot = bars[1]


def test_barriers_pass_through_branches_loops_and_tuples() -> None:
    text = ttir(choose, {"n": "i32"}, optimize=False)
    assert re.search(r"scf.if .* -> \(!ttg.memdesc<2x1xi64", text)
    assert re.search(r"iter_args\(.*\) -> \(!ttg.memdesc<1xi64", text)
    assert calls(text, "barrier_arrive")[0].endswith(f"{{tle.count = 2 : i32}} : ({SLOT}) -> ()")


@triton.jit
def slots_of_two_arrays(n):
    slot = tle.gpu.alloc_barriers(2)[0]
    tle.gpu.barrier_arrive(slot, phaseIdx=0)
    others = tle.gpu.alloc_barriers(3)
    for i in range(n):
        slot = others[i % 3]
        tle.gpu.barrier_arrive(slot, phaseIdx=i // 3)


def test_a_name_can_go_from_a_slot_of_one_array_to_one_of_another_length() -> None:
    assert len(calls(ttir(slots_of_two_arrays, {"n": "i32"}), "barrier_arrive")) == 2


@triton.jit
def branches_of_two_kinds(n):
    a = tle.gpu.alloc_barriers(2, 3)
    b = tle.gpu.alloc_barriers(2, 4)
    if n > 4:
        c = a
    else:
        c = b
    tle.gpu.barrier_arrive(c[0], phaseIdx=0)


def test_a_branch_cannot_choose_between_barriers_of_two_types() -> None:
    with pytest.raises(triton.CompilationError, match="initial value for `c`|Mismatched type for c"):
        ttir(branches_of_two_kinds, {"n": "i32"})


@triton.jit
def named():
    one = tle.gpu.alloc_barriers(1, arrive_count=256)
    tle.gpu.barrier_arrive(one)
    for i in tl.static_range(1):
        tle.gpu.barrier_wait(one[i])


def test_without_a_use_the_barrier_is_named() -> None:
    text = ttir(named, {})
    assert calls(text, "named_barrier_arrive")[0].endswith(f": ({SLOT}) -> ()")
    assert calls(text, "named_barrier_wait")[0].endswith(f": ({SLOT}) -> ()")
    assert not calls(text, "barrier_wait") and not calls(text, "barrier_arrive")


@triton.jit
def completion(d, x, n):
    e = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    buf = tle.gpu.alloc([2, 64, 64], tl.float16)
    bar = tle.gpu.alloc_barrier(expect_bytes=2 * 64 * 64 * 2)
    tle.gpu.copy(d, buf[0], [64, 64], [n, 0], barrier=bar)
    tle.gpu.copy(src=e, dst=buf[1], shape=[64, 64], offsets=(0, n), barrier=bar)
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.copy(buf[1], d, [64, 64], [n, 0], barrier=None)


def test_copies_complete_on_a_barrier() -> None:
    text = ttir(completion, {"d": "tensordesc<fp16[64, 64]>", "x": "*fp16", "n": "i32"})
    first, second = calls(text, "async_tma_load")
    for line in (first, second):
        assert "(!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, " in line
        assert re.search(r", !ttg.memdesc<1xi64, #shared\d*, #smem, mutable>\) -> \(\)$", line)
    assert not calls(text, "tma_load") and len(calls(text, "tma_store")) == 1
