//===- BufferTypes.cpp - The descriptor of every buffer -------------------===//

#include "commonir/BufferTypes.h"

#include "commonir/Subslice.h"
#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;
using flagtree::tile::BufType;
using flagtree::ttg::MemDescType;

static bool isBuffer(Value value) {
  return isa<BufType, MemDescType>(value.getType());
}

static bool isTileBuffer(Value value) { return isa<BufType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Where buffers flow
//===----------------------------------------------------------------------===//

void BufferTypes::flow(Value from, Value to) {
  if (!isBuffer(from) || !isBuffer(to))
    return;
  classes.unionSets(from, to);
  successors[from].push_back(to);
}

void BufferTypes::flow(ValueRange from, ValueRange to) {
  for (auto [source, target] : llvm::zip(from, to))
    flow(source, target);
}

LogicalResult BufferTypes::connect(Operation *op,
                                   SymbolTableCollection &symbols) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    flow(loop.getInitArgs(), loop.getRegionIterArgs());
    flow(loop.getInitArgs(), loop.getResults());
    flow(loop.getYieldedValues(), loop.getRegionIterArgs());
    flow(loop.getYieldedValues(), loop.getResults());
    return success();
  }
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : choice.getRegions())
      if (!region->empty())
        flow(region->front().getTerminator()->getOperands(),
             choice.getResults());
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    flow(loop.getInits(), loop.getBeforeArguments());
    flow(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    flow(loop.getConditionOp().getArgs(), loop.getResults());
    flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    return success();
  }
  if (auto special = dyn_cast<ttg::WarpSpecializeOp>(op)) {
    for (Region &region : special.getPartitionRegions())
      flow(special.getExplicitCaptures(), region.getArguments());
    for (Block &block : special.getDefaultRegion())
      if (isa<ttg::WarpYieldOp>(block.getTerminator()))
        flow(block.getTerminator()->getOperands(), special->getResults());
    return success();
  }
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (auto [index, block] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = branch.getSuccessorOperands(index);
      for (unsigned i = operands.getProducedOperandCount(); i < operands.size();
           ++i)
        flow(operands[i], block->getArgument(i));
    }
    return success();
  }
  if (auto call = dyn_cast<tt::CallOp>(op)) {
    auto callee =
        symbols.lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
    bool passesBuffers = llvm::any_of(call->getOperands(), isTileBuffer) ||
                         llvm::any_of(call->getResults(), isTileBuffer);
    if (callee.isExternal())
      return passesBuffers
                 ? call.emitOpError("[T53] buffers are passed to @")
                       << callee.getSymName()
                       << ", which has no body; give it one in this module"
                 : success();
    flow(call.getOperands(), callee.getBody().getArguments());
    for (Block &block : callee.getBody())
      if (isa<tt::ReturnOp>(block.getTerminator()))
        flow(block.getTerminator()->getOperands(), call->getResults());
    return success();
  }
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
    if (cast->getNumOperands() == 1 && cast->getNumResults() == 1)
      flow(cast->getOperand(0), cast->getResult(0));
    return success();
  }
  if (isa<tt::FuncOp, tt::ReturnOp, scf::YieldOp, scf::ConditionOp,
          ttg::WarpYieldOp, ttg::WarpReturnOp, ttg::WarpSpecializePartitionsOp>(
          op) ||
      isa_and_nonnull<tile::TileDialect>(op->getDialect()))
    return success();
  auto touches = [](auto values) { return llvm::any_of(values, isTileBuffer); };
  if (touches(op->getOperands()) || touches(op->getResults()) ||
      llvm::any_of(op->getRegions(), [&](Region &region) {
        return touches(region.getArguments());
      }))
    return op->emitOpError(
        "[T52] cannot take or make a TileIR buffer; buffers "
        "go through tile operations, scf.for, scf.if, "
        "scf.while, branches, calls and ttg.warp_specialize");
  return success();
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

MemDescType BufferTypes::lookup(Value buffer) const {
  auto leader = classes.findLeader(buffer);
  Value key = leader == classes.member_end() ? buffer : *leader;
  return types.lookup(key);
}

MemDescType BufferTypes::operator[](Value buffer) const {
  MemDescType type = lookup(buffer);
  assert(type && "a buffer without a descriptor");
  return type;
}

LogicalResult BufferTypes::assign(Value buffer, MemDescType type,
                                  Operation *op) {
  auto leader = classes.findLeader(buffer);
  Value key = leader == classes.member_end() ? buffer : *leader;
  MemDescType &known = types[key];
  if (!known)
    known = type;
  if (known == type)
    return success();
  if (isa<UnrealizedConversionCastOp>(op))
    return op->emitOpError("[T51] the bridge's descriptor ")
           << type << " is not the one of the buffer, " << known;
  return op->emitOpError("[T36] one buffer has two descriptors, ")
         << known << " and " << type
         << "; buffers that meet at a call, a branch or a loop need one shape "
            "and one layout";
}

