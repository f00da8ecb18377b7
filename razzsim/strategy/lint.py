"""What is wrong with a strategy as far as its text shows it, said with the line and in words of its author.

Refused: writing into what it is shown, keeping anything outside, randomness other than the dice, and names that
do not exist. The views are the engine's own records (that is why they cost nothing), and results must be a
function of (seed, deal).
"""

import ast
import builtins
import difflib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from razzsim.engine.state import ME_DTYPE, TABLE_DTYPE
from razzsim.strategy.declaration import StrategyError
from razzsim.strategy.definition import Strategy

_ALLOWED_MODULES = {"razzsim.strategy", "razzsim.strategy.features", "math", "numpy", "typing", "__future__"}
_RANDOM_MODULES = {"random", "secrets", "uuid"}
_UNCHECKED = {"flat", "ctypeslib", "ctypes", "lib", "memmap", "fromfile", "load", "data", "objmode"}
_OUTSIDE = {"__import__", "open", "eval", "exec", "compile", "input", "globals", "vars", "hash", "id"}
"""Built-in functions that reach what no seed decides."""
_SHAPES = {name: dtype[name].shape for dtype in (ME_DTYPE, TABLE_DTYPE) for name in dtype.names or ()}
_ARRAYS = {name for name, shape in _SHAPES.items() if shape}
_TABLES = {name for name, shape in _SHAPES.items() if len(shape) == 2}
_CHANGING_METHODS = {"fill", "sort", "put", "partition", "itemset", "resize"}
_FORMS = {"ravel", "reshape", "transpose", "view", "asarray", "ascontiguousarray", "atleast_1d", "squeeze"}
"""Methods and functions whose result is the same memory in another form."""
_PASS_ON = {"zip", "enumerate", "reversed"}
"""Built-in functions whose result hands out parts of their arguments."""


def refuse_forbidden(text: str) -> None:
    """Raise StrategyError, with the line, for a store into a view or outside, or for randomness but the dice."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise StrategyError(
            f"is not Python: {getattr(error, 'msg', error)}", getattr(error, "lineno", None) or 0
        ) from None
    harmless = {*dir(builtins), *(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))}
    harmless |= {name for node in tree.body for name in _names_of_features(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _refuse_stores(node, harmless)
        _refuse_randomness(node)
        _refuse_outside(node)


def _names_of_features(node: ast.stmt) -> set[str]:
    """The names under which a module imports features or functions of theirs."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("razzsim.strategy"):
        return {alias.asname or alias.name for alias in node.names}
    return set()


def refuse_unknown(text: str, strategy: Strategy, module: Mapping[str, Any]) -> None:
    """Raise StrategyError, with the line, for a signature, a field, a parameter or a name that does not exist."""
    code = strategy.decide.__code__
    found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == code.co_name]
    if not found:
        raise StrategyError("a strategy is a function written as def NAME(me, table, p):", code.co_firstlineno)
    function = found[-1]
    arguments = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if len(arguments) != 3 or function.args.vararg or function.args.kwonlyargs or function.args.kwarg:
        raise StrategyError(f"a strategy has three arguments: def {function.name}(me, table, p):", function.lineno)
    fields = dict(
        zip(arguments, (list(ME_DTYPE.names or ()), list(TABLE_DTYPE.names or ()), list(strategy.params)), strict=True)
    )
    fields |= {name: dir(value) for name, value in module.items() if isinstance(value, ModuleType)}
    local = {*arguments, *_bound_names(function)}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in fields:
            _refuse_missing(node.attr, fields[node.value.id], f"{node.value.id}.{node.attr}", node.lineno)
        if isinstance(node, ast.Name) and node.id not in local and not hasattr(builtins, node.id):
            _refuse_missing(node.id, module, node.id, node.lineno)
        if not strategy.wants_dice and isinstance(node, ast.Attribute) and node.attr in ("dice", "uniform"):
            raise StrategyError("looks at its dice, but declares deterministic", node.lineno)


def _refuse_missing(name: str, known: Iterable[str], shown: str, line: int) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, list(known), n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise StrategyError(f"there is no {shown}{hint}", line)


def _bound_names(function: ast.FunctionDef) -> set[str]:
    """Names that the function itself gives a value."""
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    inner = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    return stored | inner | {n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef)}


