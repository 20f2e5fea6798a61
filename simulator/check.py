"""flagtree.simulate and flagtree.check: a kernel under one schedule, and under many."""
from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from triton.runtime import KernelInterface

from flagtree.errors import TLEError

from .errors import GridError, NotAKernelError, SchedulesError, SeedError
from .findings import DeadlockFinding
from .interleavings import Exploration
from .order import check_seed
from .report import Report
from .session import Session, simulating

DEFAULT_SCHEDULES = 8


def simulate(kernel: KernelInterface, seed: int | str = 0) -> Launcher:
    """`simulate(kernel)[grid](*args)` runs a kernel on the CPU under the schedule of `seed`; what is wrong with it raises.

    kernel: decorated with @triton.jit, for a GPU or under TRITON_INTERPRET=1. Arguments as in a launch, tensors on the CPU.
    seed: a number, or what Report.seed says. Rules U12, U14.
    """
    check_seed(seed)
    if not isinstance(kernel, KernelInterface):
        raise NotAKernelError(function="simulate", wanted="a kernel decorated with @triton.jit", got=repr(kernel),
                              advice="Give it the kernel alone: flagtree.simulate(kernel)[grid](*args).")

    def launch(grid: Any, args: Any, kwargs: Any) -> None:
        with simulating(Session(seed=seed)):
            kernel[grid](*args, **kwargs)

    return Launcher(launch)


def check(kernel: KernelInterface | Callable[[], Any], schedules: int = DEFAULT_SCHEDULES, first_seed: int | str = 0,
          progress: bool | None = None) -> Any:
    """Run under up to `schedules` schedules until one shows a mistake. The Report says which; its seed replays it.

    Schedules of seeds, from `first_seed` on, take turns with those that enumerate the interleavings that differ
    (simulator/interleavings.py), as long as there are more of these. If all were run, DEFAULT_SCHEDULES are enough. A first_seed
    that is a text, from Report.seed, is the only schedule.

    kernel: decorated with @triton.jit, then `check(kernel)[grid](*args)` is the Report, with the arguments' contents restored
    before each schedule; or a function without arguments that launches kernels, then `check(function)` is the Report. What the
    function raises, e.g. because results differ from what they should be, is in Report.error. progress: a bar on stderr; None
    for one if it is a terminal. Rules U12 to U14.
    """
    if not isinstance(schedules, int) or schedules < 1:
        raise SchedulesError(got=repr(schedules))
    check_seed(first_seed)
    require_kernel_or_action("check", kernel)
    show = sys.stderr.isatty() if progress is None else progress

    def run(action: Callable[[], Any]) -> Report:
        report = Report()
        exploration = Exploration()
        for session in _sessions(exploration, schedules, first_seed):
            if show:
                _progress(report.schedules, schedules)
            error = _attempt(action, session)
            report.schedules += 1
            report.programs += session.programs
            if session.exploration is not None:
                session.seed = exploration.finish_run()
            report.findings = list(session.findings)
            if error is not None:
                causes = [cause for cause in _causes(error) if isinstance(cause, TLEError) and not isinstance(cause, SeedError)]
                report.findings += [cause for cause in causes[-1:] if cause not in report.findings]
                report.error = None if causes else error
            for finding in session.findings:
                finding.seed = session.seed
            if not report.ok:
                report.seed = session.seed
                break
        report.interleavings, report.exhausted = exploration.found, exploration.over and exploration.complete
        if show:
            _progress(report.schedules, schedules, end="\n")
        return report

    if not isinstance(kernel, KernelInterface):
        return run(kernel)

    def launch(grid: Any, args: Any, kwargs: Any) -> Report:
        saved = [(tensor, copy.deepcopy(tensor)) for tensor in _tensors([*args, *kwargs.values()])]

        def action() -> None:
            for tensor, content in saved:
                tensor[...] = content
            kernel[grid](*args, **kwargs)

        return run(action)

    return Launcher(launch)


def require_kernel_or_action(function: str, kernel: Any) -> None:
    """U12 unless it is a kernel or can be called without arguments."""
    if isinstance(kernel, KernelInterface):
        return
    try:
        inspect.signature(kernel).bind()
    except TypeError as error:
        why = f" ({error})" if callable(kernel) else ""
        raise NotAKernelError(
            function=function, wanted="a kernel decorated with @triton.jit, or a function without arguments that launches kernels", got=f"{kernel!r}{why}",
            advice=f"Write flagtree.{function}(kernel)[grid](*args), or flagtree.{function}(lambda: program(*args)).") from None
    except ValueError:  # of a function that is not written in Python nothing is known
        return


class Launcher:
    """`launcher[grid](*args, **kwargs)`, as kernels are launched."""

    def __init__(self, launch: Callable[[Any, Any, Any], Any]) -> None:
        self._launch = launch

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._launch(grid, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        raise GridError(got="left out")


def _sessions(exploration: Exploration, schedules: int, first_seed: int | str) -> Iterator[Session]:
    """What to run under, one after the other."""
    if isinstance(first_seed, str):
        yield Session(seed=first_seed, strict=False)
        return
    seed = first_seed
    for count in range(schedules):
        if exploration.over and exploration.complete and count >= DEFAULT_SCHEDULES:
            return
        if count % 2 and not exploration.over:
            yield Session(strict=False, exploration=exploration)
        else:
            yield Session(seed=seed, strict=False)
            seed += 1


def _attempt(action: Callable[[], Any], session: Session) -> Exception | None:
    """Run `action`; what it raised, deadlocks apart: the session has those."""
    try:
        with simulating(session):
            action()
    except Exception as error:
        return None if any(isinstance(cause, DeadlockFinding) for cause in _causes(error)) else error
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _tensors(values: list[Any]) -> list[Any]:
    """The tensors among arguments, those of descriptors and tuples too."""
    found = []
    for value in values:
        if hasattr(value, "data_ptr") or isinstance(value, np.ndarray):
            found.append(value)
        elif hasattr(value, "base"):
            found += _tensors([value.base])
        elif isinstance(value, (list, tuple)):
            found += _tensors(list(value))
    return found


def _progress(done: int, total: int, end: str = "") -> None:
    width = 40
    filled = width * done // total
    print(f"\rschedules [{'#' * filled}{'.' * (width - filled)}] {done}/{total}", end=end, file=sys.stderr, flush=True)
