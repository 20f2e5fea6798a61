"""Rules of the front end that can be broken by run-time values, too: the simulator checks them while a kernel runs."""
from __future__ import annotations

from flagtree.errors import TLEError


class SharedAccessError(TLEError):
    rule = "L8"
    template = ("{count} active lane(s) of a shared-memory access are out of bounds, the first of them is lane {lane}: {where}. "
                "Allowed are indices from 0 to the dimension minus one; mask the other lanes off.")
