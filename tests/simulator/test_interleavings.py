"""The enumeration of interleavings against brute force: each one that differs is run, and none twice."""
from __future__ import annotations

import math
import random

import flagtree
import pytest
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl
from flagtree.simulator.check import _attempt
from flagtree.simulator.interleavings import Exploration
from flagtree.simulator.operation import ATOMIC, COPY, WAIT
from flagtree.simulator.order import Ordered, order_text, read_order
from flagtree.simulator.session import Session

from tests.simulator.samples import descriptor

#-----------------------------------------------------------------------------------------------------------------------
# Kernels that do what a plan says
#-----------------------------------------------------------------------------------------------------------------------


def act(plan, bars, src, tiles, counter):
    """Carry out a partition's plan, a list of (what, barrier, phaseIdx)."""
    for what, index, use in plan:
        if what == "arrive":
            tle.gpu.barrier_arrive(bars[index], phaseIdx=use)
        elif what == "wait":
            tle.gpu.barrier_wait(bars[index], phaseIdx=use)
        elif what == "meet":
            tle.gpu.barrier_wait(bars[index])
        elif what == "tell":
            tle.gpu.barrier_arrive(bars[index])
        elif what == "copy":
            tle.gpu.copy(src, tiles[use], [16, 16], [0, 0], barrier=bars[index])
        elif what == "count":
            tl.atomic_add(tle.gpu.local_ptr(counter, (index, )), 1)


@triton.jit
def follow(bars, src, tiles, counter, PLAN: tl.constexpr):
    act(PLAN, bars, src, tiles, counter)


@triton.jit
def kernel(src, BARRIERS: tl.constexpr, PLANS: tl.constexpr):
    """BARRIERS: (arrive_count, expect_bytes or None, initially READY) of each; PLANS: one for each partition."""
    tiles = tle.gpu.alloc([4, 16, 16], tl.float16)
    counter = tle.gpu.alloc([8], tl.int32, init_value=tl.zeros([8], tl.int32))
    bars = [
        tle.gpu.alloc_barrier(arrive_count=count, expect_bytes=size, init=tle.gpu.READY if ready else tle.gpu.PENDING)
        for count, size, ready in BARRIERS
    ]
    tle.gpu.warp_specialize([(follow, (bars, src, tiles, counter, plan)) for plan in PLANS], [4] * (len(PLANS) - 1), [168] * (len(PLANS) - 1))


def launch(barriers, plans, grid=1):
    """An action for Session: launches the kernel."""
    src = descriptor(torch.zeros(16, 16).half(), [16, 16])
    return lambda: kernel[(grid, )](src, barriers, plans)


#-----------------------------------------------------------------------------------------------------------------------
# Brute force
#-----------------------------------------------------------------------------------------------------------------------


class Signature:
    """What makes a run differ from others: who contributed to each phase, what each wait saw, the order of copies of a barrier and of
    atomics on the same bytes."""

    def __init__(self):
        self._done = {}
        self._facts = set()
        self._numbers = {}

    def note(self, process, operation, state):
        number = self._numbers[process] = self._numbers.get(process, 0) + 1
        who = process, number
        done = self._done.setdefault(operation.target, [])
        if operation.kind == WAIT:
            self._facts.add((who, "sees", frozenset(one for kind, one in done if kind != WAIT)))
        elif operation.kind == ATOMIC:
            self._facts.add((who, "after", frozenset(one for kind, one in done if kind == operation.span)))
        else:
            self._facts.add((who, "in phase", state.completed, operation.count > state.pending and frozenset(one for _, one in done)))
            if operation.kind == COPY:
                self._facts.add((who, "after", frozenset(one for kind, one in done if kind == COPY)))
        done.append((operation.span if operation.kind == ATOMIC else operation.kind, who))

    def value(self):
        return frozenset(self._facts)


class Everything:
    """In place of an Exploration: every choice there is, and what makes each run differ."""

    def __init__(self):
        self.path = []
        self.over = False

    def policy(self, number):
        return _Every(self)

    def finish_run(self):
        while self.path and self.path[-1][0] + 1 == self.path[-1][1]:
            self.path.pop()
        self.over = not self.path
        if self.path:
            self.path[-1] = self.path[-1][0] + 1, self.path[-1][1]


