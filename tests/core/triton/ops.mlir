// Every operation of Triton's ttg and ttng dialects that targets Hopper travels untouched, to the byte of the stock
// wheel's own generic form: types, layouts and their aliases, properties, attributes, regions.
// The same file goes through the wheel in round_trip_test.py.

// RUN: tle-opt %S/Inputs/hopper_ops.mlir -mlir-print-op-generic | diff %S/Inputs/hopper_ops.mlir -
