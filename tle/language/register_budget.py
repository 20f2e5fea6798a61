"""How stock Triton deals warps and registers out to the partitions of a kernel (its pass allocate-warp-groups), checked beforehand.

Workers are packed into warp groups of four warps, the larger ones first. A group gets the most that one of its workers
asks for; the default partition gets what is left of the 64 Ki registers of a multiprocessor, or of the launch's maxnreg.
"""
from __future__ import annotations

from typing import NamedTuple

from .errors import LaunchRegistersError, RegisterBudgetError, ThreadBudgetError, WarpGroupsDifferError

_REGISTERS = 64 * 1024
_THREADS = 32
_GROUP = 4
_MOST_WARPS = 32
_MOST_WORKERS = 14  # 16 hardware barriers, two of them taken
_UNIT = 8
_LEAST = 24
_OF_IDLE = 16


class Workers(NamedTuple):
    """What one warp_specialize asks for: warps and registers of each of its workers."""

    warps: tuple[int, ...]
    registers: tuple[int, ...]

    @property
    def groups(self) -> int:
        """Warp groups its workers fill."""
        return -(-sum(self.warps) // _GROUP)

    @property
    def idle(self) -> list[int]:
        """Warps of each worker that stock Triton adds to fill the last group."""
        missing = self.groups * _GROUP - sum(self.warps)
        return [size for size in (2, 1) if missing & size]


def check(workers: Workers, launch_warps: int, maxnreg: int | None, others: list[Workers]) -> None:
    """S10 (threads), S15 (maxnreg), S16 (as many warp groups as the kernel's `others`), S11 (registers)."""
    total = launch_warps + workers.groups * _GROUP
    if total > _MOST_WARPS or len(workers.warps) + len(workers.idle) > _MOST_WORKERS:
        raise ThreadBudgetError(launch=launch_warps, workers=len(workers.warps), warps=sum(workers.warps), idle=len(workers.idle), total=total,
                                threads=total * _THREADS)
    for other in others:
        if other.groups != workers.groups:
            raise WarpGroupsDifferError(warps=sum(workers.warps), groups=workers.groups, other_warps=sum(other.warps), other=other.groups)
    if maxnreg and maxnreg * total * _THREADS > _REGISTERS:
        raise LaunchRegistersError(maxnreg=maxnreg, threads=total * _THREADS, registers=_REGISTERS, most=_REGISTERS // (total * _THREADS))
    base = maxnreg or _REGISTERS // (total * _THREADS) // _UNIT * _UNIT
    asked = group_registers(workers)
    left = default_registers(asked, launch_warps, base)
    if left < _LEAST:
        raise RegisterBudgetError(asked=asked, launch=launch_warps, total=total, base=base, sum=base * total * _THREADS,
                                  taken=sum(asked) * _GROUP * _THREADS, left=left, least=_LEAST)


def group_registers(workers: Workers) -> list[int]:
    """Registers of a thread in each warp group of the workers, idle ones included."""
    asked = list(zip(workers.warps, workers.registers, strict=True))
    asked += [(warps, _OF_IDLE) for warps in workers.idle]
    asked.sort(key=lambda item: -item[0])
    groups: list[int] = []
    start = 0
    for warps, registers in asked:
        if start % _GROUP == 0:
            groups += [0] * (-(-warps // _GROUP))
        first = start // _GROUP
        for group in range(first, first + -(-warps // _GROUP)):
            groups[group] = max(groups[group], registers)
        start += warps
    return groups


def default_registers(groups: list[int], launch_warps: int, base: int) -> int:
    """Registers of a thread of the default partition when each thread starts with `base`."""
    left = base * launch_warps + sum((base - registers) * _GROUP for registers in groups)
    return left // launch_warps // _UNIT * _UNIT
