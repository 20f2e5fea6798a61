"""Accesses through global pointers beyond the tensors of a launch: found (L10), before they take the process down."""
from __future__ import annotations

import os
import re
import subprocess
import sys

import flagtree
import numpy as np
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl

from tests.simulator.samples import descriptor


@triton.jit
def read(x, out, first, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.load(x + first + tl.arange(0, N)))


@triton.jit
def write(x, first, N: tl.constexpr):
    tl.store(x + first + tl.arange(0, N), tl.zeros([N], tl.float32))


@triton.jit
def write_masked(x, count, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.zeros([N], tl.float32), mask=tl.arange(0, N) < count)


@triton.jit
def copy_in(x, N: tl.constexpr):
    buf = tle.gpu.alloc([N], tl.float32)
    tle.gpu.copy(x + tl.arange(0, N), buf, [N])


@triton.jit
def add_atomically(x, index):
    tl.atomic_add(x + index, 1.0)


@triton.jit
def through_a_tuple(pair, N: tl.constexpr):
    tl.store(pair[1] + tl.arange(0, N), tl.zeros([N], tl.float32))


def finding(kernel, *args):
    report = flagtree.check(kernel, schedules=1)[(1, )](*args)
    assert report.error is None
    return [str(item) for item in report.findings]


def test_behind_the_end():
    memory = torch.zeros(1024)
    [text] = finding(read, memory[:100].clone(), memory, 30, 128)
    assert text.startswith("[L10] 58 active lane(s) of an access to global memory are outside of every tensor of the launch, the first of them is "
                           "lane (70,): it is 400 bytes behind the beginning of x, whose memory has 400 bytes. Mask")
    assert not memory.any()


def test_before_the_beginning():
    [text] = finding(write, torch.zeros(64), -3, 16)
    assert "3 active lane(s)" in text and "it is 12 bytes before the beginning of x" in text


@triton.jit
def write_every(x, y, step, N: tl.constexpr):
    tl.store(x + tl.arange(0, N) * step, tl.zeros([N], tl.float32))


def test_the_tensor_of_the_other_lanes_is_meant():
    """Not the one whose memory begins 8 bytes behind the address."""
    memory = np.zeros(200, np.float32)
    [text] = finding(write_every, torch.from_numpy(memory[:100]), torch.from_numpy(memory[110:]), 36, 4)
    assert "the first of them is lane (3,): it is 432 bytes behind the beginning of x, whose memory has 400 bytes" in text


@pytest.mark.parametrize("kernel, args, name", [
    (copy_in, (torch.zeros(48), 64), "x"),
    (write_masked, (torch.zeros(48), 49, 64), "x"),
    (add_atomically, (torch.zeros(48), 48), "x"),
    (through_a_tuple, ((torch.zeros(64), torch.zeros(48)), 64), r"pair\[1\]"),
    (write, (np.zeros(48, np.float32), 0, 64), "x"),
], ids=["copy", "mask", "atomic", "tuple", "NumPy"])
def test_every_access(kernel, args, name):
    [text] = finding(kernel, *args)
    assert re.search(rf"the first of them is lane \((48|0),\): it is 192 bytes behind the beginning of {name}, whose memory has 192 bytes", text)


def test_masked_lanes_are_free():
    assert not finding(write_masked, torch.zeros(48), 48, 64)


@pytest.mark.parametrize("memory", [torch.zeros(256), np.zeros(256, np.float32)], ids=["torch", "NumPy"])
def test_a_view_may_reach_its_memory(memory):
    assert not finding(write, memory[64:80], -64, 256)
    assert not finding(write, memory[::2], 0, 256)


def test_reversed_array():
    memory = np.zeros(64, np.float32)
    assert not finding(write, memory[::-1], -63, 64)
    assert finding(write, memory[::-1], -64, 64)


@triton.jit
def through_a_number(address, N: tl.constexpr):
    tl.store(address.to(tl.pointer_type(tl.float32)) + tl.arange(0, N), tl.full([N], 1.0, tl.float32))


def test_pointers_made_from_numbers_are_trusted():
    memory = torch.zeros(16)
    assert not finding(through_a_number, memory.data_ptr(), 16)
    assert memory.all()


@triton.jit
def tma_beyond(desc):
    buf = tle.gpu.alloc([16, 32], tl.float16)
    tle.gpu.copy(desc, buf, [16, 32], [8, 16])
    tle.gpu.copy(buf, desc, [16, 32], [-8, -16])


def test_tma_leaves_out_what_is_outside():
    assert not finding(tma_beyond, descriptor(torch.zeros(16, 32).half(), [16, 32]))


@triton.jit
def reads_what_was_never_given(N: tl.constexpr):
    nowhere = tl.zeros([N], tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(nowhere, 1.0, mask=tl.arange(0, N) < 0)


def test_no_tensors():
    assert not finding(reads_what_was_never_given, 16)


LATE = """
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
import torch

triton.knobs.runtime.interpret = True  # after the import of the language


@triton.jit
def kernel(src, dst):
    buffer = tle.gpu.alloc([8], tl.float32, nv_mma_shared_layout=False)
    tle.gpu.copy(src + tl.arange(0, 8), buffer, [8])
    tl.store(dst + tl.arange(0, 8), buffer.load())


for launch in range(2):
    src, dst = torch.randn(8), torch.zeros(8)
    kernel[(1, )](src, dst)
    assert torch.equal(src, dst)
"""


def test_a_simulator_that_comes_with_the_first_operation(tmp_path):
    """The launch that it comes in has not said what its tensors are."""
    program = tmp_path / "late.py"
    program.write_text(LATE)
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
