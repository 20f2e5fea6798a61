"""What a kernel is compiled for."""
from __future__ import annotations

from typing import Any

from .builtin import interpreted
from .errors import TargetError

_INTERPRETED_CAPABILITY = 90


def capability(semantic: Any) -> int:
    """Compute capability of the target, e.g. 90; Hopper's under the interpreter. I10 unless it is an NVIDIA GPU >= 80."""
    if interpreted(semantic):
        return _INTERPRETED_CAPABILITY
    options = semantic.builder.options
    if options.backend_name != "cuda":
        raise TargetError(got=f"backend {options.backend_name}")
    number = int(options.arch.removeprefix("sm"))
    if number < 80:
        raise TargetError(got=f"sm_{number}")
    return number
