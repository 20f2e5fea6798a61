"""Stock Triton's conversion to TTGIR of a module that holds partitions of warp_specialize alone."""
from __future__ import annotations

from typing import Any

from triton._C.libtriton import ir, passes


def convert(workers: Any, num_ctas: int, capability: int) -> None:
    """Run stock Triton's conversion on a module that says how many warps it is for."""
    conversion = ir.pass_manager(workers.context)
    passes.ttir.add_convert_to_ttgpuir(conversion, f"cuda:{capability}", workers.get_int_attr("ttg.num-warps"), 32, num_ctas)
    conversion.run(workers, "workers")
