"""What launches are simulated with, and what they find."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from triton import knobs
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from .findings import Finding

_LIMIT = 64


@dataclass
class Session:
    """Options of simulated launches. `strict`: a finding raises when its program ends (a deadlock raises at once, always)."""

    seed: int = 0
    strict: bool = True
    findings: list[Finding] = field(default_factory=list)
    timeline: Any = None
    _known: set[Any] = field(default_factory=set)

    def add(self, finding: Finding) -> None:
        """Keep a finding unless the same lines have it already."""
        identity = finding.identity()
        if identity not in self._known and len(self.findings) < _LIMIT:
            self._known.add(identity)
            self.findings.append(finding)


@contextlib.contextmanager
def simulating(session: Session) -> Iterator[Session]:
    """Every launch inside runs in the simulator with `session`, however its kernel was decorated."""
    from .builder import install
    builder = install()
    outer, builder.session = builder.session, session
    run, call = JITFunction.run, JITFunction.__call__
    JITFunction.run = lambda self, *args, **kwargs: _interpreted(self).run(*args, **kwargs)
    JITFunction.__call__ = lambda self, *args, **kwargs: _interpreted(self)(*args, **kwargs)
    try:
        with knobs.runtime.scope():
            knobs.runtime.interpret = True
            yield session
    finally:
        JITFunction.run, JITFunction.__call__ = run, call
        builder.session = outer


def _interpreted(function: JITFunction) -> InterpretedFunction:
    return InterpretedFunction(function.fn)
