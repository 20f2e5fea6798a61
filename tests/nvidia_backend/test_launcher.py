"""flagtree.Launcher against `kernel[grid]`: what Triton's generated function gets, recorded in its place, so that no GPU is needed.

tests/gpu/test_launcher.py launches.
"""
from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, NamedTuple

import flagtree
import pytest
import triton
import triton.language as tl
from flagtree.nvidia_backend import launcher as module
from flagtree.nvidia_backend.errors import LauncherArgumentsError, LauncherGridError, LauncherKernelError
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia import driver as nvidia
from triton.compiler import CompiledKernel
from triton.runtime import driver

from tests.tle.language.compiling import compiled

GRID = (3, 2, 1)
CURRENT_STREAM = 7


class Base(NamedTuple):
    """Of a tensor, its address."""

    address: int

    def data_ptr(self) -> int:
        return self.address


class Descriptor(NamedTuple):
    base: Base
    shape: list[int] | tuple[int, ...]
    strides: list[int] | tuple[int, ...]
    padding: str = "zero"


@triton.jit
def two_descriptors(a, row, b, out, scale, BLOCK: tl.constexpr):
    rows, columns = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    total = (a.load([row, 0]) + b.load([row, 0])) * scale
    tl.store(out + rows[:, None] * BLOCK + columns[None, :], total)


@triton.jit
def no_descriptor(out, value):
    tl.store(out, value)


@triton.jit
def scratch(src, out, rows, BLOCK: tl.constexpr):
    inner = tl.make_tensor_descriptor(src, [rows, BLOCK], [BLOCK, 1], [BLOCK, BLOCK])
    i, j = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    tl.store(out + i[:, None] * BLOCK + j[None, :], inner.load([0, 0]))


