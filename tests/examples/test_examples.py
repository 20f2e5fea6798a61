"""The programs of examples/, as a reader runs them: on the CPU, with the compilation for sm_90 that follows."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import pytest
import torch

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import flash_attention as attention_example  # noqa: E402
import matmul as matmul_example  # noqa: E402
import tile_copy as copy_example  # noqa: E402


def run(program: str, *arguments: str) -> str:
    """Standard output of an example, which must succeed."""
    env = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    result = subprocess.run([sys.executable, EXAMPLES / program, *arguments], env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_matmul_runs_and_compiles(dtype):
    output = run("matmul.py", "--m", "100", "--n", "90", "--k", "70", "--dtype", dtype)
    facts = dict(line.strip().rsplit("  ", 1) for line in output.splitlines() if line.startswith("  "))
    facts = {name.strip(): value for name, value in facts.items()}
    assert float(facts["relative error to torch in float64"].split()[0]) <= matmul_example.TOLERANCE[
        matmul_example.DTYPES[dtype]]
    assert int(facts["wgmma in PTX"]) > 0
    assert int(facts["tensor-core instructions in SASS"]) > 0
    assert 0 < int(facts["shared bytes per block"]) <= 227 * 1024
    assert int(facts["stack bytes per thread (spills)"]) <= 64


@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (64, 64, 32), (65, 63, 33), (130, 70, 100)])
@pytest.mark.parametrize("dtype", list(matmul_example.TOLERANCE), ids=str)
def test_matmul_function(m, n, k, dtype):
    torch.manual_seed(0)
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    c = matmul_example.matmul(a, b)
    assert c.shape == (m, n) and c.dtype == dtype
    assert matmul_example.relative_error(c, a, b) <= matmul_example.TOLERANCE[dtype]


def test_matmul_of_views():
    torch.manual_seed(0)
    a, b = torch.randn(70, 90).half().T[::2, 3:], torch.randn(67, 100).half()[:, 1::2]
    assert matmul_example.relative_error(matmul_example.matmul(a, b), a, b) <= 2e-3


@pytest.mark.parametrize("shape_a, shape_b", [((0, 4), (4, 5)), ((3, 0), (0, 5)), ((3, 4), (4, 0))])
def test_matmul_of_nothing(shape_a, shape_b):
    a, b = torch.randn(shape_a), torch.randn(shape_b)
    assert torch.equal(matmul_example.matmul(a, b), a @ b)


@pytest.mark.parametrize("a, b, message", [
    (torch.zeros(3), torch.zeros(3, 4), r"M x K and a K x N matrix, got shapes \(3,\)"),
    (torch.zeros(3, 4), torch.zeros(3, 4), r"got shapes \(3, 4\) and \(3, 4\)"),
    (torch.zeros(3, 4), torch.zeros(4, 3).half(), "got torch.float32 and torch.float16"),
    (torch.zeros(3, 4).int(), torch.zeros(4, 3).int(), "got torch.int32"),
    (torch.zeros(3, 4), torch.zeros(4, 3, device="meta"), "one device, got cpu and meta"),
])
def test_matmul_refuses(a, b, message):
    with pytest.raises(ValueError, match=message):
        matmul_example.matmul(a, b)


def test_copy_runs():
    assert "12345 fp16 elements copied through shared memory: equal" in run("tile_copy.py", "--elements", "12345")


@pytest.mark.parametrize("count", [0, 1, 8191, 8192, 20000])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int64], ids=str)
def test_copy_function(count, dtype):
    src = torch.randint(-100, 100, (count, )).to(dtype)
    assert torch.equal(copy_example.copy(src, torch.empty_like(src)), src)


@pytest.mark.parametrize("src, dst, message", [
    (torch.zeros(3), torch.zeros(4), "one shape, dtype and device"),
    (torch.zeros(3), torch.zeros(3).half(), "one shape, dtype and device"),
    (torch.zeros(3, 4).T, torch.zeros(3, 4).T, "contiguous"),
    (torch.zeros(3).bool(), torch.zeros(3).bool(), "integers and floats, got torch.bool"),
])
def test_copy_refuses(src, dst, message):
    with pytest.raises(ValueError, match=message):
        copy_example.copy(src, dst)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_attention_runs(dtype):
    output = run("flash_attention.py", "--heads", "1", "--queries", "33", "--keys", "70", "--size", "32", "--dtype", dtype)
    error = float(output.partition("relative error ")[2].split()[0])
    assert error <= attention_example.TOLERANCE[attention_example.DTYPES[dtype]]


Q = torch.zeros(2, 5, 32).half()


@pytest.mark.parametrize("q, k, v, message", [
    (Q[0], Q[0], Q[0], "heads x queries x D"),
    (Q, Q, Q[:, 1:], "heads x queries x D"),
    (Q, Q[:1], Q[:1], "heads x queries x D"),
    (Q, Q[..., :16].contiguous(), Q[..., :16].contiguous(), "heads x queries x D"),
    (Q, Q, Q.bfloat16(), "one device, got torch.float16 on cpu"),
    (Q.float(), Q.float(), Q.float(), "float16 or bfloat16"),
    (Q, Q, torch.zeros(2, 32, 5).half().mT, "contiguous"),
    (Q, Q[:, :0], Q[:, :0], "got D = 32, 0 keys"),
    (torch.zeros(2, 5, 24).half(), torch.zeros(2, 5, 24).half(), torch.zeros(2, 5, 24).half(), "got D = 24, 5 keys"),
])
def test_attention_refuses(q, k, v, message):
    with pytest.raises(ValueError, match=message):
        attention_example.attention(q, k, v)
