"""What is said of a wheel is what is in it."""
from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import wheel_report

FILES = {
    "flagtree/__init__.py": b"x = 1\n",
    "flagtree/language/copy.py": b"",
    "flagtree/libflagtree_core.so": b"\x7fELF" + bytes(1000),
    "flagtree-1.dist-info/METADATA": b"Name: flagtree\n",
    "flagtree-1.dist-info/licenses/LICENSE": b"MIT",
    "triton/experimental/tle/__init__.py": b"y",
    "single.py": b"z",
}
GROUPS = {
    "flagtree": ["flagtree/__init__.py"],
    "flagtree.language": ["flagtree/language/copy.py"],
    "licences": ["flagtree-1.dist-info/licenses/LICENSE"],
    "metadata": ["flagtree-1.dist-info/METADATA"],
    "native code": ["flagtree/libflagtree_core.so"],
    "top level": ["single.py"],
    "triton.experimental.tle": ["triton/experimental/tle/__init__.py"],
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "flagtree-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("flagtree")
        for name, data in FILES.items():
            archive.writestr(name, data)
    return path


def test_report(wheel):
    report = wheel_report.describe(wheel)
    assert (report["name"], report["bytes"]) == (wheel.name, wheel.stat().st_size)
    assert report["sha256"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert {group: [file["name"] for file in files] for group, files in report["groups"].items()} == GROUPS
    for files in report["groups"].values():
        for file in files:
            assert (file["bytes"], file["sha256"]) == (len(FILES[file["name"]]), hashlib.sha256(FILES[file["name"]]).hexdigest())


def test_program(wheel):
    command = [sys.executable, "-S", "-I", wheel_report.__file__, wheel]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "| native code | 1 | 1004 | libflagtree_core.so |" in table
    assert json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True, text=True).stdout) == [wheel_report.describe(wheel)]


def test_no_zip_file(tmp_path):
    path = tmp_path / "a.whl"
    path.write_bytes(b"no")
    with pytest.raises(zipfile.BadZipFile):
        wheel_report.describe(path)
