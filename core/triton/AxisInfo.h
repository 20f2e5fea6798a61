//===- AxisInfo.h - Runs of consecutive and of equal elements ---*- C++ -*-===//
//
// What can be proven of the integers, pointers and masks in a module: enough to
// know how many bytes one instruction may move. Triton's own analysis, which
// runs later, proves at least as much.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_TRITON_AXISINFO_H
#define FLAGTREE_CORE_TRITON_AXISINFO_H

#include "mlir/Analysis/DataFlowFramework.h"

namespace flagtree {

/// Facts of one dimension of a tensor. All numbers are powers of two; 1 says
/// nothing. A scalar has one dimension of size 1.
struct AxisFacts {
  /// Elements [k * contiguity, (k + 1) * contiguity) grow by one each.
  int64_t contiguity = 1;
  /// Divides the first element of each such run; in bytes for pointers.
  int64_t divisibility = 1;
  /// Elements [k * constancy, (k + 1) * constancy) are equal.
  int64_t constancy = 1;

  bool operator==(const AxisFacts &other) const {
    return contiguity == other.contiguity &&
           divisibility == other.divisibility && constancy == other.constancy;
  }
};

/// The facts of a value, one entry per dimension.
using AxisInfo = llvm::SmallVector<AxisFacts, 4>;

class AxisInfoAnalysis {
public:
  /// Analyses everything below `root`, which must not change afterwards.
  explicit AxisInfoAnalysis(mlir::Operation *root);

  /// What is known of `value`; facts of 1 when nothing is.
  AxisInfo lookup(mlir::Value value) const;

  /// How many elements of a tensor of pointers, along dimension `dim`, one
  /// access may take together: consecutive, and the first aligned to the size
  /// of all.
  int64_t vectorSize(mlir::Value pointers, unsigned dim) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace flagtree

#endif // FLAGTREE_CORE_TRITON_AXISINFO_H
