"""Warp specialization: what is refused, the IR of what is not, and what partitions can take and give."""
from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.language import register_budget
from flagtree.language.errors import RegisterBudgetError
from flagtree.language.register_budget import Workers

from tests.tle.language.cases import Case, Cases
from tests.tle.language.compiling import calls, ttir

CASES = Cases()
breaks = CASES.breaks


@triton.jit
def idle():
    pass


@triton.jit
def take(value):
    tl.device_assert(value == 0)


@triton.jit
def take_constant(CID: tl.constexpr):
    tl.static_assert(CID >= 0)


@triton.jit
def take_any(value):
    pass


@triton.jit
def variadic(*values):
    pass


@triton.jit(noinline=True)
def not_inlined():
    pass


def plain():
    pass


@triton.jit
def nest():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24])  # <-


@triton.jit
def nest_in_a_helper():
    nest()


@triton.jit
def give():
    return 1


# --- rules -----------------------------------------------------------------------------------------------------------


@breaks("I14", "warp_specialize needs a Hopper GPU (sm_90), but the kernel is compiled for sm_80", capability=80)
def on_ampere():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24])  # <-


@breaks("S1", "requires a list of (fn, args) with at least a default partition, but got a tuple ()")
def no_partition():
    tle.gpu.warp_specialize([], [], [])  # <-


@breaks("S1", "but got None")
def partitions_none():
    tle.gpu.warp_specialize(None, [], [])  # <-


@breaks("S2", "warp_specialize entry 1 must be (fn, args), but got a tuple")
def three_in_an_entry():
    tle.gpu.warp_specialize([(idle, ()), (take_constant, (), 0)], [4], [24])  # <-


@breaks("S2", "warp_specialize entry 0 must be (fn, args), but got JITFunction")
def a_function_alone():
    tle.gpu.warp_specialize([idle, (idle, ())], [4], [24])  # <-


@breaks("S3", "warp_specialize entry 1: 1 (int) is no function decorated with @triton.jit")
def no_function():
    tle.gpu.warp_specialize([(idle, ()), (1, ())], [4], [24])  # <-


@breaks("S4", "warp_specialize entry 1: the arguments of take must be a tuple, but got a scalar of type int32. Write (x, ) for one argument")
def one_argument_without_a_tuple(n):
    tle.gpu.warp_specialize([(idle, ()), (take, n)], [4], [24])  # <-


@breaks("S5", "worker_num_warps must be a list with one integer for each of the 1 workers, but got a tuple (4 (int), 4 (int))")
def too_many_warp_counts():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4, 4], [24])  # <-


@breaks("S5", "worker_num_regs must be a list with one integer for each of the 2 workers, but got a tuple (24 (int))")
def too_few_register_counts():
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ())], [4, 4], [24])  # <-


@breaks("S5", "worker_num_warps must be a list with one integer for each of the 1 workers, but got 4 (int)")
def warp_count_without_a_list():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], 4, [24])  # <-


@breaks("S6", "worker_num_warps[0] must be 1, 2, 4, 8 or 16, but got 3 (int)")
def three_warps():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [3], [24])  # <-


@breaks("S6", "worker_num_warps[1] must be 1, 2, 4, 8 or 16, but got a scalar of type int32")
def warps_at_run_time(n):
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ())], [4, n], [24, 24])  # <-


@breaks("S7", "warp_specialize entry 1: the arguments do not fit take(value): missing a required argument: 'value'")
def argument_missing():
    tle.gpu.warp_specialize([(idle, ()), (take, ())], [4], [24])  # <-


@breaks("S7", "warp_specialize entry 0: the arguments do not fit idle(): too many positional arguments")
def argument_too_many(n):
    tle.gpu.warp_specialize([(idle, (n, )), (idle, ())], [4], [24])  # <-


@breaks("S7", "the arguments do not fit variadic(values): it has variadic or keyword-only parameters")
def variadic_function(n):
    tle.gpu.warp_specialize([(idle, ()), (variadic, (n, n))], [4], [24])  # <-


@breaks("S8", "warp_specialize entry 1: parameter CID of take_constant is a tl.constexpr, but got a scalar of type int32")
def constant_at_run_time(n):
    tle.gpu.warp_specialize([(idle, ()), (take_constant, (n, ))], [4], [24])  # <-


