"""One exception class for each rule of the front end; docs/errors.md has a row for each.

Numbers from 20 to 39 belong to the verifiers and passes of the compiler core; A24 is checked on both sides.
A: alloc and buffers, B: barriers, C: copy, L: local_ptr and loads, M: memory_space, S: warp_specialize, W: WGMMA, I: target and core
(nvidia_backend/errors.py has the stage's).
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
    template = ("the kernel is compiled with num_ctas={num_ctas}, but shared buffers and barriers belong to one block of threads. "
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


class CopyBarrierDirectionError(TLEError):
    rule = "C18"
    template = ("copy barrier is only supported for TMA global-to-shared copy, but src={src}, dst={dst}. "
                "Give a tensor descriptor and a buffer, or leave barrier out: other copies have happened before the next statement.")


class DescriptorOffsetError(TLEError):
    rule = "C19"
    template = ("the innermost offset of an access through a descriptor must be a multiple of {unit} elements of type {dtype}, 16 bytes, but is {offset}. "
                "Begin at such an element, or go through pointers.")


class CopyBarrierExpectError(TLEError):
    rule = "C40"
    template = ("TMA copy barrier must be allocated with expect_bytes, but got {got}. Write "
                "tle.gpu.alloc_barriers(..., expect_bytes=<bytes of all copies of one use>).")


class CopyBarrierBytesError(TLEError):
    rule = "C41"
    template = ("the copy moves {moved} bytes (shape {shape}, type {dtype}), but its barrier completes a use with {expected}. "
                "Allocate the barrier with expect_bytes of all copies of one use together.")


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


class HopperOnlyError(TLEError):
    rule = "I14"
    template = ("{operation} needs a Hopper GPU (sm_90), but the kernel is compiled for {got}. "
                "Elsewhere use tl.dot and copies without a barrier.")


class NotATensorError(TLEError, AttributeError):
    rule = "A46"
    template = ("{got} is no tensor and {why}. Load a buffer first, buf.load() or tl.load(tle.gpu.local_ptr(buf, indices)), "
                "write it with buf.store(x), and give barriers to barrier_wait, barrier_arrive and copy(..., barrier=...) alone.")


class CallError(TLEError, TypeError):
    rule = "A47"
    template = "{name}({parameters}): {why}. Give the arguments these names, or in this order."


class BufferOperandError(TLEError, TypeError):
    rule = "A48"
    template = ("{got} is a buffer, a place in shared memory, which has no {operation}. Compute with its contents, x = buf.load() or "
                "x = tl.load(tle.gpu.local_ptr(buf, indices)), and write them with buf.store(x) or tl.store(tle.gpu.local_ptr(buf, indices), x).")


class CarriedTypeError(TLEError, TypeError):
    rule = "A49"
    template = ("{name} is {before} before a loop, but {after} at the end of its iterations. A name that a loop changes keeps its kind, shape, "
                "layout and counts: use another name in the loop, or choose an index there.")


class ReturnedHandleError(TLEError, TypeError):
    rule = "A50"
    template = ("kernel {kernel} returns {got}, which ends with its block. "
                "Return nothing from a kernel: store what the host needs to global memory.")


class BarrierCountTypeError(TLEError):
    rule = "B1"
    template = ("num_barriers must be a compile-time integer, but got {got}. Use a literal or a tl.constexpr "
                "(write `n: tl.constexpr = ...` for one computed in the kernel).")


class BarrierCountError(TLEError):
    rule = "B2"
    template = "num_barriers must be positive and at most {largest}, but got {got}. Give one barrier for each stage of the ring."


class ArriveCountTypeError(TLEError):
    rule = "B3"
    template = "arrive_count must be a compile-time integer, but got {got}. Use a literal or a tl.constexpr."


class ArriveCountError(TLEError):
    rule = "B4"
    template = ("arrive_count must be positive and at most {largest}, but got {got}. Give the arrivals that complete one use, or "
                "for a named barrier its threads (warps * 32).")


class BarrierInitError(TLEError):
    rule = "B5"
    template = "barrier init must be tle.gpu.PENDING or tle.gpu.READY, but got {got}. READY lets the wait of use 0 pass."


class ExpectBytesTypeError(TLEError):
    rule = "B6"
    template = "expect_bytes must be a compile-time integer or None, but got {got}. Multiply the extents of the tile by the bytes of an element."


class ExpectBytesError(TLEError):
    rule = "B7"
    template = ("expect_bytes must be a positive multiple of 16 of at most {largest}, but got {got}. "
                "Give the bytes of all copies that complete one use.")


class BarrierTypeError(TLEError):
    rule = "B8"
    template = "{operation} expects a tle.gpu barrier, but got {got}. Make one with tle.gpu.alloc_barrier or tle.gpu.alloc_barriers."


class BarrierArrayError(TLEError):
    rule = "B9"
    template = "{operation} takes one barrier, but got an array of {count}. Index it, e.g. bars[i]."


class SlotIndexedAgainError(TLEError):
    rule = "B10"
    template = "a tle.gpu barrier slot cannot be indexed again, but got an index of a {got}. Pass the array to index it later."


class BarrierIndexRangeError(TLEError):
    rule = "B11"
    template = ("barrier index {index} is out of bounds for {count} barriers; allowed are 0 to {last}. "
                "Negative numbers do not count from the end; take the index modulo the barriers.")


class BarrierIndexTypeError(TLEError):
    rule = "B12"
    template = "barrier index must be a scalar integer, but got {got}. Index with an int or a scalar integer, e.g. bars[i % STAGES]."


class PhaseTypeError(TLEError):
    rule = "B13"
    template = ("barrier phaseIdx must be a scalar integer or None, but got {got}. "
                "Give how often the slot was used before, e.g. i // STAGES in a ring.")


class NamedReadyError(TLEError):
    rule = "B14"
    template = ("{operation} without phaseIdx selects a named barrier, which does not support READY. "
                "Pass phaseIdx, or allocate the barrier with init=tle.gpu.PENDING.")


class NamedExpectBytesError(TLEError):
    rule = "B15"
    template = ("{operation} on a barrier with expect_bytes={bytes} requires phaseIdx: without it a named barrier is selected, which "
                "counts threads and no bytes. Pass phaseIdx.")


class ArriveWeightError(TLEError):
    rule = "B16"
    template = ("barrier_arrive arrive_count must be a compile-time integer from 1 to the barrier's arrive_count, {count}, but got {got}. "
                "More would complete the use twice: allocate the barrier with all arrivals of a use.")


class NamedWeightError(TLEError):
    rule = "B17"
    template = ("a named barrier requires barrier_arrive arrive_count = 1, but got {got}: all threads of the partition arrive, and the "
                "allocation's arrive_count is their total. Leave it out, or pass phaseIdx for an mbarrier.")


class NamedDynamicSlotError(TLEError):
    rule = "B18"
    template = ("{operation} without phaseIdx selects a named barrier, which requires a static barrier slot index, but the slot was chosen "
                "at run time. Index with a literal or a tl.constexpr (unroll the loop with tl.static_range), or pass phaseIdx.")


class TmaBarrierArriveError(TLEError):
    rule = "B19"
    template = ("barrier_arrive on a barrier with expect_bytes={bytes}: such a barrier is for the completion of TMA loads only. "
                "Complete it with tle.gpu.copy(..., barrier=...), or use another barrier.")


class ExpectBytesArrivalsError(TLEError):
    rule = "B40"
    template = ("a barrier with expect_bytes={bytes} has arrive_count 1, but got {got}: the only arrival of a use is that of its TMA loads. "
                "Leave arrive_count out; give the bytes of all loads of a use together.")


class NamedThreadsError(TLEError):
    rule = "B41"
    template = ("{operation} without phaseIdx selects a named barrier, whose arrive_count is the number of threads that take part, a multiple of "
                "32 up to 1024, but it is {count}. Allocate it with arrive_count = warps * 32, or pass phaseIdx for an mbarrier.")


class BarrierOperandError(TLEError, TypeError):
    rule = "B42"
    template = ("{got} has no value that a kernel could use, and so no {operation}. Wait and arrive with tle.gpu.barrier_wait and "
                "tle.gpu.barrier_arrive; which use of a barrier is meant says their phaseIdx, an integer that the kernel counts.")


class WgmmaATypeError(TLEError):
    rule = "W1"
    template = "wgmma a must be a shared-memory buffered_tensor or a tl.tensor, but got {got}. Make a buffer with tle.gpu.alloc."


class WgmmaBTypeError(TLEError):
    rule = "W2"
    template = ("wgmma b must be a shared-memory buffered_tensor, but got {got}: the hardware reads B from shared memory only. "
                "Store it to a buffer made by tle.gpu.alloc.")


class WgmmaRankError(TLEError):
    rule = "W3"
    template = "wgmma {name} must have rank 2, but has shape {shape}. Index a stage of a ring first, e.g. buf[i]."


class WgmmaLayoutError(TLEError):
    rule = "W4"
    template = ("wgmma {name} (buffer of shape {shape}) {problem}, but must use an nv_mma_shared_layout with a swizzle: rows of 32 bytes or "
                "more in the contiguous dimension and 8 rows or more. Allocate it with the default layout of tle.gpu.alloc and a wider tile.")


class WgmmaDtypeError(TLEError):
    rule = "W5"
    template = ("wgmma has no instruction for operands of type {a} and {b}. Allowed are two of fp16, two of bf16, two of fp32 (as tf32), "
                "two of int8, or any pair of fp8e4nv and fp8e5.")


class WgmmaShapeError(TLEError):
    rule = "W6"
    template = ("wgmma shape mismatch: a is {a} (trans_a={trans_a}), b is {b} (trans_b={trans_b}), so K is {k} in a and {k_of_b} in b. "
                "Give a as M x K (K x M with trans_a) and b as K x N (N x K with trans_b).")


class WgmmaMError(TLEError):
    rule = "W7"
    template = "wgmma result M dimension must be a multiple of 64, but is {m}. Allowed are 64, 128, 256, ...; pad the tile of a."


class WgmmaNError(TLEError):
    rule = "W8"
    template = ("wgmma result N dimension must be a power of two from 8 to 256 (8, 16, 32, 64, 128, 256), but is {n}. "
                "Split the tile of b into several products.")


class WgmmaKError(TLEError):
    rule = "W9"
    template = ("wgmma K dimension must be a multiple of {unit} for type {dtype}, but is {k}: one instruction takes 256 bits of a row. "
                "Use a deeper tile.")


class WgmmaFlagTypeError(TLEError):
    rule = "W10"
    template = "wgmma {name} must be a compile-time bool, but got {got}. Write True or False, or pass a tl.constexpr."


class WgmmaMajorError(TLEError):
    rule = "W11"
    template = ("wgmma {name} of type {dtype} must have K contiguous in shared memory: the hardware transposes elements of 16 bits only. "
                "Give {fix} (in row-major layout).")


class WgmmaAccError(TLEError):
    rule = "W12"
    template = ("wgmma acc must be a tl.tensor of shape {shape} and type {dtype} or None, but got {got}. "
                "Leave it out for zeros.")


class WgmmaOutDtypeError(TLEError):
    rule = "W13"
    template = ("wgmma out_dtype of operands of type {dtype} must be {allowed}, but got {got}. "
                "Cast the accumulator after wgmma_wait for another type.")


class WgmmaImpreciseError(TLEError):
    rule = "W14"
    template = ("max_num_imprecise_acc must be a compile-time integer of at least {least} and is for fp8 operands with an fp32 result only, but "
                "got {got} for operands of type {dtype} and a result of type {out}. Leave it out for the target's default.")


class WgmmaPrecisionError(TLEError):
    rule = "W15"
    template = ("wgmma input_precision of operands of type {dtype} must be {allowed}, but is {got}. "
                "The hardware multiplies fp32 as tf32; use tl.dot for more precision.")


class WgmmaWaitPendingsError(TLEError):
    rule = "W16"
    template = ("wgmma_wait pendings must be a compile-time integer from 0 to {most}, but got {got}. "
                "0 waits for all groups.")


class WgmmaWaitAccError(TLEError):
    rule = "W17"
    template = ("wgmma_wait acc must be a tl.tensor that wgmma made, but got {got}. "
                "Write acc = tle.gpu.wgmma_wait(pendings, acc): the wait gives the value that may be used.")


class WgmmaWarpsError(TLEError):
    rule = "W18"
    template = ("wgmma is carried out by warp groups of 4 warps, but this code runs with {warps}. "
                "Launch with num_warps, or give the worker worker_num_warps, of 4, 8 or 16.")


class PartitionListError(TLEError):
    rule = "S1"
    template = ("warp_specialize requires a list of (fn, args) with at least a default partition, but got {got}. "
                "Write [(producer, (a, b)), (consumer, (c, ))].")


class PartitionEntryError(TLEError):
    rule = "S2"
    template = "warp_specialize entry {index} must be (fn, args), but got {got}. Pass everything the function needs in args, constants too."


class PartitionFunctionError(TLEError):
    rule = "S3"
    template = ("warp_specialize entry {index}: {got} {why}. "
                "Decorate the partition's function with @triton.jit without noinline=True.")


class PartitionArgsError(TLEError):
    rule = "S4"
    template = "warp_specialize entry {index}: the arguments of {fn} must be a tuple, but got {got}. Write (x, ) for one argument."


class WorkerCountError(TLEError):
    rule = "S5"
    template = ("{name} must be a list with one integer for each of the {workers} workers, but got {got}. "
                "Workers are all entries but the first.")


class WorkerWarpsError(TLEError):
    rule = "S6"
    template = "worker_num_warps[{index}] must be 1, 2, 4, 8 or 16, but got {got}. Workers that use wgmma need 4, 8 or 16."


class PartitionBindingError(TLEError):
    rule = "S7"
    template = ("warp_specialize entry {index}: the arguments do not fit {fn}({parameters}): {why}. "
                "Give one positional argument for each parameter without a default.")


class PartitionConstexprError(TLEError):
    rule = "S8"
    template = ("warp_specialize entry {index}: parameter {name} of {fn} is a tl.constexpr, but got {got}. "
                "Give a literal or a tl.constexpr, or drop the annotation.")


class WarpGroupError(TLEError):
    rule = "S9"
    template = ("warp_specialize needs a default partition of whole warp groups, but the kernel is launched with num_warps={num_warps}. "
                "Launch with num_warps=4 or 8.")


class ThreadBudgetError(TLEError):
    rule = "S10"
    template = ("warp_specialize: {launch} warps of the default partition and {warps} of {workers} workers, rounded up to warp groups of 4 by {idle} "
                "idle workers, are {total} warps, {threads} threads. Allowed are 32 warps (1024 threads) and 14 workers, idle ones included.")


class RegisterBudgetError(TLEError):
    rule = "S11"
    template = ("warp_specialize: the default partition would get {left} registers for each thread, but needs {least}. {total} warps start with "
                "{base} each, {sum} in all; the workers' warp groups ask for {asked}, {taken} in all; the rest is for {launch} warps. "
                "Lower worker_num_regs or use fewer warps.")


class NestedPartitionsError(TLEError):
    rule = "S12"
    template = ("warp_specialize inside a partition of another one is not supported. "
                "List all partitions in one call, or return from the first before the second.")


class PartitionArgumentError(TLEError):
    rule = "S13"
    template = ("warp_specialize entry {index}: argument {name} is {got}, but a worker cannot take block tensors or block pointers, which live in "
                "the registers of other warps. Pass them through a buffer, or compute them in the worker.")


class WorkerRegistersError(TLEError):
    rule = "S14"
    template = ("worker_num_regs[{index}] must be a multiple of 8 from 24 to 256, but got {got}. "
                "24 is enough for a producer, 168 to 240 is usual for wgmma.")


class LaunchRegistersError(TLEError):
    rule = "S15"
    template = ("warp_specialize: maxnreg={maxnreg} for {threads} threads takes more than the {registers} registers of a multiprocessor. "
                "Leave maxnreg out, or launch with {most} or less.")


class WarpGroupsDifferError(TLEError):
    rule = "S16"
    template = ("all warp_specialize of a kernel must fill the same number of warp groups, but this one has {warps} worker warps ({groups} groups) and "
                "another {other_warps} ({other}). Add a worker that does nothing to the smaller one.")


class PartitionResultError(TLEError):
    rule = "S17"
    template = ("warp_specialize entry {index}: {fn} returns a value, but only the default partition can. "
                "Store it to a buffer instead.")
