"""Where tle-lower-local-ptr says that elements lie, against the layouts of the installed Triton. No GPU needed.

Triton has no call that prints a shared layout, but a reshape to dimensions of 2 gives a layout written out as bases.
"""
from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import pytest
from flagtree import _core
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

SHAPES = [(64, ), (1024, ), (8, 8), (8, 64), (16, 128), (64, 64), (128, 256), (64, 512), (512, 64), (512, 512), (2, 64, 64),
          (4, 8, 32), (4, 512, 64), (2, 4, 8, 64)]
ELEMENTS = {"i8": 8, "f16": 16, "f32": 32, "i64": 64}


class Layouts:
    """Shared layouts as the installed Triton builds them."""

    def __init__(self) -> None:
        backend = make_backend(GPUTarget("cuda", 90, 32))
        self.context = ir.context()
        ir.load_dialects(self.context)
        backend.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)
        self.module = self.builder.create_module()
        function = self.builder.get_or_insert_function(self.module, "f", self.builder.get_function_ty([], []), "public", False)
        self.module.push_back(function)
        self.builder.set_insertion_point_to_start(function.add_entry_block())

    def swizzled(self, vec: int, per_phase: int, max_phase: int, order: list[int]) -> ir.attribute:
        return self.builder.get_swizzled_shared_layout(vec, per_phase, max_phase, order, [])

    def nvmma(self, swizzle: int, bits: int, transposed: bool, rank: int) -> ir.attribute:
        return self.builder.get_nvmma_shared_layout(swizzle, bits, transposed, False, [], rank)

    def bases(self, shape: tuple[int, ...], element: str, layout: ir.attribute) -> tuple[list[int], str]:
        """The row-major number of the element at offset 2**k, for every k; and the buffer's type as text."""
        types = {"i8": self.builder.get_int8_ty, "f16": self.builder.get_half_ty, "f32": self.builder.get_float_ty,
                 "i64": self.builder.get_int64_ty}
        type = self.builder.get_shared_mem_desc_ty(types[element](), list(shape), layout, list(shape))
        buffer = self.builder.create_local_alloc(type)
        bits = math.prod(shape).bit_length() - 1
        # A trailing 1 when the shape is one of 2s already: the reshape must not be the identity.
        for dims in ([2] * bits, [2] * bits + [1], [2**bits]):
            reshaped = self.builder.get_gluon_layout_from_memdesc(self.builder.create_memdesc_reshape(buffer, dims))
            if hasattr(reshaped, "offset_bases"):
                return [int("".join(map(str, base[:bits])), 2) if len(dims) > 1 else base[0]
                        for base in reshaped.offset_bases], str(type)
        raise AssertionError(f"no bases for {shape} {layout}")


@pytest.fixture(scope="module")
def layouts() -> Layouts:
    return Layouts()


