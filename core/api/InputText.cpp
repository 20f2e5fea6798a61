//===- InputText.cpp - Texts that MLIR's parser cannot take as is ---------===//

#include "core/api/InputText.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

/// Deeper nesting overflows the stack of a recursive parser; real kernels stay
/// below 50.
static constexpr unsigned kMaxDepth = 256;

/// MLIR makes room for all results of an operation up to the one that is used.
static constexpr unsigned kMaxResult = 1 << 16;

/// MLIR asserts that the elements of a shape can be counted; Triton's tensors
/// have at most 2^20.
static constexpr uint64_t kMaxElements = uint64_t(1) << 40;

/// Longer definitions of aliases are not spelled out: in a chain of them each
/// can double.
static constexpr size_t kMaxDefinition = 1 << 16;

/// The index behind the string literal that begins at `begin`.
static size_t skipString(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
    else if (text[i] == '\n')
      return i;
  }
  return text.size();
}

namespace {
/// One pass over a text, token by token, for checkText.
class TextCheck {
public:
  TextCheck(MLIRContext *context, StringRef text)
      : context(context), text(text) {}

  LogicalResult run() {
    while (at < text.size())
      if (failed(checkToken()))
        return failure();
    return success();
  }

private:
  LogicalResult checkToken();
  LogicalResult checkWord();
  LogicalResult checkNumber();
  LogicalResult checkResultNumber();

  StringRef rest() const { return text.drop_front(at); }

  InFlightDiagnostic error() const {
    StringRef before = text.take_front(at);
    unsigned line = before.count('\n') + 1;
    unsigned column = before.size() - (before.rfind('\n') + 1) + 1;
    return emitError(FileLineColLoc::get(context, "ttir", line, column));
  }

  MLIRContext *context;
  StringRef text;
  size_t at = 0;
  unsigned depth = 0;
};
} // namespace

LogicalResult TextCheck::checkToken() {
  char c = text[at];
  if (llvm::isAlpha(c) || c == '_')
    return checkWord();
  if (llvm::isDigit(c))
    return checkNumber();
  switch (c) {
  case '\0':
    return error() << "the module's text holds a NUL character";
  case '"':
    at = skipString(text, at);
    return success();
  case '/':
    at = rest().starts_with("//") ? std::min(text.find('\n', at), text.size())
                                  : at + 1;
    return success();
  case '-':
    at += rest().starts_with("->") ? 2 : 1;
    return success();
  case '#':
    return checkResultNumber();
  case '(':
  case '[':
  case '{':
  case '<':
    if (++depth > kMaxDepth)
      return error() << "brackets are nested deeper than " << kMaxDepth;
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
  ++at;
  return success();
}

LogicalResult TextCheck::checkWord() {
  StringRef word = rest().take_while(
      [](char c) { return llvm::isAlnum(c) || StringRef("_.$").contains(c); });
  StringRef body = rest().drop_front(word.size());
  if (body.consume_front("<")) {
    if (word == "array" && body.ltrim().starts_with("index"))
      return error() << "an array of 'index' is not supported";
    if ((word == "dense" || word == "sparse") &&
        body.take_until([](char c) { return c == '>' || c == '"'; })
            .contains('('))
      return error() << "complex elements are not supported";
  }
  at += word.size();
  return success();
}

LogicalResult TextCheck::checkNumber() {
  uint64_t elements = 1;
  StringRef shape = rest();
  while (true) {
    StringRef digits = shape.take_while(llvm::isDigit);
    shape = shape.drop_front(digits.size()).ltrim(" ?");
    if (!shape.consume_front("x"))
      break;
    uint64_t size = 1;
    if (!digits.empty() && digits.getAsInteger(10, size))
      size = UINT64_MAX;
    if (size && elements > kMaxElements / size)
      return error() << "a shape has more than " << kMaxElements << " elements";
    elements *= size;
  }
  at += rest().take_while(llvm::isDigit).size();
  return success();
}

LogicalResult TextCheck::checkResultNumber() {
  ++at;
  unsigned number = 0;
  StringRef digits = rest().take_while(llvm::isDigit);
  if (!digits.empty() &&
      (digits.getAsInteger(10, number) || number > kMaxResult))
    return error() << "result number " << digits << " is larger than "
                   << kMaxResult;
  return success();
}

LogicalResult flagtree::checkText(MLIRContext *context, StringRef text) {
  return TextCheck(context, text).run();
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

OwningOpRef<ModuleOp> flagtree::parseText(MLIRContext *context,
                                          StringRef text) {
  if (failed(checkText(context, text)))
    return {};
  auto module = parseSourceString<ModuleOp>(spellOutAliases(context, text),
                                            ParserConfig(context), "ttir");
  if (!module || failed(checkNoLostAlias(*module)))
    return {};
  return module;
}
