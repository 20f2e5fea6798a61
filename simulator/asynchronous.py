"""TMA loads that complete on a barrier, and WGMMA: `flagtree.language.backend.Backend`'s part about engines."""
from __future__ import annotations

from typing import TYPE_CHECKING

import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from .barriers import arrive
from .builder import install, program
from .findings import BytesFinding
from .operation import COPY, Operation
from .source import here
from .tma import Copy
from .wgmma import Accumulator, Group

if TYPE_CHECKING:
    from flagtree.language.barrier import barrier
    from flagtree.language.types import buffered_tensor


def async_tma_load(desc: tl.tensor_descriptor_base, offsets: list[tl.tensor], dst: buffered_tensor, bar: barrier) -> None:
    """Start a copy. The first one of a use arrives at the barrier and tells it how many bytes to expect."""
    now = program()
    now.pause()
    place, slot, view = here(), bar.handle.mbarrier(), dst.handle
    block = install().create_descriptor_load(desc.handle, [o.handle for o in offsets], None, None).data.reshape(view.shape)
    now.note(Operation(COPY, slot.key, 1 if slot.unfilled == 0 else 0), slot.state)
    copy = Copy(block, view, slot, now.policy.pieces(), now.current, place)
    now.policy.follows(copy, [now.current])
    now.write_by(view, copy)
    if now.policy.poisons():
        now.arena.of(view).poison(view)
    if slot.unfilled == 0:
        slot.unfilled = slot.expect_bytes
        slot.expect(slot.expect_bytes)
        arrive(slot, 1)
    slot.unfilled -= view.nbytes
    if slot.unfilled < 0:
        now.report(BytesFinding([("the copy", place)], barrier=slot, copied=slot.expect_bytes - slot.unfilled, expected=slot.expect_bytes))
        slot.unfilled = 0
    now.copies.append(copy)


def wgmma(a: buffered_tensor | tl.tensor, b: buffered_tensor, acc: tl.tensor | None, result: tl.block_type, input_precision: str,
          max_num_imprecise_acc: int, trans_a: bool, trans_b: bool) -> tl.tensor:
    """Append a group to the queue of the current partition."""
    now = program()
    now.pause()
    actor = now.current
    in_registers = isinstance(a, tl.tensor)
    operand = a.handle.data if in_registers else a.handle
    initial = None
    if acc is not None:
        initial = acc.handle.group if isinstance(acc.handle, Accumulator) else acc.handle.data
    actor.issued += 1
    group = Group(actor, actor.issued, here(), operand, b.handle, initial, (a.dtype, b.dtype, result.element_ty), tuple(result.shape),
                  (trans_a, trans_b))
    group.report = now.misused
    for view in ([] if in_registers else [operand]) + [b.handle]:
        now.read_by(view, group)
    actor.groups.append(group)
    return tl.tensor(Accumulator(group, result.element_ty), result)


def wgmma_wait(acc: tl.tensor, pendings: int) -> tl.tensor:
    """Let all groups but the `pendings` newest complete."""
    now = program()
    now.pause()
    actor = now.current
    now.complete(actor, pendings)
    known = actor.issued - pendings
    actor.clock[actor.queue] = max(actor.clock.get(actor.queue, 0), known)
    if not isinstance(acc.handle, Accumulator) or not acc.handle.group.known():
        return acc
    return tl.tensor(TensorHandle(acc.handle.group.result, acc.dtype), acc.type)
