"""What of the language a kernel uses, seen in its TTIR (any form)."""
from __future__ import annotations

import re

_PATTERNS = {
    "atomic": r"\btt\.atomic_(rmw|cas)\b",
    "call": r"\btt\.call\b",
    "descriptor": r"!tt\.tensordesc<",
    "dot": r"\btt\.dot\b",
    "early return": r"\bcf\.cond_br\b",
    "external function": r"\btt\.extern_elementwise\b",
    "for": r"\bscf\.for\b",
    "if": r"\bscf\.if\b",
    "inline assembly": r"\btt\.elementwise_inline_asm\b",
    "print or assert": r"\btt\.(print|assert)\b",
    "reduce": r"\btt\.reduce\b",
    "scan": r"\btt\.scan\b",
    "while": r"\bscf\.while\b",
}


def features(text: str) -> list[str]:
    """Sorted names of the features the module has."""
    return [name for name, pattern in _PATTERNS.items() if re.search(pattern, text)]
