"""Every compile-time rule of the front end: the message, its number, and the line of the user's source it points to.

Barriers, WGMMA and warp specialization have files of their own.
"""
from __future__ import annotations

import pickle
import re
import subprocess
import sys

import pytest
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.errors import NotInThisVersionError
from flagtree.language import absent
from flagtree.language.errors import OutsideKernelError, SlotIndexRangeError
from triton.experimental import gluon
from triton.compiler.errors import CompilationError

from tests.tle.language.cases import Case, Cases, call_with_buffers, functions_of_triton
from tests.tle.language.compiling import ttir

CASES = Cases()
breaks = CASES.breaks


# --- alloc ---------------------------------------------------------------------------------------------------------


@breaks("A2", "Shape parameter must be tuple or list, but got 64 (int)")
def alloc_shape_int():
    tle.gpu.alloc(64, tl.float16)  # <-


@breaks("A2", "Shape parameter must be tuple or list, but got None")
def alloc_shape_none():
    tle.gpu.alloc(None, tl.float16)  # <-


@breaks("A3", "shape[1] must be a compile-time integer, but got a scalar of type int32")
def alloc_extent_runtime(n):
    tle.gpu.alloc([64, n], tl.float16)  # <-


@breaks("A3", "shape[0] must be a compile-time integer, but got 64.0 (float)")
def alloc_extent_float():
    tle.gpu.alloc([64.0, 64], tl.float16)  # <-


@breaks("A3", "shape[0] must be a compile-time integer, but got True (bool)")
def alloc_extent_bool():
    tle.gpu.alloc([True, 64], tl.float16)  # <-


@breaks("A4", "has rank 0; a shared buffer has 1 to 5 dimensions")
def alloc_rank_0():
    tle.gpu.alloc((), tl.float16)  # <-


@breaks("A4", "has rank 6")
def alloc_rank_6():
    tle.gpu.alloc([2, 2, 2, 2, 2, 2], tl.float16)  # <-


@breaks("A5", "shape[1] = 48 of shape (64, 48) is not allowed")
def alloc_not_power_of_two():
    tle.gpu.alloc([64, 48], tl.float16)  # <-


@breaks("A5", "shape[0] = 3 of shape (3,)")
def alloc_vector_of_three():
    tle.gpu.alloc([3], tl.float16)  # <-


@breaks("A5", "shape[0] = 0 of shape (0, 64)")
def alloc_empty():
    tle.gpu.alloc([0, 64], tl.float16)  # <-


@breaks("A5", "shape[1] = -64")
def alloc_negative():
    tle.gpu.alloc([64, -64], tl.float16)  # <-


@breaks("A6", "Data type must be tl.dtype, but got 'float16' (str)")
def alloc_dtype_string():
    tle.gpu.alloc([64, 64], "float16")  # <-


@breaks("A6", "Data type must be tl.dtype, but got None")
def alloc_dtype_none():
    tle.gpu.alloc([64, 64], None)  # <-


@breaks("A7", "cannot hold elements of type int1")
def alloc_bool():
    tle.gpu.alloc([64, 64], tl.int1)  # <-


@breaks("A7", "cannot hold elements of type pointer<fp16>")
def alloc_pointers(x):
    tle.gpu.alloc([64, 64], x.dtype)  # <-


@breaks("A7", "cannot hold elements of type void")
def alloc_void():
    tle.gpu.alloc([64, 64], tl.void)  # <-


@breaks("A8", "Layout must be tle.shared_layout or None, but got 'row' (str)")
def alloc_layout_string():
    tle.gpu.alloc([64, 64], tl.float16, layout="row")  # <-


@breaks("A9", "it is for rank 1, the buffer's shape (64, 64) has rank 2")
def alloc_layout_rank():
    tle.gpu.alloc([64, 64], tl.float16, layout=tle.gpu.swizzled_shared_layout.make_default(1))  # <-


@breaks("A9", "it is for shape (64, 32), the buffer's shape is (64, 64)")
def alloc_layout_shape():
    tle.gpu.alloc([64, 64], tl.float16, layout=tle.gpu.nv_mma_shared_layout.make_default([64, 32], tl.float16))  # <-


@breaks("A9", "it is for elements of type fp32, the buffer holds fp16")
def alloc_layout_dtype():
    tle.gpu.alloc([64, 64], tl.float16, layout=tle.gpu.nv_mma_shared_layout.make_default([64, 64], tl.float32))  # <-


@breaks("A9", "it is for tensor memory")
def alloc_layout_tensor_memory():
    tle.gpu.alloc([64, 64], tl.float16, layout=tle.gpu.tensor_memory_layout.make_default([64, 64]))  # <-


@breaks("A9", "rank must be a positive integer, not 0")
def layout_rank_zero():
    tle.gpu.alloc([64], tl.float16, layout=tle.gpu.swizzled_shared_layout.make_default(0))  # <-


