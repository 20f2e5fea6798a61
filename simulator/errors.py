"""The rule that depends on run-time values only, so that it is checked while a kernel runs on the CPU."""
from __future__ import annotations

from flagtree.errors import TLEError


class SharedAccessError(TLEError):
    rule = "L20"
    template = ("{count} active lane(s) of a shared-memory access are out of bounds, the first of them is lane {lane}: {where}. "
                "Allowed are indices from 0 to the dimension minus one; mask the other lanes off.")
