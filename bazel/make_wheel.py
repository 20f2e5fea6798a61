"""Lays out the site tree of the wheel and packs it; the same inputs give the same bytes.

    make_wheel.py MANIFEST.json SITE WHEEL
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

# What a manylinux wheel may take from the host, and up to which version of each library's symbols. The C++ runtime is among them: linked in
# statically, the builder's own copy would ask for a newer glibc than all the rest does.
HOST_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
RUNTIME_LIMITS = {"manylinux_2_35_x86_64": {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}}


def check_program(path: Path, platform: str, inside: set[str]) -> None:
    """Fails when the shared object `path` needs more than `platform` promises or the wheel holds."""
    glibc = tuple(int(part) for part in re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", platform).groups())
    limits = {"GLIBC": glibc, **RUNTIME_LIMITS.get(platform, {"GLIBCXX": (), "CXXABI": ()})}
    versions = subprocess.run(["readelf", "--wide", "--version-info", path], check=True, capture_output=True, text=True).stdout
    for library, limit in limits.items():
        needed = max((tuple(map(int, found.split("."))) for found in re.findall(rf"Name: {library}_([\d.]+)", versions)), default=())
        if needed > limit:
            raise SystemExit(f"{path.name} needs {library} {'.'.join(map(str, needed))}, more than {platform} promises: "
                             "build on an older system or change MANYLINUX in bazel/version.bzl")
    dynamic = subprocess.run(["readelf", "--wide", "--dynamic", path], check=True, capture_output=True, text=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))
    if strange := libraries - HOST_LIBRARIES - inside:
        raise SystemExit(f"{path.name} needs {', '.join(sorted(strange))}, which neither the wheel nor {platform} has")


def metadata(manifest: dict, licences: list[str]) -> str:
    python = manifest["python_version"]
    following = f"{python.split('.')[0]}.{int(python.split('.')[1]) + 1}"
    lines = [
        "Metadata-Version: 2.4",
        "Name: flagtree",
        f"Version: {manifest['version']}",
        "Summary: Triton Language Extensions for Hopper kernels on the stock Triton wheel",
        "License-Expression: MIT AND Apache-2.0 WITH LLVM-exception AND BSD-3-Clause",
        *(f"License-File: {name}" for name in licences),
        "Classifier: Operating System :: POSIX :: Linux",
        f"Classifier: Programming Language :: Python :: {python}",
        f"Requires-Python: >={python},<{following}",
        f"Requires-Dist: triton=={manifest['triton']}",
        "Provides-Extra: sim",
        f"Requires-Dist: greenlet>={manifest['greenlet']}; extra == 'sim'",
        "Requires-Dist: numpy; extra == 'sim'",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + Path(manifest["readme"]).read_text(encoding="utf-8")


def linked(manifest: dict) -> str:
    variant = "with CommonIR" if manifest["common_ir"] else "without CommonIR"
    text = f"flagtree {manifest['version']} ({variant}): linked into libflagtree_core.so and _core\n\n"
    text += "".join(f"- {line}\n" for line in manifest["linked"])
    if manifest["flir"]:
        text += f"\nInterface implemented, no code taken: {manifest['flir']}\n"
    return text


def check_version(manifest: dict) -> None:
    source = Path(manifest["files"]["flagtree/_version.py"]).read_text(encoding="utf-8")
    stated = dict(re.findall(r'^(\w+) = "(.+)"$', source, re.MULTILINE))
    expected = {"VERSION": manifest["version"].partition("+")[0], "SUPPORTED_TRITON": manifest["triton"]}
    if stated != expected:
        raise SystemExit(f"flagtree/_version.py says {stated}, bazel/version.bzl and bazel/pins.bzl say {expected}")


def lay(manifest: dict, site: Path) -> None:
    info = f"flagtree-{manifest['version']}.dist-info"
    for place, source in manifest["files"].items():
        target = site / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    programs = sorted(site.rglob("*.so"))
    for program in programs:
        check_program(program, manifest["platform"], {path.name for path in programs})
    folder = site / info / "licenses"
    folder.mkdir(parents=True)
    for source in manifest["licences"]:
        shutil.copyfile(source, folder / Path(source).name)
    (folder / "LINKED.txt").write_text(linked(manifest), encoding="utf-8")
    names = sorted(path.name for path in folder.iterdir())
    (site / info / "METADATA").write_text(metadata(manifest, names), encoding="utf-8")
    (site / info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: flagtree (bazel/make_wheel.py)\nRoot-Is-Purelib: false\n"
        f"Tag: {manifest['python']}-{manifest['python']}-{manifest['platform']}\n", encoding="utf-8")
    record = [f"{info}/RECORD,,"]
    for path in site.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path.relative_to(site).as_posix()},sha256={digest},{len(content)}")
    (site / info / "RECORD").write_text("\n".join(sorted(record)) + "\n", encoding="utf-8")


def pack(site: Path, wheel: Path) -> None:
    """Packs in the order that lets a reader find the metadata last, as the wheel format asks."""
    files = sorted((path for path in site.rglob("*") if path.is_file()), key=lambda path: (".dist-info" in path.parts[-2], path))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(site).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.suffix == ".so" else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


def main() -> None:
    manifest = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    site, wheel = Path(sys.argv[2]), Path(sys.argv[3])
    check_version(manifest)
    lay(manifest, site)
    pack(site, wheel)


if __name__ == "__main__":
    main()
