"""Tile programs as data, and what they mean: executed with NumPy, one array per allocation, every copy complete at once."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

DTYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i16": np.int16}
TILES = 4
# Elements of each array in global memory: TILES of the largest tile, and one more for shifted copies.
ELEMENTS = TILES * 2048 + 1

FUNCTIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum}


@dataclass(frozen=True)
class Type:
    """Shape and element type of a tensor or buffer; `layout` is the alias of a buffer's layout."""
    shape: tuple[int, ...]
    dtype: str
    layout: str = ""


@dataclass(frozen=True)
class Index:
    """(variable + constant) % modulus; no variable is 0."""
    variable: str
    constant: int
    modulus: int


@dataclass(frozen=True)
class Alloc:
    buffer: str
    type: Type


@dataclass(frozen=True)
class Slot:
    view: str
    source: str
    source_type: Type
    type: Type
    index: Index


@dataclass(frozen=True)
class Part:
    view: str
    source: str
    source_type: Type
    type: Type
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class CopyIn:
    """Tile `tile` of the input of the buffer's type, from element `shift` on."""
    buffer: str
    type: Type
    tile: Index
    shift: int


@dataclass(frozen=True)
class CopyOut:
    buffer: str
    type: Type
    tile: Index


@dataclass(frozen=True)
class Read:
    tensor: str
    buffer: str
    type: Type


@dataclass(frozen=True)
class Write:
    tensor: str
    buffer: str
    type: Type


@dataclass(frozen=True)
class Binary:
    tensor: str
    function: str
    left: str
    right: str
    type: Type


@dataclass(frozen=True)
class Carried:
    """A value of a loop: its name in the body, what it starts with, what the body yields, its name afterwards."""
    inner: str
    initial: str
    yielded: str
    result: str
    type: Type


@dataclass(frozen=True)
class Loop:
    variable: str
    count: int
    carried: tuple[Carried, ...]
    body: tuple[Any, ...]


@dataclass(frozen=True)
class Chosen:
    result: str
    then: str
    other: str
    type: Type


@dataclass(frozen=True)
class If:
    """Takes `then` where the index is 0."""
    index: Index
    chosen: tuple[Chosen, ...]
    then: tuple[Any, ...]
    other: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class Function:
    """`returned` is the tensor it returns; parameters are buffers and tensors."""
    name: str
    parameters: tuple[tuple[str, Type], ...]
    body: tuple[Any, ...]
    returned: str
    returned_type: Type


@dataclass(frozen=True)
class Program:
    functions: tuple[Function, ...]
    body: tuple[Any, ...]


def memory(seed: int) -> dict[str, np.ndarray]:
    """The arrays in global memory: "in_<dtype>" of small random integers, "out_<dtype>" of -1."""
    random = np.random.default_rng(seed)
    inputs = {f"in_{dtype}": random.integers(-8, 9, ELEMENTS).astype(kind) for dtype, kind in DTYPES.items()}
    return inputs | {f"out_{dtype}": np.full(ELEMENTS, -1, kind) for dtype, kind in DTYPES.items()}


def _index(index: Index, values: dict[str, Any]) -> int:
    return (values.get(index.variable, 0) + index.constant) % index.modulus


class _Run:
    """One execution of a program; buffers are arrays, views of them NumPy views."""

    def __init__(self, program: Program, arrays: dict[str, np.ndarray]) -> None:
        self.functions = {function.name: function for function in program.functions}
        self.arrays = arrays

    def block(self, body: tuple[Any, ...], values: dict[str, Any]) -> None:
        for statement in body:
            self.statement(statement, values)

    def tile(self, name: str, type: Type, tile: int, shift: int = 0) -> np.ndarray:
        size = int(np.prod(type.shape))
        return self.arrays[f"{name}_{type.dtype}"][tile * size + shift:][:size].reshape(type.shape)

    def statement(self, statement: Any, values: dict[str, Any]) -> None:
        match statement:
            case Alloc(buffer, type):
                values[buffer] = np.zeros(type.shape, DTYPES[type.dtype])
            case Slot(view, source, _, _, index):
                values[view] = values[source][_index(index, values)]
            case Part(view, source, _, type, offsets):
                values[view] = values[source][tuple(slice(o, o + n) for o, n in zip(offsets, type.shape, strict=True))]
            case CopyIn(buffer, type, tile, shift):
                values[buffer][...] = self.tile("in", type, _index(tile, values), shift)
            case CopyOut(buffer, type, tile):
                self.tile("out", type, _index(tile, values))[...] = values[buffer]
            case Read(tensor, buffer, _):
                values[tensor] = values[buffer].copy()
            case Write(tensor, buffer, _):
                values[buffer][...] = values[tensor]
            case Binary(tensor, function, left, right, _):
                values[tensor] = FUNCTIONS[function](values[left], values[right])
            case Loop(variable, count, carried, body):
                current = [values[item.initial] for item in carried]
                for step in range(count):
                    inside = values | {variable: step} | {item.inner: value for item, value in zip(carried, current, strict=True)}
                    self.block(body, inside)
                    current = [inside[item.yielded] for item in carried]
                values.update((item.result, value) for item, value in zip(carried, current, strict=True))
            case If(index, chosen, then, other):
                taken = _index(index, values) == 0
                inside = dict(values)
                self.block(then if taken else other, inside)
                values.update((item.result, inside[item.then if taken else item.other]) for item in chosen)
            case Call(name, arguments, result):
                function = self.functions[name]
                inside = {parameter: values[argument] for (parameter, _), argument in zip(function.parameters, arguments, strict=True)}
                self.block(function.body, inside)
                values[result] = inside[function.returned]


def execute(program: Program, arrays: dict[str, np.ndarray]) -> None:
    """Executes the program on `arrays`, which it changes."""
    with np.errstate(over="ignore", invalid="ignore"):
        _Run(program, arrays).block(program.body, {})
