"""flagtree.trace: a kernel's timeline."""
from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from triton.runtime import KernelInterface

from .check import Launcher, require_kernel_or_action
from .errors import PageError
from .session import Session, simulating
from .timeline import Timeline


def trace(kernel: KernelInterface | Callable[[], Any], page: str | Path = "trace.html") -> Any:
    """Run in the simulator in modelled time and write a timeline: a web page of its own, and trace events for Perfetto beside it.

    kernel: decorated with @triton.jit, then `trace(kernel, page)[grid](*args)` is the page's path; or a function without
    arguments that launches kernels, then `trace(function, page)` is. What is wrong with a kernel raises, after the page is
    written. Rules U12, U15.
    """
    require_kernel_or_action("trace", kernel)
    check_page(page)

    def run(action: Callable[[], Any]) -> Path:
        timeline = Timeline()
        try:
            with simulating(Session(timeline=timeline)):
                action()
        finally:
            path = timeline.write(page)
        return path

    if not isinstance(kernel, KernelInterface):
        return run(kernel)
    return Launcher(lambda grid, args, kwargs: run(lambda: kernel[grid](*args, **kwargs)))


def check_page(page: Any) -> None:
    """U15 unless a page and the trace events can be written there."""
    why = None
    if not isinstance(page, (str, PathLike)):
        why = "is no path"
    elif Path(page).is_dir():
        why = "is a folder"
    elif not Path(page).parent.is_dir():
        why = "is in a folder that does not exist"
    elif Path(page).suffix == ".json":
        why = "has this suffix itself"
    if why:
        raise PageError(got=repr(page), why=why)
