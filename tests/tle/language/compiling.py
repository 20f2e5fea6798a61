"""Compile kernels for a GPU that need not be there."""
from __future__ import annotations

from typing import Any

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

# What TileIR can say is emitted as tile ops by a wheel built with CommonIR; the operands and types are the same.
TILE = {"alloc": "tile.alloc", "slot": "tile.subview", "local_load": "tile.to_tensor", "local_store": "tile.store_tensor",
        "copy": "tile.copy", "copy_out": "tile.copy"}


def source(fn: Any, signature: dict[str, str], constants: dict[str, Any] | None = None, *, aligned: bool = False) -> ASTSource:
    """`fn` with the given argument types; what is in `constants` is a constexpr. `aligned`: pointers are multiples of 16 bytes."""
    constants = constants or {}
    types = {name: "constexpr" if name in constants else signature[name] for name in fn.arg_names}
    pointers = [index for index, name in enumerate(fn.arg_names) if types[name].startswith("*")]
    return ASTSource(fn, types, constants, {(index, ): [["tt.divisibility", 16]] for index in pointers if aligned})


def ttir(fn: Any, signature: dict[str, str], constants: dict[str, Any] | None = None, capability: int = 90, *,
         optimize: bool = True, **options: Any) -> str:
    """TTIR of a kernel as the front end writes it (after stock make_ttir with `optimize`), without locations."""
    target = GPUTarget("cuda", capability, 32)
    backend = make_backend(target)
    parsed = backend.parse_options(options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source(fn, signature, constants).make_ir(target, parsed, backend.get_codegen_implementation(parsed),
                                                      backend.get_module_map(), context)
    if optimize:
        backend.make_ttir(module, {}, parsed, capability)
    return module.str_nodebug()


def compiled(fn: Any, signature: dict[str, str], constants: dict[str, Any] | None = None, capability: int = 90, *,
             aligned: bool = False, **options: Any) -> Any:
    """The kernel through all stages of the installed compiler, down to a cubin."""
    return triton.compile(source(fn, signature, constants, aligned=aligned), target=GPUTarget("cuda", capability, 32), options=options)


def calls(text: str, op: str) -> list[str]:
    """The lines that call the intrinsic of operation `op`."""
    found = []
    for line in text.splitlines():
        tile_copy = "tt.call @tile.copy." in line and ("copy_out" if " : (!ttg.memdesc" in line else "copy") == op
        other = f"tt.call @{TILE.get(op)}." in line and not op.startswith("copy")
        if f"tt.call @tle.{op}." in line or tile_copy or other:
            found.append(line.strip())
    return found
