"""Backend that writes IR: every operation is a call of an intrinsic `tle.<op>`, which the compiler core raises to an op.

A call is `tt.call @tle.<op>.<n>(operands) {tle.<attribute> = value}`, with one private declaration for each type n of
that op. The module attribute `tle.used` tells the stage that there is work to do.
"""
from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton._C.libtriton import gluon_ir, ir

from flagtree import _core
from flagtree.nvidia_backend.pipeline import USED_ATTRIBUTE

from .errors import GluonKernelError, IntrinsicTableError, NoinlineError
from .handles import unsealed
from .layouts import shared_layout, swizzled_shared_layout
from .partitions import emit_partitions
from .register_budget import Workers
from .target import capability
from .types import buffered_tensor, shared_pointer_type

if TYPE_CHECKING:
    from .barrier import barrier, barrier_type
    from .warp_specialize import Partition

INTRINSICS = MappingProxyType({name: frozenset(attributes) for name, attributes in _core.intrinsics().items()})
PIPELINE_MODE_ATTRIBUTE = "tle.wgmma_pipeline_mode"
_INPUT_PRECISIONS = MappingProxyType({"tf32": 0, "ieee": 2})  # numbers of Triton's enum InputPrecision


class _ModuleState:
    """What is kept while one module is built: a builder for types, the declarations made and the workers asked for so far."""

    def __init__(self, context: Any, module: Any) -> None:
        self.builder = gluon_ir.GluonOpBuilder(context)
        self.detached = ir.builder(context)
        self.module = module
        self.declarations: dict[tuple[str, str], Any] = {}
        self.counts: dict[str, int] = {}
        self.workers: list[Workers] = []
        module.set_attr(USED_ATTRIBUTE, self.detached.get_int32_attr(1))

    def declare(self, name: str, function_type: Any) -> Any:
        """The private declaration of intrinsic `name` with this type."""
        key = (name, str(function_type))
        if key not in self.declarations:
            count = self.counts.get(name, 0)
            self.counts[name] = count + 1
            function = self.detached.get_or_insert_function(self.module, f"{name}.{count}", function_type, "private", True)
            self.module.push_back(function)
            self.declarations[key] = function
        return self.declarations[key]


def _state_of(generator: Any) -> _ModuleState:
    module = generator.module
    if not hasattr(module, "tle_state"):
        module.tle_state = _ModuleState(generator.context, module)
    return module.tle_state


