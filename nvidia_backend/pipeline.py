"""The stage: where the compiler core joins stock Triton's pipeline.

`install` hooks into the loaded Triton, in memory only: the inspection hook of the stages is followed by ours whatever a
user sets, and the cache key of every kernel is salted with what decides our part of the result.
"""
from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from triton import knobs
from triton.backends.compiler import Language
from triton.compiler import ASTSource

import flagtree
from flagtree import __version__, _core, common_ir_enabled

from .errors import LoweringError, StageMissingError, WaitTimeoutError
from .failures import explained
from .module_text import generic_text, parse
from .ptxas import assemble
from .sanitizer import is_sanitized
from .workers import convert_workers

USED_ATTRIBUTE = "tle.used"
LATE_ATTRIBUTE = "tle.late"
DUMP_SWITCH = "TLE_DUMP_IR"
TIMEOUT_SWITCH = "TLE_WAIT_TIMEOUT_MS"
_LONGEST_TIMEOUT = 24 * 60 * 60 * 1000
_WARP_ARRIVALS = 8  # two partitions of four warps; more cost more than their warps' waiting for each other
_HOOK = "add_stages_inspection_hook"


def install() -> None:
    """Put the stage into stock Triton; doing it again changes nothing."""
    runtime = type(knobs.runtime)
    if not isinstance(vars(runtime).get(_HOOK), _HookKnob):
        setattr(runtime, _HOOK, _HookKnob())
        ASTSource.hash = _salted(ASTSource.hash)


class _HookKnob:
    """Stands for the knob `knobs.runtime.add_stages_inspection_hook`: reads as the user's hook followed by ours.

    The user's hook stays where stock Triton keeps it, in the knobs object, so `knobs.runtime.scope()` saves and restores it.
    """

    def __get__(self, obj: Any, owner: type | None = None) -> Callable[..., None]:
        user = None if obj is None else vars(obj).get(_HOOK)
        return functools.partial(_run_hooks, user)

    def __set__(self, obj: Any, value: Any) -> None:
        ours = isinstance(value, functools.partial) and value.func is _run_hooks
        vars(obj)[_HOOK] = value.args[0] if ours else value

    def __delete__(self, obj: Any) -> None:
        vars(obj).pop(_HOOK, None)


def _run_hooks(user: Callable[..., None] | None, backend: Any, stages: dict[str, Any], options: Any, language: Any,
               capability: int | None) -> None:
    if user is not None:
        user(backend, stages, options, language, capability)
    if language == Language.TRITON and capability is not None:
        kernel = _Kernel(dict(stages), options, capability, backend.target.arch)
        stages.update({name: getattr(kernel, name) for name in ("ttir", "ttgir", "llir", "cubin")})


class _Kernel:
    """The stages of one kernel around the stock ones. A module without tle operations passes through untouched."""

    def __init__(self, stock: dict[str, Any], options: Any, capability: int, machine: int) -> None:
        """`capability` is what the passes compile for, `machine` what ptxas does: they differ under TRITON_OVERRIDE_ARCH."""
        self._stock, self._options, self._capability, self._machine = stock, options, capability, machine
        self._ours = False

    def ttir(self, module: Any, metadata: dict[str, Any]) -> Any:
        if module.get_int_attr(USED_ATTRIBUTE) is None:
            module = self._stock["ttir"](module, metadata)
        else:
            with explained("ttir", str(module), self._options, self._capability):
                module = self._stock["ttir"](module, metadata)
        self._ours = module.get_int_attr(USED_ATTRIBUTE) is not None
        if not self._ours:
            return module
        module = _run_core(module, _early(self._options, self._capability))
        if convert_workers(module, self._options, self._capability):
            module = _run_core(module, "builtin.module(tle-merge-workers)")
        return module

    def ttgir(self, module: Any, metadata: dict[str, Any]) -> Any:
        if module.get_int_attr(USED_ATTRIBUTE) is not None:
            raise StageMissingError(kernel=module.get_entry_func_name())
        late = module.get_int_attr(LATE_ATTRIBUTE) is not None
        self._ours |= late  # TTIR that was lowered before and came from a file
        if not self._ours:
            return self._stock["ttgir"](module, metadata)
        with explained("ttgir", str(module), self._options, self._capability):
            module = self._stock["ttgir"](module, metadata)
        return _run_core(module, _late(self._options, self._capability)) if late else module

    def llir(self, module: Any, metadata: dict[str, Any]) -> Any:
        if not self._ours:
            return self._stock["llir"](module, metadata)
        before = generic_text(module)  # lowering changes the module in place
        with explained("llir", before, self._options, self._capability):
            llir = self._stock["llir"](module, metadata)
        from flagtree.language.alloc import shared_bytes  # the language imports this package
        limit = shared_bytes(self._capability)
        if metadata["shared"] > limit:
            _run(before, f"builtin.module(tle-check-shared-memory{{{_launch(self._options, self._capability)} "
                 f"total={metadata['shared']} limit={limit}}})")
        return llir

    def cubin(self, ptx: str, metadata: dict[str, Any]) -> bytes:
        if not self._ours:
            return self._stock["cubin"](ptx, metadata)
        cubin = assemble(ptx, self._options, self._machine)
        return self._stock["cubin"](ptx, metadata) if cubin is None else cubin


