"""Base of all exceptions of the package, and the rules about the installation itself (V1 to V5)."""
from __future__ import annotations

from typing import Any, ClassVar


class TLEError(Exception):
    """A broken rule.

    A subclass names the rule (`rule`, a row of docs/errors.md) and the sentence (`template`, a format string): what was
    given, what is allowed, how to fix it.
    """

    rule: ClassVar[str] = ""
    template: ClassVar[str] = ""

    def __init__(self, **values: object) -> None:
        super().__init__(f"[{self.rule}] {self.template.format(**values)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by text and fields: kernels are also compiled in worker processes."""
        return _restore, (type(self), str(self), dict(vars(self)))


def _restore(cls: type[TLEError], text: str, fields: dict[str, Any]) -> TLEError:
    error = cls.__new__(cls)
    Exception.__init__(error, text)
    vars(error).update(fields)
    return error


class UnsupportedTritonError(TLEError, ImportError):
    rule = "V1"
    template = ("flagtree {version} works with triton {supported} only, but found {found}. "
                "Install the supported version: pip install 'triton=={supported}'.")


class CoreMismatchError(TLEError, ImportError):
    rule = "V2"
    template = ("the compiled core flagtree._core of flagtree {version} {problem}. "
                "Reinstall the wheel built for this Python: pip install --force-reinstall flagtree-*.whl.")


class NotInThisVersionError(TLEError):
    rule = "V3"
    template = ("{name} belongs to FlagTree's TLE, but this version of flagtree does not have it. "
                "The README lists what there is; write the kernel with that, or guard the call.")


class MissingExtraError(TLEError, ImportError):
    rule = "V4"
    template = ("the simulator needs the package {package}, which is not installed. "
                "Install it: pip install 'flagtree[sim]'.")


class UnknownNameError(TLEError, AttributeError):
    rule = "V5"
    template = "{module} has no '{name}'. {advice}"
