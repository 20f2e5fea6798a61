"""The package root: what importing it checks and what it loads."""
from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import flagtree
import pytest
from flagtree.errors import UnsupportedTritonError


def python(code: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter, with `path` before the installed packages."""
    first = f"import sys; sys.path.insert(0, {str(path)!r})\n" if path else ""
    return subprocess.run([sys.executable, "-P", "-c", first + code], capture_output=True, text=True, check=False)


def test_importing_is_light() -> None:
    done = python("import flagtree, sys; print([name for name in ('torch', 'triton', 'numpy') if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_v4_simulator_without_numpy() -> None:
    done = python("import sys; sys.modules['numpy'] = None\nimport flagtree\nflagtree.check")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("[V4] the simulator needs the package numpy, which is not installed. Install it: pip install 'flagtree[sim]'.")


def test_version_says_how_it_was_built() -> None:
    flag = "on" if flagtree.common_ir_enabled() else "off"
    assert flagtree.__version__ == f"0.1.0+commonir.{flag}"
    assert isinstance(flagtree.common_ir_enabled(), bool)


@pytest.mark.parametrize("version", ["3.5.1", "3.6.1", "3.7.0", "3.9.0", "4.0.0"])
def test_v1_other_triton(version: str, tmp_path: Path) -> None:
    info = tmp_path / f"triton-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: triton\nVersion: {version}\n")
    done = python("import flagtree", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        f"[V1] flagtree 0.1.0 works with triton 3.6.0 only, but found triton {version}. "
        "Install the supported version: pip install 'triton==3.6.0'.")


def test_v1_no_triton(monkeypatch: pytest.MonkeyPatch) -> None:

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UnsupportedTritonError, match=r"\[V1\] .* but found none\."):
        flagtree._check_triton()


def test_v1_local_builds_of_the_same_version_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.6.0+cu130")
    flagtree._check_triton()


def copy_without_core(target: Path) -> Path:
    package = target / "flagtree"
    package.mkdir()
    for file in ("__init__.py", "_common_ir.py", "_version.py", "errors.py"):
        shutil.copy(Path(flagtree.__file__).with_name(file), package)
    return package


def test_v2_no_core(tmp_path: Path) -> None:
    copy_without_core(tmp_path)
    done = python("import flagtree", tmp_path)
    assert done.returncode == 1
    assert "[V2] the compiled core flagtree._core of flagtree 0.1.0 cannot be loaded" in done.stderr
    assert "pip install --force-reinstall" in done.stderr


def test_v2_core_of_another_version(tmp_path: Path) -> None:
    package = copy_without_core(tmp_path)
    (package / "_core.py").write_text("def version(): return '9.9.9'\n")
    done = python("import flagtree", tmp_path)
    assert done.returncode == 1
    assert "[V2] the compiled core flagtree._core of flagtree 0.1.0 is of version 9.9.9." in done.stderr


def test_the_import_path_of_users() -> None:
    done = python("import triton.experimental.tle.language as tle\n"
                  "import triton.experimental.tle.language.gpu as gpu\n"
                  "import flagtree.language\n"
                  "print(tle.gpu is gpu is flagtree.language.gpu, tle.load is flagtree.language.load, sorted(tle.__all__))")
    assert done.stdout == "True True ['gpu', 'load']\n", done.stderr


def test_star_imports() -> None:
    done = python("from triton.experimental.tle.language import *\n"
                  "from triton.experimental.tle.language.gpu import *\n"
                  "import triton.language as tl\n"
                  "print(pipeline is tl.range, alloc is gpu.alloc, storage_kind is memory_space)")
    assert done.stdout == "True True True\n", done.stderr
