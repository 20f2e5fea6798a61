// The C++ side of the typed dialects: what passes build and ask.

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "tests/core/check.h"

using namespace mlir;
using namespace flagtree;

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return text;
}

static void testUnregisteredOperations(MLIRContext *context) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  Operation *wait =
      createOp(builder, builder.getUnknownLoc(), "ttg.async_wait", {},
               ttg::AsyncTokenType::get(context),
               builder.getNamedAttr("num", builder.getI32IntegerAttr(2)),
               builder.getNamedAttr("tt.mark", builder.getUnitAttr()));
  CHECK(!wait->isRegistered());
  CHECK(isOp(wait, "ttg.async_wait") && !isOp(wait, "ttg.wait"));
  CHECK(!isOp(nullptr, "ttg.async_wait"));
  CHECK(print(wait) == "%0 = \"ttg.async_wait\"() <{num = 2 : i32}> {tt.mark} "
                       ": () -> !ttg.async.token");
  CHECK(propertyOf(wait, "num") == builder.getI32IntegerAttr(2));
  CHECK(!propertyOf(wait, "tt.mark"));
  setProperty(wait, "num", builder.getI32IntegerAttr(0));
  CHECK(propertyOf(wait, "num") == builder.getI32IntegerAttr(0));

  Operation *plain =
      createOp(builder, builder.getUnknownLoc(), "gpu.barrier", {}, {});
  CHECK(print(plain) == "\"gpu.barrier\"() : () -> ()");
  CHECK(propertiesOf(plain).empty());

  Operation *constant =
      createOp(builder, builder.getUnknownLoc(), "arith.constant", {},
               builder.getI32Type(),
               builder.getNamedAttr("value", builder.getI32IntegerAttr(7)));
  CHECK(constant->isRegistered());
  CHECK(propertyOf(constant, "value") == builder.getI32IntegerAttr(7));
  setProperty(constant, "value", builder.getI32IntegerAttr(8));
  CHECK(cast<arith::ConstantOp>(constant).getValue() ==
        builder.getI32IntegerAttr(8));
  CHECK(succeeded(verify(*module)));
}

static void testTypes(MLIRContext *context) {
  Builder builder(context);
  auto f16 = builder.getF16Type();
  auto pointer = tt::PointerType::get(f16, tt::kShared);
  CHECK(pointer.getAddressSpace() == 3);
  CHECK(tt::PointerType::get(f16).getAddressSpace() == tt::kGlobal);
  CHECK(tt::pointerOf(RankedTensorType::get({4}, pointer)) == pointer);
  CHECK(!tt::pointerOf(f16));

  auto block = RankedTensorType::get({8, 8}, builder.getIntegerType(8, false));
  CHECK(tt::TensorDescType::get(block).getSignlessBlockType() ==
        RankedTensorType::get({8, 8}, builder.getI8Type()));

  auto space = ttg::SharedMemoryAttr::get(context);
  auto layout =
      ttg::NvmmaSharedAttr::get(context, 128, false, 16, false, 2, nullptr);
  auto buffer =
      ttg::MemDescType::get({2, 64, 64}, f16, layout, space, /*mutable=*/true);
  CHECK(buffer.getAllocShape() == buffer.getShape());
  CHECK(buffer.getNumElements() == 2 * 64 * 64);
  auto half = cast<ttg::MemDescType>(
      buffer.cloneWith(ArrayRef<int64_t>{64, 64}, builder.getBF16Type()));
  CHECK(half.getShape() == ArrayRef<int64_t>({64, 64}));
  CHECK(half.getMutableMemory() && half.getElementType().isBF16());
}

static void testLayouts(MLIRContext *context) {
  Builder builder(context);
  auto tensor = RankedTensorType::get({64, 64}, builder.getF32Type());
  auto encoded = ttg::withDefaultLayout(tensor, /*numWarps=*/4);
  CHECK(encoded.getEncoding() ==
        ttg::defaultBlocked(context, {64, 64}, /*numWarps=*/4));
  CHECK(ttg::withoutLayout(encoded) == tensor);
  CHECK(!ttg::isSharedLayout(encoded.getEncoding()));

  auto padded = ttg::VerbatimAttr::get(context, "padded_shared<[64:+8] {}>");
  auto swizzled =
      ttg::SwizzledSharedAttr::get(context, 1, 1, 1, {1, 0}, nullptr);
  CHECK(ttg::isSharedLayout(padded) && ttg::rankOfSharedLayout(padded) == 0);
  CHECK(ttg::isSharedLayout(swizzled) &&
        ttg::rankOfSharedLayout(swizzled) == 2);
  CHECK(!ttg::isSharedLayout(ttg::VerbatimAttr::get(context, "amd_mfma<>")));

  auto split = ttg::defaultBlocked(context, {64, 64}, 4, /*numCTAs=*/2);
  auto bases = ttg::basesOf(split.getCGALayout());
  CHECK(bases.size() == 1 && bases[0] == ArrayRef<int64_t>({1, 0}));
  CHECK(ttg::basesOf(nullptr).empty());
}

int main() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.loadDialect<tt::TTDialect, ttg::TTGDialect, arith::ArithDialect>();
  testUnregisteredOperations(&context);
  testTypes(&context);
  testLayouts(&context);
}
