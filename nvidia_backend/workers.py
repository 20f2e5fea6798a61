"""Partitions of warp_specialize whose number of warps is not the launch's.

Stock Triton's conversion to TTGIR gives every tensor of a module a layout for one number of warps. The core takes such
partitions out of the kernel into modules of their own, here each of those is converted, and the core puts them back.
"""
from __future__ import annotations

from typing import Any

from triton._C.libtriton import ir

from .conversion import convert
from .failures import explained
from .module_text import generic_text, parse

WARPS = (1, 2, 4, 8, 16)
"""Numbers of warps that a worker may have."""

_ATTRIBUTE = "tle.workers."


def convert_workers(module: Any, options: Any, capability: int) -> bool:
    """Convert what pass tle-outline-workers took out; False if that was nothing. Pass tle-merge-workers comes next."""
    builder, found = ir.builder(module.context), False
    for warps in WARPS:
        text = module.get_operation().get_str_attr(f"{_ATTRIBUTE}{warps}")
        if text is None:
            continue
        workers = parse(text, module.context)
        with explained("workers", text, options, capability):
            convert(workers, options.num_ctas, capability)
        module.set_attr(f"{_ATTRIBUTE}{warps}", builder.get_string_attr(generic_text(workers)))
        found = True
    return found
