//===- CheckText.cpp - Input that MLIR's parser cannot survive ------------===//

#include "core/api/CheckText.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// Deeper nesting overflows the stack of a recursive parser; real kernels stay
/// below 50.
static constexpr unsigned kMaxDepth = 256;

/// The index behind the string literal that begins at `begin`.
static size_t skipString(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n')
      return i + 1;
  }
  return text.size();
}

LogicalResult flagtree::checkText(MLIRContext *context, StringRef text) {
  unsigned depth = 0, line = 1;
  size_t lineStart = 0;
  for (size_t i = 0; i < text.size();) {
    auto error = [&](const Twine &message) {
      return emitError(
          FileLineColLoc::get(context, "ttir", line, i - lineStart + 1),
          message);
    };
    switch (text[i]) {
    case '\0':
      return error("the module's text holds a NUL character");
    case '\n':
      ++line;
      lineStart = ++i;
      continue;
    case '"':
      i = skipString(text, i);
      if (text[i - 1] == '\n')
        --i;
      continue;
    case '/':
      if (text.substr(i).starts_with("//")) {
        i = std::min(text.find('\n', i), text.size());
        continue;
      }
      break;
    case '-':
      if (text.substr(i).starts_with("->")) {
        i += 2;
        continue;
      }
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > kMaxDepth)
        return error("brackets are nested deeper than " + Twine(kMaxDepth));
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      depth -= depth > 0;
      break;
    default:
      break;
    }
    ++i;
  }
  return success();
}

/// True if `text` refers to an alias: `#name` or `!name` without a dialect.
static bool namesAlias(StringRef text) {
  for (size_t i = text.find_first_of("#!"); i != StringRef::npos;
       i = text.find_first_of("#!", i + 1)) {
    StringRef name = text.substr(i + 1).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (!name.empty() && !name.contains('.'))
      return true;
  }
  return false;
}

LogicalResult flagtree::checkNoLostAlias(ModuleOp module) {
  std::string lost;
  auto check = [&](StringRef dialect, StringRef text) {
    if (!namesAlias(text))
      return WalkResult::advance();
    lost = (dialect + "." + text).str();
    return WalkResult::interrupt();
  };
  AttrTypeWalker walker;
  walker.addWalk([&](OpaqueAttr attr) {
    return check(attr.getDialectNamespace(), attr.getAttrData());
  });
  walker.addWalk([&](OpaqueType type) {
    return check(type.getDialectNamespace(), type.getTypeData());
  });
  WalkResult result = module.walk([&](Operation *op) {
    Attribute properties = op->getPropertiesAsAttribute();
    bool found =
        walker.walk(op->getDiscardableAttrDictionary()).wasInterrupted() ||
        (properties && walker.walk(properties).wasInterrupted());
    auto walkTypes = [&](TypeRange types) {
      for (Type type : types)
        found = found || walker.walk(type).wasInterrupted();
    };
    walkTypes(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        walkTypes(block.getArgumentTypes());
    if (!found)
      return WalkResult::advance();
    op->emitError()
        << "'" << lost
        << "' is not understood by the compiler core, but refers to "
           "an alias";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