class Recorded:
    """Stands for the GPU: a launch and an encoding are their arguments."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, ...]] = []
        self.encodings: list[tuple[Any, ...]] = []

    def launch(self, *args: Any) -> None:
        """Calls the hooks, as the generated function does; pointers are recorded by address."""
        metadata, enter, leave = args[10:13]
        for hook in (enter, leave):
            if hook is not None:
                hook(metadata)
        rest = (arg.data_ptr() if hasattr(arg, "data_ptr") else arg for arg in args[13:])
        self.launches.append((*args[:10], *rest))

    def encode(self, *args: Any) -> tuple[Any, ...]:
        self.encodings.append(tuple(tuple(arg) if isinstance(arg, list) else arg for arg in args))
        return ("map", *self.encodings[-1])


@pytest.fixture
def gpu(fresh_cache: None, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    recorded = Recorded()
    utils = SimpleNamespace(fill_tma_descriptor=recorded.encode, get_device_properties=lambda device: {"max_shared_mem": 232448},
                            load_binary=lambda name, binary, shared, device: (object(), 1234, 32, 0, 1024))
    monkeypatch.setattr(nvidia, "compile_module_from_src", lambda **_: SimpleNamespace(launch=recorded.launch))
    monkeypatch.setattr(nvidia, "library_dirs", lambda: [])
    monkeypatch.setattr(driver, "_active", SimpleNamespace(
        utils=utils, launcher_cls=nvidia.CudaLauncher, get_current_device=lambda: 0, get_current_stream=lambda device: CURRENT_STREAM,
        get_current_target=lambda: GPUTarget("cuda", 90, 32)))
    return recorded


def kernel_of_two(capability: int = 90) -> CompiledKernel:
    block = "tensordesc<fp16[64, 64]>"
    return compiled(two_descriptors, {"a": block, "row": "i32", "b": block, "out": "*fp16", "scale": "fp32"}, {"BLOCK": 64}, capability)


def check_same(gpu: Recorded, kernel: CompiledKernel, launcher: flagtree.Launcher, *args: Any, **options: Any) -> None:
    kernel[GRID](*args, **options)
    launcher[GRID](*args, **options)
    expected, got = gpu.launches[-2:]
    assert got == expected


@pytest.mark.parametrize("capability", [80, 90])  # before Hopper a descriptor is passed as pointer, shape and strides
def test_same_kernel_many_tensors(gpu: Recorded, capability: int) -> None:
    """Twenty tensors in random order, four of them at one address: a stale map would be that of another shape, stride or padding."""
    tensors = [Descriptor(Base(1024 * i), (100 + i, 64), (64, 1)) for i in range(16)]
    tensors += [Descriptor(Base(0), *layout) for layout in ([(100, 32), (64, 1)], [(50, 64), (64, 1)], [(100, 64), (128, 1)], [(100, 64), (64, 1), "nan"])]
    kernel = kernel_of_two(capability)
    launcher = flagtree.Launcher(kernel)
    generator = random.Random(0)
    for i in range(200):
        check_same(gpu, kernel, launcher, generator.choice(tensors), i, generator.choice(tensors), Base(64), 0.5, 64)


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("capability", [80, 90])
def test_descriptors_as_tuples(gpu: Recorded, capability: int, hooked: bool) -> None:
    """Of address, shape, strides and padding; also where Triton launches because a hook is set."""
    kernel = kernel_of_two(capability)
    launcher = flagtree.Launcher(kernel)
    layouts = [((100, 64), (64, 1), "zero"), ((100, 32), (64, 1), "zero"), ((100, 64), (128, 1), "zero"), ((100, 64), (64, 1), "nan")]
    generator = random.Random(0)
    hooks: list[Any] = []
    if hooked:
        knobs.runtime.launch_enter_hook.add(hooks.append)
    try:
        for i in range(100):
            a, b = ((1024 * generator.randint(0, 3), *generator.choice(layouts)) for _ in range(2))
            full_a, full_b = (Descriptor(Base(address), *layout) for address, *layout in (a, b))
            kernel[GRID](full_a, i, full_b, 64, 0.5, 64)
            for first, second in ((a, b), (full_a, b), (a, full_b)):
                launcher[GRID](first, i, second, 64, 0.5, 64)
            assert gpu.launches[-4:] == gpu.launches[-1:] * 4
    finally:
        knobs.runtime.launch_enter_hook.remove(hooks.append)
    assert len(hooks) == (400 if hooked else 0)


def test_encoded_once(gpu: Recorded) -> None:
    launcher = flagtree.Launcher(kernel_of_two())
    listed = Descriptor(Base(512), [100, 64], [64, 1])
    for _ in range(3):
        launcher[GRID](listed, 0, listed._replace(shape=(100, 64), strides=(64, 1)), Base(64), 0.5, 64)
    as_tuple = (512, (100, 64), (64, 1), "zero")
    launcher[GRID](as_tuple, 0, as_tuple, 64, 0.5, 64)
    assert len(gpu.encodings) == 2  # one for each argument


def test_maps_are_bounded(gpu: Recorded) -> None:
    kernel = kernel_of_two()
    launcher = flagtree.Launcher(kernel)
    many = [Descriptor(Base(16 * i), (100, 64), (64, 1)) for i in range(module.REMEMBERED + 1)]
    for descriptor in (*many, many[0]):
        check_same(gpu, kernel, launcher, descriptor, 0, many[0], 64, 0.5, 64)
    of_first = [encoding for encoding in gpu.encodings if encoding[0] == 0]
    launches = module.REMEMBERED + 2
    assert len(of_first) == launches + 2 + 3  # by kernel[grid], b and twice a; by the launcher, b and twice a, which was forgotten


def test_without_descriptors(gpu: Recorded) -> None:
    kernel = compiled(no_descriptor, {"out": "*fp32", "value": "fp32"})
    launcher = flagtree.Launcher(kernel)
    check_same(gpu, kernel, launcher, Base(64), 1.0)
    check_same(gpu, kernel, launcher, 64, 1.0, stream=9)
    assert [launch[3] for launch in gpu.launches] == [CURRENT_STREAM, CURRENT_STREAM, 9, 9]


@pytest.mark.parametrize("kernel", [None, no_descriptor, test_without_descriptors, 3])
def test_not_a_compiled_kernel(kernel: Any) -> None:
    with pytest.raises(LauncherKernelError, match=r"\[I18\] flagtree.Launcher takes a compiled kernel, but got ") as caught:
        flagtree.Launcher(kernel)
    assert repr(kernel) in str(caught.value)


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("args", [(), (64, ), (64, 1.0, 2)])
def test_number_of_arguments(gpu: Recorded, args: tuple[Any, ...], hooked: bool) -> None:
    launcher = flagtree.Launcher(compiled(no_descriptor, {"out": "*fp32", "value": "fp32"}))
    ignore = list[Any]().append
    if hooked:
        knobs.runtime.launch_enter_hook.add(ignore)
    try:
        with pytest.raises(LauncherArgumentsError, match=rf"\[I19\] kernel no_descriptor takes 2 arguments, but .* got {len(args)}\. Give all of them, out, value"):
            launcher[GRID](*args)
    finally:
        knobs.runtime.launch_enter_hook.remove(ignore)
    assert gpu.launches == []


@pytest.mark.parametrize("grid", [1, None, (), (1, ), (1, 1), (1, 1, 1, 1), (1.0, 1, 1), (1, 1, 2.5), (-1, 1, 1), (-1, -1, 1), (1, 1, None), "111", lambda meta: (1, 1, 1)])
def test_wrong_grid(gpu: Recorded, grid: Any) -> None:
    launcher = flagtree.Launcher(compiled(no_descriptor, {"out": "*fp32", "value": "fp32"}))
    with pytest.raises(LauncherGridError, match=r"\[I40\] the grid of flagtree.Launcher must be three integers of 0 or more, but is") as caught:
        launcher[grid]
    assert repr(grid) in str(caught.value)


def test_grids_of_other_integers(gpu: Recorded) -> None:
    """Also empty ones, which Triton's function does not launch."""
    kernel = compiled(no_descriptor, {"out": "*fp32", "value": "fp32"})
    launcher = flagtree.Launcher(kernel)
    for grid in ((0, 1, 1), [3, 2, 1], (True, 2, 3)):
        launcher[grid](64, 1.0)
        assert gpu.launches[-1][:3] == tuple(grid)


