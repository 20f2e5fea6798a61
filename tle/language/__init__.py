"""Triton Language Extensions: what a kernel sees as `tle`.

Importing it puts the compiler stage into stock Triton (flagtree.nvidia_backend).
"""
from __future__ import annotations

from flagtree import nvidia_backend

from . import gpu
from .load import load

nvidia_backend.install()

__all__ = ["gpu", "load"]
