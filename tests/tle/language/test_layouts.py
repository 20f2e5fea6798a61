"""Layouts as values: defaults, equality, permutation, the layout of a stage, and mangled names."""
from __future__ import annotations

import copy
from itertools import permutations

import pytest
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.language.errors import LayoutError
from flagtree.language.types import buffered_tensor_type, shared_pointer_type

NVMMA = tle.gpu.nv_mma_shared_layout
SWIZZLED = tle.gpu.swizzled_shared_layout


@pytest.mark.parametrize("rank", range(1, 6))
def test_defaults_are_row_major(rank: int) -> None:
    order = tuple(range(rank - 1, -1, -1))
    ones = (1, ) * rank
    assert SWIZZLED.make_default(rank) == SWIZZLED(1, 1, 1, order, ones, ones, ones, order)
    layout = NVMMA.make_default((8, ) * rank, tl.float16)
    assert (layout.order, layout.numCTAsPerCGA, layout.fp4Padded, layout.swizzled) == (order, ones, False, True)
    assert not layout.transposed


@pytest.mark.parametrize("shape, dtype, width", [([64, 64], tl.float16, 128), ([4, 64], tl.float16, 0),
                                                 ([3, 64, 64], tl.float16, 128), ([3, 4, 64], tl.float16, 0),
                                                 ([2, 2, 4, 64], tl.float16, 128), ([1024], tl.float32, 0),
                                                 ([64, 4], tl.float32, 0), ([64, 8], tl.float32, 32)])
def test_swizzle_width(shape: list[int], dtype: tl.dtype, width: int) -> None:
    assert NVMMA.make_default(shape, dtype).swizzle_bytes == width


def test_a_stage_has_the_pattern_of_the_whole() -> None:
    ring = NVMMA.make_default([5, 64, 32], tl.float16)
    assert ring.drop_leading() == NVMMA.make_default([64, 32], tl.float16)
    assert ring.drop_leading().swizzle_bytes == ring.swizzle_bytes == 64
    assert SWIZZLED.make_default(3).drop_leading() == SWIZZLED.make_default(2)


def test_permutation() -> None:
    layout = NVMMA.make_default([64, 32], tl.float16).make_permute([1, 0])
    assert (layout.shape, layout.order, layout.transposed, layout.swizzle_bytes) == ((32, 64), (0, 1), True, 64)
    assert layout.make_permute((1, 0)) == NVMMA.make_default([64, 32], tl.float16)
    for dims in permutations(range(3)):
        inverse = tuple(dims.index(i) for i in range(3))
        assert SWIZZLED.make_default(3).make_permute(dims).make_permute(inverse) == SWIZZLED.make_default(3)


def test_layouts_are_values() -> None:
    layout = NVMMA.make_default([64, 32], tl.float16)
    assert copy.deepcopy(layout) == layout and hash(copy.deepcopy(layout)) == hash(layout)
    assert layout != NVMMA.make_default([64, 32], tl.bfloat16)
    assert repr(layout) == repr(copy.deepcopy(layout))
    assert tle.gpu.tensor_memory_layout.make_default([128, 64]).colStride == 2
    assert isinstance(layout, tle.gpu.shared_layout) and isinstance(layout, tle.gpu.layout)


@pytest.mark.parametrize("build, says", [
    (lambda: SWIZZLED(3, 1, 1, [0], [1], [1], [1], [0]), "vectorSize must be a positive power of two, not 3"),
    (lambda: SWIZZLED(1, 1, 1, [0, 0], [1, 1], [1, 1], [1, 1], [1, 0]), "order (0, 0) is not a permutation"),
    (lambda: SWIZZLED(1, 1, 1, [0], [2], [1], [1], [0]), "numCTAs (2,) spreads a buffer over several blocks"),
    (lambda: SWIZZLED(1, 1, 1, [0], [1, 1], [1], [1], [0]), "numCTAs (1, 1) must have 1 entries"),
    (lambda: SWIZZLED(1, 1, 1, 0, [1], [1], [1], [0]), "order must be a list of integers, not 0"),
    (lambda: NVMMA([64, 64], [1, 0], tl.int1, [1, 1], [1, 1], [1, 0], False, True), "elemType must be of 8, 16, 32 or 64 bits"),
    (lambda: NVMMA([2, 8, 8], [0, 1, 2], tl.int8, [1] * 3, [1] * 3, [2, 1, 0], False, True), "order (0, 1, 2) must be row-major"),
    (lambda: NVMMA([64, 64], [1, 0], tl.int8, [1, 1], [2, 1], [1, 0], False, True), "numCTASplit (2, 1)"),
    (lambda: NVMMA([64, 64], [1, 0], tl.int8, [1, 1], [1, 1], [1, 1], False, True), "numCTAOrder (1, 1) is not a permutation"),
    (lambda: NVMMA([64, 64], [1, 0], tl.int8, [1, 1], [1, 1], [1, 0], True, True), "fp4Padded"),
    (lambda: NVMMA.make_default(64, tl.int8), "shape must be a list of extents, not 64"),
    (lambda: tle.gpu.tensor_memory_layout.make_default([64]), "shape must be two extents"),
])
def test_a9_names_what_is_wrong(build, says: str) -> None:
    with pytest.raises(LayoutError) as caught:
        build()
    assert str(caught.value).startswith("[A9] ") and says in str(caught.value)


def buffer_type(shape: tuple[int, ...], layout: tle.gpu.shared_layout, dtype: tl.dtype = tl.float16,
                alloc_shape: tuple[int, ...] | None = None) -> buffered_tensor_type:
    return buffered_tensor_type(dtype, shape, tle.gpu.smem, layout, alloc_shape or shape)


def test_type_identity_and_mangled_names() -> None:
    nvmma, plain = NVMMA.make_default([64, 32], tl.float16), SWIZZLED.make_default(2)
    types = [buffer_type((64, 32), nvmma), buffer_type((64, 32), plain), buffer_type((64, 32), plain, tl.bfloat16),
             buffer_type((64, 32), nvmma, alloc_shape=(64, 64)), buffer_type((32, 64), plain)]
    assert len({type.mangle() for type in types}) == len(set(types)) == len(types)
    assert types[0] == buffer_type((64, 32), NVMMA.make_default((64, 32), tl.float16))
    assert types[0].mangle().startswith("buffered_fp16S64_32L")
    assert types[3].mangle().startswith("buffered_fp16S64_32A64_64L")
    assert str(types[0]) == "buffered_tensor<64x32xfp16, share_memory>"


def test_shared_and_global_pointers_never_mix() -> None:
    shared, other = shared_pointer_type(tl.float16), tl.pointer_type(tl.float16)
    assert shared != other and other != shared
    assert shared == shared_pointer_type(tl.float16) and hash(shared) == hash(shared_pointer_type(tl.float16))
    assert shared.mangle() != other.mangle()
