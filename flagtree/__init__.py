"""Triton Language Extensions on the stock Triton wheel.

The language itself is `triton.experimental.tle.language`; importing this package only checks the installation.
"""
from __future__ import annotations

import importlib
import importlib.metadata
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
    """check, simulate and trace: the simulator, imported when it is asked for. Rule V4."""
    if name not in ("check", "simulate", "trace"):
        raise AttributeError(f"module 'flagtree' has no attribute {name!r}")
    try:
        module = importlib.import_module(".simulator.trace" if name == "trace" else ".simulator.check", __name__)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise MissingExtraError(package="numpy") from None
    return getattr(module, name)


__all__ = ["TLEError", "__version__", "check", "common_ir_enabled", "simulate", "trace"]  # noqa: F822