def _refuse_stores(function: ast.FunctionDef, harmless: set[str]) -> None:
    """Views are a function's arguments and every name that is bound to a part of one."""
    views = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    bindings = [pair for node in ast.walk(function) for pair in _bindings(node)]
    while more := {name for target, value in bindings if _roots(value) & views for name in _names(target)} - views:
        views |= more
    arrays: set[str] = set()
    while more := {n for target, value in bindings if _is_array(value, arrays) for n in _names(target)} - arrays:
        arrays |= more
    local = views | _bound_names(function)
    harmless = harmless - {name for target, _ in bindings for name in _names(target)}
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            raise StrategyError("a strategy keeps nothing outside its function", node.lineno)
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            what = f"{ast.unparse(node)} = ...: a strategy cannot write into"
            if _roots(node) & views:
                raise StrategyError(f"{what} its view", node.lineno)
            if not _roots(node) <= local:
                raise StrategyError(f"{what} what is outside its function", node.lineno)
        if isinstance(node, ast.Call) and _changes(node.func) and _roots(node.func) & views:
            raise StrategyError(f"{ast.unparse(node)}: a strategy cannot write into its view", node.lineno)
        if isinstance(node, ast.Call) and _may_write_into(node, arrays, harmless):
            what = "an array of the view goes to such a function alone, or as a .copy(): it could be written into"
            raise StrategyError(f"{ast.unparse(node)}: {what}", node.lineno)


def _may_write_into(call: ast.Call, arrays: set[str], harmless: set[str]) -> bool:
    """Whether a function that is not known (numpy's) gets an array of the view beside something else, as an output."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    named = call.func
    while isinstance(named, ast.Attribute):
        named = named.value
    known = isinstance(named, ast.Name) and named.id in harmless
    spread = any(isinstance(argument, ast.Starred) for argument in given)
    return not known and (len(given) > 1 or spread) and any(_is_array(argument, arrays) for argument in given)


def _is_array(node: ast.expr, arrays: set[str]) -> bool:
    """An array field of a view, a row, slice or other form of one, or a name that may stand for one; no copy."""
    if isinstance(node, ast.Name):
        return node.id in arrays
    if isinstance(node, ast.Attribute):
        return node.attr in _ARRAYS or _is_array(node.value, arrays)
    if isinstance(node, ast.Subscript) and _is_array(node.value, arrays):
        is_row = isinstance(node.value, ast.Attribute) and node.value.attr in _TABLES
        return isinstance(node.slice, ast.Slice) or (is_row and not isinstance(node.slice, ast.Tuple))
    parts: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List):
        parts = node.elts
    elif isinstance(node, ast.Starred):
        parts = [node.value]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        parts = [node.func.value] if node.func.attr in _FORMS else []
        parts += node.args if node.func.attr in _FORMS else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _PASS_ON:
        parts = node.args
    return any(_is_array(part, arrays) for part in parts)


def _changes(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in _CHANGING_METHODS


def _bindings(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What a node binds: target and the expression it comes from."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        return [(node.target, node.value)]
    return [(node.target, node.iter)] if isinstance(node, ast.For) else []


def _names(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _roots(node: ast.expr) -> set[str]:
    """The names an expression may hand out a part of; a copy or a computed value is nobody's part."""
    if isinstance(node, ast.Name):
        return {node.id}
    parts: list[ast.expr] = []
    if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.NamedExpr):
        parts = [node.value]
    elif isinstance(node, ast.Tuple | ast.List):
        parts = node.elts
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr != "copy":
        parts = [node.func.value]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _PASS_ON:
        parts = node.args
    return {name for part in parts for name in _roots(part)}


def _refuse_modules(modules: Iterable[str], line: int) -> None:
    for module in modules:
        if module not in _ALLOWED_MODULES:
            allowed = "razzsim.strategy, math and numpy: a result depends on nothing outside"
            raise StrategyError(f"import of {module} is not allowed: a strategy imports {allowed}", line)


def _refuse_outside(node: ast.AST) -> None:
    """Imports that could bring in the clock, the machine or a file; built-in functions that could."""
    if isinstance(node, ast.Import):
        _refuse_modules([alias.name for alias in node.names], node.lineno)
    elif isinstance(node, ast.ImportFrom):
        _refuse_modules(["." * node.level + (node.module or "")], node.lineno)
        if node.module == "numpy":
            raise StrategyError("import numpy as np, whole, so that its functions are known as such", node.lineno)
    elif isinstance(node, ast.Attribute) and node.attr in _UNCHECKED:
        raise StrategyError(f".{node.attr} is not allowed: it reaches memory or files without a check", node.lineno)
    if isinstance(node, ast.Name) and node.id == "print":
        raise StrategyError("print would print millions of times: look at hands with razzsim hand play", node.lineno)
    if isinstance(node, ast.Name) and node.id in _OUTSIDE and isinstance(node.ctx, ast.Load):
        raise StrategyError(f"{node.id} is not allowed: a result depends on nothing outside the view", node.lineno)


def _refuse_randomness(node: ast.AST) -> None:
    names: set[str] = set()
    if isinstance(node, ast.Import):
        names = {part for alias in node.names for part in alias.name.split(".")}
    elif isinstance(node, ast.ImportFrom):
        names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
    elif isinstance(node, ast.Attribute) and node.attr == "random":
        names = {"random"}
    if names & _RANDOM_MODULES:
        line = getattr(node, "lineno", 0)
        raise StrategyError("randomness comes from the dice alone: use features.uniform(me, k)", line)
