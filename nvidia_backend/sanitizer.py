"""Stock Triton's concurrency sanitizer, "consan": the kernel itself checks every access of shared memory as it happens."""
from __future__ import annotations

from typing import Any


def is_sanitized(options: Any) -> bool:
    """Whether a kernel is compiled with `knobs.compilation.instrumentation_mode` (TRITON_INSTRUMENTATION_MODE) "consan"."""
    return options.instrumentation_mode == "consan"
