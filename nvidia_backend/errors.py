"""What the stage may raise."""
from __future__ import annotations

import linecache
from typing import Any

from flagtree.errors import TLEError


class StageMissingError(TLEError):
    rule = "I11"
    template = ("kernel {kernel} uses tle operations, but its TTIR was not lowered by flagtree: a hook or an ir_override "
                "replaced the module after the 'ttir' stage. Remove it, or run the original stage in it.")


class LoweringError(TLEError):
    """The compiler core refused a kernel. The text starts with the kernel's file and line, then the rule's sentence, the
    line itself and the notes; `file`, `line`, `column`, `message` and `notes` hold the parts."""

    def __init__(self, error: Any) -> None:
        self.file, self.line, self.column = error.file, error.line, error.column
        self.message, self.notes = error.message, list(error.notes)
        Exception.__init__(self, self._text())

    def _text(self) -> str:
        lines = [f"{self.file}:{self.line}: {self.message}" if self.file else self.message]
        source = linecache.getline(self.file, self.line) if self.file else ""
        if source.strip():
            lines.append(f"    {source.strip()}")
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)
