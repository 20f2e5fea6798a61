//===- Dump.cpp - The module after each pass, in files --------------------===//

#include "core/api/Dump.h"

#include "core/triton/TT.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// The name of the kernel as one safe part of a path.
static std::string folderNameOf(ModuleOp module) {
  StringRef name = "module";
  for (auto function : module.getOps<flagtree::tt::FuncOp>())
    if (function.isPublic()) {
      name = function.getSymName();
      break;
    }
  std::string folder;
  for (char c : name.take_front(100))
    folder += llvm::isAlnum(c) || c == '_' ? c : '-';
  return folder;
}

/// One more than the highest number a file of `folder` starts with.
static unsigned nextNumberIn(StringRef folder) {
  unsigned next = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       !error && file != end; file.increment(error)) {
    unsigned number;
    StringRef name = llvm::sys::path::filename(file->path());
    if (!name.consumeInteger(10, number))
      next = std::max(next, number + 1);
  }
  return next;
}

namespace {
class Dump : public PassInstrumentation {
public:
  Dump(StringRef dir, ModuleOp module) : folder(dir) {
    llvm::sys::path::append(folder, folderNameOf(module));
    if (auto error = llvm::sys::fs::create_directories(folder))
      warn(module, error);
    else
      write(module, "input");
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    writePass(pass, op, "");
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    writePass(pass, op, "-failed");
  }

private:
  void writePass(Pass *pass, Operation *op, StringRef suffix) {
    // The adaptors that run nested passes have no name.
    StringRef name = pass->getArgument();
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    if (!name.empty() && module)
      write(module, (name + suffix).str());
  }

  void write(ModuleOp module, StringRef name) {
    // Another thread may take the same number between the look and the opening.
    for (unsigned number = nextNumberIn(folder);; ++number) {
      SmallString<256> path(folder);
      llvm::sys::path::append(
          path, llvm::formatv("{0,0+3}-{1}.mlir", number, name).str());
      int file;
      std::error_code error = llvm::sys::fs::openFileForWrite(
          path, file, llvm::sys::fs::CD_CreateNew);
      if (error == std::errc::file_exists)
        continue;
      if (error)
        return warn(module, error);
      llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
      module->print(stream);
      stream << '\n';
      stream.flush();
      if (stream.has_error()) {
        warn(module, stream.error());
        stream.clear_error(); // an unhandled one would abort
      }
      return;
    }
  }

  void warn(ModuleOp module, std::error_code error) {
    emitWarning(UnknownLoc::get(module.getContext()))
        << "cannot write the IR to " << folder << ": " << error.message();
  }

  SmallString<256> folder;
};
} // namespace

void flagtree::dumpTo(StringRef dir, ModuleOp module, PassManager &passes) {
  passes.addInstrumentation(std::make_unique<Dump>(dir, module));
}