@breaks("A10", "Storage type must be tle.scope, but got 'smem' (str)")
def alloc_scope_string():
    tle.gpu.alloc([64, 64], tl.float16, scope="smem")  # <-


@breaks("A11", "Storage type tensor_memory not yet supported")
def alloc_tmem():
    tle.gpu.alloc([64, 64], tl.float16, scope=tle.gpu.tmem)  # <-


@breaks("A11", "Storage type tensor_memory not yet supported")
def alloc_tmem_before_layout():
    tle.gpu.alloc([64, 64], tl.float16, layout="not looked at", scope=tle.gpu.tmem)  # <-


@breaks("A12", "needs 262144 bytes of shared memory, but a block on sm_90 has at most 232448 bytes")
def alloc_too_large():
    tle.gpu.alloc([4, 128, 128], tl.float32)  # <-


@breaks("A12", "a block on sm_80 has at most 166912 bytes", capability=80)
def alloc_too_large_for_ampere():
    tle.gpu.alloc([3, 128, 128], tl.float32)  # <-


@breaks("A12", "a block on sm_89 has at most 101376 bytes", capability=89)
def alloc_too_large_for_ada():
    tle.gpu.alloc([2, 128, 128], tl.float32)  # <-


@breaks("A13", "init_value must be a tl.tensor or None, but got 0.0 (float)")
def alloc_init_number():
    tle.gpu.alloc([64, 64], tl.float16, init_value=0.0)  # <-


@breaks("A14", "init_value of shape (32, 64) and type fp16 does not fit a buffer of shape (64, 64) and type fp16")
def alloc_init_shape():
    v = tl.zeros([32, 64], tl.float16)
    tle.gpu.alloc([64, 64], tl.float16, init_value=v)  # <-


@breaks("A14", "init_value of shape (64, 64) and type fp32")
def alloc_init_dtype():
    v = tl.zeros([64, 64], tl.float32)
    tle.gpu.alloc([64, 64], tl.float16, init_value=v)  # <-


@breaks("A14", "init_value of shape () and type int32")
def alloc_init_scalar(n):
    tle.gpu.alloc([64, 64], tl.int32, init_value=n)  # <-


@breaks("A15", "nv_mma_shared_layout must be a compile-time bool, but got 1 (int)")
def alloc_flag():
    tle.gpu.alloc([64, 64], tl.float16, nv_mma_shared_layout=1)  # <-


@breaks("A16", "compiled with num_ctas=2", num_ctas=2)
def alloc_num_ctas():
    tle.gpu.alloc([64, 64], tl.float16)  # <-


@breaks("I10", "compiled for sm_75", capability=75)
def alloc_turing():
    tle.gpu.alloc([64, 64], tl.float16)  # <-


@breaks("A44", "scope must be 'share_memory' or 'tensor_memory', but got 'local'")
def scope_name():
    tle.gpu.alloc([64, 64], tl.float16, scope=tle.gpu.scope("local"))  # <-


# --- buffers -------------------------------------------------------------------------------------------------------


@breaks("A17", "buffered_tensor.slot requires a rank >= 2 buffer, but this one has shape (64,)")
def slot_of_vector():
    buf = tle.gpu.alloc([64], tl.float16)
    buf.slot(0)  # <-


@breaks("A18", "stage must be integer, got 0.5 (float)")
def slot_float():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[0.5]  # <-


@breaks("A18", "stage must be integer, got a scalar of type fp32")
def slot_float_scalar(ratio):
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[ratio]  # <-


@breaks("A18", "stage must be integer, got None")
def slot_none():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf.slot(None)  # <-


@breaks("A18", "stage must be integer, got True (bool)")
def slot_bool():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[True]  # <-


@breaks("A18", "stage must be integer, got a tensor of shape (2,) and type int32")
def slot_tensor():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[tl.arange(0, 2)]  # <-


@breaks("A18", "one leading dimension at a time")
def slot_two_indices():
    buf = tle.gpu.alloc([2, 64, 64], tl.float16)
    buf[0, 1]  # <-


@breaks("A18", "one leading dimension at a time")
def slot_slice():
    buf = tle.gpu.alloc([2, 64, 64], tl.float16)
    buf[0:1]  # <-


@breaks("A19", "stage must be int32, got int64")
def slot_int64(wide):
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[wide]  # <-


@breaks("A24", "stage 2 is out of bounds for a buffer of shape (2, 64) with 2 stages; allowed are 0 to 1")
def slot_out_of_range():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[2]  # <-


@breaks("A24", "stage -1 is out of bounds")
def slot_negative():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    buf[-1]  # <-


@breaks("A40", "buffered_tensor.load moves a whole buffer as one block tensor, but the buffer's shape (3, 64)")
def load_ring():
    buf = tle.gpu.alloc([3, 64], tl.float16)
    buf.load()  # <-


