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
        """A user's hook runs before ours, so these wrap Triton's own stages."""
        make_ttir, make_ttgir = stages["ttir"], stages["ttgir"]

        def ttir(module: Any, metadata: dict[str, Any]) -> Any:
            module = make_ttir(module, metadata)
            seen["intrinsics"] = module.str_nodebug().strip()
            return module

        def ttgir(module: Any, metadata: dict[str, Any]) -> Any:
            seen["lowered"] = module.str_nodebug().strip()
            module = make_ttgir(module, metadata)
            seen["ttgir"] = module.str_nodebug().strip()
            return module

        stages["ttir"], stages["ttgir"] = ttir, ttgir

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
            seen["after-" + file.stem.split("-", 1)[1]] = file.read_text().strip()
    seen["ptx"] = memory_instructions(kernel.asm["ptx"])
    return seen


def memory_instructions(ptx: str) -> str:
    """The memory and WGMMA instructions up to the end of the product; long lists of registers are shortened."""
    kept = [line.strip() for line in ptx[:ptx.rindex("wgmma.wait_group")].splitlines()
            if re.search(r"wgmma|\.shared\b|\.global\b|bar\.sync", line) and ".extern" not in line]
    return "\n".join(re.sub(r"\{(%r\d+),[^}]{100,},(%r\d+)\}", r"{\1,...,\2}", line) for line in kept)


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
