"""Entry of lit_test: lit on the given files, with results where Bazel looks for them."""

from __future__ import annotations

import os
import sys

from lit.main import main

if __name__ == "__main__":
    options = ["-v"]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        options.append("--xunit-xml-output=" + report)
    main_argv = [sys.argv[0], *options, *sys.argv[1:]]
    sys.argv = main_argv
    main()
