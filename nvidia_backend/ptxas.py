"""ptxas on kernels of ours: run as stock Triton runs it, but what it says about WGMMA and the registers of partitions is passed on."""
from __future__ import annotations

import re
import subprocess
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from triton import knobs
from triton.backends.nvidia.compiler import get_ptxas, sm_arch_from_capability

from .errors import RegisterError, RegisterWarning
from .ptx_files import source_files
from .ptxas_remarks import warn_serialized
from .sanitizer import is_sanitized

_EXHAUSTED = re.compile(r"(?:Insufficient registers.* line (?P<line>\d+)|[Rr]egister allocation failed).*")
_IGNORED = "'setmaxnreg' ignored"
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_SETMAXNREG_OR_PLACE = re.compile(r"^\s*(?:setmaxnreg\.\w+\.sync\.aligned\.u32\s+(\d+);|\.loc\s+(\d+) ([1-9]\d*)[^/]*(?:// (.*))?)", re.MULTILINE)
_FRAME = re.compile(r"([^\s\[\]]+?):(\d+)(?::\d+)?(?=\s|$)")  # of "inner.py:3:4 @[ outer.py:5:6 ]"
_SASS_PLACE_OR_SPILL = re.compile(r'//## File "([^"]+)", line (\d+)|\b(?:STL|LDL)\b')
_MOST_PLACES = 4


class Partition(NamedTuple):
    """Registers that setmaxnreg gives each thread of a partition, and where the code that they are for begins."""

    registers: int
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.registers} at {Path(self.file).name}:{self.line}"


def assemble(ptx: str, options: Any, capability: int) -> bytes | None:
    """Machine code of `ptx`, by ptxas with the flags of stock Triton's stage "cubin"; None if that stage shall say what went wrong.

    Warns of partitions whose registers do not suffice, and of WGMMA that do not overlap. Rule I16.
    """
    with tempfile.TemporaryDirectory(prefix="flagtree-ptxas-") as folder:
        source, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [get_ptxas(capability).path, *_flags(options), f"--gpu-name={sm_arch_from_capability(capability)}", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, close_fds=False)
        if knobs.nvidia.dump_ptxas_log:
            print(done.stderr)
        if done.returncode == 0:
            _warn(done.stderr, partitions(ptx), target)
            warn_serialized(done.stderr, ptx)
            return target.read_bytes()
    if failed := _EXHAUSTED.search(done.stderr):
        raise RegisterError(*_place(ptx, int(failed["line"] or 0)), message=failed[0].rstrip("."), partitions=_listed(partitions(ptx)))
    return None


def _place(ptx: str, line: int) -> tuple[str, int]:
    """Where in the kernel a line of PTX comes from; of none, where the kernel begins."""
    files, before = source_files(ptx), "\n".join(ptx.split("\n")[:line]) if line else ptx
    places = [(files[file], int(number)) for _, file, number, _ in _SETMAXNREG_OR_PLACE.findall(before) if number]
    return places[-1 if line else 0] if places else ("", 0)


def partitions(ptx: str) -> list[Partition]:
    """The partitions of a kernel with register counts, the largest first: a setmaxnreg in front of code that was inlined into the kernel."""
    paths = {Path(path).name: path for path in source_files(ptx).values()}
    found, registers = set(), 0
    for number, _, _, frames in _SETMAXNREG_OR_PLACE.findall(ptx):
        if number:
            registers = int(number)
        elif registers:
            calls = _FRAME.findall(frames)  # the last is the kernel's, the one before it the partition function's
            if len(calls) > 1:
                found.add(Partition(registers, paths.get(calls[-2][0], calls[-2][0]), int(calls[-2][1])))
            registers = 0
    return sorted(found, reverse=True)


def _flags(options: Any) -> list[str]:
    if knobs.compilation.disable_line_info:
        debug = ["-lineinfo", "-suppress-debug-info"]
    else:
        debug = ["-g"] if knobs.nvidia.disable_ptxas_opt else ["-lineinfo"]
    return [*debug, *([] if options.enable_fp_fusion else ["--fmad=false"]), "-v",
            *_opt_level(options),
            *(options.ptx_options.split(" ") if options.ptx_options else [])]


def _opt_level(options: Any) -> list[str]:
    """As stock Triton, but with less where its sanitizer makes a kernel many times as long."""
    if knobs.nvidia.disable_ptxas_opt:
        return ["--opt-level", "0"]
    return ["--opt-level", "1"] if is_sanitized(options) else []


def _warn(log: str, places: list[Partition], cubin: Path) -> None:
    """Warn at the line with most of the spills, or of the largest partition."""
    if not places:
        return
    said, file, line = [], places[0].file, places[0].line
    if _IGNORED in log:
        said.append("ptxas ignores worker_num_regs, because a partition does not do with what it may have")
    if (spills := _SPILLS.search(log)) and (int(spills[1]) or int(spills[2])):
        lines = _spilling_lines(cubin)
        file, line = lines[0] if lines else (file, line)
        said.append(f"ptxas spills registers ({spills[1]} bytes stored, {spills[2]} loaded), most of them in "
                    f"{', '.join(f'{Path(file).name}:{line}' for file, line in lines) or 'unknown lines'}")
    for sentence in said:
        warnings.warn_explicit(f"{sentence}. {_listed(places)}.", RegisterWarning, file, line)


def _listed(places: list[Partition]) -> str:
    return f"Registers of a thread by partition: {', '.join(map(str, places))}" if places else "The kernel has no partitions"


def _spilling_lines(cubin: Path) -> list[tuple[str, int]]:
    """The lines of the kernel with most of the spills in machine code, in order."""
    done = subprocess.run([knobs.nvidia.nvdisasm.path, "-g", "-c", str(cubin)], capture_output=True, text=True, check=False)
    counts: Counter[tuple[str, int]] = Counter()
    place = None
    for match in _SASS_PLACE_OR_SPILL.finditer(done.stdout):
        if match[1]:
            place = match[1], int(match[2])
        elif place:
            counts[place] += 1
    return [place for place, _ in counts.most_common(_MOST_PLACES)]