class _Every(Ordered):
    recording = True

    def __init__(self, everything):
        super().__init__({})
        self._path = everything.path
        self._depth = 0
        everything.signature = self.signature = Signature()

    def pick(self, candidates):
        if len(candidates) == 1:
            return 0
        if self._depth == len(self._path):
            self._path.append((0, len(candidates)))
        index, count = self._path[self._depth]
        assert count == len(candidates)
        self._depth += 1
        return index

    def note(self, process, operation, state):
        self.signature.note(process.key, operation, state)


class Watched(Exploration):
    """An Exploration that says what makes each run differ."""

    def policy(self, number):
        walk = super().policy(number)
        self.signature = Signature()
        note = walk.note

        def noted(process, operation, state):
            self.signature.note(process.key, operation, state)
            note(process, operation, state)

        walk.note = noted
        self.walk = walk
        return walk


def runs(explorer, action, most):
    """(what makes it differ, rules found) of each run; None after `most` runs."""
    result = []
    while not explorer.over:
        if len(result) == most:
            return None
        session = Session(strict=False, exploration=explorer)
        error = _attempt(action, session)
        assert error is None, error
        result.append((explorer.signature.value(), frozenset(finding.rule for finding in session.findings)))
        explorer.finish_run()
    return result


def enumerated(action, most=4000):
    """The same for the runs of the enumeration that are not redundant, and how many those are."""
    explorer, result, redundant = Watched(), [], 0
    while not explorer.over:
        assert len(result) + redundant < most
        session = Session(strict=False, exploration=explorer)
        assert _attempt(action, session) is None
        outcome = explorer.signature.value(), frozenset(finding.rule for finding in session.findings)
        if explorer.walk.redundant is None:
            result.append(outcome)
        else:
            redundant += 1
        explorer.finish_run()
    assert explorer.complete and explorer.found == len(result)
    return result, redundant


def compare(action, most=3000):
    """Brute force and enumeration see the same; how many differ, or None if brute force takes too long."""
    brute = runs(Everything(), action, most)
    if brute is None:
        return None
    found, _ = enumerated(action)
    assert {signature for signature, _ in brute} == {signature for signature, _ in found}
    assert len(found) == len({signature for signature, _ in found}), "one was run twice"
    assert {rules for _, rules in brute} == {rules for _, rules in found}
    return len(found)


PLAIN, PAIR = (1, None, False), (2, None, False)
TILE = (1, 512, False)
TILES = (1, 1024, False)


def repeat(times, *steps):
    return steps * times


@pytest.mark.parametrize("name, barriers, plans, count", [
    ("nothing shared", [PLAIN, PLAIN], [[("arrive", 0, 0), ("wait", 0, 0)], [("arrive", 1, 0), ("wait", 1, 0)]], 1),
    ("arrivals of one phase", [PAIR], [[("arrive", 0, 0)], [("arrive", 0, 0)], [("wait", 0, 0)]], 1),
    ("arrivals of two phases", [PLAIN], [[("arrive", 0, 0)], [("arrive", 0, 1)]], 2),
    ("a wait that sees one phase or none any more", [PLAIN], [[("arrive", 0, 0), ("arrive", 0, 1)], [("wait", 0, 0)]], 2),
    ("a wait that sees phase 0 or 2", [PLAIN], [repeat(3, ("arrive", 0, 0)), [("wait", 0, 0)]], 2),
    ("producer and consumer", [PLAIN, (1, None, True)],
     [[("wait", 1, 0), ("arrive", 0, 0), ("wait", 1, 1)], [("wait", 0, 0), ("arrive", 1, 0)]], 1),
    ("copies of one use", [TILES], [[("copy", 0, 0)], [("copy", 0, 1)], [("wait", 0, 0)]], 2),
    ("copies of two uses", [TILE], [[("copy", 0, 0), ("wait", 0, 0), ("copy", 0, 1), ("wait", 0, 1)]], 1),
    ("a circle", [PLAIN, PLAIN], [[("wait", 0, 0), ("arrive", 1, 0)], [("wait", 1, 0), ("arrive", 0, 0)]], 1),
    ("a meeting", [(256, None, False)], [[("meet", 0, 0)], [("meet", 0, 0)]], 1),
    ("two of three meet", [(256, None, False)], [[("tell", 0, 0)], [("tell", 0, 0)], [("tell", 0, 0)]], 3),
    ("tickets", [], [repeat(3, ("count", 0, 0)), repeat(3, ("count", 0, 0))], math.comb(6, 3)),
    ("tickets of two kinds", [], [[("count", 0, 0), ("count", 1, 0)], [("count", 1, 0), ("count", 0, 0)]], 3),
], ids=lambda value: value.replace(" ", "_") if isinstance(value, str) else "")
def test_count(name, barriers, plans, count):
    assert compare(launch(barriers, plans), most=6000) == count


