"""What the compiled core says about itself, read once at import: there is no run-time switch."""
from __future__ import annotations

from .errors import CoreMismatchError
from ._version import VERSION

try:
    from . import _core
except ImportError as error:
    raise CoreMismatchError(version=VERSION, problem=f"cannot be loaded ({error})") from error

if _core.version() != VERSION:
    raise CoreMismatchError(version=VERSION, problem=f"is of version {_core.version()}")

ENABLED: bool = _core.common_ir_enabled()
