"""The result of checking a kernel under several schedules."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from flagtree.errors import TLEError

from .findings import Finding


@dataclass
class Report:
    """`findings` of the first bad schedule, `seed`, or none. `error`: what else the run raised, e.g. a failed comparison."""

    schedules: int = 0
    findings: list[TLEError] = field(default_factory=list)
    seed: int | None = None
    error: Exception | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings and self.error is None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"{self.schedules} schedule(s) run, nothing found"
        head = f"schedule seed={self.seed}: {len(self.findings)} finding(s), {self.schedules} schedule(s) run"
        parts = [head, *(f"\n{finding}" for finding in self.findings)]
        if self.error is not None:
            parts.append(f"\nthe run raised {type(self.error).__name__}: {self.error}")
        return "\n".join(parts)

    def to_json(self) -> str:
        """The report for other programs."""
        return json.dumps({"ok": self.ok, "schedules": self.schedules, "seed": self.seed, "findings": [_plain(item) for item in self.findings],
                           "error": None if self.error is None else f"{type(self.error).__name__}: {self.error}"}, indent=2)


def _plain(error: TLEError) -> dict[str, Any]:
    if isinstance(error, Finding):
        return error.to_json()
    return {"rule": error.rule, "kind": "error", "message": str(error)}
