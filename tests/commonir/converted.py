"""Executes what the conversion makes, read from the printed module: only operations that tile programs can become.

An asynchronous copy may happen at any time between its issue and the wait for it. `late` chooses which: all happen when they are
issued, or all when they are waited for. A correct module means the same either way.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.commonir.reference import DTYPES

# What memory holds that nobody has written, or that is freed.
POISON = 99


@dataclass
class Op:
    name: str
    operands: list[str]
    results: list[str]
    attributes: str
    type: str = ""
    regions: list[Block] = field(default_factory=list)


@dataclass
class Block:
    arguments: list[str] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


def parse(text: str) -> Block:
    """The module in generic form, every region one block."""
    top = Block()
    stack: list[tuple[Op | None, Block]] = [(None, top)]
    for line in text.splitlines():
        line = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", line).strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("^bb"):
            stack[-1][1].arguments = re.findall(r"(%\w+):", line)
        elif line == "}, {":
            owner, _ = stack.pop()
            owner.regions.append(Block())
            stack.append((owner, owner.regions[-1]))
        elif line.startswith("})"):
            owner, _ = stack.pop()
            owner.type = line.rsplit(" : ", 1)[1]
        else:
            opens = line.endswith("({")
            match = re.fullmatch(r'(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)(.*)', line.removesuffix("({").strip())
            result, count, name, operands, rest = match.groups()
            results = [f"{result}#{index}" for index in range(int(count))] if count else [result] if result else []
            op = Op(name, re.findall(r"%[\w#]+", operands), results, rest)
            op.type = rest.rsplit(" : ", 1)[-1].split(" -> ")[-1]
            stack[-1][1].ops.append(op)
            if opens:
                op.regions.append(Block())
                stack.append((op, op.regions[0]))
    assert len(stack) == 1
    return top


def _shape(type: str) -> tuple[tuple[int, ...], str]:
    sizes, element = re.match(r"(?:tensor|!ttg\.memdesc)<((?:\d+x)+)([\w!.<>]+)", type).groups()
    return tuple(int(size) for size in sizes.split("x")[:-1]), element.rstrip(">")


@dataclass(frozen=True)
class Pointers:
    array: np.ndarray
    offsets: Any

    def read(self) -> np.ndarray:
        return self.array[self.offsets]


class Machine:
    """One execution of the module's functions."""

    def __init__(self, module: Block, late: bool) -> None:
        self.functions = {re.search(r'sym_name = "(\w+)"', op.attributes).group(1): op for op in module.ops[0].regions[0].ops}
        self.late = late
        self.pending: list[Callable[[], None]] = []

    def call(self, name: str, arguments: list[Any]) -> list[Any]:
        return self.block(self.functions[name].regions[0], {}, arguments)

    def block(self, block: Block, values: dict[str, Any], arguments: list[Any]) -> list[Any]:
        """Executes a block; what its terminator hands on."""
        values.update(zip(block.arguments, arguments, strict=True))
        for op in block.ops:
            operands = [values[name] for name in op.operands]
            if op.name in ("tt.return", "scf.yield"):
                return operands
            values.update(zip(op.results, self.op(op, operands, values), strict=True))
        return []

    def op(self, op: Op, operands: list[Any], values: dict[str, Any]) -> list[Any]:
        match op.name:
            case "scf.for":
                start, end, step, *carried = operands
                for index in range(start, end, step):
                    carried = self.block(op.regions[0], values, [index, *carried])
                return carried
            case "scf.if":
                return self.block(op.regions[0 if operands[0] else 1], values, [])
            case "tt.call":
                return self.call(re.search(r"callee = @(\w+)", op.attributes).group(1), operands)
            case "tt.store":
                pointers, value = operands
                pointers.array[pointers.offsets] = value
                return []
            case "ttg.local_store":
                operands[1][...] = operands[0]
                return []
            case "ttg.local_dealloc":
                operands[0][...] = POISON
                return []
            case "ttg.async_copy_global_to_local":
                pointers, buffer = operands

                def complete() -> None:
                    buffer[...] = pointers.read()

                if self.late:
                    self.pending.append(complete)
                else:
                    complete()
                return [None]
            case "ttg.async_commit_group":
                return [None]
            case "ttg.async_wait":
                assert "num = 0 " in op.attributes
                for complete in self.pending:
                    complete()
                self.pending.clear()
                return [None]
        return [self.value(op, operands)]

    def value(self, op: Op, operands: list[Any]) -> Any:
        """Operations with one result."""
        match op.name:
            case "arith.constant":
                number = int(re.search(r"value = (?:dense<)?(-?\d+)", op.attributes).group(1))
                return np.full(_shape(op.type)[0], number, np.int32) if op.type.startswith("tensor") else number
            case "arith.addi" | "arith.addf":
                return np.add(*operands)
            case "arith.subi" | "arith.subf":
                return np.subtract(*operands)
            case "arith.muli":
                return np.multiply(*operands)
            case "arith.maxsi" | "arith.maxnumf":
                return np.maximum(*operands)
            case "arith.remsi":
                return int(np.fmod(*operands))
            case "arith.cmpi":
                assert "predicate = 0 " in op.attributes
                return operands[0] == operands[1]
            case "tt.make_range":
                start, end = (int(re.search(rf"{name} = (\d+)", op.attributes).group(1)) for name in ("start", "end"))
                return np.arange(start, end, dtype=np.int32)
            case "tt.expand_dims":
                return np.expand_dims(operands[0], int(re.search(r"axis = (\d)", op.attributes).group(1)))
            case "tt.splat":
                if isinstance(operands[0], Pointers):
                    return operands[0]
                return np.full(_shape(op.type)[0], operands[0], np.int32)
            case "tt.broadcast" | "tt.fp_to_fp" | "tt.bitcast":
                if isinstance(operands[0], Pointers):
                    return operands[0]
                return np.broadcast_to(operands[0], _shape(op.type)[0])
            case "tt.addptr":
                return Pointers(operands[0].array, operands[0].offsets + operands[1])
            case "tt.load":
                return operands[0].read()
            case "ttg.local_alloc":
                shape, dtype = _shape(op.type)
                return np.full(shape, POISON, DTYPES[dtype])
            case "ttg.memdesc_index":
                return operands[0][operands[1]]
            case "ttg.memdesc_subslice":
                offsets = [int(offset) for offset in re.search(r"array<i32: ([^>]*)>", op.attributes).group(1).split(",")]
                return operands[0][tuple(slice(o, o + n) for o, n in zip(offsets, _shape(op.type)[0], strict=True))]
            case "ttg.local_load":
                return operands[0].copy()
        raise AssertionError(f"the conversion made {op.name}, which has no meaning here")


def execute(text: str, arrays: list[np.ndarray], late: bool) -> None:
    """Executes @kernel of the printed module on the arrays of its arguments, which it changes."""
    machine = Machine(parse(text), late)
    with np.errstate(over="ignore", invalid="ignore"):
        machine.call("kernel", [Pointers(array, 0) for array in arrays])
    assert not machine.pending
