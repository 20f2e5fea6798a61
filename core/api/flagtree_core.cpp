//===- flagtree_core.cpp - The exported functions -------------------------===//

#include "core/api/flagtree_core.h"

#include "core/api/Run.h"
#include "core/registration/Registration.h"
#include <memory>

using namespace flagtree;

namespace {
/// A C result with everything it points to.
struct OwnedResult : FlagtreeResult {
  explicit OwnedResult(RunResult result) : run(std::move(result)) {
    ok = run.text.has_value();
    text = ok ? run.text->c_str() : nullptr;
    textSize = ok ? run.text->size() : 0;
    diagnostics = view(run.messages);
    numDiagnostics = run.messages.size();
  }

private:
  const FlagtreeDiagnostic *view(const std::vector<Message> &messages) {
    auto owned = std::make_unique<std::vector<FlagtreeDiagnostic>>();
    for (const Message &message : messages)
      owned->push_back({message.severity, message.text.c_str(),
                        message.file.c_str(), message.line, message.column,
                        view(message.notes), message.notes.size()});
    views.push_back(std::move(owned));
    return views.back()->data();
  }

  RunResult run;
  std::vector<std::unique_ptr<std::vector<FlagtreeDiagnostic>>> views;
};
} // namespace

const char *flagtree_version(void) { return FLAGTREE_VERSION; }

int flagtree_common_ir_enabled(void) { return commonIrEnabled(); }

const FlagtreeResult *flagtree_intrinsics(void) {
  RunResult result;
  result.text = intrinsicTable();
  return new OwnedResult(std::move(result));
}

const FlagtreeResult *flagtree_run(const char *text, size_t textSize,
                                   const char *pipeline, const char *dumpDir) {
  std::optional<llvm::StringRef> dump;
  if (dumpDir)
    dump = dumpDir;
  return new OwnedResult(run({text, textSize}, pipeline, dump));
}

void flagtree_free(const FlagtreeResult *result) {
  delete static_cast<const OwnedResult *>(result);
}
