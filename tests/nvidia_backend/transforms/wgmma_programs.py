"""What the tests of random WGMMA programs share: writing them as MLIR, and asking the core whether it takes them."""
from __future__ import annotations

from typing import Any

from flagtree import _core

PIPELINE = "builtin.module(tle-lower-wgmma{num-warps=4 num-ctas=1 capability=90})"
TILE = "tensor<64x64xf32>"
FLAGS = "{input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false}"
Block = list[tuple[Any, ...]]  # of statements: ("issue", ...), ("wait", ...), ("if", block, block), ("for", block), and what else a test has


class Lines:
    """The body of a program, to which a writer adds."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.number = 0

    def name(self) -> str:
        """For a new value."""
        self.number += 1
        return f"%v{self.number}"


def function(arguments: str, lines: list[str]) -> str:
    """The module of a kernel with these arguments and lines; `#nvmma` and `#smem` can be used in both."""
    body = "\n".join(lines)
    return f"""#nvmma = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
#smem = #ttg.shared_memory
tt.func public @program({arguments}) {{
{body}
tt.return
}}"""


def error_of(text: str) -> str | None:
    """Why the core refuses a module; None if it takes it."""
    try:
        _core.run(text, PIPELINE)
    except _core.CoreError as error:
        return error.message
    return None
