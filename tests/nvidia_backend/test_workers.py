"""Workers whose number of warps is not the launch's compile to what the same code is as a kernel of that many warps."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import triton  # noqa: E402
import triton.experimental.tle.language as tle  # noqa: E402
import triton.language as tl  # noqa: E402
from flagtree.nvidia_backend.errors import LoweringError  # noqa: E402
from triton._C.libtriton import ir  # noqa: E402
from triton.backends.compiler import GPUTarget, Language  # noqa: E402
from triton.compiler.compiler import make_backend  # noqa: E402

from tests.tle.language.compiling import compiled, source  # noqa: E402

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "gpu")]

import worker_kernels as kernels  # noqa: E402

SIGNATURE = {"x": "*fp32", "h": "*fp16", "y": "*fp32", "n": "i32"}


def ttgir(fn: Any, constants: dict[str, Any], num_warps: int) -> str:
    """The kernel's final TTGIR, layouts spelled out."""
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": num_warps})
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source(fn, SIGNATURE, constants).make_ir(target, options, backend.get_codegen_implementation(options),
                                                      backend.get_module_map(), context)
    for stage in ("ttir", "ttgir"):
        module = stages[stage](module, {})
    text = module.str_nodebug()
    layouts = dict(re.findall(r"^(#\w+) = (.*)$", text, re.MULTILINE))
    for _ in range(3):  # aliases in aliases
        text = re.sub(r"#\w+", lambda alias: layouts.get(alias[0], alias[0]), text)
    return text


def body(text: str, start: str) -> list[str]:
    """What stands between the brackets opened by the first line that begins with `start`: values numbered by first use, constants
    written where they are used, the numbers of WGMMA groups left out."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip().startswith(start))
    indent = lines[first][:-len(lines[first].lstrip())]
    last = next(i for i in range(first + 1, len(lines)) if lines[i].startswith(indent + "}"))
    names: dict[str, str] = {}
    operations = []
    for line in map(str.strip, lines[first + 1:last]):
        if constant := re.fullmatch(r"(%\S+) = arith.constant (.*)", line):
            names[constant[1]] = f"<{constant[2]}>"
        elif line not in ("tt.return", "ttg.warp_return"):
            operations.append(line)
    return [re.sub(r"%[\w.-]+", lambda name: names.setdefault(name[0], f"%{len(names)}"), re.sub(r"tle.group = \d+", "tle.group", line))
            for line in operations]


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("name", kernels.FUNCTIONS)
def test_the_code_is_that_of_a_kernel(name: str, num_warps: int) -> None:
    fn = kernels.FUNCTIONS[name]
    text = ttgir(kernels.together, {"F": fn, "STRIDE": kernels.SIZE}, num_warps)
    for index, warps in enumerate(kernels.WORKERS):
        worker, kernel = body(text, f"partition{index}("), body(ttgir(kernels.alone, {"F": fn}, warps), "tt.func public")
        if name == "buffers":  # tle-order-shared-accesses is more careful about buffers that other partitions could have
            worker, kernel = ([line for line in lines if not re.match("gpu.barrier|ttng.fence", line)] for lines in (worker, kernel))
        assert worker == kernel, f"{warps} warps"
        assert len(kernel) > 5


@pytest.mark.parametrize("num_warps", [4, 8])
def test_wgmma(num_warps: int) -> None:
    constants = {"F": kernels.products, "STRIDE": kernels.SIZE}
    text = ttgir(kernels.groups_together, constants, num_warps)
    for index, warps in enumerate((4, 8)):
        worker = body(text, f"partition{index}(")
        assert worker == body(ttgir(kernels.alone, {"F": kernels.products}, warps), "tt.func public")
        assert any(f"versionMajor = 3, versionMinor = 0, warpsPerCTA = [{warps}, 1]" in line for line in worker)
        assert not any("convert_layout" in line and "tensor<128x64xf32" in line for line in worker[:-5])
    kernel = compiled(kernels.groups_together, SIGNATURE, constants, num_warps=num_warps)
    assert kernel.asm["ptx"].count("wgmma.mma_async") >= 3


@triton.jit
def all_of(x, h, y, n):
    kernels.reductions(x, h, y, n)
    kernels.loops(x, h, y, n)
    kernels.dot_buffers(x, h, y, n)
    kernels.atomics(x, h, y, n)


@pytest.mark.parametrize("num_warps", [4, 8])
def test_all_the_way_to_a_cubin(num_warps: int) -> None:
    kernel = compiled(kernels.together, SIGNATURE, {"F": all_of, "STRIDE": kernels.SIZE}, num_warps=num_warps)
    assert kernel.asm["cubin"]
    assert kernel.metadata.num_warps == num_warps + 16  # 15 warps of workers in whole warp groups
    ptx = kernel.asm["ptx"]
    assert f".reqntid {32 * kernel.metadata.num_warps}" in ptx
    # Barriers: 0 is the default partition's, 2 + i that of worker i, whose threads alone it counts.
    barriers = set(re.findall(r"bar\.sync\s+(\d+), (\d+)", ptx))
    assert barriers == {("0", str(32 * num_warps)), ("3", "64"), ("4", "128"), ("5", "256")}


@triton.jit
def nothing():
    pass


@triton.jit
def busy(x):
    o = tl.arange(0, 128)
    tl.store(x + o, tl.load(x + o) * 2)


@triton.jit
def asks_for_registers(x, W: tl.constexpr, R: tl.constexpr):
    tle.gpu.warp_specialize([(busy, (x, )), (busy, (x + 128, )), (busy, (x + 256, ))], W, R)


@pytest.mark.parametrize("warps, registers, groups, left", [  # left: for the default partition, of 64 Ki in all and at most 256
    ((4, 4), (232, 24), {232, 24}, 248),
    ((4, 8), (152, 40), {152, 40}, 256),
    ((1, 4), (24, 240), {24, 240}, 240),
    ((1, 2), (40, 56), {56}, 256),  # warps of one warp group share the largest wish
])
def test_setmaxnreg_has_the_numbers_asked_for(warps: tuple[int, int], registers: tuple[int, int], groups: set[int], left: int) -> None:
    kernel = compiled(asks_for_registers, {"x": "*fp32"}, {"W": warps, "R": registers}, num_warps=4)
    ptx = kernel.asm["ptx"]
    base = int(re.search(r"\.maxnreg (\d+)", ptx)[1])
    threads = 32 * kernel.metadata.num_warps
    assert base == 65536 // threads // 8 * 8
    entries = set(map(int, re.findall(r"setmaxnreg\.\w+\.sync\.aligned\.u32\s+(\d+);\s*barrier\.sync\s+1;", ptx)))
    assert {*groups, left} <= entries


@triton.jit(noinline=True)
def helper(x):
    tl.store(x + tl.arange(0, 64), tl.zeros([64], tl.float32))


@triton.jit
def calls_a_helper(x):
    helper(x)


@triton.jit
def worker_that_calls(x):
    tle.gpu.warp_specialize([(nothing, ()), (calls_a_helper, (x, ))], [1], [24])


def test_s20_calls_of_functions() -> None:
    with pytest.raises(LoweringError, match=r"\[S20\] function @.*helper.* is called in a partition of warp_specialize") as caught:
        compiled(worker_that_calls, {"x": "*fp32"}, num_warps=4)
    assert Path(caught.value.file).name == Path(__file__).name
