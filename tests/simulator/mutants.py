"""Breaks the synchronisation of the samples in every single place and way, and says of each mutant whether it is wrong.

    python mutants.py [TEXT]        runs all mutants (those whose description has TEXT) and says what was found
    python mutants.py --write       runs all and writes the table of docs/simulator.md
"""
from __future__ import annotations

import ast
import functools
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import flagtree

SOURCE = Path(__file__).with_name("samples.py")

SAMPLES = {
    "run_ring_copy": ("ring_fill", "ring_drain", "ring_copy"),
    "run_produce_consume": ("produce", "consume", "produce_consume"),
    "run_gemm": ("gemm_load", "gemm_multiply", "gemm"),
    "run_late_gemm": ("late_multiply", "late_gemm"),
    "run_split_k": ("split_load", "split_multiply", "split_k"),
    "run_persistent": ("persistent_load", "persistent_multiply", "persistent"),
    "run_attention": ("attend_load", "attend", "attention"),
    "run_attention_3": ("attend_load", "attend", "attention"),
}
"""Sample -> the functions that are broken."""


@dataclass(frozen=True)
class Mutant:
    """One broken sample. `line`: the statement that was changed; `index` counts the sites of the function."""

    sample: str
    function: str
    operator: str
    line: str
    index: int

    @property
    def equivalent(self) -> str | None:
        """Why the mutant is as correct as the sample; None for a wrong one."""
        return next((reason for rule, reason in EQUIVALENT if rule(self)), None)

    def __str__(self) -> str:
        return f"{self.sample.removeprefix('run_')}.{self.function}: {self.operator}: {self.line}"


