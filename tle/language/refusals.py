"""Buffers and barriers where stock Triton has use for other values only: it gets our rule there, instead of what it would say or do."""
from __future__ import annotations

import ast
import contextlib
import functools
import operator
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.compiler.errors import CompilationError
from triton.runtime.jit import JITFunction

from .barrier import barrier
from .builtin import describe
from .errors import CarriedTypeError, NoinlineError, ReturnedHandleError
from .handles import check_arguments, handle_type, handle_value, handles_in

_Uses = list[tuple[ast.expr, Callable[[Any], Any]]]

_PYTHON: MappingProxyType[str, Callable[[Any], _Uses]] = MappingProxyType({
    "If": lambda node: [(node.test, bool)],
    "IfExp": lambda node: [(node.test, bool)],
    "While": lambda node: [(node.test, bool)],
    "For": lambda node: [(item, operator.index) for item in _given(node.iter)] if isinstance(node.iter, ast.Call) else [(node.iter, iter)],
    "Assign": lambda node: [(node.value, iter)] if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) else [],
    "Call": lambda node: [(item.value, iter) for item in node.args if isinstance(item, ast.Starred)],
    "Subscript_Store": lambda node: [(node.value, lambda value: operator.setitem(value, None, None))],
})
"""For a kind of node the operands that stock Triton refuses in its own words, and what Python, under the interpreter, does with them."""


_MARK = "tle_refuses"
"""Attribute of a compiler that has this; that a method is wrapped says nothing, since others do that, too."""


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def install() -> None:
    """Put this into stock Triton's compiler of kernels, in memory; doing it again changes nothing."""
    if hasattr(CodeGenerator, _MARK):
        return
    setattr(CodeGenerator, _MARK, True)
    CodeGenerator.call_Function = _checked_call(CodeGenerator.call_Function)
    CodeGenerator._apply_binary_method = _checked_operator(CodeGenerator._apply_binary_method)
    CodeGenerator._verify_loop_carried_variable = _checked_carry(CodeGenerator._verify_loop_carried_variable)
    CodeGenerator.visit_Return = _checked_return(CodeGenerator.visit_Return)
    for kind, operands in _PYTHON.items():
        setattr(CodeGenerator, f"visit_{kind}", _explained(getattr(CodeGenerator, f"visit_{kind}"), operands))


def _checked_call(stock: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(stock)
    def call(self: CodeGenerator, node: Any, fn: Any, args: list[Any], kws: dict[str, Any]) -> Any:
        called = getattr(fn, "__func__", fn)  # of a method
        if tl.core.is_builtin(called) or isinstance(called, JITFunction):
            given = [*args, *kws.values()]
            check_arguments(called, given)
            if getattr(called, "noinline", False) and any(isinstance(value, barrier) for value in handles_in(given)):
                raise NoinlineError(function=called.__name__)
        return stock(self, node, fn, args, kws)

    return call


def _checked_operator(stock: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(stock)
    def apply(self: CodeGenerator, node: Any, method: str, left: Any, right: Any) -> Any:
        """Asks ours of the operands before a tensor, whose methods convert what they are given."""
        for operand, other in ((left, right), (right, left)):
            if isinstance(operand, handle_value) and isinstance(other, tl.tensor):
                getattr(operand, method)(other)
        return stock(self, node, method, left, right)

    return apply


def _checked_carry(stock: Callable[..., None]) -> Callable[..., None]:

    @functools.wraps(stock)
    def verify(self: CodeGenerator, name: str, after: Any, before: Any) -> None:
        """A49. Stock Triton compares the types of tensors alone."""
        if _handle_types(before) != _handle_types(after):
            given, got = describe(before), describe(after)
            raise CarriedTypeError(name=name, before=given, after=got if got != given else f"{got} of another layout")
        stock(self, name, after, before)

    return verify


def _handle_types(value: Any) -> list[handle_type]:
    return [handle.type for handle in handles_in([value])]


def _checked_return(stock: Callable[..., None]) -> Callable[..., None]:

    @functools.wraps(stock)
    def visit(self: CodeGenerator, node: ast.Return) -> None:
        """A50. Stock Triton lets a kernel return anything."""
        stock(self, node)
        for returned in handles_in([self.ret_type] if self.is_kernel else []):
            raise ReturnedHandleError(kernel=self.jit_fn.__name__, got=returned)

    return visit


def _explained(stock: Callable[..., Any], operands: Callable[[Any], _Uses]) -> Callable[..., Any]:
    """`stock`, a method that visits nodes of one kind. Where it has failed the operands are visited again, and used as Python would if they are ours."""

    @functools.wraps(stock)
    def visit(self: CodeGenerator, node: Any, *rest: Any) -> Any:
        try:
            return stock(self, node, *rest)
        except Exception as error:
            if not isinstance(error, CompilationError) or error.node is node:  # else of a node inside of this one
                for operand, use in operands(node):
                    value = None
                    with contextlib.suppress(CompilationError):
                        value = self.visit(operand)
                    self.cur_node = node
                    if isinstance(value, handle_value):
                        use(value)
            raise

    return visit
