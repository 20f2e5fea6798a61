"""The result of checking a kernel under several schedules."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from triton.runtime.errors import InterpreterError

from flagtree.errors import TLEError

from .findings import Finding
from .source import raised_at


@dataclass
class Report:
    """`findings` of the first bad schedule, `seed`, or none. `error`: what else the run raised, e.g. a failed comparison. `programs`: how many of
    kernels' grids ran, in all schedules; of none there is nothing to find.

    `interleavings`: how many that differ were run, all programs together; two differ if something at a barrier, or atomics on the
    same shared bytes, come in another order that matters. `exhausted`: there are no others.
    """

    schedules: int = 0
    findings: list[TLEError] = field(default_factory=list)
    seed: int | str | None = None
    error: Exception | None = None
    programs: int = 0
    interleavings: int = 0
    exhausted: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings and self.error is None

    @property
    def coverage(self) -> str:
        """How much of what may happen was run."""
        if self.exhausted:
            return f"all {self.interleavings} interleaving(s) that differ were run"
        return f"{self.interleavings} interleaving(s) that differ were run, there may be more"

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok and not self.programs:
            return "nothing was checked: no kernel was launched under Triton's interpreter, or only with empty grids"
        if self.ok:
            return f"{self.schedules} schedule(s) run, nothing found"
        head = f"schedule seed={self.seed}: {len(self.findings)} finding(s), {self.schedules} schedule(s) run"
        parts = [head, *(f"\n{finding}{'' if isinstance(finding, Finding) else _place(finding)}" for finding in self.findings)]
        if self.error is not None:
            parts.append(f"\nthe run raised {self._error}{_place(_unwrapped(self.error))}")
        return "\n".join(parts)

    @property
    def _error(self) -> str | None:
        if self.error is None:
            return None
        error = _unwrapped(self.error)
        return f"{type(error).__name__}: {error}"

    def to_json(self) -> str:
        """The report for other programs."""
        return json.dumps({"ok": self.ok, "schedules": self.schedules, "programs": self.programs, "seed": self.seed, "interleavings": self.interleavings,
                           "exhausted": self.exhausted, "findings": [_plain(item) for item in self.findings],
                           "error": self._error}, indent=2)


def _plain(error: TLEError) -> dict[str, Any]:
    if isinstance(error, Finding):
        return error.to_json()
    place = raised_at(error)
    places = [] if place is None else [{"what": "here", "file": place.file, "line": place.line, "function": place.function, "source": place.text}]
    return {"rule": error.rule, "kind": "error", "message": str(error), "places": places}


def _unwrapped(error: Exception) -> Exception:
    """What a kernel raised, without the error that the stock interpreter makes of it."""
    while isinstance(error, InterpreterError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    return error


def _place(error: Exception) -> str:
    """Where in the user's program, as a line of a report."""
    place = raised_at(error)
    return "" if place is None else f"\n    {place}\n        {place.text}"
