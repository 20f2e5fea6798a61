"""The stock interpreter's builder, with what kernels on shared memory need beyond it."""
from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from functools import cache, partial, partialmethod
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

from flagtree.language.copy import check_innermost
from flagtree.language.handles import check_arguments, handle_value
from flagtree.language.types import shared_pointer_type

from .bfloat16 import narrow, widen
from .errors import SharedAccessError
from .executor import Executor
from .global_memory import GlobalMemory
from .host_array import allow_arrays_in_descriptors
from .program import Program
from .session import Session

INDEX_ATTR = "tle.local_ptr"
"""Attribute of a pointer handle: (shape of the buffer, index arrays), for the message of a failed access."""

_BITS = np.dtype(np.uint16)
"""What bfloat16 is kept in."""

_OPERATORS = frozenset(name for name in vars(tl.tensor) if name.startswith("__") and name != "__getitem__")
"""Python's for tensors."""

_SPECIAL = 8
"""Cycles that exp2 and its like take where an addition takes one, in the modelled time of timelines."""


class SimulatorBuilder(InterpreterBuilder):
    """Has a Program for each program of the grid, checks accesses to memory, and computes in bfloat16.

    The stock interpreter does arithmetic on the bit patterns of bfloat16 (a dot or an addition gives nonsense) and
    truncates when it converts to it; here values are widened to float32 and rounded to nearest even.
    """

    session: Session
    program: Program
    memory: GlobalMemory
    patched: set[Any]
    """Modules of the language that are patched for the launch that runs."""

    def begin(self, name: str, warps: int, memory: GlobalMemory) -> Program:
        """A new program at the current place of the grid."""
        self.memory = memory
        self.program = Program(self.session, self.grid_idx, warps, name, self.session.programs)
        self.session.programs += 1
        return self.program

    # Memory. Unmasked loads and stores of the base class call the masked ones.

    def create_masked_load(self, ptrs, mask, other, cache_modifier, eviction_policy, is_volatile):
        self._check(ptrs, mask.data, False)
        return super().create_masked_load(ptrs, mask, other, cache_modifier, eviction_policy, is_volatile)

    def create_masked_store(self, ptrs, value, mask, cache_modifier, eviction_policy):
        self._check(ptrs, mask.data, True)
        return super().create_masked_store(ptrs, value, mask, cache_modifier, eviction_policy)

    def create_atomic_cas(self, ptr, cmp, val, sem, scope):
        self._check(ptr, np.ones_like(ptr.data, dtype=bool), True, atomic=True)
        return super().create_atomic_cas(_contiguous(ptr), _contiguous(cmp), _contiguous(val), sem, scope)

    def create_atomic_rmw(self, rmwOp, ptr, val, mask, sem, scope):
        self._check(ptr, mask.data, True, atomic=True)
        if val.dtype.scalar == tl.bfloat16:
            return _add_bfloat16(ptr, val, mask)
        return super().create_atomic_rmw(rmwOp, _contiguous(ptr), _contiguous(val), _contiguous(mask), sem, scope)

    def create_descriptor_load(self, desc, indices, cache_modifier, eviction_policy):
        _check_innermost(desc, indices)
        return super().create_descriptor_load(desc, indices, cache_modifier, eviction_policy)

    def create_descriptor_store(self, desc, value, indices):
        _check_innermost(desc, indices)
        return super().create_descriptor_store(desc, value, indices)

    def create_int_to_ptr(self, src, dst_type):
        self.memory.foreign = True
        return super().create_int_to_ptr(src, dst_type)

    def create_bitcast(self, src, dst_type):
        """As the base class, but a shared pointer stays one: float atomics cast their pointers to integer pointers."""
        result = super().create_bitcast(src, dst_type)
        if isinstance(src.dtype.scalar, shared_pointer_type) and result.dtype.is_ptr():
            return TensorHandle(result.data, shared_pointer_type(result.dtype.element_ty), src.attr)
        return result

    def _check(self, ptrs: TensorHandle, mask: np.ndarray, write: bool, atomic: bool = False) -> None:
        """Tell the program about an access through shared pointers. Raise SharedAccessError if an active lane is outside of its buffers,
        GlobalAccessError if one of another access is outside of the tensors of the launch."""
        size = max(1, ptrs.get_element_ty().primitive_bitwidth // 8)
        if not isinstance(ptrs.dtype.scalar, shared_pointer_type):
            self.memory.check(ptrs.data, np.asarray(mask), size)  # descriptors give the buffer of an array
            self.program.pause_among_partitions()
            return
        bad = np.argwhere(mask & ~self.program.arena.inside(ptrs.data, size))
        if len(bad) == 0:
            self.program.pause()
            self.program.touch(ptrs.data[np.broadcast_to(mask, ptrs.data.shape)], size, write, atomic)
            return
        lane = tuple(int(i) for i in bad[0])
        where = "the pointer lies outside of every buffer of the program"
        if INDEX_ATTR in ptrs.attr:
            shape, indices = ptrs.attr[INDEX_ATTR]
            where = f"local_ptr was given index {tuple(int(i[lane]) for i in indices)} of a buffer of shape {shape}"
        raise SharedAccessError(count=len(bad), lane=lane, where=where)

    # bfloat16

    def cast_impl(self, src, dst_type):
        if src.dtype.scalar == tl.bfloat16:
            return super().cast_impl(TensorHandle(widen(src.data), tl.float32), dst_type)
        if dst_type.scalar == tl.bfloat16:
            return TensorHandle(narrow(src.data.astype(np.float32)), tl.bfloat16)
        return super().cast_impl(src, dst_type)

    def unary_op(self, arg, op):
        self.program.work += _SPECIAL * arg.data.size
        return _through_float32(super().unary_op, (arg, ), op)

    def binary_op(self, lhs, rhs, op):
        self.program.work += lhs.data.size
        if lhs.data.dtype == _BITS or rhs.data.dtype == _BITS:
            return _through_float32(super().binary_op, (lhs, rhs), op)
        return super().binary_op(lhs, rhs, op)

    def ternary_op(self, lhs, rhs, other, op):
        return _through_float32(super().ternary_op, (lhs, rhs, other), op)

    def create_fma(self, x, y, z):
        return _through_float32(super().create_fma, (x, y, z))

    def create_dot(self, a, b, d, input_precision, max_num_imprecise_acc):
        return super().create_dot(_widened(a), _widened(b), d, input_precision, max_num_imprecise_acc)


def _add_bfloat16(ptr: TensorHandle, val: TensorHandle, mask: TensorHandle) -> TensorHandle:
    """The one atomic of bfloat16, addition, lane after lane; the stock interpreter has none."""
    old = np.zeros_like(val.data)
    for lane in np.argwhere(mask.data):
        lane = tuple(lane)
        memory = np.frombuffer((ctypes.c_uint16 * 1).from_address(int(ptr.data[lane])), dtype=np.uint16)
        old[lane] = memory[0]
        memory[:] = narrow(widen(memory) + widen(val.data[lane]))
    return TensorHandle(old, tl.bfloat16)


def _check_innermost(desc: Any, indices: list[TensorHandle]) -> None:
    check_innermost(int(indices[-1].data.item()), desc.base.dtype.element_ty)


def install() -> SimulatorBuilder:
    """Turn the interpreter's one builder into a SimulatorBuilder, if it is not one yet, and return it.

    Changing the class of the object, and not the object, reaches every reference the interpreter has given out.
    """
    builder = interpreter.interpreter_builder
    if not isinstance(builder, SimulatorBuilder):
        builder.__class__ = SimulatorBuilder
        builder.session = Session()
        builder.program = Program(builder.session, (0, 0, 0), 4)
        builder.memory = GlobalMemory(None)
        builder.patched = set()
        interpreter.GridExecutor = Executor
        allow_arrays_in_descriptors()
        interpreter._implicit_cvt = partial(_implicit_cvt, interpreter._implicit_cvt)
        interpreter._patch_lang = partial(_patch_lang, interpreter._patch_lang)
        interpreter._patch_builtin = _patch_builtin
        interpreter._LangPatchScope.set_attr = partialmethod(_set_attr, interpreter._LangPatchScope.set_attr)
        interpreter.InterpretedFunction.__call__ = partialmethod(_call_function, interpreter.InterpretedFunction.__call__)
        interpreter._patch_lang_tensor = partial(_patch_lang_tensor, interpreter._patch_lang_tensor)
        interpreter.ReduceScanOpInterface.apply = partialmethod(_reduce_or_scan, interpreter.ReduceScanOpInterface.apply)
    return builder


def program() -> Program:
    """The program that runs now."""
    return install().program


def _implicit_cvt(stock: Callable[[Any], Any], argument: Any) -> Any:
    """The interpreter's value for an argument of a launch; the stock one takes the integer of a bool for too wide."""
    return interpreter.interpreter_semantic.to_tensor(argument) if isinstance(argument, bool) else stock(argument)


def _patch_lang(stock: Callable[..., Any], fn: Callable[..., Any]) -> Any:
    """The interpreter's patch of the language for a function, but once in a launch: the stock one does it again at every call of a
    helper, which takes longer than most helpers."""
    patched = interpreter.interpreter_builder.patched
    languages = {value for value in fn.__globals__.values() if value is tl or value is tl.core}
    if languages and languages <= patched:
        return interpreter._LangPatchScope()
    patched |= languages
    return stock(fn)


@cache
def _builtins(package: Any) -> dict[str, Callable[..., Any]]:
    """The language's builtins in a module or class. Asked first when none is patched yet."""
    return {name: member for name, member in inspect.getmembers(package) if tl.core.is_builtin(member)}


def _patch_builtin(package: Any, builder: InterpreterBuilder, scope: Any) -> None:
    """As the interpreter's function of this name, which looks through the whole module at each launch."""
    for name in _builtins(package):
        member = getattr(package, name)
        if tl.core.is_builtin(member):
            interpreter._patch_attr(package, name, member, builder, scope)


def _set_attr(scope: Any, stock: Callable[..., None], package: Any, name: str, value: Any) -> None:
    """The interpreter's way to patch the language; what it puts in place of a builtin checks its arguments."""
    builtin = _builtins(package).get(name)
    stock(scope, package, name, value if builtin is None else _checked(builtin, value))


def _checked(builtin: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[..., Any]:
    operator = builtin.__name__ in _OPERATORS

    def call(*args: Any, **kwargs: Any) -> Any:
        if operator and isinstance(args[-1], handle_value):
            return NotImplemented  # Python asks the other operand then
        check_arguments(builtin, (*args, *kwargs.values()))
        return replacement(*args, **kwargs)

    return call


def _call_function(self: Any, stock: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The interpreter's call of a function that is decorated with @triton.jit; stock Triton's own check their arguments."""
    check_arguments(self.fn, (*args, *kwargs.values()))
    return stock(self, *args, **kwargs)


def _patch_lang_tensor(stock: Callable[..., None], tensor: type, scope: Any) -> None:
    """The interpreter's patch of tl.tensor, then an __index__ that works with NumPy 2.4, where int() of an array with
    one dimension is an error: the stock one breaks every loop over a run-time range there."""
    stock(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))


def _reduce_or_scan(self: Any, stock: Callable[..., Any], operands: tl.tensor | tuple[tl.tensor, ...]) -> Any:
    """The interpreter's reduction or scan, bfloat16 operands as float32: the stock one combines their bit patterns."""
    if not isinstance(operands, tuple) or all(operand.dtype != tl.bfloat16 for operand in operands):
        return stock(self, operands)
    semantic = interpreter.interpreter_semantic
    wide = tuple(semantic.cast(o, tl.float32) if o.dtype == tl.bfloat16 else o for o in operands)
    return tuple(semantic.cast(r, o.dtype) for r, o in zip(stock(self, wide), operands, strict=True))


def _contiguous(handle: TensorHandle) -> TensorHandle:
    """The interpreter's atomics read operands element after element in memory, past the end of a broadcast one."""
    return TensorHandle(np.ascontiguousarray(handle.data), handle.dtype, handle.attr)


def _widened(handle: TensorHandle) -> TensorHandle:
    return TensorHandle(widen(handle.data), tl.float32) if handle.dtype.scalar == tl.bfloat16 else handle


def _through_float32(compute: Callable[..., TensorHandle], operands: tuple[TensorHandle, ...], *rest) -> TensorHandle:
    """`compute(*operands, *rest)` with bfloat16 operands as float32; a float32 result is then rounded to bfloat16."""
    for operand in operands:
        if operand.data.dtype == _BITS and operand.dtype.scalar == tl.bfloat16:
            break
    else:
        return compute(*operands, *rest)
    result = compute(*map(_widened, operands), *rest)
    return TensorHandle(narrow(result.data), tl.bfloat16) if result.data.dtype == np.float32 else result
