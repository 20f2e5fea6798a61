"""Modules of stock Triton as text, the form in which the compiler core takes and gives them."""
from __future__ import annotations

import os
from typing import Any

from triton._C.libtriton import ir

_MARK = '"@@generic"'


def generic_text(module: Any) -> str:
    """The module in generic form with locations.

    Stock Triton prints that form only for a module that does not verify, so the kernel's visibility is made invalid
    while printing.
    """
    builder = ir.builder(module.context)
    kernel = module.get_function(module.get_entry_func_name())
    kernel.set_attr("sym_visibility", builder.get_string_attr(_MARK.strip('"')))
    try:
        text = str(module)
    finally:
        kernel.set_attr("sym_visibility", builder.get_string_attr("public"))
    return text.replace(f"sym_visibility = {_MARK}", 'sym_visibility = "public"')


def parse(text: str, context: Any) -> Any:
    """Parse through a file in memory: the binding takes a file name only."""
    file = os.memfd_create("flagtree-ttir")
    try:
        with open(file, "w", closefd=False) as stream:
            stream.write(text)
        module = ir.parse_mlir_module(f"/proc/self/fd/{file}", context)
    finally:
        os.close(file)
    module.context = context
    return module
