"""One exception class for each rule of the front end; docs/errors.md has a row for each.

Numbers from 20 to 39 belong to the verifiers and passes of the compiler core; A24 is checked on both sides.
A: alloc and buffers, C: copy, L: local_ptr and loads, M: memory_space, I: target and core (nvidia_backend/errors.py has the stage's).
"""
from __future__ import annotations

from flagtree.errors import TLEError


class OutsideKernelError(TLEError):
    rule = "A1"
    template = ("tle.{name} was called outside a kernel. It is a device operation: call it inside a function decorated "
                "with @triton.jit (launched on a GPU, or run with TRITON_INTERPRET=1).")


class AllocShapeTypeError(TLEError):
    rule = "A2"
    template = ("Shape parameter must be tuple or list, but got {got}. "
                "Write the extents of the buffer as a tuple of compile-time integers, e.g. shape=(128, 64).")


class AllocExtentTypeError(TLEError):
    rule = "A3"
    template = ("alloc shape[{axis}] must be a compile-time integer, but got {got}. "
                "Use a literal or a tl.constexpr: the size of shared memory is fixed when the kernel is compiled.")


class AllocRankError(TLEError):
    rule = "A4"
    template = "alloc shape {shape} has rank {rank}; a shared buffer has 1 to 5 dimensions. Merge or add dimensions of extent 1."


class AllocExtentError(TLEError):
    rule = "A5"
    template = ("alloc shape[{axis}] = {extent} of shape {shape} is not allowed: every extent must be a positive power of two, "
                "but for the leading (stage) dimension of a buffer of rank >= 2. Round it up and mask what is beyond.")


class AllocDtypeTypeError(TLEError):
    rule = "A6"
    template = "Data type must be tl.dtype, but got {got}. Write e.g. dtype=tl.float16."


class AllocDtypeError(TLEError):
    rule = "A7"
    template = ("alloc cannot hold elements of type {dtype}. Allowed are the integers of 8 to 64 bits and the floats of 8 "
                "to 64 bits; keep booleans as tl.int8 and pointers as tl.int64.")


class AllocLayoutTypeError(TLEError):
    rule = "A8"
    template = ("Layout must be tle.shared_layout or None, but got {got}. Pass None for the default, or build one with "
                "tle.gpu.nv_mma_shared_layout.make_default(shape, dtype) or tle.gpu.swizzled_shared_layout.make_default(rank).")


class LayoutError(TLEError):
    rule = "A9"
    template = "{layout} is not usable: {reason}. Start from its make_default."


class AllocScopeTypeError(TLEError):
    rule = "A10"
    template = "Storage type must be tle.scope, but got {got}. Use tle.gpu.smem."


class AllocTmemError(TLEError):
    rule = "A11"
    template = ("Storage type tensor_memory not yet supported: tensor memory exists on Blackwell only, buffers live in "
                "shared memory. Use scope=tle.gpu.smem.")


class AllocTooLargeError(TLEError):
    rule = "A12"
    template = ("a buffer of shape {shape} and type {dtype} needs {needed} bytes of shared memory, but a block on "
                "sm_{capability} has at most {limit} bytes. Use smaller tiles or fewer stages.")


class AllocInitTypeError(TLEError):
    rule = "A13"
    template = ("init_value must be a tl.tensor or None, but got {got}. "
                "For a constant write init_value=tl.full(shape, value, dtype).")


class AllocInitShapeError(TLEError):
    rule = "A14"
    template = ("init_value of shape {shape} and type {dtype} does not fit a buffer of shape {buffer_shape} and type "
                "{buffer_dtype}. Reshape or cast it first; nothing is converted silently.")


class AllocFlagTypeError(TLEError):
    rule = "A15"
    template = "nv_mma_shared_layout must be a compile-time bool, but got {got}. Write True or False, or give a layout."


class NumCTAsError(TLEError):
    rule = "A16"
    template = ("the kernel is compiled with num_ctas={num_ctas}, but shared buffers belong to one block of threads. "
                "Launch with num_ctas=1.")


class SlotRankError(TLEError):
    rule = "A17"
    template = ("buffered_tensor.slot requires a rank >= 2 buffer, but this one has shape {shape}. "
                "Allocate it with a leading stage dimension, e.g. shape=(2, 64).")


class SlotIndexTypeError(TLEError):
    rule = "A18"
    template = ("buffered_tensor.slot stage must be integer, got {got}: a stage index is one scalar int32 value. "
                "Index one leading dimension at a time, buf[i], with an int or a scalar int32.")