/// The layout that the front end left on the maker of a buffer (T32).
static FailureOr<Attribute> layoutOf(Operation *op) {
  if (Attribute layout = op->getAttr(tile::kGpuLayout))
    return layout;
  return op->emitOpError("[T32] the buffer has no layout: the attribute "
                         "tle.gpu_layout is missing");
}

/// A descriptor of shared memory, if the layout fits the shape (T33).
static FailureOr<MemDescType> descriptor(Operation *op, BufType buffer,
                                         Attribute layout,
                                         ArrayRef<int64_t> allocShape) {
  if (!ttg::isSharedLayout(layout))
    return op->emitOpError("[T33] tle.gpu_layout must be a layout of shared "
                           "memory, but it is ")
           << layout;
  auto error = [&] {
    return op->emitOpError("[T33] the buffer does not fit its layout: ");
  };
  Attribute space = ttg::SharedMemoryAttr::get(op->getContext());
  auto type = MemDescType::getChecked(
      error, op->getContext(), buffer.getShape(), buffer.getElementType(),
      layout, space, /*mutableMemory=*/true, allocShape);
  if (!type)
    return failure();
  return type;
}

LogicalResult BufferTypes::assign(tile::AllocOp op) {
  BufType buffer = op.getBuffer().getType();
  if (buffer.getSpace() != tile::MemorySpace::shared)
    return op.emitOpError("[T31] a GPU has no memory \"")
           << stringifyMemorySpace(buffer.getSpace())
           << "\" to allocate in; only \"shared\" is supported";
  bool plain = op.getPolicy().value_or(tile::Policy::single_buffer) ==
                   tile::Policy::single_buffer &&
               op.getLayout().value_or(tile::Layout::nd) == tile::Layout::nd &&
               op.getLifetime().value_or(tile::Lifetime::default_) ==
                   tile::Lifetime::default_;
  if (!plain)
    return op.emitOpError("[T34] policy, layout and lifetime must be "
                          "single_buffer, nd and default; allocate a leading "
                          "stage dimension for more than one copy");
  FailureOr<Attribute> layout = layoutOf(op);
  if (failed(layout))
    return failure();
  FailureOr<MemDescType> type =
      descriptor(op, buffer, *layout, buffer.getShape());
  return failed(type) ? failure() : assign(op.getBuffer(), *type, op);
}

LogicalResult BufferTypes::assign(UnrealizedConversionCastOp op) {
  bool fromTile = llvm::any_of(op.getInputs(), isTileBuffer);
  bool toTile = llvm::any_of(op.getOutputs(), isTileBuffer);
  if (!fromTile && !toTile)
    return success();
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      !isBuffer(op->getOperand(0)) || !isBuffer(op->getResult(0)))
    return op.emitOpError("[T51] a buffer can be bridged only to one "
                          "!ttg.memdesc, or from one");
  Value descriptor = fromTile ? op->getResult(0) : op->getOperand(0);
  auto type = dyn_cast<MemDescType>(descriptor.getType());
  if (!type)
    return success(); // From one buffer type to another: caught at the end.
  auto buffer = cast<BufType>(
      (fromTile ? op->getOperand(0) : op->getResult(0)).getType());
  if (type.getShape() != buffer.getShape() ||
      type.getElementType() != buffer.getElementType())
    return op.emitOpError("[T51] the bridge's descriptor ")
           << type << " does not have the shape and element type of " << buffer;
  // Triton's alias analysis does not know a choice between descriptors.
  if (isa_and_nonnull<arith::SelectOp>(descriptor.getDefiningOp()))
    return op.emitOpError(
        "[T35] the buffer is chosen by arith.select, so that "
        "its allocation is not known; branch on the condition "
        "and use each buffer in its branch");
  return assign(descriptor, type, op);
}

LogicalResult BufferTypes::assign(tile::SubviewOp op, MemDescType source) {
  BufType view = op.getView().getType();
  if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s != 1; }))
    return op.emitOpError("[T38] strides must be 1; strided views of shared "
                          "memory are not supported");
  unsigned dropped = op.getDroppedDims();
  if (dropped > 1)
    return op.emitOpError("[T39] a view may drop the leading dimension alone, "
                          "but this one drops ")
           << dropped;

  if (dropped == 1) {
    if (view.getShape() != source.getShape().drop_front())
      return op.emitOpError("[T40] a view by leading index keeps all other "
                            "dimensions whole, but ")
             << view << " is not a slot of " << op.getSource().getType();
    for (Value offset : op.getOffsets().drop_front())
      if (!matchPattern(offset, m_Zero()))
        return op.emitOpError(
            "[T41] a view by leading index must have constant "
            "zero as every other offset");
    if (source.getAllocShape() != source.getShape())
      return op.emitOpError("[T44] a view by leading index needs a whole "
                            "buffer, but its source is a part of one, ")
             << source;
    FailureOr<Attribute> layout = layoutOf(op);
    if (failed(layout))
      return failure();
    FailureOr<MemDescType> type =
        descriptor(op, view, *layout, view.getShape());
    return failed(type) ? failure() : assign(op.getView(), *type, op);
  }

  if (failed(checkSubslice(op, source)))
    return failure();
  Attribute layout = op->getAttr(tile::kGpuLayout);
  if (layout && layout != source.getEncoding())
    return op.emitOpError("[T55] a part of a buffer has the buffer's layout, ")
           << source.getEncoding() << ", not " << layout;
  FailureOr<MemDescType> type =
      descriptor(op, view, source.getEncoding(), source.getAllocShape());
  return failed(type) ? failure() : assign(op.getView(), *type, op);
}

