"""CPU execution of TLE kernels, on top of the interpreter of stock Triton (`TRITON_INTERPRET=1`).

The stock interpreter runs a kernel as plain Python, one program of the grid after the other, on NumPy data.
This package adds shared memory to it:

    arena.py      the shared memory of one program: allocation, poison, address checks
    bfloat16.py   conversions between float32 and the bit patterns the interpreter keeps bfloat16 in
    builder.py    the interpreter's builder with checked shared pointers and bfloat16 arithmetic
    memory.py     the operations of `flagtree.language.backend.Backend`
    errors.py     rules that can only be checked while a kernel runs

Every operation here is synchronous: it is complete when it returns, in program order. Operations whose meaning is
asynchronous (mbarriers, TMA completion on a barrier, WGMMA groups, partitions of a warp-specialized kernel) need a
scheduler: partitions become actors that yield at a wait, and engines (TMA, WGMMA) become actors that complete work
later. They go beside memory.py, one file for each engine, and move data with the functions of memory.py; what an
engine must know of a program (its pending work) belongs to the builder, next to the arena, so that it ends with the
program.
"""
from __future__ import annotations

from .builder import install

__all__ = ["install"]
