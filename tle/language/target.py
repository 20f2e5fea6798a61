"""What a kernel is compiled for."""
from __future__ import annotations

from typing import Any

from .builtin import interpreted
from .errors import HopperOnlyError, NumCTAsError, TargetError

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


def require_hopper(operation: str, semantic: Any) -> None:
    """I14 unless the target is Hopper, A16 in a cluster of blocks."""
    if (number := capability(semantic)) != 90:
        raise HopperOnlyError(operation=operation, got=f"sm_{number}")
    require_one_block(semantic)


def require_one_block(semantic: Any) -> None:
    """A16 in a cluster of blocks."""
    num_ctas = getattr(semantic.builder.options, "num_ctas", 1)
    if num_ctas != 1:
        raise NumCTAsError(num_ctas=num_ctas)


def partition_num_warps(semantic: Any, generator: Any) -> int:
    """Warps that run this code: of the partition it belongs to, else of the launch."""
    if interpreted(semantic):
        from flagtree.simulator.builder import program
        return program().current.warps
    context = generator.caller_context
    return context.num_warps if context is not None else semantic.builder.options.num_warps
