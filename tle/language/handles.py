"""Values of a kernel that are one handle of the backend, and their types: what buffers and barriers share."""
from __future__ import annotations

from typing import Any

from triton.language.core import base_type, base_value


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

    def _flatten_ir_types(self, builder: Any, out: list[Any]) -> None:
        out.append(self.ir_type)


class handle_value(base_value):
    """A value with `handle` and `type`. It prints as its type."""

    handle: Any
    type: handle_type

    def _flatten_ir(self, handles: list[Any]) -> None:
        handles.append(self.handle)

    def __str__(self) -> str:
        return str(self.type)

    def __repr__(self) -> str:
        return str(self)


def ir_type_of(handle: Any) -> Any:
    """MLIR type of a handle of the compiler; None for one of the simulator."""
    return handle.get_type() if hasattr(handle, "get_type") else None
