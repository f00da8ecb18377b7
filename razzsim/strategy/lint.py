"""What a strategy must not do, seen in its text: write into what it is shown, or bring its own randomness.

The views are the engine's own records (that is why they cost nothing), and results must be a function of
(seed, deal): both are refused before anything is played.
"""

import ast

from razzsim.strategy.definition import StrategyError

_RANDOM_MODULES = {"random", "secrets", "uuid"}


def refuse_forbidden(text: str) -> None:
    """Raise StrategyError, with the line, for a store into a view or for randomness other than the dice."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise StrategyError(f"is not Python: {error.msg}", error.lineno or 0) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _refuse_stores(node)
        _refuse_randomness(node)


def _refuse_stores(function: ast.FunctionDef) -> None:
    """Views are a function's arguments and every name that is bound to a part of one."""
    views = {argument.arg for argument in function.args.args}
    aliases = {
        target.id: _root(node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    while more := {name for name, root in aliases.items() if root in views} - views:
        views |= more
    for node in ast.walk(function):
        for target in _targets(node):
            if isinstance(target, ast.Attribute | ast.Subscript) and _root(target) in views:
                raise StrategyError(f"{ast.unparse(target)} = ...: a strategy cannot write into its view", node.lineno)  # type: ignore[attr-defined]


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [leaf for target in node.targets for leaf in _leaves(target)]
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return [node.target]
    if isinstance(node, ast.For):
        return _leaves(node.target)
    return []


def _leaves(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [leaf for item in target.elts for leaf in _leaves(item)]
    return [target]


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _refuse_randomness(node: ast.AST) -> None:
    names: set[str] = set()
    if isinstance(node, ast.Import):
        names = {alias.name.split(".")[0] for alias in node.names}
    elif isinstance(node, ast.ImportFrom):
        names = {(node.module or "").split(".")[0], *((node.module or "").split(".")[-1:])}
    elif isinstance(node, ast.Attribute) and node.attr == "random":
        names = {"random"}
    if names & _RANDOM_MODULES:
        line = getattr(node, "lineno", 0)
        raise StrategyError("randomness comes from the dice alone: use features.uniform(me, k)", line)
