"""What a launch is simulated with, and what it finds."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flagtree.errors import TLEError

_LIMIT = 64


@dataclass
class Session:
    """Options of simulated launches. `strict`: a finding raises when its program ends (a deadlock at once)."""

    seed: int = 0
    strict: bool = True
    findings: list[TLEError] = field(default_factory=list)
    timeline: Any = None
    _known: set[Any] = field(default_factory=set)

    def add(self, finding: Any) -> None:
        """Keep a finding unless the same lines have it already."""
        identity = finding.identity()
        if identity not in self._known and len(self.findings) < _LIMIT:
            self._known.add(identity)
            self.findings.append(finding)
