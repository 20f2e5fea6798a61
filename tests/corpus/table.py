"""The corpus: which public kernels are compiled, and for which argument types (kernels.json)."""
from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import torch
import triton.language as tl

TABLE = Path(__file__).with_name("kernels.json")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One row.

    `signature` gives every run-time argument's type in Triton's notation; a trailing ":16" says divisible by 16.
    `constexprs` gives the others; a string "tl.float16" or "torch.float16" stands for that type.
    `features` are those of features.py that its TTIR shows.
    """

    package: str
    module: str
    kernel: str
    signature: dict[str, str]
    constexprs: dict[str, object]
    num_warps: int
    num_stages: int
    features: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.module}.{self.kernel}"

    def types(self) -> dict[str, str]:
        """Argument name to type, without divisibility."""
        return {name: kind.removesuffix(":16") for name, kind in self.signature.items()}

    def divisible(self) -> list[str]:
        return [name for name, kind in self.signature.items() if kind.endswith(":16")]

    def constants(self) -> dict[str, object]:
        """Constexpr name to value."""
        return {name: _decode(value) for name, value in self.constexprs.items()}


def _decode(value: object) -> object:
    if isinstance(value, str):
        library, _, name = value.partition(".")
        if library in ("tl", "torch"):
            return getattr({"tl": tl, "torch": torch}[library], name)
    return value


def load_all() -> list[Kernel]:
    """Every row."""
    return [Kernel(**row | {"features": tuple(row["features"])}) for row in json.loads(TABLE.read_text())]


def load(package: str) -> list[Kernel]:
    """Rows of one distribution."""
    return [row for row in load_all() if row.package == package]


def save(rows: list[Kernel]) -> None:
    """Writes the table, one row a line."""
    rows = sorted(rows, key=lambda row: (row.package, row.id))
    TABLE.write_text("[\n" + ",\n".join(json.dumps(dataclasses.asdict(row)) for row in rows) + "\n]\n")
