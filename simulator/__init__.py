"""CPU execution of TLE kernels, on top of the interpreter of stock Triton (`TRITON_INTERPRET=1`).

The stock interpreter runs a kernel as plain Python, one program of the grid after the other, on NumPy data. This package
adds shared memory, barriers, TMA, WGMMA and partitions to it, and finds deadlocks, races and misuse:

    executor.py         the launcher: when a program begins and ends
    global_memory.py    which global memory a launch may touch
    host_array.py       NumPy arrays as arguments and behind TensorDescriptor
    program.py          one program: its actors and engines, who goes next, what was found
    policy.py           schedules: which actor or engine goes next, the same for the same seed
    order.py            written schedules
    interleavings.py    every interleaving that differs, once
    operation.py        which operations may change places
    actor.py            a partition (or the kernel itself)
    mbarrier.py, named_barrier.py, tma.py, wgmma.py    the hardware's objects and engines
    arena.py            the shared memory of one program: allocation, poison, address checks
    shadow.py, clock.py what happened before what, for each byte of shared memory
    deadlock.py         why nobody can move
    findings.py         the rules D, R and U
    session.py          options and findings of launches
    source.py           lines and names of the user's program
    bfloat16.py         conversions between float32 and the bit patterns the interpreter keeps bfloat16 in
    builder.py          the interpreter's builder with checked shared pointers and bfloat16 arithmetic
    backend.py          the operations of `flagtree.language.backend.Backend`, from memory.py (what happens at once),
                        barriers.py, asynchronous.py (TMA, WGMMA) and partitions.py
    errors.py           rules of the front end that run-time values can break

An operation that another actor can notice begins with `Program.pause()`, where others may go on.
"""
from __future__ import annotations

from typing import Any


def install() -> Any:
    """Turn the stock interpreter's builder into a SimulatorBuilder, once, and return it."""
    import flagtree.language  # noqa: F401  (first, as it installs the simulator itself under TRITON_INTERPRET=1)

    from .builder import install as turn
    return turn()


__all__ = ["install"]
