"""The stock interpreter's launcher, telling a program when it begins and when it has ended."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from triton.backends.nvidia.compiler import CUDAOptions
from triton.runtime import interpreter
from triton.runtime.interpreter import GridExecutor

from .errors import GridError, ParameterNameError, ScalarArgumentError
from .global_memory import GlobalMemory
from .host_array import on_host

_DEFAULT_WARPS = 4  # of stock Triton's launch
_OPTIONS = frozenset(field.name for field in dataclasses.fields(CUDAOptions))


class Executor(GridExecutor):
    """Runs each program of the grid as a simulator's Program."""

    def __init__(self, fn: Callable[..., Any], arg_names: list[str], grid: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(fn, arg_names, functools.partial(_checked_grid, grid), *args, **kwargs)
        self.fn = _ProgramFunction(fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for name, value in (*zip(self.arg_names, args, strict=False), *kwargs.items()):
            if name in self.arg_names and name not in self.constexprs and (scalar := _scalar_in(value)) is not None:
                raise ScalarArgumentError(name=name, got=repr(scalar))
        for name in kwargs:
            if name not in self.arg_names and name not in _OPTIONS:
                raise ParameterNameError(name=name, kernel=self.fn.__name__, parameters=", ".join(self.arg_names))
        self.fn.warps = kwargs.get("num_warps") or _DEFAULT_WARPS
        interpreter.interpreter_builder.patched.clear()
        return super().__call__(*map(on_host, args), **{name: on_host(value) for name, value in kwargs.items()})

    def _init_args_hst(self, args_dev: Any, kwargs: Any) -> Any:
        args, named = super()._init_args_hst(args_dev, kwargs)
        self.fn.memory = GlobalMemory([*zip(self.arg_names, args, strict=False), *named.items()])
        return args, named


def _checked_grid(grid: Any, arguments: dict[str, Any]) -> tuple[int, ...]:
    """The grid of a launch as integers. U16 if it is none."""
    sizes = grid(arguments) if callable(grid) else grid
    try:
        blocks = tuple(map(operator.index, sizes))
    except TypeError:
        blocks = ()
    if not 1 <= len(blocks) <= 3 or min(blocks) < 0:
        raise GridError(got=repr(sizes))
    return blocks


def _scalar_in(argument: Any) -> Any:
    """The number of NumPy that an argument is or, a tuple, has in it; None without one. GPU launches refuse those, but for float64, which is a float of
    Python, too."""
    if isinstance(argument, tuple):
        return next((scalar for item in argument if (scalar := _scalar_in(item)) is not None), None)
    return argument if isinstance(argument, np.generic) and not isinstance(argument, float) else None


class _ProgramFunction:
    """A kernel's Python function with what must happen before and after it; to `inspect` it looks like the function."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self.__signature__ = inspect.signature(fn)
        self.__globals__ = fn.__globals__
        self.__annotations__ = fn.__annotations__
        self.__name__ = fn.__name__
        self.warps = _DEFAULT_WARPS
        self.memory = GlobalMemory(None)

    def __call__(self, **kwargs: Any) -> None:
        program = interpreter.interpreter_builder.begin(self.__name__, self.warps, self.memory)
        self._fn(**kwargs)
        program.finish()
