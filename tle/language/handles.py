"""Values of a kernel that are one handle of the backend, and their types: what buffers and barriers share."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import triton.language as tl
from triton.language.core import base_type, base_value
from triton.language.semantic import TritonSemantic

from flagtree.errors import TLEError

from .errors import NotATensorError


class Sealed:
    """An IR value that `unsealed` opens. Stock Triton takes whatever has a `handle` for a tensor, and libtriton aborts the process where it casts
    the type of a buffer to that of a tensor; what is sealed it refuses."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def get_type(self) -> Any:
        return self.value.get_type()

    def __getattr__(self, name: str) -> Any:
        raise _refuse("a shared buffer or barrier", name)


def sealed(handle: Any) -> Any:
    """A handle of the compiler sealed; one of the simulator as it is."""
    return Sealed(handle) if hasattr(handle, "get_type") else handle


def unsealed(handle: Any) -> Any:
    return handle.value if isinstance(handle, Sealed) else handle


def _refuse(owner: Any, name: str) -> AttributeError:
    """The error for an attribute that only tensors have (A46). Names of Python's own protocols are asked for by Python itself."""
    return AttributeError(name) if name.startswith("__") else NotATensorError(got=owner, why=f"has no '{name}'")


class handle_type(base_type):
    """Type of such a value, compared by `_key()`. `ir_type` is the MLIR type while compiling, None under the interpreter."""

    ir_type: Any

    def _key(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return str(self)

    def __getattr__(self, name: str) -> Any:
        raise _refuse(self, name)

    def _flatten_ir_types(self, builder: Any, out: list[Any]) -> None:
        out.append(self.ir_type)


def _refused(operation: str) -> Callable[..., Any]:
    """A method for `operation`, which such a value does not have."""

    def refuse(self: handle_value, *operands: Any) -> Any:
        raise self.operand_error(got=self, operation=operation)

    return refuse


def _operator(sign: str) -> Callable[..., Any]:
    return _refused(f"operator {sign}")


class _NoNumber:
    """Python's operators for what is no number: each says so."""

    __add__ = __radd__ = __pos__ = _operator("+")
    __sub__ = __rsub__ = __neg__ = _operator("-")
    __mul__ = __rmul__ = _operator("*")
    __matmul__ = __rmatmul__ = _operator("@")
    __truediv__ = __rtruediv__ = _operator("/")
    __floordiv__ = __rfloordiv__ = _operator("//")
    __mod__ = __rmod__ = _operator("%")
    __pow__ = __rpow__ = _operator("**")
    __lshift__ = __rlshift__ = _operator("<<")
    __rshift__ = __rrshift__ = _operator(">>")
    __and__ = __rand__ = _operator("&")
    __or__ = __ror__ = _operator("|")
    __xor__ = __rxor__ = _operator("^")
    __invert__ = _operator("~")
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("<", "<=", ">", ">="))
    __abs__ = _refused("absolute value")
    __bool__ = _refused("truth value")
    __index__ = _refused("integer value")
    __iter__ = _refused("elements to iterate over")  # without, Python would index it until an IndexError comes
    __contains__ = _refused("elements to look for")
    __setitem__ = _refused("elements to assign to")
    __len__ = _refused("length")
    __call__ = _refused("way to be called")

    def __eq__(self, other: object) -> bool:
        return False if other is None else _operator("==")(self)

    def __ne__(self, other: object) -> bool:
        return True if other is None else _operator("!=")(self)

    __hash__ = object.__hash__


class handle_value(_NoNumber, base_value):
    """A value with `handle` and `type`. It prints as its type; used as a number it raises `operand_error`."""

    operand_error: ClassVar[type[TLEError]]

    def __init__(self, handle: Any, type: handle_type) -> None:
        self.handle = sealed(handle)
        self.type = type

    def __getattr__(self, name: str) -> Any:
        raise _refuse(self, name)

    def _flatten_ir(self, handles: list[Any]) -> None:
        handles.append(unsealed(self.handle))

    def __str__(self) -> str:
        return str(self.type)

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        """As a text, but where stock Triton has found that it cannot make a tensor of this value, and formats it for its own message."""
        if sys._getframe(1).f_code is TritonSemantic.to_tensor.__code__:
            raise self.operand_error(got=str(self), operation="conversion to a tensor")
        return format(str(self), spec)


_FOR_ANY_VALUE = frozenset({"zeros_like", "static_print", "static_assert", "builtin_min", "builtin_max"})
"""Functions of stock Triton that use a value as Python would, or ask for shape and type alone, which buffers have."""


def check_arguments(fn: Any, arguments: Iterable[Any]) -> None:
    """A46 if a function of stock Triton, compiled or interpreted, is given a buffer or a barrier."""
    if not getattr(fn, "__module__", "").startswith("triton.language") or fn.__name__ in _FOR_ANY_VALUE:
        return
    for argument in handles_in(arguments):
        raise NotATensorError(got=argument, why=f"cannot be given to {fn.__name__}")


def handles_in(values: Iterable[Any]) -> Iterator[Any]:
    """The buffers and barriers among values, or their types among types, those in lists and tuples too."""
    for value in values:
        if isinstance(value, (handle_value, handle_type)):
            yield value
        elif isinstance(value, (list, tuple, tl.tuple, tl.tuple_type)):
            yield from handles_in(value)


def ir_type_of(handle: Any) -> Any:
    """MLIR type of a handle of the compiler; None for one of the simulator."""
    return handle.get_type() if hasattr(handle, "get_type") else None
