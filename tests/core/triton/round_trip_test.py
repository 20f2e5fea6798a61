"""A module that goes through the core without passes comes back as the identical module, locations included."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget, Language
from triton.compiler.compiler import ASTSource, make_backend

from flagtree import _core
from flagtree.nvidia_backend.module_text import generic_text, parse
from tests.core.triton.kernels import KERNELS

HOPPER_OPS = Path(__file__).parent / "Inputs" / "hopper_ops.mlir"
TARGET = GPUTarget("cuda", 90, 32)


def new_context() -> Any:
    context = ir.context()
    ir.load_dialects(context)
    make_backend(TARGET).load_dialects(context)
    return context


def compile_to(stages: tuple[str, ...], name: str, num_ctas: int = 1) -> Any:
    """The module of kernel `name` after the stock `stages`; none: straight from the front end."""
    function, types, constants = KERNELS[name]
    backend = make_backend(TARGET)
    options = backend.parse_options({"num_ctas": num_ctas, "debug": True})
    context = new_context()
    signature = {argument: types.get(argument, "constexpr") for argument in function.arg_names}
    source = ASTSource(function, signature, {(function.arg_names.index(key),): value for key, value in constants.items()},
                       {(0,): [["tt.divisibility", 16]]})
    module = source.make_ir(TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    pipeline: dict[str, Any] = {}
    backend.add_stages(pipeline, options, Language.TRITON)
    metadata = {"target": TARGET, **options.__dict__}
    for stage in stages:
        module = pipeline[stage](module, metadata)
    module.context = context
    return module


def assert_round_trip(module: Any) -> None:
    returned = parse(_core.run(generic_text(module), ""), module.context)
    assert str(returned) == str(module)
    assert returned.str_nodebug() == module.str_nodebug()


@pytest.mark.parametrize("stages", [(), ("ttir",), ("ttir", "ttgir")], ids=lambda stages: stages[-1] if stages else "front_end")
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str, stages: tuple[str, ...]) -> None:
    assert_round_trip(compile_to(stages, name))


def test_several_ctas() -> None:
    module = compile_to(("ttir", "ttgir"), "elementwise", num_ctas=2)
    assert "CGALayout" in module.str_nodebug()
    assert_round_trip(module)


def test_hopper_operations() -> None:
    """The stock wheel reads what the core prints of every ttg and ttng operation."""
    context = new_context()
    module = ir.parse_mlir_module(str(HOPPER_OPS), context)
    returned = parse(_core.run(HOPPER_OPS.read_text(), ""), context)
    assert returned.str_nodebug() == module.str_nodebug()
