"""The wheels as a user has them: installed by pip beside stock Triton into a clean environment."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

WHEELS = {variant: Path(os.environ["WHEEL_" + variant.upper()]).resolve() for variant in ("off", "on")}
TRITON = [Path(word).resolve() for word in os.environ["TRITON_WHEELS"].split()]


class Environment:
    """A virtual environment with pip and nothing else; there is no package index."""

    def __init__(self, folder: Path):
        interpreter = Path(sysconfig.get_config_var("BINDIR")) / f"python{sys.version_info.major}.{sys.version_info.minor}"
        subprocess.run([interpreter, "-m", "venv", folder], check=True, env={"PATH": os.environ["PATH"]})
        self.python = folder / "bin" / "python"
        (self.site,) = (folder / "lib").glob("python3.*/site-packages")

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        return subprocess.run([self.python, *words], capture_output=True, text=True, env=environment, cwd=self.site.parent)

    def ok(self, *words: str | Path) -> str:
        done = self.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def hashes(self) -> dict[str, str]:
        """Hash of every file in site-packages, byte code aside."""
        files = [path for path in self.site.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {path.relative_to(self.site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path / "venv")


@pytest.mark.parametrize("variant", sorted(WHEELS))
def test_installs_beside_stock_triton_and_leaves_no_trace(environment, variant):
    environment.ok("-m", "pip", "install", "--no-index", *TRITON)
    before = environment.hashes()
    environment.ok("-m", "pip", "install", "--no-index", WHEELS[variant])
    assert "No broken requirements" in environment.ok("-m", "pip", "check")
    installed = environment.hashes()
    assert {name: digest for name, digest in installed.items() if name in before} == before
    assert all(name.startswith(("flagtree", "triton/experimental/tle/")) for name in installed.keys() - before.keys())

    said = environment.ok("-c", "import flagtree; print(flagtree.__version__, flagtree.common_ir_enabled())")
    assert said.split() == [f"0.1.0+commonir.{variant}", str(variant == "on")]
    environment.ok("-c", "import triton.experimental.tle.language as tle; tle.gpu.alloc; import triton; assert triton.__version__ == '3.6.0'")

    environment.ok("-m", "pip", "uninstall", "--yes", "flagtree")
    assert environment.hashes() == before
    assert environment.ok("-c", "import triton; print(triton.__version__)").strip() == "3.6.0"
    assert environment.run("-c", "import flagtree").returncode != 0


def test_pip_refuses_to_install_without_the_right_triton(environment):
    done = environment.run("-m", "pip", "install", "--no-index", WHEELS["off"])
    assert done.returncode != 0
    assert "triton==3.6.0" in done.stdout + done.stderr


@pytest.mark.parametrize("found", ["3.5.1", "3.6.1", "3.7.0", None])
def test_import_beside_another_triton_names_the_supported_version(environment, found):
    environment.ok("-m", "pip", "install", "--no-index", "--no-deps", WHEELS["off"])
    if found:
        (environment.site / f"triton-{found}.dist-info").mkdir()
        (environment.site / f"triton-{found}.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: triton\nVersion: {found}\n")
    for module in ["flagtree", "flagtree.language"]:
        done = environment.run("-c", f"import {module}")
        assert done.returncode != 0
        assert "[V1]" in done.stderr and "3.6.0" in done.stderr and (found or "none") in done.stderr
