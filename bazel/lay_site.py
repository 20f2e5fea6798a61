"""Lays out a virtual environment of symbolic links and runs a command in it.

    lay_site.py --stamp=S... --overlay=DIR... --path=DIR -- WORD...

`--stamp`: a pinned package; its files are in the folder `site` beside the real file. `--overlay`: a folder laid over them as an installer
would; a file that would be overwritten is an error. `--path`: searched after site-packages. WORD...: arguments for the environment's Python.
The environment is in TEST_TMPDIR, or a temporary folder outside of `bazel test`.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path


def lay(source: Path, target: Path) -> None:
    """Links every entry of `source` into the folder `target`; folders in both are merged."""
    for entry in source.iterdir():
        place = target / entry.name
        if not os.path.lexists(place):
            place.symlink_to(entry)
        elif entry.is_dir() and place.is_dir():
            if place.is_symlink():
                first = place.resolve()
                place.unlink()
                place.mkdir()
                lay(first, place)
            lay(entry, place)
        else:
            raise SystemExit(f"lay_site: {entry} and {place.resolve()} are both {place}")


def main() -> None:
    cut = sys.argv.index("--")
    options = [word.partition("=") for word in sys.argv[1:cut]]
    command = sys.argv[cut + 1:]
    scratch = Path(os.environ.get("TEST_TMPDIR") or tempfile.mkdtemp(prefix="flagtree-"))
    environment = scratch / "venv"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = environment / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    (environment / "bin").mkdir()
    executable = os.path.realpath(sys.executable)
    python = environment / "bin" / "python"
    python.symlink_to(executable)
    (environment / "bin" / "python3").symlink_to("python")
    home = sysconfig.get_config_var("BINDIR")
    (environment / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")

    for key, _, value in options:
        if key == "--stamp":
            packages = Path(value).resolve().parent / "site"
            for entry in packages.iterdir():
                if entry.name not in ("bin", "share", "include", "__pycache__"):
                    lay_one(entry, site)
        elif key == "--overlay":
            lay(Path(value).resolve(), site)
        elif key == "--path":
            (site / "zz_runfiles.pth").write_text(os.path.abspath(value) + "\n")

    home_folder = scratch / "home"
    home_folder.mkdir()
    changes = {
        "HOME": str(home_folder),
        "TRITON_CACHE_DIR": str(scratch / "triton_cache"),
        "TMPDIR": str(scratch),
        "VIRTUAL_ENV": str(environment),
        "PATH": f"{environment / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    os.execve(python, [str(python), "-P", *command], {**clean, **changes})


def lay_one(entry: Path, target: Path) -> None:
    """Links one entry, merging a folder that is already there (namespace packages)."""
    place = target / entry.name
    if os.path.lexists(place) and entry.is_dir():
        if place.is_symlink():
            first = place.resolve()
            place.unlink()
            place.mkdir()
            lay(first, place)
        lay(entry, place)
    else:
        place.symlink_to(entry)


if __name__ == "__main__":
    main()
