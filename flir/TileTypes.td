// Types of the `tile` dialect.

#ifndef FLAGTREE_FLIR_TILETYPES_TD
#define FLAGTREE_FLIR_TILETYPES_TD

include "flir/TileDialect.td"
include "flir/TileEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_ShapedType<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        EnumParameter<Tile_MemorySpace>:$space);
  let assemblyFormat = "`<` `[` $shape `]` `,` $elementType `,` $space `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
  }];
}

def Tile_BufType : Tile_ShapedType<"Buf", "buf"> {
  let summary = "a buffer, or a view of one, that can be read and written";
  let description = [{
    `!tile.buf<[64, 32], f16, shared>`. Rules: one dimension or more, all of them positive
    (T2); elements are integers or floats (T3).
  }];
}

def Tile_TileType : Tile_ShapedType<"Tile", "tensor"> {
  let summary = "the value of a tile, held in a memory";
  let description = [{
    `!tile.tensor<[64, 32], f32, local>`. A value: nothing writes to it. Rules as for
    `!tile.buf` (T2, T3).
  }];
}

#endif // FLAGTREE_FLIR_TILETYPES_TD
