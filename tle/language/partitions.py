"""The IR of tle.gpu.warp_specialize: one ttg.warp_specialize whose regions call the partition functions."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.language.core import base_value

from flagtree.nvidia_backend.sanitizer import is_sanitized

from . import register_budget
from .errors import NestedPartitionsError, PartitionArgumentError, PartitionResultError, WarpGroupError
from .warp_specialize import Partition


@dataclass(frozen=True)
class PartitionContext:
    """Marks what is compiled for a partition: stock Triton adds it to the names of the functions called there, so that a helper
    exists once for each number of warps it runs with."""

    num_warps: int
    is_worker: bool

    def mangle(self) -> str:
        return f"_TLEWSNW{self.num_warps}" if self.is_worker else "_TLEWSDEFAULT"

    def initialize_callee(self, fn: Any, builder: Any) -> None:
        fn.set_attr("ttg.num-warps", builder.get_int32_attr(self.num_warps))


def emit_partitions(generator: Any, gluon: Any, declared: list[register_budget.Workers], partitions: list[Partition],
                    num_warps: list[int], num_regs: list[int]) -> Any:
    """Emit at the generator's insertion point; the default partition's result.

    `gluon` is a GluonOpBuilder on the same context. `declared` holds what the kernel's earlier warp_specialize asked for; this
    one is added. Rules S9 to S13, S16, S17.
    """
    if isinstance(generator.caller_context, PartitionContext):
        raise NestedPartitionsError()
    options = generator.builder.options
    if options.num_warps % 4:
        raise WarpGroupError(num_warps=options.num_warps)
    default, workers = partitions[0], partitions[1:]
    if not workers:
        return _call(generator, default, PartitionContext(options.num_warps, False))
    wanted = register_budget.Workers(tuple(num_warps), tuple(num_regs))
    register_budget.check(wanted, options.num_warps, options.maxnreg, declared)
    declared.append(wanted)

    builder = generator.builder
    before, here = builder.get_insertion_point(), builder.get_loc()
    default_block = builder.new_block()
    builder.set_insertion_point_to_start(default_block)
    builder.set_loc(here)  # Moving the builder takes the location of what is there.
    result = _call(generator, default, PartitionContext(options.num_warps, False))
    results = _handles([] if result is None else [result])
    _at(builder, gluon).create_warp_yield(results)

    captures = _Captures()
    for index, worker in enumerate(workers, 1):
        for name, arg in zip(worker.fn.arg_names, worker.args, strict=True):
            _map_values(lambda value, index=index, name=name: captures.add(index, name, value), arg)
    builder.restore_insertion_point(before)
    builder.set_loc(here)
    op = _at(builder, gluon).create_warp_specialize([item.get_type() for item in results], captures.handles, num_warps)
    op.get_default_region().push_back(default_block)
    if not is_sanitized(options):  # whose checks fit into no budget: ptxas would spill for minutes
        op.set_requested_registers(num_regs)
    gluon.create_block_with_parent(op.get_partition_op_holder(), [])
    regions = gluon.create_warp_specialize_partitions(len(workers))
    types = [handle.get_type() for handle in captures.handles]
    for index, (worker, warps) in enumerate(zip(workers, num_warps, strict=True)):
        block = builder.create_block_with_parent(regions.get_region(index), types)
        builder.set_loc(here)
        inner = [_map_values(lambda value, block=block: captures.inside(block, value), arg) for arg in worker.args]
        if _call(generator, Partition(worker.fn, tuple(inner)), PartitionContext(warps, True)) is not None:
            raise PartitionResultError(index=index + 1, fn=worker.fn.__name__)
        _at(builder, gluon).create_warp_return()
    builder.set_insertion_point_after(op.get_operation())
    builder.set_loc(here)
    if result is None:
        return None
    return result.type._unflatten_ir([op.get_result(i) for i in range(len(results))], 0)[0]


class _Captures:
    """What the workers take from around the op: each IR value once."""

    def __init__(self) -> None:
        self.handles: list[Any] = []
        self._positions: dict[int, int] = {}

    def add(self, index: int, name: str, value: Any) -> Any:
        """Take the handles of an argument of worker `index`."""
        for handle in _handles([value]):
            if str(handle.get_type()).startswith(("tensor<", "!tt.ptr<tensor<")):
                raise PartitionArgumentError(index=index, name=name, got=f"a value that holds one ({value.type})")
            if handle.id() not in self._positions:
                self._positions[handle.id()] = len(self.handles)
                self.handles.append(handle)
        return value

    def inside(self, block: Any, value: Any) -> Any:
        """`value` as the region of `block` sees it."""
        handles = [block.get_argument(self._positions[handle.id()]) for handle in _handles([value])]
        return value.type._unflatten_ir(handles, 0)[0]


def _map_values(fn: Callable[[Any], Any], arg: Any) -> Any:
    """`arg` with every run-time value in it replaced by another of its type, and plain Python values as tl.constexpr."""
    if isinstance(arg, tl.tuple):
        items = [_map_values(fn, item) for item in arg.values]
        return tl.tuple(items, tl.tuple_type([item.type for item in items], arg.type.fields))
    if isinstance(arg, tl.constexpr) or not isinstance(arg, base_value):
        return arg if isinstance(arg, tl.constexpr) else tl.constexpr(arg)
    return fn(arg)


def _handles(values: list[Any]) -> list[Any]:
    handles: list[Any] = []
    for value in values:
        value._flatten_ir(handles)
    return handles


def _call(generator: Any, partition: Partition, context: PartitionContext) -> Any:
    """Call a partition's function. Stock Triton shows the text of an error here next to the line of warp_specialize, so it is
    raised with the text of the innermost one, which has the rule."""
    args = [_map_values(lambda value: value, arg) for arg in partition.args]
    try:
        return generator.call_JitFunction(partition.fn, args, kwargs={}, caller_context=context)
    except CompilationError as error:
        inner = error
        while isinstance(inner.__cause__, CompilationError):
            inner = inner.__cause__
        raise CompilationError(inner.src, inner.node, inner.error_message) from error


def _at(builder: Any, gluon: Any) -> Any:
    """The GluonOpBuilder at the insertion point and location of the code generator's builder."""
    gluon.restore_insertion_point(builder.get_insertion_point())
    gluon.set_loc(builder.get_loc())
    return gluon
