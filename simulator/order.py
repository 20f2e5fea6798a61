"""Schedules written out: for each program whom to prefer to the first one who could go, choice after choice.

`order:0=3.1,7.2/2=5.1` lets the second of those who can go (in the order of the partitions, copies after them) go at choice 3 of
program 0, the third at choice 7, and the second at choice 5 of program 2; else the first always. Programs and choices count from 0,
a choice is where at least two can go. `order:` is the first always.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from .errors import SeedError
from .policy import Policy

PREFIX = "order:"


class Ordered(Policy):
    """One program's part of a written schedule. WGMMA groups run as late as they can; a copy brings its data in one piece."""

    def __init__(self, order: dict[int, int]) -> None:
        super().__init__(0)
        self._order = order
        self.taken: dict[int, int] = {}
        """The schedule as it went."""
        self._choices = 0

    def choose(self, actors: Sequence[Any], engines: Sequence[Any]) -> Any:
        candidates = [*actors, *(engine for engine in engines if engine.kind == "tma")]
        if not candidates:
            return engines[0]
        index = self.pick(candidates)
        if len(candidates) > 1:
            if index:
                self.taken[self._choices] = index
            self._choices += 1
        return candidates[index]

    def pick(self, candidates: Sequence[Any]) -> int:
        """The index of the one that goes next."""
        index = self._order.get(self._choices, 0) if len(candidates) > 1 else 0
        if index >= len(candidates):
            raise SeedError(got=repr(f"{self._choices}.{index}"),
                            why=f" of this kernel with these arguments, where choice {self._choices} is between {len(candidates)}")
        return index

    def poisons(self) -> bool:
        return True

    def pieces(self) -> int:
        return 1


def order_text(orders: dict[int, dict[int, int]]) -> str:
    """The text of a schedule: program -> choice -> index."""
    return PREFIX + "/".join(f"{program}=" + ",".join(f"{choice}.{index}" for choice, index in order.items())
                             for program, order in orders.items() if order)


def read_order(text: str) -> dict[int, dict[int, int]]:
    """The schedule of a text. U14 if it is none."""
    if not re.fullmatch(rf"{PREFIX}((\d+=\d+\.\d+(,\d+\.\d+)*)(/\d+=\d+\.\d+(,\d+\.\d+)*)*)?", text):
        raise SeedError(got=repr(text), why="")
    parts = [part.split("=") for part in text.removeprefix(PREFIX).split("/") if part]
    return {int(program): dict(tuple(map(int, item.split("."))) for item in order.split(",")) for program, order in parts}


def check_seed(seed: Any) -> None:
    """U14 unless it is a number or the text of a schedule."""
    if isinstance(seed, str):
        read_order(seed)
    elif not isinstance(seed, Integral) or seed < 0:
        raise SeedError(got=repr(seed), why="")
