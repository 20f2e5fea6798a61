"""Nothing in the tree is fetched or installed outside bazel/pins.bzl."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

# Runs in the tree itself, not on copies: a file that no BUILD file names is scanned, too.
TREE = Path(os.environ["TREE_MARKER"]).resolve().parent
PINS = TREE / "bazel" / "pins.bzl"

SKIPPED_FOLDERS = {".git", "dist", "__pycache__", ".pytest_cache", ".ruff_cache", ".venv"}
PROSE = {".md", ".txt", ".rst"}

# What fetches or installs, and the only files that may: the rules that pass on names and hashes of the pins, a test that
# installs the pinned wheels without an index, and error messages that advise the user, with their tests. Results name the
# wheels that were measured by their hashes.
FETCHERS = {
    "pip": (r"\bpip3?[\"']?,? +[\"']?(install|download|wheel)\b", {"bazel/pip.bzl", "tests/build/install_test.py", "flagtree/errors.py", "tests/flagtree/test_install.py"}),
    "apt": (r"\bapt(-get)?[\"']?,? +[\"']?(-\w+ +)*(install|update|download)\b|\$install install|\bdpkg +-i\b", {"bazelw", "bazel/host_python.bzl", "bazel/npm.bzl", "bazel/pip.bzl"}),
    "npm": (r"\b(npm|npx|yarn|pnpm)[\"']?,? +[\"']?(install|pack|add|ci|exec|@|\w+@)|rctx\.which\(\"npm\"\)", {"bazel/npm.bzl"}),
    "other package clients": (r"\b(conda|mamba|uv|poetry|cargo|gem|brew|dnf|yum|go) +(install|add|get|pip)\b", set()),
    "download programs": (r"\b(curl|wget|aria2c|rsync|scp)\b +\S", set()),
    "git": (r"\bgit +(clone|fetch|pull|submodule)\b|\bgit_repository\b", set()),
    "Bazel downloads": (r"\bhttp_(archive|file|jar)\b|\.download(_and_extract)?\(|\bmaven_\w+\(", set()),
    "Python downloads": (r"\burllib\.request\b|\brequests\.(get|post)\b|\bhttpx\.|\burlopen\(|\btorch\.hub\b|\bfrom_pretrained\(|\bload_dataset\(|\bhf_hub_download\b", set()),
    "addresses": (r"\b(?:https?|ftp|s3|git\+\w+|ssh)://", {".clang-format"}),
    "hashes": (r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])|(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])", {"bench/results/abba.json"}),
}
VERSIONED = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)(==|@)(\d+\.\d+[\w.]*)")


def pinned_versions() -> dict[str, str]:
    text = PINS.read_text(encoding="utf-8")
    constants = dict(re.findall(r'^(\w+) = "([^"]+)"', text, re.MULTILINE))
    pins = re.findall(r'_pin\("([^"]+)", (?:"([^"]+)"|(\w+)),', text)
    return {name: literal or constants[constant] for name, literal, constant in pins}


def violations(place: str, text: str, pins: dict[str, str]) -> list[str]:
    """What is wrong with the file `place` (relative path): one sentence per finding."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for what, (pattern, allowed) in FETCHERS.items():
            if place not in allowed and (match := re.search(pattern, line)):
                found.append(f"{place}:{number}: {what} outside bazel/pins.bzl: {match.group(0)}")
        for name, _, version in VERSIONED.findall(line):
            if pins.get(name.lower().replace("_", "-")) != version:
                found.append(f"{place}:{number}: version of {name} ({version}) is not the pin")
    return found


def scanned_files() -> list[Path]:
    files = []
    for folder, names, files_here in os.walk(TREE):
        names[:] = [name for name in names if name not in SKIPPED_FOLDERS and not (folder == str(TREE) and name.startswith("bazel-"))]
        files += [Path(folder, name) for name in files_here]
    return [path for path in files if path != PINS and path.suffix not in PROSE and path != Path(__file__).resolve() and not path.is_symlink()]


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def test_the_tree_is_scanned():
    places = {path.relative_to(TREE).as_posix() for path in scanned_files()}
    assert {"WORKSPACE", "bazelw", ".bazelrc", ".ci/run", "bazel/pip.bzl", "flagtree/__init__.py"} <= places
    assert len(places) > 50


def test_nothing_is_fetched_outside_the_pins():
    pins = pinned_versions()
    found = []
    for path in scanned_files():
        if (text := text_of(path)) is not None:
            found += violations(path.relative_to(TREE).as_posix(), text, pins)
    assert not found, "\n".join(found)


def test_no_prepared_binary_is_in_the_tree():
    binary = [path.relative_to(TREE).as_posix() for path in scanned_files() if text_of(path) is None and path.suffix not in {".png"}]
    assert not binary


def test_every_pin_has_hashes():
    text = PINS.read_text(encoding="utf-8")
    assert len(pinned_versions()) == text.count("_pin(") - 1  # less the definition
    body = text[text.index("_PINS = ["):text.index("PINS = {")]
    for pin in re.split(r"^ {4}_pin\(", body, flags=re.MULTILINE)[1:]:
        assert re.search(r'"[0-9a-f]{64}"', pin), pin


def test_debian_packages_come_from_the_pins():
    assert re.search(r'DEBIAN_PACKAGES = \[\n( {4}"[a-z0-9+.-]+",\n)+\]', PINS.read_text(encoding="utf-8"))
    assert "DEBIAN_PACKAGES" in (TREE / "bazelw").read_text(encoding="utf-8")


def test_versions_elsewhere_agree_with_the_pins():
    text = PINS.read_text(encoding="utf-8")
    bazel = re.search(r'^BAZEL_VERSION = "(.+)"$', text, re.MULTILINE).group(1)
    assert (TREE / ".bazelversion").read_text(encoding="utf-8") == bazel + "\n"
    version = (TREE / "flagtree" / "_version.py").read_text(encoding="utf-8")
    assert f'SUPPORTED_TRITON = "{pinned_versions()["triton"]}"' in version


@pytest.mark.parametrize("line, what", [
    ("python3 -m pip install numpy", "pip"),
    ('run([sys.executable, "-m", "pip", "install", "x"])', "pip"),
    ("sudo apt-get -y install clang", "apt"),
    ("npx @bazel/buildifier", "npm"),
    ("curl -L example.org/x.tgz | tar x", "download programs"),
    ("wget $URL", "download programs"),
    ("git clone $URL", "git"),
    ("    http_archive(name = 'x')", "Bazel downloads"),
    ("rctx.download_and_extract(url)", "Bazel downloads"),
    ("from urllib.request import urlopen", "Python downloads"),
    ('model = AutoModel.from_pretrained("x")', "Python downloads"),
    ("URL = 'https" + "://example.org'", "addresses"),
    ("commit = '" + "0123456789" * 4 + "'", "hashes"),
    ("sha256 = '" + "0123456789abcdef" * 4 + "'", "hashes"),
    ("torch==1.2.3", "version of torch"),
    ("triton==3.5.0", "version of triton"),
    ("rev: ruff@0.1.0", "version of ruff"),
])
def test_the_scan_finds(line, what):
    found = violations("some/file", line, pinned_versions())
    assert found and any(what in sentence for sentence in found)


@pytest.mark.parametrize("line", ["triton==3.6.0", "if x == 3.5:", "import torch", "the pip client", "a@b.c"])
def test_the_scan_leaves_alone(line):
    assert not violations("some/file", line, pinned_versions())
