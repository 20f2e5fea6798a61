"""What a wheel is: file name, size, sha256, and its contents by group.

    python bench/wheel_report.py flagtree-*.whl [--json]

Needs Python alone.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def group(name: str) -> str:
    """The group of a file: licences, metadata, native code, or the package it is part of."""
    folders = name.split("/")[:-1]
    if folders and folders[0].endswith(".dist-info"):
        return "licences" if "licenses" in folders else "metadata"
    if name.endswith(".so"):
        return "native code"
    return ".".join(folders) or "top level"


def describe(path: Path) -> dict[str, Any]:
    """name, bytes, sha256, and groups: {group: [{name, bytes, sha256}]} by name. Raises zipfile.BadZipFile if it is no zip file."""
    groups: dict[str, list[dict[str, Any]]] = {}
    with zipfile.ZipFile(path) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            if not info.is_dir():
                groups.setdefault(group(info.filename), []).append({
                    "name": info.filename,
                    "bytes": info.file_size,
                    "sha256": hashlib.sha256(archive.read(info)).hexdigest(),
                })
    data = path.read_bytes()
    return {"name": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "groups": dict(sorted(groups.items()))}


def table(report: Mapping[str, Any]) -> str:
    """A report as Markdown."""
    lines = [f"# {report['name']}", "", f"{report['bytes']} bytes, sha256 `{report['sha256']}`", "", "| group | files | bytes | names |", "|---|---|---|---|"]
    for name, files in report["groups"].items():
        names = ", ".join(file["name"].rpartition("/")[2] for file in files)
        lines.append(f"| {name} | {len(files)} | {sum(file['bytes'] for file in files)} | {names} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true", help="print JSON, with the hash of every file")
    options = parser.parse_args()
    reports = [describe(path) for path in options.wheel]
    print(json.dumps(reports, indent=2) if options.json else "\n".join(table(report) for report in reports))


if __name__ == "__main__":
    main()