@breaks("A40", "copy moves a whole buffer")
def copy_ring(x):
    buf = tle.gpu.alloc([3, 64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [3, 64])  # <-


@breaks("A40", "local_ptr moves a whole buffer")
def local_ptr_ring():
    buf = tle.gpu.alloc([3, 64], tl.float16)
    tle.gpu.local_ptr(buf)  # <-


@breaks("A41", "buffered_tensor.store takes a tl.tensor, but got 1.0 (float)")
def store_number():
    buf = tle.gpu.alloc([64], tl.float16)
    buf.store(1.0)  # <-


@breaks("A42", "the value has shape (32,) and type fp16, the buffer (64,) and fp16")
def store_shape():
    buf = tle.gpu.alloc([64], tl.float16)
    v = tl.zeros([32], tl.float16)
    buf.store(v)  # <-


@breaks("A42", "the value has shape (64,) and type fp32, the buffer (64,) and fp16")
def store_dtype():
    buf = tle.gpu.alloc([64], tl.float16)
    v = tl.zeros([64], tl.float32)
    buf.store(v)  # <-


@breaks("A43", "target_shape (32,) is not (64,)")
def load_target_shape():
    buf = tle.gpu.alloc([64], tl.float16)
    buf.load(target_shape=[32])  # <-


# --- copy ----------------------------------------------------------------------------------------------------------


@breaks("C1", "Source parameter must be tl.tensor, tle.buffered_tensor or tl.tensor_descriptor, but got None")
def copy_source_none():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(None, buf, [64])  # <-


@breaks("C2", "Destination parameter must be tl.tensor, tle.buffered_tensor or tl.tensor_descriptor, but got 3 (int)")
def copy_destination_int(x):
    tle.gpu.copy(x + tl.arange(0, 64), 3, [64])  # <-


@breaks("C3", "Invalid copy combination: src=a tensor of shape (64,)")
def copy_global_to_global(x):
    p = x + tl.arange(0, 64)
    tle.gpu.copy(p, p, [64])  # <-


@breaks("C3", "Invalid copy combination: src=buffered_tensor<64xfp16, share_memory>")
def copy_shared_to_shared():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(buf, buf, [64])  # <-


@breaks("C4", "Shape parameter must be tuple or list of compile-time integers, but got 64 (int)")
def copy_shape_int(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, 64)  # <-


@breaks("C4", "Shape parameter must be tuple or list of compile-time integers, but got None")
def copy_shape_none(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, shape=None)  # <-


@breaks("C4", "but got a tuple (a scalar of type int32)")
def copy_shape_runtime(x, n):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [n])  # <-


@breaks("C5", "copy shape (32,) is not the buffer's shape (64,)")
def copy_shape_of_part(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 32), buf, [32])  # <-


@breaks("C5", "copy shape (64,) is not the buffer's shape (2, 64)")
def copy_shape_of_stage(x):
    buf = tle.gpu.alloc([2, 64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64])  # <-


@breaks("C6", "must be a tensor of global pointers, one for each element, but got a tensor of shape (64,) and type int32")
def copy_from_values():
    buf = tle.gpu.alloc([64], tl.int32)
    tle.gpu.copy(tl.arange(0, 64), buf, [64])  # <-


@breaks("C6", "but got a scalar of type pointer<fp16>")
def copy_from_scalar_pointer(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x, buf, [64])  # <-


@breaks("C6", "to shared memory")
def copy_from_shared_pointers():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(tle.gpu.local_ptr(buf), buf, [64])  # <-


@breaks("C6", "must be a tensor of global pointers")
def copy_from_block_pointer(x):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    p = tl.make_block_ptr(x, (64, 64), (64, 1), (0, 0), (64, 64), (1, 0))
    tle.gpu.copy(p, buf, [64, 64])  # <-


@breaks("C7", "the pointer tensor has shape (32,), the buffer (64,)")
def copy_pointer_shape(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 32), buf, [64])  # <-


@breaks("C8", "the pointers are to fp16, the buffer holds fp32")
def copy_pointer_dtype(x):
    buf = tle.gpu.alloc([64], tl.float32)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64])  # <-


@breaks("C8", "the pointers are to fp16, the buffer holds bf16")
def copy_out_pointer_dtype(x):
    buf = tle.gpu.alloc([64], tl.bfloat16)
    tle.gpu.copy(buf, x + tl.arange(0, 64), [64])  # <-


@breaks("C9", "copy mask must be a boolean tensor or None, but got a tensor of shape (64,) and type int32")
def copy_mask_dtype(x):
    buf = tle.gpu.alloc([64], tl.float16)
    o = tl.arange(0, 64)
    tle.gpu.copy(x + o, buf, [64], mask=o)  # <-


@breaks("C9", "copy mask must be a boolean tensor or None, but got 1 (int)")
def copy_mask_int(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64], mask=1)  # <-


