// Operations of the `tle` dialect.

#ifndef FLAGTREE_TLE_IR_TLEOPS_TD
#define FLAGTREE_TLE_IR_TLEOPS_TD

include "core/raising/IntrinsicTrait.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tle/ir/TleDialect.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tle_Buffer : Type<
    CPred<"::llvm::isa<::flagtree::ttg::MemDescType>($_self)">,
    "memory descriptor", "::flagtree::ttg::MemDescType">;

def Tle_Descriptor : Type<
    CPred<"::llvm::isa<::flagtree::tt::TensorDescType>($_self)">,
    "tensor descriptor", "::flagtree::tt::TensorDescType">;

def Tle_Pointer : Type<
    CPred<"::llvm::isa<::flagtree::tt::PointerType>($_self)">,
    "pointer", "::flagtree::tt::PointerType">;

def Tle_Pointers : RankedTensorOf<[Tle_Pointer]>;
def Tle_Mask : RankedTensorOf<[I1]>;
def Tle_IndexValue : AnyTypeOf<[AnySignlessInteger,
                                RankedTensorOf<[AnySignlessInteger]>]>;
def Tle_PointerOrPointers : AnyTypeOf<[Tle_Pointer, Tle_Pointers]>;

//===----------------------------------------------------------------------===//
// Base
//===----------------------------------------------------------------------===//

class Tle_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tle_Dialect, mnemonic, [IntrinsicOp] # traits> {
  let hasVerifier = 1;
}

// An operation whose result prints under a telling name.
class Tle_NamedOp<string mnemonic, string resultName, list<Trait> traits = []>
    : Tle_Op<mnemonic, [
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>
      ] # traits> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(
        ::mlir::OpAsmSetValueNameFn setNameFn) {
      setNameFn(getResult(), "}] # resultName # [{");
    }
  }];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tle_AllocOp : Tle_NamedOp<"alloc", "buffer", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate a buffer in shared memory";
  let description = [{
    The buffer lives to the end of the enclosing region and never overlaps
    another live buffer. Without `init` its contents are undefined. `alignment`, in bytes,
    raises the alignment that the layout asks for.

    Rules: the result is a mutable descriptor in `#ttg.shared_memory` and no view
    (A20); `init` has the buffer's shape and element type (A21); `alignment` is a power of
    two (A22).

    ```mlir
    %buffer = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %tile = tle.alloc %value : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$init,
                       OptionalAttr<I32Attr>:$alignment);
  let results = (outs Tle_Buffer:$buffer);
  let assemblyFormat = "($init^)? attr-dict `:` functional-type(operands, results)";
}

def Tle_SlotOp : Tle_NamedOp<"slot", "slot", [Pure]> {
  let summary = "view one stage of a buffer with a leading stage dimension";
  let description = [{
    The result is the part of the buffer with index `index` in its first
    dimension. An index outside the dimension has undefined behaviour; a constant
    one is refused.

    Rules: the buffer has rank 2 or more and the result is its shape without the
    first dimension, of the same element type, memory space and mutability (A23); a
    constant index lies in the first dimension (A24).

    ```mlir
    %slot = tle.slot %buffer[%i] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Tle_Buffer:$buffer, I32:$index);
  let results = (outs Tle_Buffer:$slot);
  let assemblyFormat = [{
    $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `->` qualified(type($slot))
  }];
}

