// Reads lines "<warps> <CTAs> <dimension>..." and prints the default layout of
// each, for default_blocked_test.py.

#include "core/triton/Layouts.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <sstream>

int main() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<flagtree::ttg::TTGDialect>();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    int64_t warps, ctas;
    words >> warps >> ctas;
    llvm::SmallVector<int64_t> shape;
    for (int64_t dimension; words >> dimension;)
      shape.push_back(dimension);
    llvm::outs() << flagtree::ttg::defaultBlocked(&context, shape, warps, ctas)
                 << "\n";
  }
}