@breaks("S9", "launched with num_warps=1", num_warps=1)
def launched_with_one_warp():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24])  # <-


@breaks("S9", "launched with num_warps=2", num_warps=2)
def launched_with_two_warps():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24])  # <-


@breaks("S10", "8 warps of the default partition and 25 of 3 workers, rounded up to warp groups of 4 by 2 idle workers, are 36 warps, 1152 threads",
        num_warps=8)
def too_many_threads():
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ()), (idle, ())], [16, 8, 1], [24, 24, 24])  # <-


@breaks("S10", "15 of 15 workers")
def too_many_workers():
    tle.gpu.warp_specialize([(idle, ())] * 16, [1] * 15, [24] * 15)  # <-


@breaks("S10", "13 of 13 workers, rounded up to warp groups of 4 by 2 idle workers")
def too_many_workers_with_the_idle_ones():
    tle.gpu.warp_specialize([(idle, ())] * 14, [1] * 13, [24] * 13)  # <-


@breaks("S11", "would get 0 registers for each thread, but needs 24. 12 warps start with 168 each, 64512 in all; the workers' warp groups ask for [256, 248], "
        "64512 in all; the rest is for 4 warps")
def too_many_registers():
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ())], [4, 4], [256, 248])  # <-


@breaks("S12", "warp_specialize inside a partition of another one is not supported")
def nested_in_a_worker():
    tle.gpu.warp_specialize([(idle, ()), (nest, ())], [4], [24])


@breaks("S12", "warp_specialize inside a partition of another one is not supported")
def nested_in_a_helper_of_the_default_partition():
    tle.gpu.warp_specialize([(nest_in_a_helper, ()), (idle, ())], [4], [24])


@breaks("S13", "warp_specialize entry 1: argument value is a tensor of shape (64,) and type int32, but a worker cannot take block tensors")
def tensor_for_a_worker():
    tle.gpu.warp_specialize([(idle, ()), (take_any, (tl.arange(0, 64), ))], [4], [24])  # <-


@breaks("S13", "argument value is a tensor of shape (64,) and type int32")
def tensor_in_a_tuple_for_a_worker(n):
    tle.gpu.warp_specialize([(idle, ()), (take_any, ((n, (tl.arange(0, 64), 1)), ))], [4], [24])  # <-


@breaks("S13", "a worker cannot take block tensors or block pointers")
def block_pointer_for_a_worker(x, n):
    p = tl.make_block_ptr(x, [n, n], [n, 1], [0, 0], [64, 64], [1, 0])
    tle.gpu.warp_specialize([(idle, ()), (take_any, (p, ))], [4], [24])  # <-


@breaks("S14", "worker_num_regs[0] must be a multiple of 8 from 24 to 256, but got 0 (int)")
def registers_0():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [0])  # <-


@breaks("S14", "but got 16 (int)")
def registers_16():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [16])  # <-


@breaks("S14", "but got 23 (int)")
def registers_23():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [23])  # <-


@breaks("S14", "but got 100 (int)")
def registers_100():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [100])  # <-


@breaks("S14", "but got 264 (int)")
def registers_264():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [264])  # <-


@breaks("S14", "worker_num_regs[0] must be a multiple of 8 from 24 to 256, but got 24.0 (float)")
def registers_float():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24.0])  # <-


@breaks("S15", "maxnreg=240 for 384 threads takes more than the 65536 registers of a multiprocessor. Leave maxnreg out, or launch with 170 or less", maxnreg=240)
def launch_with_too_many_registers():
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ())], [4, 4], [24, 24])  # <-


@breaks("S16", "this one has 8 worker warps (2 groups) and another 4 (1)")
def two_sizes():
    tle.gpu.warp_specialize([(idle, ()), (idle, ())], [4], [24])
    tle.gpu.warp_specialize([(idle, ()), (idle, ()), (idle, ())], [4, 4], [24, 24])  # <-


@breaks("S17", "warp_specialize entry 1: give returns a value, but only the default partition can")
def worker_with_a_result():
    tle.gpu.warp_specialize([(give, ()), (give, ())], [4], [24])  # <-


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_compiled()


@triton.jit
def undecorated_worker():
    tle.gpu.warp_specialize([(idle, ()), (plain, ())], [4], [24])


