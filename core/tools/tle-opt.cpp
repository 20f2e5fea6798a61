//===- tle-opt.cpp - mlir-opt for the dialects and passes of the core -----===//

#include "core/registration/Registration.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  flagtree::registerAllDialects(registry);
  flagtree::registerAllPasses();

  auto [inputName, outputName] = mlir::registerAndParseCLIOptions(
      argc, argv, "Compiler core of FlagTree TLE\n", registry);
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  // Most operations of Triton's dialects are unregistered here.
  config.allowUnregisteredDialects(true);

  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  auto output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (mlir::failed(
          mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return 1;
  output->keep();
  return 0;
}
