"""What test_hopper_language.py runs: kernels with arguments, and the value of argument `out` as torch computes it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hopper_kernels as kernels
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`arguments(device)`: the run-time arguments, one of them `out`, a tensor or a descriptor of one. `expected(arguments)`:
    what `out` must be, within a relative Frobenius error of `tolerance`."""

    kernel: Any
    arguments: Callable[[str], Arguments]
    expected: Callable[[Arguments], torch.Tensor]
    constants: dict[str, Any] = field(default_factory=dict)
    grid: int = 1
    num_warps: int = 4
    tolerance: float = 0.0


def base(argument: Any) -> torch.Tensor:
    return argument.base if isinstance(argument, TensorDescriptor) else argument


def descriptor(tensor: torch.Tensor, *block: int) -> TensorDescriptor:
    return TensorDescriptor.from_tensor(tensor, list(block))


def random(device: str, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    if dtype == torch.int8:
        return torch.randint(-20, 20, shape, device=device, dtype=dtype)
    if dtype in (torch.int32, torch.int64):
        return torch.randint(-1000, 1000, shape, device=device, dtype=dtype)
    return torch.randn(shape, device=device).to(dtype)


def blank(device: str, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output, filled with what no kernel writes."""
    return torch.full(shape, -77, device=device).to(dtype)


ROWS, COLS = 32, 32
TILE = {"ROWS": ROWS, "COLS": COLS}

#-----------------------------------------------------------------------------------------------------------------------
# Completion of TMA loads, rings
#-----------------------------------------------------------------------------------------------------------------------


def completion(dtype: torch.dtype) -> Case:
    return Case(kernels.completion, lambda d: {"src": descriptor(random(d, 4 * ROWS, COLS, dtype=dtype), ROWS, COLS),
                                               "out": blank(d, 4 * ROWS, COLS, dtype=dtype)},
                lambda a: base(a["src"]), TILE, grid=4)


def prefetch(depth: int, blocks: int) -> Case:
    return Case(kernels.prefetch, lambda d: {"src": descriptor(random(d, max(blocks, 1) * ROWS, COLS), ROWS, COLS),
                                             "out": blank(d, max(blocks, 1) * ROWS, COLS), "blocks": blocks},
                lambda a: base(a["src"]) + 1 if blocks else torch.full_like(a["out"], -77), TILE | {"DEPTH": depth})


def one_slot_two_ways(flag: int) -> Case:
    return Case(kernels.one_slot_two_ways, lambda d: {"first": descriptor(random(d, 2 * ROWS, COLS, dtype=torch.float16), ROWS, COLS),
                                                      "second": descriptor(random(d, 2 * ROWS, COLS, dtype=torch.float16), ROWS, COLS),
                                                      "out": blank(d, ROWS, COLS, dtype=torch.float16), "flag": flag},
                lambda a: base(a["first"])[:ROWS] if flag > 0 else base(a["second"])[ROWS:], TILE)


def ring(depth: int, tiles: int, steps: int, grid: int) -> Case:
    return Case(kernels.persistent_ring,
                lambda d: {"src": descriptor(random(d, max(tiles * steps, 1) * ROWS, COLS), ROWS, COLS),
                           "out": blank(d, tiles * ROWS, COLS), "tiles": tiles, "steps": steps},
                lambda a: base(a["src"])[:tiles * steps * ROWS].reshape(tiles, steps, ROWS, COLS).double().sum(1).reshape(-1, COLS),
                TILE | {"DEPTH": depth}, grid, tolerance=1e-6)


def three_loads(steps: int) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        b = base(a["b"])
        return base(a["a"]) + b[:COLS].T - b[COLS:].T

    return Case(kernels.three_loads_of_a_use,
                lambda d: {"a": descriptor(random(d, steps * ROWS, COLS, dtype=torch.float16), ROWS, COLS),
                           "b": descriptor(random(d, 2 * COLS, steps * ROWS, dtype=torch.float16), COLS, ROWS),
                           "out": blank(d, steps * ROWS, COLS, dtype=torch.float16), "steps": steps},
                expected, TILE, tolerance=1e-3)


#-----------------------------------------------------------------------------------------------------------------------
# Consumers, named barriers
#-----------------------------------------------------------------------------------------------------------------------


def shared_slot(steps: int) -> Case:
    return Case(kernels.two_consumers_of_one_slot, lambda d: {"src": descriptor(random(d, steps * ROWS, COLS), ROWS, COLS),
                                                              "out": blank(d, 2 * steps * ROWS, COLS), "steps": steps},
                lambda a: torch.cat([base(a["src"]), 2 * base(a["src"])]), TILE)


def one_warp(steps: int, rank: int, depth: int = 2) -> Case:
    ones = [1] * (rank - 2)
    return Case(kernels.producer_of_one_warp, lambda d: {"src": descriptor(random(d, *ones, steps * ROWS, COLS), *ones, ROWS, COLS),
                                                         "out": descriptor(blank(d, *ones, 2 * steps * ROWS, COLS), *ones, ROWS, COLS), "steps": steps},
                lambda a: torch.cat([base(a["src"]), 2 * base(a["src"])], -2), TILE | {"RANK": rank, "DEPTH": depth})


def own_slots(steps: int) -> Case:
    return Case(kernels.consumers_of_own_slots, lambda d: {"src": descriptor(random(d, 2 * steps * ROWS, COLS), ROWS, COLS),
                                                           "out": blank(d, 2 * steps * ROWS, COLS), "steps": steps},
                lambda a: (base(a["src"]).reshape(steps, 2, -1) + torch.tensor([[0], [1]], device=a["out"].device)).reshape(-1, COLS), TILE)


def weighted(steps: int) -> Case:
    return Case(kernels.weighted_arrival, lambda d: {"src": descriptor(random(d, steps * ROWS, COLS), ROWS, COLS),
                                                     "out": blank(d, steps * ROWS, COLS), "steps": steps},
                lambda a: base(a["src"]), TILE)


def copies(dtype: torch.dtype) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        first, second = a["src"].split(ROWS)
        return torch.cat([second, first * 2])

    return Case(kernels.copies_of_workers, lambda d: {"src": random(d, 2 * ROWS, COLS, dtype=dtype), "out": blank(d, 2 * ROWS, COLS, dtype=dtype)},
                expected, TILE)


def turns(rounds: int) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        value = 0
        for _ in range(rounds):
            value = (value * 3 + 1) * 3 + 2
        return torch.full_like(a["out"], value)

    return Case(kernels.named_turns, lambda d: {"out": blank(d, ROWS, COLS, dtype=torch.int32), "rounds": rounds}, expected, TILE)


#-----------------------------------------------------------------------------------------------------------------------
# WGMMA
#-----------------------------------------------------------------------------------------------------------------------

OUT_TYPES = {torch.float32: "float32", torch.float16: "float16", torch.int32: "int32"}


def exact(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float64)


def product(dtype: torch.dtype, m: int = 64, n: int = 64, k: int = 64, *, b_dtype: torch.dtype | None = None, out: torch.dtype | None = None,
            trans_a: bool = False, trans_b: bool | None = None, register_a: bool = False, num_warps: int = 4) -> Case:
    import triton.language as tl

    b_dtype = b_dtype or dtype
    trans_b = dtype.itemsize != 2 if trans_b is None else trans_b
    out = out or (torch.int32 if dtype == torch.int8 else torch.float32)
    tolerance = 0.0 if dtype == torch.int8 else 2e-3 if out == torch.float16 or dtype == torch.float32 else 1e-3 if dtype in FP8 else 1e-5
    return Case(kernels.product, lambda d: {"a_ptr": random(d, *((k, m) if trans_a else (m, k)), dtype=dtype),
                                            "b_ptr": random(d, *((n, k) if trans_b else (k, n)), dtype=b_dtype),
                                            "out": blank(d, m, n, dtype=out)},
                lambda a: (exact(a["a_ptr"].T) if trans_a else exact(a["a_ptr"])) @ (exact(a["b_ptr"].T) if trans_b else exact(a["b_ptr"])),
                {"M": m, "N": n, "K": k, "TRANS_A": trans_a, "TRANS_B": trans_b, "REGISTER_A": register_a,
                 "OUT": getattr(tl, OUT_TYPES[out])}, num_warps=num_warps, tolerance=tolerance)


def with_acc() -> Case:
    return Case(kernels.product_with_acc, lambda d: {"a_ptr": random(d, 64, 64, dtype=torch.bfloat16),
                                                     "b_ptr": random(d, 64, 32, dtype=torch.bfloat16), "c_ptr": random(d, 64, 32),
                                                     "out": blank(d, 64, 32)},
                lambda a: exact(a["c_ptr"]) + exact(a["a_ptr"]) @ exact(a["b_ptr"]), {"M": 64, "N": 32, "K": 64}, tolerance=1e-5)


def imprecise(number: int) -> Case:
    return Case(kernels.imprecise_sum, lambda d: {"a_ptr": random(d, 64, 128, dtype=FP8[0]), "b_ptr": random(d, 64, 128, dtype=FP8[0]),
                                                  "out": blank(d, 64, 64)},
                lambda a: exact(a["a_ptr"]) @ exact(a["b_ptr"].T), {"M": 64, "N": 64, "K": 128, "IMPRECISE": number}, tolerance=1e-3)


def in_flight() -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        x, y = exact(a["a_ptr"]), exact(a["b_ptr"])
        return torch.cat([x[:64] @ y[:32] * 2, x[64:] @ y[32:] + 1])

    return Case(kernels.accumulators_in_flight, lambda d: {"a_ptr": random(d, 128, 32, dtype=torch.float16),
                                                           "b_ptr": random(d, 64, 64, dtype=torch.float16), "out": blank(d, 128, 64)},
                expected, {"M": 64, "N": 64, "K": 32}, tolerance=1e-5)


def carried(steps: int, total: int = 3) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        x, y = exact(a["a_ptr"]).reshape(2 * total, 64, 32), exact(a["b_ptr"]).reshape(2 * total, 32, 64)
        products = (x @ y)[:2 * steps]
        return torch.cat([products[0::2].sum(0), products[1::2].sum(0)])

    return Case(kernels.carried_accumulators, lambda d: {"a_ptr": random(d, 2 * total * 64, 32, dtype=torch.bfloat16),
                                                         "b_ptr": random(d, 2 * total * 32, 64, dtype=torch.bfloat16),
                                                         "out": blank(d, 128, 64), "steps": steps},
                expected, {"STEPS": 2 * total, "M": 64, "N": 64, "K": 32}, tolerance=1e-5)


def chained(blocks: int, dtype: torch.dtype, num_warps: int = 4) -> Case:
    m, n, d_ = 64 * num_warps // 4, 64, 32

    def expected(a: Arguments) -> torch.Tensor:
        q, k, v = exact(a["q_ptr"]), exact(a["k_ptr"]), exact(a["v_ptr"])
        return (q @ k.T).clamp(min=0).to(dtype).double() @ v

    return Case(kernels.chained_products, lambda d: {"q_ptr": random(d, m, d_, dtype=dtype), "k_ptr": random(d, blocks * n, d_, dtype=dtype),
                                                     "v_ptr": random(d, blocks * n, d_, dtype=dtype), "out": blank(d, m, d_), "blocks": blocks},
                expected, {"M": m, "N": n, "D": d_}, num_warps=num_warps, tolerance=2e-3)


def restaged() -> Case:
    return Case(kernels.restaged_factor, lambda d: {f"{name}_ptr": random(d, 64, 64, dtype=torch.float16) for name in "abc"}
                | {"out": blank(d, 64, 64)},
                lambda a: (exact(a["a_ptr"]) @ exact(a["b_ptr"])).half().double() @ exact(a["c_ptr"]), {"M": 64}, tolerance=2e-3)


def used_twice(dtype: torch.dtype, steps: int, apart: bool) -> Case:
    m, n, k = 64, 64, 64

    def expected(a: Arguments) -> torch.Tensor:
        return exact(a["a_ptr"]) @ exact(base(a["b_desc"])).reshape(steps, n, k).sum(0).T

    return Case(kernels.tiles_used_twice, lambda d: {"a_ptr": random(d, 2 * m, k, dtype=dtype),
                                                     "b_desc": descriptor(random(d, steps * n, k, dtype=dtype), n, k),
                                                     "out": blank(d, 2 * m, n), "steps": steps},
                expected, {"APART": apart, "M": m, "N": n, "K": k, "DEPTH": 3}, tolerance=1e-3 if dtype in FP8 else 1e-5)


def rewritten(pendings: int, dtype: torch.dtype, steps: int = 3) -> Case:
    m, n, size = 64, 64, 64

    def expected(a: Arguments) -> torch.Tensor:
        q, k, v = exact(a["q_ptr"]), exact(a["k_ptr"]), exact(a["v_ptr"])
        return (q @ k[:-n].T).clamp(min=0).to(dtype).double() @ v[n:]

    return Case(kernels.rewritten_factor, lambda d: {"q_ptr": random(d, m, size, dtype=dtype), "k_ptr": random(d, steps * n, size, dtype=dtype),
                                                     "v_ptr": random(d, steps * n, size, dtype=dtype), "out": blank(d, m, size), "steps": steps},
                expected, {"STEPS": steps, "M": m, "N": n, "D": size, "PENDINGS": pendings}, tolerance=2e-3)


def transposed(by_flag: bool, dtype: torch.dtype) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        return (exact(a["a_ptr"]) @ exact(a["b_ptr"])).to(dtype).double().T @ exact(a["c_ptr"])

    return Case(kernels.transposed_factor, lambda d: {"a_ptr": random(d, 64, 32, dtype=dtype), "b_ptr": random(d, 32, 64, dtype=dtype),
                                                      "c_ptr": random(d, 64, 32, dtype=dtype), "out": blank(d, 64, 32)},
                expected, {"M": 64, "N": 64, "K": 32, "BY_FLAG": by_flag}, tolerance=4e-3)


def integers() -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        first = (exact(a["a_ptr"]) @ exact(a["b_ptr"]).T).to(torch.int32) & 15
        return (exact(first) @ exact(a["c_ptr"]).T).to(torch.int32)

    return Case(kernels.chained_integers, lambda d: {"a_ptr": random(d, 64, 32, dtype=torch.int8), "b_ptr": random(d, 64, 32, dtype=torch.int8),
                                                     "c_ptr": random(d, 32, 64, dtype=torch.int8), "out": blank(d, 64, 32, dtype=torch.int32)},
                expected, {"M": 64, "N": 64, "K": 32})


#-----------------------------------------------------------------------------------------------------------------------
# Partitions
#-----------------------------------------------------------------------------------------------------------------------


def affine(src: torch.Tensor, parts: int, size: int) -> torch.Tensor:
    return torch.cat([src[part * size:(part + 1) * size] * (part + 2) + part for part in range(parts)])


def workers(warps: int, num_warps: int = 4) -> Case:
    size = 1000
    return Case(kernels.workers_of, lambda d: {"src": random(d, 2 * size + 256, dtype=torch.int32), "out": blank(d, 2 * size, dtype=torch.int32),
                                               "size": size},
                lambda a: affine(a["src"], 2, size), {"WARPS": warps, "BLOCK": 256}, num_warps=num_warps)


def all_sizes() -> Case:
    size = 700
    return Case(kernels.workers_of_all_sizes, lambda d: {"src": random(d, 5 * size + 256, dtype=torch.int32),
                                                         "out": blank(d, 5 * size, dtype=torch.int32), "size": size},
                lambda a: affine(a["src"], 5, size), {"BLOCK": 256})


def reducing(warps: int) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        x = a["src"].reshape(3, ROWS, COLS)
        return (x.cumsum(1) + x.sum(2, keepdim=True) + x).reshape(-1, COLS).to(torch.int32)

    return Case(kernels.workers_that_reduce, lambda d: {"src": random(d, 3 * ROWS, COLS, dtype=torch.int32),
                                                        "out": blank(d, 3 * ROWS, COLS, dtype=torch.int32)}, expected, TILE | {"WARPS": warps})


def dots(warps: int, steps: int = 3) -> Case:
    m, n, k = 64, 32, 32

    def expected(a: Arguments) -> torch.Tensor:
        rows = exact(a["a_ptr"]).reshape(2, steps, m, k) @ exact(a["b_ptr"]).reshape(steps, k, n)
        return rows.sum(1).reshape(2 * m, n)

    return Case(kernels.dots_by_pointers, lambda d: {"a_ptr": random(d, 2 * steps * m, k, dtype=torch.float16),
                                                     "b_ptr": random(d, steps * k, n, dtype=torch.float16), "out": blank(d, 2 * m, n),
                                                     "steps": steps},
                expected, {"WARPS": warps, "M": m, "N": n, "K": k}, tolerance=1e-5)


def results(n: int, block: int = 128) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        src = a["src"]
        total = src[:n].sum().to(torch.int32) + 2 * n
        return torch.cat([src[:block] * 3, src[block:] * 3 + 1, src[:block] + 1 + total])

    return Case(kernels.default_results, lambda d: {"src": random(d, 2 * block, dtype=torch.int32), "out": blank(d, 3 * block, dtype=torch.int32),
                                                    "n": n}, expected, {"BLOCK": block})


def helpers(depth: int, blocks: int) -> Case:
    return Case(kernels.helpers, lambda d: {"src": descriptor(random(d, blocks * ROWS, COLS), ROWS, COLS),
                                            "out": blank(d, 2 * blocks * ROWS, COLS), "blocks": blocks},
                lambda a: torch.cat([base(a["src"]), base(a["src"]) + 1]), TILE | {"DEPTH": depth})


def in_a_loop(blocks: int, only_even: int) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        left_out = torch.arange(blocks * ROWS, device=a["out"].device) // ROWS % 2 == 1
        return base(a["src"]).masked_fill((left_out & bool(only_even))[:, None], -77)

    return Case(kernels.partitions_in_a_loop, lambda d: {"src": descriptor(random(d, blocks * ROWS, COLS), ROWS, COLS),
                                                         "out": blank(d, blocks * ROWS, COLS), "blocks": blocks, "only_even": only_even},
                expected, TILE)


def branches(blocks: int) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        left_out = torch.arange(blocks * ROWS, device=a["out"].device) // ROWS % 3 != 0
        return base(a["src"]).masked_fill(left_out[:, None], -77)

    return Case(kernels.branches_in_workers, lambda d: {"src": descriptor(random(d, blocks * ROWS, COLS), ROWS, COLS),
                                                        "out": blank(d, blocks * ROWS, COLS), "blocks": blocks}, expected, TILE)


def epilogue(dtype: torch.dtype, m: int, n: int, warps: int, ragged: bool) -> Case:
    k, steps = 64, 2
    rows, columns = (m - 3, n - 8) if ragged else (m, n)
    return Case(kernels.tma_epilogue, lambda d: {"a_desc": descriptor(random(d, rows, steps * k, dtype=dtype), m, k),
                                                 "b_desc": descriptor(random(d, steps * k, columns, dtype=dtype), k, n),
                                                 "out": descriptor(blank(d, rows, columns, dtype=dtype), m, n), "steps": steps},
                lambda a: exact(base(a["a_desc"])) @ exact(base(a["b_desc"])), {"M": m, "N": n, "K": k, "WARPS": warps},
                tolerance=1e-2 if dtype == torch.bfloat16 else 1e-3)


def stores(blocks: int, warps: int) -> Case:
    return Case(kernels.tma_stores_in_a_loop, lambda d: {"out": descriptor(blank(d, blocks * ROWS, COLS), ROWS, COLS), "blocks": blocks},
                lambda a: (torch.arange(blocks * ROWS, device=base(a["out"]).device) // ROWS)[:, None].expand(-1, COLS).float(),
                TILE | {"WARPS": warps})


def pointers(warps: int, size: int = 256) -> Case:
    def expected(a: Arguments) -> torch.Tensor:
        turned = a["src"].reshape(2, size).flip(1)
        return torch.where(torch.arange(size, device=turned.device) % 2 == 0, turned, -1).reshape(-1)

    return Case(kernels.pointers_in_workers, lambda d: {"src": random(d, 2 * size, dtype=torch.int32), "out": blank(d, 2 * size, dtype=torch.int32)},
                expected, {"WARPS": warps, "SIZE": size})


FP16, BF16, FP32, INT8 = torch.float16, torch.bfloat16, torch.float32, torch.int8

CASES: dict[str, Case] = {
    **{f"completion {dtype}": completion(dtype) for dtype in (FP16, FP32, INT8)},
    **{f"prefetch, depth {depth}, {blocks} blocks": prefetch(depth, blocks) for depth in (1, 2, 3) for blocks in (0, 1, 7)},
    **{f"one slot two ways, {flag}": one_slot_two_ways(flag) for flag in (0, 1)},
    **{f"ring, depth {depth}, {steps} steps": ring(depth, 1, steps, 1) for depth in (1, 2, 3) for steps in (0, 1, 2, 3, 10)},
    **{f"persistent ring, depth {depth}, {steps} steps": ring(depth, 7, steps, 3) for depth in (1, 2, 3) for steps in (0, 1, 5)},
    "ring of more programs than tiles": ring(2, 2, 3, 4),
    **{f"three loads of a use, {steps} steps": three_loads(steps) for steps in (1, 5)},
    **{f"two consumers of one slot, {steps} steps": shared_slot(steps) for steps in (1, 6)},
    **{f"producer of one warp, {rank} dimensions, {steps} steps": one_warp(steps, rank) for rank in (2, 5) for steps in (1, 5)},
    **{f"consumers of own slots, {steps} steps": own_slots(steps) for steps in (1, 5)},
    "weighted arrival": weighted(4),
    "named hand-over": Case(kernels.named_hand_over, lambda d: {"src": random(d, ROWS, COLS, dtype=torch.int32),
                                                                "out": blank(d, ROWS, COLS, dtype=torch.int32)}, lambda a: a["src"] * 2, TILE),
    **{f"copies of workers {dtype}": copies(dtype) for dtype in (FP16, FP32, INT8)},
    **{f"named turns, {rounds} rounds": turns(rounds) for rounds in (1, 2, 7)},
    "named rendezvous": Case(kernels.named_rendezvous, lambda d: {"src": random(d, 3 * ROWS, COLS), "out": blank(d, 3 * ROWS, COLS)},
                             lambda a: a["src"].roll(-ROWS, 0), TILE),
    **{f"product {dtype}": product(dtype) for dtype in (FP16, BF16, FP32, INT8, *FP8)},
    **{f"product {dtype} from registers": product(dtype, register_a=True) for dtype in (FP16, BF16, FP32, INT8, *FP8)},
    **{f"product of {a} and {b}": product(a, b_dtype=b) for a, b in (FP8, FP8[::-1])},
    **{f"product {dtype} {trans_a} {trans_b}": product(dtype, 128, 64, 32, trans_a=trans_a, trans_b=trans_b)
       for dtype in (FP16, BF16) for trans_a in (False, True) for trans_b in (False, True)},
    **{f"product of transposed registers, {trans_b}": product(FP16, register_a=True, trans_a=True, trans_b=trans_b) for trans_b in (False, True)},
    **{f"product, N = {n}": product(FP16, n=n, trans_b=True) for n in (8, 16, 32, 128, 256)},
    **{f"product, N = {n}, row-major": product(BF16, n=n) for n in (16, 32, 128, 256)},
    **{f"product {dtype}, N = {n}": product(dtype, n=n) for dtype in (FP32, INT8, FP8[0]) for n in (8, 256)},
    **{f"product, M = {m}, {warps} warps": product(BF16, m=m, num_warps=warps) for m, warps in ((128, 4), (256, 4), (64, 8), (128, 8), (256, 8))},
    **{f"product, K = {k}": product(FP16, k=k) for k in (16, 32, 128, 256)},
    "product, K = 16, transposed": product(FP16, k=16, trans_b=True),
    **{f"product {dtype} to fp16": product(dtype, out=FP16) for dtype in (FP16, *FP8)},
    "product with an accumulator": with_acc(),
    **{f"product of {number} imprecise additions": imprecise(number) for number in (32, 64, 2**30)},
    "accumulators in flight": in_flight(),
    **{f"carried accumulators, {steps} steps": carried(steps) for steps in (1, 2, 3)},
    **{f"chained products {dtype}, {blocks} blocks, {warps} warps": chained(blocks, dtype, warps)
       for dtype in (FP16, BF16) for blocks, warps in ((1, 4), (4, 4), (3, 8))},
    "restaged factor": restaged(),
    **{f"tiles of products {dtype} {'a step apart' if apart else 'of a step'}, {steps} steps": used_twice(dtype, steps, apart)
       for dtype in (FP16, *FP8) for apart in (False, True) for steps in (1, 2, 7)},
    **{f"factor of products {dtype} rewritten with {pendings} pending": rewritten(pendings, dtype) for dtype in (FP16, BF16) for pendings in (0, 1)},
    **{f"product of a transposed accumulator {dtype} {'by trans_a' if by_flag else 'by tl.trans'}": transposed(by_flag, dtype)
       for dtype in (FP16, BF16) for by_flag in (False, True)},
    "chained products of integers": integers(),
    **{f"worker of {warps} warps, launch of {launch}": workers(warps, launch) for warps in (1, 2, 4, 8) for launch in (4, 8)},
    "workers of all sizes": all_sizes(),
    **{f"worker of {warps} warps that reduces": reducing(warps) for warps in (1, 2, 4, 8)},
    **{f"worker of {warps} warps that multiplies by pointers": dots(warps) for warps in (1, 4, 8)},
    **{f"results of the default partition, {n}": results(n) for n in (0, 5)},
    **{f"helpers, depth {depth}": helpers(depth, 5) for depth in (1, 2)},
    **{f"partitions in a loop, {flag}": in_a_loop(5, flag) for flag in (0, 1)},
    "branches in workers": branches(7),
    **{f"TMA epilogue {dtype} {m}x{n}, {warps} warps{', ragged' if ragged else ''}": epilogue(dtype, m, n, warps, ragged)
       for dtype in (FP16, BF16) for m, n, warps in ((64, 64, 4), (128, 128, 4), (128, 64, 8)) for ragged in (False, True)},
    **{f"TMA stores in a loop, {warps} warps": stores(5, warps) for warps in (1, 4, 8)},
    **{f"pointers in workers of {warps} warps": pointers(warps) for warps in (1, 4, 8)},
}
