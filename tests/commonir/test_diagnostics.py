"""What the conversion refuses is refused with a rule, an explanation, and the line of the operation."""
from __future__ import annotations

import pytest
from flagtree import _core

from tests.commonir.core_helpers import convert

HEAD = """\
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>
tt.func private @outside(%b: !tile.buf<[32, 64], f16, shared>)
tt.func public @kernel(%p: tensor<32x64x!tt.ptr<f16>>, %q: !tt.ptr<f16>, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32, 64], f16, shared>
  %s = tile.alloc {tle.gpu_layout = #swizzled} : !tile.buf<[32, 64], f16, shared>
  %r = tile.alloc {tle.gpu_layout = #flat3} : !tile.buf<[2, 32, 64], f16, shared>
"""
TILE = "!tile.buf<[32, 64], f16, shared>"
RING = "!tile.buf<[2, 32, 64], f16, shared>"
POINTERS = "tensor<32x64x!tt.ptr<f16>>"
SLOT = f"[[32, 64]] [[1, 1]] {{tle.gpu_layout = #flat}} : ({RING}, i32, i32, i32) -> {TILE}"
HALF = "!tile.buf<[16, 64], f16, shared>"


@pytest.mark.parametrize("rule, line, says", [
    ("T31", "%x = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32, 64], f16, l1>", 'only "shared" is supported'),
    ("T32", f"%x = tile.alloc : {TILE}", "tle.gpu_layout is missing"),
    ("T33", f"%x = tile.alloc {{tle.gpu_layout = #flat3}} : {TILE}", "does not fit its layout"),
    ("T38", f"%x = tile.subview %b[%zero, %zero] [[16, 64]] [[2, 1]] : ({TILE}, i32, i32) -> {HALF}", "strides must be 1"),
    ("T41", f"%x = tile.subview %r[%one, %n, %zero] {SLOT}", "constant zero as every other offset"),
    ("T42", f"%x = tile.subview %b[%n, %zero] [[16, 64]] [[1, 1]] : ({TILE}, i32, i32) -> {HALF}", "must be constants"),
    ("T43", f"%x = tile.subview %b[%one, %zero] [[16, 64]] [[1, 1]] : ({TILE}, i32, i32) -> {HALF}", "offset 1 in dimension 0 is not a multiple"),
    ("T43", f"%x = tile.subview %s[%one, %zero] [[1, 64]] [[1, 1]] : ({TILE}, i32, i32) -> !tile.buf<[1, 64], f16, shared>", "cuts the swizzle"),
    ("T46", f"tile.copy %p -> %b {{engine = #tile.engine<mte2>}} : {POINTERS}, {TILE}", "a GPU copies in plain order"),
    ("T47", f"tile.copy %b -> %s : {TILE}, {TILE}", "between a buffer and a tensor of pointers"),
    ("T47", f"tile.copy %q -> %b : !tt.ptr<f16>, {TILE}", "the other side is '!tt.ptr<f16>'"),
    ("T49", "tile.cube_wait", "engines and events are not supported on a GPU"),
    ("T50", f"%h = arith.constant 0.0 : f16 tile.vec_fill %b, %h : {TILE}, f16", "tile.vec_fill"),
    ("T53", f"tt.call @outside(%b) : ({TILE}) -> ()", "which has no body"),
])
def test_refused_at_its_line(rule: str, line: str, says: str) -> None:
    with pytest.raises(_core.CoreError) as caught:
        convert(f"{HEAD}  {line}\n  tt.return\n}}\n")
    assert f"[{rule}] " in caught.value.message
    assert says in caught.value.message
    assert caught.value.line == HEAD.count("\n") + 1
