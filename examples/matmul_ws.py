"""Warp-specialized, persistent matrix product for Hopper: one partition loads tiles by TMA, two multiply them by WGMMA.

    python examples/matmul_ws.py                                # on a GPU: checked against torch, TFLOP/s of both
    python examples/matmul_ws.py --form pingpong --dtype fp8    # each consumer multiplies tiles of its own
    python examples/matmul_ws.py --m 777 --n 555 --k 333        # no dimension has to be a multiple of a tile

Without a GPU the kernel runs in the simulator, on real data, and is compiled for an H100/H200 (sm_90) to show what the
compiler makes of it.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when a kernel is decorated

import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = MappingProxyType({"fp16": torch.float16, "bf16": torch.bfloat16, "fp8": torch.float8_e4m3fn})
OUT_DTYPES = (torch.float16, torch.bfloat16)

TOLERANCE = MappingProxyType({torch.float16: 2e-3, torch.bfloat16: 1e-2, torch.float8_e4m3fn: 2e-2})
"""Relative Frobenius error allowed, by the operands' dtype: rounding of the result, and for fp8 of the sums within the hardware,
which grows with K."""

CONSUMERS = 2
PRODUCER_REGISTERS: tl.constexpr = tl.constexpr(32)
"""Of a thread of the producer's, a worker of one warp: what two consumers of 240 leave of 512."""

LOAD_BYTES = 128
"""A row of an operand's tile, in bytes: the widest swizzle."""


@dataclass(frozen=True)
class Form:
    """How the two consumers share the work.

    cooperative: one BM x BN tile at a time, each consumer takes half of its rows. Otherwise ping-pong: each consumer has
    BM x BN tiles of its own, and while one multiplies, the other stores. STAGES: depth of the ring of operand tiles, at
    least 2, as a slot is given back one step after its product was issued. SPLIT:
    in how many parts of the columns a consumer stores its tile. REGISTERS: of each thread of the consumers. GROUP: see
    tile_position; about as many rows as columns should be in use at a time.
    """

    COOPERATIVE: bool
    BM: int
    BN: int
    STAGES: int
    SPLIT: int
    REGISTERS: int = 240
    GROUP: int = 8

    @property
    def rows(self) -> int:
        """Rows one consumer multiplies."""
        return self.BM // CONSUMERS if self.COOPERATIVE else self.BM


FORMS = MappingProxyType({
    "cooperative": Form(COOPERATIVE=True, BM=128, BN=256, STAGES=4, SPLIT=2, GROUP=16),
    "tall": Form(COOPERATIVE=True, BM=256, BN=128, STAGES=4, SPLIT=2),
    "pingpong": Form(COOPERATIVE=False, BM=128, BN=128, STAGES=5, SPLIT=1),
})
SIMULATED = MappingProxyType({
    "cooperative": Form(COOPERATIVE=True, BM=128, BN=32, STAGES=2, SPLIT=2),
    "tall": Form(COOPERATIVE=True, BM=128, BN=16, STAGES=2, SPLIT=1),
    "pingpong": Form(COOPERATIVE=False, BM=64, BN=32, STAGES=3, SPLIT=1),
})
"""The forms with small tiles, for the simulator."""
SIMULATED_PROGRAMS = 3

