// Enumerations of the `tile` dialect. The numbers are part of its interface.

#ifndef FLAGTREE_FLIR_TILEENUMS_TD
#define FLAGTREE_FLIR_TILEENUMS_TD

include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string summary, list<I64EnumCase> cases>
    : I64Enum<name, summary, cases> {
  let cppNamespace = "::flagtree::tile";
}

def Tile_MemorySpace : Tile_Enum<"MemorySpace", "memory that holds a buffer", [
  I64EnumCase<"gm", 0>, I64EnumCase<"l1", 1>, I64EnumCase<"l0a", 2>,
  I64EnumCase<"l0b", 3>, I64EnumCase<"l0c", 4>, I64EnumCase<"ub", 5>,
  I64EnumCase<"global", 6>, I64EnumCase<"shared", 7>, I64EnumCase<"local", 8>,
  I64EnumCase<"register_", 9, "register">
]>;

def Tile_Layout : Tile_Enum<"Layout", "order of a tile's elements", [
  I64EnumCase<"nd", 0>, I64EnumCase<"nz", 1>
]>;

def Tile_Policy : Tile_Enum<"Policy", "number of copies of a buffer", [
  I64EnumCase<"single_buffer", 0>, I64EnumCase<"double_buffer", 1>
]>;

def Tile_Lifetime : Tile_Enum<"Lifetime", "how long a buffer's contents live", [
  I64EnumCase<"default_", 0, "default">, I64EnumCase<"loop_carried", 1>
]>;

def Tile_Engine : Tile_Enum<"Engine", "unit that carries out an operation", [
  I64EnumCase<"cube", 0>, I64EnumCase<"vector", 1>, I64EnumCase<"mte2", 2>,
  I64EnumCase<"mte3", 3>, I64EnumCase<"mte1", 4>, I64EnumCase<"fixpipe", 5>
]>;

def Tile_Pipe : Tile_Enum<"Pipe", "instruction queue of a unit", [
  I64EnumCase<"PIPE_M", 0>, I64EnumCase<"PIPE_V", 1>,
  I64EnumCase<"PIPE_MTE1", 2>, I64EnumCase<"PIPE_MTE2", 3>,
  I64EnumCase<"PIPE_MTE3", 4>, I64EnumCase<"PIPE_FIX", 5>,
  I64EnumCase<"PIPE_S", 6>
]>;

def Tile_EventID : Tile_Enum<"EventID", "hardware event between two queues", [
  I64EnumCase<"EVENT_ID0", 0>, I64EnumCase<"EVENT_ID1", 1>,
  I64EnumCase<"EVENT_ID2", 2>, I64EnumCase<"EVENT_ID3", 3>,
  I64EnumCase<"EVENT_ID4", 4>, I64EnumCase<"EVENT_ID5", 5>
]>;

#endif // FLAGTREE_FLIR_TILEENUMS_TD
