"""The stage inside stock Triton: hooks, cache key, untouched kernels, refusals. No GPU needed."""
from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import flagtree
import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree import _core
from flagtree.nvidia_backend import install, pipeline
from flagtree.nvidia_backend.errors import LoweringError, StageMissingError
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompilationError

from tests.tle.language.compiling import compiled, source, ttir

pytestmark = pytest.mark.usefixtures("fresh_cache")

HOPPER = GPUTarget("cuda", 90, 32)


@triton.jit
def plain(x, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)


@triton.jit
def doubled(x, B: tl.constexpr):
    o = tl.arange(0, B)
    buf = tle.gpu.alloc([B], tl.float32)
    tle.gpu.copy(x + o, buf, [B])
    buf.store(buf.load() * 2)
    tle.gpu.copy(buf, x + o, [B])


def compile_plain() -> Any:
    return compiled(plain, {"x": "*fp32", "n": "i32"}, {"B": 128})


def compile_doubled(**options: Any) -> Any:
    return compiled(doubled, {"x": "*fp32"}, {"B": 128}, **options)


class Calls(list):
    """A user's hook that counts its calls."""

    def __call__(self, backend: Any, stages: dict[str, Any], options: Any, language: Any, capability: int) -> None:
        self.append((sorted(stages), options.num_warps, capability))


def test_a_users_hook_set_after_the_import_runs_too() -> None:
    knobs.runtime.add_stages_inspection_hook = calls = Calls()
    assert compile_doubled().asm["cubin"]
    assert calls == [(["cubin", "llir", "ptx", "ttgir", "ttir"], 4, 90)]


def test_no_hook() -> None:
    knobs.runtime.add_stages_inspection_hook = None
    assert compile_doubled().asm["cubin"]


def test_a_hook_in_a_scope_ends_with_it() -> None:
    calls = Calls()
    with knobs.runtime.scope():
        knobs.runtime.add_stages_inspection_hook = calls
    assert compile_doubled().asm["cubin"]
    assert calls == []


def test_deleting_the_hook_leaves_ours() -> None:
    knobs.runtime.add_stages_inspection_hook = calls = Calls()
    del knobs.runtime.add_stages_inspection_hook
    assert compile_doubled().asm["cubin"]
    assert calls == []


def test_reading_and_writing_back_changes_nothing() -> None:
    knobs.runtime.add_stages_inspection_hook = calls = Calls()
    saved = knobs.runtime.add_stages_inspection_hook
    knobs.runtime.add_stages_inspection_hook = None
    knobs.runtime.add_stages_inspection_hook = saved
    assert compile_doubled().asm["cubin"]
    assert len(calls) == 1


def test_a_hook_that_calls_the_one_it_found() -> None:
    found = knobs.runtime.add_stages_inspection_hook

    def hook(*args: Any) -> None:
        found(*args)

    knobs.runtime.add_stages_inspection_hook = hook
    assert compile_doubled().asm["cubin"]


def test_a_hook_may_replace_the_stage() -> None:

    def hook(backend: Any, stages: dict[str, Any], options: Any, language: Any, capability: int) -> None:
        stages["ttir"] = lambda module, metadata: backend.make_ttir(module, metadata, options, capability)

    knobs.runtime.add_stages_inspection_hook = hook
    assert compile_doubled().asm["cubin"]


