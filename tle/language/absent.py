"""Public names of FlagTree's TLE that this version does not have: importing code that mentions them works, using one is rule V3."""
from __future__ import annotations

from typing import Any

from flagtree.errors import NotInThisVersionError

LANGUAGE = frozenset({
    "B", "MeshConfig", "P", "S", "ShardedTensor", "ShardingSpec", "cleanup_communicator", "create_comm_tensor", "cumsum", "device_mesh",
    "distributed_barrier", "distributed_dot", "extract_tile", "get_mem_pool", "insert_tile", "make_sharded_tensor", "pipe", "pipe_reader",
    "pipe_slot", "pipe_value", "pipe_wait_result", "pipe_writer", "remote", "reshard", "shard_id", "sharding",
})
GPU = frozenset({
    "BlockEncoding", "DotOperandEncoding", "MmaEncoding", "SlicedEncoding", "distributed_encoding", "range", "set_layout",
    "store_tensor", "to_tensor",
})


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
