//===- RaiseIntrinsics.cpp - From intrinsic calls to operations -----------===//

#include "core/raising/Intrinsics.h"
#include "core/raising/Passes.h"
#include "core/raising/RaisingInterface.h"
#include "core/triton/TT.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

namespace flagtree {
#define GEN_PASS_DEF_RAISEINTRINSICS
#include "core/raising/Passes.h.inc"
} // namespace flagtree

using namespace mlir;
using namespace flagtree;

/// `tle.copy` of `tle.copy.0`; empty if `symbol` is not of the form
/// <dialect>.<op>.<number>.
static StringRef intrinsicNameOf(StringRef symbol) {
  auto [name, number] = symbol.rsplit('.');
  bool wellFormed = !number.empty() && llvm::all_of(number, llvm::isDigit) &&
                    name.count('.') == 1 && !name.ends_with(".");
  return wellFormed ? name : StringRef();
}

/// What the front end writes as `dense<..> : tensor<Nxi32>`, for want of a
/// binding, is an `array<i32: ..>` in our operations.
static Attribute toInherent(Attribute attr) {
  auto dense = dyn_cast<DenseIntElementsAttr>(attr);
  if (!dense || dense.getType().getRank() != 1 ||
      !dense.getElementType().isSignlessInteger(32))
    return attr;
  return DenseI32ArrayAttr::get(attr.getContext(),
                                llvm::to_vector(dense.getValues<int32_t>()));
}

/// Runs `verify` and gives each error it reports the rule number I4, unless it
/// already has one: the verifiers generated from ODS know no rules.
static LogicalResult numberErrors(MLIRContext *context,
                                  function_ref<LogicalResult()> verify) {
  SmallVector<Diagnostic> errors;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      errors.push_back(std::move(diagnostic));
      return success();
    });
    result = verify();
  }
  llvm::Regex numbered("\\[[A-Z][0-9]+\\]");
  for (Diagnostic &error : errors) {
    std::string message = error.str();
    InFlightDiagnostic report = emitError(error.getLocation());
    if (!numbered.match(message))
      report << "[I4] ";
    report << message;
    for (Diagnostic &note : error.getNotes())
      report.attachNote(note.getLocation()) << note.str();
  }
  return result;
}