@breaks("C10", "copy mask of shape (32,) cannot be broadcast to the buffer's shape (64,)")
def copy_mask_shape(x, n):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64], mask=tl.arange(0, 32) < n)  # <-


@breaks("C11", "copy mask is only supported for standard pointer-tensor copies")
def copy_mask_tma(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], offsets=[0, 0], mask=tl.full([64, 64], 1, tl.int1))  # <-


@breaks("C12", "a pointer copy does not take offsets, but got a tuple (0 (int))")
def copy_offsets_with_pointers(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.copy(x + tl.arange(0, 64), buf, [64], offsets=[0])  # <-


@breaks("C13", "TMA copy requires offsets")
def copy_offsets_missing(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64])  # <-


@breaks("C13", "but got 0 (int)")
def copy_offsets_int(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], 0)  # <-


@breaks("C14", "Offsets and descriptor shape must have the same rank: got 1 offsets for a descriptor of block shape (64, 64)")
def copy_offsets_rank(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(buf, d, [64, 64], [0])  # <-


@breaks("C15", "copy offsets[1] must be a scalar integer of at most 32 bits, but got a scalar of type int64")
def copy_offset_int64(x, n, wide):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [0, wide])  # <-


@breaks("C15", "copy offsets[0] must be a scalar integer of at most 32 bits, but got 1.5 (float)")
def copy_offset_float(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [1.5, 0])  # <-


@breaks("C19", "the innermost offset of an access through a descriptor must be a multiple of 8 elements of type fp16, 16 bytes, but is 12.")
def copy_offset_between_chunks(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [n, 12])  # <-


@breaks("C16", "the descriptor's block shape (64, 64) does not fit the buffer's shape (64, 32)")
def copy_descriptor_shape(x, n):
    buf = tle.gpu.alloc([64, 32], tl.float16)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 32], [0, 0])  # <-


@breaks("C17", "the descriptor's element type fp16 is not the buffer's fp32")
def copy_descriptor_dtype(x, n):
    buf = tle.gpu.alloc([64, 64], tl.float32)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [64, 64])
    tle.gpu.copy(d, buf, [64, 64], [0, 0])  # <-


# --- local_ptr, load, memory_space -----------------------------------------------------------------------------------


@breaks("L1", "Buffer parameter must be tle.buffered_tensor, but got a tensor of shape (64,)")
def local_ptr_of_tensor(x):
    tle.gpu.local_ptr(x + tl.arange(0, 64))  # <-


@breaks("L2", "local_ptr indices must be a tuple/list of tensors or None, but got 0 (int)")
def local_ptr_int():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.local_ptr(buf, 0)  # <-


@breaks("L2", "but got a tensor of shape (64,) and type int32")
def local_ptr_bare_tensor():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.local_ptr(buf, tl.arange(0, 64))  # <-


@breaks("L3", "local_ptr indices cannot be empty")
def local_ptr_empty():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.local_ptr(buf, ())  # <-


@breaks("L4", "local_ptr indices must provide 2 tensors, got 1")
def local_ptr_count():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.local_ptr(buf, (tl.arange(0, 64), ))  # <-


@breaks("L5", "local_ptr indices must use integer dtypes, but indices[0] is a tensor of shape (64,) and type fp32")
def local_ptr_float():
    buf = tle.gpu.alloc([64], tl.float16)
    tle.gpu.local_ptr(buf, (tl.arange(0, 64).to(tl.float32), ))  # <-


@breaks("L5", "indices[1] is None")
def local_ptr_none():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.local_ptr(buf, (0, None))  # <-


@breaks("L6", "all scalar or all tensors with identical shapes, but got shapes [(64,), ()]")
def local_ptr_mix():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.local_ptr(buf, (tl.arange(0, 64), 0))  # <-


@breaks("L7", "local_ptr indices must have identical shapes, but got [(64, 1), (1, 64)]")
def local_ptr_shapes():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    o = tl.arange(0, 64)
    tle.gpu.local_ptr(buf, (o[:, None], o[None, :]))  # <-


@breaks("L8", "indices[1] = 64 is out of bounds for extent 64 of a buffer of shape (2, 64); allowed are 0 to 63")
def local_ptr_out_of_range():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    tle.gpu.local_ptr(buf, (0, 64))  # <-


@breaks("L8", "indices[0] = -1")
def local_ptr_negative():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    tle.gpu.local_ptr(buf, (-1, 0))  # <-


@breaks("L9", "is_async must be a compile-time bool, but got a scalar of type int32")
def load_async_runtime(x, n):
    tle.load(x + tl.arange(0, 64), is_async=n)  # <-


@breaks("M1", "memory_space expects a block tl.tensor, but got a scalar of type int32")
def memory_space_scalar(n):
    tle.gpu.memory_space(n, tle.gpu.smem)  # <-


