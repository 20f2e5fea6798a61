"""The NVIDIA side: the compiler stage that lowers TLE operations, put into stock Triton without touching its files."""
from __future__ import annotations

from .pipeline import install

__all__ = ["install"]
