"""lit configuration for every .mlir test; bazel/lit.bzl sets the environment it reads."""

import os
import tempfile

import lit.formats

config.name = "flagtree"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_exec_root = os.path.join(os.environ.get("TEST_TMPDIR") or tempfile.mkdtemp(), "lit")
config.environment["PATH"] = os.environ["FLAGTREE_LIT_PATH"] + ":" + os.environ["PATH"]
for variable in ("FILECHECK_OPTS", "ASAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