def Tle_LocalLoadOp : Tle_NamedOp<"local_load", "tile"> {
  let summary = "read a whole buffer";
  let description = [{
    Rule: tensor and buffer agree in shape and element type (L20).

    ```mlir
    %tile = tle.local_load %buffer : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tle_Buffer, "what is read", [MemRead]>:$buffer);
  let results = (outs AnyRankedTensor:$tile);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `->` type($tile)";
}

def Tle_LocalStoreOp : Tle_Op<"local_store"> {
  let summary = "write a whole buffer";
  let description = [{
    Rules: tensor and buffer agree in shape and element type (L20); the buffer is
    mutable (L24).

    ```mlir
    tle.local_store %value, %buffer : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value,
                       Arg<Tle_Buffer, "what is written", [MemWrite]>:$buffer);
  let assemblyFormat = [{
    $value `,` $buffer attr-dict `:` type($value) `,` qualified(type($buffer))
  }];
}

def Tle_LocalPtrOp : Tle_NamedOp<"local_ptr", "ptrs", [Pure]> {
  let summary = "pointers to elements of a buffer";
  let description = [{
    Pointers for `tt.load`, `tt.store`, `tt.atomic_rmw` and `tt.atomic_cas`, of address
    space 1 because those accept no other for atomics.
    Without indices, a tensor of pointers to every element in the buffer's shape. With
    one scalar index per dimension, one pointer; with one integer tensor per dimension, all
    of one shape, a tensor of pointers of that shape.

    Rules: one index per dimension or none (L21); indices are all scalars, or all
    tensors of one shape (L22); the result points to the buffer's element
    type in address space 1 and has the shape of the indices, or of the buffer (L23).

    ```mlir
    %ptrs = tle.local_ptr %buffer[%i, %j] : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<32xi32>, tensor<32xi32>) -> tensor<32x!tt.ptr<f16>>
    ```
  }];
  let arguments = (ins Tle_Buffer:$buffer, Variadic<Tle_IndexValue>:$indices);
  let results = (outs Tle_PointerOrPointers:$ptrs);
  let assemblyFormat = [{
    $buffer `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
}

def Tle_MemorySpaceOp : Tle_Op<"memory_space"> {
  let summary = "let a value pass through a memory space";
  let description = [{
    The result equals the input and has been written to and read back from the
    memory space, which is how a kernel asks for a value to be staged there.

    Rules: the only space is `"smem"` (M20); input and result have the same type, a
    tensor of integers or floats of 8 bits or more (M21).

    ```mlir
    %staged = tle.memory_space %value {space = "smem"} : tensor<64x64xf16> -> tensor<64x64xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, StrAttr:$space);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Tle_CopyOp : Tle_Op<"copy"> {
  let summary = "copy from global pointers into a buffer";
  let description = [{
    Moves the whole buffer. Where `mask` is false, zero is written and the pointer
    is not read.

    Rules: pointers and buffer agree in shape (C20) and element type (C21); the
    pointers are global, address space 1 (C22); the mask has the buffer's
    shape (C23); the buffer is mutable (L24).

    ```mlir
    tle.copy %ptrs, %buffer mask %mask : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xi1>
    ```
  }];
  let arguments = (ins Arg<Tle_Pointers, "source", [MemRead]>:$ptrs,
                       Arg<Tle_Buffer, "destination", [MemWrite]>:$buffer,
                       Optional<Tle_Mask>:$mask);
  let assemblyFormat = [{
    $ptrs `,` $buffer (`mask` $mask^)? attr-dict `:` type($ptrs) `,` qualified(type($buffer))
    (`,` type($mask)^)?
  }];
}

def Tle_CopyOutOp : Tle_Op<"copy_out"> {
  let summary = "copy from a buffer to global pointers";
  let description = [{
    Moves the whole buffer. Where `mask` is false, nothing is written.
    Rules as for `tle.copy`.

    ```mlir
    tle.copy_out %buffer, %ptrs : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>
    ```
  }];
  let arguments = (ins Arg<Tle_Buffer, "source", [MemRead]>:$buffer,
                       Arg<Tle_Pointers, "destination", [MemWrite]>:$ptrs,
                       Optional<Tle_Mask>:$mask);
  let assemblyFormat = [{
    $buffer `,` $ptrs (`mask` $mask^)? attr-dict `:` qualified(type($buffer)) `,` type($ptrs)
    (`,` type($mask)^)?
  }];
}

def Tle_TmaLoadOp : Tle_Op<"tma_load"> {
  let summary = "copy a block of a tensor descriptor into a buffer by TMA";
  let description = [{
    Copies the block that starts at `coords`, in elements, and waits for it.
    Elements outside the tensor are filled as the descriptor says.

    Rules: the descriptor's block shape is the buffer's, where the block may have
    further leading dimensions of 1 (C24); element types agree (C25); one
    coordinate per dimension of the block (C26); the buffer's layout is the one the
    descriptor is made with: nvmma, not transposed, with the widest swizzle that the
    shape allows (C27); the buffer is mutable (L24).

    ```mlir
    tle.tma_load %desc[%i, %j], %buffer : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<Tle_Descriptor, "source", [MemRead]>:$desc,
                       Variadic<I32>:$coords,
                       Arg<Tle_Buffer, "destination", [MemWrite]>:$buffer);
  let assemblyFormat = [{
    $desc `[` $coords `]` `,` $buffer attr-dict `:` qualified(type($desc)) `,` qualified(type($buffer))
  }];
}

def Tle_TmaStoreOp : Tle_Op<"tma_store"> {
  let summary = "copy a buffer to a block of a tensor descriptor by TMA";
  let description = [{
    Copies to the block that starts at `coords`, in elements, and waits until the
    buffer may be written again. Elements outside the tensor are skipped.
    Rules as for `tle.tma_load`.

    ```mlir
    tle.tma_store %buffer, %desc[%i, %j] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>
    ```
  }];
  let arguments = (ins Arg<Tle_Buffer, "source", [MemRead]>:$buffer,
                       Arg<Tle_Descriptor, "destination", [MemWrite]>:$desc,
                       Variadic<I32>:$coords);
  let assemblyFormat = [{
    $buffer `,` $desc `[` $coords `]` attr-dict `:` qualified(type($buffer)) `,` qualified(type($desc))
  }];
}

def Tle_AsyncTmaLoadOp : Tle_Op<"async_tma_load"> {
  let summary = "start a copy of a block of a tensor descriptor that completes on a barrier";
  let description = [{
    Starts what `tle.tma_load` does and does not wait. The bytes count towards the current
    use of `barrier`, whose allocation says in `expect_bytes` how many one use
    has; a wait on the barrier waits for them.

    Rules: those of `tle.tma_load` (C24 to C27, L24), and `barrier` is one slot (B24).

    ```mlir
    tle.async_tma_load %desc[%i, %j], %buffer, %full : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins Arg<Tle_Descriptor, "source", [MemRead]>:$desc,
                       Variadic<I32>:$coords,
                       Arg<Tle_Buffer, "destination", [MemWrite]>:$buffer,
                       Arg<Tle_Buffer, "counts the bytes", [MemWrite]>:$barrier);
  let assemblyFormat = [{
    $desc `[` $coords `]` `,` $buffer `,` $barrier attr-dict `:` qualified(type($desc)) `,`
    qualified(type($buffer)) `,` qualified(type($barrier))
  }];
}

//===----------------------------------------------------------------------===//
// Barriers
//
// Operations on a barrier declare no effects, so that nothing is moved or
// removed across one: other threads may write any memory in the meantime.
//===----------------------------------------------------------------------===//

def Tle_AllocBarriersOp : Tle_NamedOp<"alloc_barriers", "barriers", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate barriers";
  let description = [{
    An array of barriers, each used by its `tle.slot`. One slot is used either by
    `tle.barrier_wait`, `tle.barrier_arrive` and `tle.async_tma_load` (an mbarrier in
    shared memory) or by `tle.named_barrier_wait` and `tle.named_barrier_arrive` (a
    barrier of the hardware). `arrive_count` is the number of arrivals that complete one
    use of an mbarrier, or the number of threads that meet at a named one. With `ready`
    the use before the first is complete; the phases of waits say so, and the lowering
    needs it for checks only. `expect_bytes` is the number of bytes that TMA copies bring
    in each use.

    Rules: the result is a mutable `memdesc<Nx1xi64>` in the layout of barriers (B20);
    `arrive_count` is 1 to 1048575 (B21); `expect_bytes` is 1 to 1048575 (B22); with
    `expect_bytes`, `arrive_count` is 1 (B23).

    ```mlir
    %bars = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<2x1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins I32Attr:$arrive_count, BoolAttr:$ready,
                       OptionalAttr<I32Attr>:$expect_bytes);
  let results = (outs Tle_Buffer:$barriers);
  let assemblyFormat = "attr-dict `:` qualified(type($barriers))";
}

def Tle_BarrierWaitOp : Tle_Op<"barrier_wait"> {
  let summary = "wait for a phase of an mbarrier";
  let description = [{
    Returns when the phase with parity `phase`, 0 or 1, of the barrier is complete.

    Rule: `barrier` is one slot (B24).

    ```mlir
    tle.barrier_wait %slot, %phase : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins Tle_Buffer:$barrier, I32:$phase);
  let assemblyFormat = "$barrier `,` $phase attr-dict `:` qualified(type($barrier))";
}

def Tle_BarrierArriveOp : Tle_Op<"barrier_arrive"> {
  let summary = "arrive at an mbarrier";
  let description = [{
    Counts `count` arrivals, once for all threads of the partition, after what these have
    done before.

    Rules: `barrier` is one slot (B24); `count` is 1 to 1048575 (B25).

    ```mlir
    tle.barrier_arrive %slot {count = 1 : i32} : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins Tle_Buffer:$barrier, I32Attr:$count);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def Tle_NamedBarrierWaitOp : Tle_Op<"named_barrier_wait"> {
  let summary = "meet other threads at a named barrier, and wait for them";
  let description = [{
    Returns when as many threads as the allocation's `arrive_count` have come here or to
    a `tle.named_barrier_arrive` of the slot.

    Rule: `barrier` is one slot (B24).

    ```mlir
    tle.named_barrier_wait %slot : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins Tle_Buffer:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def Tle_NamedBarrierArriveOp : Tle_Op<"named_barrier_arrive"> {
  let summary = "meet other threads at a named barrier without waiting";
  let description = [{
    As `tle.named_barrier_wait`, but goes on at once.

    Rule: `barrier` is one slot (B24).

    ```mlir
    tle.named_barrier_arrive %slot : !ttg.memdesc<1xi64, #barrier, #smem, mutable>
    ```
  }];
  let arguments = (ins Tle_Buffer:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

//===----------------------------------------------------------------------===//
// Asynchronous matrix products
//===----------------------------------------------------------------------===//

def Tle_WgmmaOp : Tle_NamedOp<"wgmma", "acc"> {
  let summary = "start a matrix product of a warp group";
  let description = [{
    `acc + a * b`, or `a * b` without an accumulator; with `trans_a` or `trans_b` of the
    transposed operand. The product is one group of the warp group's queue: its
    result may be used by `tle.wgmma` as an accumulator and by `tle.wgmma_wait`, and by
    anything else after a wait that lets less groups pend than came after it.
    `b`, and `a` unless it is a tensor, are read until then.

    `input_precision` is Triton's InputPrecision, `max_num_imprecise_acc` as for `tt.dot`.

    Rules: operands and results are matrices that fit (W20); M is a multiple of 64, N a power
    of two from 8 to 256, and K a multiple of 32 bytes (W21); the element types are f16
    with an accumulator of f16 or f32, bf16 with f32, f32 as tf32 with f32, f8E4M3FN or f8E5M2
    with f16 or f32, or i8 with i32 (W22); operands in memory have an nvmma layout (W23); a
    tensor is not transposed (W24); operands that are not of 16 bits have K as the
    contiguous dimension (W25); float8 products with f32 accumulate at least 32
    imprecisely (W26); the accumulator has the type of the result (W27).

    ```mlir
    %acc = tle.wgmma %a, %b, %acc0 {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true}
        : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, tensor<64x128xf32>) -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tle_Buffer, AnyRankedTensor]>:$a, Tle_Buffer:$b,
                       Optional<AnyRankedTensor>:$init, I32Attr:$input_precision,
                       I32Attr:$max_num_imprecise_acc, BoolAttr:$trans_a,
                       BoolAttr:$trans_b);
  let results = (outs AnyRankedTensor:$acc);
  let assemblyFormat = [{
    $a `,` $b (`,` $init^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tle_WgmmaWaitOp : Tle_NamedOp<"wgmma_wait", "result"> {
  let summary = "wait until at most so many products are pending";
  let description = [{
    Returns when no more than the newest `pendings` products of the warp group are
    incomplete. The result is `acc`.

    Rules: `pendings` is 0 to 7 (W28); the result has the type of `acc` (W29).

    ```mlir
    %done = tle.wgmma_wait %acc {pendings = 0 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$acc, I32Attr:$pendings);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$acc attr-dict `:` type($acc) `->` type($result)";
}

#endif // FLAGTREE_TLE_IR_TLEOPS_TD
