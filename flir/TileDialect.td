// The `tile` dialect (TileIR): tiles, the buffers that hold them and what moves them.

#ifndef FLAGTREE_FLIR_TILEDIALECT_TD
#define FLAGTREE_FLIR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::flagtree::tile";
  let summary = "Tiles, the buffers that hold them and what moves them";
  let description = [{
    A kernel in terms of tiles: buffers in explicit memories (`!tile.buf`), values
    computed from them (`!tile.tensor`, and builtin tensors at the border to other
    dialects), copies, matrix and vector units, and the events that order them. Nothing
    here names a GPU: how a buffer lies in memory is the business of a conversion. The
    attribute `tle.gpu_layout`, which a front end may put on the operations that make a
    buffer, carries a layout to the conversion and has no meaning in this dialect.

    Memory is modelled exactly: an allocation is not pure, since two allocations are two
    buffers, a read is a read and a write is a write. Generic passes may therefore run on
    this dialect without ever merging two buffers or moving a read across a write.

    A verifier's message starts with the number of the rule it enforces, for example
    `[T12]`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // FLAGTREE_FLIR_TILEDIALECT_TD