//===----------------------------------------------------------------------===//
// The whole module
//===----------------------------------------------------------------------===//

LogicalResult BufferTypes::compute(ModuleOp module) {
  // Every loop goes on after an error, to report all of them.
  bool failed = false;
  SymbolTableCollection symbols;
  SmallVector<tile::SubviewOp> views;
  module.walk([&](Operation *op) {
    failed |= mlir::failed(connect(op, symbols));
    if (auto view = dyn_cast<tile::SubviewOp>(op))
      views.push_back(view);
  });
  if (failed)
    return failure();

  module.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tile::AllocOp>(op))
      failed |= mlir::failed(assign(alloc));
    else if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
      failed |= mlir::failed(assign(cast));
  });

  // A view's descriptor follows from its source's, which may be a view as well.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::erase_if(views, [&](tile::SubviewOp view) {
      MemDescType source = lookup(view.getSource());
      if (!source)
        return false;
      failed |= mlir::failed(assign(view, source));
      return changed = true;
    });
  }
  if (failed)
    return failure();
  return success(succeeded(checkComplete(module)) &&
                 succeeded(checkIndexed(module)));
}

LogicalResult BufferTypes::checkComplete(ModuleOp module) const {
  auto check = [&](Value value, Location loc) -> WalkResult {
    if (!isTileBuffer(value) || lookup(value))
      return WalkResult::advance();
    emitError(loc) << "[T35] nothing tells the layout of this buffer: no "
                      "allocation, view or bridge to a !ttg.memdesc reaches it";
    return WalkResult::interrupt();
  };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    for (Value value : op->getResults())
      if (check(value, op->getLoc()).wasInterrupted())
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument value : block.getArguments())
          if (check(value, value.getLoc()).wasInterrupted())
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult BufferTypes::checkIndexed(ModuleOp module) const {
  auto leaderOf = [&](Value value) {
    auto leader = classes.findLeader(value);
    return leader == classes.member_end() ? value : *leader;
  };
  llvm::DenseMap<Value, tile::SubviewOp> indexed;
  bool failed = false;
  module.walk([&](tile::SubviewOp op) {
    if (op.getDroppedDims() == 0)
      return;
    auto [first, isNew] = indexed.try_emplace(leaderOf(op.getSource()), op);
    if (isNew || lookup(op.getView()) == lookup(first->second.getView()))
      return;
    op.emitOpError(
        "[T45] slots of one buffer need one layout, but another slot "
        "has ")
        << lookup(first->second.getView()).getEncoding();
    failed = true;
  });

  // The layout of a slot is not the layout of that part of the whole buffer.
  module.walk([&](Operation *op) {
    bool forwards =
        isa<UnrealizedConversionCastOp, BranchOpInterface, tt::CallOp,
            tt::ReturnOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
            scf::ConditionOp, ttg::WarpSpecializeOp, ttg::WarpYieldOp>(op);
    auto view = dyn_cast<tile::SubviewOp>(op);
    if (forwards || (view && view.getDroppedDims() == 1))
      return;
    for (Value operand : op->getOperands()) {
      if (!isBuffer(operand))
        continue;
      auto slot = indexed.find(leaderOf(operand));
      if (slot == indexed.end())
        continue;
      InFlightDiagnostic error = op->emitError();
      error << "[T45] a buffer that is used by leading index is used that way "
               "only, but '"
            << op->getName() << "' uses it whole";
      error.attachNote(slot->second.getLoc()) << "the use by leading index";
      failed = true;
    }
  });
  return failure(failed);
}

LogicalResult BufferTypes::checkScopes(ModuleOp module) const {
  bool failed = false;
  module.walk([&](tile::AllocOp alloc) {
    Block *home = alloc->getBlock();
    llvm::SetVector<Value> aliases;
    aliases.insert(alloc.getBuffer());
    for (size_t i = 0; i < aliases.size(); ++i) {
      Value alias = aliases[i];
      if (auto found = successors.find(alias); found != successors.end())
        aliases.insert_range(found->second);
      for (Operation *user : alias.getUsers()) {
        if (auto view = dyn_cast<tile::SubviewOp>(user))
          aliases.insert(view.getView());
        // A branch stays in the scope if the allocation dominates all blocks.
        bool leaves = user->hasTrait<OpTrait::IsTerminator>() &&
                      user->getParentRegion() == home->getParent() &&
                      (user->getNumSuccessors() == 0 || !home->isEntryBlock());
        if (!leaves)
          continue;
        InFlightDiagnostic error = alloc.emitOpError(
            "[T37] the buffer is used after the end of its scope; allocate it "
            "outside of the region");
        error.attachNote(user->getLoc()) << "it leaves its scope here";
        failed = true;
        return;
      }
    }
  });
  return failure(failed);
}
