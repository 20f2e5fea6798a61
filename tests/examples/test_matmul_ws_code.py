"""The machine code of examples/matmul_ws.py, read from TTGIR, PTX and ptxas: what the speed of a warp-specialized kernel hangs on."""
from __future__ import annotations

import functools
import os
import re
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "0"  # Triton reads it when a kernel is decorated; an example sets it without a GPU

import pytest  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import matmul_ws as example  # noqa: E402

CODES = [(form, dtype, False, None) for form in example.FORMS for dtype in example.DTYPES]
CODES += [("cooperative", "bf16", True, True), ("pingpong", "fp16", True, False), ("tall", "fp16", False, True)]


@functools.cache
def facts(*code) -> dict[str, object]:
    return example.compile_facts(*code)


@functools.cache
def assembly(*code) -> dict[str, str]:
    return example.compile_kernel(*code).asm


def loops(ttgir: str, operation: str) -> list[str]:
    """The innermost loops that hold `operation`."""
    found = re.findall(r"scf\.for(?:(?!scf\.for).)*?\n\s*\}", ttgir, re.DOTALL)
    return [loop for loop in found if operation in loop]


@pytest.fixture(params=CODES, ids=lambda code: " ".join(map(str, code)))
def code(request) -> tuple:
    return request.param


def test_registers_and_products(code):
    found = facts(*code)
    form = example.FORMS[code[0]]
    assert found["bytes of spills"] == 0
    assert not found["wgmma serialized"]
    assert found["layout conversions"] == 0
    assert {form.REGISTERS, example.PRODUCER_REGISTERS.value} < set(found["registers by setmaxnreg"])
    assert found["warps per block"] == 12
    assert found["shared bytes per block"] <= 227 * 1024
    # Both consumers: the first step and the loop; a step of 128 bytes is four products for each 64 rows.
    assert found["wgmma in PTX"] == 2 * 2 * 4 * form.rows // 64


def test_main_loop_of_consumers(code):
    found = loops(assembly(*code)["ttgir"], "ttng.warp_group_dot")
    assert len(found) == 2
    for loop in found:
        assert loop.count("ttng.warp_group_dot ") == 1 and "isAsync = true" in loop
        assert re.search(r"warp_group_dot_wait .*\{pendings = 1 : i32\}", loop)
        assert loop.count("mbarrier.try_wait") == 1 and loop.count("mbarrier.arrive") == 1
        for slow in ("convert_layout", "local_load", "local_store", "fence_async_shared", "tt.reshape"):
            assert slow not in loop


def test_main_loop_of_producer(code):
    form = example.FORMS[code[0]]
    loop, = loops(assembly(*code)["ttgir"], "async_tma_copy_global_to_local")
    blocks = 3 if form.COOPERATIVE else 2
    assert loop.count("ttng.async_tma_copy_global_to_local") == blocks
    # The bytes of all blocks are expected once: 128 of each row.
    assert re.findall(r"ttng\.barrier_expect %\S+ (\d+)", loop.replace(",", "")) == [str((form.BM + form.BN) * 128)]
    assert loop.count("mbarrier.try_wait") == 1


def test_one_thread_issues_tma(code):
    ptx = assembly(*code)["ptx"]
    copies = re.findall(r"^.*cp\.async\.bulk\.tensor.*$", ptx, re.MULTILINE)
    assert copies and all(re.match(r"\s*@%p\d+ ", copy) for copy in copies)
    assert "elect.sync" in ptx


def test_stores_run_beside_the_next_tile(code):
    ttgir = assembly(*code)["ttgir"]
    stores = ttgir.count("ttng.async_tma_copy_local_to_global")
    parts = example.FORMS[code[0]].SPLIT
    assert stores == 2 * parts
    # The last part's store is waited for when the next tile is written, the others' at once: the next part needs the buffer.
    assert len(re.findall(r"async_tma_copy_local_to_global[^\n]*\n\s*ttng\.async_tma_store_wait", ttgir)) == 2 * (parts - 1)
    # One wait before each write of the staging buffer, one at the end of each consumer.
    assert ttgir.count("ttng.async_tma_store_wait") == stores + 2
    assert len(re.findall(r"ttg\.local_store[^\n]*\n(?:(?!local_store|async_tma_copy).)*fence_async_shared", ttgir, re.DOTALL)) == stores


def test_turns_are_named_barriers():
    ptx = assembly("pingpong", "bf16", False, None)["ptx"]
    waits = re.findall(r"(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)?\s+(\d+), 256;", ptx)
    arrivals = re.findall(r"(?:bar|barrier)(?:\.cta)?\.arrive(?:\.aligned)?\s+(\d+), 256;", ptx)
    assert len(set(waits)) == 2 and set(arrivals) == set(waits)
    assert all(4 <= int(number) < 16 for number in waits)
