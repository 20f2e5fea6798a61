//===- Registration.cpp - Everything the core knows -----------------------===//

#include "core/registration/Registration.h"

#include "core/raising/Passes.h"
#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/Passes.h"
#include "nvidia_backend/transforms/Passes.h"
#include "tle/ir/TleDialect.h"

#if FLAGTREE_COMMON_IR
#include "commonir/Passes.h"
#include "flir/TileDialect.h"
#endif

void flagtree::registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<tt::TTDialect, ttg::TTGDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::math::MathDialect,
              mlir::scf::SCFDialect, mlir::ub::UBDialect, tle::TleDialect>();
  // The table of intrinsics is made of the loaded dialects, and no text names
  // the dialect of an intrinsic before it is raised.
  registry.addExtension(+[](mlir::MLIRContext *context, tt::TTDialect *) {
    context->getOrLoadDialect<tle::TleDialect>();
#if FLAGTREE_COMMON_IR
    context->getOrLoadDialect<tile::TileDialect>();
#endif
  });
#if FLAGTREE_COMMON_IR
  registry.insert<tile::TileDialect>();
#endif
}

void flagtree::registerAllPasses() {
  registerRaisingPasses();
  nvidia::registerPasses();
#if FLAGTREE_COMMON_IR
  commonir::registerCommonIRPasses();
#endif
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
}

bool flagtree::commonIrEnabled() { return FLAGTREE_COMMON_IR; }
