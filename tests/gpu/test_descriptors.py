"""TMA at the edges of tensors, boxes of every shape, and descriptors among other arguments."""
from __future__ import annotations

import descriptor_kernels as kernels
import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

DTYPES = [torch.float16, torch.float32, torch.int32, torch.int8]


def numbers(*shape: int, dtype: torch.dtype = torch.int32, device: str) -> torch.Tensor:
    return torch.randint(-50, 50, shape, device=device).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", [1, 16, 63, 64, 65, 1000])
def test_vectors(device, dtype, size):
    """The tail of a vector is not written beyond its last 16 bytes, and what is read there is zero."""
    block, whole = 64, -(-size * dtype.itemsize // 16) * 16 // dtype.itemsize
    src, dst = numbers(whole, dtype=dtype, device=device), torch.full((2000, ), 77, dtype=dtype, device=device)
    expected = dst.clone()
    expected[:whole] = src
    kernels.copy_row[(triton.cdiv(whole, block), )](TensorDescriptor.from_tensor(src, [block]), TensorDescriptor(dst, [whole], [1], [block]), block)
    assert torch.equal(dst, expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_a_vector_that_end_early(device, dtype):
    src, out = numbers(100, dtype=dtype, device=device), torch.full((2, 64), 77, dtype=dtype, device=device)
    ragged = TensorDescriptor(src, [1, 70], [112, 1], [1, 64])
    kernels.copy_tile[(2, )](ragged, out, 1, 64)
    assert torch.equal(out[0], src[:64]) and not out[1].any()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows, cols, pitch", [(20, 48, 512), (32, 464, 512), (40, 16, 16), (33, 496, 512)])
def test_stores_stay_inside(device, dtype, rows, cols, pitch):
    """Rows whose size is a multiple of 16 bytes: nothing is written behind them, nor below the last."""
    block = 16 * 16 // dtype.itemsize // 2
    whole = torch.full((rows + 64, pitch), 77, dtype=dtype, device=device)
    expected = whole.clone()
    expected[:rows, :cols] = 1
    view = TensorDescriptor(whole, [rows, cols], [pitch, 1], [32, block])
    kernels.store_tile[(triton.cdiv(rows, 32), triton.cdiv(cols, block))](view, 32, block)
    assert torch.equal(whole, expected)


@pytest.mark.parametrize("dtype, cols", [(torch.int8, 466), (torch.int16, 470), (torch.int32, 466)], ids=str)
def test_stores_end_at_sixteen_bytes(device, dtype, cols):
    """The hardware writes whole chunks of 16 bytes, and no further; what is inside is right."""
    whole = torch.full((32, 512), 77, dtype=dtype, device=device)
    kernels.store_tile[(1, triton.cdiv(cols, 32))](TensorDescriptor(whole, [32, cols], [512, 1], [32, 32]), 32, 32)
    chunk = 16 // dtype.itemsize
    assert bool((whole[:, :cols] == 1).all()) and bool((whole[:, triton.cdiv(cols, chunk) * chunk:] == 77).all())


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64, torch.uint8, torch.int16, torch.bfloat16], ids=str)
def test_types(device, dtype):
    src = numbers(64, 64, dtype=dtype, device=device)
    out = torch.zeros_like(src)
    kernels.copy_tile[(1, )](TensorDescriptor.from_tensor(src, [64, 64]), out, 64, 64)
    assert torch.equal(out, src)


@pytest.mark.parametrize("dtype, cols", [(torch.float16, 8), (torch.int8, 16), (torch.float8_e4m3fn, 16), (torch.float32, 4)], ids=str)
def test_rows_of_sixteen_bytes(device, dtype, cols):
    """The narrowest box, which has no swizzle."""
    src = torch.randn((128, cols), device=device).to(dtype)
    out = torch.zeros_like(src)
    kernels.copy_tile[(2, )](TensorDescriptor.from_tensor(src, [64, cols]), out, 64, cols)
    assert torch.equal(out.view(torch.int8), src.view(torch.int8))


@pytest.mark.parametrize("rows, cols", [(512, 64), (256, 128), (16, 512), (1, 512)])
def test_boxes_larger_than_tma_moves_at_once(device, rows, cols):
    src = torch.randn((rows, cols), device=device).half()
    out = torch.zeros_like(src)
    kernels.copy_tile[(1, )](TensorDescriptor.from_tensor(src, [rows, cols]), out, rows, cols)
    assert torch.equal(out, src)