def test_hooks(gpu: Recorded) -> None:
    """Called, once, with what Triton gives them, while they are set."""
    kernel = kernel_of_two()
    launcher = flagtree.Launcher(kernel)
    descriptor = Descriptor(Base(512), (100, 64), (64, 1))
    args = (descriptor, 0, descriptor, 64, 0.5, 64)
    seen: list[tuple[str, dict[str, Any]]] = []

    def note(metadata: Any) -> None:
        seen.append(metadata.get())

    launcher[GRID](*args)
    for hook in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        hook.add(note)
        try:
            check_same(gpu, kernel, launcher, *args)
        finally:
            hook.remove(note)
    launcher[GRID](*args)
    assert seen == [{"name": "two_descriptors", "function": 1234, "stream": CURRENT_STREAM}] * 4
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook = note, None  # as programs did before there were chains
        check_same(gpu, kernel, launcher, *args)
    assert len(seen) == 6


def test_scratch_memory_is_allocated_anew(gpu: Recorded) -> None:
    asked: list[int] = []

    def allocate(size: int, alignment: int, stream: int | None) -> Base:
        asked.append(size)
        return Base(1 << 20)

    kernel = compiled(scratch, {"src": "*fp16", "out": "*fp16", "rows": "i32"}, {"BLOCK": 64})
    launcher = flagtree.Launcher(kernel)
    triton.set_allocator(allocate)
    try:
        check_same(gpu, kernel, launcher, 64, 64, 64, 64)
    finally:
        triton.runtime._allocation.set_allocator(triton.runtime._allocation._NULL_ALLOCATOR)
    assert len(asked) == 2 and asked[0] == asked[1] > 0
