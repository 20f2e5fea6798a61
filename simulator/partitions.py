"""warp_specialize: `flagtree.language.backend.Backend`'s part about partitions."""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from triton.runtime.interpreter import InterpretedFunction

from flagtree.language.barrier import barrier
from flagtree.language.errors import NestedPartitionsError
from flagtree.language.handles import handles_in

from .actor import Actor
from .builder import program

if TYPE_CHECKING:
    from flagtree.language.warp_specialize import Partition


def warp_specialize(partitions: list[Partition], num_warps: list[int], num_regs: list[int]) -> Any:
    """Run the partitions as actors; what the default one returns. Registers are not modelled."""
    now = program()
    if now.actors:
        raise NestedPartitionsError()
    main = now.main
    known = main.release()
    actors = []
    for index, (partition, warps) in enumerate(zip(partitions, [main.warps, *num_warps], strict=True)):
        actor = Actor(f"{partition.fn.__name__} (partition {index})", warps, known)
        actor.barriers = frozenset(_barriers(partition.args))
        actor.born = {slot: slot.completed for slot in now.slots}
        actors.append(actor)
    results = now.partitions(actors, [partial(_python(partition.fn), *partition.args) for partition in partitions])
    for actor in actors:
        main.clock.join(actor.release())
    return results[0]


def _python(fn: Any) -> Any:
    """The function as the interpreter rewrites it. Calling `fn` would patch the language anew each time."""
    return (fn if isinstance(fn, InterpretedFunction) else InterpretedFunction(fn.fn)).rewrite()


def _barriers(args: Any) -> list[str]:
    """Names of the barriers among arguments."""
    return [(arg.handle[0] if isinstance(arg.handle, list) else arg.handle).name for arg in handles_in(args) if isinstance(arg, barrier)]
