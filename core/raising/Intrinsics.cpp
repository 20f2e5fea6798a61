//===- Intrinsics.cpp - The table of intrinsics ---------------------------===//

#include "core/raising/Intrinsics.h"

#include "core/raising/IntrinsicTrait.h"

using namespace mlir;

SmallVector<RegisteredOperationName>
flagtree::intrinsicsOf(MLIRContext *context) {
  SmallVector<RegisteredOperationName> intrinsics;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasTrait<IntrinsicOp>())
      intrinsics.push_back(name);
  llvm::sort(intrinsics, [](auto a, auto b) {
    return a.getStringRef() < b.getStringRef();
  });
  return intrinsics;
}
