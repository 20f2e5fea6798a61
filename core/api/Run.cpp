//===- Run.cpp - Running a pipeline over a module in text -----------------===//

#include "core/api/Run.h"

#include "core/api/Dump.h"
#include "core/api/InputText.h"
#include "core/raising/Intrinsics.h"
#include "core/registration/Registration.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flagtree;

/// A context with all our dialects. Kernels are small: threads of its own would
/// cost more than they bring, and callers bring theirs.
static std::unique_ptr<MLIRContext> makeContext() {
  // Passes go to a global registry of MLIR, once.
  [[maybe_unused]] static const bool registered = (registerAllPasses(), true);
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  context->printOpOnDiagnostic(false);
  context->loadAllAvailableDialects();
  return context;
}

/// The place in the user's source: of an inlined call, the place in the callee;
/// its callers go to `callers`.
static FileLineColLoc placeOf(Location loc,
                              SmallVectorImpl<FileLineColLoc> &callers) {
  return TypeSwitch<LocationAttr, FileLineColLoc>(loc)
      .Case([](FileLineColLoc file) { return file; })
      .Case([](FileLineColRange range) {
        return FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                                   range.getStartColumn());
      })
      .Case([&](NameLoc name) { return placeOf(name.getChildLoc(), callers); })
      .Case([&](CallSiteLoc call) {
        FileLineColLoc callee = placeOf(call.getCallee(), callers);
        FileLineColLoc caller = placeOf(call.getCaller(), callers);
        if (callee && caller)
          callers.insert(callers.begin(), caller);
        return callee ? callee : caller;
      })
      .Case([&](FusedLoc fused) {
        FileLineColLoc first;
        for (Location part : fused.getLocations())
          if (!first)
            first = placeOf(part, callers);
        return first;
      })
      .Case([&](OpaqueLoc opaque) {
        return placeOf(opaque.getFallbackLocation(), callers);
      })
      .Default([](LocationAttr) { return FileLineColLoc(); });
}

static FlagtreeSeverity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return FLAGTREE_ERROR;
  case DiagnosticSeverity::Warning:
    return FLAGTREE_WARNING;
  case DiagnosticSeverity::Remark:
    return FLAGTREE_REMARK;
  case DiagnosticSeverity::Note:
    return FLAGTREE_NOTE;
  }
  llvm_unreachable("all severities are handled");
}

static Message makeMessage(FlagtreeSeverity severity, std::string text,
                           FileLineColLoc place) {
  Message message;
  message.severity = severity;
  message.text = std::move(text);
  if (place) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  return message;
}

static Message toMessage(Diagnostic &diagnostic) {
  SmallVector<FileLineColLoc> callers;
  FileLineColLoc place = placeOf(diagnostic.getLocation(), callers);
  Message message = makeMessage(severityOf(diagnostic.getSeverity()),
                                diagnostic.str(), place);
  for (FileLineColLoc caller : callers)
    message.notes.push_back(
        makeMessage(FLAGTREE_NOTE, "called from here", caller));
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(toMessage(note));
  return message;
}

static LogicalResult runPipeline(ModuleOp module, StringRef pipeline,
                                 std::optional<StringRef> dumpDir) {
  MLIRContext *context = module.getContext();
  PassManager passes(context);
  if (!pipeline.empty()) {
    std::string error;
    llvm::raw_string_ostream stream(error);
    FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, stream);
    if (failed(parsed))
      return emitError(UnknownLoc::get(context))
             << "cannot parse the pass pipeline: " << error;
    static_cast<OpPassManager &>(passes) = std::move(*parsed);
  }
  if (dumpDir)
    dumpTo(*dumpDir, module, passes);
  return passes.run(module);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Passes verify what they leave behind.
  module->print(stream, OpPrintingFlags()
                            .printGenericOpForm()
                            .enableDebugInfo()
                            .assumeVerified());
  return text;
}

RunResult flagtree::run(StringRef text, StringRef pipeline,
                        std::optional<StringRef> dumpDir) {
  RunResult result;
  std::unique_ptr<MLIRContext> context = makeContext();
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    result.messages.push_back(toMessage(diagnostic));
    return success();
  });
  OwningOpRef<ModuleOp> module = parseText(context.get(), text);
  if (module && succeeded(runPipeline(*module, pipeline, dumpDir)))
    result.text = print(*module);
  else if (llvm::none_of(result.messages, [](const Message &message) {
             return message.severity == FLAGTREE_ERROR;
           }))
    result.messages.push_back(
        makeMessage(FLAGTREE_ERROR, "a pass failed without saying why", {}));
  return result;
}

std::string flagtree::intrinsicTable() {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::string table;
  for (RegisteredOperationName name : intrinsicsOf(context.get())) {
    table += name.getStringRef();
    for (StringAttr attribute : name.getAttributeNames())
      table += " " + attribute.str();
    table += '\n';
  }
  return table;
}
