"""What failures behind the compiler core say: passes of stock Triton, ptxas, shared memory. No GPU needed."""
from __future__ import annotations

import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend import module_text, ptxas
from flagtree.nvidia_backend.errors import LoweringError, RegisterError, RegisterWarning, StockPassError
from triton import knobs

from tests.tle.language.compiling import compiled

pytestmark = pytest.mark.usefixtures("fresh_cache")


@triton.jit
def doubled(x):
    o = tl.arange(0, 128)
    buf = tle.gpu.alloc([128], tl.float32)
    tle.gpu.copy(x + o, buf, [128])
    tle.gpu.copy(buf, x + o, [128])


# Stock Triton's conversion refuses scf.execute_region.
REFUSED = """
module attributes {tle.used = 1 : i32} {
  tt.func public @doubled(%x: !tt.ptr<f32>) {
    %r = scf.execute_region -> tensor<128xf32> {
      %z = arith.constant dense<0.0> : tensor<128xf32>
      cf.br ^end
    ^end:
      scf.yield %z : tensor<128xf32>
    } loc("FILE":3:4)
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    tt.store %p, %r : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
"""


def test_i15_a_pass_of_triton_fails(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text("one\ntwo\nthree = 3\n")

    def hook(backend: Any, stages: dict[str, Any], *rest: Any) -> None:
        stages["ttir"] = lambda module, metadata: module_text.parse(REFUSED.replace("FILE", str(script)), module.context)

    knobs.runtime.add_stages_inspection_hook = hook
    with pytest.raises(StockPassError) as caught:
        compiled(doubled, {"x": "*fp32"})
    first, line = str(caught.value).splitlines()
    assert re.match(rf"{script}:3: \[I15\] Triton's own passes \(stage ttgir\) refused the kernel: failed to legalize operation", first)
    assert line.strip() == "three = 3"
    # The file repeats the failure.
    command = re.search(r"python -m (\S+) (\S+)$", first)
    done = subprocess.run([sys.executable, "-m", command[1], command[2]], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode != 0
    assert "scf.execute_region" in done.stderr
    Path(command[2]).unlink()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@triton.jit
def ring(x):
    i = tl.arange(0, 64)
    o = i[:, None] * 64 + i[None, :]
    stages = tle.gpu.alloc([13, 64, 64], tl.float32)  # 208 KiB
    rest = tle.gpu.alloc([3, 64, 16], tl.float32)  # 12 KiB
    for s in tl.range(0, 13, num_stages=1):
        tle.gpu.copy(x + o + s * 4096, stages[s], [64, 64])
    for s in tl.range(0, 3, num_stages=1):
        tle.gpu.copy(x + i[:, None] * 16 + tl.arange(0, 16)[None, :] + s, rest[s], [64, 16])
    v = stages[1].load()
    w = tl.reshape(tl.trans(tl.reshape(v, [32, 128])), [64, 64])  # through shared memory
    u = tl.cumsum(w, 0) + tl.trans(w)
    for s in tl.range(0, 13, num_stages=1):
        u += stages[s].load() + tl.sum(rest[s % 3].load(), 1)[:, None]
    tl.store(x + o, u)


def test_a26_shared_memory_is_broken_down() -> None:
    with pytest.raises(LoweringError, match=r"\[A26\] the kernel needs \d+ bytes of shared memory") as caught:
        compiled(ring, {"x": "*fp32"})
    error, lines = caught.value, Path(__file__).read_text().splitlines()
    total, limit, buffers, rest = map(int, re.search(
        r"needs (\d+) bytes .* sm_90 has at most (\d+): its buffers hold (\d+) bytes, and (\d+) are", error.message).groups())
    assert (limit, buffers) == (232448, (13 * 64 * 64 + 3 * 64 * 16) * 4)
    assert total == buffers + rest > limit
    assert lines[error.line - 1].strip() == "def ring(x):"
    assert [(note.message, lines[note.line - 1].strip().split(" ")[0]) for note in error.notes] == [
        ("212992 bytes, 13x64x64xf32", "stages"), ("12288 bytes, 3x64x16xf32", "rest")]


@triton.jit
def nothing():
    pass


@triton.jit
def fat(x, y):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    a = tl.load(x + i[:, None] * 64 + j[None, :])
    acc = tl.zeros([128, 128], tl.float32)
    for _ in range(8):
        acc = tl.dot(a, tl.trans(a), acc)
    tl.store(y + i[:, None] * 128 + i[None, :], acc)


@triton.jit
def fat_worker(x, y, R: tl.constexpr):
    tle.gpu.warp_specialize([(nothing, ()), (fat, (x, y))], [4], [R])


def test_a_partition_with_too_few_registers_is_named() -> None:
    with pytest.warns(RegisterWarning, match="ptxas (spills registers|ignores worker_num_regs).* Registers of a thread by partition: ") as caught:
        compiled(fat_worker, {"x": "*fp16", "y": "*fp32"}, {"R": 24}, num_warps=4)
    first = Path(__file__).read_text().splitlines().index("def fat(x, y):") + 1
    named = {int(line) for warning in caught for line in re.findall(rf"24 at {Path(__file__).name}:(\d+)", str(warning.message))}
    assert named
    assert all(first <= line <= first + 6 for line in named)


def test_enough_registers_are_nothing_to_talk_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(fat_worker, {"x": "*fp16", "y": "*fp32"}, {"R": 232}, num_warps=4)


@triton.jit
def product(x, y):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    a = tle.gpu.alloc([128, 64], tl.float16)
    tle.gpu.copy(x + i[:, None] * 64 + j[None, :], a, [128, 64])
    c = tl.dot(a.load(), tl.trans(a.load()))  # 64 registers for each thread
    tl.store(y + i[:, None] * 128 + i[None, :], c)


def test_i16_ptxas_runs_out_of_registers() -> None:
    with pytest.raises(RegisterError, match=r"\[I16\] ptxas could not give the kernel registers: Insufficient registers \(48\).*no partitions") as caught:
        compiled(product, {"x": "*fp16", "y": "*fp32"}, num_warps=4, maxnreg=48)
    assert str(caught.value).startswith(f"{caught.value.file}:{caught.value.line}: [I16] ")
    assert str(caught.value).splitlines()[1].strip().startswith("c = tl.dot(")


def test_the_machine_code_is_that_of_the_stock_stage() -> None:
    found: list[tuple[Any, Any]] = []

    def hook(backend: Any, stages: dict[str, Any], options: Any, language: Any, capability: int) -> None:
        stock = stages["cubin"]
        found.append((stock, options))

    knobs.runtime.add_stages_inspection_hook = hook
    kernel = compiled(doubled, {"x": "*fp32"})
    (stock, options), = found
    ptx = kernel.asm["ptx"]
    assert ptxas.assemble(ptx, options, 90) == stock(ptx, {}) == kernel.asm["cubin"]
