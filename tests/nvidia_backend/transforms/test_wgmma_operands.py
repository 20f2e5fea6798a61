"""Rule W35: buffers of products in flight. Against random programs, and kernels that the simulator runs (its rule R4)."""
from __future__ import annotations

import random
from collections.abc import Iterator

import flagtree
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.nvidia_backend.errors import LoweringError
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.nvidia_backend.transforms.wgmma_programs import FLAGS, TILE, Block, Lines, error_of, function
from tests.tle.language.compiling import compiled

# Random programs ---------------------------------------------------------------------------------------------------------

SLOTS = 3
RING = f"!ttg.memdesc<{SLOTS}x64x64xf16, #nvmma, #smem, mutable>"
BUFFER = "!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>"
Slot = tuple[bool, int]  # the number, or what is added to the iteration of the innermost loop


def random_block(rng: random.Random, depth: int, *, branches: bool, rings: float, in_loop: bool = False) -> Block:
    """Of ("issue", slot), ("write", slot), ("wait", pendings), ("if", block, block) and ("for", block)."""
    block: Block = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.choices(["issue", "write", "wait", "if", "for"], [4, 4, 3, 2 * depth * branches, 2 * depth])[0]
        if kind in ("issue", "write"):
            block.append((kind, (in_loop and rng.random() < rings, rng.randrange(SLOTS))))
        elif kind == "wait":
            block.append((kind, rng.choice([0, 1, 1, 2])))
        else:
            inner = in_loop or kind == "for"
            block.append((kind, *(random_block(rng, depth - 1, branches=branches, rings=rings, in_loop=inner)
                                  for _ in range(2 if kind == "if" else 1))))
    return block


class Writer(Lines):
    """The program as MLIR. One accumulator goes through all products and waits."""

    def slot(self, slot: Slot, iteration: str) -> str:
        moves, number = slot
        index, buffer = self.name(), self.name()
        if moves:
            self.lines.append(f"{index}a = arith.addi {iteration}, %c{number} : i32")
            self.lines.append(f"{index} = arith.remsi {index}a, %c{SLOTS} : i32")
        self.lines.append(f"{buffer} = tle.slot %ring[{index if moves else f'%c{number}'}] : {RING} -> {BUFFER}")
        return buffer

    def write(self, block: Block, acc: str, iteration: str = "") -> str:
        for kind, *rest in block:
            result = self.name()
            if kind == "issue":
                self.lines.append(f"{result} = tle.wgmma {self.slot(rest[0], iteration)}, %b, {acc} {FLAGS} : ({BUFFER}, {BUFFER}, {TILE}) -> {TILE}")
            elif kind == "write":
                self.lines.append(f"tle.local_store %x, {self.slot(rest[0], iteration)} : tensor<64x64xf16>, {BUFFER}")
                continue
            elif kind == "wait":
                self.lines.append(f"{result} = tle.wgmma_wait {acc} {{pendings = {rest[0]} : i32}} : {TILE} -> {TILE}")
            elif kind == "if":
                self.lines.append(f"{result} = scf.if %c -> ({TILE}) {{")
                self.lines.append(f"scf.yield {self.write(rest[0], acc, iteration)} : {TILE}\n}} else {{")
                self.lines.append(f"scf.yield {self.write(rest[1], acc, iteration)} : {TILE}\n}}")
            else:
                i, carried = self.name(), self.name()
                self.lines.append(f"{result} = scf.for {i} = %c0 to %n step %c1 iter_args({carried} = {acc}) -> ({TILE}) : i32 {{")
                self.lines.append(f"scf.yield {self.write(rest[0], carried, i)} : {TILE}\n}}")
            acc = result
        return acc


def text_of(block: Block) -> str:
    writer = Writer()
    writer.lines += [f"%c{number} = arith.constant {number} : i32" for number in range(SLOTS + 1)]
    writer.lines += [f"%ring = tle.alloc : () -> {RING}", f"%b = tle.alloc : () -> {BUFFER}"]
    writer.lines.append(f"%first = tle.wgmma %b, %b {FLAGS} : ({BUFFER}, {BUFFER}) -> {TILE}")
    writer.write([*block, ("wait", 0)], "%first")
    return function("%x: tensor<64x64xf16>, %n: i32, %c: i1", writer.lines)