def test_count_of_three_partitions():
    """Too many schedules for brute force, and still a number that is known: orders of 2 + 2 + 2 tickets."""
    found, _ = enumerated(launch([], [repeat(2, ("count", 0, 0))] * 3))
    assert len(found) == math.factorial(6) // 2**3 and len({signature for signature, _ in found}) == len(found)


def random_case(seed):
    """A few barriers, and partitions that use them without sense."""
    generator = random.Random(seed)
    kinds = [generator.choice(["plain", "plain", "copy", "named"]) for _ in range(generator.randint(1, 3))]
    barriers = [{"plain": (generator.choice([1, 1, 2, 3]), None, generator.random() < 0.3),
                 "copy": (1, generator.choice([512, 1024]), generator.random() < 0.2),
                 "named": (generator.choice([128, 256, 256, 384]), None, False)}[kind] for kind in kinds]
    choices = {"plain": ["arrive", "wait"], "copy": ["copy", "copy", "wait"], "named": ["meet", "tell"]}
    partitions = generator.choice([2, 2, 3])
    plans = []
    for _ in range(partitions):
        plan = []
        for _ in range(generator.randint(1, 4 if partitions == 2 else 2)):
            index = generator.randrange(len(kinds))
            plan.append(("count", generator.randrange(2), 0) if generator.random() < 0.15 else
                        (generator.choice(choices[kinds[index]]), index, generator.randrange(3)))
        plans.append(plan)
    return barriers, plans


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_cases(first):
    """The interleavings that differ, and the rules that they break, are those that brute force finds."""
    counts = [compare(launch(*random_case(seed)), most=300) for seed in range(first, first + 10)]
    assert sum(count is not None for count in counts) >= 3


#-----------------------------------------------------------------------------------------------------------------------
# flagtree.check
#-----------------------------------------------------------------------------------------------------------------------


@triton.jit
def take(counter, done, TIMES: tl.constexpr, WANTED: tl.constexpr):
    """Arrives if it got just the tickets of the bits WANTED."""
    got = 0
    for _ in range(TIMES):
        got += 1 << tl.atomic_add(tle.gpu.local_ptr(counter, (0, )), 1)
    if got == WANTED:
        tle.gpu.barrier_arrive(done, phaseIdx=0)


@triton.jit
def tickets(TIMES: tl.constexpr, WANTED: tl.constexpr):
    """Wrong in one of all interleavings: one arrival of two is left."""
    counter = tle.gpu.alloc([1], tl.int32, init_value=tl.zeros([1], tl.int32))
    done = tle.gpu.alloc_barrier(arrive_count=2)
    tle.gpu.warp_specialize([(take, (counter, done, TIMES, WANTED)), (take, (counter, done, TIMES, 0))], [4], [168])


@pytest.mark.parametrize("times, wanted", [(3, 0b011001), (4, 0b01101001), (4, 0b10010110)])
def test_one_bad_interleaving(times, wanted):
    """It is found, where as many seeds and more do not show it, and its text replays it."""
    schedules = 2 * math.comb(2 * times, times)
    assert all(flagtree.check(tickets, 1, seed, progress=False)[(1, )](times, wanted).ok for seed in range(schedules))
    report = flagtree.check(tickets, schedules, progress=False)[(1, )](times, wanted)
    assert [finding.rule for finding in report.findings] == ["U4"] and not report.exhausted
    assert report.seed.startswith("order:0=") and report.findings[0].seed == report.seed
    replayed = flagtree.check(tickets, first_seed=report.seed, progress=False)[(1, )](times, wanted)
    assert (replayed.schedules, str(replayed.findings[0]), replayed.seed) == (1, str(report.findings[0]), report.seed)
    with pytest.raises(Exception, match=r"\[U4\] done\[0\] is left in the wrong phase"):
        flagtree.simulate(tickets, seed=report.seed)[(1, )](times, wanted)


