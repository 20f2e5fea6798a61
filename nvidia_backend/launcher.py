"""`flagtree.Launcher`: a compiled kernel's launch with little host time.

Stock Triton encodes each TMA descriptor anew in each launch. What the hardware gets, a tensor map, depends on nothing but the descriptor's address,
shape, strides and padding and on what the kernel was compiled for; it names no device, context or allocation. So it is remembered
by these values, and memory that was freed and is used again under another shape has another map.
"""
from __future__ import annotations

import functools
import inspect
from typing import Any, NamedTuple

from triton import knobs
from triton.backends.nvidia.driver import CudaLauncher, make_tensordesc_arg
from triton.compiler import CompiledKernel
from triton.runtime import driver

from .errors import LauncherArgumentsError, LauncherGridError, LauncherKernelError

REMEMBERED = 256
"""Maps that a launcher keeps for each descriptor argument: those used last."""


class Launcher:
    """A compiled kernel that is launched often: `Launcher(kernel)[grid](*args)` does what `kernel[grid](*args)` does, in less host time.

    kernel: what `jit_function.warmup(...)` or `triton.compile(...)` returns; it is loaded on the current device, where all launches must be, as
    with `kernel[grid]`. grid: three numbers of blocks; with a 0 nothing is launched. args: every argument of the kernel in its order, compile-time
    ones too; a pointer may be a tensor or, cheaper, its address, an int. A descriptor is anything with the attributes base, shape, strides and
    padding of TensorDescriptor or, cheaper, the tuple (address, shape, strides, padding) with tuples of ints. Rules I18 (kernel), I19 (how many
    args) and I40 (grid); nothing else is checked that `kernel[grid]` does not check. stream: handle of a CUDA stream; the current one of that
    device if not given.

    Kernels that need scratch memory, and every launch while Triton's launch hooks are set (by a profiler, say), go through `kernel[grid]`.
    """

    def __init__(self, kernel: CompiledKernel) -> None:
        if not isinstance(kernel, CompiledKernel):
            raise LauncherKernelError(got=repr(kernel))
        self._kernel = kernel
        run, signature = kernel.run, kernel.src.signature
        self._count = len(signature)
        self._descriptors = {index for index, kind in enumerate(signature.values()) if str(kind).startswith("tensordesc")}
        self._short = isinstance(run, CudaLauncher) and not run.global_scratch_size and not run.profile_scratch_size
        if not self._short:
            return
        self._launch, encoders = run.launch, []
        if inspect.isfunction(run.launch):  # Triton's wrapper of the generated function, which encodes descriptors
            inner = inspect.getclosurevars(run.launch).nonlocals
            self._launch = inner["launcher"]
            encoders = [(index, functools.lru_cache(REMEMBERED)(functools.partial(_encode, meta)))
                        for index, meta in zip(sorted(inner["tensordesc_indices"]), inner["tensordesc_meta"], strict=True)]
        self._encoders = encoders[::-1]
        no_scratch, no_hooks = (None, None), (None, None, None)
        self._fixed = (kernel.function, run.launch_cooperative_grid, run.launch_pdl, *no_scratch, kernel.packed_metadata, *no_hooks)
        self._current_stream = functools.partial(driver.active.get_current_stream, driver.active.get_current_device())

    def __getitem__(self, grid: tuple[int, int, int]) -> functools.partial[None]:
        try:
            x, y, z = grid
            possible = x | y | z >= 0  # for integers only, and negative if one of them is
        except (TypeError, ValueError):
            possible = False
        if not possible:
            raise LauncherGridError(got=repr(grid))
        return functools.partial(self._run, grid)

    def _run(self, grid: tuple[int, int, int], *args: Any, stream: int | None = None) -> None:
        if len(args) != self._count:
            raise LauncherArgumentsError(kernel=self._kernel.name, count=self._count, got=len(args), parameters=", ".join(map(str, self._kernel.src.signature)))
        if not self._short or _hooked(knobs.runtime):
            of_triton = [_Descriptor(*arg) if index in self._descriptors and type(arg) is tuple else arg for index, arg in enumerate(args)]
            return self._kernel[grid](*of_triton, stream=stream)
        if stream is None:
            stream = self._current_stream()
        flat = list(args)
        for index, encode in self._encoders:  # the last one first: each takes several places
            of = args[index]
            flat[index:index + 1] = encode(*of) if type(of) is tuple else encode(of.base.data_ptr(), tuple(of.shape), tuple(of.strides), of.padding)
        self._launch(*grid, stream, *self._fixed, *flat)


def _hooked(runtime: knobs.runtime_knobs) -> bool:
    """Whether a hook of launches, a chain or in old style a function or None, calls anything."""
    enter, leave = runtime.launch_enter_hook, runtime.launch_exit_hook
    return bool(getattr(enter, "calls", enter) or getattr(leave, "calls", leave))


class _Descriptor(NamedTuple):
    """What Triton reads of a TensorDescriptor, without holding its tensor."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str

    @property
    def base(self) -> _Descriptor:
        return self

    def data_ptr(self) -> int:
        return self.address


def _encode(meta: dict[str, Any] | None, *of: Any) -> tuple[Any, ...]:
    """What the generated function takes for the descriptor `of` (the fields of _Descriptor) of an argument with this metadata."""
    return tuple(make_tensordesc_arg(_Descriptor(*of), meta))
