"""The core exports its entry points and nothing else, and needs no library but those of the C and C++ run time."""
from __future__ import annotations

import re
import subprocess
from pathlib import Path

from flagtree import _core

FOLDER = Path(_core.__file__).parent
LIBRARY = FOLDER / "libflagtree_core.so"
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library: Path) -> set[str]:
    return {line.split()[-1] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()}


def needed(library: Path) -> set[str]:
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", str(library))))


def test_library_exports_its_entry_points_only() -> None:
    assert exported(LIBRARY) == {"flagtree_version", "flagtree_common_ir_enabled", "flagtree_intrinsics", "flagtree_run", "flagtree_free"}


def test_module_exports_its_initializer_only() -> None:
    assert exported(Path(_core.__file__)) == {"PyInit__core"}


def test_needed_libraries() -> None:
    assert needed(LIBRARY) <= SYSTEM
    assert needed(Path(_core.__file__)) <= SYSTEM | {"libflagtree_core.so"}
    assert "[$ORIGIN]" in output("readelf", "-d", _core.__file__)
