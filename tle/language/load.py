"""tle.load: tl.load that may be asked to run asynchronously."""
from __future__ import annotations

from typing import Any

import triton.language as tl

from .builtin import backend_for, builtin, describe, unwrap
from .errors import LoadAsyncTypeError
from .handles import check_arguments


@builtin
def load(pointer: Any, mask: Any = None, other: Any = None, boundary_check: Any = (), padding_option: Any = "",
         cache_modifier: Any = "", eviction_policy: Any = "", volatile: Any = False, is_async: Any = False,
         _semantic: Any = None, _generator: Any = None) -> tl.tensor:
    """tl.load with the same arguments and rules; the value is the same too.

    is_async=True: the data comes by cp.async through shared memory instead of through registers. L9 unless it is a
    compile-time bool.
    """
    is_async = unwrap(is_async)
    if is_async is None:
        is_async = False
    if not isinstance(is_async, bool):
        raise LoadAsyncTypeError(got=describe(is_async))
    check_arguments(tl.load, (pointer, mask, other))
    value = tl.load(pointer, mask, other, boundary_check, padding_option, cache_modifier, eviction_policy, volatile,
                    _semantic=_semantic)
    if is_async:
        backend_for(_semantic, _generator).mark_async(value)
    return value
