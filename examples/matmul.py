"""Tiled matrix product C = A @ B, written with shared-memory buffers (tle.gpu.alloc, tle.gpu.copy) and tl.dot.

    python examples/matmul.py                          # on a GPU: tuned, checked against torch, TFLOP/s of both
    python examples/matmul.py --m 777 --n 555 --k 333  # no dimension has to be a multiple of a tile

Without a GPU the kernel runs on the CPU under Triton's interpreter, on real data, and is compiled for an H100/H200
(sm_90) to show what the compiler makes of it.
"""
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import triton
import triton.experimental.tle.language as tle
import triton.language as tl

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}

TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1e-2, torch.float32: 2e-3}
"""Relative Frobenius error allowed: output rounding of the 16-bit types, tf32 products for float32."""

CPU_CONFIG = {"BM": 64, "BN": 64, "BK": 32, "STAGES": 2, "GROUP": 8}

SM90_CONFIG = {"BM": 128, "BN": 256, "BK": 64, "STAGES": 3, "GROUP": 8}
SM90_WARPS = 8


def configs() -> list[triton.Config]:
    """Tile sizes to try on a GPU; under the interpreter, which has nothing to measure, one small tile."""
    if triton.knobs.runtime.interpret:
        return [triton.Config(CPU_CONFIG)]
    return [
        triton.Config({"BM": bm, "BN": bn, "BK": bk, "STAGES": stages, "GROUP": 8}, num_warps=warps)
        for bm, bn, bk, stages, warps in [
            (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8), (128, 128, 64, 4, 4), (128, 128, 64, 3, 8),
            (128, 128, 32, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (64, 64, 32, 3, 4),
        ]
    ]


def fits(candidates: list[triton.Config], named_args: dict, **kwargs) -> list[triton.Config]:
    """The candidates whose buffers fit into the 227 KiB of shared memory a block may have on sm_90."""
    size = named_args["a_ptr"].element_size()
    return [
        c for c in candidates
        if (c.kwargs["BM"] + c.kwargs["BN"]) * c.kwargs["BK"] * c.kwargs["STAGES"] * size <= 227 * 1024
    ]


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
                  GROUP: tl.constexpr):
    """One BM x BN tile of C. EVEN: M, N and K are multiples of the tile, so that no copy needs a mask."""
    # Programs go down GROUP tiles of rows before they move one tile right: neighbours share operands in the L2 cache.
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    first_m = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first_m, GROUP)
    pid_m = first_m + pid % (GROUP * tiles_n) % height
    pid_n = pid % (GROUP * tiles_n) // height

    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_tile = a_ptr + rows[:, None].to(tl.int64) * stride_am + ks[None, :] * stride_ak
    b_tile = b_ptr + ks[:, None] * stride_bk + cols[None, :].to(tl.int64) * stride_bn

    a_smem = tle.gpu.alloc([BM, BK], a_ptr.dtype.element_ty)
    b_smem = tle.gpu.alloc([BK, BN], b_ptr.dtype.element_ty)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in tle.gpu.pipeline(0, tl.cdiv(K, BK), num_stages=STAGES):
        if EVEN:
            tle.gpu.copy(a_tile, a_smem, [BM, BK])
            tle.gpu.copy(b_tile, b_smem, [BK, BN])
        else:
            left = K - k * BK
            tle.gpu.copy(a_tile, a_smem, [BM, BK], mask=(rows[:, None] < M) & (ks[None, :] < left))
            tle.gpu.copy(b_tile, b_smem, [BK, BN], mask=(ks[:, None] < left) & (cols[None, :] < N))
        acc = tl.dot(tl.load(tle.gpu.local_ptr(a_smem)), tl.load(tle.gpu.local_ptr(b_smem)), acc)
        a_tile += BK * stride_ak
        b_tile += BK * stride_bk

    c_tile = c_ptr + rows[:, None].to(tl.int64) * stride_cm + cols[None, :] * stride_cn
    tl.store(c_tile, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def is_even(args: dict) -> bool:
    return args["M"] % args["BM"] == 0 and args["N"] % args["BN"] == 0 and args["K"] % args["BK"] == 0


with_masks_if_needed = triton.heuristics({"EVEN": is_even})(matmul_kernel)
tuned_kernel = triton.autotune(configs(), key=["M", "N", "K"],
                               prune_configs_by={"early_config_prune": fits})(with_masks_if_needed)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """C = A @ B.

    `a` is M x K, `b` is K x N, of the same dtype (float16, bfloat16 or float32) and on the same device, with any
    strides; the result is M x N, row-major, of that dtype. Products are summed in float32; float32 operands are
    rounded to tf32 on a GPU. Raises ValueError for operands that do not match this.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"matmul takes an M x K and a K x N matrix, got shapes {tuple(a.shape)} and {tuple(b.shape)}")
    if a.dtype != b.dtype or a.dtype not in DTYPES.values():
        raise ValueError(f"matmul takes two matrices of float16, bfloat16 or float32, got {a.dtype} and {b.dtype}")
    if a.device != b.device:
        raise ValueError(f"matmul takes matrices on one device, got {a.device} and {b.device}")
    if 0 in (*a.shape, b.shape[1]):
        return torch.zeros((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device)
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    tuned_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]), )](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c


def relative_error(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """Frobenius norm of C - A @ B over that of A @ B, the product taken in float64 by torch."""
    expected = a.double() @ b.double()
    return float((c.double() - expected).norm() / expected.norm())


def compile_facts(dtype: str, arch: int = 90) -> dict[str, int]:
    """What the compiler makes of the kernel for compute capability `arch`: no GPU is needed.

    Returns the counts of wgmma and cp.async instructions in the PTX, of tensor-core instructions (HGMMA or HMMA) in
    the machine code, and shared memory (bytes a block), registers and spilled bytes (a thread). Not callable when
    Triton's interpreter is on, which replaces the language for the whole process.
    """
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    pointer = "*" + dtype
    names = matmul_kernel.arg_names
    constants = {"EVEN": True, **SM90_CONFIG, "stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
    if dtype == "fp32":
        constants |= {"BN": 128, "BK": 32}
    signature = {n: "constexpr" if n in constants else pointer if n.endswith("_ptr") else "i32" for n in names}
    aligned = {(i, ): [["tt.divisibility", 16]] for i, n in enumerate(names) if signature[n] != "constexpr"}
    kernel = triton.compile(ASTSource(matmul_kernel, signature, constants, aligned), target=GPUTarget("cuda", arch, 32),
                            options={"num_warps": SM90_WARPS})
    tool = [triton.knobs.nvidia.cuobjdump.path, "--dump-resource-usage", "--dump-sass"]
    path = os.path.join(triton.knobs.cache.dir, f"matmul-{os.getpid()}.cubin")
    with open(path, "wb") as file:
        file.write(kernel.asm["cubin"])
    try:
        sass = subprocess.run([*tool, path], check=True, capture_output=True, text=True).stdout
    finally:
        os.unlink(path)
    usage = dict(item.split(":") for line in sass.splitlines() if " REG:" in line for item in line.split())
    return {
        "wgmma in PTX": kernel.asm["ptx"].count("wgmma.mma_async"),
        "cp.async in PTX": kernel.asm["ptx"].count("cp.async.cg") + kernel.asm["ptx"].count("cp.async.ca"),
        "tensor-core instructions in SASS": sum("HGMMA" in line or "HMMA" in line for line in sass.splitlines()),
        "shared bytes per block": kernel.metadata.shared,
        "registers per thread": int(usage["REG"]),
        "stack bytes per thread (spills)": int(usage["STACK"]),
    }


def print_table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def run_on_gpu(a: torch.Tensor, b: torch.Tensor) -> list[tuple[str, str]]:
    """Rows of the result table: speed of the kernel and of torch on the same operands."""
    flop = 2.0 * a.shape[0] * a.shape[1] * b.shape[1]
    rows = [("tiles chosen", str(tuned_kernel.best_config))]
    for name, function in [("this kernel", lambda: matmul(a, b)), ("torch", lambda: a @ b)]:
        milliseconds = triton.testing.do_bench_cudagraph(function, return_mode="median")
        rows.append((name, f"{flop / milliseconds * 1e-9:.1f} TFLOP/s"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = 4096 if torch.cuda.is_available() else 500
    parser.add_argument("--m", type=int, default=size, help="rows of A and C (default %(default)s)")
    parser.add_argument("--n", type=int, default=size, help="columns of B and C (default %(default)s)")
    parser.add_argument("--k", type=int, default=size, help="columns of A, rows of B (default %(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    parser.add_argument("--compile-only", action="store_true", help="only compile for sm_90 and print facts as JSON")
    options = parser.parse_args()
    if options.compile_only:
        print(json.dumps(compile_facts(options.dtype)))
        return

    device = "cuda" if torch.cuda.is_available() and not triton.knobs.runtime.interpret else "cpu"
    dtype = DTYPES[options.dtype]
    torch.manual_seed(0)
    a = torch.randn((options.m, options.k), device=device).to(dtype)
    b = torch.randn((options.k, options.n), device=device).to(dtype)
    where = torch.cuda.get_device_name() if device == "cuda" else "the CPU, under Triton's interpreter"
    print(f"C = A @ B, {options.m} x {options.k} by {options.k} x {options.n}, {options.dtype}, on {where}")
    error = relative_error(matmul(a, b), a, b)
    rows = [("relative error to torch in float64", f"{error:.2e} (allowed {TOLERANCE[dtype]:.0e})")]
    if device == "cuda":
        rows += run_on_gpu(a, b)
    print_table(rows)
    if error > TOLERANCE[dtype]:
        sys.exit("the result is wrong")

    if device == "cpu":
        # Another process: under the interpreter this one cannot compile.
        print("the same kernel compiled for sm_90:", flush=True)
        command = [sys.executable, __file__, "--compile-only", "--dtype", options.dtype]
        child = subprocess.run(command, env={**os.environ, "TRITON_INTERPRET": "0"}, stdout=subprocess.PIPE, text=True)
        if child.returncode:
            sys.exit("the kernel does not compile for sm_90")
        print_table([(name, str(value)) for name, value in json.loads(child.stdout).items()])


if __name__ == "__main__":
    main()