class SlotIndexWidthError(TLEError):
    rule = "A19"
    template = "buffered_tensor.slot stage must be int32, got {got}. Convert it: buf[i.to(tl.int32)]."


class SlotIndexRangeError(TLEError):
    rule = "A24"
    template = ("buffered_tensor.slot stage {index} is out of bounds for a buffer of shape {shape} with {stages} stages; "
                "allowed are 0 to {last}. Negative numbers do not count from the end; take the index modulo the stages.")


class WholeBufferError(TLEError):
    rule = "A40"
    template = ("{operation} moves a whole buffer as one block tensor, but the buffer's shape {shape} is not all powers of "
                "two. Index one stage first, e.g. buf[i].")


class StoreValueTypeError(TLEError):
    rule = "A41"
    template = "buffered_tensor.store takes a tl.tensor, but got {got}. For a constant write tl.full(shape, value, dtype)."


class StoreValueShapeError(TLEError):
    rule = "A42"
    template = ("buffered_tensor.store requires the full buffer shape and element type: the value has shape {shape} and type "
                "{dtype}, the buffer {buffer_shape} and {buffer_dtype}. Broadcast or cast the value first.")


class LoadShapeError(TLEError):
    rule = "A43"
    template = ("buffered_tensor.load requires the full buffer shape: target_shape {target} is not {shape}. "
                "Leave target_shape out and use tl.reshape on the result.")


class ScopeNameError(TLEError):
    rule = "A44"
    template = "scope must be 'share_memory' or 'tensor_memory', but got {got}. Use tle.gpu.smem."


class NoinlineError(TLEError):
    rule = "A45"
    template = ("function {function} is noinline, but TLE operations must become part of the kernel. "
                "Decorate it with @triton.jit without noinline=True.")


class CopySourceTypeError(TLEError):
    rule = "C1"
    template = ("Source parameter must be tl.tensor, tle.buffered_tensor or tl.tensor_descriptor, but got {got}. "
                "Buffers are made by tle.gpu.alloc.")


class CopyDestinationTypeError(TLEError):
    rule = "C2"
    template = ("Destination parameter must be tl.tensor, tle.buffered_tensor or tl.tensor_descriptor, but got {got}. "
                "Buffers are made by tle.gpu.alloc.")


class CopyCombinationError(TLEError):
    rule = "C3"
    template = ("Invalid copy combination: src={src}, dst={dst}. One operand must be tl.tensor of pointers or a tensor "
                "descriptor (global memory) and the other must be tle.buffered_tensor (local memory).")


class CopyShapeTypeError(TLEError):
    rule = "C4"
    template = ("Shape parameter must be tuple or list of compile-time integers, but got {got}. "
                "Write the shape of the buffer, e.g. shape=[64, 64].")


class CopyShapeError(TLEError):
    rule = "C5"
    template = ("copy shape {shape} is not the buffer's shape {buffer_shape}. The whole buffer is moved: "
                "give its shape, or index the stage you mean, e.g. buf[i].")


class CopyPointerError(TLEError):
    rule = "C6"
    template = ("the global side of a copy must be a tensor of global pointers, one for each element, but got {got}. "
                "Build it from the base pointer and tl.arange offsets.")


class CopyPointerShapeError(TLEError):
    rule = "C7"
    template = ("copy needs one pointer for each element of the buffer: the pointer tensor has shape {shape}, the buffer "
                "{buffer_shape}. Make both the same; broadcast the offsets explicitly.")


class CopyPointerDtypeError(TLEError):
    rule = "C8"
    template = ("copy moves bits and converts nothing: the pointers are to {dtype}, the buffer holds {buffer_dtype}. "
                "Allocate the buffer with the pointers' element type.")


class CopyMaskTypeError(TLEError):
    rule = "C9"
    template = "copy mask must be a boolean tensor or None, but got {got}. Compare something, e.g. mask=offs < n."


class CopyMaskShapeError(TLEError):
    rule = "C10"
    template = "copy mask of shape {shape} cannot be broadcast to the buffer's shape {buffer_shape}. Build it from the same offsets as the pointers."


class CopyMaskTmaError(TLEError):
    rule = "C11"
    template = ("copy mask is only supported for standard pointer-tensor copies. A descriptor copy needs none: elements "
                "outside the tensor are read as the descriptor's padding (zero by default) and not written.")


