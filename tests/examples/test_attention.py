"""examples/attention.py as a reader runs it without a GPU, in the simulator, and what its functions refuse."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import pytest
import torch
import triton
import triton.language as tl

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import attention as example  # noqa: E402


@pytest.mark.parametrize("arguments", [["--size", "64", "--dtype", "fp16"], ["--kv-heads", "1", "--causal", "--keys", "150"]], ids=" ".join)
def test_program(arguments):
    env = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    result = subprocess.run([sys.executable, EXAMPLES / "attention.py", "--queries", "100", *arguments], env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    error = float(result.stdout.partition("relative error ")[2].split()[0])
    assert error <= example.TOLERANCE[torch.float16 if "fp16" in arguments else torch.bfloat16]


@pytest.mark.parametrize("queries, keys", [(1, 1), (5, 3), (3, 5), (4, 4)])
def test_operations_counts_what_the_mask_leaves(queries, keys):
    seen = sum(1 for i in range(queries) for j in range(keys) if j <= i + keys - queries)
    assert example.operations(1, 1, queries, keys, 64, True) == 4 * 64 * seen
    assert example.operations(2, 3, queries, keys, 64, False) == 4 * 2 * 3 * 64 * queries * keys


Q = torch.zeros(2, 5, 4, 64).half()
K = torch.zeros(2, 7, 2, 64).half()


@pytest.mark.parametrize("arguments, message", [
    ((Q[0], K[0], K[0]), "batch x length x heads x D"),
    ((Q, K, K[:, 1:]), "K and V of one shape"),
    ((Q, K[:1], K[:1]), "batch x length x heads x D"),
    ((Q, K, K.bfloat16()), "on one device, got torch.float16 on cpu, torch.float16 on cpu, torch.bfloat16 on cpu"),
    ((Q.float(), K.float(), K.float()), "float16 or bfloat16"),
    ((Q[..., :32], K[..., :32], K[..., :32]), "rows of 64, 128, 256 elements, got 32"),
    ((Q[:, :, :3], K, K), "multiple of those of K and V, got 3 and 2"),
    ((Q, K[:, :, :0], K[:, :, :0]), "got 4 and 0"),
    ((Q, K, K.new_zeros(2, 7, 64, 2).mT), "v must have contiguous rows"),
    ((Q, K, K[:, :, :1].expand(2, 7, 2, 64)), "v must have contiguous rows"),
    ((Q.new_zeros(Q.numel() + 1)[1:].view(Q.shape), K, K), "begin at multiples of 16 bytes"),
])
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        example.attention(*arguments)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan")])
def test_refuses_scale(scale):
    with pytest.raises(ValueError, match="positive and finite"):
        example.attention(Q, K, K, softmax_scale=scale)


@pytest.mark.parametrize("consumers", [1, 4])
def test_refuses_consumers(consumers):
    with pytest.raises(ValueError, match=f"2 or 3 consumers, got {consumers}"):
        example.attention(Q, K, K, tile=example.TILES[64]._replace(consumers=consumers))


tile_count, tile_at = example.tile_count, example.tile_at


@triton.jit
def visit(visits, turns, queries, tiles_m, heads, section):
    """Count how often each tile is computed, write down in which turn, and sum up the first queries of each program's tiles."""
    blocks = tl.num_programs(0)
    for turn in range(0, tile_count(blocks, heads * tiles_m)):
        head, first = tile_at(turn, blocks, tiles_m, heads, section, 64)
        tl.atomic_add(visits + head * tiles_m + first // 64, 1)
        tl.store(turns + head * tiles_m + first // 64, turn)
        tl.atomic_add(queries + tl.program_id(0), first)


def visited(blocks: int, tiles_m: int, heads: int, section: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    visits, turns = torch.zeros((2, heads, tiles_m), dtype=torch.int32)
    queries = torch.zeros(blocks, dtype=torch.int32)
    visit[(blocks, )](visits, turns, queries, tiles_m, heads, section)
    return visits, turns, queries


@pytest.mark.parametrize("heads, section", [(1, 1), (6, 6), (6, 3), (6, 2), (7, 3), (7, 1), (5, 4)])
@pytest.mark.parametrize("blocks, tiles_m", [(1, 3), (3, 1), (3, 2), (5, 4), (4, 7)])
def test_each_tile_is_computed_once(blocks, tiles_m, heads, section):
    """Sections that do not divide the heads, and rounds that sections do not divide; the longest tiles of the last section first, of the one before last."""
    visits, turns, _ = visited(min(blocks, tiles_m * heads), tiles_m, heads, section)
    assert bool((visits == 1).all())
    for back, part in enumerate(reversed(turns.split(section))):
        assert torch.equal(part, part.sort(dim=1, descending=back % 2 == 0).values)


@pytest.mark.parametrize("blocks, tiles_m, heads", [(4, 4, 8), (6, 4, 9), (8, 16, 3), (6, 2, 12)])
def test_sections_of_two_rounds_give_all_programs_as_much(blocks, tiles_m, heads):
    visits, _, queries = visited(blocks, tiles_m, heads, example.CAUSAL_ROUNDS * blocks // tiles_m)
    assert bool((visits == 1).all()) and bool((queries == queries[0]).all())


@pytest.mark.parametrize("heads, shared_heads, tiles_m, head_bytes, section", [
    (128, 1, 32, 2 << 20, 8),  # tiles of two rounds
    (80, 1, 24, 3 << 19, 10),  # 7 of 11 and one of 3 otherwise
    (16, 1, 22, 1 << 20, 8),  # 12 and 4 otherwise
    (5, 1, 2, 1 << 10, 5),
    (80, 1, 3, 4 << 20, 8),  # 32 MiB of keys and values
    (80, 8, 3, 16 << 20, 16),
    (7, 1, 500, 8 << 20, 1),
    (7, 1, 3, 64 << 20, 1),
    (512, 512, 1, 256, 256),
])
def test_sections(heads, shared_heads, tiles_m, head_bytes, section):
    """Two rounds of tiles at most, as much as the second-level cache holds, all of nearly one width."""
    assert example.section_heads(heads, shared_heads, tiles_m, head_bytes, 132) == section


CU = torch.tensor([0, 2, 5], dtype=torch.int32)
CU_K = torch.tensor([0, 4, 7], dtype=torch.int32)


@pytest.mark.parametrize("arguments, message", [
    ((Q, K, K, CU, CU_K, 3, 4), "total x heads x D"),
    ((Q[0], K[0], K[0], CU.long(), CU_K, 3, 4), "cu_seqlens_q must be int32"),
    ((Q[0], K[0], K[0], CU, CU_K[:1], 3, 4), "cu_seqlens_k must be int32"),
    ((Q[0], K[0], K[0], CU, CU_K[:2], 3, 4), "of one length, got 3 and 2"),
    ((Q[0], K[0], K[0], CU, torch.zeros(6, dtype=torch.int32)[::2], 3, 4), "contiguous"),
    ((Q[0], K[0], K[0], CU, CU_K, -1, 4), "must not be negative"),
])
def test_varlen_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        example.attention_varlen(*arguments)


def test_varlen_of_nothing():
    out, lse = example.attention_varlen(Q[0], K[0, :0], K[0, :0], CU, torch.zeros(3, dtype=torch.int32), 3, 0, return_lse=True)
    assert not out.any() and bool((lse == -torch.inf).all())
    assert example.attention_varlen(Q[0, :0], K[0], K[0], torch.zeros(3, dtype=torch.int32), CU_K, 0, 4).shape == (0, 4, 64)
