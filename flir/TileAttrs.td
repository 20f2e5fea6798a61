// Attributes of the `tile` dialect.

#ifndef FLAGTREE_FLIR_TILEATTRS_TD
#define FLAGTREE_FLIR_TILEATTRS_TD

include "flir/TileDialect.td"
include "flir/TileEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_MemorySpaceAttr : Tile_EnumAttr<Tile_MemorySpace, "space">;
def Tile_LayoutAttr : Tile_EnumAttr<Tile_Layout, "layout">;
def Tile_PolicyAttr : Tile_EnumAttr<Tile_Policy, "policy">;
def Tile_LifetimeAttr : Tile_EnumAttr<Tile_Lifetime, "lifetime">;
def Tile_EngineAttr : Tile_EnumAttr<Tile_Engine, "engine">;
def Tile_PipeAttr : Tile_EnumAttr<Tile_Pipe, "pipe">;
def Tile_EventIDAttr : Tile_EnumAttr<Tile_EventID, "event">;

def Tile_NZAttr : AttrDef<Tile_Dialect, "NZ"> {
  let mnemonic = "nz";
  let summary = "fractal order: blocks of height x width, column of blocks by column";
  let description = [{
    `#tile.nz<16x16>`. Rule: height and width are positive (T1).
  }];
  let parameters = (ins "int64_t":$height, "int64_t":$width);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // FLAGTREE_FLIR_TILEATTRS_TD