def test_a_hook_set_before_the_import(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(textwrap.dedent("""
        import triton, triton.language as tl
        from triton import knobs
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        seen = []
        knobs.cache.dir = "cache"
        knobs.runtime.add_stages_inspection_hook = lambda *args: seen.append(args[-1])
        import triton.experimental.tle.language as tle

        @triton.jit
        def kernel(x):
            tle.gpu.alloc([64], tl.float32).store(tl.zeros([64], tl.float32))

        triton.compile(ASTSource(kernel, {"x": "*fp32"}), target=GPUTarget("cuda", 90, 32))
        print(seen)
    """))
    done = subprocess.run([sys.executable, "-P", str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "[90]\n", done.stderr


def test_installing_twice_is_installing_once() -> None:
    stock_hash = triton.compiler.ASTSource.hash
    install()
    assert triton.compiler.ASTSource.hash is stock_hash


def test_a_kernel_without_tle_calls_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:

    def fail(*args: Any) -> None:
        raise AssertionError("the module was printed or parsed")

    monkeypatch.setattr(pipeline, "generic_text", fail)
    monkeypatch.setattr(pipeline, "parse", fail)
    assert compile_plain().asm["cubin"]


def test_a_kernel_without_tle_calls_has_the_ptx_of_stock_triton(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(textwrap.dedent("""
        import sys, triton, triton.language as tl
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        if sys.argv[1] == "with":
            import triton.experimental.tle.language

        @triton.jit
        def plain(x, n, B: tl.constexpr):
            o = tl.arange(0, B)
            tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

        source = ASTSource(plain, {"x": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 128})
        print(triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"])
    """))
    with_us, without = (subprocess.run([sys.executable, "-P", str(script), word], capture_output=True, text=True, check=True,
                                       env={"TRITON_CACHE_DIR": str(tmp_path / word), "HOME": str(tmp_path)}).stdout
                        for word in ("with", "without"))
    assert with_us == without != ""


def test_the_marks_do_not_reach_the_final_module() -> None:
    kernel = compile_doubled()
    assert "tle.used" not in kernel.asm["ttir"] and "tt.call" not in kernel.asm["ttir"]
    assert "tle." not in kernel.asm["ttgir"]


@pytest.mark.parametrize("change", ["version", "flag", "dump", "timeout"])
def test_the_cache_key_has_all_that_decides_our_part(change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kernel = source(plain, {"x": "*fp32", "n": "i32"}, {"B": 128})
    before = kernel.hash()
    assert kernel.hash() == before
    if change == "version":
        monkeypatch.setattr(pipeline, "__version__", flagtree.__version__.replace("0.1.0", "0.1.1"))
    elif change == "flag":
        other = "off" if flagtree.common_ir_enabled() else "on"
        monkeypatch.setattr(pipeline, "__version__", f"0.1.0+commonir.{other}")
    else:
        monkeypatch.setenv(*{"dump": ("TLE_DUMP_IR", str(tmp_path)), "timeout": ("TLE_WAIT_TIMEOUT_MS", "100")}[change])
    assert kernel.hash() != before
    monkeypatch.undo()
    assert kernel.hash() == before


@pytest.mark.parametrize("changed", ["language/copy.py", "libflagtree_core.so"])
def test_the_cache_key_has_the_code(changed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("__init__.py", "language/copy.py", "libflagtree_core.so"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"one")
    monkeypatch.setattr(flagtree, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setattr(pipeline, "_package_hash", pipeline._package_hash.__wrapped__)
    kernel = source(plain, {"x": "*fp32", "n": "i32"}, {"B": 128})
    before = kernel.hash()
    assert kernel.hash() == before
    (tmp_path / changed).write_bytes(b"two")
    assert kernel.hash() != before


def test_the_key_differs_from_stock_triton() -> None:
    kernel = source(plain, {"x": "*fp32", "n": "i32"}, {"B": 128})
    assert kernel.hash() != triton.compiler.ASTSource.hash.__wrapped__(kernel)


def test_switching_the_dump_on_compiles_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs: list[str] = []
    run = _core.run
    monkeypatch.setattr(pipeline, "_core", type("Spy", (), {
        "run": staticmethod(lambda text, passes, dump: runs.append(dump) or run(text, passes, dump)),
        "CoreError": _core.CoreError}))
    dump = tmp_path / "dump"
    compile_doubled()
    compile_doubled()
    monkeypatch.setenv("TLE_DUMP_IR", str(dump))
    compile_doubled()
    monkeypatch.delenv("TLE_DUMP_IR")
    compile_doubled()
    assert runs == [None, str(dump)]
    files = sorted(dump.rglob("*.mlir"))
    assert len(files) >= 7
    assert any("raise-intrinsics" in file.name for file in files)


def test_the_options_reach_the_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    run = _core.run
    monkeypatch.setattr(pipeline, "_core", type("Spy", (), {
        "run": staticmethod(lambda text, passes, dump: seen.append(passes) or run(text, passes, dump)),
        "CoreError": _core.CoreError}))
    compile_doubled(num_warps=8, num_stages=2, capability=80)
    (passes, ) = seen
    assert passes.startswith("builtin.module(raise-intrinsics,")
    assert "tle-lower-memory{num-warps=8 num-ctas=1 capability=80}" in passes
    assert "tle-promote-pipelined-buffers{num-warps=8 num-ctas=1 capability=80 num-stages=2}" in passes


@triton.jit
def ring_and_whole(x):
    o = tl.arange(0, 64)
    buf = tle.gpu.alloc([2, 64], tl.float32)
    buf[0].store(tl.load(x + o))
    buf.store(tl.zeros([2, 64], tl.float32))  # refused by the core


def test_a_refusal_of_the_core_names_rule_line_and_source() -> None:
    with pytest.raises(LoweringError) as caught:
        compiled(ring_and_whole, {"x": "*fp32"})
    error, here = caught.value, Path(__file__)
    first, second, *_ = str(error).splitlines()
    lines = here.read_text().splitlines()
    rule = "T45" if flagtree.common_ir_enabled() else "A25"
    assert first.startswith(f"{error.file}:{error.line}: [{rule}] ")
    assert Path(error.file).name == here.name
    assert lines[error.line - 1].strip() == second.strip()
    assert error.__suppress_context__
    assert len(str(error).splitlines()) < 12


def test_i11_a_module_that_was_not_lowered_is_refused(tmp_path: Path) -> None:
    override = tmp_path / "raw.ttir"
    override.write_text(ttir(doubled, {"x": "*fp32"}, {"B": 128}))
    with pytest.raises(StageMissingError, match=r"\[I11\] kernel doubled uses tle operations"):
        compile_doubled(ir_override=str(override))


def test_i12_front_end_and_core_of_different_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    from flagtree.language import emitter
    monkeypatch.setattr(emitter, "INTRINSICS", {})
    with pytest.raises(CompilationError, match=r"\[I12\] the front end wants to emit (tle|tile).alloc with attributes \[\]"):
        compile_doubled()


@pytest.mark.parametrize("capability", [80, 90])
def test_all_the_way_to_a_cubin(capability: int) -> None:
    kernel = compile_doubled(capability=capability)
    assert kernel.asm["cubin"]
    assert re.search(r"(st|cp|stmatrix)\.\S*shared", kernel.asm["ptx"])
    assert kernel.metadata.shared >= 128 * 4
