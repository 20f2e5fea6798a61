"""A first look: examples/attention.py run, drawn and compiled for Hopper; then what one missing line does to it, and how that is told.

    python examples/first_look.py                  # needs no GPU
    python examples/first_look.py --causal --size 64 --dtype fp16 --out folder

1. The kernel runs on random data: on a Hopper GPU if there is one, with its speed beside torch's, and in the simulator, under several schedules. Every
   result is compared with torch in float64. One run in the simulator is drawn as a timeline, a web page.
2. The same kernel is compiled for sm_90, and ptxas is asked what came out.
3. One line of the program is taken out: a consumer never says that it has read its keys. On a GPU this hangs. The simulator says who waits for whom.
"""
from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    import attention as example

PROGRAM = Path(__file__).with_name("attention.py")

SCHEDULES = 4
"""The corners: copies and products as late or as early as can be, the first or the last partition far ahead."""

QUERIES, KEYS = 256, 512
"""Of the simulated run, which has 2 heads: several tiles, and more steps than a ring has slots."""


def load(path: Path) -> ModuleType:
    """The program at `path`, as a module. Triton reads TRITON_INTERPRET when it decorates the kernels."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def operands(batch: int, heads: int, queries: int, keys: int, options: argparse.Namespace, device: str) -> list[torch.Tensor]:
    """Random Q, K and V."""
    torch.manual_seed(0)
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}[options.dtype]
    return [torch.randn((batch, rows, heads, options.size), device=device).to(dtype) for rows in (queries, keys, keys)]


def checked(example: ModuleType, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool):
    """A function that runs the kernel, compares its result with torch in float64 and returns the relative error."""
    expected, _ = example.reference(q, k, v, causal)

    def run() -> float:
        error = example.relative_error(example.attention(q, k, v, causal=causal), expected)
        if not error <= example.TOLERANCE[q.dtype]:
            raise ArithmeticError(f"the result is wrong: relative error {error:.2e}, allowed {example.TOLERANCE[q.dtype]:.0e}")
        return error

    return run


# The parts. Each runs in a process of its own, since Triton's interpreter, which the simulator stands on, is for a whole process.


def simulate(options: argparse.Namespace) -> dict[str, str]:
    """Run in the simulator: once for the timeline, then under several schedules."""
    import flagtree

    example = load(PROGRAM)
    q, k, v = operands(1, 2, QUERIES, KEYS, options, "cpu")
    run = checked(example, q, k, v, options.causal)
    errors = []
    page = flagtree.trace(lambda: errors.append(run()), options.out / "attention.html")
    report = flagtree.check(lambda: errors.append(run()), schedules=SCHEDULES)
    if not report.ok:
        sys.exit(f"the kernel is wrong:\n{report}")
    return {
        "simulated": f"2 heads, {QUERIES} x {KEYS} x {options.size}, {options.dtype}{', causal' if options.causal else ''}",
        "relative error to torch in float64": f"{max(errors):.1e} (allowed {example.TOLERANCE[q.dtype]:.0e})",
        "deadlocks, races, misuse": str(report),
        "timeline": str(page),
    }


def measure(options: argparse.Namespace) -> dict[str, str]:
    """Run on the GPU, and replay beside torch's attention."""
    import triton

    example = load(PROGRAM)
    batch, heads, length = 4, 2048 // options.size, 4096
    q, k, v = operands(batch, heads, length, length, options, "cuda")
    error = checked(example, q, k, v, options.causal)()
    work = example.operations(batch, heads, length, length, options.size, options.causal)
    functions = {
        "this kernel": lambda: example.attention(q, k, v, causal=options.causal),
        "torch": lambda: torch.nn.functional.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=options.causal),
    }
    speeds = {name: f"{1e-9 * work / triton.testing.do_bench_cudagraph(f, return_mode='median'):.0f} TFLOP/s" for name, f in functions.items()}
    return {
        "on " + torch.cuda.get_device_name(): f"{batch} x {heads} heads, {length} x {length} x {options.size}",
        "relative error there": f"{error:.1e} (allowed {example.TOLERANCE[q.dtype]:.0e})",
        **speeds,
    }


def kernel_source(example: ModuleType, variant: example.Variant) -> Any:
    """The kernel with the types that attention() gives it, for triton.compile: no GPU is needed."""
    from triton.compiler import ASTSource

    kernel, constants = example.attention_kernel, example.constants(variant)
    dtype = {torch.float16: "fp16", torch.bfloat16: "bf16"}[variant.dtype]
    units = "1, 1, 1" if variant.varlen else "1, 1"

    def rows(count: int) -> str:
        return f"tensordesc<{dtype}[{units}, {count}, {variant.size}]>"

    types = {"q_desc": rows(example.ROWS), "k_desc": rows(variant.tile.keys), "v_desc": rows(variant.tile.keys), "o_desc": rows(example.ROWS),
             "lse_ptr": "*fp32", "cu_q_ptr": "*i32", "cu_k_ptr": "*i32", "scale": "fp32"}
    signature = {name: "constexpr" if name in constants else types.get(name, "i32") for name in kernel.arg_names}
    return ASTSource(kernel, signature, constants, {(kernel.arg_names.index("lse_ptr"), ): [["tt.divisibility", 16]]})


