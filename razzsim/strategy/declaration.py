"""What a strategy says of itself: its name, its parameters, what it declares. Read without Numba and NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DECLARATIONS = ("deterministic", "stateless")
"""deterministic: never looks at its dice, so none are drawn. stateless: keeps no memory between hands."""

Param = float | int | bool
LARGEST = 1 << 53
"""Parameters travel as float64; larger whole numbers would not survive."""


class StrategyError(Exception):
    """A strategy that cannot be used. line, column: where in its file, 0 if unknown."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line, self.column = line, column

    @property
    def place(self) -> str:
        """`LINE:COLUMN: `, as much of it as is known, to stand after the file."""
        return "".join(f"{number}:" for number in (self.line, self.column) if number) + " "


@dataclass(eq=False)
class Declaration:
    """A strategy's name, docstring, parameters with their defaults, and declarations."""

    name: str
    doc: str | None
    params: Mapping[str, Param]
    declares: tuple[str, ...]

    @property
    def wants_dice(self) -> bool:
        """Whether dice are drawn for its decisions."""
        return "deterministic" not in self.declares

    def params_with(self, changes: Mapping[str, object]) -> dict[str, Param]:
        """All parameters, defaults replaced by changes. Raises StrategyError for an unknown name or a wrong type."""
        params = dict(self.params)
        for name, value in changes.items():
            if name not in params:
                has = ", ".join(params) or "none"
                raise StrategyError(f"{name}: no such parameter of {self.name}; it has {has}")
            params[name] = _as_param(name, value, params[name])
        return params


def _as_param(name: str, value: Any, default: Param) -> Param:
    wanted = {bool: "true or false", int: "a whole number up to 2^53", float: "a number up to 2^53"}[type(default)]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, bool) if isinstance(default, bool) else is_number
    whole = isinstance(value, int) or isinstance(default, float)
    if not fits or not whole or not abs(value) <= LARGEST:
        raise StrategyError(f"{name}: {str(value).lower()} is not allowed: {wanted}")
    return type(default)(value)
