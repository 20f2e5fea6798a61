"""CommonIR stands on its own: neither its sources nor what it links know the tle dialect or the NVIDIA backend."""
from __future__ import annotations

import os
import re
from pathlib import Path

SOURCES = [path for folder in ("flir", "commonir") for path in sorted(Path(folder).rglob("*")) if path.suffix in {".h", ".cpp", ".td", ".bazel"}]
FOREIGN = ("tle/", "nvidia_backend/")


def test_all_sources_are_here() -> None:
    names = {path.name for path in SOURCES}
    assert {"TileOps.td", "TileOps.cpp", "ConvertCommonIRToTTGIR.cpp", "Passes.td", "BUILD.bazel"} <= names
    assert sum(path.name == "BUILD.bazel" for path in SOURCES) == 2


def test_no_source_includes_tle() -> None:
    pattern = re.compile(r'^\s*#?include\s+"([^"]+)"', re.MULTILINE)
    includes = {(path.name, name) for path in SOURCES for name in pattern.findall(path.read_text(encoding="utf-8"))}
    assert ("TileDialect.h", "core/triton/TT.h") in includes
    assert [pair for pair in sorted(includes) if pair[1].startswith(FOREIGN)] == []


def test_no_source_makes_a_tle_operation() -> None:
    # The one name with that prefix is the attribute by which a front end hands over a layout.
    found = {name for path in SOURCES if path.suffix in {".h", ".cpp"} for name in re.findall(r'"(tle\.\w+)', path.read_text(encoding="utf-8"))}
    assert found == {"tle.gpu_layout"}
    assert not [path for path in SOURCES if re.search(r"\btle::", path.read_text(encoding="utf-8"))]


def test_nothing_of_tle_is_linked() -> None:
    linked = Path(os.environ["LINKED"]).read_text(encoding="utf-8").split()
    assert "//flir:Dialect" in linked and "//core/triton:triton" in linked
    assert [label for label in linked if label.startswith(("//tle", "//nvidia_backend", "//simulator", "//flagtree"))] == []
