"""Generator of random TLE kernels that are valid by construction, each with its meaning as plain NumPy.

Every value is a whole number of [-8, 8], which all types used here hold exactly, and so are all intermediate results. A kernel's
meaning is therefore computed in int64, without regard to types, layouts or order, and compared bit by bit.
"""
from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

TILES = 4  # tiles of each input
PROGRAMS = 2
UNWRITTEN = 77
BUFFER_BYTES = 96 * 1024

DTYPES = {torch.float16: 2, torch.bfloat16: 2, torch.float32: 4, torch.float64: 8, torch.int8: 1, torch.int16: 2,
          torch.int32: 4, torch.int64: 8}
DOT_DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.int8)
ATOMIC_DTYPES = (torch.float32, torch.int32)
SHAPES = ((64, 64), (64, 32), (32, 64), (128, 32), (16, 128), (64, 16), (128, 64), (1, 64))

_HEAD = """\
from __future__ import annotations

import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def clamp(x):
    return tl.minimum(tl.maximum(x, -8), 8)


@triton.jit
def kernel({parameters}):
    pid = tl.program_id(0)
    rows = tl.arange(0, {rows})
    cols = tl.arange(0, {cols})
    offsets = rows[:, None] * {cols} + cols[None, :]
"""


@dataclass
class State:
    """What a program instance holds while NumPy runs its meaning."""

    pid: int
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    values: dict[str, np.ndarray] = field(default_factory=dict)
    trip: int = 0


Action = Callable[[State], None]
Index = tuple[str, Callable[[State], int]]
Mask = tuple[str, Callable[[State], np.ndarray]]


@dataclass(frozen=True)
class Buffer:
    """A buffer in scope: its name in the kernel, which of the two types it has, the slots of a ring (0: no ring)."""

    name: str
    kind: int
    depth: int


def clamp(x: np.ndarray) -> np.ndarray:
    return np.clip(x, -8, 8)


