"""Finds kernels for the corpus: guesses argument types and constants of every kernel of a package, keeps what compiles.

    python -m tests.corpus.propose flag-gems proposed/flag-gems.json

A guess comes from what the kernel's source does with an argument (pointers are what loads and stores reach), from names, annotations, defaults and
autotune configurations; a failed guess is varied a few times. Every kernel is tried in a process of its own: bad types can abort the wheel.
Candidates already in the output file are not tried again. A candidate has a row of kernels.json plus facts to choose by:
seconds to PTX and the operations in the kernel.
"""
from __future__ import annotations

import argparse
import ast
import dataclasses
import hashlib
import inspect
import json
import os
import random
import re
import select
import signal
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from triton.runtime import JITFunction
from triton.runtime.autotuner import Autotuner, Heuristics

from tests.corpus.packages import PACKAGES, all_kernels, describe_device, unwrap
from tests.corpus.stages import Compilation
from tests.corpus.table import Kernel

ATTEMPTS = 24
SECONDS_PER_KERNEL = 20

_MEMORY = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"}
# Names say what an argument is, where its use does not.
_FLOATS = re.compile(
    r"scale|eps|alpha|beta|^lr$|prob|cap$|decay|temperature|smoothing|momentum|^value|_value|slope|thresh|delta|gamma"
    r"|theta|^p$|^min|^max_?val|lambda|weight$|^inv_", re.I)
_INTEGER_POINTERS = re.compile(
    r"idx|ind(ex|ices)|_ids?(_|$)|lens|offset|offs|cu_|table|labels?|target|seqlen|slot|count|chunk|expert|block_map"
    r"|mapping|token_ids|inverse|perm|cumsum|start|end", re.I)
_BOOLS = re.compile(
    r"^(USE|IS|HAS|STORE|SAVE|DO|ENABLE|RETURN|APPLY|WITH|OUTPUT|TRANS|NEED|FUSE|INPUT|CAUSAL|REVERSE|HEAD_FIRST|EVEN"
    r"|MASK|KEEP|NORM|ALLOW|RECOMPUTE|ACCUM|RMS|LOAD|ADD|INTERLEAVED|CONJUGATE|SAFE|TWO_|DIVISIBLE|NOT_|ALIGNED|ROW_)"
    r"|CAUSAL$|VARLEN|EXIST|^is_|^has_|^use_|^need|_first$|affine|_contiguous$|_mask$", re.I)
_TILE_SIZES = (64, 32, 128, 16, 1024)
_ELEMENTS = ("bf16", "fp32", "fp16", "i32", "i64")


