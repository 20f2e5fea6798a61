"""What the stage may raise."""
from __future__ import annotations

import linecache
import re
from typing import Any

from flagtree.errors import TLEError


class StageMissingError(TLEError):
    rule = "I11"
    template = ("kernel {kernel} uses tle operations, but its TTIR was not lowered by flagtree: a hook or an ir_override "
                "replaced the module after the 'ttir' stage. Remove it, or run the original stage in it.")


class LoweringError(TLEError):
    """The compiler core refused a kernel.

    The text starts with the kernel's file and line and the rule's sentence, then come that line of source and the notes.
    `message`, `file`, `line`, `column` and `notes` (each with the same fields) hold the parts; without a place in a
    file, `file` is "".
    """

    def __init__(self, error: Any) -> None:
        self.message, self.notes = error.message, list(error.notes)
        self.file, self.line, self.column = error.file, error.line, error.column
        lines = _placed(self)
        for note in self.notes:
            first, *rest = _placed(note)
            lines += [f"note: {first}", *rest]
        Exception.__init__(self, "\n".join(lines))


class _PlacedError(TLEError):
    """A rule whose text starts with a place in the kernel's file (file "" for none) and ends with that line of source."""

    def __init__(self, file: str, line: int, **values: object) -> None:
        super().__init__(**values)
        self.message, self.file, self.line = str(self), file, line
        Exception.__init__(self, "\n".join(_placed(self)))


class StockPassError(_PlacedError):
    rule = "I15"
    template = ("Triton's own passes (stage {stage}) refused the kernel: {message}. "
                "Report it with the file that repeats it: python -m flagtree.nvidia_backend.replay {reproducer}")


class RegisterWarning(UserWarning):
    """A kernel runs slower than it could, because a partition has too few registers."""


class RegisterError(_PlacedError):
    rule = "I16"
    template = ("ptxas could not give the kernel registers: {message}. {partitions}. "
                "Give the partition with the largest tiles more in worker_num_regs, use smaller tiles, or spread them over more warps.")


class WaitTimeoutError(TLEError):
    rule = "I17"
    template = ("{switch} must be a number of milliseconds from 1 to {longest}, but is {got}. "
                "Leave it out to let barrier_wait wait for ever.")


class LauncherKernelError(TLEError, TypeError):
    rule = "I18"
    template = ("flagtree.Launcher takes a compiled kernel, but got {got}. "
                "Give it what kernel.warmup(..., grid=(1, )) or triton.compile(...) returns; under TRITON_INTERPRET=1 nothing is compiled.")


class LauncherArgumentsError(TLEError, TypeError):
    rule = "I19"
    template = ("kernel {kernel} takes {count} arguments, but flagtree.Launcher got {got}. "
                "Give all of them, {parameters}, in this order, compile-time ones and those with a default too.")


class LauncherGridError(TLEError, TypeError):
    rule = "I40"
    template = ("the grid of flagtree.Launcher must be three integers of 0 or more, but is {got}. "
                "Write launcher[x, y, z](...), with 1 for dimensions that are not needed; with a 0 nothing is launched.")


def _placed(diagnostic: Any) -> list[str]:
    """`file:line: message` and the line of source, as far as they are known."""
    message = re.sub(r"^'[\w.]+' op (?=\[)", "", diagnostic.message)  # MLIR's name of the op in front of a rule
    if not diagnostic.file:
        return [message]
    source = linecache.getline(diagnostic.file, diagnostic.line).strip()
    return [f"{diagnostic.file}:{diagnostic.line}: {message}", *([f"    {source}"] if source else [])]
