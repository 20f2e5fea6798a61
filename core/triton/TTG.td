// The typed part of Triton's `ttg` dialect: memory descriptors, layouts and warp
// specialization. Every other `ttg` operation travels unregistered and untouched.

#ifndef FLAGTREE_CORE_TRITON_TTG_TD
#define FLAGTREE_CORE_TRITON_TTG_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::flagtree::ttg";
  let summary = "The typed part of Triton's ttg dialect (triton 3.6)";
  let description = [{
    Layout attributes, memory descriptors and warp specialization. Layouts that
    no pass looks into are kept word for word (`VerbatimAttr`).
  }];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class TTG_Attr<string name, string attrMnemonic> : AttrDef<TTG_Dialect, name> {
  let mnemonic = attrMnemonic;
}

// A list of integers printed as `[1, 8]`.
def TTG_IntList : ArrayRefParameter<"int32_t"> {
  let parser = "::flagtree::ttg::parseIntList($_parser)";
  let printer = "::flagtree::ttg::printIntList($_printer, $_self)";
}

// `CGALayout = [[0, 1]]`: bases of the map from CTA to dimensions, one list each.
// Null means one CTA. See `basesOf`.
defvar TTG_CGALayout = OptionalParameter<"::mlir::ArrayAttr">;

def TTG_Blocked : TTG_Attr<"Blocked", "blocked"> {
  let summary = "distributed layout: blocks of registers, lanes and warps";
  let parameters = (ins TTG_IntList:$sizePerThread, TTG_IntList:$threadsPerWarp,
                        TTG_IntList:$warpsPerCTA, TTG_IntList:$order,
                        TTG_CGALayout:$CGALayout);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getOrder().size(); }
  }];
}

def TTG_Linear : TTG_Attr<"Linear", "linear"> {
  let summary = "distributed layout given by its bases";
  let parameters = (ins "::mlir::ArrayAttr":$reg, "::mlir::ArrayAttr":$lane,
                        "::mlir::ArrayAttr":$warp, "::mlir::ArrayAttr":$block);
  let hasCustomAssemblyFormat = 1;
}

def TTG_NvidiaMma : TTG_Attr<"NvidiaMma", "nvidia_mma"> {
  let summary = "accumulator layout of mma (version 2) and wgmma (version 3)";
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor,
                        TTG_IntList:$warpsPerCTA, TTG_CGALayout:$CGALayout,
                        TTG_IntList:$instrShape);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

def TTG_Slice : TTG_Attr<"Slice", "slice"> {
  let summary = "a parent layout with one dimension removed";
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

def TTG_DotOperand : TTG_Attr<"DotOperand", "dot_op"> {
  let summary = "layout of operand A (0) or B (1) of a dot";
  let parameters = (ins "unsigned":$opIdx, "::mlir::Attribute":$parent,
                        DefaultValuedParameter<"unsigned", "0">:$kWidth);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
}

def TTG_SwizzledShared : TTG_Attr<"SwizzledShared", "swizzled_shared"> {
  let summary = "shared memory layout: vectors of `vec` elements, xor-swizzled";
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase,
                        "unsigned":$maxPhase, TTG_IntList:$order,
                        TTG_CGALayout:$CGALayout);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getOrder().size(); }
  }];
}

def TTG_NvmmaShared : TTG_Attr<"NvmmaShared", "nvmma_shared"> {
  let summary = "shared memory layout that TMA writes and wgmma reads";
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed,
                        "unsigned":$elementBitWidth,
                        DefaultValuedParameter<"bool", "false">:$fp4Padded,
                        DefaultValuedParameter<"unsigned", "2">:$rank,
                        TTG_CGALayout:$CGALayout);
  let assemblyFormat = "`<` `{` struct(params) `}` `>`";
  let genVerifyDecl = 1;
}

def TTG_SharedMemory : TTG_Attr<"SharedMemory", "shared_memory"> {
  let summary = "the shared memory space";
}

def TTG_Verbatim : AttrDef<TTG_Dialect, "Verbatim"> {
  let attrName = "ttg.verbatim";
  let summary = "any other ttg attribute, kept word for word";
  let description = [{
    `padded_shared`, `shared_linear`, AMD layouts and whatever else no pass
    looks into. The text holds everything behind `#ttg.`.
  }];
  let parameters = (ins StringRefParameter<>:$text);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TTG_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TTG_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TTG_AsyncToken : TTG_Type<"AsyncToken", "async.token"> {
  let summary = "token of an asynchronous copy or commit";
}

def TTG_MemDesc : TTG_Type<"MemDesc", "memdesc", [ShapedTypeInterface]> {
  let summary = "descriptor of a buffer or of a view of one";
  let description = [{
    `!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>`; a view of a larger
    buffer ends in that buffer's shape: `..., mutable, 2x64x64>`. The encoding's
    rank is the rank of the shape or one less (leading stage dimension).
  }];
  let parameters = (ins
      ArrayRefParameter<"int64_t">:$shape,
      "::mlir::Type":$elementType,
      "::mlir::Attribute":$encoding,
      "::mlir::Attribute":$memorySpace,
      "bool":$mutableMemory,
      ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
      "bool":$mutableMemory,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$allocShape), [{
    return $_get(elementType.getContext(), shape, elementType, encoding,
                 memorySpace, mutableMemory,
                 allocShape.empty() ? shape : allocShape);
  }]>];
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                          ::mlir::Type elementType) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTG_Dialect, mnemonic, traits>;

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [RecursiveMemoryEffects]> {
  let summary = "run a default region and partitions on warp groups of their own";
  let description = [{
    The default region sees outer values; the partitions are isolated and receive
    all captures as block arguments.
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures,
                       DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion,
                        SizedRegion<1>:$partitionOpHolder);
  let extraClassDeclaration = [{
    /// The isolated regions, one per partition.
    ::mlir::MutableArrayRef<::mlir::Region> getPartitionRegions();
  }];
  let hasRegionVerifier = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [
    IsolatedFromAbove, RecursiveMemoryEffects, Terminator,
    HasParent<"WarpSpecializeOp">]> {
  let summary = "holder of the partition regions";
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [
    Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "end of the default region, with its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [
    Pure, Terminator, ReturnLike, HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "end of a partition";
  let assemblyFormat = "attr-dict";
}

#endif // FLAGTREE_CORE_TRITON_TTG_TD
