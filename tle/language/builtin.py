"""The decorator of everything a kernel may call, and the choice of what carries it out."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton import knobs

from flagtree import common_ir_enabled

from .errors import CallError, OutsideKernelError

if TYPE_CHECKING:
    from .backend import Backend


def builtin(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make `fn(..., _semantic, _generator)` callable from a kernel, compiled or interpreted.

    Stock Triton passes `_semantic` and `_generator` while it compiles a kernel. Its interpreter calls plain Python and
    passes nothing, so its semantic object is filled in here. Raises A1 elsewhere.
    """

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("_semantic") is None:
            if not knobs.runtime.interpret:
                raise OutsideKernelError(name=fn.__qualname__)
            from triton.runtime.interpreter import interpreter_semantic
            kwargs["_semantic"] = interpreter_semantic
        try:
            return fn(*args, **kwargs)
        except TypeError:
            _check_call(fn, args, kwargs)
            raise

    wrapper.__triton_builtin__ = True
    return wrapper


def _check_call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """A47 if the arguments are not those of `fn`."""
    given = inspect.signature(fn)
    signature = given.replace(parameters=[parameter for name, parameter in given.parameters.items() if not name.startswith("_")])
    try:
        signature.bind(*args, **{name: value for name, value in kwargs.items() if not name.startswith("_")})
    except TypeError as error:
        shown = [name if parameter.default is parameter.empty else f"{name}=..." for name, parameter in signature.parameters.items() if name != "self"]
        raise CallError(name=fn.__qualname__, parameters=", ".join(shown), why=error) from None


def interpreted(semantic: Any) -> bool:
    """Whether `semantic` belongs to the stock interpreter rather than to a compilation."""
    return not hasattr(semantic.builder, "get_insertion_block")


def backend_for(semantic: Any, generator: Any) -> Backend:
    """What carries an operation out: the simulator under the stock interpreter, else the IR emitter."""
    if interpreted(semantic):
        from flagtree.simulator import backend
        return backend
    if common_ir_enabled():
        from .tile_emitter import TileEmitter
        return TileEmitter(semantic, generator)
    from .emitter import Emitter
    return Emitter(semantic, generator)


def unwrap(value: Any) -> Any:
    """`value` without tl.constexpr, also inside lists and tuples; Triton's tuples become Python's."""
    if isinstance(value, tl.constexpr):
        return unwrap(value.value)
    if isinstance(value, (list, tuple, tl.tuple)):
        return tuple(unwrap(item) for item in value)
    return value


def is_int(value: Any) -> bool:
    """Whether an unwrapped compile-time value is an integer (bool is not)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_int_scalar(value: Any) -> bool:
    """Whether an unwrapped value is a run-time scalar of an integer type (bool is not)."""
    return isinstance(value, tl.tensor) and not value.type.is_block() and value.dtype.is_int() and value.dtype != tl.int1


def describe(value: Any) -> str:
    """What a user passed, for a message: the value of something simple, the kind and type of anything else."""
    value = unwrap(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return f"{value!r} ({type(value).__name__})"
    if isinstance(value, tl.tensor):
        shape = f" of shape {tuple(unwrap(value.shape))}" if value.type.is_block() else ""
        return f"a tensor{shape} and type {value.dtype}" if shape else f"a scalar of type {value.dtype}"
    if isinstance(value, tl.core.tensor_descriptor_base):
        return f"a descriptor of blocks of shape {tuple(unwrap(value.block_shape))} and type {value.dtype}"
    if isinstance(value, tuple):
        return f"a tuple ({', '.join(describe(item) for item in value)})"
    return str(value) if isinstance(value, (tl.dtype, tl.core.base_value)) else type(value).__name__