def _early(options: Any, capability: int) -> str:
    """Pass pipeline from intrinsics to operations that stock Triton knows."""
    launch = _launch(options, capability)
    passes = ["raise-intrinsics"]
    if common_ir_enabled():
        # tle-promote-pipelined-buffers decides about loops, for buffers of either way.
        passes.append(f"convert-common-ir-to-ttgir{{enable-async-copy={str(capability >= 80).lower()} keep-loops=false {launch}}}")
    passes += [f"tle-lower-local-ptr{{{launch}}}",
               f"tle-promote-pipelined-buffers{{{launch} num-stages={options.num_stages}}}"]
    copies = f"{launch} arrival-per-copy=true" if is_sanitized(options) else launch
    arrivals = copies if is_sanitized(options) else f"{launch} warp-arrivals={_WARP_ARRIVALS}"  # the sanitizer knows Triton's arrivals alone
    passes += [f"tle-lower-dot-operands{{{launch}}}", f"tle-lower-copy{{{copies}}}", f"tle-lower-async-load{{{launch}}}",
               f"tle-lower-barriers{{{arrivals}}}", "tle-fence-writes"]
    passes += [f"{name}{{{launch}}}" for name in ("tle-lower-wgmma", "tle-lower-memory", "tle-defer-store-waits", "tle-order-shared-accesses")]
    if timeout := _wait_timeout():
        passes.append(f"tle-bound-waits{{{launch} milliseconds={timeout}}}")
    passes += ["tle-encode-descriptors", f"tle-outline-workers{{{launch}}}"]
    return f"builtin.module({','.join(passes)})"


def _wait_timeout() -> int | None:
    """Milliseconds after which a wait at an mbarrier ends the kernel; None for never. Rule I17."""
    given = os.environ.get(TIMEOUT_SWITCH)
    if not given:
        return None
    if not given.isdecimal() or not 0 < int(given) <= _LONGEST_TIMEOUT:
        raise WaitTimeoutError(switch=TIMEOUT_SWITCH, longest=_LONGEST_TIMEOUT, got=repr(given))
    return int(given)


def _late(options: Any, capability: int) -> str:
    """Pass pipeline for what Triton's own passes must have left behind: atomics need final layouts, waits no further look."""
    passes = ["tle-lower-shared-atomics"] if is_sanitized(options) else ["tle-order-waits", "tle-lower-shared-atomics"]
    return f"builtin.module({','.join(f'{name}{{{_launch(options, capability)}}}' for name in passes)})"


def _launch(options: Any, capability: int) -> str:
    return f"num-warps={options.num_warps} num-ctas={options.num_ctas} capability={capability}"


def _run_core(module: Any, pipeline: str) -> Any:
    """The module after `pipeline` of the compiler core, in the same context."""
    return parse(_run(generic_text(module), pipeline), module.context)


def _run(text: str, pipeline: str) -> str:
    try:
        return _core.run(text, pipeline, os.environ.get(DUMP_SWITCH) or None)
    except _core.CoreError as error:
        raise LoweringError(error) from None


@functools.cache
def _package_hash() -> str:
    """Content of the installed package, compiled core included: a rebuilt package of the same version is another compiler."""
    digest = hashlib.sha256()
    package = Path(flagtree.__file__).parent
    for file in sorted(package.rglob("*")):
        if file.suffix in (".py", ".so"):
            digest.update(f"{file.relative_to(package)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _salted(stock_hash: Callable[[ASTSource], str]) -> Callable[[ASTSource], str]:
    """Add our version, the common_ir flag (both in __version__), our code and the debug switches to the cache key: in
    stock Triton the hook is not part of it."""

    @functools.wraps(stock_hash)
    def hash(self: ASTSource) -> str:
        switches = "-".join(f"{name}={os.environ.get(name, '')}" for name in (DUMP_SWITCH, TIMEOUT_SWITCH))
        salt = f"flagtree-{__version__}-{_package_hash()}-{switches}"
        return hashlib.sha256(f"{stock_hash(self)}-{salt}".encode()).hexdigest()

    return hash
