//===- InputText.cpp - Texts that MLIR's parser cannot take as is ---------===//

#include "core/api/InputText.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

/// Deeper nesting overflows the stack of a recursive parser; real kernels stay
/// below 50.
static constexpr unsigned kMaxDepth = 256;

static constexpr unsigned kMaxResult = 1 << 16;

/// Longer ones are left alone: a chain of definitions can double at each step.
static constexpr size_t kMaxDefinition = 1 << 16;

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
    case '#': {
      // MLIR makes room for all results up to the one that is used.
      unsigned result = 0;
      StringRef digits = text.substr(i + 1).take_while(llvm::isDigit);
      if (!digits.empty() &&
          (digits.getAsInteger(10, result) || result > kMaxResult))
        return error("result number " + digits + " is larger than " +
                     Twine(kMaxResult));
      break;
    }
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

/// The index behind the identifier of an alias, attribute or type at `begin`.
static size_t skipName(StringRef text, size_t begin) {
  while (begin < text.size() && (llvm::isAlnum(text[begin]) ||
                                 StringRef("_.$-").contains(text[begin])))
    ++begin;
  return begin;
}

/// Calls `use(begin, end)` for each alias in `text`: `#name` or `!name` without
/// the dialect of an attribute or type, strings left out.
static void forEachAlias(StringRef text,
                         function_ref<void(size_t, size_t)> use) {
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = skipString(text, i);
      continue;
    }
    if (text[i] != '#' && text[i] != '!') {
      ++i;
      continue;
    }
    size_t end = skipName(text, i + 1);
    StringRef name = text.slice(i + 1, end);
    bool verboseForm = end < text.size() && text[end] == '<';
    if (!name.empty() && !name.contains('.') && !verboseForm)
      use(i, end);
    i = end;
  }
}

std::string flagtree::spellOutAliases(MLIRContext *context, StringRef text) {
  llvm::StringMap<std::string> definitions;
  auto spellOut = [&](StringRef value) {
    std::string result;
    size_t done = 0;
    forEachAlias(value, [&](size_t begin, size_t end) {
      auto found = definitions.find(value.slice(begin, end));
      if (found == definitions.end())
        return;
      result += value.slice(done, begin);
      result += found->second;
      done = end;
    });
    return result + value.drop_front(done).str();
  };

  // The definitions stand in front of the module, before their uses; those of
  // locations may stand behind it and do not matter here.
  std::string result;
  StringRef rest = text;
  while (rest.starts_with("#") || rest.starts_with("!")) {
    auto [line, next] = rest.split('\n');
    auto [alias, value] = line.split(" = ");
    rest = next;
    if (value.starts_with("#") || value.starts_with("!")) {
      std::string spelled = spellOut(value);
      StringRef dialect = value.slice(1, skipName(value, 1)).split('.').first;
      if (!context->getLoadedDialect(dialect))
        result += (alias + " = " + spelled + "\n").str();
      else
        result += (line + "\n").str();
      if (spelled.size() < kMaxDefinition)
        definitions[alias] = std::move(spelled);
    } else {
      result += (line + "\n").str();
    }
  }
  return result + rest.str();
}

LogicalResult flagtree::checkNoLostAlias(ModuleOp module) {
  std::string lost;
  auto check = [&](StringRef dialect, StringRef text) {
    forEachAlias(text,
                 [&](size_t, size_t) { lost = (dialect + "." + text).str(); });
    return lost.empty() ? WalkResult::advance() : WalkResult::interrupt();
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