def test_all_interleavings_of_tickets():
    report = flagtree.check(tickets, 1000, progress=False)[(1, )](3, 0)
    assert report.ok and report.exhausted and report.interleavings == 20 and 40 <= report.schedules <= 50
    assert report.coverage == "all 20 interleaving(s) that differ were run"
    assert '"interleavings": 20,\n  "exhausted": true' in report.to_json()


def test_large_cases_are_left_to_seeds():
    report = flagtree.check(tickets, 20, progress=False)[(1, )](6, 0)
    assert report.ok and not report.exhausted and (report.schedules, report.interleavings) == (20, 10)
    assert report.coverage == "10 interleaving(s) that differ were run, there may be more"


@triton.jit
def late_poll(bar, other):
    tle.gpu.barrier_wait(bar, phaseIdx=0)
    tle.gpu.barrier_arrive(other, phaseIdx=0)


@triton.jit
def arrive_often(bar, other, TIMES: tl.constexpr):
    for i in range(TIMES):
        tle.gpu.barrier_arrive(bar, phaseIdx=i)
    tle.gpu.barrier_wait(other, phaseIdx=0)


@triton.jit
def poll(TIMES: tl.constexpr):
    bar = tle.gpu.alloc_barrier()
    other = tle.gpu.alloc_barrier()
    tle.gpu.warp_specialize([(late_poll, (bar, other)), (arrive_often, (bar, other, TIMES))], [4], [168])


@pytest.mark.parametrize("times", [2, 4])
def test_deadlock_of_a_wait_that_comes_too_late(times):
    """An even number of phases is as none: the wait hangs if it comes after all of them. Both orders are run."""
    rules = {frozenset(found) for _, found in enumerated(lambda: poll[(1, )](times))[0]}
    deadlocks = [any(rule.startswith("D") for rule in found) for found in rules]
    assert any(deadlocks) and not all(deadlocks)


@triton.jit
def pair_of_tickets(WANTED: tl.constexpr):
    """Program 1 of the grid can go wrong."""
    counter = tle.gpu.alloc([1], tl.int32, init_value=tl.zeros([1], tl.int32))
    done = tle.gpu.alloc_barrier(arrive_count=2)
    tle.gpu.warp_specialize([(take, (counter, done, 3, WANTED if tl.program_id(0) == 1 else 0)), (take, (counter, done, 3, 0))], [4], [168])


def test_programs_of_a_grid():
    """Each run takes a branch of every program."""
    report = flagtree.check(pair_of_tickets, 1000, progress=False)[(3, )](0)
    assert report.exhausted and report.interleavings == 3 * 20 and 40 <= report.schedules <= 50
    report = flagtree.check(pair_of_tickets, 1000, progress=False)[(3, )](0b011001)
    assert [(finding.rule, finding.grid) for finding in report.findings] == [("U4", (1, 0, 0))]
    assert "/1=" in report.seed
    replayed = flagtree.check(pair_of_tickets, first_seed=report.seed, progress=False)[(3, )](0b011001)
    assert [str(finding) for finding in replayed.findings] == [str(finding) for finding in report.findings]


def test_a_program_that_goes_another_way_each_time():
    """A run that cannot be repeated is no proof."""
    lengths = iter(range(1, 100))
    report = flagtree.check(lambda: tickets[(1, )](next(lengths) % 3 + 1, 0), 12, progress=False)
    assert report.ok and not report.exhausted


def test_text_of_an_order():
    orders = {0: {3: 1, 7: 2}, 2: {5: 1}}
    assert order_text(orders) == "order:0=3.1,7.2/2=5.1" and read_order(order_text(orders)) == orders
    assert order_text({4: {}}) == "order:" and read_order("order:") == {}
    for text in ("", "7", "order:0", "order:0=1", "order:0=1.2,", "orders:0=1.2"):
        with pytest.raises(ValueError, match="is no schedule"):
            read_order(text)
