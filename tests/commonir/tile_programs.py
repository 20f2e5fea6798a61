"""Random valid tile programs, and their text as modules of TileIR."""
from __future__ import annotations

import random
from typing import Any

from tests.commonir.reference import (DTYPES, TILES, Alloc, Binary, Call, Carried, Chosen, CopyIn, CopyOut, Function, If, Index, Loop, Part,
                                      Program, Read, Slot, Type, Write)

LAYOUTS = """\
#flat1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#flat2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#swizzled2 = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>
"""
SHAPES = [(128, ), (256, ), (16, 64), (32, 32), (32, 64)]
FUNCTIONS = {"f": {"add": "addf", "sub": "subf", "max": "maxnumf"}, "i": {"add": "addi", "sub": "subi", "mul": "muli", "max": "maxsi"}}


class _Generator:
    """Makes statements from what is visible; every buffer is written before anything reads it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.names = 0
        self.functions: list[Function] = []

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def index(self, variables: list[str], modulus: int) -> Index:
        variable = self.chance.choice([*variables, ""])
        return Index(variable, self.chance.randrange(2 * modulus), modulus)

    def filled(self, buffer: str, type: Type, variables: list[str]) -> CopyIn:
        return CopyIn(buffer, type, self.index(variables, TILES), self.chance.choice([0, 0, 1]))

    def block(self, length: int, depth: int, buffers: dict[str, Type], tensors: dict[str, Type], rings: dict[str, tuple[Type, Type]],
              variables: list[str]) -> list[Any]:
        """Statements; the visible names grow in the given tables."""
        body: list[Any] = []
        for _ in range(length):
            body += self.statements(depth, buffers, tensors, rings, variables)
        return body

    def statements(self, depth: int, buffers: dict[str, Type], tensors: dict[str, Type], rings: dict[str, tuple[Type, Type]],
                   variables: list[str]) -> list[Any]:
        chance = self.chance
        kinds = ["copy", "copy", "pair", "read", "read", "write", "write", "binary", "binary", "out", "out", "alloc", "ring", "slot", "part"]
        kinds += ["loop", "loop", "if", "call"] if depth else []
        kind = chance.choice(kinds) if buffers else "alloc"
        if kind in ("alloc", "ring") and len(buffers) + len(rings) >= 8:
            kind = "copy"
        if kind == "alloc":
            shape = chance.choice(SHAPES)
            layout = "flat1" if len(shape) == 1 else chance.choice(["flat2", "swizzled2"])
            name, type = self.name("b"), Type(shape, chance.choice(list(DTYPES)), layout)
            buffers[name] = type
            return [Alloc(name, type), self.filled(name, type, variables)]
        if kind == "ring":
            shape = chance.choice(SHAPES)
            dtype, stages = chance.choice(list(DTYPES)), chance.choice([2, 3])
            ring, whole = self.name("ring"), Type((stages, *shape), dtype, f"flat{len(shape) + 1}")
            slot_type = Type(shape, dtype, f"flat{len(shape)}")
            made: list[Any] = [Alloc(ring, whole)]
            for stage in range(stages):
                view = self.name("s")
                made += [Slot(view, ring, whole, slot_type, Index("", stage, stages)), self.filled(view, slot_type, variables)]
            rings[ring] = (whole, slot_type)
            return made
        if kind == "slot":
            if not rings:
                return []
            ring = chance.choice(list(rings))
            whole, type = rings[ring]
            view = self.name("s")
            buffers[view] = type
            return [Slot(view, ring, whole, type, self.index(variables, whole.shape[0]))]
        buffer = chance.choice(list(buffers))
        type = buffers[buffer]
        if kind == "part":
            # Cut in the contiguous dimension, so that no swizzle is cut.
            view = self.name("p")
            part = Type((*type.shape[:-1], type.shape[-1] // 2), type.dtype, type.layout)
            offsets = (*[0] * (len(type.shape) - 1), chance.choice([0, part.shape[-1]]))
            tensor = self.name("t")
            made = [Part(view, buffer, type, part, offsets)]
            made += [CopyIn(view, part, self.index(variables, TILES), 0)] if chance.random() < 0.5 else []
            made += [Read(tensor, view, part)]
            made += [CopyOut(view, part, self.index(variables, TILES))] if chance.random() < 0.5 else []
            same = [other for other, kind_of in tensors.items() if (kind_of.shape, kind_of.dtype) == (part.shape, part.dtype)]
            tensors[tensor] = part
            return made + ([Write(chance.choice(same), view, part)] if same else [])
        if kind == "copy":
            return [self.filled(buffer, type, variables)]
        if kind == "pair":
            return [self.filled(other, buffers[other], variables) for other in chance.choices(list(buffers), k=chance.choice([2, 3]))]
        if kind == "out":
            return [CopyOut(buffer, type, self.index(variables, TILES))]
        if kind == "read":
            tensor = self.name("t")
            tensors[tensor] = type
            return [Read(tensor, buffer, type)]
        if kind in ("write", "binary"):
            if not tensors:
                return []
            tensor = chance.choice(list(tensors))
            type = tensors[tensor]
            if kind == "binary":
                other = chance.choice([name for name, kind_of in tensors.items() if (kind_of.shape, kind_of.dtype) == (type.shape, type.dtype)])
                result = self.name("t")
                tensors[result] = type
                return [Binary(result, chance.choice(list(FUNCTIONS[type.dtype[0]])), tensor, other, type)]
            targets = [name for name, kind_of in buffers.items() if (kind_of.shape, kind_of.dtype) == (type.shape, type.dtype)]
            target = chance.choice(targets) if targets else None
            return [Write(tensor, target, buffers[target])] if target else []
        if kind == "loop":
            return [self.loop(depth, buffers, tensors, rings, variables)]
        if kind == "if":
            return [self.choice(depth, buffers, tensors, rings, variables)]
        return self.call(buffers, tensors)

    def loop(self, depth: int, buffers: dict[str, Type], tensors: dict[str, Type], rings: dict[str, tuple[Type, Type]], variables: list[str]) -> Loop:
        chance = self.chance
        variable = self.name("i")
        inside_buffers, inside_tensors = dict(buffers), dict(tensors)
        swapped = []
        whole = self.whole(buffers)
        pairs = [(x, y) for x in whole for y in whole if x < y and whole[x] == whole[y]]
        if pairs and chance.random() < 0.7:
            swapped = list(chance.choice(pairs))
        inner = [self.name("b") for _ in swapped]
        inside_buffers.update(zip(inner, [buffers[name] for name in swapped], strict=True))
        summed = [chance.choice(list(tensors))] if tensors and chance.random() < 0.7 else []
        carried_tensors = [self.name("t") for _ in summed]
        inside_tensors.update(zip(carried_tensors, [tensors[name] for name in summed], strict=True))
        body = self.block(chance.randint(2, 5), depth - 1, inside_buffers, inside_tensors, dict(rings), [*variables, variable])
        carried = [Carried(name, first, last, self.name("b"), buffers[first])
                   for name, first, last in zip(inner, swapped, reversed(inner), strict=True)]
        for name, first in zip(carried_tensors, summed, strict=True):
            type = tensors[first]
            last = chance.choice([t for t, kind_of in inside_tensors.items() if (kind_of.shape, kind_of.dtype) == (type.shape, type.dtype)])
            carried.append(Carried(name, first, last, self.name("t"), type))
        for item in carried:
            (buffers if item.result.startswith("b") else tensors)[item.result] = item.type
        return Loop(variable, chance.choice([0, 1, 2, 3, 4]), tuple(carried), tuple(body))

    def whole(self, buffers: dict[str, Type]) -> dict[str, Type]:
        """Buffers that are no views: those alone go through loops, branches and calls."""
        return {name: type for name, type in buffers.items() if name.startswith("b")}

    def choice(self, depth: int, buffers: dict[str, Type], tensors: dict[str, Type], rings: dict[str, tuple[Type, Type]], variables: list[str]) -> If:
        chance = self.chance
        sides, tables = [], []
        for _ in range(2):
            seen = dict(tensors)
            sides.append(tuple(self.block(chance.randint(1, 3), depth - 1, dict(buffers), seen, dict(rings), variables)))
            tables.append(seen)
        chosen = []
        if tensors and chance.random() < 0.7:
            then = chance.choice(list(tables[0]))
            type = tables[0][then]
            others = [t for t, kind_of in tables[1].items() if (kind_of.shape, kind_of.dtype) == (type.shape, type.dtype)]
            if others:
                chosen.append(Chosen(self.name("t"), then, chance.choice(others), type))
        whole = self.whole(buffers)
        if whole and chance.random() < 0.5:
            then = chance.choice(list(whole))
            chosen.append(Chosen(self.name("b"), then, chance.choice([name for name in whole if whole[name] == whole[then]]), whole[then]))
        for item in chosen:
            (buffers if item.result.startswith("b") else tensors)[item.result] = item.type
        return If(self.index(variables, 2), tuple(chosen), *sides)

    def call(self, buffers: dict[str, Type], tensors: dict[str, Type]) -> list[Any]:
        chance = self.chance
        whole = self.whole(buffers)
        passed = chance.sample(list(whole), k=min(len(whole), 2))
        if not passed:
            return []
        parameters = [(self.name("b"), whole[name]) for name in passed]
        inside_tensors: dict[str, Type] = {}
        body = self.block(chance.randint(1, 4), 0, dict(parameters), inside_tensors, {}, [])
        returned = self.name("t")
        body.append(Read(returned, *parameters[0]))
        function = Function(self.name("f"), tuple(parameters), tuple(body), returned, parameters[0][1])
        self.functions.append(function)
        result = self.name("t")
        tensors[result] = function.returned_type
        return [Call(function.name, tuple(passed), result)]

    def program(self) -> Program:
        buffers: dict[str, Type] = {}
        tensors: dict[str, Type] = {}
        body = self.block(self.chance.randint(6, 14), 2, buffers, tensors, {}, [])
        # Everything left is shown.
        for index, (name, type) in enumerate(buffers.items()):
            body.append(CopyOut(name, type, Index("", index, TILES)))
        return Program(tuple(self.functions), tuple(body))


def generate(seed: int) -> Program:
    return _Generator(seed).program()


def _dims(shape: tuple[int, ...]) -> str:
    return "".join(f"{size}x" for size in shape)


def _tensor(type: Type, element: str = "") -> str:
    return f"tensor<{_dims(type.shape)}{element or type.dtype}>"


def _buffer(type: Type) -> str:
    return f"!tile.buf<[{', '.join(map(str, type.shape))}], {type.dtype}, shared>"


ARGUMENTS = [f"{side}_{dtype}" for dtype in DTYPES for side in ("in", "out")]


class _Printer:
    """Text of a program; every statement brings the constants it needs."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = 0
        self.returns: dict[str, Function] = {}

    def value(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"  %v{self.names} = {text}")
        return f"%v{self.names}"

    def constant(self, value: int) -> str:
        return self.value(f"arith.constant {value} : i32")

    def index(self, index: Index) -> str:
        if not index.variable:
            return self.constant(index.constant % index.modulus)
        added = self.value(f"arith.addi %{index.variable}, {self.constant(index.constant)} : i32")
        return self.value(f"arith.remsi {added}, {self.constant(index.modulus)} : i32")

    def pointers(self, argument: str, type: Type, tile: Index, shift: int) -> str:
        """Pointers to the elements of a tile, rows one after another."""
        offsets = _tensor(type, "i32")
        if len(type.shape) == 1:
            size = type.shape[0]
            inside = self.value(f'"tt.make_range"() <{{start = 0 : i32, end = {size} : i32}}> : () -> {offsets}')
        else:
            rows, columns = type.shape
            size = rows * columns
            row = self.value(f'"tt.make_range"() <{{start = 0 : i32, end = {rows} : i32}}> : () -> tensor<{rows}xi32>')
            row = self.value(f'"tt.expand_dims"({row}) <{{axis = 1 : i32}}> : (tensor<{rows}xi32>) -> tensor<{rows}x1xi32>')
            row = self.value(f"arith.muli {row}, {self.value(f'arith.constant dense<{columns}> : tensor<{rows}x1xi32>')} : tensor<{rows}x1xi32>")
            row = self.value(f'"tt.broadcast"({row}) : (tensor<{rows}x1xi32>) -> {offsets}')
            column = self.value(f'"tt.make_range"() <{{start = 0 : i32, end = {columns} : i32}}> : () -> tensor<{columns}xi32>')
            column = self.value(f'"tt.expand_dims"({column}) <{{axis = 0 : i32}}> : (tensor<{columns}xi32>) -> tensor<1x{columns}xi32>')
            column = self.value(f'"tt.broadcast"({column}) : (tensor<1x{columns}xi32>) -> {offsets}')
            inside = self.value(f"arith.addi {row}, {column} : {offsets}")
        first = self.value(f"arith.muli {self.index(tile)}, {self.constant(size)} : i32")
        if shift:
            first = self.value(f"arith.addi {first}, {self.constant(shift)} : i32")
        first = self.value(f'"tt.splat"({first}) : (i32) -> {offsets}')
        inside = self.value(f"arith.addi {inside}, {first} : {offsets}")
        pointer, pointers = f"!tt.ptr<{type.dtype}>", _tensor(type, f"!tt.ptr<{type.dtype}>")
        base = self.value(f'"tt.splat"(%{argument}_{type.dtype}) : ({pointer}) -> {pointers}')
        return self.value(f'"tt.addptr"({base}, {inside}) : ({pointers}, {offsets}) -> {pointers}')

    def region(self, body: tuple[Any, ...], results: list[tuple[str, str]]) -> None:
        for statement in body:
            self.statement(statement)
        names, types = ", ".join(f"%{name}" for name, _ in results), ", ".join(type for _, type in results)
        self.lines.append(f"  scf.yield {names} : {types}" if results else "  scf.yield")

    def statement(self, statement: Any) -> None:
        lines = self.lines
        match statement:
            case Alloc(buffer, type):
                lines.append(f"  %{buffer} = tile.alloc {{tle.gpu_layout = #{type.layout}}} : {_buffer(type)}")
            case Slot(view, source, whole, type, index):
                self.view(view, source, whole, type, [self.index(index), *(self.constant(0) for _ in type.shape)], f"{{tle.gpu_layout = #{type.layout}}}")
            case Part(view, source, whole, type, offsets):
                self.view(view, source, whole, type, [self.constant(offset) for offset in offsets], "")
            case CopyIn(buffer, type, tile, shift):
                pointers = self.pointers("in", type, tile, shift)
                lines.append(f"  tile.copy {pointers} -> %{buffer} : {_tensor(type, f'!tt.ptr<{type.dtype}>')}, {_buffer(type)}")
            case CopyOut(buffer, type, tile):
                pointers = self.pointers("out", type, tile, 0)
                lines.append(f"  tile.copy %{buffer} -> {pointers} : {_buffer(type)}, {_tensor(type, f'!tt.ptr<{type.dtype}>')}")
            case Read(tensor, buffer, type):
                lines.append(f"  %{tensor} = tile.to_tensor %{buffer} : {_buffer(type)} -> {_tensor(type)}")
            case Write(tensor, buffer, type):
                lines.append(f"  tile.store_tensor %{tensor}, %{buffer} : {_tensor(type)}, {_buffer(type)}")
            case Binary(tensor, function, left, right, type):
                lines.append(f"  %{tensor} = arith.{FUNCTIONS[type.dtype[0]][function]} %{left}, %{right} : {_tensor(type)}")
            case Loop(variable, count, carried, body):
                self.loop(variable, count, carried, body)
            case If(index, chosen, then, other):
                condition = self.value(f"arith.cmpi eq, {self.index(index)}, {self.constant(0)} : i32")
                types = [self.type(item.result, item.type) for item in chosen]
                results = f" -> ({', '.join(types)})" if chosen else ""
                names = ", ".join(f"%{item.result}" for item in chosen)
                lines.append(f"  {names + ' = ' if chosen else ''}scf.if {condition}{results} {{")
                self.region(then, [(item.then, type) for item, type in zip(chosen, types, strict=True)])
                lines.append("  } else {")
                self.region(other, [(item.other, type) for item, type in zip(chosen, types, strict=True)])
                lines.append("  }")
            case Call(function, arguments, result):
                callee = self.returns[function]
                types = [*(_pointer(name) for name in ARGUMENTS), *(_buffer(type) for _, type in callee.parameters)]
                passed = ", ".join(f"%{name}" for name in [*ARGUMENTS, *arguments])
                lines.append(f"  %{result} = tt.call @{function}({passed}) : ({', '.join(types)}) -> {_tensor(callee.returned_type)}")

    def type(self, name: str, type: Type) -> str:
        return _buffer(type) if name.startswith("b") else _tensor(type)

    def view(self, view: str, source: str, whole: Type, type: Type, offsets: list[str], attributes: str) -> None:
        sizes, strides = ", ".join(map(str, type.shape)), ", ".join("1" for _ in type.shape)
        operands = ", ".join([_buffer(whole), *("i32" for _ in offsets)])
        self.lines.append(f"  %{view} = tile.subview %{source}[{', '.join(offsets)}] [[{sizes}]] [[{strides}]] {attributes} : "
                          f"({operands}) -> {_buffer(type)}")

    def loop(self, variable: str, count: int, carried: tuple[Carried, ...], body: tuple[Any, ...]) -> None:
        zero, end, one = self.constant(0), self.constant(count), self.constant(1)
        types = [self.type(item.inner, item.type) for item in carried]
        names = ", ".join(f"%{item.result}" for item in carried)
        start = ", ".join(f"%{item.inner} = %{item.initial}" for item in carried)
        values = f" iter_args({start}) -> ({', '.join(types)})" if carried else ""
        self.lines.append(f"  {names + ' = ' if carried else ''}scf.for %{variable} = {zero} to {end} step {one}{values} : i32 {{")
        self.region(body, [(item.yielded, type) for item, type in zip(carried, types, strict=True)])
        self.lines.append("  }")


def _pointer(argument: str) -> str:
    return f"!tt.ptr<{argument.split('_')[1]}>"


def text(program: Program) -> str:
    """The module; its kernel takes the arrays named in ARGUMENTS."""
    printer = _Printer()
    lines = printer.lines
    for function in program.functions:
        parameters = [f"%{name}: {_pointer(name)}" for name in ARGUMENTS] + [f"%{name}: {_buffer(type)}" for name, type in function.parameters]
        lines.append(f"tt.func private @{function.name}({', '.join(parameters)}) -> {_tensor(function.returned_type)} {{")
        for statement in function.body:
            printer.statement(statement)
        lines += [f"  tt.return %{function.returned} : {_tensor(function.returned_type)}", "}"]
        printer.returns[function.name] = function
    parameters = [f"%{name}: {_pointer(name)} {{tt.divisibility = 16 : i32}}" for name in ARGUMENTS]
    lines.append(f"tt.func public @kernel({', '.join(parameters)}) {{")
    for statement in program.body:
        printer.statement(statement)
    lines += ["  tt.return", "}"]
    return LAYOUTS + "\n".join(lines) + "\n"
