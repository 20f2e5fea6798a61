"""NumPy arrays as arguments: plain, in a tuple, as the base of a descriptor, and under a pointer that makes one on the device; and numbers."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import flagtree
import numpy as np
import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.simulator.errors import ScalarArgumentError
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.simulator.samples import gemm, ring_copy

TYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32]


def simulated(kernel):
    return flagtree.simulate(kernel)


def checked(kernel):
    """As `simulated`, through flagtree.check."""

    class Launch:

        def __getitem__(self, grid):

            def launch(*args):
                report = flagtree.check(kernel, schedules=3, progress=False)[grid](*args)
                assert report.ok, report

            return launch

    return Launch()


RUNNERS = pytest.mark.parametrize("run", [simulated, checked], ids=lambda run: run.__name__)


@triton.jit
def through_shared(src, dst, ROWS: tl.constexpr, COLS: tl.constexpr):
    """src: descriptor or pointer; dst: descriptor."""
    tile = tle.gpu.alloc([ROWS, COLS], dst.dtype)
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tle.gpu.copy(src + at, tile, [ROWS, COLS])
    tle.gpu.copy(tile, dst, [ROWS, COLS], [0, 0])


@RUNNERS
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type(run, dtype):
    src = np.arange(-200, 312).reshape(16, 32).astype(dtype)
    dst = np.zeros_like(src)
    run(through_shared)[(1, )](src, TensorDescriptor(dst, [16, 32], [32, 1], [16, 32]), 16, 32)
    assert (dst == src).all()


@RUNNERS
def test_descriptor_of_an_array(run):
    src = np.random.default_rng(0).standard_normal((80, 32)).astype(np.float16)
    dst = np.zeros_like(src)
    descriptor = TensorDescriptor(src, [80, 32], [32, 1], [16, 32])
    assert descriptor.base is src
    run(ring_copy)[(1, )](descriptor, dst, 5, 2, 16, 32)
    assert (dst == src * 2).all()


@RUNNERS
def test_view_with_strides(run):
    """Every second row of a larger array."""
    whole = np.random.default_rng(0).standard_normal((160, 32)).astype(np.float16)
    src, dst = whole[::2], np.zeros((80, 32), np.float16)
    descriptor = TensorDescriptor.from_tensor(src, [16, 32])
    assert (descriptor.shape, descriptor.strides) == ([80, 32], [64, 1])
    run(ring_copy)[(1, )](descriptor, dst, 5, 2, 16, 32)
    assert (dst == src * 2).all()


@RUNNERS
def test_gemm(run):
    random = np.random.default_rng(0)
    a, b = random.standard_normal((128, 80)).astype(np.float16), random.standard_normal((80, 16)).astype(np.float16)
    c = np.zeros((128, 16), np.float16)
    run(gemm)[(2, 1)](TensorDescriptor.from_tensor(a, [64, 16]), TensorDescriptor.from_tensor(b, [16, 16]), c, 16, 5, 2, 64, 16, 16)
    np.testing.assert_allclose(c.astype(np.float32), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-2)


@triton.jit
def descriptor_on_the_device(src, dst, ROWS: tl.constexpr, COLS: tl.constexpr):
    from_src = tl.make_tensor_descriptor(src, [ROWS, COLS], [COLS, 1], [ROWS, COLS])
    tile = tle.gpu.alloc([ROWS, COLS], tl.float32)
    full = tle.gpu.alloc_barrier(expect_bytes=ROWS * COLS * 4)
    tle.gpu.copy(from_src, tile, [ROWS, COLS], [0, 0], barrier=full)
    tle.gpu.barrier_wait(full, phaseIdx=0)
    tl.store(dst + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :], tile.load())


@RUNNERS
def test_descriptor_made_on_the_device(run):
    src = np.random.default_rng(0).standard_normal((16, 32)).astype(np.float32)
    dst = np.zeros_like(src)
    run(descriptor_on_the_device)[(1, )](src, dst, 16, 32)
    assert (dst == src).all()


@triton.jit
def add_pair(pair, dst, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    tl.store(dst + lanes, tl.load(pair[0] + lanes) + tl.load(pair[1] + lanes))


@RUNNERS
def test_tuple_of_arrays(run):
    first, second, dst = np.arange(64, dtype=np.int32), np.arange(64, dtype=np.int32) * 3, np.zeros(64, np.int32)
    run(add_pair)[(1, )]((first, second), dst, 64)
    assert (dst == first * 4).all()


def test_trace(tmp_path):
    src = np.random.default_rng(0).standard_normal((80, 32)).astype(np.float16)
    dst = np.zeros_like(src)
    page = flagtree.trace(ring_copy, tmp_path / "page.html")[(1, )](TensorDescriptor.from_tensor(src, [16, 32]), dst, 5, 2, 16, 32)
    assert page.is_file() and (dst == src * 2).all()


@triton.jit
def count_up(counter):
    counter.store([0, 0], counter.load([0, 0]) + 1)


def test_contents_are_restored_for_each_schedule():
    counter = np.zeros((1, 16), np.int32)
    assert flagtree.check(count_up, schedules=3, progress=False)[(1, )](TensorDescriptor.from_tensor(counter, [1, 16])).ok
    assert (counter == 1).all()


@pytest.mark.parametrize("strides, message", [([3, 1], "16-byte aligned"), ([32, 2], "Last dimension must be contiguous")])
def test_stock_checks_still_hold(strides, message):
    with pytest.raises(AssertionError, match=message):
        TensorDescriptor(np.zeros((16, 32), np.float32), [16, 32], strides, [16, 32])


def test_padding_of_an_array():
    array = np.zeros((16, 32), np.float32)
    assert TensorDescriptor(array, [16, 32], [32, 1], [16, 32], "nan").padding == "nan"
    with pytest.raises(AssertionError, match="only supported for floating point"):
        TensorDescriptor(array.view(np.int32), [16, 32], [32, 1], [16, 32], "nan")


SCRIPT = '''
import sys

sys.path.append(sys.argv[1])

import numpy as np
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.simulator.samples import ring_copy

src = np.arange(80 * 32, dtype=np.float16).reshape(80, 32)
dst = np.zeros_like(src)
ring_copy[(1, )](TensorDescriptor(src, [80, 32], [32, 1], [16, 32]), dst, 5, 2, 16, 32)
assert (dst == src * 2).all()
print("done")
'''


CHECK_FIRST = '''
import flagtree
import numpy as np
import triton
import triton.language as tl


@triton.jit
def double(src, dst, SIZE: tl.constexpr):
    lanes = tl.arange(0, SIZE)
    tl.store(dst + lanes, 2 * tl.load(src + lanes))


src, dst = np.arange(64), np.zeros(64, int)
assert flagtree.check(double, schedules=2, progress=False)[(1, )](src, dst, 64).ok
assert (dst == 2 * src).all()
print("done")
'''


@pytest.mark.parametrize("script", [SCRIPT, CHECK_FIRST], ids=["launch", "check"])
def test_under_the_switch_of_stock_triton(tmp_path, script):
    """A plain launch with TRITON_INTERPRET=1, and a check by a program that does not import the language."""
    (tmp_path / "script.py").write_text(script)
    run = subprocess.run([sys.executable, tmp_path / "script.py", Path(__file__).parents[2]], capture_output=True, text=True, timeout=120,
                         env={"PATH": os.environ["PATH"], "TRITON_INTERPRET": "1"})
    assert run.stdout == "done\n", run.stderr


@triton.jit
def first_two(src, dst):
    tl.store(dst + tl.arange(0, 2), tl.load(src + tl.arange(0, 2)))


def test_l11_bytes_in_the_other_order():
    other = np.dtype(np.float32).newbyteorder()
    report = flagtree.check(first_two, progress=False)[(1, )](np.ones(2, other), np.zeros(2, np.float32))
    assert not report.ok and str(report.findings[0]).startswith(f"[L11] a kernel cannot take a NumPy array of dtype {other.str}")
    assert flagtree.check(first_two, progress=False)[(1, )](np.ones(2, other).astype(np.float32), np.zeros(2, np.float32)).ok


@triton.jit
def scaled(dst, factor, pair, SIZE: tl.constexpr):
    tl.store(dst + tl.arange(0, SIZE), tl.arange(0, SIZE) * factor * pair[0])


@pytest.mark.parametrize("number", [np.float32(1.5), np.float16(1.5), np.int64(3), np.uint8(3), np.bool_(True)], ids=repr)
@pytest.mark.parametrize("launcher", [flagtree.simulate, flagtree.check])
def test_l12_numbers_of_numpy(number, launcher):
    """Stock Triton's launches on a GPU do not take them either; its interpreter fails where they meet a tensor."""
    for name, arguments in (("factor", (number, (2, ))), ("pair", (1.5, (2, number)))):
        says = f"[L12] a kernel cannot take {number!r} as {name}, which is a number of NumPy. Give it {name}.item()"
        launch = launcher(scaled)[(1, )]
        if launcher is flagtree.check:
            assert says in str(launch(np.zeros(4, np.float32), *arguments, 4).findings[0])
        else:
            with pytest.raises(ScalarArgumentError, match=re.escape(says)):
                launch(np.zeros(4, np.float32), *arguments, SIZE=4)


@pytest.mark.parametrize("factor", [1.5, np.float64(1.5), np.float32(1.5).item()], ids=repr)
def test_numbers_that_a_kernel_takes(factor):
    dst = np.zeros(4, np.float32)
    flagtree.simulate(scaled)[(1, )](dst, factor, (2, ), 4)
    assert (dst == np.arange(4) * 3).all()


@triton.jit
def chosen(dst, flag, pair):
    if flag:
        tl.store(dst, tl.where(pair[0], 2.0, 3.0))


@pytest.mark.parametrize("flag, inner, stored", [(False, True, 0), (True, True, 2), (True, False, 3)])
def test_bools(flag, inner, stored):
    dst = np.zeros(1, np.float32)
    flagtree.simulate(chosen)[(1, )](dst, flag, (inner, ))
    assert dst == stored
