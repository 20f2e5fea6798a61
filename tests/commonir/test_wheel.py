"""The stock wheel takes what the conversion makes: it parses and verifies it, and compiles it to the expected instructions."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commonir.core_helpers import compile_stock, convert, count, lit_modules, parse

NVMMA = "#ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = {transposed}, elementBitWidth = 16{rank}}}>"
POINTERS = """
  %range = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %r = "tt.expand_dims"(%range) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
  %s = "tt.splat"(%stride) : (i32) -> tensor<64x1xi32>
  %rs = arith.muli %r, %s : tensor<64x1xi32>
  %rows = "tt.broadcast"(%rs) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %c = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns = "tt.broadcast"(%c) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x64xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>
  %p = "tt.addptr"(%splat, %offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
"""


def kernel(body: str, stride: str = "{tt.divisibility = 16 : i32}") -> str:
    """A kernel over a 64 x 64 tile of f16 at %p; #shared and #ring are layouts of tiles and of rings of them."""
    shared = NVMMA.format(swizzle=128, transposed="false", rank="")
    ring = NVMMA.format(swizzle=128, transposed="false", rank=", rank = 3")
    signature = f"%base: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %stride: i32 {stride}, %n: i32"
    layouts = f"#shared = {shared}\n#ring = {ring}\n#smem = #ttg.shared_memory\n"
    return f"{layouts}tt.func public @kernel({signature}) {{\n{POINTERS}\n{body}\n  tt.return\n}}\n"


TILE = "!tile.buf<[64, 64], f16, shared>"
RING = "!tile.buf<[3, 64, 64], f16, shared>"
TENSOR = "tensor<64x64xf16>"
PTRS = "tensor<64x64x!tt.ptr<f16>>"
TWO_COPIES = f"""
  %a = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  %b = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  tile.copy %p -> %a : {PTRS}, {TILE}
  tile.copy %p -> %b : {PTRS}, {TILE}
  %x = tile.to_tensor %a : {TILE} -> {TENSOR}
  %y = tile.to_tensor %b : {TILE} -> {TENSOR}
  %z = arith.addf %x, %y : {TENSOR}
  tile.store_tensor %z, %a : {TENSOR}, {TILE}
  tile.copy %a -> %p : {TILE}, {PTRS}
"""


@pytest.mark.parametrize("name", ["alloc_copy.mlir", "async_copy.mlir", "control_flow.mlir", "merge_waits.mlir", "subview.mlir", "tensor.mlir"])
@pytest.mark.parametrize("enable_async_copy", [False, True])
def test_parser_takes_the_lit_outputs(name: str, enable_async_copy: bool, tmp_path: Path) -> None:
    for index, module in enumerate(lit_modules(name)):
        converted = convert(module, enable_async_copy=enable_async_copy)
        assert "tile." not in converted
        assert "unrealized_conversion_cast" not in converted
        parse(converted, tmp_path / f"{index}.mlir")


@pytest.mark.parametrize("capability", [80, 90])
def test_two_asynchronous_copies_have_one_wait(capability: int, tmp_path: Path) -> None:
    texts = compile_stock(convert(kernel(TWO_COPIES), enable_async_copy=True), tmp_path / "m.mlir", capability)
    assert count(texts["ttgir"], "ttg.async_copy_global_to_local") == 2
    assert count(texts["ttgir"], r"ttg.async_wait ") == 1
    assert count(texts["ptx"], r"cp\.async\.c[ag]\.shared") > 0
    assert count(texts["ptx"], r"ld\.global") == 0


@pytest.mark.parametrize("capability", [70, 80, 90])
def test_synchronous_copies(capability: int, tmp_path: Path) -> None:
    texts = compile_stock(convert(kernel(TWO_COPIES)), tmp_path / "m.mlir", capability)
    assert "async" not in texts["ttgir"]
    assert count(texts["ptx"], r"cp\.async") == 0
    assert count(texts["ptx"], r"ld\.global") > 0


def test_rows_of_unknown_alignment_are_copied_synchronously(tmp_path: Path) -> None:
    texts = compile_stock(convert(kernel(TWO_COPIES, stride=""), enable_async_copy=True), tmp_path / "m.mlir", 90)
    assert count(texts["ptx"], r"cp\.async") == 0


@pytest.mark.parametrize("name", ["rows", "odd_rows", "other_order", "columns_and_few", "proven", "not_proven"])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_stock_analysis_proves_as_much(name: str, num_warps: int, tmp_path: Path) -> None:
    # An asynchronous copy whose runs Triton does not see does not compile.
    module, = lit_modules("async_copy.mlir")
    aliases = re.findall(r"^#.*\n", module, flags=re.MULTILINE)
    function = re.search(rf"^tt.func public @{name}\(.*?^}}\n", module, flags=re.MULTILINE | re.DOTALL)
    text = convert("".join(aliases) + function.group(0), enable_async_copy=True, num_warps=num_warps)
    texts = compile_stock(text, tmp_path / "m.mlir", 90, num_warps)
    assert ("cp.async" in texts["ptx"]) == ("ttg.async_copy_global_to_local" in text)


@pytest.mark.parametrize("num_warps", [1, 8, 16])
def test_other_numbers_of_warps(num_warps: int, tmp_path: Path) -> None:
    text = convert(kernel(TWO_COPIES), enable_async_copy=True, num_warps=num_warps)
    texts = compile_stock(text, tmp_path / "m.mlir", 90, num_warps)
    assert count(texts["ttgir"], "ttg.async_copy_global_to_local") == 2


def test_ring_of_three(tmp_path: Path) -> None:
    body = f"""
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %b = tile.alloc {{tle.gpu_layout = #ring}} : {RING}
  scf.for %i = %zero to %n step %one : i32 {{
    %slot = arith.remsi %i, %three : i32
    %tile = tile.subview %b[%slot, %zero, %zero] [[64, 64]] [[1, 1]] {{tle.gpu_layout = #shared}} : ({RING}, i32, i32, i32) -> {TILE}
    tile.copy %p -> %tile : {PTRS}, {TILE}
    tile.copy %tile -> %p : {TILE}, {PTRS}
  }}
"""
    texts = compile_stock(convert(kernel(body), enable_async_copy=True), tmp_path / "m.mlir", 90)
    assert count(texts["ttgir"], r"ttg.local_alloc : \(\) -> !ttg.memdesc<3x64x64xf16") == 1
    assert count(texts["ttgir"], "ttg.memdesc_index") == 1


def test_parts_of_a_tile(tmp_path: Path) -> None:
    half = "!tile.buf<[32, 32], f16, shared>"
    body = f"""
  %zero = arith.constant 0 : i32
  %half = arith.constant 32 : i32
  %b = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  tile.copy %p -> %b : {PTRS}, {TILE}
  %l = tile.subview %b[%zero, %half] [[32, 32]] [[1, 1]] : ({TILE}, i32, i32) -> {half}
  %k = tile.subview %b[%half, %zero] [[32, 32]] [[1, 1]] : ({TILE}, i32, i32) -> {half}
  %x = tile.to_tensor %l : {half} -> tensor<32x32xf16>
  tile.store_tensor %x, %k : tensor<32x32xf16>, {half}
  tile.copy %b -> %p : {TILE}, {PTRS}
"""
    texts = compile_stock(convert(kernel(body)), tmp_path / "m.mlir", 90)
    assert count(texts["ttgir"], "ttg.memdesc_subslice") == 2


def test_buffers_that_change_places_in_a_loop(tmp_path: Path) -> None:
    body = f"""
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  %b = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  tile.copy %p -> %a : {PTRS}, {TILE}
  %last:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b) -> ({TILE}, {TILE}) : i32 {{
    %t = tile.to_tensor %x : {TILE} -> {TENSOR}
    %u = arith.addf %t, %t : {TENSOR}
    tile.store_tensor %u, %y : {TENSOR}, {TILE}
    scf.yield %y, %x : {TILE}, {TILE}
  }}
  tile.copy %last#0 -> %p : {TILE}, {PTRS}
"""
    texts = compile_stock(convert(kernel(body)), tmp_path / "m.mlir", 90)
    assert count(texts["ttgir"], "iter_args.*ttg.memdesc") == 1


def test_both_buffers_live_to_the_end(tmp_path: Path) -> None:
    body = f"""
  %a = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  tile.copy %p -> %a : {PTRS}, {TILE}
  tile.copy %a -> %p : {TILE}, {PTRS}
  %b = tile.alloc {{tle.gpu_layout = #shared}} : {TILE}
  tile.copy %p -> %b : {PTRS}, {TILE}
  tile.copy %b -> %p : {TILE}, {PTRS}
"""
    # Two tiles of 8 KiB that never share memory, though the first one is not used any more.
    assert compile_stock(convert(kernel(body)), tmp_path / "m.mlir", 90)["shared bytes"] == "16384"
