"""What the simulator costs: attention in seconds, linear in the number of tiles, and ordinary kernels about what they cost in stock Triton's interpreter."""
from __future__ import annotations

import cProfile
import os
import pstats
import subprocess
import sys
from pathlib import Path

import flagtree
import pytest
import torch

from tests.simulator import samples

EXAMPLE = Path(__file__).parents[2] / "examples/attention.py"


def test_attention_in_20_seconds():
    """One head of 512 x 64, with the start of Python and Triton."""
    command = [sys.executable, EXAMPLE, "--heads", "1", "--queries", "512", "--keys", "512", "--size", "64"]
    run = subprocess.run(command, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True, timeout=20)
    assert run.returncode == 0 and "relative error" in run.stdout, run.stderr


def calls(action) -> int:
    """Calls of functions that an action makes: its cost, without the noise of time."""
    profile = cProfile.Profile()
    profile.runcall(action)
    return pstats.Stats(profile).total_calls


@pytest.mark.parametrize("seed", [0, 7], ids=["corner", "random"])
def test_linear_in_tiles(seed):

    def copy(tiles):
        src = torch.zeros(tiles * 16, 32).half()
        flagtree.simulate(samples.ring_copy, seed)[(1, )](samples.descriptor(src, [16, 32]), torch.zeros_like(src), tiles, 2, 16, 32)

    copy(4)  # what is made once
    few, some, many = (calls(lambda tiles=tiles: copy(tiles)) for tiles in (10, 40, 160))
    assert 3.8 < (many - some) / (some - few) < 4.2


def test_enumeration_of_one_interleaving_is_linear():

    def check(steps):
        assert flagtree.check(lambda: samples.run_attention(steps=steps), 2, progress=False).exhausted

    check(4)
    few, some, many = (calls(lambda steps=steps: check(steps)) for steps in (4, 16, 64))
    assert 3.8 < (many - some) / (some - few) < 4.4


ORDINARY = '''
import cProfile
import pstats
import sys

import torch
import triton
import triton.language as tl

if sys.argv[1] == "simulator":
    import triton.experimental.tle.language as tle


@triton.jit
def add(x, y, out, count, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(out + at, tl.load(x + at, mask=at < count) + tl.load(y + at, mask=at < count), mask=at < count)


@triton.jit
def softmax(x, out, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(x + at)
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + at, value / tl.sum(value, 0))


@triton.jit
def multiply(a, b, c, K: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    rows, columns, steps = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :], tl.arange(0, STEP)
    acc = tl.zeros([N, N], tl.float32)
    for k in range(0, K, STEP):
        acc += tl.dot(tl.load(a + rows * K + k + steps[None, :]), tl.load(b + (k + steps)[:, None] * N + columns))
    tl.store(c + rows * N + columns, acc)


x, y, out = torch.randn(20_000), torch.randn(20_000), torch.zeros(20_000)
a, b, c = torch.randn(64, 512).half(), torch.randn(512, 64).half(), torch.zeros(64, 64)
for launch in (lambda: add[(20, )](x, y, out, 20_000, 1024), lambda: softmax[(16, )](x, out, 1024), lambda: multiply[(1, )](a, b, c, 512, 64, 32)):
    launch()
    profile = cProfile.Profile()
    profile.runcall(launch)
    print(pstats.Stats(profile).total_calls)
'''


def test_ordinary_kernels(tmp_path):
    """Calls of functions in both interpreters: the check of addresses, which stock Triton does not make, may cost a kernel that does little
    else a tenth more; a kernel with reductions, which are helpers in Triton's language, takes fewer."""
    (tmp_path / "ordinary.py").write_text(ORDINARY)
    counts = []
    for interpreter in ("stock", "simulator"):
        run = subprocess.run([sys.executable, "ordinary.py", interpreter], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                             env={"PATH": os.environ["PATH"], "TRITON_INTERPRET": "1"})
        assert run.returncode == 0, run.stderr
        counts.append([int(line) for line in run.stdout.split()])
    ratios = [mine / theirs for theirs, mine in zip(*counts, strict=True)]
    print("add, softmax, multiply:", ratios)
    assert max(ratios) <= 1.1 and ratios[1] <= 0.9
