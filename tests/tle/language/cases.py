"""Kernels that break a rule, and what the user must see: the message, its number, and the line of the source it points to."""
from __future__ import annotations

import inspect
import runpy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError

from tests.tle.language.compiling import ttir

SIGNATURE = {"x": "*fp16", "n": "i32", "wide": "i64", "ratio": "fp32"}


class Case(NamedTuple):
    """A kernel whose wrong line ends in the comment `# <-`. Its parameters are names of SIGNATURE."""

    rule: str
    says: str
    kernel: Any
    capability: int
    options: dict[str, Any]

    def __str__(self) -> str:
        return self.kernel.__name__

    def check_compiled(self) -> None:
        with pytest.raises(CompilationError) as caught:
            ttir(self.kernel, {name: SIGNATURE[name] for name in self.kernel.arg_names}, capability=self.capability, **self.options)
        excerpt, _, message = str(caught.value).rpartition("^\n")
        assert f"[{self.rule}] " in message
        assert self.says in message
        assert excerpt.rstrip().endswith("# <-"), excerpt

    def check_interpreted(self) -> None:
        import torch
        arguments = {"x": torch.zeros(64 * 64 * 4, dtype=torch.float16), "n": 64, "wide": 2**40, "ratio": 0.5}
        with pytest.raises(Exception) as caught:
            self.kernel[(1, )](*(arguments[name] for name in self.kernel.arg_names), **self.options)
        text = "".join(traceback.format_exception(caught.value))
        assert f"[{self.rule}] " in text
        assert "# <-" in text


class Cases(list[Case]):
    """The cases of a file."""

    def breaks(self, rule: str, says: str, capability: int = 90, **options: Any) -> Callable[[Any], Any]:
        """Register a kernel that breaks `rule` with a message that contains `says`."""

        def register(fn: Any) -> Any:
            self.append(Case(rule, says, triton.jit(fn), capability, options))
            return fn

        return register


def functions_of_triton() -> list[str]:
    """Names of those of triton.language that a kernel calls with values of its own."""
    functions = {name: function for name in dir(tl) if tl.core.is_builtin(function := getattr(tl, name)) or hasattr(function, "arg_names")}
    return [name for name, function in functions.items() if _required(function) and name not in ("static_assert", "static_print", "zeros_like")]


def _required(function: Any) -> int:
    """How many arguments must be given."""
    parameters = inspect.signature(getattr(function, "fn", function)).parameters.values()
    return sum(parameter.default is parameter.empty and not parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)


def call_with_buffers(name: str, folder: Path) -> Case:
    """A kernel, in a file there, that gives buffers to a function of triton.language (A46)."""
    file = folder / "kernel_with_a_buffer.py"
    file.write_text(f"""import triton
import triton.language as tl
import triton.experimental.tle.language as tle


@triton.jit
def kernel():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    result = tl.{name}({', '.join(['buf'] * _required(getattr(tl, name)))})  # <-
""")
    return Case("A46", f"cannot be given to {name}. ", runpy.run_path(str(file))["kernel"], 90, {})
