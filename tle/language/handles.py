"""Values of a kernel that are one handle of the backend, and their types: what buffers and barriers share."""
from __future__ import annotations

from typing import Any

from triton.language.core import base_type, base_value

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
    return AttributeError(name) if name.startswith("__") else NotATensorError(got=owner, name=name)


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


class handle_value(base_value):
    """A value with `handle` and `type`. It prints as its type."""

    __iter__ = None  # Python would index it until an IndexError comes

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


def ir_type_of(handle: Any) -> Any:
    """MLIR type of a handle of the compiler; None for one of the simulator."""
    return handle.get_type() if hasattr(handle, "get_type") else None
