"""Compiles a row of the corpus stage by stage with the backend's own stages; stops before ptxas."""
from __future__ import annotations

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler.compiler import ASTSource, make_backend

from tests.corpus.packages import find_kernel
from tests.corpus.table import Kernel


class Compilation:
    """One kernel on its way: `module` is what the last stage gave.

    The stages are taken as `triton.compile` takes them, so an installed stage hook is in effect.
    """

    def __init__(self, row: Kernel, capability: int = 90) -> None:
        fn = find_kernel(row.module, row.kernel)
        constants = row.constants()
        types = row.types()
        target = GPUTarget("cuda", capability, 32)
        backend = make_backend(target)
        self.options = backend.parse_options({"num_warps": row.num_warps, "num_stages": row.num_stages})
        self.metadata = {"hash": "corpus", "target": target, **self.options.__dict__}
        self.stages: dict = {}
        backend.add_stages(self.stages, self.options, Language.TRITON)
        self.context = ir.context()
        ir.load_dialects(self.context)
        backend.load_dialects(self.context)
        source = ASTSource(
            fn,
            {name: types.get(name, "constexpr") for name in fn.arg_names},
            {(fn.arg_names.index(name),): value for name, value in constants.items()},
            {(fn.arg_names.index(name),): [["tt.divisibility", 16]] for name in row.divisible()},
        )
        self.module = source.make_ir(target, self.options, backend.get_codegen_implementation(self.options), backend.get_module_map(), self.context)

    def run(self, *stages: str) -> object:
        """Runs the named stages in turn and returns what the last one gave: a module, or PTX text."""
        for stage in stages:
            self.module = self.stages[stage](self.module, self.metadata)
        return self.module
