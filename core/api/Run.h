//===- Run.h - Running a pipeline over a module in text ---------*- C++ -*-===//

#ifndef FLAGTREE_CORE_API_RUN_H
#define FLAGTREE_CORE_API_RUN_H

#include "core/api/flagtree_core.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace flagtree {

struct Message {
  FlagtreeSeverity severity = FLAGTREE_ERROR;
  std::string text;
  std::string file;
  int line = 0;
  int column = 0;
  std::vector<Message> notes;
};

struct RunResult {
  /// The module in generic form with locations; nothing if there was an error.
  std::optional<std::string> text;
  std::vector<Message> messages;
};

/// See flagtree_run.
RunResult run(llvm::StringRef text, llvm::StringRef pipeline,
              std::optional<llvm::StringRef> dumpDir);

/// See flagtree_intrinsics.
std::string intrinsicTable();

} // namespace flagtree

#endif // FLAGTREE_CORE_API_RUN_H