def refused(block: Block) -> bool:
    error = error_of(text_of(block))
    assert error is None or "[W35]" in error, error
    return error is not None


class Race(Exception):
    """A slot was written while a product read it."""


class Machine:
    """The queue of one warp group, with the slot that each product reads."""

    def __init__(self, rng: random.Random, trips: list[int]) -> None:
        self.rng, self.trips = rng, trips
        self.reads: list[int] = []

    def run(self, block: Block, iteration: int = 0) -> None:
        for kind, *rest in block:
            if kind in ("issue", "write"):
                moves, number = rest[0]
                slot = (iteration + number) % SLOTS if moves else number
                if kind == "issue":
                    self.reads.append(slot)
                elif slot in self.reads:
                    raise Race(slot)
            elif kind == "wait":
                self.reads = self.reads[len(self.reads) - rest[0]:] if rest[0] < len(self.reads) else self.reads
            elif kind == "if":
                self.run(rest[self.rng.randrange(2)], iteration)
            else:
                for i in range(self.rng.choice(self.trips)):
                    self.run(rest[0], i)


def races(block: Block, rng: random.Random, trips: list[int]) -> bool:
    try:
        Machine(rng, trips).run([*block])
    except Race:
        return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_what_is_refused_races(seed: int) -> None:
    rng = random.Random(seed)
    verdicts = [0, 0]
    for _ in range(400):
        block = random_block(rng, 3, branches=True, rings=0.6)
        verdict = refused(block)
        verdicts[verdict] += 1
        assert not verdict or any(races(block, rng, [1, 2, 3, 4, 9]) for _ in range(3000)), text_of(block)
    assert min(verdicts) > 40


def check_exactly(blocks: Iterator[Block]) -> None:
    verdicts = [0, 0]
    for block in blocks:
        verdict = refused(block)
        verdicts[verdict] += 1
        assert verdict == races(block, random.Random(0), [12]), text_of(block)
    assert min(verdicts) > 40


def test_loops_without_branches_are_judged_exactly() -> None:
    """Loops are taken to run as often as it takes."""
    rng = random.Random(0)
    check_exactly(random_block(rng, 3, branches=False, rings=0) for _ in range(800))


def test_rings_are_judged_exactly() -> None:
    """In the loop that counts the slots."""
    rng = random.Random(0)
    check_exactly([("for", random_block(rng, 0, branches=False, rings=1, in_loop=True))] for _ in range(800))


# Kernels -----------------------------------------------------------------------------------------------------------------


