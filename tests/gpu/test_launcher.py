"""flagtree.Launcher on the device: copies by TMA through shared memory, and the launches of examples/attention.py."""
from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import flagtree
import kernels
import pytest
import torch
import triton
from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import attention as example  # noqa: E402  (from examples/)

pytestmark = pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") == "1", reason="the simulator compiles no kernel that could be launched")

ROWS, COLUMNS = 32, 64


@pytest.fixture(autouse=True)
def tma(device) -> None:
    if torch.cuda.get_device_capability()[0] < 9:
        pytest.fail("these tests need a GPU with TMA")


def descriptor(tensor: torch.Tensor, padding: str = "zero") -> TensorDescriptor:
    return TensorDescriptor.from_tensor(tensor, [ROWS, COLUMNS], padding)


def copy_kernel(device: str = "cuda") -> Any:
    """The copy of float16 compiled for the current device."""
    block = descriptor(torch.empty((ROWS, COLUMNS), dtype=torch.float16, device=device))
    return kernels.tma_copy_host.warmup(block, block, BM=ROWS, BN=COLUMNS, grid=(1, ))


def copy(launcher: flagtree.Launcher, src: TensorDescriptor, dst: TensorDescriptor, **options: Any) -> None:
    rows, columns = dst.shape
    launcher[(triton.cdiv(rows, ROWS), triton.cdiv(columns, COLUMNS), 1)](src, dst, ROWS, COLUMNS, **options)


def matrix(generator: random.Random, device: str = "cuda") -> torch.Tensor:
    """Random values in a random shape, often columns of a wider matrix."""
    rows, columns, more = generator.randint(1, 200), 8 * generator.randint(1, 20), 8 * generator.choice([0, 0, 1, 5])
    return torch.randn((rows, columns + more), device=device).half()[:, :columns]


def check_copy(launcher: flagtree.Launcher, src: torch.Tensor) -> None:
    dst = torch.zeros_like(src)
    copy(launcher, descriptor(src), descriptor(dst))
    assert torch.equal(dst, src)


def test_same_kernel_twenty_tensors():
    """In random order, so that a map of another tensor would show; the results come and go at addresses of earlier ones."""
    generator = random.Random(0)
    launcher = flagtree.Launcher(copy_kernel())
    tensors = [matrix(generator) for _ in range(20)]
    for _ in range(400):
        check_copy(launcher, generator.choice(tensors))


def test_address_used_again_under_another_shape():
    launcher = flagtree.Launcher(copy_kernel())
    generator = random.Random(1)
    shapes, again = {}, 0
    for _ in range(100):
        rows = generator.choice([32, 64, 128, 256, 512])
        src = torch.randn((rows, 2**15 // rows), device="cuda").half()  # as many bytes in each shape
        again += shapes.get(src.data_ptr(), src.shape) != src.shape
        shapes[src.data_ptr()] = src.shape
        check_copy(launcher, src)
        del src
    assert again > 10


def test_more_tensors_than_are_remembered():
    launcher = flagtree.Launcher(copy_kernel())
    many = torch.randn((600, ROWS, COLUMNS), device="cuda").half()
    results = torch.zeros_like(many)
    for _ in range(2):
        results.zero_()
        for src, dst in zip(many, results, strict=True):
            copy(launcher, descriptor(src), descriptor(dst))
        assert torch.equal(results, many)


def test_padding():
    """Two descriptors that differ in nothing else."""
    launcher = flagtree.Launcher(copy_kernel())
    src = torch.randn((20, COLUMNS), device="cuda").half()
    dst = torch.zeros((ROWS, COLUMNS), device="cuda").half()
    for _ in range(2):
        for padding in ("zero", "nan"):
            copy(launcher, descriptor(src, padding), descriptor(dst))
            assert torch.equal(dst[:20], src)
            assert dst[20:].isnan().all() if padding == "nan" else not dst[20:].any()


def test_hooks_run():
    launcher = flagtree.Launcher(copy_kernel())
    src = matrix(random.Random(2))
    names: list[str] = []

    def note(metadata: Any) -> None:
        names.append(metadata.get()["name"])

    check_copy(launcher, src)
    hooks = (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook)
    for hook in hooks:
        hook.add(note)
    try:
        check_copy(launcher, src)
    finally:
        for hook in hooks:
            hook.remove(note)
    check_copy(launcher, src)
    assert names == ["tma_copy_host"] * 2


def test_streams():
    """Work goes to the current stream, or to the given one: it comes behind what keeps that stream busy."""
    launcher = flagtree.Launcher(copy_kernel())
    stream = torch.cuda.Stream()
    for given in (False, True):
        src, dst = torch.zeros((2, ROWS, COLUMNS), device="cuda").half()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(10**8)
            src.fill_(1)
            if not given:
                copy(launcher, descriptor(src), descriptor(dst))
        if given:
            copy(launcher, descriptor(src), descriptor(dst), stream=stream.cuda_stream)
        stream.synchronize()
        assert bool((dst == 1).all())


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_two_devices():
    """A launcher for each, in turn; attention() of tensors that are not on the current device."""
    launchers = {}
    for device in (0, 1):
        with torch.cuda.device(device):
            launchers[device] = flagtree.Launcher(copy_kernel(f"cuda:{device}"))
    generator = random.Random(3)
    for _ in range(20):
        device = generator.choice([0, 1])
        with torch.cuda.device(device):
            check_copy(launchers[device], matrix(generator, f"cuda:{device}"))
    for device in (0, 1, 0):
        q, k, v = torch.randn((3, 1, 150, 2, 128), device=f"cuda:{device}").half()
        expected, _ = example.reference(q, k, v)
        assert example.relative_error(example.attention(q, k, v), expected) <= example.TOLERANCE[q.dtype]
    assert torch.cuda.current_device() == 0


@pytest.mark.parametrize("size", example.TILES)
def test_attention_as_by_triton(size):
    """The same bits as by `kernel[grid]`, dense and packed, shapes in turn."""
    generator = random.Random(4)
    calls = []
    for _ in range(10):
        batch, length, keys, heads = (generator.randint(1, n) for n in (3, 400, 400, 4))
        q = torch.randn((batch, length, heads, size), device="cuda").bfloat16()
        k, v = torch.randn((2, batch, keys, heads, size), device="cuda").bfloat16()
        cu_q, cu_k = (torch.arange(batch + 1, dtype=torch.int32, device="cuda") * n for n in (length, keys))
        packed = [t.flatten(0, 1) for t in (q, k, v)]
        calls.append(lambda q=q, k=k, v=v: example.attention(q, k, v, causal=True, return_lse=True))
        calls.append(lambda a=(*packed, cu_q, cu_k, length, keys): example.attention_varlen(*a, return_lse=True))
    results = [call() for call in calls]
    launches: list[Any] = []
    knobs.runtime.launch_enter_hook.add(launches.append)  # while a hook is set, Triton launches
    try:
        expected = [call() for call in calls]
    finally:
        knobs.runtime.launch_enter_hook.remove(launches.append)
    assert len(launches) == len(calls)
    for got, of_triton in zip(results, expected, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(got, of_triton, strict=True))