def computed_offsets(buffer: str, shape: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Byte offset of every element whose index has at most two bits set in all, by running what the pass emits."""
    code = lowered(buffer, len(shape), re.search(r"x([a-z]\w*),", buffer).group(1))
    return {index: run(code, index) for index in some_indices(shape)}


def some_indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    bits = [(d, 1 << b) for d, size in enumerate(shape) for b in range(size.bit_length() - 1)]
    for count in range(3):
        for chosen in itertools.combinations(bits, count):
            yield tuple(sum(value for d, value in chosen if d == dim) for dim in range(len(shape)))


def run(code: str, index: tuple[int, ...]) -> int:
    """The address that `code`, generic operations on i32, hands to the inline assembly; the buffer starts at 0."""
    values = {}
    arguments = re.search(r"\^bb0\((.*?)\):", code).group(1)
    for name, value in zip(re.findall(r"(%\w+):", arguments), (0, *index, 0)):
        values[name] = value
    operations = {"addi": lambda a, b: a + b, "muli": lambda a, b: a * b, "andi": lambda a, b: a & b, "xori": lambda a, b: a ^ b,
                  "shli": lambda a, b: a << b, "shrui": lambda a, b: a >> b, "trunci": lambda a: a, "extui": lambda a: a}
    for line in code.splitlines():
        if constant := re.search(r'(%\w+) = "arith.constant"\(\) <\{value = (-?\d+) : i32\}>', line):
            values[constant.group(1)] = int(constant.group(2))
        elif base := re.search(r'(%\w+) = "tti.experimental_memdesc_to_i64"', line):
            values[base.group(1)] = 0
        elif operation := re.search(r'(%\w+) = "arith\.(\w+)"\((.*?)\)', line):
            values[operation.group(1)] = operations[operation.group(2)](*(values[name] for name in operation.group(3).split(", ")))
        elif access := re.search(r'"tt.elementwise_inline_asm"\((%\w+)', line):
            return values[access.group(1)]
    raise AssertionError(f"no access in\n{code}")


def check(layouts: Layouts, shape: tuple[int, ...], element: str, layout: ir.attribute) -> None:
    bases, buffer = layouts.bases(shape, element, layout)
    for index, offset in computed_offsets(buffer, shape).items():
        place, size = divmod(offset, ELEMENTS[element] // 8)
        number = 0
        for bit, base in enumerate(bases):
            number ^= base if place >> bit & 1 else 0
        expected = 0
        for value, dim in zip(index, shape):
            expected = expected * dim + value
        assert (number, size) == (expected, 0), f"{buffer}: {index} computed at byte {offset}"


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_swizzled(layouts: Layouts, shape: tuple[int, ...], element: str) -> None:
    rank = len(shape)
    for order in ([*range(rank)][::-1], [*range(rank)], [rank - 1, *range(rank - 1)]):
        widest = shape[order[0]]
        for vec, per_phase, max_phase in [(1, 1, 1), (4, 1, 2), (8, 2, 4), (2, 4, 8)] if rank > 1 else [(1, 1, 1)]:
            if vec * max_phase <= widest:
                check(layouts, shape, element, layouts.swizzled(vec, per_phase, max_phase, order))


@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("element", ["i8", "f16", "f32"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nvmma(layouts: Layouts, shape: tuple[int, ...], element: str, swizzle: int) -> None:
    bits, rank = ELEMENTS[element], len(shape)
    for transposed in (False, True) if rank == 2 else (False, ):
        contiguous = 0 if transposed else rank - 1
        rows = math.prod(min(size, 256) for dim, size in enumerate(shape) if dim != contiguous)
        if swizzle == 0 and not transposed or swizzle and shape[contiguous] * bits >= 8 * swizzle and rows >= 8:
            check(layouts, shape, element, layouts.nvmma(swizzle, bits, transposed, rank))


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("layout, shape", [
    ("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>", (3, )),
    ("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>", (3, 32)),
    ("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", (5, 32)),
    ("#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [2, 1, 0]}>", (3, 8, 32)),
    ("#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = BITS}>", (12, 8, 64)),
    ("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = BITS, rank = 3}>", (3, 8, 128)),
])
def test_leading_dimension_of_any_size(layout: str, shape: tuple[int, ...], element: str) -> None:
    """All elements are in the buffer, no two at one place, and those of a stage lie together."""
    dims = "x".join(map(str, shape))
    text = layout.replace("BITS", str(ELEMENTS[element]))
    buffer = f"!ttg.memdesc<{dims}x{element}, {text}, #ttg.shared_memory, mutable>"
    size, stage = ELEMENTS[element] // 8, math.prod(shape[1:])
    code = lowered(buffer, len(shape), element)
    places = set()
    for index in itertools.product(*(range(dim) for dim in shape)):
        place = run(code, index)
        assert place % size == 0 and place // size // stage == index[0]
        places.add(place)
    assert len(places) == math.prod(shape)


def lowered(buffer: str, rank: int, element: str) -> str:
    """Generic text of a scalar store at run-time indices, after the pass."""
    arguments = ", ".join(f"%i{d}: i32" for d in range(rank))
    indices = ", ".join(f"%i{d}" for d in range(rank))
    return _core.run(f"""
tt.func public @f(%buffer: {buffer}, {arguments}, %value: {element}) {{
  %ptr = tle.local_ptr %buffer[{indices}] : ({buffer}, {", ".join(["i32"] * rank)}) -> !tt.ptr<{element}>
  "tt.store"(%ptr, %value) <{{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}}> : (!tt.ptr<{element}>, {element}) -> ()
  tt.return
}}""", "builtin.module(tle-lower-local-ptr)")


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("shape", [(1, ), (2, ), (16, ), (64, ), (128, ), (4096, ), (1, 1), (1, 16), (4, 4), (2, 64), (64, 2), (32, 32), (2, 2, 2),
                                   (4, 1, 64)], ids=str)
def test_owner_of_an_element(layouts: Layouts, shape: tuple[int, ...], num_warps: int) -> None:
    """The threads whose replica bits are zero hold every element once, by the installed Triton's default layout."""
    type = f"tensor<{'x'.join(map(str, shape))}x%s, {default_layout(shape, num_warps)}>"
    pointers, values, masks = type % "!tt.ptr<i32>", type % "i32", type % "i1"
    code = _core.run(f"""
tt.func public @f(%p: {pointers}, %v: {values}, %m: {masks}) {{
  %old = "tt.atomic_rmw"(%p, %v, %m) <{{atomic_rmw_op = 4 : i32, scope = 1 : i32, sem = 1 : i32}}> {{tle.shared_access = "atomic"}} : ({pointers}, {values}, {masks}) -> {values}
  tt.return
}}""", f"builtin.module(tle-lower-shared-atomics{{num-warps={num_warps}}})")
    replicas = int(re.search(r"and.b32 thread, thread, (\d+);", code).group(1))
    assert "ttg.convert_layout" not in code  # the text above is the default layout

    order = [*range(len(shape))][::-1]
    numbers = [list(map(int, re.search(rf"{key} = \[(.*?)\]", default_layout(shape, num_warps)).group(1).split(", ")))
               for key in ("threadsPerWarp", "warpsPerCTA")]
    blocked = layouts.builder.get_blocked_layout([1] * len(shape), *numbers, order, [])
    linear = layouts.builder.to_linear_layout(blocked, list(shape))
    assert all(any(base) for base in linear.reg_bases), "a thread holds an element twice"
    thread_bases = linear.lane_bases + linear.warp_bases
    assert replicas == sum(1 << bit for bit, base in enumerate(thread_bases) if not any(base))


def default_layout(shape: tuple[int, ...], num_warps: int) -> str:
    """The default layout of a tensor, as the core gives it to a buffer's tile."""
    dims = "x".join(map(str, shape))
    order = ", ".join(map(str, range(len(shape))[::-1]))
    buffer = f"!ttg.memdesc<{dims}xi32, #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [{order}]}}>, #ttg.shared_memory, mutable>"
    code = _core.run(f"""
tt.func public @f(%buffer: {buffer}) {{
  %tile = tle.local_load %buffer : {buffer} -> tensor<{dims}xi32>
  "test.use"(%tile) : (tensor<{dims}xi32>) -> ()
  tt.return
}}""", f"builtin.module(tle-lower-memory{{num-warps={num_warps}}})")
    return re.search(r"#ttg\.blocked<\{.*?\}>", code).group(0)
