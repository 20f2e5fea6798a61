"""WGMMA groups in flight and the accumulators they will fill."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle, _convert_float

from .bfloat16 import widen

if TYPE_CHECKING:
    from .actor import Actor
    from .source import Place

_TF32_MASK = np.uint32(0xFFFFE000)  # the tensor core ignores the last 13 bits of a float32
_EXACT_K = 2**24 // 128**2  # sums of so many int8 products are exact in float32


class Accumulator(TensorHandle):
    """The value a group will leave. Its data may be looked at once the group is known to be complete."""

    def __init__(self, group: Group, dtype: tl.dtype) -> None:
        self.group = group
        self.dtype = dtype
        self.attr = {}

    @property
    def data(self) -> np.ndarray:
        """The value, or poison and a finding: nothing may use an accumulator before its wait."""
        return self.group.result if self.group.known() else self.group.misused()


class Group:
    """One product of a warp group: reads its operands some time between its issue and its wait.

    `accumulator`: data of the initial value, or the group that makes it, or None for zeros. `number` counts the groups of the
    actor from 1.
    """

    kind = "wgmma"
    target = ""

    def __init__(self, actor: Actor, number: int, place: Place, a: np.ndarray, b: np.ndarray, accumulator: np.ndarray | Group | None,
                 types: tuple[tl.dtype, tl.dtype, tl.dtype], shape: tuple[int, int], transposed: tuple[bool, bool]) -> None:
        self.actor = actor
        self.number = number
        self.place = place
        self.result: np.ndarray | None = None
        self.report = None
        self._a, self._b, self._accumulator = a, b, accumulator
        self._types = types
        self.shape = shape
        self._transposed = transposed

    @property
    def issuer(self) -> Actor:
        """Whose queue it is in."""
        return self.actor

    @property
    def lane(self) -> str:
        """Its line of a timeline."""
        return f"WGMMA of {self.actor}"

    @property
    def operations(self) -> float:
        """Additions and multiplications, one of operands of 16 bits counting as one."""
        depth = self._a.shape[0 if self._transposed[0] else 1]
        return 2 * self.shape[0] * self.shape[1] * depth * self._types[0].primitive_bitwidth / 16

    def step(self) -> bool:
        """Read the operands and compute."""
        a, b = (operand.T if transposed else operand for operand, transposed in zip((self._a, self._b), self._transposed, strict=True))
        product = multiply(a, b, *self._types)
        initial = self._accumulator.result if isinstance(self._accumulator, Group) else self._accumulator
        if initial is not None:
            product = product + initial
        self.result = product.astype(_numpy(self._types[2]))
        self._a = self._b = self._accumulator = None
        return True

    def known(self) -> bool:
        """Whether a wait has made sure that the group is complete."""
        return self.actor.clock.knows(self.actor.queue, self.number)

    def misused(self) -> np.ndarray:
        """Report a use before the wait, and give what the device might: anything."""
        self.report(self)
        poison = np.iinfo(np.int32).min if self._types[2] == tl.int32 else np.nan
        return np.full(self.shape, poison, dtype=_numpy(self._types[2]))


def multiply(a: np.ndarray, b: np.ndarray, a_type: tl.dtype, b_type: tl.dtype, result: tl.dtype) -> np.ndarray:
    """a @ b as the tensor core does it: operands exact (float32 as tf32), products summed in float32, or int32 for int8."""
    if result == tl.int32:
        exact = np.float32 if a.shape[1] <= _EXACT_K else np.float64
        return np.matmul(a.astype(exact), b.astype(exact)).astype(np.int32)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.matmul(_operand(a, a_type), _operand(b, b_type))


def _operand(data: np.ndarray, dtype: tl.dtype) -> np.ndarray:
    """The values of an operand as float32."""
    if dtype == tl.bfloat16:
        return widen(data)
    if dtype == tl.float32:
        return (np.ascontiguousarray(data).view(np.uint32) & _TF32_MASK).view(np.float32)
    if dtype.primitive_bitwidth == 8:
        bits = np.ascontiguousarray(data)
        values = _convert_float(bits, dtype, tl.float16, None).view(np.float16).astype(np.float32)
        return np.where(bits & 0x7F == 0x7F, np.float32(np.nan), values) if dtype == tl.float8e4nv else values
    return data.astype(np.float32)


def _numpy(dtype: tl.dtype) -> type:
    return {tl.float32: np.float32, tl.float16: np.float16, tl.int32: np.int32}[dtype]