@breaks("M2", "memory_space expects tle.gpu.smem or 'smem', but got scope")
def memory_space_tmem():
    tle.gpu.memory_space(tl.zeros([64], tl.float32), tle.gpu.tmem)  # <-


@breaks("M2", "but got a scalar of type int32")
def memory_space_at_run_time(n):
    tle.gpu.memory_space(tl.zeros([64], tl.float32), n)  # <-


@breaks("M2", "but got 'register' (str)")
def memory_space_name():
    tle.gpu.storage_kind(tl.zeros([64], tl.float32), "register")  # <-


# --- buffers and barriers are no tensors ---------------------------------------------------------------------------


@breaks("A46", "buffered_tensor<64x64xfp16, share_memory> is no tensor and cannot be given to trans. Load a buffer first, buf.load()")
def trans_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.trans(buf)  # <-


@breaks("A46", "has no 'T'")
def transposed_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.gpu.wgmma(buf, buf.T)  # <-


@breaks("A46", "cannot be given to dot")
def dot_of_buffers():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.dot(buf, buf)  # <-


@breaks("A46", "cannot be given to load")
def load_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.load(buf)  # <-


@breaks("A46", "barriers[2]<arrive_count=1, PENDING> is no tensor and cannot be given to reshape")
def reshape_of_barriers():
    bars = tle.gpu.alloc_barriers(2)
    tl.reshape(bars, [1, 2])  # <-


@breaks("A46", "is no tensor and cannot be given to store. Load a buffer first, buf.load() or tl.load(tle.gpu.local_ptr(buf, indices)), write it with buf.store(x)")
def store_to_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.store(buf, 1.0)  # <-


@breaks("A46", "buffered_tensor<64x64xfp16, share_memory> is no tensor and cannot be given to store. Load a buffer first")
def store_of_a_buffer(x):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.store(x, buf)  # <-


@breaks("A46", "cannot be given to exp")
def exp_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.exp(buf)  # <-


@breaks("A46", "cannot be given to where")
def where_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.where(buf, 1, 2)  # <-


@breaks("A46", "cannot be given to load")
def mask_of_a_buffer(x):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.load(x, mask=buf)  # <-


@breaks("A46", "cannot be given to device_assert")
def assertion_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf)  # <-


@breaks("A46", "cannot be given to sum")
def sum_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.sum(buf, 0)  # <-


@breaks("A46", "cannot be given to to.")
def type_of_a_buffer(x):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.load(x).to(buf)  # <-


@breaks("A46", "cannot be given to make_block_ptr")
def block_pointer_at_a_barrier(x, n):
    bar = tle.gpu.alloc_barrier()
    tl.make_block_ptr(x, (n, n), (n, 1), (0, bar), (64, 64), (1, 0))  # <-


@breaks("A46", "cannot be given to load.")
def asynchronous_load_of_a_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tle.load(buf, is_async=True)  # <-


@breaks("A46", "barriers[2]<arrive_count=1, PENDING> is no tensor and cannot be given to maximum")
def maximum_of_barriers():
    bars = tle.gpu.alloc_barriers(2)
    tl.maximum(bars, 1)  # <-


@pytest.mark.parametrize("name", functions_of_triton())
def test_functions_of_triton_take_no_buffer(name, tmp_path) -> None:
    """Stock Triton must not get to see it: libtriton would abort."""
    call_with_buffers(name, tmp_path).check_compiled()


@triton.jit
def takes_its_zeros_from_a_buffer(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tl.store(x + tl.arange(0, 64), tl.zeros_like(buf))
    tl.static_print(buf)


def test_functions_that_use_no_contents() -> None:
    assert "dense<0.000000e+00> : tensor<64xf16>" in ttir(takes_its_zeros_from_a_buffer, {"x": "*fp16"})


# --- operators and statements -------------------------------------------------------------------------------------------------------


@triton.jit
def takes_two(first, second):
    pass


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator +. Compute with its contents, x = buf.load()")
def buffer_plus_one():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf + 1)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator +")
def buffer_one_plus():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(1 + buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator *")
def buffer_of_two():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf * buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator -")
def buffer_negated():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(-buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator ~")
def buffer_inverted():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(~buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator <")
def buffer_less():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf < 1)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator >")
def buffer_greater_reversed():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(1 < buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator ==")
def buffer_equal():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf == 0)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator !=")
def buffer_unequal():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf != buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no truth value")
def buffer_negation():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(not buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no truth value")
def buffer_conjunction():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf and True)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator //")
def buffer_halved():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf // 2)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator /")
def buffer_quotient():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf / 2)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator %")
def buffer_remainder():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf % 2)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator <<")
def buffer_shifted():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf << 1)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator **")
def buffer_power():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf**2)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator &")
def buffer_bits():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf & 1)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator -")
def buffer_difference():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(1 - buf)  # <-