def test_columns_of_a_wider_tensor(device):
    whole = numbers(64, 256, device=device)
    out = torch.zeros((64, 32), dtype=torch.int32, device=device)
    kernels.copy_tile[(1, )](TensorDescriptor.from_tensor(whole[:, 96:128], [64, 32]), out, 64, 32)
    assert torch.equal(out, whole[:, 96:128])


def test_five_among_integers(device):
    tiles = [numbers(32, 32, device=device) for _ in range(5)]
    factors = [3, -5, 7, 11, -13]
    out = torch.zeros((32, 32), dtype=torch.int32, device=device)
    arguments = [argument for tile, factor in zip(tiles, factors, strict=True) for argument in (TensorDescriptor.from_tensor(tile, [32, 32]), factor)]
    kernels.five[(1, )](*arguments, out, 32)
    assert torch.equal(out, sum(tile * factor for tile, factor in zip(tiles, factors, strict=True)))


def test_twenty_tensors(device):
    """Launched with other tensors each time: no launch sees a descriptor of the one before."""
    for _ in range(3):
        behind, plain = [[numbers(32, 32, device=device) for _ in range(10)] for _ in range(2)]
        out = torch.zeros((32, 32), dtype=torch.int32, device=device)
        arguments = [argument for number, tile in enumerate(behind, 1) for argument in (TensorDescriptor.from_tensor(tile, [32, 32]), number)]
        kernels.twenty[(1, )](*arguments, *plain, out, 32)
        assert torch.equal(out, sum((a + b) * number for number, (a, b) in enumerate(zip(behind, plain, strict=True), 1)))


def test_an_address_used_again(device):
    """The same memory as a tensor of another shape, strides and type."""
    memory = torch.randint(-128, 128, (64 * 1024, ), dtype=torch.int8, device=device)
    for dtype, rows, cols, pitch in [(torch.int32, 64, 32, 32), (torch.int32, 64, 32, 128), (torch.int32, 33, 32, 64), (torch.float16, 64, 32, 64),
                                     (torch.int32, 64, 32, 32), (torch.int8, 64, 32, 512)]:
        view = memory.view(dtype).as_strided((rows, cols), (pitch, 1))
        out = torch.full((64, 32), 77, device=device).to(dtype)
        kernels.copy_tile[(1, )](TensorDescriptor.from_tensor(view, [64, 32]), out, 64, 32)
        assert torch.equal(out[:rows].view(torch.int8), view.contiguous().view(torch.int8)) and not out[rows:].any()
        memory.add_(1)


class Elsewhere:
    """A tensor at another address."""

    def __init__(self, tensor: torch.Tensor, offset: int) -> None:
        self.dtype, self.device, self._address = tensor.dtype, tensor.device, tensor.data_ptr() + offset

    def data_ptr(self) -> int:
        return self._address


@pytest.mark.parametrize("shape, strides, block, offset, says", [
    ([64, 12], [12, 1], [64, 4], 0, "strides must be 16-byte aligned"),
    ([64, 64], [64, 1], [64, 64], 8, "base must be 16-byte aligned"),
    ([1] * 5 + [64], [64] * 5 + [1], [1] * 5 + [64], 0, "rank cannot be more than 5"),
    ([0, 64], [64, 1], [64, 64], 0, "shape must be positive"),
    ([64], [2], [64], 0, "Last dimension must be contiguous"),
    ([64, 64], [64, 2], [64, 64], 0, "Last dimension must be contiguous"),
], ids=["stride of 24 bytes", "base + 8", "rank 6", "extent of 0", "strided vector", "strided rows"])
def test_impossible_descriptors(device, shape, strides, block, offset, says):
    base = Elsewhere(torch.zeros(64 * 64, dtype=torch.int16, device=device), offset)
    with pytest.raises((AssertionError, ValueError), match=says):
        TensorDescriptor(base, shape, strides, block)


def test_an_empty_box(device):
    with pytest.raises(Exception, match=r"\[A5\]"):
        kernels.copy_tile[(1, )](TensorDescriptor(torch.zeros((64, 64), device=device), [64, 64], [64, 1], [0, 64]), torch.zeros(1, device=device), 0, 64)


def test_more_rows_than_tma_counts(device):
    """Refused when the kernel is launched, by the driver, and the next launch is none the worse. The simulator encodes nothing."""
    src = torch.randn((64, 64), device=device)
    out = torch.zeros_like(src)
    if device == "cuda":
        with pytest.raises(RuntimeError, match="Failed to create tensor map descriptor"):
            kernels.copy_tile[(1, )](TensorDescriptor(src, [2**33, 64], [64, 1], [64, 64]), out, 64, 64)
    kernels.copy_tile[(1, )](TensorDescriptor.from_tensor(src, [64, 64]), out, 64, 64)
    assert torch.equal(out, src)
