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
from .interleavings import Exploration
from .order import Ordered, read_order
from .policy import Policy
from .timed import TimedPolicy
from .timeline import Timeline

_LIMIT = 64


@dataclass
class Session:
    """Options of simulated launches. `seed`: of the schedule, or a written one. `strict`: a finding raises when its program ends (a
    deadlock raises at once, always). `programs`: how many have begun."""

    seed: int | str = 0
    strict: bool = True
    findings: list[Finding] = field(default_factory=list)
    timeline: Timeline | None = None
    exploration: Exploration | None = None
    programs: int = 0
    _known: set[Any] = field(default_factory=set)

    def policy(self, program: int) -> Policy:
        """The schedule of the program of that number."""
        if self.timeline is not None:
            return TimedPolicy(self.timeline)
        if self.exploration is not None:
            return self.exploration.policy(program)
        return Ordered(read_order(self.seed).get(program, {})) if isinstance(self.seed, str) else Policy(self.seed)

    def add(self, finding: Finding) -> None:
        """Keep a finding unless the same lines have it already."""
        identity = finding.identity()
        if identity not in self._known and len(self.findings) < _LIMIT:
            self._known.add(identity)
            self.findings.append(finding)


@contextlib.contextmanager
def simulating(session: Session) -> Iterator[Session]:
    """Every launch inside runs in the simulator with `session`, however its kernel was decorated."""
    from . import install
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