def calls(node: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Calls of tle.gpu.<name> in a node."""
    for item in ast.walk(node):
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and item.func.attr in names:
            if ast.unparse(item.func).startswith("tle.gpu.") or item.func.attr in ("load", "store") and not ast.unparse(item.func).startswith("tl."):
                yield item


def bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements in a function."""
    for item in ast.walk(node):
        for name in ("body", "orelse"):
            if isinstance(getattr(item, name, None), list):
                yield getattr(item, name)


SYNC = ("barrier_wait", "barrier_arrive", "copy", "wgmma", "wgmma_wait", "load", "store", "local_ptr")

Site = tuple[str, str, Callable[[], None]]
"""Operator, the statement before the change, and what changes it in place."""


def sites(function: ast.FunctionDef) -> Iterator[Site]:
    """Every place to break in a function, in a fixed order."""
    for body in bodies(function):
        for index, statement in enumerate(body):
            if isinstance(statement, (ast.For, ast.If)):
                if isinstance(statement, ast.For) and any(calls(statement, *SYNC)):
                    yield from _loop(statement)
                continue
            yield from _statement(body, index, statement)


def _loop(loop: ast.For) -> Iterator[Site]:
    text = f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"
    arguments = loop.iter.args
    if len(arguments) == 2:
        yield "one iteration less", text, functools.partial(_set, arguments, 1, f"{ast.unparse(arguments[1])} - 1")
        yield "one iteration more", text, functools.partial(_set, arguments, 1, f"{ast.unparse(arguments[1])} + 1")
        yield "first iteration left out", text, functools.partial(_set, arguments, 0, "1")


def _set(items: list[ast.expr], index: int, text: str) -> None:
    items[index] = ast.parse(text, mode="eval").body


def _statement(body: list[ast.stmt], index: int, statement: ast.stmt) -> Iterator[Site]:
    text = ast.unparse(statement)
    if isinstance(statement, ast.Expr) and (name := _dropped(statement)):
        yield f"drop {name}", text, lambda: body.__setitem__(index, ast.Pass())
        yield f"repeat {name}", text, lambda: body.insert(index, statement)
    following = body[index + 1] if index + 1 < len(body) else None
    simple = following is not None and not isinstance(following, (ast.For, ast.If))
    if simple and any(calls(statement, *SYNC)) and any(calls(following, *SYNC)) and _independent(statement, following):
        yield "swap with the next", f"{text}; {ast.unparse(following)}", lambda: body.__setitem__(slice(index, index + 2), [following, statement])
    for call in calls(statement, "wgmma_wait"):
        yield "drop wgmma_wait", text, functools.partial(setattr, statement, "value", call.args[1])
        pendings = int(ast.unparse(call.args[0]))
        yield f"wait({pendings + 1}) for wait({pendings})", text, functools.partial(_set, call.args, 0, str(pendings + 1))
    for call in calls(statement, "barrier_wait", "barrier_arrive"):
        for keyword in call.keywords:
            phase = ast.unparse(keyword.value)
            yield f"phase + 1 in {call.func.attr}", text, lambda keyword=keyword, phase=phase: _value(keyword, f"({phase}) + 1")
            if phase != "0":
                yield f"phase 0 in {call.func.attr}", text, lambda keyword=keyword: _value(keyword, "0")
        if not call.keywords:
            yield f"named as mbarrier in {call.func.attr}", text, lambda call=call: call.keywords.append(ast.keyword("phaseIdx", ast.Constant(0)))
        else:
            yield f"mbarrier as named in {call.func.attr}", text, lambda call=call: call.keywords.clear()
    yield from _slots(statement, text)
    for call in calls(statement, "alloc_barriers"):
        yield from _allocation(call, text)
    for call in calls(statement, "alloc"):
        shape = call.args[0].elts
        if ast.unparse(shape[0]) in ("SLOTS", "2"):
            yield "one buffer less", text, functools.partial(_set, shape, 0, f"{ast.unparse(shape[0])} - 1")
    for call in calls(statement, "warp_specialize"):
        workers = call.args[1].elts
        for position in range(len(workers)):
            yield f"worker {position} with 8 warps", "[4, ...]", functools.partial(_set, workers, position, "8")


def _dropped(statement: ast.stmt) -> str | None:
    """The synchronisation a statement is: a wait, an arrive or a copy that completes on a barrier."""
    for call in calls(statement, "barrier_wait", "barrier_arrive", "copy"):
        if call.func.attr != "copy" or any(keyword.arg == "barrier" for keyword in call.keywords):
            return call.func.attr
    return None


def _value(keyword: ast.keyword, text: str) -> None:
    keyword.value = ast.parse(text, mode="eval").body


def _slots(statement: ast.stmt, text: str) -> Iterator[Site]:
    """Another slot of a ring or of barriers."""
    if not any(calls(statement, *SYNC)):
        return
    for item in ast.walk(statement):
        if isinstance(item, ast.Subscript) and isinstance(item.value, ast.Name) and not isinstance(item.slice, (ast.Tuple, ast.Slice)):
            slot, name = ast.unparse(item.slice), item.value.id
            count = "2" if name in ("turns", "q_full", "q_smem") or "% 2" in slot else "SLOTS"
            yield f"next slot of {name}", text, lambda item=item, slot=slot, count=count: setattr(item, "slice", _parse(f"(({slot}) + 1) % {count}"))
            if slot not in ("0", "CID", "half", "1 - CID"):
                yield f"always slot 0 of {name}", text, lambda item=item: setattr(item, "slice", _parse("0"))


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _allocation(call: ast.Call, text: str) -> Iterator[Site]:
    """Wrong counts, bytes and initial states."""
    given = {keyword.arg: keyword for keyword in call.keywords}
    if "expect_bytes" in given:
        expected = ast.unparse(given["expect_bytes"].value)
        yield "half the bytes", text, lambda: _value(given["expect_bytes"], f"({expected}) // 2")
        yield "twice the bytes", text, lambda: _value(given["expect_bytes"], f"({expected}) * 2")
        yield "drop expect_bytes", text, lambda: call.keywords.remove(given["expect_bytes"])
    count = ast.unparse(given["arrive_count"].value) if "arrive_count" in given else "1"
    step = "128" if int(count) > 64 else "1"
    for word, sign in (("more", "+"), ("less", "-")):
        if sign == "+" or int(count) > 1:
            yield f"arrive_count {step} {word}", text, lambda sign=sign: _keyword(call, "arrive_count", f"{count} {sign} {step}")
    if "init" in given:
        yield "PENDING for READY", text, lambda: call.keywords.remove(given["init"])
    else:
        yield "READY for PENDING", text, lambda: _keyword(call, "init", "tle.gpu.READY")


def _keyword(call: ast.Call, name: str, text: str) -> None:
    call.keywords = [keyword for keyword in call.keywords if keyword.arg != name] + [ast.keyword(name, _parse(text))]


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the second statement uses no name that the first one assigns."""
    assigned = {item.id for item in ast.walk(first) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    return not any(isinstance(item, ast.Name) and item.id in assigned for item in ast.walk(second))


def all_mutants() -> list[Mutant]:
    """Every mutant of every sample."""
    tree = ast.parse(SOURCE.read_text())
    functions = {item.name: item for item in tree.body if isinstance(item, ast.FunctionDef)}
    return [Mutant(sample, function, operator, line, index) for sample, names in SAMPLES.items() for function in names
            for index, (operator, line, _) in enumerate(sites(functions[function]))]


def run(mutant: Mutant, folder: str, schedules: int = 8) -> flagtree.simulator.report.Report:
    """Check the broken sample."""
    tree = ast.parse(SOURCE.read_text())
    function = next(item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == mutant.function)
    list(sites(function))[mutant.index][2]()
    name = f"{mutant.sample}_{mutant.function}_{mutant.index}"
    path = Path(folder) / f"{name}.py"
    path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return flagtree.check(getattr(module, mutant.sample), schedules=schedules, progress=False)


def _swapped(first: str, second: str) -> Callable[[Mutant], bool]:
    """Whether a mutant swaps a statement with `first` in it and one with `second`."""
    return lambda mutant: (mutant.operator == "swap with the next" and first in mutant.line.split("; ")[0]
                           and second in mutant.line.split("; ")[1])


NAMED = ("run_attention", "run_attention_3")
"""Samples with named barriers."""

PACE = "turns pace the consumers only: each has its own accumulators, and what it reads is guarded by other barriers"

EQUIVALENT: list[tuple[Callable[[Mutant], bool], str]] = [
    # E.g. full[slot] completes again after the next copy to the slot, which waits for empty[slot], which this partition has not yet arrived at.
    (lambda mutant: mutant.operator == "repeat barrier_wait" and "phaseIdx" in mutant.line,
     "a wait passes again at once: the next phase of its barrier cannot complete before the partition that waits has gone on and arrived elsewhere"),
    # steps = 5, SLOTS = 2.
    (lambda mutant: mutant.operator == "phase 0 in barrier_arrive" and "(steps - 1) // SLOTS" in mutant.line,
     "the use of the last arrival is (5 - 1) // 2 = 2 here, of which 0 has the last bit"),
    # arrive_count of an mbarrier counts calls of barrier_arrive, that of a named barrier counts threads.
    (lambda mutant: mutant.operator.startswith("worker") and mutant.sample not in NAMED,
     "no barrier of the sample counts threads: a partition arrives once, however many warps it has"),
    # The first of the two arrives and says how many bytes to expect, whichever it is; the phase completes with the bytes of both.
    (_swapped("barrier=full", "barrier=full"), "both copies belong to the same use of the same barrier, and write different buffers"),
    # v_empty[slot] for use u is arrived at in step i - SLOTS, which needs keys and values of earlier steps only: waiting for it before the
    # keys of step i are copied makes no circle, and the copy of the keys has its own wait, for k_empty, still before it.
    (_swapped("barrier=k_full", "barrier_wait(v_empty"),
     "the copy and the wait are about different rings, and what is waited for comes of an earlier step than the copy's"),
    # The producer's last wait for `empty` is for use steps - SLOTS of a slot; the arrive after step steps - 1 would be for a later one. Where
    # it stands (swapped with the wait for the product) or whether it is there changes nothing that anybody waits for.
    (lambda mutant: mutant.function == "late_multiply" and "empty[(steps - 1)" in mutant.line
     and mutant.operator in ("drop barrier_arrive", "swap with the next"), "nobody waits for the release of the last slot, and nothing is copied to it again"),
    # steps = 5, SLOTS = 2.
    (lambda mutant: mutant.operator == "always slot 0 of empty" and "empty[(steps - 1)" in mutant.line, "the last slot is (5 - 1) % 2 = 0 here"),
    # The turn comes from the other consumer, which waits for its own turn and the same keys; the keys come from the producer, which waits for
    # both consumers' step i - SLOTS. Neither comes later because of what this consumer does between the two waits, which is nothing.
    (_swapped("barrier_wait(k_full", "barrier_wait(turns"), "both must be over before the product, and neither depends on what is done between them"),
    # Each turn is still taken and given once in a step, in the same order at both consumers, so that no round of a named barrier changes its
    # participants; the product reads keys that were waited for before, and a slot that is released after its own wgmma_wait.
    (_swapped("barrier_wait(turns[CID])", "wgmma("), PACE),
    (_swapped("wgmma(", "barrier_arrive(turns"), PACE),
    (_swapped("barrier_arrive(turns", "wgmma_wait("), PACE),
    # Consumer 0's last wait, behind the loop, takes the turn that consumer 1 gave in its last step. Nobody uses turns[0] after it; PTX asks
    # nothing of a named barrier at the end of a block, and a new block begins with barriers of its own.
    (lambda mutant: mutant.operator == "drop barrier_wait" and mutant.line.endswith("barrier_wait(turns[0])"),
     "an arrival may be left at a named barrier when the block ends"),
]
"""The rules for mutants that are as correct as their sample, and why; beside each, how to check it by hand. All others are wrong."""


def verdict(mutant: Mutant, folder: str) -> tuple[str, str]:
    """("found", rules), ("result", error) for one that only its result betrays, ("nothing", "") or, if no other interleaving differs from
    those run, ("nothing", "exhausted")."""
    report = run(mutant, folder)
    if report.findings:
        return "found", ",".join(dict.fromkeys(finding.rule for finding in report.findings)) + f"@{report.seed}"
    if report.error is not None:
        return "result", f"{type(report.error).__name__}: {str(report.error)[:80]!r}"
    return "nothing", "exhausted" if report.exhausted else ""


def kind(operator: str) -> str:
    """The operator without what it was applied to: a row of the table."""
    operator = operator.split(" of ")[0] if " slot" in operator else operator
    return operator.split(" in ")[0] if operator.startswith("phase") else operator


def table(mutants: list[Mutant], verdicts: dict[Mutant, str]) -> str:
    """The table of docs/simulator.md. `verdicts`: of the wrong mutants, the rules that found them, or ""."""
    lines = ["| changed | mutants | equivalent | wrong | found | rules |", "|---|---|---|---|---|---|"]
    for name in sorted({kind(mutant.operator) for mutant in mutants}):
        lines.append(_row(name, [mutant for mutant in mutants if kind(mutant.operator) == name], verdicts))
    lines.append(_row("all", mutants, verdicts))
    lines += ["", "| sample | mutants | equivalent | wrong | found | rules |", "|---|---|---|---|---|---|"]
    for sample in SAMPLES:
        lines.append(_row(sample.removeprefix("run_"), [mutant for mutant in mutants if mutant.sample == sample], verdicts))
    return "\n".join(lines)


def _row(name: str, mutants: list[Mutant], verdicts: dict[Mutant, str]) -> str:
    wrong = [mutant for mutant in mutants if not mutant.equivalent]
    rules = {rule for mutant in wrong for rule in verdicts.get(mutant, "").split("@")[0].split(",") if rule}
    found = sum(bool(verdicts.get(mutant)) for mutant in wrong)
    return f"| {name} | {len(mutants)} | {len(mutants) - len(wrong)} | {len(wrong)} | {found} | {' '.join(sorted(rules))} |"


def reasons() -> str:
    """The list of docs/simulator.md: when a mutant is equivalent."""
    return "\n".join(f"* {reason}" for reason in dict.fromkeys(reason for _, reason in EQUIVALENT))


DOCUMENT = Path(__file__).absolute().parents[2] / "docs/simulator.md"
BEGIN, END = "<!-- mutants: generated by tests/simulator/mutants.py --write -->", "<!-- mutants: end -->"


def generated(text: str) -> str:
    """The generated part of the document."""
    return text.split(BEGIN)[1].split(END)[0].strip()


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    every, results = all_mutants(), {}
    with tempfile.TemporaryDirectory() as place:
        for one in every:
            if wanted in str(one) or wanted == "--write":
                what, by = verdict(one, place)
                print(what, by, "equivalent" if one.equivalent else "wrong", one, sep=" | ", flush=True)
                results[one] = by if what == "found" else ""
    if wanted == "--write":
        document = DOCUMENT.read_text()
        new = f"{BEGIN}\n{table(every, results)}\n\n{reasons()}\n{END}"
        DOCUMENT.write_text(document.split(BEGIN)[0] + new + document.split(END)[1])
