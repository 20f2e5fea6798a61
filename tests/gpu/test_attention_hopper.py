"""examples/attention.py, producer and consumers, against float64: on a Hopper GPU, or a few small cases in the simulator."""
from __future__ import annotations

import math
import os
import random
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import attention as example  # noqa: E402  (from examples/)

SIMULATED = os.environ.get("TRITON_INTERPRET") == "1"  # everything small: a step takes the simulator a tenth of a second
DTYPES = list(example.TOLERANCE)
SIZES = list(example.TILES)
LONGEST = 200 if SIMULATED else 5000


class Shape(NamedTuple):
    """One call of attention()."""

    batch: int
    queries: int
    keys: int
    kv_heads: int
    shared: int
    size: int
    causal: bool


@pytest.fixture(autouse=True)
def hopper(device) -> None:
    if device == "cuda" and torch.cuda.get_device_capability()[0] != 9:
        pytest.fail("these tests need a Hopper GPU, or TRITON_INTERPRET=1")


def inputs(device: str, shape: Shape, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q = torch.randn((shape.batch, shape.queries, shape.kv_heads * shape.shared, shape.size), device=device).to(dtype)
    k, v = (torch.randn((shape.batch, shape.keys, shape.kv_heads, shape.size), device=device).to(dtype) for _ in range(2))
    return q, k, v


def check_result(out: torch.Tensor, lse: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, scale: float | None = None) -> None:
    """The result and the logarithm against float64; -inf where no key is seen."""
    assert out.shape == q.shape and out.dtype == q.dtype and out.is_contiguous()
    expected, expected_lse = example.reference(q, k, v, causal, scale)
    assert not out.isnan().any()
    error = example.relative_error(out, expected)
    assert error <= example.TOLERANCE[q.dtype], f"relative error {error:.2e}"
    blind = expected_lse.isinf()
    assert torch.equal(lse.isinf(), blind)
    assert float((lse - expected_lse)[~blind].abs().max() if (~blind).any() else 0.0) < 1e-3


def check(device: str, shape: Shape, dtype: torch.dtype) -> None:
    q, k, v = inputs(device, shape, dtype)
    out, lse = example.attention(q, k, v, causal=shape.causal, return_lse=True)
    check_result(out, lse, q, k, v, shape.causal)
    again, lse_again = example.attention(q, k, v, causal=shape.causal, return_lse=True)
    assert torch.equal(out, again) and torch.equal(lse, lse_again)


def random_shapes(count: int) -> list[Shape]:
    """Lengths of 1 to LONGEST, small ones more often; odd numbers of heads; queries and keys of one length or of two."""
    generator = random.Random(17)

    def length() -> int:
        return round(math.exp(generator.uniform(0, math.log(LONGEST))))

    shapes = []
    for _ in range(count):
        queries = length()
        keys = queries if generator.random() < 0.5 else length()
        batch, shared = (1, 1) if SIMULATED else (generator.randint(1, 3), generator.choice([1, 1, 3, 5]))
        shapes.append(Shape(batch, queries, keys, generator.randint(1, 3), shared, generator.choice(SIZES),
                            generator.random() < 0.5))
    return shapes


@pytest.mark.parametrize("shape", random_shapes(3 if SIMULATED else 200), ids=lambda shape: "-".join(map(str, shape)))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_random_shapes(device, dtype, shape):
    check(device, shape, dtype)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("queries, keys", [(1, 1), (130, 150)] if SIMULATED else [(1, 1), (64, 64), (128, 128), (127, 129), (192, 128), (193, 257), (1, 5000),
                                                                                  (5000, 1), (300, 100), (1024, 1024)])
def test_edges_of_tiles(device, queries, keys, size, causal):
    check(device, Shape(1 if SIMULATED else 2, queries, keys, 1, 1, size, causal), torch.bfloat16)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("size", SIZES[1:2] if SIMULATED else SIZES)
def test_more_tiles_than_blocks(device, size, causal):
    """Rings and phases run on from tile to tile; with a causal mask over several sections, which part heads that share keys and end with a narrower one."""
    check(device, Shape(1, 200, 100, 1, 5, size, causal) if SIMULATED else Shape(4, 1500, 1500, 8, 2, size, causal), torch.float16)


@pytest.mark.parametrize("queries, keys", [(200, 300), (260, 130)] if SIMULATED else [(200, 300), (260, 130), (1000, 1100), (1100, 1000), (777, 2049)])
@pytest.mark.parametrize("size", SIZES)
def test_keys_hidden_in_part(device, size, queries, keys):
    """The mask's edge lies across tiles and steps: consumers skip steps of their own, and go on from hidden to whole ones with what they have summed up."""
    check(device, Shape(1, queries, keys, 1, 1, size, True), torch.bfloat16)


@pytest.mark.parametrize("size, tile", [(64, example.Tile(3, 32, 3, 2, 160, False, False)), (64, example.Tile(2, 64, 1, 1, 240, True, True)),
                                        (128, example.Tile(2, 64, 2, 1, 240, True, False)), (256, example.Tile(2, 32, 1, 1, 240, False, False))],
                         ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else str(value))
def test_other_forms(device, size, tile):
    """Forms that TILES has not: rings of one slot and of three, no turns, and 32 keys a step, so that several steps are skipped and hidden in part."""
    q, k, v = inputs(device, Shape(1, 200, 300, 1, 1, size, True), torch.bfloat16)
    check_result(*example.attention(q, k, v, causal=True, return_lse=True, tile=tile), q, k, v, True)


@pytest.mark.parametrize("kv_heads, shared", [(1, 2)] if SIMULATED else [(1, 1), (1, 8), (3, 1), (3, 2), (3, 8)])
def test_shared_heads(device, kv_heads, shared):
    check(device, Shape(1, 100, 150, kv_heads, shared, 128, True) if SIMULATED else Shape(2, 333, 444, kv_heads, shared, 128, True), torch.bfloat16)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("size", SIZES[1:2] if SIMULATED else SIZES)
@pytest.mark.parametrize("seed", range(1 if SIMULATED else 4))
def test_varlen(device, seed, size, causal):
    """Ragged sequences, empty ones too; what lies around a sequence is not seen, not even as 0 * inf, and not written."""
    generator = random.Random(seed)
    lengths_q = [generator.choice([0, 1, 63, 64, 65, 127, 200, 511, 900][:-3 if SIMULATED else None]) for _ in range(7)]
    lengths_k = [generator.choice([0, 1, 63, 64, 128, 129, 333, 700, 1200][:-3 if SIMULATED else None]) for _ in range(7)]
    kv_heads, dtype = 1 if SIMULATED else 2, DTYPES[seed % 2]
    heads = kv_heads * (1 if SIMULATED else 3)
    cu_q, cu_k = (torch.tensor([sum(n[:i]) for i in range(len(n) + 1)], dtype=torch.int32, device=device) for n in (lengths_q, lengths_k))
    q = torch.randn((int(cu_q[-1]), heads, size), device=device).to(dtype)
    k, v = (torch.randn((int(cu_k[-1]), kv_heads, size), device=device).to(dtype) for _ in range(2))
    poisoned = max(range(7), key=lambda i: lengths_k[i])  # its neighbours must not notice
    for t in (k, v):
        t[cu_k[poisoned]:cu_k[poisoned + 1]] = math.inf
    arguments = (q, k, v, cu_q, cu_k, max(lengths_q), max(lengths_k))
    out, lse = example.attention_varlen(*arguments, causal=causal, return_lse=True)
    assert out.shape == q.shape and lse.shape == (heads, q.shape[0])
    for i in range(7):
        if i != poisoned and lengths_q[i]:
            rows, columns = slice(cu_q[i], cu_q[i + 1]), slice(cu_k[i], cu_k[i + 1])
            check_result(out[None, rows].contiguous(), lse[None, :, rows], q[None, rows], k[None, columns], v[None, columns], causal)
    again = example.attention_varlen(*arguments, causal=causal)
    assert torch.equal(out.nan_to_num(), again.nan_to_num())


def test_strides(device):
    """Heads first, a slice of a fused projection, one batch of many."""
    fused = torch.randn((1 if SIMULATED else 2, 150, 3, 2, 128), device=device).bfloat16()
    q, k, v = fused.unbind(2)
    check_result(*example.attention(q, k, v, return_lse=True), q, k, v, False)
    q, k, v = (torch.randn((3, 2, 150, 64), device=device).half().transpose(1, 2)[1:2] for _ in range(3))
    check_result(*example.attention(q, k, v, causal=True, return_lse=True), q, k, v, True)


@pytest.mark.parametrize("scale", [0.3] if SIMULATED else [1e-3, 0.3, 4.0])
def test_scale(device, scale):
    q, k, v = inputs(device, Shape(1, 100, 150, 2, 1, 128, False), torch.float16)
    check_result(*example.attention(q, k, v, softmax_scale=scale, return_lse=True), q, k, v, False, scale)


def test_large_scores(device):
    """One key takes nearly all; without the running maximum the exponentials would be infinite."""
    q, k, v = inputs(device, Shape(1, 150, 200, 1, 1, 64, False), torch.bfloat16)
    q *= 30
    check_result(*example.attention(q, k, v, return_lse=True), q, k, v, False)


def test_empty(device):
    q, k, v = inputs(device, Shape(1, 5, 0, 1, 1, 64, False), torch.float16)
    out, lse = example.attention(q, k, v, return_lse=True)
    assert not out.any() and bool((lse == -math.inf).all())
    q, k, v = inputs(device, Shape(1, 0, 5, 1, 1, 64, False), torch.float16)
    assert example.attention(q, k, v).shape == q.shape


def test_many_launches(device):
    """Varying shapes one after the other, the same ones again and again: bit for bit the same, no stale descriptor."""
    generator = random.Random(3)
    queries, keys = ([1, 70], [1, 100]) if SIMULATED else ([1, 70, 128, 513], [1, 64, 200, 777])
    seen = {}
    for _ in range(5 if SIMULATED else 1000):
        shape = Shape(1, generator.choice(queries), generator.choice(keys), 1, 2, generator.choice(SIZES), generator.random() < 0.5)
        torch.manual_seed(5)
        out, lse = example.attention(*inputs(device, shape, torch.bfloat16), causal=shape.causal, return_lse=True)
        before = seen.setdefault(shape, (out, lse))
        assert torch.equal(before[0], out) and torch.equal(before[1], lse), shape


def test_in_a_graph(device):
    """Captured and replayed on other data; the simulator, which has no graphs, is called once more."""
    q, k, v = inputs(device, Shape(1, 100, 100, 2, 1, 128, True), torch.bfloat16)
    out, lse = example.attention(q, k, v, causal=True, return_lse=True)
    if not SIMULATED:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out, lse = example.attention(q, k, v, causal=True, return_lse=True)
    for t in (q, k, v):
        t.normal_()
    if SIMULATED:
        out, lse = example.attention(q, k, v, causal=True, return_lse=True)
    else:
        graph.replay()
    check_result(out, lse, q, k, v, True)