#-----------------------------------------------------------------------------------------------------------------------
# Kernel
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def tile_position(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Row and column of tile number `tile`: GROUP tiles down before one to the right, so that neighbours in time share
    operands in the L2 cache."""
    first = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    inner = tile % (GROUP * tiles_n)
    return first + inner % height, inner // height


@triton.jit
def produce(a_desc, b_desc, a_ring, b_ring, full, empty, tiles_m, tiles_n, steps, TRANS_A: tl.constexpr, TRANS_B: tl.constexpr,
            PARTS: tl.constexpr, ROWS: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr, GROUP: tl.constexpr):
    """Load the operands of this program's tiles, step by step, into the ring: PARTS blocks of ROWS rows of A, one block of B."""
    step = 0
    for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP)
        for k in range(0, steps):
            slot = step % STAGES
            tle.gpu.barrier_wait(empty[slot], phaseIdx=step // STAGES)
            for part in tl.static_range(PARTS):
                row = (tile_m * PARTS + part) * ROWS
                if TRANS_A:
                    tle.gpu.copy(a_desc, a_ring.slot(slot * PARTS + part), [BK, ROWS], [k * BK, row], barrier=full[slot])
                else:
                    tle.gpu.copy(a_desc, a_ring.slot(slot * PARTS + part), [ROWS, BK], [row, k * BK], barrier=full[slot])
            if TRANS_B:
                tle.gpu.copy(b_desc, b_ring.slot(slot), [BN, BK], [tile_n * BN, k * BK], barrier=full[slot])
            else:
                tle.gpu.copy(b_desc, b_ring.slot(slot), [BK, BN], [k * BK, tile_n * BN], barrier=full[slot])
            step += 1


@triton.jit
def multiply(a_ring, b_ring, full, empty, step, steps, TRANS_A: tl.constexpr, TRANS_B: tl.constexpr, PART: tl.constexpr,
             PARTS: tl.constexpr, STAGES: tl.constexpr):
    """Sum of the `steps` products in the ring from number `step` on, complete; steps >= 1.

    A slot is given back one step later, when its product is the only one of the older ones that could still run.
    """
    slot = step % STAGES
    tle.gpu.barrier_wait(full[slot], phaseIdx=step // STAGES)
    acc = tle.gpu.wgmma(a_ring.slot(slot * PARTS + PART), b_ring.slot(slot), trans_a=TRANS_A, trans_b=TRANS_B)
    for current in range(step + 1, step + steps):
        slot = current % STAGES
        tle.gpu.barrier_wait(full[slot], phaseIdx=current // STAGES)
        acc = tle.gpu.wgmma(a_ring.slot(slot * PARTS + PART), b_ring.slot(slot), acc, trans_a=TRANS_A, trans_b=TRANS_B)
        acc = tle.gpu.wgmma_wait(1, acc)
        tle.gpu.barrier_arrive(empty[(current - 1) % STAGES], phaseIdx=(current - 1) // STAGES)
    acc = tle.gpu.wgmma_wait(0, acc)
    last = step + steps - 1
    tle.gpu.barrier_arrive(empty[last % STAGES], phaseIdx=last // STAGES)
    return acc


@triton.jit
def store(acc, staging, c_desc, row, column, SPLIT: tl.constexpr):
    """Round a consumer's tile and store it through `staging`, in SPLIT (1 or 2) parts of its columns."""
    ROWS: tl.constexpr = acc.shape[0]
    COLUMNS: tl.constexpr = acc.shape[1] // SPLIT
    tile = acc.to(staging.dtype)
    if SPLIT == 1:
        staging.store(tile)
        tle.gpu.copy(staging, c_desc, [ROWS, COLUMNS], [row, column])
    else:
        left, right = tl.split(tl.permute(tl.reshape(tile, [ROWS, 2, COLUMNS]), (0, 2, 1)))
        staging.store(left)
        tle.gpu.copy(staging, c_desc, [ROWS, COLUMNS], [row, column])
        staging.store(right)
        tle.gpu.copy(staging, c_desc, [ROWS, COLUMNS], [row, column + COLUMNS])


@triton.jit
def consume_cooperatively(c_desc, a_ring, b_ring, staging, full, empty, tiles_m, tiles_n, steps, CID: tl.constexpr,
                          TRANS_A: tl.constexpr, TRANS_B: tl.constexpr, ROWS: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr,
                          SPLIT: tl.constexpr, GROUP: tl.constexpr):
    """Rows CID * ROWS and on of every tile of this program."""
    step = 0
    for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP)
        acc = multiply(a_ring, b_ring, full, empty, step, steps, TRANS_A, TRANS_B, CID, 2, STAGES)
        store(acc, staging, c_desc, (tile_m * 2 + CID) * ROWS, tile_n * BN, SPLIT)
        step += steps


@triton.jit
def consume_in_turn(c_desc, a_ring, b_ring, staging, full, empty, turn, tiles_m, tiles_n, steps, CID: tl.constexpr, TRANS_A: tl.constexpr,
                    TRANS_B: tl.constexpr, ROWS: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr, SPLIT: tl.constexpr,
                    GROUP: tl.constexpr):
    """Every second tile of this program, from its tile number CID on.

    A consumer multiplies when it is its turn. Both take the same number of turns, also when there is no tile for the last one.
    """
    tiles = tiles_m * tiles_n
    programs = tl.num_programs(0)
    rounds = tl.cdiv(tl.cdiv(tiles - tl.program_id(0), programs), 2)
    if CID == 1:
        tle.gpu.barrier_arrive(turn[0])
    for round in range(0, rounds):
        tile = tl.program_id(0) + (round * 2 + CID) * programs
        tle.gpu.barrier_wait(turn[CID])
        if tile < tiles:
            tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP)
            acc = multiply(a_ring, b_ring, full, empty, (round * 2 + CID) * steps, steps, TRANS_A, TRANS_B, 0, 1, STAGES)
            if CID == 0:
                tle.gpu.barrier_arrive(turn[1])
            elif round < rounds - 1:
                tle.gpu.barrier_arrive(turn[0])
            store(acc, staging, c_desc, tile_m * ROWS, tile_n * BN, SPLIT)


@triton.jit
def matmul_kernel(a_desc, b_desc, c_desc, M, N, K, TRANS_A: tl.constexpr, TRANS_B: tl.constexpr, COOPERATIVE: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr, SPLIT: tl.constexpr,
                  REGISTERS: tl.constexpr, GROUP: tl.constexpr):
    """C = A @ B by as many programs as there are multiprocessors, or fewer; K >= 1. See Form for the constants."""
    PARTS: tl.constexpr = 2 if COOPERATIVE else 1
    ROWS: tl.constexpr = BM // PARTS
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    a_ring = tle.gpu.alloc([STAGES * PARTS, BK, ROWS] if TRANS_A else [STAGES * PARTS, ROWS, BK], a_desc.dtype)
    b_ring = tle.gpu.alloc([STAGES, BN, BK] if TRANS_B else [STAGES, BK, BN], b_desc.dtype)
    staging0 = tle.gpu.alloc([ROWS, BN // SPLIT], c_desc.dtype)
    staging1 = tle.gpu.alloc([ROWS, BN // SPLIT], c_desc.dtype)
    BYTES: tl.constexpr = (BM + BN) * BK * (a_desc.dtype.primitive_bitwidth // 8)
    full = tle.gpu.alloc_barriers(STAGES, expect_bytes=BYTES)
    empty = tle.gpu.alloc_barriers(STAGES, arrive_count=PARTS, init=tle.gpu.READY)
    if COOPERATIVE:
        tle.gpu.warp_specialize([
            (consume_cooperatively, (c_desc, a_ring, b_ring, staging0, full, empty, tiles_m, tiles_n, steps, 0, TRANS_A, TRANS_B, ROWS, BN,
                                     STAGES, SPLIT, GROUP)),
            (consume_cooperatively, (c_desc, a_ring, b_ring, staging1, full, empty, tiles_m, tiles_n, steps, 1, TRANS_A, TRANS_B, ROWS, BN,
                                     STAGES, SPLIT, GROUP)),
            (produce, (a_desc, b_desc, a_ring, b_ring, full, empty, tiles_m, tiles_n, steps, TRANS_A, TRANS_B, PARTS, ROWS, BN, BK, STAGES,
                       GROUP)),
        ], [4, 1], [REGISTERS, PRODUCER_REGISTERS])
    else:
        turn = tle.gpu.alloc_barriers(2, arrive_count=256)
        tle.gpu.warp_specialize([
            (consume_in_turn, (c_desc, a_ring, b_ring, staging0, full, empty, turn, tiles_m, tiles_n, steps, 0, TRANS_A, TRANS_B, ROWS, BN,
                               STAGES, SPLIT, GROUP)),
            (consume_in_turn, (c_desc, a_ring, b_ring, staging1, full, empty, turn, tiles_m, tiles_n, steps, 1, TRANS_A, TRANS_B, ROWS, BN,
                               STAGES, SPLIT, GROUP)),
            (produce, (a_desc, b_desc, a_ring, b_ring, full, empty, tiles_m, tiles_n, steps, TRANS_A, TRANS_B, PARTS, ROWS, BN, BK, STAGES,
                       GROUP)),
        ], [4, 1], [REGISTERS, PRODUCER_REGISTERS])


#-----------------------------------------------------------------------------------------------------------------------
# Function
#-----------------------------------------------------------------------------------------------------------------------


def matmul(a: torch.Tensor, b: torch.Tensor, *, out_dtype: torch.dtype | None = None, out: torch.Tensor | None = None,
           form: str = "cooperative") -> torch.Tensor:
    """C = A @ B, summed in float32.

    `a` is M x K, `b` is K x N, of one dtype and on one device: float16, bfloat16 or float8_e4m3fn. A float8 `b` is stored
    K-major (`b.mT` is row-major) and `a` row-major; 16-bit operands may have either order. An operand that TMA cannot read as
    it is (strides, alignment, or a float8 operand in the other order) is copied first.
    The result is M x N of `out_dtype`: that of the operands for 16 bits, float16 or bfloat16 (the default) for float8. It is
    row-major; its rows are padded to 16 bytes, so it is contiguous where N is a multiple of 8. `out`, if given, receives it: M x N,
    row-major, aligned to 16 bytes, with N a multiple of 8. `form` is a name in FORMS.
    Sums of float8 products keep about 14 bits of mantissa in the hardware, as those of torch._scaled_mm with use_fast_accum do.

    Raises ValueError for operands that do not match this, and for a device below compute capability 9.0.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"matmul takes an M x K and a K x N matrix, got shapes {tuple(a.shape)} and {tuple(b.shape)}")
    if a.dtype != b.dtype or a.dtype not in DTYPES.values():
        raise ValueError(f"matmul takes two matrices of float16, bfloat16 or float8_e4m3fn, got {a.dtype} and {b.dtype}")
    if a.device != b.device:
        raise ValueError(f"matmul takes matrices on one device, got {a.device} and {b.device}")
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    out_dtype = _checked_out_dtype(a.dtype, out_dtype, out)
    (m, k), n = a.shape, b.shape[1]
    if max(m, n, k) >= 2**31 - 256:
        raise ValueError(f"matmul takes extents below 2**31 - 256, got M = {m}, N = {n}, K = {k}")
    c = _checked_out(out, a, n, out_dtype)
    if 0 in (m, n, k):
        return c.zero_()
    interpreted = triton.knobs.runtime.interpret
    if not interpreted and torch.cuda.get_device_capability(a.device)[0] != 9:
        raise ValueError(f"matmul needs a device of compute capability 9.x, got {torch.cuda.get_device_name(a.device)}")
    launch(a, b, c, (SIMULATED if interpreted else FORMS)[form])
    return c


def launch(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, form: Form) -> None:
    """Run the kernel on checked operands; c as _checked_out makes it."""
    (m, k), n = a.shape, b.shape[1]
    bk = LOAD_BYTES // a.element_size()
    a, trans_a = _readable(a, k_major=not _is_transposed(a))
    b, trans_b = _readable(b.mT, k_major=_is_transposed(b))
    a_block = [bk, form.rows] if trans_a else [form.rows, bk]
    b_block = [form.BN, bk] if not trans_b else [bk, form.BN]
    tiles = triton.cdiv(m, form.BM) * triton.cdiv(n, form.BN)
    programs = SIMULATED_PROGRAMS if a.device.type == "cpu" else torch.cuda.get_device_properties(a.device).multi_processor_count
    matmul_kernel[(min(tiles, programs), )](
        TensorDescriptor.from_tensor(a, a_block), TensorDescriptor.from_tensor(b, b_block),
        TensorDescriptor.from_tensor(c, [form.rows, form.BN // form.SPLIT]), m, n, k, trans_a, not trans_b, form.COOPERATIVE, form.BM,
        form.BN, bk, form.STAGES, form.SPLIT, form.REGISTERS, form.GROUP, num_warps=4)


def _is_transposed(x: torch.Tensor) -> bool:
    """Whether a 16-bit matrix is stored column by column; fp8 operands are always taken K-major."""
    return x.stride(0) == 1 and x.stride(1) != 1


def _readable(x: torch.Tensor, k_major: bool) -> tuple[torch.Tensor, bool]:
    """`x` (rows x K) as TMA reads it, and whether that is transposed (K x rows); copied if it has to be."""
    if x.element_size() == 1:
        k_major = True
    view = x if k_major else x.mT
    unit = 16 // view.element_size()
    if view.stride(1) != 1 or view.stride(0) % unit or view.stride(0) < view.shape[1] or view.data_ptr() % 16:
        padded = torch.empty((view.shape[0], triton.cdiv(view.shape[1], unit) * unit), dtype=view.dtype, device=view.device)
        view = padded[:, :view.shape[1]].copy_(view)
    return view, not k_major


def _checked_out_dtype(operands: torch.dtype, given: torch.dtype | None, out: torch.Tensor | None) -> torch.dtype:
    allowed = OUT_DTYPES if operands == torch.float8_e4m3fn else (operands, )
    chosen = given if given is not None else out.dtype if out is not None else allowed[-1]
    if chosen not in allowed:
        raise ValueError(f"the result of {operands} operands is {' or '.join(map(str, allowed))}, got {chosen}")
    if out is not None and out.dtype != chosen:
        raise ValueError(f"out_dtype is {chosen}, but out is of {out.dtype}")
    return chosen


def _checked_out(out: torch.Tensor | None, a: torch.Tensor, n: int, dtype: torch.dtype) -> torch.Tensor:
    m, unit = a.shape[0], 16 // dtype.itemsize
    if out is None:
        return torch.empty((m, triton.cdiv(n, unit) * unit), dtype=dtype, device=a.device)[:, :n]
    if tuple(out.shape) != (m, n) or out.device != a.device:
        raise ValueError(f"out must be {m} x {n} on {a.device}, got {tuple(out.shape)} on {out.device}")
    if not out.is_contiguous() or out.data_ptr() % 16 or n % unit:
        raise ValueError(f"out must be row-major, aligned to 16 bytes and have a multiple of {unit} columns, "
                         f"got strides {out.stride()}, address {out.data_ptr():#x} and {n} columns")
    return out


def relative_error(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """Frobenius norm of C - A @ B over that of A @ B, the product taken in float64 by torch."""
    expected = a.double() @ b.double()
    return float((c.double() - expected).norm() / expected.norm())


def random_operands(m: int, n: int, k: int, dtype: torch.dtype, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Normally distributed a (M x K) and b (K x N); for float8 b is K-major."""
    a = torch.randn((m, k), device=device).to(dtype)
    b = torch.randn((n, k), device=device).to(dtype).mT if dtype.itemsize == 1 else torch.randn((k, n), device=device).to(dtype)
    return a, b


#-----------------------------------------------------------------------------------------------------------------------
# Compiled code
#-----------------------------------------------------------------------------------------------------------------------


def compile_kernel(form: str, dtype: str, trans_a: bool = False, trans_b: bool | None = None):
    """The kernel compiled for sm_90, no GPU needed. dtype: a name in DTYPES; trans_b: None for the usual order (float8: K-major).

    Not callable when Triton's interpreter is on, which replaces the language for the whole process.
    """
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    shape = FORMS[form]
    fp8 = dtype == "fp8"
    trans_b = fp8 if trans_b is None else trans_b
    bk = LOAD_BYTES // DTYPES[dtype].itemsize
    element, result = ("fp8e4nv", "bf16") if fp8 else (dtype, dtype)
    blocks = {
        "a_desc": (element, [bk, shape.rows] if trans_a else [shape.rows, bk]),
        "b_desc": (element, [shape.BN, bk] if trans_b else [bk, shape.BN]),
        "c_desc": (result, [shape.rows, shape.BN // shape.SPLIT]),
    }
    constants = {"TRANS_A": trans_a, "TRANS_B": trans_b, "COOPERATIVE": shape.COOPERATIVE, "BM": shape.BM, "BN": shape.BN, "BK": bk,
                 "STAGES": shape.STAGES, "SPLIT": shape.SPLIT, "REGISTERS": shape.REGISTERS, "GROUP": shape.GROUP}
    signature = {name: "i32" for name in ("M", "N", "K")} | {name: "constexpr" for name in constants}
    signature |= {name: f"tensordesc<{kind}{block}>" for name, (kind, block) in blocks.items()}
    signature = {name: signature[name] for name in matmul_kernel.arg_names}
    return triton.compile(ASTSource(matmul_kernel, signature, constants), target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})


def compile_facts(form: str, dtype: str, trans_a: bool = False, trans_b: bool | None = None) -> dict[str, object]:
    """What the compiler makes of the kernel: read from its IR, its PTX and what ptxas says of it."""
    kernel = compile_kernel(form, dtype, trans_a, trans_b)
    ptx = kernel.asm["ptx"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(ptx)
        said = subprocess.run([triton.knobs.nvidia.ptxas.path, "-v", "--gpu-name=sm_90a", path, "-o", Path(folder) / "kernel.cubin"],
                              check=True, capture_output=True, text=True).stderr
    return {
        "wgmma in PTX": ptx.count("wgmma.mma_async"),
        "registers by setmaxnreg": sorted({int(n) for n in re.findall(r"setmaxnreg\S+\s+(\d+)", ptx)}),
        "bytes of spills": sum(int(n) for n in re.findall(r"(\d+) bytes spill", said)),
        "wgmma serialized": "wgmma" in said,
        "layout conversions": kernel.asm["ttgir"].count("ttg.convert_layout"),
        "shared bytes per block": kernel.metadata.shared,
        "warps per block": kernel.metadata.num_warps,
    }


#-----------------------------------------------------------------------------------------------------------------------
# Program
#-----------------------------------------------------------------------------------------------------------------------


def print_table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def torch_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same product by torch (cuBLAS)."""
    if a.dtype.itemsize == 2:
        return a @ b
    one = torch.ones((), device=a.device)
    return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def run_on_gpu(a: torch.Tensor, b: torch.Tensor, form: str) -> list[tuple[str, str]]:
    """Rows of the result table: speed of the kernel and of torch on the same operands."""
    flop = 2.0 * a.shape[0] * a.shape[1] * b.shape[1]
    rows = []
    for name, function in [("this kernel", lambda: matmul(a, b, form=form)), ("torch", lambda: torch_matmul(a, b))]:
        milliseconds = triton.testing.do_bench_cudagraph(function, return_mode="median")
        rows.append((name, f"{flop / milliseconds * 1e-9:.1f} TFLOP/s"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = 4096 if torch.cuda.is_available() else 200
    parser.add_argument("--m", type=int, default=size, help="rows of A and C (default %(default)s)")
    parser.add_argument("--n", type=int, default=size, help="columns of B and C (default %(default)s)")
    parser.add_argument("--k", type=int, default=size, help="columns of A, rows of B (default %(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16")
    parser.add_argument("--form", choices=FORMS, default="cooperative")
    parser.add_argument("--compile-only", action="store_true", help="only compile for sm_90 and print facts as JSON")
    options = parser.parse_args()
    if options.compile_only:
        print(json.dumps(compile_facts(options.form, options.dtype)))
        return

    device = "cuda" if torch.cuda.is_available() and not triton.knobs.runtime.interpret else "cpu"
    dtype = DTYPES[options.dtype]
    torch.manual_seed(0)
    a, b = random_operands(options.m, options.n, options.k, dtype, device)
    where = torch.cuda.get_device_name() if device == "cuda" else "the CPU, in the simulator"
    print(f"C = A @ B, {options.m} x {options.k} by {options.k} x {options.n}, {options.dtype}, {options.form}, on {where}")
    error = relative_error(matmul(a, b, form=options.form), a, b)
    rows = [("relative error to torch in float64", f"{error:.2e} (allowed {TOLERANCE[dtype]:.0e})")]
    if device == "cuda":
        rows += run_on_gpu(a, b, options.form)
    print_table(rows)
    if not error <= TOLERANCE[dtype]:
        sys.exit("the result is wrong")

    if device == "cpu":
        # Another process: under the interpreter this one cannot compile.
        print("the same kernel compiled for sm_90:", flush=True)
        command = [sys.executable, __file__, "--compile-only", "--dtype", options.dtype, "--form", options.form]
        child = subprocess.run(command, env={**os.environ, "TRITON_INTERPRET": "0"}, stdout=subprocess.PIPE, text=True)
        if child.returncode:
            sys.exit("the kernel does not compile for sm_90")
        print_table([(name, str(value)) for name, value in json.loads(child.stdout).items()])


if __name__ == "__main__":
    main()