class _Pointers(ast.NodeVisitor):
    """Which parameters are pointers: those a memory access's address may start from."""

    def __init__(self, fn: JITFunction, depth: int) -> None:
        self.fn, self.depth = fn, depth
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn.fn)))
        self.node = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
        self.bases: dict[str, set[str]] = {name: {name} for name in fn.arg_names}
        self.found: set[str] = set()
        self.descriptors: dict[str, int] = {}  # parameter to rank
        self.numbers: set[str] = set()
        for _ in range(2):  # addresses may be carried around loops
            self.visit(self.node)

    def base(self, node: ast.AST | None) -> set[str]:
        match node:
            case ast.Name(id=name):
                return self.bases.get(name, set())
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self.base(left) | self.base(right)
            case ast.IfExp(body=body, orelse=other):
                return self.base(body) | self.base(other)
            case ast.Call(func=ast.Attribute(attr="where"), args=[_, left, right]):
                return self.base(left) | self.base(right)
            case ast.Call(func=ast.Attribute(attr="advance" | "cast" | "multiple_of" | "max_contiguous"), args=[first, *_]):
                return self.base(first)
            case ast.Call(func=ast.Attribute(value=value, attr="to")):
                return self.base(value)
        return set()

    def _note(self, address: ast.AST | None) -> None:
        self.found |= self.base(address)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, (ast.Mult, ast.FloorDiv, ast.Mod, ast.Div)):
            self.numbers |= {side.id for side in (node.left, node.right) if isinstance(side, ast.Name)}
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [side for side in (node.left, *node.comparators) if isinstance(side, ast.Name)]
        if not any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            self.numbers |= {side.id for side in sides}
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "element_ty" and isinstance(node.value, ast.Attribute) and node.value.attr in ("dtype", "type"):
            self._note(node.value.value)
        self.generic_visit(node)

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._assign(one, other)
        elif isinstance(target, ast.Name):
            self.bases[target.id] = self.bases.get(target.id, set()) | self.base(value)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.op, (ast.Add, ast.Sub)):
            self._assign(node.target, node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _MEMORY or name.startswith("atomic_"):
            keywords = {word.arg: word.value for word in node.keywords}
            first = node.args[0] if node.args else keywords.get("pointer") or keywords.get("base")
            if isinstance(first, ast.List) and isinstance(node.func.value, ast.Name) and node.func.value.id in self.fn.arg_names:
                self.descriptors[node.func.value.id] = len(first.elts)
            self._note(first)
        elif isinstance(node.func, ast.Name) and self.depth < 4:
            callee = unwrap(self.fn.__globals__.get(name))
            if callee is not None:
                inner = pointers(callee, self.depth + 1)
                for parameter, value in [*zip(callee.arg_names, node.args, strict=False), *((word.arg, word.value) for word in node.keywords)]:
                    if parameter in inner:
                        self._note(value)
        self.generic_visit(node)


def descriptors(fn: JITFunction) -> dict[str, int]:
    """Parameters that are tensor descriptors made on the host, with their rank."""
    return _Pointers(fn, 0).descriptors


def pointers(fn: JITFunction, depth: int = 0) -> set[str]:
    """Names of the parameters taken to be pointers."""
    seen = _Pointers(fn, depth)
    return {name for name in seen.found - seen.numbers if not re.search(r"stride|^BLOCK|^i_|size$", name)}


def _configurations(wrapped: object) -> tuple[list[dict], int, int, set[str]]:
    """Autotune configurations (constants), num_warps, num_stages, and names that heuristics set."""
    values: list[dict] = []
    warps, stages, heuristic = 4, 2, set()
    while not isinstance(wrapped, JITFunction):
        if isinstance(wrapped, Autotuner) or hasattr(wrapped, "configs"):
            configs = list(wrapped.configs)[:64]
            values = [config.kwargs for config in configs]
            if configs:
                warps, stages = configs[len(configs) // 2].num_warps, min(configs[len(configs) // 2].num_stages, 4)
        if isinstance(wrapped, Heuristics):
            heuristic |= set(wrapped.values)
        wrapped = wrapped.fn
    return values, warps, stages, heuristic


def _constant(name: str, attempt: int, random_: random.Random, dots: bool) -> object:
    lower = name.lower()
    if "dtype" in lower or lower.endswith("type"):
        return random_.choice(["tl.float32", "tl.float16", "tl.bfloat16"])
    if "precision" in lower:
        return random_.choice(["ieee", "tf32"])
    if re.search(r"activation|^act|mode|reduction|^op$|kind", lower):
        return random_.choice(["silu", "mean", "sum", "none", "gelu", "", 0, 1, 2])
    if _BOOLS.search(name):
        return (True, False)[attempt % 2] if attempt < 4 else random_.random() < 0.5
    if re.search(r"BLOCK|TILE|^B[A-Z]{1,2}$|^CHUNK|_BLOCK", name):
        if attempt < 2:
            return 64 if dots or "_" in name.replace("BLOCK_SIZE", "").replace("BLOCK", "").strip("_") else 1024
        return random_.choice(_TILE_SIZES[:4] if dots else _TILE_SIZES)
    if re.search(r"stages?$|warps$|unroll|split|group", lower):
        return random_.choice([1, 2, 4, 8])
    if re.search(r"eps", lower):
        return 1e-5
    if _FLOATS.search(name):
        return random_.choice([0.5, 1.0])
    if re.search(r"dim|^[DKVN]$|^D|head|size|hidden|_d$|cols|numel|^n_", lower) or name in ("K", "V", "D", "N"):
        return (64, 128)[attempt % 2] if attempt < 4 else random_.choice([64, 128, 16, 32, 1, 2])
    return random_.choice([4, 2, 1, 8, 16, 64, True, False] if attempt else [4])


def guesses(package: str, module: str, name: str, wrapped: object) -> Iterator[Kernel]:
    """Endless stream of rows to try for one kernel, the likeliest first."""
    fn = unwrap(wrapped)
    random_ = random.Random(f"{module}.{name}")
    configs, warps, stages, heuristic = _configurations(wrapped)
    found = pointers(fn)
    described = descriptors(fn)
    dots = "tl.dot" in inspect.getsource(fn.fn)
    for attempt in range(10**9):
        signature, constants = {}, {}
        element = _ELEMENTS[attempt // 2 % 2] if attempt < 8 else random_.choice(_ELEMENTS)
        config = configs[len(configs) // 2 if attempt < 2 else random_.randrange(len(configs))] if configs else {}
        if described and attempt % 2 == 0:
            config = {key: 64 if key.startswith("BLOCK") else value for key, value in config.items()}
        tiles = [value for key, value in config.items() if key.startswith("BLOCK")] or [64]
        for parameter in fn.params:
            key = parameter.name
            if key in described:
                rank = described[key]
                shape = [1] * (rank - 2) + [random_.choice(tiles) for _ in range(min(rank, 2))]  # leading dimensions are batches
                signature[key] = f"tensordesc<{element}{shape}>"
            elif parameter.is_constexpr or key in config or (key in heuristic and key not in found):
                if key in config:
                    value = config[key]
                elif parameter.has_default and attempt % 3 == 0 and parameter.default is not None:
                    value = parameter.default
                else:
                    value = _constant(key, attempt, random_, dots)
                value = getattr(value, "value", value)
                constants[key] = value if isinstance(value, (int, float, str, bool, type(None))) else str(value)
            elif key in found:
                if attempt > 10 and random_.random() < 0.08:
                    signature[key] = "*i1"
                elif _INTEGER_POINTERS.search(key) and (attempt < 12 or random_.random() < 0.7):
                    signature[key] = "*" + ("i32", "i64")[attempt % 2] + ":16"
                elif "mask" in key.lower() and attempt < 8:
                    signature[key] = "*i1:16"
                else:
                    signature[key] = f"*{element}:16"
            elif isinstance(parameter.default, float) or _FLOATS.search(key):
                signature[key] = "fp32"
            else:
                signature[key] = "i32"
        yield Kernel(package, module, name, signature, constants, warps, stages)


def _try(rows: Iterator[Kernel]) -> dict:
    """First row that compiles, with its facts; or the last error."""
    error = "no attempt"
    for attempt, row in zip(range(ATTEMPTS), rows, strict=False):
        try:
            start = time.perf_counter()
            compilation = Compilation(row)
            text = compilation.run("ttir").str_nodebug()
            if not re.search(r"tt\.(store|atomic_|descriptor_(store|reduce|scatter))", text):
                error = "stores nothing"
                continue
            ptx = compilation.run("ttgir", "llir", "ptx")
            seconds = time.perf_counter() - start
            names = Counter(re.findall(r"\b((?:tt|arith|math|scf|cf|ttg|ub)\.[a-z_]+)", text))
            return {"row": dataclasses.asdict(row), "seconds": round(seconds, 2), "ops": dict(names), "attempt": attempt,
                    "hash": hashlib.sha256(re.sub(r"@\w+", "@", text).encode()).hexdigest(), "ptx_bytes": len(ptx)}
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
    return {"error": error[-1500:]}


def _in_child(rows: Iterator[Kernel]) -> dict:
    """`_try` in a forked process with a time limit."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.dup2(2, 1)
        with os.fdopen(write, "w") as pipe:
            json.dump(_try(rows), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        ready, _, _ = select.select([pipe], [], [], SECONDS_PER_KERNEL)
        text = pipe.read() if ready else ""
    if not ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "time limit" if not ready else "aborted"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", choices=sorted(PACKAGES))
    parser.add_argument("output")
    parser.add_argument("--match", default="", help="regular expression on module.kernel")
    options = parser.parse_args()
    describe_device()
    output = Path(options.output)
    results = json.loads(output.read_text()) if output.exists() else []
    done, hashes = {result["id"] for result in results}, {result.get("hash") for result in results}
    kernels = {f"{module}.{name}": (module, name, wrapped) for module, name, wrapped in all_kernels(options.package)}
    # In an order that is the same every time but unrelated to the package's folders: a run that is cut short has seen something of everything.
    for key in sorted(kernels.keys() - done, key=lambda key: hashlib.sha256(key.encode()).digest()):
        if not re.search(options.match, key):
            continue
        try:
            result = {"id": key} | _in_child(guesses(options.package, *kernels[key]))
        except (OSError, SyntaxError, StopIteration, ValueError) as error:
            result = {"id": key, "error": str(error)}
        if "row" in result and result["hash"] in hashes:
            result = {"id": key, "error": "same module as another kernel"}
        hashes.add(result.get("hash"))
        results.append(result)
        reason = result.get("error", "").strip().splitlines()[-1:]
        print("ok  " if "row" in result else "fail", key, *reason, flush=True)
        output.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