class RandomProgram:
    """The program of a seed: `source`, the kernel's Python text, `arguments`, its scalars, and `expected`, its meaning."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        choose = self._random.choice
        self.rows, self.cols = choose(SHAPES)
        self.dtypes = (choose(list(DTYPES)), choose([torch.float16, torch.float32, torch.int32]))
        self.num_warps = choose([1, 4, 4, 8] if self._size <= 2048 else [4, 4, 8])  # few warps and large tiles compile slowly
        self.num_stages = choose([1, 2, 3])
        self.arguments: list[int] = []
        self.stored = [0, 0]
        self._lines: list[str] = []
        self._actions: list[Action] = []
        self._indent = 1
        self._loops = 0
        self._buffers: list[Buffer] = []
        self._bytes = 0
        self._names = 0
        self._build()
        parameters = ["src0", "src1", "dst0", "dst1", *(f"n{i}" for i in range(len(self.arguments))), "OUT0: tl.constexpr",
                      "OUT1: tl.constexpr"]
        head = _HEAD.format(parameters=", ".join(parameters), rows=self.rows, cols=self.cols)
        self.source = head + "\n".join(self._lines) + "\n"

    def expected(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Outputs, int64 of shape [PROGRAMS, stored, rows, cols] for each type, UNWRITTEN where nothing is stored."""
        outputs = [np.full((PROGRAMS, stored, self.rows, self.cols), UNWRITTEN) for stored in self.stored]
        for pid in range(PROGRAMS):
            state = State(pid, inputs, [output[pid] for output in outputs])
            for action in self._actions:
                action(state)
        return outputs

    # What a program is made of.

    def _build(self) -> None:
        for name, kind in (("a", 0), ("b", 1), ("c", 0)):
            tile, at = self._tile()
            self._line(f"{name} = tl.load(src{kind} + ({tile}) * {self._size} + offsets)")
            self._act(lambda s, name=name, kind=kind, at=at: s.values.__setitem__(name, s.inputs[kind][at(s)].copy()))
        for _ in range(self._random.randint(1, 2)):
            self._alloc()
        for _ in range(self._random.randint(5, 9)):
            self._statement()
        for buffer in self._buffers:
            for slot in range(max(buffer.depth, 1)):
                self._copy_out(buffer, (str(slot), lambda s, slot=slot: slot))
        for name, kind in (("a", 0), ("b", 1), ("c", 0)):
            at = self._output(kind)
            self._line(f"tl.store({self._address(kind, at)}, {name})")
            self._act(lambda s, name=name, kind=kind, at=at: s.outputs[kind].__setitem__(at, s.values[name]))

    def _statement(self) -> None:
        simple = [self._alloc, self._copy_in, self._copy_in, self._copy_out_any, self._read, self._read, self._write,
                  self._write, self._arithmetic, self._gather, self._gather, self._scatter, self._scatter, self._atomic,
                  self._atomic_old, self._reduce, self._reduce, self._scalar]
        if self.dtypes[0] in DOT_DTYPES and min(self.rows, self.cols) >= (32 if self.dtypes[0] == torch.int8 else 16):
            simple += [self._attention, self._attention, self._dot_loop]
        if self._indent < 3:
            simple += [self._loop, self._loop, self._branch]
        self._random.choice(simple)()

    def _alloc(self) -> None:
        kind = self._random.randrange(2)
        depth = self._random.choice([0, 0, 1, 2, 3])
        size = max(depth, 1) * self._size * DTYPES[self.dtypes[kind]]
        if self._bytes + size > BUFFER_BYTES:
            return
        self._bytes += size
        name = self._name("buffer")
        shape = [depth, self.rows, self.cols] if depth else [self.rows, self.cols]
        options = f"nv_mma_shared_layout={self._random.choice([True, False])}"
        buffer = Buffer(name, kind, depth)
        if not depth and self._random.random() < 0.4:
            value, number = self._value(kind)
            self._line(f"{name} = tle.gpu.alloc({shape}, {self._type(kind)}, init_value={value}, {options})")
            self._act(lambda s: s.values.__setitem__(name, number(s).copy()))
        else:
            self._line(f"{name} = tle.gpu.alloc({shape}, {self._type(kind)}, {options})")
            self._act(lambda s: s.values.__setitem__(name, np.zeros(shape, np.int64)))
            for slot in range(max(depth, 1)):
                self._copy_in_to(buffer, (str(slot), lambda s, slot=slot: slot))
        self._buffers.append(buffer)

    def _copy_in(self) -> None:
        buffer = self._buffer()
        self._copy_in_to(buffer, self._slot(buffer))

    def _copy_in_to(self, buffer: Buffer, slot: Index) -> None:
        tile, at = self._tile()
        mask, lanes = self._mask()
        kind, view = buffer.kind, self._view(buffer, slot)
        self._line(f"tle.gpu.copy(src{kind} + ({tile}) * {self._size} + offsets, {self._text(buffer, slot)}, "
                   f"[{self.rows}, {self.cols}], mask={mask})")
        self._act(lambda s: view(s).__setitem__(..., np.where(lanes(s), s.inputs[kind][at(s)], 0)))

    def _copy_out_any(self) -> None:
        buffer = self._buffer()
        self._copy_out(buffer, self._slot(buffer))

    def _copy_out(self, buffer: Buffer, slot: Index) -> None:
        at = self._output(buffer.kind)
        mask, lanes = self._mask()
        kind, view = buffer.kind, self._view(buffer, slot)
        self._line(f"tle.gpu.copy({self._text(buffer, slot)}, {self._address(kind, at)}, [{self.rows}, {self.cols}], mask={mask})")
        self._act(lambda s: np.copyto(s.outputs[kind][at], view(s), where=lanes(s)))

    def _read(self) -> None:
        buffer = self._buffer()
        slot = self._slot(buffer)
        text, view = self._text(buffer, slot), self._view(buffer, slot)
        form = self._random.choice(["method", "pointer", "masked"])
        if form == "masked":
            mask, lanes = self._mask(optional=False)
            self._assign(f"tl.load(tle.gpu.local_ptr({text}), mask={mask}, other=3)", buffer.kind,
                         lambda s: np.where(lanes(s), view(s), 3))
        else:
            self._assign(f"{text}.load()" if form == "method" else f"tl.load(tle.gpu.local_ptr({text}))", buffer.kind,
                         lambda s: view(s).copy())

    def _write(self) -> None:
        buffer = self._buffer()
        slot = self._slot(buffer)
        text, view = self._text(buffer, slot), self._view(buffer, slot)
        value, number = self._value(buffer.kind)
        if self._random.random() < 0.4:
            self._line(f"{text}.store({value})")
            self._act(lambda s: view(s).__setitem__(..., number(s)))
        else:
            mask, lanes = self._mask()
            self._line(f"tl.store(tle.gpu.local_ptr({text}), {value}, mask={mask})")
            self._act(lambda s: np.copyto(view(s), number(s), where=lanes(s)))

    def _arithmetic(self) -> None:
        wide = self._wide(0)
        operation, function = self._random.choice([("+", np.add), ("-", np.subtract), ("*", np.multiply)])
        left, right = self._random.sample(["a", "b", "c"], 2)
        self._assign_wide(f"{left}.to({wide}) {operation} {right}.to({wide})",
                          lambda s: function(s.values[left], s.values[right]))

    def _gather(self) -> None:
        buffer = self._buffer()
        slot = self._slot(buffer)
        view = self._view(buffer, slot)
        indices, at = self._indices(distinct=False)
        mask, lanes = self._mask()
        other = "" if mask == "None" else ", other=-2"
        self._assign(f"tl.load(tle.gpu.local_ptr({self._text(buffer, slot)}, {indices}), mask={mask}{other})", buffer.kind,
                     lambda s: np.where(lanes(s), view(s)[at], -2))

    def _scatter(self) -> None:
        buffer = self._buffer()
        slot = self._slot(buffer)
        view = self._view(buffer, slot)
        indices, at = self._indices(distinct=True)
        mask, lanes = self._mask()
        value, number = self._value(buffer.kind)
        self._line(f"tl.store(tle.gpu.local_ptr({self._text(buffer, slot)}, {indices}), {value}, mask={mask})")

        def run(s: State) -> None:
            chosen = lanes(s)
            view(s)[at[0][chosen], at[1][chosen]] = number(s)[chosen]

        self._act(run)

    def _atomic(self) -> None:
        """Updates of which several meet at one element; the buffer is clamped afterwards."""
        buffer = self._atomic_buffer()
        if buffer is None:
            return
        slot = self._slot(buffer)
        text, view = self._text(buffer, slot), self._view(buffer, slot)
        name, update = self._random.choice([("add", np.add)] if self.dtypes[buffer.kind] == torch.float32 else [
            ("add", np.add), ("max", np.maximum), ("min", np.minimum)])
        indices, at = self._indices(distinct=False)
        mask, lanes = self._mask()
        value, number = self._value(buffer.kind)
        self._line(f"tl.atomic_{name}(tle.gpu.local_ptr({text}, {indices}), {value}, mask={mask})")
        self._line(f"{text}.store(clamp({text}.load()))")

        def run(s: State) -> None:
            chosen = lanes(s)
            update.at(view(s), (at[0][chosen], at[1][chosen]), number(s)[chosen])
            view(s)[...] = clamp(view(s))

        self._act(run)

    def _atomic_old(self) -> None:
        """An exchange or an addition at distinct elements, of which the old values are used."""
        buffer = self._atomic_buffer()
        if buffer is None:
            return
        slot = self._slot(buffer)
        text, view = self._text(buffer, slot), self._view(buffer, slot)
        names = ["add"] if self.dtypes[buffer.kind] == torch.float32 else ["add", "xchg"]  # the interpreter exchanges integers only
        name = self._random.choice(names)
        indices, at = self._indices(distinct=True)
        value, number = self._value(buffer.kind)
        old = self._name("old")
        self._line(f"{old} = tl.atomic_{name}(tle.gpu.local_ptr({text}, {indices}), {value})")

        def run(s: State) -> None:
            s.values[old] = view(s)[at]
            view(s)[at] = number(s) + (s.values[old] if name == "add" else 0)
            view(s)[...] = clamp(view(s))

        self._act(run)
        self._line(f"{text}.store(clamp({text}.load()))")
        self._assign(old, buffer.kind, lambda s: s.values[old])

    def _reduce(self) -> None:
        """Reductions and scans take scratch memory while the buffers are alive."""
        axis = self._random.randrange(2)
        name = self._random.choice(["a", "b", "c"])
        wide = self._wide(0)
        function, number = self._random.choice([("sum", np.sum), ("max", np.max), ("min", np.min), ("cumsum", np.cumsum)])
        text = f"tl.{function}({name}.to({wide}), axis={axis})"
        if function == "cumsum":
            self._assign_wide(text, lambda s: np.cumsum(s.values[name], axis=axis))
            return
        expand = "[None, :]" if axis == 0 else "[:, None]"
        self._assign_wide(f"{name}.to({wide}) - {text}{expand}",
                          lambda s: s.values[name] - number(s.values[name], axis=axis, keepdims=True))

    def _scalar(self) -> None:
        """One element read into all, then another written."""
        buffer = self._buffer()
        slot = self._slot(buffer)
        text, view = self._text(buffer, slot), self._view(buffer, slot)
        row, column = self._random.randrange(self.rows), self._random.randrange(self.cols)
        at = self._argument(row)
        element = self._name("element")
        self._line(f"{element} = tl.load(tle.gpu.local_ptr({text}, ({at}, {column})))")
        self._act(lambda s: s.values.__setitem__(element, view(s)[row, column].copy()))
        name = self._random.choice(["a", "b", "c"])
        wide = self._wide(0)
        self._assign_wide(f"{name}.to({wide}) + {element}.to({wide})", lambda s: s.values[name] + s.values[element])
        self._line(f"tl.store(tle.gpu.local_ptr({text}, (0, {at} % {self.cols})), {element})")
        self._act(lambda s: view(s).__setitem__((0, row % self.cols), s.values[element]))

    def _attention(self) -> None:
        """Two dots, the second on the result of the first, as in attention."""
        left, a = self._operand()
        right, b = self._operand()
        self._finish_attention(f"tl.dot({left}, tl.trans({right}))", lambda s: a(s) @ b(s).T)

    def _dot_loop(self) -> None:
        """A sum of dots with one operand brought by a copy in each step."""
        wide = self._wide(0)
        size = self._size * DTYPES[self.dtypes[0]]
        if self._bytes + 3 * size > BUFFER_BYTES:
            return
        self._bytes += 3 * size
        buffer, total = self._name("buffer"), self._name("total")
        trips = self._random.choice([0, 1, 2, 5])
        count = self._argument(trips)
        left, a = self._operand()
        mask, lanes = self._mask()
        stages = self._random.choice([1, 2, 3])
        iterator = self._random.choice([f"range(0, {count})", f"tle.gpu.pipeline(0, {count}, num_stages={stages})",
                                        f"tl.range(0, {count}, num_stages={stages})"])
        self._line(f"{buffer} = tle.gpu.alloc([{self.rows}, {self.cols}], {self._type(0)})")
        self._line(f"{total} = tl.zeros([{self.rows}, {self.rows}], {wide})")
        self._line(f"for step in {iterator}:")
        self._indent += 1
        self._line(f"tle.gpu.copy(src0 + (step + pid) % {TILES} * {self._size} + offsets, {buffer}, [{self.rows}, {self.cols}], "
                   f"mask={mask})")
        self._line(f"{total} = tl.dot({left}, tl.trans(tl.load(tle.gpu.local_ptr({buffer}))), {total}, "
                   f"out_dtype={wide})")
        self._indent -= 1

        def run(s: State) -> None:
            s.values[total] = np.zeros((self.rows, self.rows), np.int64)
            for step in range(trips):
                s.values[total] += a(s) @ np.where(lanes(s), s.inputs[0][(step + s.pid) % TILES], 0).T

        self._act(run)
        self._finish_attention(total, lambda s: s.values[total])

    def _finish_attention(self, scores: str, number: Callable[[State], np.ndarray]) -> None:
        value, c = self._operand()
        self._assign_wide(f"tl.dot(clamp({scores}).to({self._type(0)}), {value})", lambda s: clamp(number(s)) @ c(s), ["a", "c"])

    def _loop(self) -> None:
        trips = self._random.choice([0, 1, 2, 3, 5])
        count = self._argument(trips)
        variable = f"t{self._loops}"
        stages = self._random.choice([1, 2, 3])
        form = self._random.choice(["range", "pipeline", "tl.range", "while"])
        if form == "while":
            self._line(f"{variable} = pid * 0")
            self._line(f"while {variable} < {count}:")
        elif form == "range":
            self._line(f"for {variable} in range(0, {count}):")
        elif form == "pipeline":
            self._line(f"for {variable} in tle.gpu.pipeline(0, {count}, num_stages={stages}):")
        else:
            self._line(f"for {variable} in tl.range(0, {count}, num_stages={stages}):")
        self._loops += 1
        body = self._body()
        if form == "while":
            self._indent += 1
            self._line(f"{variable} += 1")
            self._indent -= 1
        self._loops -= 1

        def run(s: State) -> None:
            outer = s.trip
            for trip in range(trips):
                s.trip = trip
                for action in body:
                    action(s)
            s.trip = outer

        self._act(run)

    def _branch(self) -> None:
        wanted = self._random.randrange(3)
        taken = self._argument(wanted)
        self._line(f"if {taken} > pid:")
        body = self._body()
        other: list[Action] = []
        if self._random.random() < 0.5:
            self._line("else:")
            other = self._body()

        def run(s: State) -> None:
            for action in body if wanted > s.pid else other:
                action(s)

        self._act(run)

    def _body(self) -> list[Action]:
        """A nested block; what is allocated in it ends with it."""
        outer, buffers = self._actions, list(self._buffers)
        self._actions = []
        self._indent += 1
        self._arithmetic()
        for _ in range(self._random.randint(1, 3)):
            self._statement()
        self._indent -= 1
        body, self._actions, self._buffers = self._actions, outer, buffers
        return body

    # Parts of statements: text and meaning.

    @property
    def _size(self) -> int:
        return self.rows * self.cols

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._indent + text)

    def _act(self, action: Action) -> None:
        self._actions.append(action)

    def _name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def _argument(self, value: int) -> str:
        """A scalar parameter of the kernel with this value."""
        self.arguments.append(value)
        return f"n{len(self.arguments) - 1}"

    def _type(self, kind: int) -> str:
        return f"tl.{str(self.dtypes[kind]).removeprefix('torch.')}"

    def _wide(self, kind: int) -> str:
        return "tl.float32" if self.dtypes[kind].is_floating_point else "tl.int32"

    def _output(self, kind: int) -> int:
        self.stored[kind] += 1
        return self.stored[kind] - 1

    def _address(self, kind: int, at: int) -> str:
        return f"dst{kind} + (pid * OUT{kind} + {at}) * {self._size} + offsets"

    def _trip(self) -> Index:
        """The innermost loop's variable, or the program's number."""
        return (f"t{self._loops - 1}", lambda s: s.trip) if self._loops else ("pid", lambda s: s.pid)

    def _tile(self) -> Index:
        shift = self._random.randrange(TILES)
        trip, number = self._trip()
        return f"({trip} + {shift}) % {TILES}", lambda s: (number(s) + shift) % TILES

    def _buffer(self) -> Buffer:
        return self._random.choice(self._buffers) if self._buffers else self._new_buffer()

    def _new_buffer(self) -> Buffer:
        """A buffer that certainly fits."""
        name = self._name("buffer")
        self._line(f"{name} = tle.gpu.alloc([{self.rows}, {self.cols}], {self._type(0)}, init_value=a)")
        self._act(lambda s: s.values.__setitem__(name, s.values["a"].copy()))
        buffer = Buffer(name, 0, 0)
        self._bytes += self._size * DTYPES[self.dtypes[0]]
        self._buffers.append(buffer)
        return buffer

    def _atomic_buffer(self) -> Buffer | None:
        candidates = [b for b in self._buffers if self.dtypes[b.kind] in ATOMIC_DTYPES]
        return self._random.choice(candidates) if candidates else None

    def _slot(self, buffer: Buffer) -> Index:
        if self._random.random() < 0.5:
            slot = self._random.randrange(max(buffer.depth, 1))
            return str(slot), lambda s: slot
        shift = self._random.randrange(4)
        trip, number = self._trip()
        return f"({trip} + {shift}) % {buffer.depth}", lambda s: (number(s) + shift) % max(buffer.depth, 1)

    def _text(self, buffer: Buffer, slot: Index) -> str:
        return f"{buffer.name}.slot({slot[0]})" if buffer.depth else buffer.name

    def _view(self, buffer: Buffer, slot: Index) -> Callable[[State], np.ndarray]:
        if buffer.depth:
            return lambda s: s.values[buffer.name][slot[1](s)]
        return lambda s: s.values[buffer.name]

    def _mask(self, optional: bool = True) -> Mask:
        rows, cols = np.arange(self.rows)[:, None], np.arange(self.cols)[None, :]
        whole = (self.rows, self.cols)
        form = self._random.randrange(0 if optional else 2, 6)
        if form < 2:
            return "None", lambda s: np.ones(whole, bool)
        height = self._random.choice([0, 1, self.rows // 2, self.rows - 1, self.rows, self._random.randrange(self.rows)])
        width = self._random.choice([0, self.cols - 1, self._random.randrange(self.cols), self.cols // 2])
        if form == 2:
            return f"rows[:, None] < {self._argument(height)}", lambda s: np.broadcast_to(rows < height, whole)
        if form == 3:
            return f"cols[None, :] < {self._argument(width)}", lambda s: np.broadcast_to(cols < width, whole)
        if form == 4:
            text = f"(rows[:, None] < {self._argument(height)}) & (cols[None, :] < {self._argument(width)})"
            return text, lambda s: (rows < height) & (cols < width)
        return "(rows[:, None] * 3 + cols[None, :] + pid) % 5 < 2", lambda s: (rows * 3 + cols + s.pid) % 5 < 2

    def _indices(self, distinct: bool) -> tuple[str, tuple[np.ndarray, np.ndarray]]:
        """Row and column indices of the tile's shape; `distinct`: no element twice."""
        rows, cols = np.arange(self.rows)[:, None], np.arange(self.cols)[None, :]
        form = self._random.choice(["shift", "flip", "xor", "swap"] + ([] if distinct else ["collapse"]))
        shift, other = self._random.randrange(self.rows), self._random.randrange(self.cols)
        if form == "swap" and self.rows == self.cols:
            i, j, number = "cols[None, :]", "rows[:, None]", (cols, rows)
        elif form == "flip":
            i, j = f"{self.rows - 1} - rows[:, None]", f"{self.cols - 1} - cols[None, :]"
            number = (self.rows - 1 - rows, self.cols - 1 - cols)
        elif form == "xor":
            i, j, number = f"rows[:, None] ^ {shift}", f"cols[None, :] ^ {other}", (rows ^ shift, cols ^ other)
        elif form == "collapse":
            i, j, number = "rows[:, None] // 2", "cols[None, :] % 4", (rows // 2, cols % 4)
        else:
            i, j = f"(rows[:, None] + {shift}) % {self.rows}", f"(cols[None, :] + {other}) % {self.cols}"
            number = ((rows + shift) % self.rows, (cols + other) % self.cols)
        shape = (self.rows, self.cols)
        type = self._random.choice(["int32", "int64", "int16", "uint32"])
        text = ", ".join(f"tl.broadcast_to({index}, [{self.rows}, {self.cols}]).to(tl.{type})" for index in (i, j))
        return f"({text})", (np.broadcast_to(number[0], shape), np.broadcast_to(number[1], shape))

    def _value(self, kind: int) -> tuple[str, Callable[[State], np.ndarray]]:
        name = self._random.choice(["a", "b", "c"])
        return f"{name}.to({self._type(kind)})", lambda s: s.values[name]

    def _operand(self) -> tuple[str, Callable[[State], np.ndarray]]:
        """An operand of a dot: a buffer of the first type, or a value."""
        buffers = [b for b in self._buffers if b.kind == 0]
        if not buffers or self._random.random() < 0.2:
            return self._value(0)
        buffer = self._random.choice(buffers)
        slot = self._slot(buffer)
        text = self._text(buffer, slot)
        return self._random.choice([f"{text}.load()", f"tl.load(tle.gpu.local_ptr({text}))"]), self._view(buffer, slot)

    def _assign(self, text: str, kind: int, number: Callable[[State], np.ndarray]) -> None:
        """Assign a tile of type `kind` to a variable, converted to the variable's type."""
        name, target = self._random.choice([("a", 0), ("b", 1), ("c", 0)])
        self._line(f"{name} = {text}" + ("" if kind == target else f".to({self._type(target)})"))
        self._act(lambda s: s.values.__setitem__(name, number(s)))

    def _assign_wide(self, text: str, number: Callable[[State], np.ndarray], names: list[str] | None = None) -> None:
        """Assign a tile of a wider type, clamped."""
        name = self._random.choice(names or ["a", "b", "c"])
        self._line(f"{name} = clamp({text}).to({self._type(1 if name == 'b' else 0)})")
        self._act(lambda s: s.values.__setitem__(name, clamp(number(s))))


def inputs(program: RandomProgram, seed: int) -> list[np.ndarray]:
    """Whole numbers of [-8, 8], int64 of shape [TILES, rows, cols] for each type."""
    random_numbers = np.random.default_rng(seed)
    shape = (TILES, program.rows, program.cols)
    return [random_numbers.integers(-8, 9, shape) for _ in program.dtypes]
