"""A stage of stock Triton on a module in a file: how a failed compilation is repeated and explained.

    python -m flagtree.nvidia_backend.replay FILE

The first line of FILE is a comment with the stage, the target and the compiler's options.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

from .conversion import convert
from .module_text import parse

_HEADER = "// flagtree replay: "
_SECONDS = 300


def save(text: str, stage: str, capability: int, options: Any) -> Path:
    """Write a file that `main` takes: a module, and what is to be done with it."""
    job = {"stage": stage, "capability": capability, "options": {name: value for name, value in vars(options).items() if value is not None}}
    with tempfile.NamedTemporaryFile("w", prefix=f"flagtree-{stage}-", suffix=".mlir", delete=False) as file:
        file.write(f"{_HEADER}{json.dumps(job, default=str)}\n{text}")
    return Path(file.name)


def run_apart(file: Path) -> str:
    """What Triton says to the job in `file`. In a process of its own, because it says so to the standard error stream
    only; -P: not with a package of this name in the current folder."""
    done = subprocess.run([sys.executable, "-P", "-m", "flagtree.nvidia_backend.replay", str(file)], capture_output=True, text=True,
                          check=False, timeout=_SECONDS)
    return done.stderr


def main(name: str) -> None:
    header, text = Path(name).read_text().split("\n", 1)
    job = json.loads(header.removeprefix(_HEADER))
    backend = make_backend(GPUTarget("cuda", job["capability"], 32))
    options = backend.parse_options(job["options"])
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = parse(text, context)
    if job["stage"] == "workers":
        convert(module, options.num_ctas, job["capability"])
    else:
        getattr(backend, f"make_{job['stage']}")(module, {}, options, job["capability"])


if __name__ == "__main__":
    main(sys.argv[1])
