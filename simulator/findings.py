"""What the simulator finds: deadlocks (D), races (R) and misuse (U), one class for each rule of docs/errors.md."""
from __future__ import annotations

from typing import Any

from flagtree.errors import TLEError

from .source import Place


class Finding(TLEError):
    """A mistake of a kernel, found in one program of the grid under one schedule.

    `places`: what happened where, as (text, Place). `lines`: the rest of the report, line by line. `grid`: the program.
    `seed`: of the schedule; flagtree.simulate(kernel, seed=...) shows the finding again.
    """

    kind = "misuse"

    def __init__(self, places: list[tuple[str, Place]], lines: tuple[str, ...] = (), **values: object) -> None:
        super().__init__(**values)
        self.places = places
        self.lines = list(lines)
        self.grid: tuple[int, int, int] = (0, 0, 0)
        self.seed = 0

    @property
    def message(self) -> str:
        """The sentence that docs/errors.md has for the rule, filled in."""
        return self.args[0]

    def __str__(self) -> str:
        where = [f"    {what}: {place}\n        {place.text}".rstrip() for what, place in self.places]
        return "\n".join([self.message, *where, *(f"    {line}" for line in self.lines),
                          f"    in program {self.grid} of the grid, schedule seed={self.seed}"])

    __repr__ = __str__  # the stock interpreter wraps what a kernel raises into an error that shows its repr

    def identity(self) -> tuple[Any, ...]:
        """Equal for findings that say the same of the same lines."""
        return self.rule, tuple(place for _, place in self.places)

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dumps."""
        places = [{"what": what, "file": place.file, "line": place.line, "function": place.function, "source": place.text}
                  for what, place in self.places]
        return {"rule": self.rule, "kind": self.kind, "message": self.message, "places": places, "details": self.lines,
                "program": list(self.grid), "seed": self.seed}


class DeadlockFinding(Finding):
    """Nobody can move. `waits` holds one dictionary for each actor that waits; `cycle` names the actors that wait in a circle."""

    kind = "deadlock"

    def __init__(self, places: list[tuple[str, Place]], lines: tuple[str, ...], waits: list[dict[str, Any]], cycle: list[str],
                 **values: object) -> None:
        super().__init__(places, lines, **values)
        self.waits = waits
        self.cycle = cycle

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"waits": self.waits, "cycle": self.cycle}


class NeverArrivedFinding(DeadlockFinding):
    rule = "D1"
    template = ("deadlock: {actor} waits at {barrier}, where nothing ever arrived: {why}. "
                "Add the barrier_arrive, or the copy with barrier=, that completes it, or give it to the partition that should.")


class ArrivalsMissingFinding(DeadlockFinding):
    rule = "D2"
    template = ("deadlock: {actor} waits at {barrier}, whose phase has {arrived} of {count} arrivals and gets no more: {why}. "
                "Set arrive_count to the arrivals that complete one use, or let every partition it counts arrive.")


class WrongPhaseFinding(DeadlockFinding):
    rule = "D3"
    template = ("deadlock: {actor} waits at {barrier} for use {use} (parity {parity}), but {completed} phase(s) are complete, so it waits for "
                "the next one: {why}. Count the uses of the slot from 0 with phaseIdx, check init (PENDING or READY), and let the barrier that frees "
                "the slot count every partition that waits here.")


class BytesMissingFinding(DeadlockFinding):
    rule = "D4"
    template = ("deadlock: {actor} waits at {barrier}, which expects {expected} bytes and still misses {missing}: {why}. "
                "Set expect_bytes to the bytes of all copies of one use.")


class CircularWaitFinding(DeadlockFinding):
    rule = "D5"
    template = ("deadlock: a circle of waits ({circle}): each would arrive only after its own wait. "
                "Move one of the arrives before the wait that holds it back, or use more slots.")


class ThreadsMissingFinding(DeadlockFinding):
    rule = "D6"
    template = ("deadlock: {actor} waits at named barrier {barrier}, where {arrived} of {threads} threads have arrived and no more come: {why}. "
                "Set arrive_count to the threads of all partitions that take part (warps * 32), and let each of them arrive or wait once.")


class OneUseTooManyFinding(DeadlockFinding):
    rule = "D7"
    template = ("deadlock: {actor} waits at {barrier} for a phase that does not come: {why}. "
                "Compare the numbers of iterations: one side waits more often than the other arrives.")


class RaceFinding(Finding):
    """Two accesses to the same bytes that nothing orders. `bytes`: first and last+1 offset within the buffer."""

    kind = "race"

    def __init__(self, places: list[tuple[str, Place]], lines: tuple[str, ...], bytes: tuple[int, int], **values: object) -> None:
        super().__init__(places, lines, bytes=f"{bytes[0]}..{bytes[1] - 1}", **values)
        self.bytes = bytes

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"bytes": list(self.bytes)}


class ReadAfterWriteRace(RaceFinding):
    rule = "R1"
    template = ("race: {later} reads bytes {bytes} of {buffer} while {earlier} may not have finished writing them. "
                "Make the reader wait at a barrier that the writer arrives at after the write.")


class WriteAfterReadRace(RaceFinding):
    rule = "R2"
    template = ("race: {later} overwrites bytes {bytes} of {buffer} while {earlier} may still read them. "
                "Make the writer wait at a barrier that the reader arrives at after the read, or use one more slot.")


class WriteAfterWriteRace(RaceFinding):
    rule = "R3"
    template = ("race: {later} and {earlier} both write bytes {bytes} of {buffer}, in no order. "
                "Put a barrier between the two, or give each its own buffer.")


class OperandOverwrittenRace(RaceFinding):
    rule = "R4"
    template = ("race: {later} overwrites bytes {bytes} of {buffer} while {earlier}, which runs asynchronously, may still read them as an operand. "
                "Call wgmma_wait before the slot is released or overwritten.")


class AccumulatorFinding(Finding):
    rule = "U1"
    template = ("the accumulator of a wgmma is used by {actor} before it is complete: {pending} group(s) may still run. "
                "Call tle.gpu.wgmma_wait(0, acc) first, or wgmma_wait(n, acc) with n groups issued after it.")


class BufferBeforeWaitFinding(RaceFinding):
    rule = "U2"
    kind = "misuse"
    template = ("{later} uses bytes {bytes} of {buffer} before the TMA load that brings them is known to be complete ({earlier}). "
                "Wait for the barrier given to the copy first, with the phaseIdx of this use; if an earlier copy's data is meant, "
                "release the slot only behind this access.")


class UninitialisedReadFinding(Finding):
    rule = "U3"
    template = ("{actor} reads bytes {bytes} of {buffer}, which nothing has written. "
                "Shared memory holds arbitrary bits at the start: store or copy to it first.")


class BarrierAtExitFinding(Finding):
    rule = "U4"
    template = ("{barrier} is left in the wrong phase when the program ends: {state}. "
                "The partitions disagree about the number of its uses, or about arrive_count or expect_bytes.")


class BytesFinding(Finding):
    rule = "U5"
    template = ("the copies of one use of {barrier} bring {copied} bytes, but expect_bytes is {expected}. "
                "Set expect_bytes to the bytes of all copies of one use.")


class NamedThreadsFinding(Finding):
    rule = "U6"
    template = ("named barrier {barrier} counts {threads} threads, but {problem}. "
                "Set arrive_count to the threads of all partitions that take part (warps * 32), and let each take part once in a round.")


class OverArrivalFinding(Finding):
    rule = "U7"
    template = ("{actor} arrives at {barrier} when its phase has {pending} of {count} arrivals left, {beyond} too few. "
                "More arrivals than arrive_count in one phase are undefined: set arrive_count to the arrivals of one use, or, where copies arrive, "
                "expect_bytes to the bytes of all copies of one use, and wait for a use before the next one begins.")


class PhaseMissedFinding(Finding):
    rule = "U8"
    template = ("{actor} passes a wait at {barrier} when {completed} phases are complete, but {before} were at its wait before: it has missed "
                "{missed} phase(s), which the hardware cannot tell from none. "
                "Whoever arrives must not run ahead of whoever waits: too many arrivals, or a missing wait on the other side.")


class CopyNeverAwaitedFinding(Finding):
    rule = "U9"
    template = ("the program ends although nobody waited for the last copies on {barrier}: {completed} use(s) are complete, {seen} were waited for. "
                "A block must not end while TMA writes to its shared memory: wait for every copy.")


class MixedBarrierFinding(Finding):
    rule = "U10"
    template = ("{barrier} is used as a {first} and as a {second}. "
                "Give phaseIdx in all waits and arrives of a slot, or in none.")


class PhaseOverrunFinding(Finding):
    rule = "U11"
    template = ("{actor} completes phase {phase} of {barrier} although nobody is known to have waited for the end of phase {before}, so whoever "
                "waits may miss one: a phase takes {count} arrival(s), so far arrived {total}. "
                "Set arrive_count to the arrivals of one use, and arrive once for each use that was waited for.")


class ArrivalPhaseFinding(Finding):
    rule = "U18"
    template = ("{actor} arrives at {barrier} with phaseIdx={use}, but {completed} phase(s) are complete, so that it counts for use {completed}: "
                "the two must be both even or both odd. "
                "Count the uses of the slot from 0, and give the wait and the arrivals of one use the same phaseIdx, whether it is PENDING or READY.")
