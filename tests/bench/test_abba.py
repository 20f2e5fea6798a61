"""bench/abba.py whole: two real wheels, two worker processes, operators in Triton's interpreter and a clock for the CPU."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import abba
import abba_report
import pytest

HERE = Path(__file__).resolve().parent
OPERATORS = HERE / "cpu_operator.py"
CLOCK = f"{HERE / 'cpu_clock.py'}:clock"
WHEELS = {side: Path(os.environ[name]).resolve() for side, name in {"base": "WHEEL_OFF", "candidate": "WHEEL_ON"}.items()}


def compare(out: Path, *functions: str, **wheels: Path) -> subprocess.CompletedProcess[str]:
    """The program on functions of cpu_operator.py."""
    used = {**WHEELS, **wheels}
    return subprocess.run([sys.executable, abba.__file__, "--base", used["base"], "--candidate", used["candidate"], "--timer", CLOCK,
                           "--out", out, "--entries", *(f"{OPERATORS}:{name}" for name in functions)], capture_output=True, text=True)


def read(out: Path) -> dict:
    record = json.loads((out / "abba.json").read_text())
    assert abba_report.check(record) == []
    return record


def test_each_process_has_its_wheel(tmp_path):
    result = compare(tmp_path, "doubling", base=WHEELS["candidate"], candidate=WHEELS["base"])
    record = read(tmp_path)
    assert result.returncode in (0, 1), result.stderr
    assert record["entries"][0]["outcome"] in ("pass", "regression"), result.stderr
    assert [record["workers"][side]["common_ir"] for side in abba_report.SIDES] == [True, False]
    assert [record["wheels"][side]["name"] for side in abba_report.SIDES] == [WHEELS["candidate"].name, WHEELS["base"].name]
    assert record["entries"][0]["checks"] == {side: [{"elements": 64}] * 2 for side in abba_report.SIDES}
    assert len(record["entries"][0]["samples"]) == 12


def test_slower_candidate_fails(tmp_path):
    result = compare(tmp_path, "without_common_ir", "doubling")
    record = read(tmp_path)
    assert result.returncode == 1
    assert record["entries"][0]["outcome"] == "regression"
    assert record["entries"][0]["shown"]["change"] > 1
    assert "| without_common_ir |" in result.stdout and "regression |" in (tmp_path / "abba.md").read_text()


def test_wrong_result_fails_and_the_next_operator_goes_on(tmp_path):
    result = compare(tmp_path, "wrong", "absent", "doubling")
    wrong, absent, doubling = read(tmp_path)["entries"]
    assert result.returncode == 1
    assert wrong["outcome"] == "wrong" and not wrong["samples"]
    assert all("ValueError: wrong result" in wrong["errors"][side] for side in abba_report.SIDES)
    assert absent["outcome"] == "wrong" and "AttributeError" in absent["errors"]["base"]
    assert len(doubling["samples"]) == 12


def test_wheel_of_another_python_is_refused(tmp_path):
    other = tmp_path / "flagtree-1-cp399-cp399-any.whl"
    other.write_bytes(WHEELS["base"].read_bytes())
    result = compare(tmp_path, "doubling", base=other)
    assert result.returncode == 1 and f"{other.name} is not for this Python" in result.stderr


@pytest.mark.parametrize("words", [["nothing"], ["matmul", "nothing"]])
def test_unknown_entry(words):
    with pytest.raises(SystemExit, match="got nothing"):
        abba.operators(words)


def test_groups_name_functions_of_operators():
    import operators

    for name, entry in abba.operators(list(abba.GROUPS)):
        assert callable(getattr(operators, name)) and entry.endswith(f"operators.py:{name}")


@pytest.fixture
def side(tmp_path):
    made = abba.Side(WHEELS["base"], tmp_path, CLOCK)
    yield made
    made.close()


def test_protocol(side, tmp_path):
    assert "no operator is prepared" in side.ask("sample")["error"]
    assert "KeyError" in side.ask("dance")["error"]
    assert "FILE_OR_MODULE:FUNCTION" in side.ask("prepare", entry="nothing")["error"]
    assert "TypeError" in side.ask("prepare", file="x")["error"]
    hello = side.ask("hello")
    assert hello["triton"] == "3.6.0" and not hello["common_ir"]
    assert all(Path(file).is_relative_to(tmp_path / "site") for file in hello["files"].values())
    assert side.ask("prepare", entry=f"{OPERATORS}:doubling") == {"check": {"elements": 64}}
    first, second = side.ask("sample"), side.ask("sample")
    assert first["start"] < first["end"] <= second["start"] < second["end"]
    for sample in (first, second):
        assert len(sample["replays_us"]) == abba_report.REPLAYS
        assert sum(sample["replays_us"]) * 1e-6 <= sample["end"] - sample["start"]
    assert side.ask("finish") == {"check": {"elements": 64}}
    assert "no operator is prepared" in side.ask("sample")["error"]


def test_dead_worker_is_an_error(side, tmp_path):
    entry = tmp_path / "dying.py"
    entry.write_text("import os\n\ndef die():\n    os._exit(3)\n")
    assert side.ask("prepare", entry=f"{entry}:die") == {"error": "the worker ended with 3"}
    assert side.ask("sample") == {"error": "the worker ended with 3"}


def test_code_of_a_kernel_is_found(side, tmp_path):
    """Compiled without a GPU in the worker, with a line that only a debugger reads taken out."""
    entry = tmp_path / "compiling.py"
    entry.write_text('''
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def nothing(x, N: tl.constexpr):
    tl.store(x, N)

def operator():
    def compile():
        for n in (1, 2):
            triton.compile(ASTSource(nothing, {"x": "*i32", "N": "constexpr"}, {"N": n}), target=GPUTarget("cuda", 90, 32))
    return compile, dict
''')
    assert side.code() == {}
    assert "check" in side.ask("prepare", entry=f"{entry}:operator")
    code = side.code()
    assert list(code) == ["nothing", "nothing.1"]
    assert "ttg.num-warps" in code["nothing"]["ttgir"]
    text = abba.instructions(code["nothing"]["ptx"])
    assert "st.global" in text and text != abba.instructions(code["nothing.1"]["ptx"])
    assert str(tmp_path) in code["nothing"]["ptx"] and str(tmp_path) not in text
    assert ".loc" not in text and ".file" not in text
    assert side.code() == {}


def test_no_gpu_has_no_state():
    assert abba.gpu_state(None) is None and abba.idle_state(None) is None


def test_state_of_a_gpu(tmp_path, monkeypatch):
    """A program of nvidia-smi's name answers in its format."""
    smi = tmp_path / "nvidia-smi"
    smi.write_text('#!/bin/sh\ntest "$2" = GPU-1 && echo "NVIDIA H200, 1980, 3201, 35, 0"\n')
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    state = abba.gpu_state("GPU-1")
    assert state.pop("time") > 0
    assert state == {"name": "NVIDIA H200", "sm_mhz": 1980, "memory_mhz": 3201, "celsius": 35, "utilisation_percent": 0}
    assert abba.gpu_state("GPU-2") is None
