"""A function gives the same bits as a worker of W warps and as a kernel of W warps, whatever the launch has."""
from __future__ import annotations

import os

import pytest
import torch
import triton
import worker_kernels as kernels


NAMES = [name for name in kernels.FUNCTIONS if name != "foreign_code" or os.environ.get("TRITON_INTERPRET") != "1"]


@pytest.fixture(autouse=True)
def scratch_memory(device):
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))


def check(device, fn, kernel, workers, num_warps):
    torch.manual_seed(0)
    x = torch.rand(kernels.SIZE, device=device) * 2
    h = torch.randn(kernels.SIZE, device=device).half()
    counts = (num_warps, *workers)
    y = torch.zeros(len(counts), kernels.SIZE, device=device)
    # five partitions share the memory of a block, so only the function that asks for stages gets them
    kernel[(1, )](x, h, y, kernels.N, fn, kernels.SIZE, num_warps=num_warps, num_stages=1)
    for index, warps in enumerate(counts):
        expected = torch.zeros(kernels.SIZE, device=device)
        kernels.alone[(1, )](x, h, expected, kernels.N, fn, num_warps=warps, num_stages=1)
        assert expected.count_nonzero() > 0
        torch.testing.assert_close(y[index].view(torch.int32), expected.view(torch.int32), rtol=0, atol=0, msg=f"{warps} warps")


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("name", NAMES)
def test_as_worker_and_alone(device, name, num_warps):
    check(device, kernels.FUNCTIONS[name], kernels.together, kernels.WORKERS, num_warps)


@pytest.mark.parametrize("num_warps", [4, 8])
def test_wgmma_as_worker_and_alone(device, num_warps):
    check(device, kernels.products, kernels.groups_together, (4, 8), num_warps)