/// `value` as a `type`; the inverse of an earlier join, if there is one.
static Value join(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (auto cast = value.getDefiningOp<UnrealizedConversionCastOp>())
    if (cast.getInputs().size() == 1 &&
        cast.getInputs().front().getType() == type)
      return cast.getInputs().front();
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

namespace {
class RaiseIntrinsics
    : public flagtree::impl::RaiseIntrinsicsBase<RaiseIntrinsics> {
  void runOnOperation() override;

  LogicalResult collectDeclarations();
  LogicalResult raise(tt::CallOp call, RegisteredOperationName name);
  LogicalResult checkOtherUses();

  /// Declared intrinsics, by symbol.
  llvm::MapVector<StringAttr, std::pair<tt::FuncOp, RegisteredOperationName>>
      declarations;
};
} // namespace

void RaiseIntrinsics::runOnOperation() {
  declarations.clear();
  getOperation()->removeAttr("tle.used");
  bool failed = mlir::failed(collectDeclarations());

  getOperation().walk([&](tt::CallOp call) {
    auto *found = declarations.find(call.getCalleeAttr().getAttr());
    if (found != declarations.end())
      failed |= mlir::failed(raise(call, found->second.second));
  });
  if (!failed && !declarations.empty())
    failed = mlir::failed(checkOtherUses());
  if (failed)
    return signalPassFailure();

  for (auto &[symbol, declaration] : declarations)
    declaration.first.erase();
}

LogicalResult RaiseIntrinsics::collectDeclarations() {
  llvm::StringMap<RegisteredOperationName> table;
  llvm::StringSet<> dialects;
  for (RegisteredOperationName name : intrinsicsOf(&getContext())) {
    table.try_emplace(name.getStringRef(), name);
    dialects.insert(name.getDialectNamespace());
  }

  bool failed = false;
  for (auto function : getOperation().getOps<tt::FuncOp>()) {
    StringRef symbol = function.getSymName();
    if (!dialects.contains(symbol.split('.').first))
      continue;
    StringRef name = intrinsicNameOf(symbol);
    if (!function.isExternal()) {
      // A helper of a user's module called `tle` looks like tle.helper__i32__.
      if (!name.empty())
        failed |= mlir::failed(
            function.emitError()
            << "[I3] function @\"" << symbol
            << "\" has a body, but names of the form <dialect>.<op>.<number> "
               "belong to intrinsics; rename the function");
      continue;
    }
    auto found = table.find(name);
    if (found == table.end()) {
      failed |= mlir::failed(
          function.emitError()
          << "[I1] @\"" << symbol
          << "\" is declared, but is no intrinsic: expected "
             "<dialect>.<op>.<number> with one of "
          << llvm::join(
                 llvm::map_range(intrinsicsOf(&getContext()),
                                 [](auto name) { return name.getStringRef(); }),
                 ", ")
          << "; the front end and the compiled core are of different versions");
      continue;
    }
    declarations.insert({function.getSymNameAttr(), {function, found->second}});
  }
  return failure(failed);
}

LogicalResult RaiseIntrinsics::raise(tt::CallOp call,
                                     RegisteredOperationName name) {
  auto caller = call->getParentOfType<tt::FuncOp>();
  if (!caller.isPublic())
    return call.emitError()
           << "[I6] " << name << " is used in function @" << caller.getSymName()
           << ", which was not inlined into a kernel; TLE operations need the "
              "kernel's launch configuration: remove noinline=True";

  std::string prefix = (name.getDialectNamespace() + ".").str();
  NamedAttrList inherent;
  SmallVector<NamedAttribute> discardable;
  for (NamedAttribute attr : call->getDiscardableAttrs()) {
    StringRef key = attr.getName();
    if (!key.consume_front(prefix)) {
      discardable.push_back(attr);
      continue;
    }
    if (!llvm::is_contained(name.getAttributeNames(), key))
      return call.emitError() << "[I2] " << name << " has no attribute '" << key
                              << "'; its attributes are: "
                              << llvm::join(name.getAttributeNames(), ", ");
    inherent.set(key, toInherent(attr.getValue()));
  }

  OpBuilder builder(call);
  SmallVector<Value> operands(call.getOperands());
  SmallVector<Type> resultTypes(call->getResultTypes());
  if (const auto *types =
          name.getDialect().getRegisteredInterface<RaisingInterface>()) {
    types->complete(name, call->getResultTypes(), inherent);
    for (Value &operand : operands)
      operand = join(builder, call.getLoc(), operand,
                     types->raise(operand.getType()));
    for (Type &type : resultTypes)
      type = types->raise(type);
  }

  MLIRContext *context = &getContext();
  auto emitCallError = [&] { return call.emitError(); };
  if (failed(numberErrors(context, [&] {
        return name.verifyInherentAttrs(inherent, emitCallError);
      })))
    return failure();

  OperationState state(call.getLoc(), name, operands, resultTypes, inherent);
  state.addAttributes(discardable);
  Operation *op = builder.create(state);
  if (failed(numberErrors(
          context, [&] { return verify(op, /*verifyRecursively=*/false); }))) {
    op->erase();
    return failure();
  }
  for (auto [before, after] :
       llvm::zip_equal(call->getResults(), op->getResults()))
    before.replaceAllUsesWith(
        join(builder, call.getLoc(), after, before.getType()));
  call.erase();
  return success();
}

LogicalResult RaiseIntrinsics::checkOtherUses() {
  // SymbolTable::getSymbolUses gives up on unregistered operations with a
  // region, such as tt.reduce.
  FlatSymbolRefAttr bad;
  AttrTypeWalker walker;
  walker.addWalk([&](SymbolRefAttr symbol) {
    if (!declarations.contains(symbol.getRootReference()))
      return WalkResult::advance();
    bad = FlatSymbolRefAttr::get(symbol.getRootReference());
    return WalkResult::interrupt();
  });
  WalkResult result = getOperation().walk([&](Operation *op) {
    Attribute properties = op->getPropertiesAsAttribute();
    bool found =
        walker.walk(op->getDiscardableAttrDictionary()).wasInterrupted() ||
        (properties && walker.walk(properties).wasInterrupted());
    if (!found)
      return WalkResult::advance();
    op->emitError() << "[I5] " << bad
                    << " is an intrinsic and can only be called, but '"
                    << op->getName() << "' refers to it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
