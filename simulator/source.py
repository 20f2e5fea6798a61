"""Where in the user's program something happens, and what the user calls it."""
from __future__ import annotations

import ast
import functools
import linecache
import sys
from typing import NamedTuple

_OURS = frozenset({"flagtree", "triton", "numpy", "greenlet", "functools", "contextlib"})


class Place(NamedTuple):
    """A line of a function of the user's."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"

    @property
    def text(self) -> str:
        """The source line, without its indentation."""
        return linecache.getline(self.file, self.line).strip()


NOWHERE = Place("<unknown>", 0, "<unknown>")


def here() -> Place:
    """The innermost line that is neither ours nor Triton's."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return NOWHERE


def raised_at(error: BaseException) -> Place | None:
    """The innermost line that is neither ours nor Triton's of those that an exception went through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            found = Place(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return found


def assigned_name(place: Place) -> str | None:
    """The variable that the statement at `place` assigns to: what the user calls the value made there. None if several on that line do."""
    return _assignments("".join(linecache.getlines(place.file))).get(place.line)


@functools.lru_cache(maxsize=64)
def _assignments(text: str) -> dict[int, str | None]:
    """Line -> the name that a statement covering it assigns to."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    names = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                names[line] = targets[0].id if names.get(line, targets[0].id) == targets[0].id else None
    return names
