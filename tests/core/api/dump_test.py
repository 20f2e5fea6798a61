"""With a dump folder, the module before and after every pass lies there as a numbered file."""
from __future__ import annotations

import concurrent.futures
from pathlib import Path

import pytest

from flagtree import _core

KERNEL = "tt.func public @{name}(%x: i32) {{\n  %0 = arith.addi %x, %x : i32\n  tt.return\n}}\n"
PIPELINE = "builtin.module(canonicalize,cse)"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_per_pass(tmp_path: Path) -> None:
    result = _core.run(KERNEL.format(name="k"), PIPELINE, str(tmp_path))
    assert names(tmp_path / "k") == ["000-input.mlir", "001-canonicalize.mlir", "002-cse.mlir"]
    assert "arith.addi" in (tmp_path / "k" / "000-input.mlir").read_text()
    assert "arith.addi" not in (tmp_path / "k" / "001-canonicalize.mlir").read_text()
    # A dump is a text the core takes.
    assert "arith.addi" not in _core.run((tmp_path / "k" / "002-cse.mlir").read_text(), "")
    assert result == _core.run(KERNEL.format(name="k"), PIPELINE)


def test_numbers_continue_and_nothing_is_overwritten(tmp_path: Path) -> None:
    _core.run(KERNEL.format(name="k"), PIPELINE, str(tmp_path))
    first = (tmp_path / "k" / "000-input.mlir").read_text()
    _core.run("module attributes {test.second = 1 : i32} {" + KERNEL.format(name="k") + "}", "builtin.module(cse)", str(tmp_path))
    assert names(tmp_path / "k") == ["000-input.mlir", "001-canonicalize.mlir", "002-cse.mlir", "003-input.mlir", "004-cse.mlir"]
    assert (tmp_path / "k" / "000-input.mlir").read_text() == first
    assert "second" in (tmp_path / "k" / "003-input.mlir").read_text()


def test_kernels_have_folders_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b", '"../c (d)"'):
        _core.run(KERNEL.format(name=name), "", str(tmp_path))
    _core.run("module {}", "", str(tmp_path))
    assert names(tmp_path) == ["---c--d-", "a", "b", "module"]


def test_threads_share_a_folder(tmp_path: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _core.run(KERNEL.format(name="k"), PIPELINE, str(tmp_path)), range(40)))
    assert len(names(tmp_path / "k")) == 120


def test_a_failed_pass_is_dumped(tmp_path: Path) -> None:
    with pytest.raises(_core.CoreError):
        _core.run("tt.func private @tle.nothing.0()\ntt.func @k() {\n  tt.return\n}", "builtin.module(cse,raise-intrinsics)", str(tmp_path))
    assert names(tmp_path / "k") == ["000-input.mlir", "001-cse.mlir", "002-raise-intrinsics-failed.mlir"]


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot write the IR to .*file"):
        assert "tt.func" in _core.run(KERNEL.format(name="k"), "", str(tmp_path / "file"))
