"""What ptxas says of WGMMA: a kernel whose products run one after another is right, but slow, and its author should know."""
from __future__ import annotations

import re
import warnings

from .ptx_files import source_files

_REMARK = re.compile(r"\((?P<code>C75\d\d)\)[^:\n]*: wgmma\.mma_async instructions are serialized due to (?P<reason>.+?) +"
                     r"in the function '(?P<function>[^']+)'")
_LOC = re.compile(r"\.loc\s+(?P<file>\d+)\s+(?P<line>\d+)")
_ENTRY = re.compile(r"\.(?:entry|func)\b(?:\s*\([^)]*\))?\s*(?P<name>[\w$.]+)\s*\(")

# What of the reasons a kernel can change.
_ADVICE = {
    "non wgmma instructions defining input registers": "Compute the next operand a in registers after the wgmma_wait of the product that reads the last one.",
    "non wgmma instructions reading accumulator registers": "Read an accumulator after its wgmma_wait only.",
    "non wgmma instructions defining accumulator registers": "Scale or clear an accumulator before its first wgmma or after its wgmma_wait, not in between.",
    "insufficient register resources": "Use smaller tiles, or more warps or registers (worker_num_regs).",
    "ill formed pipeline stage": "Wait on every path: keep wgmma and its wgmma_wait out of branches, or both in one.",
}
_NO_ADVICE = "Keep every wgmma and its wgmma_wait in one place of the kernel, without branches that depend on the thread between them."


class WgmmaSerializedWarning(UserWarning):
    """The products of a kernel run one after another, each with a wait of its own.

    `kernel`, `code` (of ptxas, "C7510" to "C7519"), `reason` (in the words of ptxas), `lines`: ("file", line) of its products.
    """

    def __init__(self, kernel: str, code: str, reason: str, lines: list[tuple[str, int]]) -> None:
        self.kernel, self.code, self.reason, self.lines = kernel, code, reason, lines
        advice = next((text for words, text in _ADVICE.items() if reason.startswith(words)), _NO_ADVICE)
        places = ", ".join(f"{file}:{line}" for file, line in lines) or "no known line"
        super().__init__(f"kernel {kernel}: its wgmma run one after another, with no overlap ({code}: {reason}). {advice} "
                         f"They are at {places}.")


def warn_serialized(log: str, ptx: str) -> None:
    """Warn of every function in the log of ptxas whose WGMMA were serialized, at the kernel's line of the first of them.

    log: what `ptxas -v` printed for `ptx`.
    """
    for remark in _REMARK.finditer(log):
        lines = wgmma_lines(ptx, remark["function"])
        file, line = lines[0] if lines else (remark["function"], 0)
        warnings.warn_explicit(WgmmaSerializedWarning(remark["function"], remark["code"], remark["reason"], lines),
                               WgmmaSerializedWarning, file, line)


def wgmma_lines(ptx: str, function: str) -> list[tuple[str, int]]:
    """File and line of each WGMMA in a function of `ptx`, in order and without repetition."""
    files = source_files(ptx)
    current, place, found = "", None, []
    for text in ptx.splitlines():
        if entry := _ENTRY.search(text):
            current = entry["name"]
        elif loc := _LOC.search(text):
            place = (files.get(loc["file"], ""), int(loc["line"]))
        elif "wgmma.mma_async" in text and current == function and place and place not in found:
            found.append(place)
    return found
