"""Compile kernels for a GPU that need not be there."""
from __future__ import annotations

from typing import Any

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend


def source(fn: Any, signature: dict[str, str], constants: dict[str, Any] | None = None) -> ASTSource:
    """`fn` with the given argument types; what is in `constants` is a constexpr."""
    constants = constants or {}
    types = {name: "constexpr" if name in constants else signature[name] for name in fn.arg_names}
    return ASTSource(fn, types, constants)


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


def compiled(fn: Any, signature: dict[str, str], constants: dict[str, Any] | None = None, capability: int = 90,
             **options: Any) -> Any:
    """The kernel through all stages of the installed compiler, down to a cubin."""
    return triton.compile(source(fn, signature, constants), target=GPUTarget("cuda", capability, 32), options=options)
