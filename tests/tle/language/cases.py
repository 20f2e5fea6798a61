"""Kernels that break a rule, and what the user must see: the message, its number, and the line of the source it points to."""
from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import triton
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