def assemble(ptx: str) -> str:
    """What ptxas says of `ptx`."""
    import triton

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(ptx)
        command = [triton.knobs.nvidia.ptxas.path, "-v", "--gpu-name=sm_90a", path, "-o", os.devnull]
        return subprocess.run(command, check=True, capture_output=True, text=True).stderr


def compile_facts(options: argparse.Namespace) -> dict[str, str]:
    """Compile for sm_90 and read what came out."""
    import triton
    from triton.backends.compiler import GPUTarget

    example = load(PROGRAM)
    variant = example.Variant(0, example.DTYPES[options.dtype], options.size, example.TILES[options.size], options.causal, False, False)
    kernel = triton.compile(kernel_source(example, variant), target=GPUTarget("cuda", 90, 32), options={"num_warps": example.WARPS})
    ptx = kernel.asm["ptx"]
    said = assemble(ptx)

    decreased = [int(number) for number in re.findall(r"setmaxnreg\.dec\S+\s+(\d+)", ptx)]  # the default partition's by what workers leave
    workers = re.search(r"requestedRegisters = array<i32: ([\d, ]+)>", kernel.asm["ttgir"])[1].split(", ")
    complaints = [line for line in said.splitlines() if "warning" in line or "(C75" in line]
    return {
        "compiled for": "sm_90a",
        "partitions": f"1 producer, {variant.tile.consumers} consumers; {kernel.metadata.num_warps} warps per block",
        "registers per thread": f"{workers[-1]} in the producer, {max(decreased)} and {workers[0]} in the consumers",
        "spilled bytes per thread": str(sum(map(int, re.findall(r"(\d+) bytes spill", said)))),
        "shared bytes per block": str(kernel.metadata.shared),
        "wgmma in PTX": str(ptx.count("wgmma.mma_async")),
        "TMA copies in PTX": str(ptx.count("cp.async.bulk.tensor")),
        "complaints of ptxas": "; ".join(complaints) or "none",
    }


def without_an_arrival(source: str) -> str:
    """The program without the first arrival of a consumer that gives a slot of keys back; every line keeps its number."""
    broken, count = re.subn(r"^( *)tle\.gpu\.barrier_arrive\(k_empty\[.*$", r"\1pass", source, count=1, flags=re.MULTILINE)
    if not count:
        sys.exit(f"{PROGRAM} has no line that arrives at k_empty: there is nothing to take out")
    return broken


def break_it(options: argparse.Namespace) -> None:
    """Take a line out, show which, and print the simulator's report."""
    import flagtree

    source = PROGRAM.read_text()
    path = options.out / "attention_broken.py"
    path.write_text(without_an_arrival(source))
    changes = difflib.unified_diff(source.splitlines(), path.read_text().splitlines(), "examples/attention.py", str(path), lineterm="", n=2)
    print("\n".join(changes), end="\n\n")
    q, k, v = operands(1, 2, QUERIES, KEYS, options, "cpu")
    broken = load(path)
    report = flagtree.check(lambda: broken.attention(q, k, v, causal=options.causal))
    print(report)
    if not report.findings:
        sys.exit("nothing was found, though the kernel is broken")


PARTS = {"simulate": simulate, "compile": compile_facts, "measure": measure}


def run_part(name: str, interpret: bool) -> dict[str, str]:
    """What a part found, from a process of its own with the arguments of this one."""
    command = [sys.executable, __file__, *sys.argv[1:], "--part", name]
    child = subprocess.run(command, env=os.environ | {"TRITON_INTERPRET": str(int(interpret))}, stdout=subprocess.PIPE, text=True)
    if child.returncode:
        sys.exit(child.returncode)
    return json.loads(child.stdout)


def on_hopper() -> bool:
    return torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128, choices=(64, 128, 256), help="D, elements of a row (default %(default)s)")
    parser.add_argument("--dtype", choices=("fp16", "bf16"), default="bf16")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("first_look"), help="folder for the timeline and the broken program (default %(default)s)")
    parser.add_argument("--part", choices=[*PARTS, "break"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), options.out)  # bazel run starts elsewhere
    options.out.mkdir(parents=True, exist_ok=True)
    if options.part == "break":
        break_it(options)
        return
    if options.part:
        print(json.dumps(PARTS[options.part](options)))
        return

    print(f"{PROGRAM.name}: attention, forward; a producer and consumers that take turns", flush=True)
    with ThreadPoolExecutor() as pool:
        parts = [pool.submit(run_part, "simulate", True), pool.submit(run_part, "compile", False)]
        rows = [row for part in parts for row in part.result().items()]
    if on_hopper():
        rows = [*run_part("measure", False).items(), *rows]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")
    print("\nNow one line is missing:\n", flush=True)
    command = [sys.executable, __file__, *sys.argv[1:], "--part", "break"]
    sys.exit(subprocess.run(command, env=os.environ | {"TRITON_INTERPRET": "1"}).returncode)


if __name__ == "__main__":
    main()