@triton.jit
def store(src, out, WAITS: tl.constexpr, SLOTS: tl.constexpr, INNER: tl.constexpr, LATE: tl.constexpr):
    """Sums src times src in a loop that stores the operand anew, by its next slot. The wait follows in the loop or behind it."""
    rows, cols = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tile = tl.load(src + rows * 64 + cols)
    ring = tle.gpu.alloc([SLOTS, 64, 64], tl.float16)
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(4):
        ring[i % SLOTS].store(tile)
        for _ in range(INNER):
            acc = tle.gpu.wgmma(ring[i % SLOTS], ring[i % SLOTS], acc)
        if not LATE:
            acc = tle.gpu.wgmma_wait(WAITS, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(out + rows * 64 + cols, acc)


@triton.jit
def load(desc, out, LATE: tl.constexpr):
    """The same with TMA copies into one buffer, each waited for at its barrier."""
    buffer = tle.gpu.alloc([64, 64], tl.float16)
    full = tle.gpu.alloc_barrier(expect_bytes=64 * 64 * 2)
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(4):
        tle.gpu.copy(desc, buffer, [64, 64], [0, 0], barrier=full)
        tle.gpu.barrier_wait(full, phaseIdx=i)
        acc = tle.gpu.wgmma(buffer, buffer, acc)
        if not LATE:
            acc = tle.gpu.wgmma_wait(0, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)


@triton.jit
def store_elements(src, out, LATE: tl.constexpr):
    """The same with a row of elements stored through pointers."""
    rows, cols = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    buffer = tle.gpu.alloc([64, 64], tl.float16, init_value=tl.load(src + rows * 64 + cols))
    acc = tl.zeros([64, 64], tl.float32)
    row = tl.load(src + cols)
    for _ in range(4):
        tl.store(tle.gpu.local_ptr(buffer, (tl.zeros([1, 64], tl.int32), cols)), row)
        acc = tle.gpu.wgmma(buffer, buffer, acc)
        if not LATE:
            acc = tle.gpu.wgmma_wait(0, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(out + rows * 64 + cols, acc)


@triton.jit
def store_once(src, out):
    """Only the first iteration stores."""
    rows, cols = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    buffer = tle.gpu.alloc([64, 64], tl.float16)
    acc = tl.zeros([64, 64], tl.float32)
    for i in range(4):
        if i == 0:
            buffer.store(tl.load(src + rows * 64 + cols))
        acc = tle.gpu.wgmma(buffer, buffer, acc)
    acc = tle.gpu.wgmma_wait(0, acc)
    tl.store(out + rows * 64 + cols, acc)


CASES = {
    "waited for": (store, dict(WAITS=0, SLOTS=1, INNER=1, LATE=False), True),
    "two slots, one in flight": (store, dict(WAITS=1, SLOTS=2, INNER=1, LATE=False), True),
    "two slots, one iteration in flight": (store, dict(WAITS=2, SLOTS=2, INNER=2, LATE=False), True),
    "a slot for each iteration": (store, dict(WAITS=0, SLOTS=4, INNER=1, LATE=True), True),
    "one slot, wait behind the loop": (store, dict(WAITS=0, SLOTS=1, INNER=1, LATE=True), False),
    "one slot, one in flight": (store, dict(WAITS=1, SLOTS=1, INNER=1, LATE=False), False),
    "two slots, wait behind the loop": (store, dict(WAITS=0, SLOTS=2, INNER=1, LATE=True), False),
    "two slots, two in flight": (store, dict(WAITS=2, SLOTS=2, INNER=1, LATE=False), False),
    "inner loop": (store, dict(WAITS=0, SLOTS=1, INNER=3, LATE=True), False),
    "copy, waited for": (load, dict(LATE=False), True),
    "copy, wait behind the loop": (load, dict(LATE=True), False),
    "elements, waited for": (store_elements, dict(LATE=False), True),
    "elements, wait behind the loop": (store_elements, dict(LATE=True), False),
    "stored once": (store_once, {}, True),
}


@pytest.mark.usefixtures("fresh_cache")
@pytest.mark.parametrize("name", CASES)
def test_what_the_compiler_says(name: str) -> None:
    kernel, constants, right = CASES[name]
    signature = {"desc": "tensordesc<fp16[64, 64]>", "src": "*fp16", "out": "*fp32"}
    if right:
        assert "wgmma.mma_async" in compiled(kernel, signature, constants).asm["ptx"]
    else:
        with pytest.raises(LoweringError, match=r"\[W35\] writes a buffer that a wgmma of an earlier iteration still reads"):
            compiled(kernel, signature, constants)


# Behind the tests that compile: Triton's interpreter changes the language.
@pytest.mark.parametrize("name", CASES)
def test_the_simulator_agrees(name: str) -> None:
    kernel, constants, right = CASES[name]
    src, out = torch.randn(64, 64).half(), torch.zeros(64, 64)
    source = TensorDescriptor.from_tensor(src, [64, 64]) if kernel is load else src
    report = flagtree.check(kernel, 8, 0, progress=False)[(1, )](source, out, **constants)
    assert report.error is None, report
    rules = {finding.rule for finding in report.findings}
    assert not rules if right else "R4" in rules
