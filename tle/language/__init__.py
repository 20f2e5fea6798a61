"""Triton Language Extensions: what a kernel sees as `tle`.

Importing it puts the compiler stage into stock Triton (flagtree.nvidia_backend), our rules where that refuses our values
(refusals.py) and, under TRITON_INTERPRET=1, shared memory into its interpreter (flagtree.simulator).
"""
from __future__ import annotations

from typing import Any

from triton import knobs

from flagtree import nvidia_backend
from flagtree.simulator.host_array import allow_arrays_in_descriptors

from . import gpu, refusals
from .absent import LANGUAGE, Absent, unknown
from .load import load

nvidia_backend.install()
refusals.install()
allow_arrays_in_descriptors()
if knobs.runtime.interpret:
    from flagtree import simulator
    simulator.install()

__all__ = ["gpu", "load"]


def __getattr__(name: str) -> Any:
    """Names FlagTree has and this version has not are `absent.Absent`."""
    if name in LANGUAGE:
        return Absent(f"tle.{name}")
    raise unknown("tle", name, ["tle.load", *(f"tle.gpu.{own}" for own in gpu.__all__)])