@breaks("A48", "buffered_tensor<64x64xfp16, share_memory> is a buffer, a place in shared memory, which has no operator +")
def buffer_in_place():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    buf += 1  # <-


@breaks("A48", "which has no operator +")
def pointer_plus_a_buffer(x):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    x += buf  # <-


@breaks("A48", "which has no operator *")
def buffer_times_scalar(ratio):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(buf * ratio)  # <-


@breaks("A48", "which has no operator ==")
def scalar_equal_to_buffer(n):
    buf = tle.gpu.alloc([64, 64], tl.float16)
    tl.device_assert(n == buf)  # <-


@breaks("B42", "and so no operator <")
def scalar_less_than_barrier(n):
    bar = tle.gpu.alloc_barrier()
    while n < bar:  # <-
        pass


@breaks("A48", "which has no conversion to a tensor")
def asserted_buffer():
    buf = tle.gpu.alloc([64, 64], tl.float16)
    assert buf  # <-


@breaks("A48", "which has no elements to assign to")
def assigned_element():
    buf = tle.gpu.alloc([64], tl.float16)
    buf[0] = 1  # <-


@breaks("A48", "which has no truth value")
def buffer_as_condition():
    buf = tle.gpu.alloc([64], tl.float16)
    if buf:  # <-
        pass


@breaks("A48", "which has no truth value")
def slot_as_condition(n):
    ring = tle.gpu.alloc([2, 64], tl.float16)
    if n == 0:
        pass
    elif ring[n % 2]:  # <-
        pass


@breaks("A48", "which has no truth value")
def buffer_that_chooses():
    buf = tle.gpu.alloc([64], tl.float16)
    tl.device_assert(1 if buf else 0)  # <-


@breaks("A48", "which has no truth value")
def buffer_in_while():
    buf = tle.gpu.alloc([64], tl.float16)
    while buf:  # <-
        pass


@breaks("A48", "which has no elements to iterate over")
def iterated_buffer():
    buf = tle.gpu.alloc([64], tl.float16)
    for _ in buf:  # <-
        pass


@breaks("A48", "which has no elements to iterate over")
def unpacked_ring():
    ring = tle.gpu.alloc([2, 64], tl.float16)
    even, odd = ring  # <-


@breaks("A48", "which has no elements to iterate over")
def spread_ring():
    ring = tle.gpu.alloc([2, 64], tl.float16)
    takes_two(*ring)  # <-


@breaks("A48", "which has no integer value")
def range_of_a_buffer():
    buf = tle.gpu.alloc([64], tl.float16)
    for _ in range(buf):  # <-
        pass


@breaks("A48", "which has no integer value")
def static_range_of_a_buffer():
    buf = tle.gpu.alloc([64], tl.float16)
    for _ in tl.static_range(0, buf):  # <-
        pass


@breaks("A48", "which has no length")
def length_of_a_buffer():
    buf = tle.gpu.alloc([64], tl.float16)
    tl.device_assert(len(buf))  # <-


@breaks("B42", "and so no truth value")
def barrier_as_condition():
    bar = tle.gpu.alloc_barrier()
    if bar:  # <-
        pass


@breaks("B42", "and so no elements to iterate over")
def iterated_barriers():
    bars = tle.gpu.alloc_barriers(2)
    for _ in bars:  # <-
        pass


@breaks("A49", "current is barriers[2]<arrive_count=1, PENDING> before a loop, but barrier slot<arrive_count=1, PENDING> at the end of its iterations.")
def loop_that_turns_barriers_into_one(n):
    current = tle.gpu.alloc_barriers(2)
    for _ in range(n):  # <-
        current = current[0]


@breaks("A49", "current is buffered_tensor<2x64xfp16, share_memory> before a loop, but buffered_tensor<64xfp16, share_memory> at the end")
def loop_that_turns_a_ring_into_a_stage(n):
    ring = tle.gpu.alloc([2, 64], tl.float16)
    current = ring
    while n > 0:  # <-
        current = ring[0]
        n -= 1
    current.load()


@breaks("A49", "current is a scalar of type int32 before a loop, but buffered_tensor<64xfp16, share_memory> at the end")
def loop_that_turns_a_number_into_a_buffer(n):
    buf = tle.gpu.alloc([64], tl.float16)
    current = n
    for _ in range(n):  # <-
        current = buf
    tl.device_assert(current)


@breaks("A49", "current is a tuple (buffered_tensor<2x64xfp16, share_memory>, a scalar of type int32) before a loop, but")
def loop_that_turns_the_ring_in_a_tuple_into_a_stage(n):
    ring = tle.gpu.alloc([2, 64], tl.float16)
    current = (ring, 1)
    for _ in range(n):  # <-
        current = (ring[0], 1)
    current[0].load()


