//===- SharedAccess.cpp - Accesses of shared memory by address ------------===//

#include "nvidia_backend/transforms/SharedAccess.h"

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

static constexpr llvm::StringLiteral kAttribute = "tle.shared_access";

void flagtree::nvidia::markAccess(Operation *op, SharedAccess access) {
  StringRef name = access == SharedAccess::Load    ? "load"
                   : access == SharedAccess::Store ? "store"
                                                   : "atomic";
  op->setDiscardableAttr(kAttribute, StringAttr::get(op->getContext(), name));
}

std::optional<SharedAccess> flagtree::nvidia::accessOf(Operation *op) {
  auto name = dyn_cast_or_null<StringAttr>(op->getDiscardableAttr(kAttribute));
  if (!name)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<SharedAccess>>(name.getValue())
      .Case("load", SharedAccess::Load)
      .Case("store", SharedAccess::Store)
      .Case("atomic", SharedAccess::Atomic)
      .Default(std::nullopt);
}

Value flagtree::nvidia::bufferBehind(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isOp(op, "tti.experimental_memdesc_to_i64"))
      return op->getOperand(0);
    bool passes = isa<arith::AddIOp, arith::TruncIOp, arith::ExtUIOp>(op) ||
                  llvm::StringSwitch<bool>(op->getName().getStringRef())
                      .Cases({"tt.splat", "tt.broadcast", "tt.expand_dims",
                              "tt.reshape", "tt.trans", "tt.int_to_ptr"},
                             true)
                      .Default(false);
    if (!passes)
      return Value();
    address = op->getOperand(0);
  }
  return Value();
}

//===----------------------------------------------------------------------===//
// Values in registers
//===----------------------------------------------------------------------===//

AsmRegister AsmRegister::forType(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width <= 8) // There are no registers of 8 bits.
    return {32, "r", "b8", "b32"};
  std::string bits = "b" + std::to_string(width);
  return {width, width == 16 ? "h" : width == 32 ? "r" : "l", bits, bits};
}

/// `type`, a scalar or tensor, with other elements.
static Type withElements(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : element;
}

Type AsmRegister::likeType(Type type) const {
  return withElements(type, IntegerType::get(type.getContext(), width));
}

Value flagtree::nvidia::toRegister(OpBuilder &builder, Location loc,
                                   Value value) {
  Type element = tt::elementOf(value.getType());
  Type target = AsmRegister::forType(element).likeType(value.getType());
  if (!element.isInteger()) {
    Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
    value = createOp(builder, loc, "tt.bitcast", value,
                     withElements(value.getType(), bits))
                ->getResult(0);
  }
  if (value.getType() == target)
    return value;
  return arith::ExtUIOp::create(builder, loc, target, value);
}

Value flagtree::nvidia::fromRegister(OpBuilder &builder, Location loc,
                                     Value value, Type type) {
  Type element = tt::elementOf(type);
  Type bits = withElements(
      type, builder.getIntegerType(element.getIntOrFloatBitWidth()));
  if (value.getType() != bits)
    value = arith::TruncIOp::create(builder, loc, bits, value);
  if (value.getType() == type)
    return value;
  return createOp(builder, loc, "tt.bitcast", value, type)->getResult(0);
}

Operation *flagtree::nvidia::createAsm(OpBuilder &builder, Location loc,
                                       StringRef code, StringRef constraints,
                                       ValueRange operands, Type resultType,
                                       SharedAccess access) {
  Operation *op = createOp(
      builder, loc, "tt.elementwise_inline_asm", operands, resultType,
      {builder.getNamedAttr("asm_string", builder.getStringAttr(code)),
       builder.getNamedAttr("constraints", builder.getStringAttr(constraints)),
       builder.getNamedAttr("packed_element", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("pure", builder.getBoolAttr(false))});
  markAccess(op, access);
  return op;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// An enumerator of a tt attribute, which travels as an integer; 0 if missing.
static int64_t enumerator(Operation *op, StringRef name) {
  auto value = dyn_cast_or_null<IntegerAttr>(propertyOf(op, name));
  return value ? value.getInt() : 0;
}

/// `names` are those of the enumerators 1, 2, ...
static FailureOr<std::string> nameOf(int64_t value,
                                     ArrayRef<llvm::StringLiteral> names) {
  if (value < 1 || value > int64_t(names.size()))
    return failure();
  return names[value - 1].str();
}

/// Operation and type: `add.u32`.
static FailureOr<std::string> operationOf(Operation *atomic, Type element) {
  if (!element.isIntOrFloat())
    return failure();
  unsigned width = element.getIntOrFloatBitWidth();
  std::string bits = std::to_string(width);
  if (isOp(atomic, "tt.atomic_cas")) {
    if (width != 16 && width != 32 && width != 64)
      return failure();
    return "cas.b" + bits;
  }
  // The order of RMWOp: and, or, xor, add, fadd, max, min, umax, umin, exch.
  FailureOr<std::string> name =
      nameOf(enumerator(atomic, "atomic_rmw_op"),
             {"and.b", "or.b", "xor.b", "add.u", "add.f", "max.s", "min.s",
              "max.u", "min.u", "exch.b"});
  if (failed(name))
    return failure();
  if (*name == "add.f") {
    if (element.isF16())
      return std::string("add.noftz.f16");
    if (element.isBF16())
      return std::string("add.noftz.bf16");
    if (element.isF32() || element.isF64())
      return "add.f" + bits;
    return failure();
  }
  bool isExchange = *name == "exch.b";
  if ((width != 32 && width != 64) || (!element.isInteger() && !isExchange))
    return failure();
  return *name + bits;
}

FailureOr<std::string> flagtree::nvidia::atomicInstruction(Operation *atomic,
                                                           Type element) {
  FailureOr<std::string> semantics = nameOf(
      enumerator(atomic, "sem"), {"relaxed", "acquire", "release", "acq_rel"});
  FailureOr<std::string> scope =
      nameOf(enumerator(atomic, "scope"), {"gpu", "cta", "sys"});
  FailureOr<std::string> operation = operationOf(atomic, element);
  if (failed(semantics) || failed(scope) || failed(operation))
    return failure();
  return "atom." + *semantics + "." + *scope + ".shared." + *operation;
}
