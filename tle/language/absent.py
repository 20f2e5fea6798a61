"""Names that are not here: those of FlagTree's TLE that this version does not have (importing code that mentions them works, using one is rule
V3), and those that nobody has (V5)."""
from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from flagtree.errors import NotInThisVersionError, UnknownNameError

LANGUAGE = frozenset({
    "B", "MeshConfig", "P", "S", "ShardedTensor", "ShardingSpec", "cleanup_communicator", "create_comm_tensor", "cumsum", "device_mesh",
    "distributed_barrier", "distributed_dot", "extract_tile", "get_mem_pool", "insert_tile", "make_sharded_tensor", "pipe", "pipe_reader",
    "pipe_slot", "pipe_value", "pipe_wait_result", "pipe_writer", "remote", "reshard", "shard_id", "sharding",
})
GPU = frozenset({
    "BlockEncoding", "DotOperandEncoding", "MmaEncoding", "SlicedEncoding", "distributed_encoding", "range", "set_layout",
    "store_tensor", "to_tensor",
})


def unknown(module: str, name: str, near: Iterable[str]) -> AttributeError:
    """The error for a name that `module` has not. near: full names that may be meant. Python asks for names of its own protocols itself."""
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    last = {full.rpartition(".")[2]: full for full in near}
    found = difflib.get_close_matches(name, last, n=1)
    return UnknownNameError(module=module, name=name, advice=f"Is it {last[found[0]]}?" if found else "The README lists what there is.")


class Absent:
    """Stands for one such name; calling or comparing it, in a kernel or outside, raises V3.

    Comparing is how a kernel asks for a constant's value, and how Triton's code generator finds out what a `for` goes through.
    """

    __triton_builtin__ = True

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotInThisVersionError(name=self.__name__)

    __eq__ = __ne__ = __bool__ = __call__
    __hash__ = object.__hash__