class Emitter:
    """Writes intrinsics at the insertion point of a kernel that is being compiled (protocol `backend.Backend`)."""

    def __init__(self, semantic: Any, generator: Any) -> None:
        if generator.is_gluon:
            raise GluonKernelError(function=generator.jit_fn.__name__)
        if generator.noinline:
            raise NoinlineError(function=generator.jit_fn.__name__)
        self._semantic = semantic
        self._generator = generator
        self._builder = semantic.builder
        self._capability = capability(semantic)
        self._state = _state_of(generator)

    def _call(self, name: str, operands: list[Any], results: list[Any], attributes: dict[str, bool | int | str] | None = None) -> Any:
        attributes = attributes or {}
        operands = [unsealed(operand) for operand in operands]
        if name not in INTRINSICS or not INTRINSICS[name].issuperset(attributes):
            raise IntrinsicTableError(name=name, attributes=sorted(attributes))
        function_type = self._builder.get_function_ty([operand.get_type() for operand in operands], results)
        call = self._builder.call(self._state.declare(name, function_type), operands)
        for key, value in attributes.items():
            call.set_attr(f"tle.{key}", self._attribute(value))
        return call.get_result(0) if results else None

    def _attribute(self, value: bool | int | str) -> Any:
        if isinstance(value, bool):
            return self._builder.get_bool_attr(value)
        return self._builder.get_int32_attr(value) if isinstance(value, int) else self._builder.get_string_attr(value)

    def _memdesc_type(self, shape: tuple[int, ...], dtype: tl.dtype, layout: shared_layout) -> Any:
        builder = self._state.builder
        return builder.get_shared_mem_desc_ty(dtype.to_ir(self._builder), list(shape), layout.to_ir(builder), list(shape))

    def _slot_type(self, buffer: buffered_tensor) -> Any:
        return self._memdesc_type(buffer.type.shape[1:], buffer.dtype, buffer.type.layout.drop_leading())

    def _block(self, dtype: tl.dtype, shape: tuple[int, ...]) -> tl.block_type:
        return tl.block_type(dtype, list(shape))

    def alloc(self, shape: tuple[int, ...], dtype: tl.dtype, layout: shared_layout, init: tl.tensor | None) -> Any:
        operands = [] if init is None else [init.handle]
        return self._call("tle.alloc", operands, [self._memdesc_type(shape, dtype, layout)])

    def slot(self, buffer: buffered_tensor, index: tl.tensor) -> Any:
        self._assert_in_bounds("buffer", index, buffer.type.shape[0])
        return self._call("tle.slot", [buffer.handle, index.handle], [self._slot_type(buffer)])

    def local_load(self, buffer: buffered_tensor) -> tl.tensor:
        type = self._block(buffer.dtype, buffer.type.shape)
        return tl.tensor(self._call("tle.local_load", [buffer.handle], [type.to_ir(self._builder)]), type)

    def local_store(self, buffer: buffered_tensor, value: tl.tensor) -> None:
        self._call("tle.local_store", [value.handle, buffer.handle], [])

    def copy(self, src: tl.tensor, dst: buffered_tensor, mask: tl.tensor | None) -> None:
        self._call("tle.copy", [src.handle, dst.handle, *([] if mask is None else [mask.handle])], [])

    def copy_out(self, src: buffered_tensor, dst: tl.tensor, mask: tl.tensor | None) -> None:
        self._call("tle.copy_out", [src.handle, dst.handle, *([] if mask is None else [mask.handle])], [])

    def tma_load(self, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor) -> None:
        if self._has_tma():
            self._call("tle.tma_load", [desc.handle, *(offset.handle for offset in offsets), dst.handle], [])
            return
        block = self._semantic.descriptor_load(desc, offsets, "", "")
        self.local_store(dst, self._semantic.reshape(block, list(dst.type.shape), can_reorder=False))

    def tma_store(self, src: buffered_tensor, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor]) -> None:
        if self._has_tma():
            self._call("tle.tma_store", [src.handle, desc.handle, *(offset.handle for offset in offsets)], [])
            return
        block = self._semantic.reshape(self.local_load(src), list(desc.block_shape), can_reorder=False)
        self._semantic.descriptor_store(desc, block, offsets)

    def local_ptr(self, buffer: buffered_tensor, indices: list[tl.tensor] | None) -> tl.tensor:
        type = shared_pointer_type(buffer.dtype)
        shape = buffer.type.shape if indices is None else (indices[0].type.shape if indices[0].type.is_block() else ())
        if shape:
            type = self._block(type, shape)
        operands = [buffer.handle, *(index.handle for index in indices or [])]
        return tl.tensor(self._call("tle.local_ptr", operands, [type.to_ir(self._builder)]), type)

    def memory_space(self, value: tl.tensor, space: str) -> tl.tensor:
        handle = self._call("tle.memory_space", [value.handle], [value.handle.get_type()], {"space": space})
        return tl.tensor(handle, value.type)

    def mark_async(self, value: tl.tensor) -> None:
        value.handle.set_attr("tt.load.async", self._builder.get_bool_attr(True))

    def alloc_barriers(self, type: barrier_type) -> Any:
        self._promise_pipeline()
        attributes = {"arrive_count": type.arrive_count, "ready": type.ready}
        if type.expect_bytes is not None:
            attributes["expect_bytes"] = type.expect_bytes
        return self._call("tle.alloc_barriers", [], [self._barrier_type(type.count, 1)], attributes)

    def barrier_slot(self, bars: barrier, index: tl.tensor) -> Any:
        self._assert_in_bounds("barrier", index, bars.type.count)
        return self._call("tle.slot", [bars.handle, index.handle], [self._barrier_type(1)])

    def barrier_wait(self, bar: barrier, use: int | tl.tensor, parity: tl.tensor) -> None:
        self._call("tle.barrier_wait", [bar.handle, parity.handle], [])

    def barrier_arrive(self, bar: barrier, count: int, use: int | tl.tensor) -> None:
        self._call("tle.barrier_arrive", [bar.handle], [], {"count": count})

    def named_barrier_wait(self, bar: barrier) -> None:
        self._call("tle.named_barrier_wait", [bar.handle], [])

    def named_barrier_arrive(self, bar: barrier) -> None:
        self._call("tle.named_barrier_arrive", [bar.handle], [])

    def async_tma_load(self, desc: tl.core.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor, bar: barrier) -> None:
        self._call("tle.async_tma_load", [desc.handle, *(offset.handle for offset in offsets), dst.handle, bar.handle], [])

    def wgmma(self, a: buffered_tensor | tl.tensor, b: buffered_tensor, acc: tl.tensor | None, result: tl.block_type,
              input_precision: str, max_num_imprecise_acc: int, trans_a: bool, trans_b: bool) -> tl.tensor:
        operands = [a.handle, b.handle, *([] if acc is None else [acc.handle])]
        handle = self._call("tle.wgmma", operands, [result.to_ir(self._builder)], {
            "input_precision": _INPUT_PRECISIONS[input_precision],
            "max_num_imprecise_acc": max_num_imprecise_acc,
            "trans_a": trans_a,
            "trans_b": trans_b,
        })
        return tl.tensor(handle, result)

    def wgmma_wait(self, acc: tl.tensor, pendings: int) -> tl.tensor:
        self._promise_pipeline()
        handle = self._call("tle.wgmma_wait", [acc.handle], [acc.handle.get_type()], {"pendings": pendings})
        return tl.tensor(handle, acc.type)

    def warp_specialize(self, partitions: list[Partition], num_warps: list[int], num_regs: list[int]) -> Any:
        self._set_launch_attributes()
        return emit_partitions(self._generator, self._state.builder, self._state.workers, partitions, num_warps, num_regs)

    def _barrier_type(self, *shape: int) -> Any:
        return self._memdesc_type(shape, tl.int64, swizzled_shared_layout(1, 1, 1, (0, ), (1, ), (1, ), (1, ), (0, )))

    def _assert_in_bounds(self, what: str, index: tl.tensor, count: int) -> None:
        """With debug=True: the device stops at an index that a kernel computed wrongly."""
        semantic = self._semantic
        if not self._builder.options.debug:
            return
        inside = semantic.and_(semantic.greater_equal(index, semantic.to_tensor(0)), semantic.less_than(index, semantic.to_tensor(count)))
        semantic.device_assert(inside, f"{what} index is not between 0 and {count - 1}", None)

    def _promise_pipeline(self) -> None:
        """The user orders asynchronous work: the compiler must leave the loops of this kernel alone."""
        self._state.module.set_attr(PIPELINE_MODE_ATTRIBUTE, self._builder.get_string_attr("user_promise"))

    def _set_launch_attributes(self) -> None:
        """What a module needs to say before ttg.warp_specialize verifies."""
        options, module = self._builder.options, self._state.module
        module.set_attr("ttg.target", self._builder.get_string_attr(f"cuda:{self._capability}"))
        for name, number in (("num-warps", options.num_warps), ("num-ctas", options.num_ctas), ("threads-per-warp", 32)):
            module.set_attr(f"ttg.{name}", self._builder.get_int32_attr(number))

    def _has_tma(self) -> bool:
        """Before sm_90 stock Triton rewrites descriptor loads and stores to pointers, so those are emitted there."""
        return self._capability >= 90
