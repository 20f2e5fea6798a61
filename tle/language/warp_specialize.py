"""tle.gpu.warp_specialize: several functions run side by side in one block, each by warps of its own."""
from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import triton.language as tl
from triton.language.core import base_value
from triton.runtime import KernelInterface

from flagtree.nvidia_backend.workers import WARPS

from .builtin import backend_for, builtin, describe, is_int, unwrap
from .errors import (PartitionArgsError, PartitionArgumentError, PartitionBindingError, PartitionConstexprError, PartitionEntryError,
                     PartitionFunctionError, PartitionListError, WorkerCountError, WorkerRegistersError, WorkerWarpsError)
from .target import require_hopper

# PTX ISA, setmaxnreg
_LEAST_REGISTERS, _MOST_REGISTERS, _REGISTER_UNIT = 24, 256, 8


class Partition(NamedTuple):
    """A function decorated with @triton.jit and its arguments."""

    fn: Any
    args: tuple[Any, ...]


@builtin
def warp_specialize(functions_and_args: Any, worker_num_warps: Any, worker_num_regs: Any, _semantic: Any = None,
                    _generator: Any = None) -> Any:
    """Run partitions side by side until all are done, and give what the first one returns.

    functions_and_args: [(fn, args), ...], functions decorated with @triton.jit and tuples of arguments. The first is the
    default partition, run by the launch's warps (a multiple of 4); the others are workers. worker_num_warps: warps of each
    worker: 1, 2, 4, 8 or 16. worker_num_regs: registers each thread of it asks for: a multiple of 8, 24 to 256; what is left
    of the 64 Ki of a multiprocessor goes to the default partition. Workers take scalars, pointers, descriptors, buffers,
    barriers, compile-time values and tuples of these; no block tensors. Rules S1 to S18, I14.
    """
    require_hopper("warp_specialize", _semantic)
    partitions = _checked_partitions(functions_and_args)
    warps = _checked_counts("worker_num_warps", worker_num_warps, len(partitions) - 1)
    registers = _checked_counts("worker_num_regs", worker_num_regs, len(partitions) - 1)
    for index, number in enumerate(warps):
        if not is_int(number) or number not in WARPS:
            raise WorkerWarpsError(index=index, got=describe(number))
    for index, number in enumerate(registers):
        if not is_int(number) or not _LEAST_REGISTERS <= number <= _MOST_REGISTERS or number % _REGISTER_UNIT:
            raise WorkerRegistersError(index=index, got=describe(number))
    for index, (fn, args) in enumerate(partitions[1:], 1):
        for position, arg in enumerate(args):
            _check_worker_argument(index, fn.arg_names[position], arg)
    return backend_for(_semantic, _generator).warp_specialize(partitions, warps, registers)


def _checked_partitions(entries: Any) -> list[Partition]:
    if not isinstance(entries, (list, tuple, tl.tuple)) or not len(entries):
        raise PartitionListError(got=describe(entries))
    return [_checked_partition(index, entry) for index, entry in enumerate(entries)]


def _checked_partition(index: int, entry: Any) -> Partition:
    if not isinstance(entry, (list, tuple, tl.tuple)) or len(entry) != 2:
        raise PartitionEntryError(index=index, got=describe(entry))
    fn, args = unwrap(entry[0]), entry[1]
    if not isinstance(fn, KernelInterface) or not inspect.isfunction(fn.fn):
        raise PartitionFunctionError(index=index, got=getattr(fn, "__name__", None) or describe(fn), why="is no function decorated with @triton.jit")
    if getattr(fn, "noinline", False):
        raise PartitionFunctionError(index=index, got=fn.__name__, why="is noinline")
    if not isinstance(args, (list, tuple, tl.tuple)):
        raise PartitionArgsError(index=index, fn=fn.__name__, got=describe(args))
    return Partition(fn, _bound(index, fn, tuple(args)))


def _bound(index: int, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """One argument for each parameter, defaults included (S7, S8)."""
    signature = inspect.signature(fn.fn)
    parameters = signature.parameters.values()
    try:
        if any(parameter.kind != parameter.POSITIONAL_OR_KEYWORD for parameter in parameters):
            raise TypeError("it has variadic or keyword-only parameters")
        bound = signature.bind(*args)
    except TypeError as error:
        raise PartitionBindingError(index=index, fn=fn.__name__, why=error, parameters=", ".join(signature.parameters)) from None
    bound.apply_defaults()
    for parameter, value in zip(parameters, bound.args, strict=True):
        if "constexpr" in str(parameter.annotation) and not _is_compile_time(value):
            raise PartitionConstexprError(index=index, fn=fn.__name__, name=parameter.name, got=describe(value))
    return bound.args


def _is_compile_time(value: Any) -> bool:
    if isinstance(value, (list, tuple, tl.tuple)):
        return all(map(_is_compile_time, value))
    return isinstance(value, tl.constexpr) or not isinstance(value, base_value)


def _check_worker_argument(index: int, name: str, value: Any) -> None:
    """S13: tensors live in the registers of the warps that made them."""
    if isinstance(value, (list, tuple, tl.tuple)):
        for item in value:
            _check_worker_argument(index, name, item)
    elif isinstance(value, tl.tensor) and (value.type.is_block() or value.dtype.is_ptr() and value.dtype.element_ty.is_block()):
        raise PartitionArgumentError(index=index, name=name, got=describe(value))


def _checked_counts(name: str, numbers: Any, workers: int) -> list[Any]:
    """One number for each worker (S5)."""
    numbers = unwrap(numbers)
    if not isinstance(numbers, tuple) or len(numbers) != workers:
        raise WorkerCountError(name=name, got=describe(numbers), workers=workers)
    return list(numbers)