class CopyOffsetsError(TLEError):
    rule = "C12"
    template = "a pointer copy does not take offsets, but got {got}. Add them to the global pointers instead."


class CopyOffsetsMissingError(TLEError):
    rule = "C13"
    template = ("TMA copy requires offsets, a tuple or list of {rank} scalars, but got {got}. "
                "Give the position of the block's first element in each dimension of the descriptor.")


class CopyOffsetsRankError(TLEError):
    rule = "C14"
    template = ("Offsets and descriptor shape must have the same rank: got {count} offsets for a descriptor of block "
                "shape {shape}. Give one offset for each dimension.")


class CopyOffsetTypeError(TLEError):
    rule = "C15"
    template = ("copy offsets[{axis}] must be a scalar integer of at most 32 bits, but got {got}. "
                "Convert it with .to(tl.int32).")


class CopyDescriptorShapeError(TLEError):
    rule = "C16"
    template = ("the descriptor's block shape {shape} does not fit the buffer's shape {buffer_shape}: they must be equal, "
                "but for leading dimensions of extent 1 of the block. Allocate the buffer with the block's shape.")


class CopyDescriptorDtypeError(TLEError):
    rule = "C17"
    template = ("the descriptor's element type {dtype} is not the buffer's {buffer_dtype}. Copies convert nothing: "
                "allocate the buffer with the descriptor's element type.")


class CopyBarrierError(TLEError):
    rule = "C18"
    template = ("copy barrier is not supported by this version: copies complete before the next statement. "
                "Leave barrier out (got {got}).")


class LocalPtrBufferError(TLEError):
    rule = "L1"
    template = "Buffer parameter must be tle.buffered_tensor, but got {got}. Make one with tle.gpu.alloc."


class LocalPtrIndicesTypeError(TLEError):
    rule = "L2"
    template = ("local_ptr indices must be a tuple/list of tensors or None, but got {got}. "
                "Write one index for each dimension, e.g. local_ptr(buf, (row, col)).")


class LocalPtrIndicesEmptyError(TLEError):
    rule = "L3"
    template = "local_ptr indices cannot be empty. Leave them out for pointers to the whole buffer."


class LocalPtrIndicesCountError(TLEError):
    rule = "L4"
    template = "local_ptr indices must provide {rank} tensors, got {count}. Give one for each dimension of the buffer's shape {shape}."


class LocalPtrIndexDtypeError(TLEError):
    rule = "L5"
    template = "local_ptr indices must use integer dtypes, but indices[{axis}] is {got}. Convert it with .to(tl.int32)."


class LocalPtrIndexMixError(TLEError):
    rule = "L6"
    template = ("local_ptr indices must be either all scalar or all tensors with identical shapes, but got shapes {shapes}. "
                "Use tl.full(shape, i, tl.int32) for a scalar among tensors.")


class LocalPtrIndexShapeError(TLEError):
    rule = "L7"
    template = ("local_ptr indices must have identical shapes, but got {shapes}. "
                "Broadcast them first: tl.broadcast_to(index, shape).")


class LocalPtrIndexRangeError(TLEError):
    rule = "L8"
    template = ("local_ptr indices[{axis}] = {index} is out of bounds for extent {extent} of a buffer of shape {shape}; "
                "allowed are 0 to {last}. Negative numbers do not count from the end.")


class LoadAsyncTypeError(TLEError):
    rule = "L9"
    template = "tle.load is_async must be a compile-time bool, but got {got}. Write True or False, or pass a tl.constexpr."


class MemorySpaceInputError(TLEError):
    rule = "M1"
    template = "memory_space expects a block tl.tensor, but got {got}. Scalars live in registers."


class MemorySpaceNameError(TLEError):
    rule = "M2"
    template = "memory_space expects tle.gpu.smem or 'smem', but got {got}. No other memory is supported."


class TargetError(TLEError):
    rule = "I10"
    template = ("the kernel is compiled for {got}, but TLE operations need an NVIDIA GPU of sm_80 or newer. "
                "Compile for such a target; wgmma and TMA are used from sm_90 on.")


class GluonKernelError(TLEError):
    rule = "I13"
    template = ("function {function} is a Gluon kernel, which has no stage that lowers TLE operations. "
                "Decorate it with @triton.jit, or use Gluon's own shared memory.")


class IntrinsicTableError(TLEError):
    rule = "I12"
    template = ("the front end wants to emit {name} with attributes {attributes}, which the compiled core does not know. "
                "The installation is mixed: reinstall the wheel.")
