"""The machine code of examples/attention.py for sm_90a: registers, the queue of products, and what a step is made of."""
from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated; an example sets it without a GPU

import pytest  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import attention as example  # noqa: E402
from first_look import assemble, kernel_source  # noqa: E402

TYPES = {torch.float16: "fp16", torch.bfloat16: "bf16"}


class Code(NamedTuple):
    """What came out: PTX, ptxas' report, and (address, instruction) pairs."""

    ttgir: str
    ptx: str
    report: str
    instructions: list[tuple[int, str]]
    shared: int


KINDS = {"": (False, False), " ragged": (False, True), " varlen": (True, True)}
"""Whether lengths differ, and whether they may end within a step."""

VARIANTS = {
    f"{size} {'causal' if causal else 'full'}{kind} {TYPES[dtype]}": example.Variant(0, dtype, size, example.TILES[size], causal, varlen, ragged)
    for (size, causal, (kind, (varlen, ragged))), dtype in zip(itertools.product(example.TILES, (False, True), KINDS.items()),
                                                               itertools.cycle([torch.bfloat16, torch.float16]))
}
"""All that attention() compiles, in one of the two dtypes."""


@cache
def code(name: str) -> Code:
    kernel = triton.compile(kernel_source(example, VARIANTS[name]), target=GPUTarget("cuda", 90, 32), options={"num_warps": example.WARPS})
    ptx = kernel.asm["ptx"]
    return Code(kernel.asm["ttgir"], ptx, assemble(ptx), disassembled(kernel.asm["cubin"]), kernel.metadata.shared)


def disassembled(cubin: bytes) -> list[tuple[int, str]]:
    with NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        listing = subprocess.run([triton.knobs.nvidia.cuobjdump.path, "-sass", file.name], capture_output=True, check=True, text=True).stdout
    return [(int(found[1], 16), found[2]) for found in re.finditer(r"/\*([0-9a-f]{4,})\*/\s+([^;]*);", listing)]


def main_loops(instructions: list[tuple[int, str]]) -> list[list[str]]:
    """Innermost loops in which a product runs beside another: the steps of the consumers, but for those with keys hidden from some queries."""
    labels = []
    for address, text in instructions:
        target = re.search(r"\bBRA\b.*?0x([0-9a-f]+)", text)
        if target and int(target[1], 16) <= address:
            labels.append((int(target[1], 16), address))
    loops = []
    for begin, end in labels:
        body = [text for address, text in instructions if begin <= address <= end]
        inner = any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in labels)
        if not inner and any("WARPGROUP.DEPBAR.LE gsb0, 0x1" in text for text in body):
            loops.append(body)
    return loops


@pytest.mark.parametrize("name", VARIANTS)
def test_registers(name):
    """No spills in any partition, products not serialized by ptxas, and the registers of the tile."""
    result = code(name)
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", result.report), result.report
    assert not re.search(r"C75\d\d", result.report), result.report
    tile = VARIANTS[name].tile
    assert len(re.findall(rf"setmaxnreg\.inc\.sync\.aligned\.u32 \s*{tile.registers};", result.ptx)) == tile.consumers - 1  # the workers among them
    assert {example.PRODUCER_REGISTERS.value} < set(map(int, re.findall(r"setmaxnreg\.dec\S+\s+(\d+)", result.ptx)))
    assert result.shared <= 227 * 1024


@pytest.mark.parametrize("name", VARIANTS)
def test_a_step(name):
    """What a consumer's step is made of: both products, one exponential for each score and one for each row, no mask, nothing through shared memory."""
    tile, size = VARIANTS[name].tile, VARIANTS[name].size
    loops = main_loops(code(name).instructions)
    assert len(loops) == tile.consumers
    for loop in loops:
        found = Counter(re.sub(r"^@!?U?P\d+ ", "", text).split()[0].split(".")[0] for text in loop)
        assert found["HGMMA"] == size // 16 + tile.keys // 16
        assert found["MUFU"] == tile.keys // 2 + 2
        assert found["SHFL"] == 4  # of the row maxima: two rows of a thread, two exchanges each
        assert found["PRMT"] == found["FSEL"] == 0
        for memory in ("LDS", "STS", "LDSM", "STSM", "LDL", "STL", "LDG", "STG", "ATOMS"):
            assert found[memory] == 0, memory


@pytest.mark.parametrize("name", VARIANTS)
def test_waits_of_a_step(name):
    """A step waits once for its scores, in front of the exponentials, and once for O."""
    for loop in main_loops(code(name).instructions):
        waits = [i for i, text in enumerate(loop) if "WARPGROUP.DEPBAR" in text]
        exponentials = [i for i, text in enumerate(loop) if "MUFU.EX2" in text]
        assert len(waits) == 2
        assert waits[0] < min(exponentials)


@pytest.mark.parametrize("name", VARIANTS)
def test_turns_and_producer(name):
    """Named barriers of two warp groups, one for each consumer, none of Triton's own; TMA is issued by one thread."""
    result, tile = code(name), VARIANTS[name].tile
    waits = set(re.findall(r"(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)?\s+(\d+), 256;", result.ptx))
    arrivals = set(re.findall(r"(?:bar|barrier)(?:\.cta)?\.arrive(?:\.aligned)?\s+(\d+), 256;", result.ptx))
    assert len(waits) == tile.consumers and arrivals == waits
    assert all(2 + tile.consumers <= int(number) < 16 for number in waits)
    copies = re.findall(r"^.*cp\.async\.bulk\.tensor.*$", result.ptx, re.MULTILINE)
    assert copies and all(re.match(r"\s*@%p\d+ ", copy) for copy in copies)


@pytest.mark.parametrize("name", VARIANTS)
def test_results_leave_beside_the_next_tile(name):
    """Where results have buffers of their own, TMA is waited for before those are written again."""
    ttgir, tile = code(name).ttgir, VARIANTS[name].tile
    assert ttgir.count("ttng.async_tma_copy_local_to_global") == tile.consumers
    at_once = len(re.findall(r"async_tma_copy_local_to_global[^\n]*\n\s*ttng\.async_tma_store_wait", ttgir))
    assert at_once == (0 if tile.apart else tile.consumers)
