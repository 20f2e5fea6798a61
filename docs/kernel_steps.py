"""The IR of one small kernel at every step of its way, as docs/architecture.md shows it.

    python docs/kernel_steps.py           # compares; exit status 1 if the page is out of date
    python docs/kernel_steps.py --write   # rewrites the blocks of the page

A block of the page is a fenced code block that follows a line `<!-- step: NAME -->`. The kernel is compiled for sm_90; no
GPU is needed.
"""
from __future__ import annotations

import inspect
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

PAGE = Path(__file__).with_name("architecture.md")
BLOCK = re.compile(r"(<!-- step: (?P<name>[\w-]+) -->\n```(?P<language>\w*)\n)(?P<text>.*?)(?P<end>```\n)", re.DOTALL)
SIGNATURE = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "B": "constexpr"}


@triton.jit
def product(a_ptr, b_ptr, c_ptr, B: tl.constexpr):
    tile = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    a_smem = tle.gpu.alloc([B, B], tl.float16)
    b_smem = tle.gpu.alloc([B, B], tl.float16)
    tle.gpu.copy(a_ptr + tile, a_smem, [B, B])
    tle.gpu.copy(b_ptr + tile, b_smem, [B, B])
    a = tl.load(tle.gpu.local_ptr(a_smem))
    b = tl.load(tle.gpu.local_ptr(b_smem))
    tl.store(c_ptr + tile, tl.dot(a, b))


def steps() -> dict[str, str]:
    """Text of the kernel at each step, by the name the page gives it."""
    seen = {"source": inspect.getsource(product.fn).strip()}

    def watch(backend: Any, stages: dict[str, Any], options: Any, language: Any, capability: int) -> None:
        make_ttir = stages["ttir"]

        def ttir(module: Any, metadata: dict[str, Any]) -> Any:
            module = make_ttir(module, metadata)
            seen["intrinsics"] = module.str_nodebug().strip()
            return module

        stages["ttir"] = ttir

    aligned = {(i, ): [["tt.divisibility", 16]] for i in range(3)}
    source = ASTSource(product, SIGNATURE, {"B": 64}, aligned)
    with triton.knobs.runtime.scope(), triton.knobs.compilation.scope(), tempfile.TemporaryDirectory() as folder:
        triton.knobs.runtime.add_stages_inspection_hook = watch
        triton.knobs.compilation.always_compile = True
        os.environ["TLE_DUMP_IR"] = folder
        try:
            kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
        finally:
            del os.environ["TLE_DUMP_IR"]
        for file in sorted(Path(folder).glob("*/*.mlir")):
            seen["after-" + file.stem.split("-", 1)[1]] = readable(file.read_text())
    seen["lowered"] = readable(kernel.asm["ttir"])
    seen["ttgir"] = readable(kernel.asm["ttgir"])
    seen["ptx"] = "\n".join(line.strip() for line in kernel.asm["ptx"].splitlines()
                            if re.search(r"wgmma|st\.shared|ld\.shared|ld\.global|st\.global|bar\.sync|fence\.proxy", line))
    return seen


def readable(text: str) -> str:
    """IR without locations."""
    lines = [re.sub(r" loc\((?:#loc\d*|unknown)\)", "", line) for line in text.splitlines()]
    return "\n".join(line.rstrip() for line in lines if not line.startswith("#loc")).strip()


def renewed(page: str, texts: dict[str, str]) -> str:
    """The page with every block made anew from `texts`."""
    return BLOCK.sub(lambda m: m[1] + texts[m["name"]] + "\n" + m["end"], page)


def main() -> None:
    page = PAGE.read_text()
    fresh = renewed(page, steps())
    if "--write" in sys.argv[1:]:
        PAGE.write_text(fresh)
    elif fresh != page:
        sys.exit("docs/architecture.md is out of date: python docs/kernel_steps.py --write")


if __name__ == "__main__":
    main()
