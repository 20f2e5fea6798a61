"""Partitions that poll memory for what another one writes: right on a GPU, and they end under every schedule."""
from __future__ import annotations

import os

os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import flagtree  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402

SCHEDULES = [0, 1, 2, 3, 4, 5, "order:"]


@triton.jit
def write_shared(flag):
    tl.atomic_xchg(tle.gpu.local_ptr(flag, (0, )), 7)


@triton.jit
def poll_shared(flag, out):
    seen = tl.atomic_add(tle.gpu.local_ptr(flag, (0, )), 0)
    while seen == 0:
        seen = tl.atomic_add(tle.gpu.local_ptr(flag, (0, )), 0)
    tl.store(out, seen)


@triton.jit
def shared_flag(flag_ptr, out, FIRST: tl.constexpr):
    flag = tle.gpu.alloc([1], tl.int32)
    tl.store(tle.gpu.local_ptr(flag, (0, )), 0)
    if FIRST:
        tle.gpu.warp_specialize([(poll_shared, (flag, out)), (write_shared, (flag, ))], [4], [64])
    else:
        tle.gpu.warp_specialize([(write_shared, (flag, )), (poll_shared, (flag, out))], [4], [64])


@triton.jit
def write_global(flag):
    tl.store(flag, 7)


@triton.jit
def poll_global(flag, out):
    seen = tl.load(flag, volatile=True)
    while seen == 0:
        seen = tl.load(flag, volatile=True)
    tl.store(out, seen)


@triton.jit
def global_flag(flag, out, FIRST: tl.constexpr):
    if FIRST:
        tle.gpu.warp_specialize([(poll_global, (flag, out)), (write_global, (flag, ))], [4], [64])
    else:
        tle.gpu.warp_specialize([(write_global, (flag, )), (poll_global, (flag, out))], [4], [64])


@pytest.mark.parametrize("seed", SCHEDULES)
@pytest.mark.parametrize("first", [True, False], ids=["the first polls", "the last polls"])
@pytest.mark.parametrize("kernel", [shared_flag, global_flag], ids=["shared", "global"])
def test_a_poll_ends(kernel, first, seed):
    flag, out = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    flagtree.simulate(kernel, seed=seed)[(1, )](flag, out, first)
    assert out.item() == 7
