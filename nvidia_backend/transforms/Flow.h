//===- Flow.h - Following the flow of control of a kernel -------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_FLOW_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_FLOW_H

#include "core/triton/TTG.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flagtree::nvidia {

/// Takes a `State` along the operations of a block, around loops until nothing
/// new comes, and through branches and workers. `State()` holds nothing, and
/// `state.join(other)` adds what is in `other` and is true if some was new.
template <typename State> class Flow {
public:
  virtual ~Flow() = default;

  /// The state at the end of `region`, which begins with `state`.
  virtual State walk(mlir::Region &region, State state) = 0;

protected:
  State walkBlock(mlir::Block &block, State state);

  /// What an operation without control flow does to the state.
  virtual void visit(mlir::Operation *op, State &state) = 0;

  /// Called in front of a loop, with the state before the first iteration.
  virtual void visitLoop(mlir::Operation *loop, State &state) = 0;

  /// Called in front of ttg.warp_specialize, before and after which all threads
  /// of the block meet.
  virtual void visitWorkers(mlir::Operation *op, State &state) {}
};

template <typename State>
State Flow<State>::walkBlock(mlir::Block &block, State state) {
  for (mlir::Operation &op : llvm::make_early_inc_range(block)) {
    if (mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op))
      visitLoop(&op, state);
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
      // Without an iteration the state is the one before.
      while (state.join(walkBlock(*loop.getBody(), state)))
        ;
    } else if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) {
      State condition = walk(loop.getBefore(), state);
      while (state.join(walk(loop.getAfter(), condition)))
        condition = walk(loop.getBefore(), state);
      state = condition;
    } else if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
      State otherwise = walk(branch.getElseRegion(), state);
      state = walk(branch.getThenRegion(), state);
      state.join(otherwise);
    } else if (auto workers = mlir::dyn_cast<ttg::WarpSpecializeOp>(op)) {
      visitWorkers(&op, state);
      walk(workers.getDefaultRegion(), State());
      for (mlir::Region &partition : workers.getPartitionRegions())
        walk(partition, State());
      state = State();
    } else {
      visit(&op, state);
    }
  }
  return state;
}

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_FLOW_H
