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


def _placed(diagnostic: Any) -> list[str]:
    """`file:line: message` and the line of source, as far as they are known."""
    message = re.sub(r"^'[\w.]+' op (?=\[)", "", diagnostic.message)  # MLIR's name of the op in front of a rule
    if not diagnostic.file:
        return [message]
    source = linecache.getline(diagnostic.file, diagnostic.line).strip()
    return [f"{diagnostic.file}:{diagnostic.line}: {message}", *([f"    {source}"] if source else [])]
