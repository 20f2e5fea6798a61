"""tle.gpu.memory_space: where the compiler should keep a tensor."""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, unwrap
from .errors import MemorySpaceInputError, MemorySpaceNameError
from .scopes import scope, smem


@builtin
def memory_space(input: Any, space: Any, _semantic: Any = None, _generator: Any = None) -> tl.tensor:
    """`input`, to be kept in shared memory. `space` is tle.gpu.smem or "smem". M1, M2."""
    if not isinstance(input, tl.tensor) or not input.type.is_block():
        raise MemorySpaceInputError(got=describe(input))
    space = unwrap(space)
    if not isinstance(space, (scope, str)) or space not in (smem, "smem"):
        raise MemorySpaceNameError(got=describe(space))
    return backend_for(_semantic, _generator).memory_space(input, "smem")
