"""What is in the two wheels: metadata, record, tags, licences, and nothing of CommonIR in the one without it."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

WHEELS = {variant: Path(os.environ["WHEEL_" + variant.upper()]).resolve() for variant in ("off", "on")}
VARIANTS = sorted(WHEELS)

# Names only the TileIR dialect and its lowering have.
COMMON_IR = re.compile(rb"CommonIRToTTGIR|commonir/|flir/|\btile\.(alloc|copy|subview|to_tensor|store_tensor)\b|convert-common-ir", re.IGNORECASE)


def contents(variant: str) -> dict[str, bytes]:
    with zipfile.ZipFile(WHEELS[variant]) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def info(variant: str, name: str) -> str:
    return contents(variant)[f"flagtree-0.1.0+commonir.{variant}.dist-info/{name}"].decode()


@pytest.mark.parametrize("variant", VARIANTS)
def test_file_name_and_tags_agree(variant):
    name, version, _, tags = parse_wheel_filename(WHEELS[variant].name)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert (name, version) == ("flagtree", Version(f"0.1.0+commonir.{variant}"))
    assert {str(tag) for tag in tags} == set(HeaderParser().parsestr(info(variant, "WHEEL")).get_all("Tag"))
    assert [(tag.interpreter, tag.abi) for tag in tags] == [(python, python)]
    assert HeaderParser().parsestr(info(variant, "WHEEL"))["Root-Is-Purelib"] == "false"


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_platform_tag_is_true(variant, tmp_path):
    """No program needs a newer glibc than the tag promises, nor a library that neither glibc nor the wheel has."""
    (tag,) = parse_wheel_filename(WHEELS[variant].name)[3]
    promised = tuple(int(part) for part in re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", tag.platform).groups())
    programs = [name for name in contents(variant) if name.endswith(".so")]
    assert len(programs) == 2
    for name in programs:
        program = tmp_path / Path(name).name
        program.write_bytes(contents(variant)[name])
        versions = subprocess.run(["readelf", "-WV", program], check=True, capture_output=True, text=True).stdout
        needed = {tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_(\d+\.\d+)\b", versions)}
        assert needed and max(needed) <= promised
        assert max(tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBCXX_([\d.]+)", versions)) <= (3, 4, 30)
        dynamic = subprocess.run(["readelf", "-Wd", program], check=True, capture_output=True, text=True).stdout
        assert set(re.findall(r"NEEDED.*\[(.+)\]", dynamic)) <= {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libflagtree_core.so"}
        assert set(re.findall(r"(?:RPATH|RUNPATH).*\[(.+)\]", dynamic)) <= {"$ORIGIN"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_the_entry_points_are_exported(variant, tmp_path):
    program = tmp_path / "core.so"
    program.write_bytes(contents(variant)["flagtree/libflagtree_core.so"])
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", program], check=True, capture_output=True, text=True).stdout
    rows = [row.split() for row in symbols.splitlines() if re.match(r"\s*\d+:", row)]
    exported = {row[7] for row in rows if len(row) > 7 and row[6] != "UND"}
    assert exported and all(name.startswith("flagtree_") for name in exported), exported


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_record_is_right_and_complete(variant):
    files = contents(variant)
    rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(info(variant, "RECORD")))}
    record = next(name for name in files if name.endswith("/RECORD"))
    assert rows.pop(record) == ("", "")
    assert set(rows) == set(files) - {record}
    for name, (digest, size) in rows.items():
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={expected}", str(len(files[name]))), name


@pytest.mark.parametrize("variant", VARIANTS)
def test_metadata(variant):
    metadata = HeaderParser().parsestr(info(variant, "METADATA"))
    assert metadata["Name"] == "flagtree"
    assert metadata["Version"] == f"0.1.0+commonir.{variant}"
    assert [str(Requirement(line)) for line in metadata.get_all("Requires-Dist")] == [
        "triton==3.6.0", 'greenlet>=3.5.6; extra == "sim"', 'numpy; extra == "sim"']
    assert metadata.get_all("Provides-Extra") == ["sim"]
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    supported = SpecifierSet(metadata["Requires-Python"])
    assert [minor for minor in range(8, 20) if f"3.{minor}.0" in supported] == [int(here.split(".")[1])]
    assert "# FlagTree" in metadata.get_payload()


@pytest.mark.parametrize("variant", VARIANTS)
def test_licences_travel_in_the_wheel(variant):
    metadata = HeaderParser().parsestr(info(variant, "METADATA"))
    texts = {name: info(variant, f"licenses/{name}") for name in metadata.get_all("License-File")}
    assert set(texts) == {"LICENSE", "LINKED.txt", "LLVM-LICENSE.txt", "pybind11-LICENSE.txt"}
    assert "MIT License" in texts["LICENSE"]
    assert "Apache License" in texts["LLVM-LICENSE.txt"] and "LLVM Exceptions" in texts["LLVM-LICENSE.txt"]
    assert "Wenzel Jakob" in texts["pybind11-LICENSE.txt"]
    for linked in ["LLVM and MLIR 22.1.8", "pybind11"]:
        assert linked in texts["LINKED.txt"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_of_the_building_machine_is_inside(variant):
    with zipfile.ZipFile(WHEELS[variant]) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for name, content in contents(variant).items():
        # Paths of the sandbox or of a home; the pinned libraries name those of their own builder.
        trace = re.search(rb"/execroot/|/sandbox/|/\.cache/|(?<![\w./-])/(home|root|tmp|work)/", content)
        assert not trace, (name, trace)


@pytest.mark.parametrize("variant", VARIANTS)
def test_size(variant):
    assert WHEELS[variant].stat().st_size < 20_000_000


def test_the_wheel_without_common_ir_has_nothing_of_it():
    for name, content in contents("off").items():
        assert not COMMON_IR.search(name.encode())
        if name.endswith(".so"):
            assert not COMMON_IR.search(content), (name, COMMON_IR.search(content))


def test_the_wheel_with_common_ir_has_it():
    assert COMMON_IR.search(contents("on")["flagtree/libflagtree_core.so"])


@pytest.mark.parametrize("variant", VARIANTS)
def test_linked_and_packed_again_gives_the_same_bytes(variant):
    again = Path(os.environ["WHEEL_AGAIN_" + variant.upper()]).resolve()
    assert again != WHEELS[variant]
    assert hashlib.sha256(again.read_bytes()).hexdigest() == hashlib.sha256(WHEELS[variant].read_bytes()).hexdigest()


def make_wheel(tmp_path: Path, **changes: object) -> subprocess.CompletedProcess[str]:
    """Runs the wheel's maker on a little manifest of its own."""
    source = tmp_path / "_version.py"
    source.write_text('VERSION = "0.1.0"\nSUPPORTED_TRITON = "3.6.0"\n')
    manifest = {
        "common_ir": False, "files": {"flagtree/_version.py": str(source)}, "flir": "", "licences": [], "linked": [],
        "platform": "manylinux_2_35_x86_64", "python": "cp311", "python_version": "3.11", "readme": str(source), "triton": "3.6.0", "greenlet": "3.5.6",
        "version": "0.1.0+commonir.off", **changes}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    return subprocess.run([sys.executable, "bazel/make_wheel.py", tmp_path / "manifest.json", tmp_path / "site", tmp_path / "out.whl"],
                          capture_output=True, text=True)


def test_the_maker_accepts_a_true_manifest(tmp_path):
    assert make_wheel(tmp_path).returncode == 0


@pytest.mark.parametrize("changes", [{"version": "0.2.0+commonir.off"}, {"triton": "3.7.0"}])
def test_the_maker_refuses_versions_that_disagree(tmp_path, changes):
    done = make_wheel(tmp_path, **changes)
    assert done.returncode != 0 and "flagtree/_version.py says" in done.stderr


def test_the_maker_refuses_an_untrue_platform(tmp_path):
    with zipfile.ZipFile(WHEELS["off"]) as archive:
        program = archive.extract("flagtree/libflagtree_core.so", tmp_path)
    files = {"flagtree/_version.py": str(tmp_path / "_version.py"), "flagtree/libflagtree_core.so": program}
    done = make_wheel(tmp_path, files=files, platform="manylinux_2_5_x86_64")
    assert done.returncode != 0 and "more than manylinux_2_5_x86_64 promises" in done.stderr