@triton.jit
def noinline_worker():
    tle.gpu.warp_specialize([(idle, ()), (not_inlined, ())], [4], [24])


@pytest.mark.parametrize("kernel, says", [(noinline_worker, r"\[S3\] warp_specialize entry 1: not_inlined is noinline"),
                                          (undecorated_worker, "plain")], ids=["noinline", "undecorated"])
def test_functions_that_are_no_partitions(kernel: Any, says: str) -> None:
    """Stock Triton itself refuses the name of a function that is not decorated."""
    with pytest.raises(Exception, match=says):
        ttir(kernel, {})


@triton.jit
def wrong_in_a_worker(bars):
    tle.gpu.barrier_wait(bars[7], phaseIdx=0)  # wrong


@triton.jit
def error_in_a_worker():
    bars = tle.gpu.alloc_barriers(2)
    tle.gpu.warp_specialize([(idle, ()), (wrong_in_a_worker, (bars, ))], [4], [24])  # call


def test_an_error_in_a_partition_names_its_line_and_the_call() -> None:
    with pytest.raises(triton.CompilationError) as caught:
        ttir(error_in_a_worker, {})
    text = str(caught.value)
    assert "[B11]" in text and "# wrong" in text and text.count("# call") == 1


# --- registers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("launch, warps, registers, left", [
    (4, (4, ), (24, ), 488), (4, (4, 4), (168, 168), 168), (4, (4, 4), (240, 240), 24), (4, (4, 4, 4), (160, 160, 160), 32),
    (8, (4, ), (240, ), 128), (4, (1, ), (24, ), 488), (4, (4, 1, 1, 1, 1), (152, 24, 24, 48, 24), 304), (4, (8, ), (240, ), 24),
    (4, (1, 4), (24, 232), 248), (16, (4, ), (24, ), 112), (4, (2, 1), (40, 56), 456),
])
def test_what_is_left_for_the_default_partition(launch: int, warps: tuple[int, ...], registers: tuple[int, ...], left: int) -> None:
    """The figures are those of stock Triton's pass allocate-warp-groups."""
    workers = Workers(warps, registers)
    register_budget.check(workers, launch, None, [])
    base = 65536 // ((launch + 4 * workers.groups) * 32) // 8 * 8
    assert register_budget.default_registers(register_budget.group_registers(workers), launch, base) == left


def test_a_launch_may_limit_the_registers() -> None:
    register_budget.check(Workers((4, ), (168, )), 4, 128, [])
    with pytest.raises(RegisterBudgetError, match=r"\[S11\] .* would get 16 registers for each thread, but needs 24"):
        register_budget.check(Workers((4, ), (240, )), 4, 128, [])


# --- IR --------------------------------------------------------------------------------------------------------------


def operands(text: str) -> list[str]:
    """Types of the captures of the only warp_specialize."""
    (found, ) = re.findall(r"\n +} : \((.*)\) -> [^\n]*\n", text)
    return re.split(r", (?=[!i])", found) if found else []


