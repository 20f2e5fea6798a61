"""Entry of py_test: pytest on the given files, with results where Bazel looks for them."""

from __future__ import annotations

import os
import sys

import pytest


def main() -> int:
    options = ["--import-mode=importlib", "--strict-markers", "-p", "no:cacheprovider"]
    options += ["-o", "python_files=*_test.py test_*.py", "-o", "xfail_strict=true"]
    options += ["--rootdir=" + os.getcwd(), "-c", os.devnull, "-ra", "--tb=short", "-q"]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        options.append("--junitxml=" + report)
    if only := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        options += ["-k", only]
    return pytest.main(options + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
