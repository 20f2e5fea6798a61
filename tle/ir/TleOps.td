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

#endif // FLAGTREE_TLE_IR_TLEOPS_TD
