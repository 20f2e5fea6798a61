"""What the tests of CommonIR share: running the conversion and stock Triton on module text."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from flagtree import _core
from triton._C.libtriton import ir, nvidia, passes
from triton.backends.compiler import GPUTarget, Language
from triton.backends.nvidia.compiler import CUDABackend

FOLDER = Path(__file__).parent


def convert(text: str, **options: Any) -> str:
    """The module after raising and the conversion; options in Python spelling, e.g. enable_async_copy=True."""
    words = " ".join(f"{name.replace('_', '-')}={str(value).lower()}" for name, value in options.items())
    return _core.run(text, f"builtin.module(raise-intrinsics,convert-common-ir-to-ttgir{{{words}}})")


def parse(text: str, path: Path) -> Any:
    """A module of the stock wheel, verified."""
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    path.write_text(text, encoding="utf-8")
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    assert module.verify()
    return module


def inlined(text: str, path: Path) -> Any:
    """As Triton's "ttir" stage leaves modules: without calls."""
    module = parse(text, path)
    manager = ir.pass_manager(module.context)
    passes.common.add_inliner(manager)
    passes.common.add_symbol_dce(manager)
    manager.run(module, "inline")
    return module


def compile_stock(text: str, path: Path, capability: int, num_warps: int = 4) -> dict[str, str]:
    """TTGIR, LLVM IR and PTX of a converted module by the wheel's own stages, and "shared bytes"."""
    target = GPUTarget("cuda", capability, 32)
    backend = CUDABackend(target)
    options = backend.parse_options({"num_warps": num_warps})
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    metadata: dict[str, Any] = {"target": target, "hash": "0", **options.__dict__}
    module: Any = parse(text, path)
    texts = {}
    for stage in ("ttgir", "llir", "ptx"):
        module = stages[stage](module, metadata)
        texts[stage] = str(module)
    texts["shared bytes"] = str(metadata["shared"])
    return texts


def count(text: str, pattern: str) -> int:
    return len(re.findall(pattern, text))


def lit_modules(name: str) -> list[str]:
    """The modules of a lit file, without the operations of no dialect that stand for other users."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [re.sub(r'^.*"test\.\w+"\(.*\n', "", part, flags=re.MULTILINE) for part in text.split("// -----")]