@triton.jit
def producer(d, a, empty, full, n):
    for i in range(n):
        tle.gpu.barrier_wait(empty[i % 2], phaseIdx=i // 2)
        tle.gpu.copy(d, a[i % 2], d.block_shape, [0, i * 64], barrier=full[i % 2])


@triton.jit
def release(empty, i):
    tle.gpu.barrier_arrive(empty[i % 2], phaseIdx=i // 2)


@triton.jit
def consumer(d, a, empty, full, n, out, CID: tl.constexpr):
    o = tl.arange(0, 64)
    tile = out + CID * 4096 + o[:, None] * 64 + o[None, :]
    for i in range(n):
        tle.gpu.barrier_wait(full[i % 2], phaseIdx=i // 2)
        tl.store(tile, a[i % 2].load())
        release(empty, i)


@triton.jit
def pipeline(d, out, n):
    a = tle.gpu.alloc([2, 64, 64], tl.float16)
    empty = tle.gpu.alloc_barriers(2, arrive_count=2, init=tle.gpu.READY)
    full = tle.gpu.alloc_barriers(2, expect_bytes=8192)
    tle.gpu.warp_specialize([(producer, (d, a, empty, full, n)), (consumer, (d, a, empty, full, n, out, 0)),
                             (consumer, (d, a, empty, full, n, out, 1))], [4, 4], [168, 168])


SIGNATURE = {"d": "tensordesc<fp16[64, 64]>", "out": "*fp16", "n": "i32"}


@pytest.mark.parametrize("num_warps", [4, 8])
def test_one_op_with_a_region_for_each_partition(num_warps: int) -> None:
    text = ttir(pipeline, SIGNATURE, num_warps=num_warps)
    assert "attributes {requestedRegisters = array<i32: 168, 168>}" in text
    assert re.findall(r"partition(\d)\(.*\) num_warps\((\d)\)", text) == [("0", "4"), ("1", "4")]
    assert text.count("ttg.warp_return") == 2 and text.count("ttg.warp_yield") == 1
    for attribute in (f'"ttg.num-warps" = {num_warps} : i32', '"ttg.num-ctas" = 1 : i32', '"ttg.threads-per-warp" = 32 : i32',
                      'ttg.target = "cuda:90"'):
        assert attribute in text
    assert len(calls(text, "barrier_arrive")) == 2 and "%c4096_i32 = arith.constant 4096 : i32" in text


def test_captures_are_taken_once() -> None:
    """Before the canonicalizer: two workers with the same arguments, a descriptor with its shape and strides."""
    text = ttir(pipeline, SIGNATURE, optimize=False)
    types = operands(text)
    assert [t for t in types if "memdesc<2x64x64xf16" in t and "tensordesc" not in t] and len(types) == 10
    assert sum("tensordesc" in t for t in types) == 1 and types.count("i64") == 2 and types.count("!tt.ptr<f16>") == 1


def test_helpers_exist_once_for_each_number_of_warps() -> None:

    @triton.jit
    def kernel(out, n):
        empty = tle.gpu.alloc_barriers(2)
        tle.gpu.warp_specialize([(release, (empty, n)), (release, (empty, n)), (release, (empty, n)), (release, (empty, n))],
                                [4, 2, 2], [24, 24, 24])

    text = ttir(kernel, {"out": "*fp16", "n": "i32"}, optimize=False)
    found = re.findall(r'func private @"?\S*release\S*(_TLEWS\w+)"?\(.* attributes {noinline = false, "ttg.num-warps" = (\d) : i32}', text)
    assert sorted(found) == [("_TLEWSDEFAULT", "4"), ("_TLEWSNW2", "2"), ("_TLEWSNW4", "4")]


@triton.jit
def by_descriptor(d, buf, bar):
    load_tile(d, buf, bar)


@triton.jit
def load_tile(d, buf, bar):
    tle.gpu.copy(d, buf, d.block_shape, [d.shape[0] - 64, 0], barrier=bar)


@triton.jit
def descriptors_in_helpers(d, x, n, DEVICE: tl.constexpr):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    bar = tle.gpu.alloc_barrier(expect_bytes=8192)
    e = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    desc = e if DEVICE else d
    tle.gpu.warp_specialize([(idle, ()), (by_descriptor, (desc, buf, bar))], [1], [24])


@pytest.mark.parametrize("device", [False, True])
def test_descriptors_keep_shape_and_strides_in_helpers(device: bool) -> None:
    text = ttir(descriptors_in_helpers, {"d": "tensordesc<fp16[64, 64]>", "x": "*fp16", "n": "i32"}, {"DEVICE": device})
    body = text[text.index("partition0"):]
    assert "arith.subi" in body and len(calls(body, "async_tma_load")) == 1
    assert len(calls(text, "async_tma_load")) == 1


@triton.jit
def many(a, pair, none, flag: tl.constexpr, real, name: tl.constexpr, dtype: tl.constexpr, fn: tl.constexpr, default=7):
    tl.static_assert(none is None)
    tl.static_assert(flag)
    tl.static_assert(real == 0.5)
    tl.static_assert(name == "x")
    tl.static_assert(default == 7)
    fn(pair[1][0], tl.full([16], pair[1][1], dtype), a)


@triton.jit
def add(x, y, p):
    tl.store(p + tl.arange(0, 16), y + x)


@triton.jit
def arguments_of_all_kinds(p, n):
    tle.gpu.warp_specialize([(many, (p, (1, (n, 3)), None, True, 0.5, "x", tl.int32, add)),
                             (many, (p, (1, (n, 3)), None, True, 0.5, "x", tl.int32, add))], [4], [24])


def test_arguments_of_all_kinds() -> None:
    text = ttir(arguments_of_all_kinds, {"p": "*i32", "n": "i32"})
    assert operands(text) == ["!tt.ptr<i32>", "i32"]
    assert text.count("tt.store") == 2


@triton.jit
def results(n, x):
    return n + 1, (tl.arange(0, 16), x), n * 2.0


@triton.jit
def one_result(n):
    return n + 1


@triton.jit
def gives(p, n):
    a, b, c = tle.gpu.warp_specialize([(results, (n, p)), (idle, ())], [4], [24])
    d = tle.gpu.warp_specialize([(one_result, (a, )), (idle, ())], [4], [24])
    tl.store(b[1] + b[0], d + c.to(tl.int32))


def test_results_of_the_default_partition() -> None:
    text = ttir(gives, {"p": "*i32", "n": "i32"})
    assert re.search(r"} : \(\) -> \(i32, tensor<16xi32>, !tt.ptr<i32>, f32\)", text)
    assert re.search(r"} : \(\) -> i32\n", text)


@triton.jit
def early(p, n):
    if n > 3:
        return
    tl.store(p, n)


@triton.jit
def returns_early(p, n):
    tle.gpu.warp_specialize([(early, (p, n)), (early, (p, n))], [4], [24])


def test_a_partition_may_return_early() -> None:
    text = ttir(returns_early, {"p": "*i32", "n": "i32"})
    assert text.count("tt.store") == 2 and text.count("cf.cond_br") == 2


@triton.jit
def single(bar, j):
    tle.gpu.barrier_arrive(bar, phaseIdx=j)


def test_inside_loops_and_branches() -> None:

    @triton.jit
    def kernel(p, n):
        bar = tle.gpu.alloc_barrier()
        i = 0
        while i < n:
            if i % 2 == 0:
                i += tle.gpu.warp_specialize([(one_result, (n, )), (early, (p + i, n))], [4], [24])
            else:
                for j in range(n):
                    tle.gpu.warp_specialize([(early, (p, j)), (single, (bar, j))], [4], [24])
                i += 1

    text = ttir(kernel, {"p": "*i32", "n": "i32"})
    assert text.count("ttg.warp_specialize(") == 2 and "scf.while" in text and "scf.for" in text


@triton.jit
def only_default(p, n):
    tl.store(p, tle.gpu.warp_specialize([(one_result, (n, ))], [], []))


def test_without_workers_the_default_partition_is_a_call() -> None:
    text = ttir(only_default, {"p": "*i32", "n": "i32"})
    assert "ttg.warp_specialize" not in text and "arith.addi" in text


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_worker_warps(warps: int, num_warps: int) -> None:

    @triton.jit
    def kernel(p, n, W: tl.constexpr):
        tle.gpu.warp_specialize([(take, (n, )), (add, (n, 1, p))], [W], [24])

    assert f"num_warps({warps})" in ttir(kernel, {"p": "*i32", "n": "i32"}, {"W": warps}, num_warps=num_warps)


def test_products_need_a_warp_group_in_their_worker() -> None:

    @triton.jit
    def multiply(a):
        tle.gpu.wgmma(a, a)

    @triton.jit
    def kernel(W: tl.constexpr):
        a = tle.gpu.alloc([64, 64], tl.float16)
        tle.gpu.warp_specialize([(idle, ()), (multiply, (a, ))], [W], [24])

    with pytest.raises(triton.CompilationError, match=r"\[W18\] .* this code runs with 2"):
        ttir(kernel, {}, {"W": 2})
    assert len(calls(ttir(kernel, {}, {"W": 4}), "wgmma")) == 1


def test_kernels_compile_beside_each_other() -> None:
    """Two kernels, eight threads, fifty rounds: nothing of one kernel is in another's module."""
    expected = [ttir(pipeline, SIGNATURE), ttir(gives, {"p": "*i32", "n": "i32"})]

    def compile_one(number: int) -> bool:
        text = ttir(pipeline, SIGNATURE) if number % 2 == 0 else ttir(gives, {"p": "*i32", "n": "i32"})
        return text == expected[number % 2]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(compile_one, range(50)))
