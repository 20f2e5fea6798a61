"""What the core refuses comes back as CoreError with the place in the user's kernel; bad text never ends the process."""
from __future__ import annotations

import pytest

from flagtree import _core

RAISE = "builtin.module(raise-intrinsics)"
CALL = """#line = loc("kernel.py":7:11)
#helper = loc("helper.py":3:5)
tt.func private @tle.memory_space.0(i32) -> i32
tt.func public @kernel(%x: i32) {{
  %0 = tt.call @tle.memory_space.0(%x) {{tle.spice = 1 : i32}} : (i32) -> i32 loc({loc})
  tt.return
}}
"""


def refused(text: str, pipeline: str = "") -> _core.CoreError:
    with pytest.raises(_core.CoreError) as caught:
        _core.run(text, pipeline)
    return caught.value


@pytest.mark.parametrize(
    "loc",
    ['"kernel.py":7:11', "#line", '"x"(#line)', '"x"("y"(#line))', "fused[#line, unknown]", "fused<1>[unknown, #line]", '"kernel.py":7:11 to 7:20'],
)
def test_place_is_the_users_line(loc: str) -> None:
    error = refused(CALL.format(loc=loc), RAISE)
    assert (error.file, error.line, error.column) == ("kernel.py", 7, 11)
    assert error.message.startswith("[I2] tle.memory_space has no attribute 'spice'")
    assert str(error) == f"kernel.py:7:11: error: {error.message}"
    assert error.notes == []


def test_place_in_an_inlined_helper() -> None:
    error = refused(CALL.format(loc='callsite(#helper at callsite("middle.py":5:1 at #line))'), RAISE)
    assert (error.file, error.line, error.column) == ("helper.py", 3, 5)
    assert [(note.severity, note.message, note.file, note.line) for note in error.notes] == [
        ("note", "called from here", "middle.py", 5),
        ("note", "called from here", "kernel.py", 7),
    ]
    assert str(error).splitlines()[1:] == ["middle.py:5:1: note: called from here", "kernel.py:7:11: note: called from here"]


def test_unknown_place() -> None:
    error = refused(CALL.format(loc="unknown"), RAISE)
    assert (error.file, error.line, error.column) == ("", 0, 0)
    assert str(error) == f"error: {error.message}"


def test_all_errors_are_reported() -> None:
    text = "\n".join(f"tt.func private @tle.nothing.{i}() loc(\"kernel.py\":{i + 1}:1)" for i in range(3))
    error = refused(text, RAISE)
    assert [(diagnostic.severity, diagnostic.line) for diagnostic in error.diagnostics] == [("error", 1), ("error", 2), ("error", 3)]
    assert error.message == error.diagnostics[0].message
    assert str(error).count("[I1]") == 3


def test_notes_of_the_verifier() -> None:
    error = refused('tt.func @f(%x: i32) {\n  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1>}> ({\n    "ttg.warp_yield"() : () -> ()\n  }, {\n'
                    '    "ttg.warp_specialize.partitions"() ({\n      "test.use"(%x) : (i32) -> ()\n      "ttg.warp_return"() : () -> ()\n'
                    "    }) : () -> ()\n  }) : () -> ()\n  tt.return\n}\n")
    assert (error.file, error.line) == ("ttir", 6)
    assert [(note.message, note.line) for note in error.notes] == [("required by region isolation constraints", 5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("garbage", "custom op 'garbage' is unknown"),
        ('"builtin.module"() ({', "expected operation name in quotes"),
        ("module {\0}", "NUL character"),
        ("(" * 100_000, "brackets are nested deeper than 256"),
        ('"a"() {x = ' + "[" * 300 + "]" * 300 + "} : () -> ()", "brackets are nested deeper than 256"),
        ('"a"() : () -> !unknown.type<#alias>', "is not understood by the compiler core, but refers to an alias"),
        ("tt.func @f() {\n  %0 = arith.constant 1 : i32\n}", "block with no terminator"),
        ('%0 = "arith.constant"() <{value = "text"}> : () -> i32', "value"),
        ('%0 = "arith.constant"() <{value = dense<0> : tensor<4xi32>}> : () -> i32', "result"),
        ("module { module { func.func @f() } }", "Dialect `func' not found for custom op 'func.func'"),
        ('%0 = "a.b"() : () -> i32\n"a.b"(%0#2147483648) : (i32) -> ()', "result number 2147483648 is larger than 65536"),
        ('"a.b"() {x = array<index>} : () -> ()', "an array of 'index' is not supported"),
        ('"a.b"() {x = dense<(1, 2)> : tensor<4xi32>} : () -> ()', "complex elements are not supported"),
        ('"a.b"() {x = dense<0> : tensor<9223372036854775807x2xi32>} : () -> ()', "a shape has more than 1099511627776 elements"),
        ('"a.b"() : () -> tensor<99999999999999999999xi32>', "a shape has more than 1099511627776 elements"),
        ("\xff\xfe", "unexpected character"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    assert message in str(refused(text))


def test_brackets_in_strings_and_comments_do_not_nest() -> None:
    brackets = "([{<" * 200
    text = _core.run(f'// {brackets}\n"a.b"() {{x = "{brackets}\\"{brackets}"}} : () -> ()', "")
    assert brackets in text


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("nothing", "expected pass pipeline to be wrapped with the anchor operation type"),
        ("builtin.module(nothing)", "'nothing' does not refer to a registered pass or pass pipeline"),
        ("builtin.module(raise-intrinsics{x=1})", "no such option x"),
        ("builtin.module(cse", "expected pass pipeline to be wrapped"),
        ("tt.func(cse)", "can't run 'tt.func' pass manager on 'builtin.module' op"),
    ],
)
def test_bad_pipeline(pipeline: str, message: str) -> None:
    assert message in str(refused("module {}", pipeline))


def test_aliases_in_unknown_attributes_are_kept() -> None:
    text = ('#loop_licm = #llvm.loop_licm<disable = true>\n#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>\n'
            '"a.b"() {x = #loop_annotation} : () -> ()\n')
    assert "#llvm.loop_annotation<licm = #llvm.loop_licm<disable = true>>" in _core.run(text, "")


def test_core_error_is_an_exception_with_a_name() -> None:
    assert _core.CoreError.__mro__[1] is Exception
    assert f"{_core.CoreError.__module__}.{_core.CoreError.__qualname__}" == "flagtree._core.CoreError"


def test_intrinsics_are_sorted_with_their_attributes() -> None:
    table = _core.intrinsics()
    assert list(table) == sorted(table)
    assert table["tle.alloc"] == ["alignment"]
    assert table["tle.memory_space"] == ["space"]
