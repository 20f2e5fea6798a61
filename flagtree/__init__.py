"""Triton Language Extensions on the stock Triton wheel.

The language itself is `triton.experimental.tle.language`; importing this package only checks the installation.
"""
from __future__ import annotations

import importlib
import importlib.metadata
from types import MappingProxyType
from typing import Any

from ._version import SUPPORTED_TRITON, VERSION
from .errors import MissingExtraError, TLEError, UnsupportedTritonError


def _check_triton() -> None:
    """Raise V1 unless the installed Triton is the supported one; reads metadata, so Triton is not imported."""
    try:
        found = importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        found = None
    if found is None or found.split("+")[0] != SUPPORTED_TRITON:
        raise UnsupportedTritonError(version=VERSION, supported=SUPPORTED_TRITON,
                                     found="none" if found is None else f"triton {found}")


_check_triton()

from . import _common_ir  # noqa: E402  (the core must not load before the version check)

__version__ = f"{VERSION}+commonir.{'on' if _common_ir.ENABLED else 'off'}"


def common_ir_enabled() -> bool:
    """Whether this build carries the TileIR dialect and CommonIRToTTGIR (decided when the wheel was built)."""
    return _common_ir.ENABLED


def __getattr__(name: str) -> Any:
    """Launcher, and check, simulate and trace, the simulator; imported when asked for. Rule V4."""
    if name not in _MODULES:
        raise AttributeError(f"module 'flagtree' has no attribute {name!r}")
    try:
        module = importlib.import_module(_MODULES[name], __name__)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise MissingExtraError(package="numpy") from None
    return getattr(module, name)


_MODULES = MappingProxyType({"Launcher": ".nvidia_backend.launcher", "check": ".simulator.check", "simulate": ".simulator.check", "trace": ".simulator.trace"})

__all__ = ["Launcher", "TLEError", "__version__", "check", "common_ir_enabled", "simulate", "trace"]  # noqa: F822