@breaks("A49", "but buffered_tensor<16x64xfp16, share_memory> of another layout at the end of its iterations.")
def loop_that_changes_the_layout(n):
    current = tle.gpu.alloc([16, 64], tl.float16)
    other = tle.gpu.alloc([16, 64], tl.float16, nv_mma_shared_layout=False)
    for _ in range(n):  # <-
        current = other
    current.load()


@breaks("A50", "kernel returned_buffer returns buffered_tensor<64xfp16, share_memory>, which ends with its block.")
def returned_buffer():
    return tle.gpu.alloc([64], tl.float16)  # <-


@breaks("A50", "kernel returned_barrier returns barrier slot<arrive_count=1, PENDING>, which ends with its block.")
def returned_barrier(n):
    bars = tle.gpu.alloc_barriers(2)
    return n, (bars[0], 1)  # <-


@triton.jit
def made_by_a_helper():
    bars = tle.gpu.alloc_barriers(2)
    return bars[0], tle.gpu.alloc([64], tl.float16)


@triton.jit
def takes_what_a_helper_returns():
    bar, buf = made_by_a_helper()
    tle.gpu.barrier_arrive(bar, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    buf.load()


def test_helpers_may_return_buffers() -> None:
    assert "tle.barrier_wait" in ttir(takes_what_a_helper_returns, {})


@breaks("B42", "barrier slot<arrive_count=1, PENDING> has no value that a kernel could use, and so no operator +. Wait and arrive with tle.gpu.barrier_wait")
def barrier_plus_one():
    bar = tle.gpu.alloc_barrier()
    tl.device_assert(bar + 1)  # <-


@breaks("B42", "barrier slot<arrive_count=1, PENDING> has no value that a kernel could use, and so no operator ==")
def barrier_equal():
    bar = tle.gpu.alloc_barrier()
    tl.device_assert(bar == 0)  # <-


@breaks("B42", "barrier slot<arrive_count=1, PENDING> has no value that a kernel could use, and so no truth value")
def barrier_negation():
    bar = tle.gpu.alloc_barrier()
    tl.device_assert(not bar)  # <-


@breaks("B42", "barrier slot<arrive_count=1, PENDING> has no value that a kernel could use, and so no truth value")
def barrier_disjunction():
    bar = tle.gpu.alloc_barrier()
    tl.device_assert(bar or True)  # <-


@breaks("B42", "barrier slot<arrive_count=1, PENDING> has no value that a kernel could use, and so no operator <")
def barrier_less():
    bar = tle.gpu.alloc_barrier()
    tl.device_assert(bar < 1)  # <-


@breaks("B42", "barriers[2]<arrive_count=1, PENDING> has no value that a kernel could use, and so no operator -")
def barriers_minus_one():
    bars = tle.gpu.alloc_barriers(2)
    tl.device_assert(bars - 1)  # <-


@triton.jit
def compares_to_none(x):
    buf, bar = tle.gpu.alloc([64, 64], tl.float16), tle.gpu.alloc_barrier()
    tl.static_assert(buf is not None and bar is not None)
    tl.static_assert(buf != None and not (bar == None))  # noqa: E711
    tle.gpu.barrier_arrive(bar, phaseIdx=0)
    tle.gpu.barrier_wait(bar, phaseIdx=0)


def test_none_is_no_operand() -> None:
    assert "tle.barrier_wait" in ttir(compares_to_none, {"x": "*fp16"})


# --- calls ---------------------------------------------------------------------------------------------------------


@breaks("A47", "barrier_wait(bar, phaseIdx=...): got an unexpected keyword argument 'phase_idx'")
def misspelt_argument():
    bar = tle.gpu.alloc_barrier()
    tle.gpu.barrier_wait(bar, phase_idx=0)  # <-


@breaks("A47", "alloc(shape, dtype, layout=..., scope=..., init_value=..., nv_mma_shared_layout=...): missing a required argument: 'dtype'")
def missing_argument():
    tle.gpu.alloc([64, 64])  # <-


@breaks("A47", "buffered_tensor.store(value): too many positional arguments")
def too_many_arguments():
    buf = tle.gpu.alloc([64], tl.float16)
    buf.store(tl.zeros([64], tl.float16), 1, 2, 3)  # <-


# --- where an operation may stand ------------------------------------------------------------------------------------


@gluon.jit
def gluon_kernel():
    tle.gpu.alloc([64], tl.float16)  # <-


CASES.append(Case("I13", "function gluon_kernel is a Gluon kernel", gluon_kernel, 90, {}))


# --- names of FlagTree that are not here ---------------------------------------------------------------------------


@breaks("V3", "tle.gpu.to_tensor belongs to FlagTree's TLE")
def absent_in_gpu():
    tle.gpu.to_tensor(tle.gpu.alloc([64], tl.float16))  # <-


@breaks("V3", "tle.cumsum belongs to FlagTree's TLE")
def absent_in_language(n):
    tle.cumsum(n)  # <-


@breaks("V3", "tle.gpu.range belongs to FlagTree's TLE")
def absent_iterator(n):
    for _ in tle.gpu.range(0, n):  # <-
        tl.device_assert(n > 0)


@breaks("V3", "tle.B belongs to FlagTree's TLE")
def absent_constant(n):
    if tle.B == 1:  # <-
        tl.device_assert(n > 0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case: Case) -> None:
    case.check_compiled()


def test_absent_names_outside_a_kernel() -> None:
    for use in (lambda: tle.device_mesh({"block": 2}), lambda: tle.gpu.set_layout(1, 2)):
        with pytest.raises(NotInThisVersionError, match=r"\[V3\] tle\."):
            use()
    for module in (tle, tle.gpu):
        with pytest.raises(AttributeError, match=r"\[V5\] .*has no 'no_such_name'\. The README lists"):
            module.no_such_name  # noqa: B018
        assert not hasattr(module, "__no_such_protocol__")


@pytest.mark.parametrize("module, name, meant", [(tle, "alloc", "tle.gpu.alloc"), (tle.gpu, "aloc", "tle.gpu.alloc"), (tle.gpu, "load", "tle.load"),
                                                 (tle, "barier_wait", "tle.gpu.barrier_wait"), (tle.gpu, "warp_specialise", "tle.gpu.warp_specialize")])
def test_misspelt_names(module, name, meant) -> None:
    with pytest.raises(AttributeError, match=rf"\[V5\] .* has no '{name}'\. Is it {meant}\?"):
        getattr(module, name)


def test_no_name_is_both_here_and_absent() -> None:
    assert not absent.LANGUAGE & set(tle.__all__)
    assert not absent.GPU & set(tle.gpu.__all__)


def test_outside_a_kernel() -> None:
    with pytest.raises(OutsideKernelError, match=r"\[A1\] tle.alloc was called outside a kernel"):
        tle.gpu.alloc([64], tl.float16)


WRAPPED = """
import functools
from triton.compiler.code_generator import CodeGenerator
stock = CodeGenerator.call_Function
CodeGenerator.call_Function = functools.wraps(stock)(lambda *args: stock(*args))
import triton.experimental.tle.language
from flagtree.language import refusals
ours = CodeGenerator.call_Function, CodeGenerator.visit_Return
assert all(method.__globals__ is vars(refusals) for method in ours)
refusals.install()
assert ours == (CodeGenerator.call_Function, CodeGenerator.visit_Return)
"""


def test_rules_are_put_in_once_beside_what_others_put_there() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", WRAPPED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@triton.jit(noinline=True)
def not_inlined(x):
    buf = tle.gpu.alloc([64], tl.float16)
    tl.store(x + tl.arange(0, 64), buf.load())


@triton.jit
def calls_not_inlined(x):
    not_inlined(x)


def test_noinline_functions() -> None:
    with pytest.raises(CompilationError) as caught:
        ttir(calls_not_inlined, {"x": "*fp16"})
    inner = caught.value.__cause__
    assert "[A45] function not_inlined is noinline" in str(inner)
    assert "buf = tle.gpu.alloc([64], tl.float16)\n" in str(inner)


@triton.jit(noinline=True)
def hands_back(value):
    return value


@triton.jit
def gives_barriers_away():
    bars = tle.gpu.alloc_barriers(2)
    hands_back((1, bars))


@triton.jit
def gives_a_buffer_away(x):
    buf = tle.gpu.alloc([64], tl.float16, init_value=tl.load(x + tl.arange(0, 64)))
    tl.store(x + tl.arange(0, 64), hands_back(buf).load())


def test_noinline_functions_take_no_barriers() -> None:
    with pytest.raises(CompilationError) as caught:
        ttir(gives_barriers_away, {})
    assert "[A45] function hands_back is noinline" in str(caught.value) and "hands_back((1, bars))\n" in str(caught.value)
    assert re.search(r"tt\.call @\S*hands_back\S*\(.*memdesc<64xf16", ttir(gives_a_buffer_away, {"x": "*fp16"}))


@triton.jit
def helper_with_an_error(buf):
    return buf[7]


@triton.jit
def calls_helper_with_an_error():
    buf = tle.gpu.alloc([2, 64], tl.float16)
    helper_with_an_error(buf)


def test_an_error_in_a_helper_names_its_line_and_the_call() -> None:
    with pytest.raises(CompilationError) as caught:
        ttir(calls_helper_with_an_error, {})
    assert "helper_with_an_error(buf)\n" in str(caught.value)
    assert "return buf[7]\n" in str(caught.value.__cause__) and "[A24]" in str(caught.value.__cause__)


def test_errors_can_be_pickled() -> None:
    error = SlotIndexRangeError(index=3, shape=(2, 64), stages=2, last=1)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert type(pickle.loads(pickle.dumps(error))) is SlotIndexRangeError
