"""Imports the corpus packages on a machine with no GPU and finds their kernels.

The packages look at the device when they are imported (name, capability, shared memory). They are shown the facts of one
H200; nothing is ever launched.
"""
from __future__ import annotations

import importlib
import os
import pkgutil
import re
import types
from collections.abc import Iterator

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import JITFunction

# Import names by distribution, and where each keeps kernels for NVIDIA (flag-gems also carries other vendors' copies).
PACKAGES = {
    "conch-triton-kernels": ("conch.kernels",),
    "fla-core": ("fla.modules", "fla.ops"),
    "flag-gems": ("flag_gems.ops", "flag_gems.fused", "flag_gems.runtime.backend._nvidia"),
    "liger-kernel": ("liger_kernel.ops",),
}

_OTHER_VENDORS = re.compile(r"ascend|npu|gluon|amd|\brocm")

_H200 = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=141 << 30,
                              shared_memory_per_block_optin=232448, L2_cache_size=50 << 20)


class _DescribedDevice:
    """Triton driver that only answers questions."""

    class utils:
        @staticmethod
        def get_device_properties(device: int) -> dict[str, int]:
            return {"max_shared_mem": _H200.shared_memory_per_block_optin, "multiprocessor_count": _H200.multi_processor_count}

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> types.ModuleType:
        return torch.cuda

    def get_benchmarker(self) -> None:
        raise RuntimeError("there is no device to measure on")


def describe_device() -> None:
    """Makes torch and Triton answer as on an H200; call before the first import of a package."""
    os.environ["GEMS_VENDOR"] = "nvidia"
    triton.runtime.driver.set_active(_DescribedDevice())
    torch.cuda.get_device_properties = lambda device=None: _H200
    torch.cuda.get_device_name = lambda device=None: _H200.name
    torch.cuda.get_device_capability = lambda device=None: (_H200.major, _H200.minor)
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1


def unwrap(value: object) -> JITFunction | None:
    """The kernel under autotuners, heuristics and library entries, or None."""
    while not isinstance(value, JITFunction):
        inner = vars(value).get("fn") if hasattr(value, "__dict__") else None
        if inner is None or isinstance(value, (type, types.ModuleType, types.FunctionType)):
            return None
        value = inner
    return value


def find_kernel(module: str, name: str) -> JITFunction:
    """The kernel `name` of the module; raises LookupError when it is not there any more."""
    kernel = unwrap(getattr(importlib.import_module(module), name, None))
    if kernel is None:
        raise LookupError(f"{module}.{name} is not a kernel")
    return kernel


def all_kernels(distribution: str) -> Iterator[tuple[str, str, object]]:
    """(module, name, wrapped kernel) of every jitted function the distribution defines, in a stable order."""
    for root in PACKAGES[distribution]:
        package = importlib.import_module(root)
        names = [root] + sorted(info.name for info in pkgutil.walk_packages(package.__path__, root + ".", onerror=lambda name: None))
        for name in names:
            if _OTHER_VENDORS.search(name):
                continue
            try:
                module = importlib.import_module(name)
            except Exception:  # parts for other vendors or for packages that are not there
                continue
            for attribute, value in sorted(vars(module).items()):
                kernel = unwrap(value)
                if kernel is not None and kernel.__module__ == name:
                    yield name, attribute, value
