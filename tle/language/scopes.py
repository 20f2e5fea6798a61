"""Memory scopes: where a buffer lives."""
from __future__ import annotations

from dataclasses import dataclass

from .builtin import unwrap
from .errors import ScopeNameError


@dataclass(frozen=True)
class scope:
    """A memory of the GPU: name 'share_memory' (shared memory of a block) or 'tensor_memory' (Blackwell). A44."""

    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", unwrap(self.name))
        if self.name not in ("share_memory", "tensor_memory"):
            raise ScopeNameError(got=repr(self.name))

    def __str__(self) -> str:
        return self.name


smem = scope("share_memory")
tmem = scope("tensor_memory")
