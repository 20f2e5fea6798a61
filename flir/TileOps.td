// Operations of the `tile` dialect.

#ifndef FLAGTREE_FLIR_TILEOPS_TD
#define FLAGTREE_FLIR_TILEOPS_TD

include "core/raising/IntrinsicTrait.td"
include "flir/TileAttrs.td"
include "flir/TileDialect.td"
include "flir/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Tile_Pointer : Type<
    CPred<"::llvm::isa<::flagtree::tt::PointerType>($_self)">,
    "pointer", "::flagtree::tt::PointerType">;

// Scalar offsets: `index` as the dialect has them, i32 as a Triton front end has.
def Tile_Offset : AnyTypeOf<[Index, I32], "index or i32">;

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

// Orders everything before it against everything after it: no operation may be moved across it
// or dropped for it.
class Tile_SyncOp<string mnemonic>
    : Tile_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [IntrinsicOp]> {
  let summary = "allocate a buffer";
  let description = [{
    The buffer lives to the end of the enclosing block; its contents are undefined.

    Rule: `space`, `shape` and `dtype`, where given, repeat the result type (T4).

    ```mlir
    %b = tile.alloc : !tile.buf<[64, 64], f16, shared>
    ```
  }];
  let arguments = (ins OptionalAttr<Tile_MemorySpaceAttr>:$space,
                       OptionalAttr<I64ArrayAttr>:$shape,
                       OptionalAttr<TypeAttr>:$dtype,
                       OptionalAttr<Tile_PolicyAttr>:$policy,
                       OptionalAttr<Tile_LayoutAttr>:$layout,
                       OptionalAttr<Tile_LifetimeAttr>:$lifetime,
                       OptionalAttr<StrAttr>:$comment);
  let results = (outs Res<Tile_BufType, "the new buffer", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Tile_SubviewOp : Tile_Op<"subview", [IntrinsicOp, Pure]> {
  let summary = "view a part of a buffer";
  let description = [{
    One offset per dimension of the source; sizes and strides for the dimensions of the
    result. A result of lower rank drops leading dimensions: their offsets pick one
    index each. The view shares the source's memory.

    Rules: one offset per dimension of the source (T5); one size and stride per dimension of
    the result, and sizes are its shape (T6); strides are positive (T7); the result's rank is
    not larger than the source's (T8); element type and memory space are the source's
    (T9); with constant offsets, the view lies inside the source (T10).

    ```mlir
    %s = tile.subview %b[%i, %c0, %c0] [[64, 64]] [[1, 1]] : (!tile.buf<[2, 64, 64], f16, shared>, i32, i32, i32) -> !tile.buf<[64, 64], f16, shared>
    ```
  }];
  let arguments = (ins Tile_BufType:$source, Variadic<Tile_Offset>:$offsets,
                       I64ArrayAttr:$sizes, I64ArrayAttr:$strides);
  let results = (outs Tile_BufType:$view);
  let assemblyFormat = [{
    $source `[` $offsets `]` `[` $sizes `]` `[` $strides `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Number of leading source dimensions the view drops.
    unsigned getDroppedDims() {
      return getSource().getType().getRank() - getView().getType().getRank();
    }
    ::llvm::SmallVector<int64_t> getStaticStrides();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CopyOp : Tile_Op<"copy", [
    IntrinsicOp, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile";
  let description = [{
    From pointers, a buffer or a value into a buffer, or from a buffer or value through pointers.
    Pointers are one `!tt.ptr` (to a whole tile in the destination's order) or a tensor of them
    (one per element). The destination is complete when the operation is.

    Rules: the source is a buffer, a tile tensor or pointers (T11); the destination is a
    buffer or pointers, and one of the two is a buffer (T12); shapes agree, with `transpose` up to
    the order of the last two dimensions (T13); element types agree (T14).

    ```mlir
    tile.copy %ptrs -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
    ```
  }];
  let arguments = (ins AnyType:$source, AnyType:$dest,
                       OptionalAttr<Tile_EngineAttr>:$engine,
                       OptionalAttr<Tile_LayoutAttr>:$src_layout,
                       OptionalAttr<Tile_NZAttr>:$dst_nz_layout,
                       UnitAttr:$transpose,
                       OptionalAttr<StrAttr>:$comment);
  let assemblyFormat = [{
    $source `->` $dest attr-dict `:` type($source) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def Tile_ToTensorOp : Tile_Op<"to_tensor", [IntrinsicOp]> {
  let summary = "read a whole buffer";
  let description = [{
    Rule: tensor and buffer agree in shape and element type (T15).

    ```mlir
    %t = tile.to_tensor %b : !tile.buf<[64, 64], f16, shared> -> tensor<64x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_BufType, "what is read", [MemRead]>:$buffer);
  let results = (outs AnyRankedTensor:$tensor);
  let assemblyFormat = [{
    $buffer attr-dict `:` qualified(type($buffer)) `->` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_StoreTensorOp : Tile_Op<"store_tensor", [IntrinsicOp]> {
  let summary = "write a whole buffer";
  let description = [{
    Rule: tensor and buffer agree in shape and element type (T15).

    ```mlir
    tile.store_tensor %t, %b : tensor<64x64xf16>, !tile.buf<[64, 64], f16, shared>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor,
                       Arg<Tile_BufType, "what is written", [MemWrite]>:$buffer);
  let assemblyFormat = [{
    $tensor `,` $buffer attr-dict `:` type($tensor) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def Tile_VecFillOp : Tile_Op<"vec_fill"> {
  let summary = "fill a buffer with a scalar";
  let description = [{
    Rule: the scalar is of the buffer's element type (T16).
  }];
  let arguments = (ins Arg<Tile_BufType, "what is written", [MemWrite]>:$buffer,
                       AnyType:$value, OptionalAttr<StrAttr>:$compute_unit);
  let assemblyFormat = [{
    $buffer `,` $value attr-dict `:` qualified(type($buffer)) `,` type($value)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tile_GmOffsetOp : Tile_Op<"gm_offset", [
    Pure, AllTypesMatch<["pointer", "result"]>, AttrSizedOperandSegments]> {
  let summary = "pointer to an element of a strided array in global memory";
  let description = [{
    `pointer + sum(indices[i] * strides[i])`, in elements.
    Rule: as many indices as strides (T17).
  }];
  let arguments = (ins Tile_Pointer:$pointer, Variadic<Tile_Offset>:$indices,
                       Variadic<Tile_Offset>:$strides);
  let results = (outs Tile_Pointer:$result);
  let assemblyFormat = [{
    $pointer `[` $indices `]` `strides` `[` $strides `]` attr-dict `:`
    qualified(type($pointer)) (`,` `(` type($indices)^ `)` `,` `(` type($strides) `)`)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "load a tile from global memory";
  let description = [{
    Rules: the pointer is to the tile's element type (T18); `dst_space`, if given, is the
    tile's memory space (T19).
  }];
  let arguments = (ins Arg<Tile_Pointer, "what is read", [MemRead]>:$pointer,
                       OptionalAttr<Tile_EngineAttr>:$engine,
                       OptionalAttr<Tile_MemorySpaceAttr>:$dst_space);
  let results = (outs Tile_TileType:$tile);
  let assemblyFormat = [{
    $pointer attr-dict `:` qualified(type($pointer)) `->` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "store a tile to global memory";
  let description = [{
    Rule: the value is a buffer or a tile tensor of the pointer's element type (T18).
  }];
  let arguments = (ins AnyType:$value, Tile_Pointer:$pointer,
                       OptionalAttr<Tile_EngineAttr>:$engine,
                       OptionalAttr<Tile_LayoutAttr>:$src_layout,
                       OptionalAttr<Tile_LayoutAttr>:$dst_layout);
  let assemblyFormat = [{
    $value `->` $pointer attr-dict `:` type($value) `,` qualified(type($pointer))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Matrix unit
//===----------------------------------------------------------------------===//

def Tile_CubeLaunchOp : Tile_Op<"cube_launch"> {
  let summary = "start a matrix product on the matrix unit";
  let description = [{
    `acc = a * b`, or `acc + a * b` without `init`, staged through `stage_a` and
    `stage_b`; the product is written to `dst`. Complete after `tile.cube_wait`.

    Rules: `a`, `b` and `acc` are matrices of matching shapes (T20); the stages have the
    types of `a` and `b` but for the memory space (T21); `dst` points to the
    accumulator's element type (T22).
  }];
  let arguments = (ins Arg<Tile_BufType, "left factor", [MemRead]>:$a,
                       Arg<Tile_BufType, "right factor", [MemRead]>:$b,
                       Arg<Tile_BufType, "accumulator", [MemRead, MemWrite]>:$acc,
                       Arg<Tile_BufType, "stage of a", [MemWrite]>:$stage_a,
                       Arg<Tile_BufType, "stage of b", [MemWrite]>:$stage_b,
                       Arg<Tile_Pointer, "product", [MemWrite]>:$dst,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$init, OptionalAttr<StrAttr>:$mma,
                       OptionalAttr<StrAttr>:$comment);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `,` $stage_a `,` $stage_b `->` $dst attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($acc)) `,`
    qualified(type($stage_a)) `,` qualified(type($stage_b)) `,`
    qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def Tile_CubeWaitOp : Tile_SyncOp<"cube_wait"> {
  let summary = "wait for the matrix unit";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "reduce a tile along one axis";
  let description = [{
    Rules: `axis` is a dimension of the source (T23); the result is the source with that
    dimension of size 1, in element type and memory space unchanged (T24); `op` is one of sum,
    prod, max, min (T25).
  }];
  let arguments = (ins Tile_TileType:$source, I64Attr:$axis, StrAttr:$op,
                       OptionalAttr<StrAttr>:$scope);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_ElemwiseOp : Tile_Op<"elemwise", [Pure]> {
  let summary = "apply a function to each element";
  let description = [{
    Rules: `func` is one of add, sub, mul, div, max, min (two operands) or
    exp, log, sqrt, rsqrt, abs, neg (one) and has that many operands (T26); operands and
    result have one type (T27).
  }];
  let arguments = (ins Variadic<Tile_TileType>:$operands, StrAttr:$func);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $func $operands attr-dict `:` functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeat a tile along one axis";
  let description = [{
    Rules: `axis` is a dimension of the source (T23); the source has size 1 there, the result
    is the source but for that dimension, and `shape` is the result's (T28).
  }];
  let arguments = (ins Tile_TileType:$source, I64Attr:$axis, I64ArrayAttr:$shape);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "convert the elements of a tile";
  let description = [{
    Rule: shape and memory space stay (T29).
  }];
  let arguments = (ins Tile_TileType:$source);
  let results = (outs Tile_TileType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

class Tile_FlagOp<string mnemonic> : Tile_SyncOp<mnemonic> {
  let arguments = (ins Tile_PipeAttr:$producer, Tile_PipeAttr:$consumer,
                       Tile_EventIDAttr:$event);
  let assemblyFormat = "$producer `,` $consumer `,` $event attr-dict";
  let hasVerifier = 1;
}

def Tile_SetFlagOp : Tile_FlagOp<"set_flag"> {
  let summary = "signal an event from one queue to another";
  let description = [{
    Rule: producer and consumer differ (T30).
  }];
}

def Tile_WaitFlagOp : Tile_FlagOp<"wait_flag"> {
  let summary = "wait in one queue for an event of another";
  let description = [{
    Rule: producer and consumer differ (T30).
  }];
}

def Tile_PipeBarrierOp : Tile_SyncOp<"pipe_barrier"> {
  let summary = "wait until a queue has drained";
  let arguments = (ins Tile_PipeAttr:$pipe);
  let assemblyFormat = "$pipe attr-dict";
}

#endif // FLAGTREE_FLIR_TILEOPS_TD
