//===- CheckSharedMemory.cpp - Whether a kernel fits into shared memory ---===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLECHECKSHAREDMEMORY
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {
struct CheckSharedMemory
    : nvidia::impl::TleCheckSharedMemoryBase<CheckSharedMemory> {
  using TleCheckSharedMemoryBase::TleCheckSharedMemoryBase;
  void runOnOperation() override;
};
} // namespace

void CheckSharedMemory::runOnOperation() {
  int64_t needed = total;
  if (needed <= limit)
    return;
  SmallVector<std::pair<int64_t, Operation *>> buffers;
  int64_t sum = 0;
  getOperation().walk([&](Operation *op) {
    if (!isOp(op, "ttg.local_alloc"))
      return;
    auto type = cast<ttg::MemDescType>(op->getResult(0).getType());
    buffers.push_back({bytesOf(type), op});
    sum += buffers.back().first;
  });
  llvm::stable_sort(
      buffers, [](const auto &a, const auto &b) { return a.first > b.first; });

  auto kernels = getOperation().getOps<tt::FuncOp>();
  auto kernel = llvm::find_if(
      kernels, [](tt::FuncOp function) { return function.isPublic(); });
  Location loc =
      kernel == kernels.end() ? getOperation().getLoc() : (*kernel).getLoc();
  InFlightDiagnostic error = mlir::emitError(loc)
                             << "[A26] the kernel needs " << needed
                             << " bytes of shared memory, but a block on sm_"
                             << capability.getValue() << " has at most "
                             << limit.getValue() << ": its buffers hold " << sum
                             << " bytes";
  if (needed > sum)
    error << ", and " << needed - sum
          << " are for alignment and for Triton's own use (layout "
             "conversions, reductions, captures of partitions)";
  error << ". Use smaller tiles or fewer stages";
  for (auto [bytes, op] : buffers) {
    auto type = cast<ttg::MemDescType>(op->getResult(0).getType());
    std::string contents;
    llvm::raw_string_ostream stream(contents);
    llvm::interleave(type.getShape(), stream, "x");
    stream << "x" << type.getElementType();
    error.attachNote(op->getLoc()) << bytes << " bytes, " << contents;
  }
  signalPassFailure();
}
