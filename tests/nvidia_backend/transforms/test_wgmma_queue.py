"""Random programs of products and waits: what the rules of the queue accept never reads an accumulator in flight."""
from __future__ import annotations

import random

import pytest

from tests.nvidia_backend.transforms.wgmma_programs import FLAGS, TILE, Block, Lines, error_of, function

BUFFER = "!ttg.memdesc<64x64xf16, #nvmma, #smem>"
VARIABLES = 3


def random_block(rng: random.Random, depth: int) -> Block:
    """Of ("issue", v, adds), ("wait", v, pendings), ("use", v), ("if", block, block) and ("for", block)."""
    block: Block = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.choices(["issue", "wait", "use", "if", "for"], [5, 5, 1, depth, depth])[0]
        variable = rng.randrange(VARIABLES)
        if kind == "issue":
            block.append((kind, variable, rng.random() < 0.8))
        elif kind == "wait":
            block.append((kind, variable, rng.choice([0, 0, 1, 1, 2])))
        elif kind == "use":
            block.append((kind, variable))
        else:
            block.append((kind, *(random_block(rng, depth - 1) for _ in range(2 if kind == "if" else 1))))
    return block


class Writer(Lines):
    """The program as MLIR: a variable of the program is the newest SSA value it was given."""

    def write(self, block: Block, values: list[str]) -> list[str]:
        values = list(values)
        for kind, *rest in block:
            if kind == "issue":
                variable, adds = rest
                acc, types = (f", {values[variable]}", f", {TILE}") if adds else ("", "")
                values[variable] = self.name()
                self.lines.append(f"{values[variable]} = tle.wgmma %a, %a{acc} {FLAGS} : ({BUFFER}, {BUFFER}{types}) -> {TILE}")
            elif kind == "wait":
                variable, pendings = rest
                old, values[variable] = values[variable], self.name()
                self.lines.append(f"{values[variable]} = tle.wgmma_wait {old} {{pendings = {pendings} : i32}} : {TILE} -> {TILE}")
            elif kind == "use":
                old, values[rest[0]] = values[rest[0]], self.name()
                self.lines.append(f"{values[rest[0]]} = arith.addf {old}, {old} : {TILE}")
            else:
                values = self.write_region(kind, rest, values)
        return values

    def write_region(self, kind: str, blocks: list[Block], values: list[str]) -> list[str]:
        result, types = self.name(), ", ".join([TILE] * VARIABLES)
        if kind == "if":
            self.lines.append(f"{result}:{VARIABLES} = scf.if %c -> ({types}) {{")
            self.lines.append(f"scf.yield {', '.join(self.write(blocks[0], values))} : {types}")
            self.lines.append("} else {")
            self.lines.append(f"scf.yield {', '.join(self.write(blocks[1], values))} : {types}")
        else:
            arguments = [self.name() for _ in values]
            carried = ", ".join(f"{argument} = {value}" for argument, value in zip(arguments, values))
            self.lines.append(f"{result}:{VARIABLES} = scf.for {self.name()} = %n to %n step %n iter_args({carried}) -> ({types}) : i32 {{")
            self.lines.append(f"scf.yield {', '.join(self.write(blocks[0], arguments))} : {types}")
        self.lines.append("}")
        return [f"{result}#{i}" for i in range(VARIABLES)]


def text_of(block: Block) -> str:
    writer = Writer()
    values = writer.write(block, ["%x"] * VARIABLES)
    uses = [f'"tt.store"(%p, {value}) : (tensor<64x64x!tt.ptr<f32>>, {TILE}) -> ()' for value in values]
    lines = [f"%x = arith.constant dense<1.0> : {TILE}", *writer.lines, *uses]
    return function(f"%a: {BUFFER}, %n: i32, %c: i1, %p: tensor<64x64x!tt.ptr<f32>>", lines)


class Race(Exception):
    """An accumulator was used while its group ran."""


class Machine:
    """The queue of one warp group. `waited` keeps the rule that only what a wait returned may be used."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.issued, self.finished = rng, 0, 0
        self.group, self.waited = [0] * VARIABLES, [True] * VARIABLES
        self.lost = False

    def run(self, block: Block) -> None:
        for kind, *rest in block:
            if kind == "issue":
                variable, adds = rest
                self.lost |= not adds and not self.waited[variable]
                self.issued += 1
                self.group[variable], self.waited[variable] = self.issued, False
            elif kind == "wait":
                variable, pendings = rest
                self.finished = max(self.finished, self.issued - pendings)
                self.waited[variable] |= self.group[variable] <= self.finished
            elif kind == "use":
                self.use(rest[0])
            elif kind == "if":
                self.run(rest[self.rng.randrange(2)])
            else:
                for _ in range(self.rng.choice([0, 1, 1, 2, 3])):
                    self.run(rest[0])

    def use(self, variable: int) -> None:
        if self.group[variable] > self.finished:
            raise Race(variable)


def accepted(block: Block) -> bool:
    error = error_of(text_of(block))
    assert error is None or error.split("[")[-1][:3] in ("W30", "W31", "W32", "W33"), error
    return error is None


@pytest.mark.parametrize("seed", range(8))
def test_what_is_accepted_has_no_race(seed: int) -> None:
    rng = random.Random(seed)
    right = 0
    for _ in range(400):
        block = random_block(rng, 2) + [("wait", variable, 0) for variable in range(VARIABLES)]
        # Every variable is an accumulator, so that the waits at the end wait for something.
        block = [("issue", variable, True) for variable in range(VARIABLES)] + block
        if not accepted(block):
            continue
        right += 1
        for _ in range(30):
            machine = Machine(rng)
            machine.run(block)
            for variable in range(VARIABLES):
                machine.use(variable)
    assert right > 40, "programs are accepted at all"


def is_right(block: Block) -> bool:
    """The rules for a program without branches and loops: every use follows its own wait, waits are for products, nothing is lost."""
    machine = Machine(random.Random(0))
    computed: set[int] = set()  # by something else than products
    for kind, variable, *rest in block:
        if kind == "use" and not machine.waited[variable] or kind == "wait" and variable in computed:
            return False
        computed = computed | {variable} if kind == "use" else computed - {variable}
        machine.run([(kind, variable, *rest)])
    return not machine.lost and all(machine.waited)


def test_straight_programs_are_judged_exactly() -> None:
    rng = random.Random(0)
    verdicts = set()
    for _ in range(1500):
        block = [("issue", variable, True) for variable in range(VARIABLES)] + random_block(rng, 0) + random_block(rng, 0)
        block += [("wait", variable, rng.choice([0, 0, 1, 2])) for variable in rng.sample(range(VARIABLES), VARIABLES)]
        verdicts.add(is_right(block))
        assert accepted(block) == is_right(block), text_of(block)
    assert verdicts == {False, True}
