"""The `@strategy` decorator and how a strategy becomes one compiled entry point.

The kernel calls `entry(me, table)`: two records, 4.4 ns. The entry makes the named parameters from
`me.params` and calls the function as it was written; LLVM inlines it.
"""

import keyword
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba import njit, types
from numba.core.errors import TypingError
from numba.extending import overload

from razzsim.engine.entries import STRATEGY_SIGNATURE
from razzsim.engine.jit_cache import write_once
from razzsim.engine.state import N_PARAMS
from razzsim.strategy.declaration import DECLARATIONS, LARGEST, Declaration, Param, StrategyError


class Strategy(Declaration):
    """A decision function with named parameters and what it declares about itself."""

    def __init__(self, decide: Callable[..., int], params: Mapping[str, Param], declares: tuple[str, ...]) -> None:
        super().__init__(decide.__name__, decide.__doc__, dict(params), declares)
        self.decide = decide

    def __call__(self, me: Any, table: Any) -> int:
        """Decide without compilation, for a debugger: records with attribute access (`np.recarray` elements)."""
        values = [_cast(default)(me.params[i]) for i, default in enumerate(self.params.values())]
        return self.decide(me, table, self._params_type()(*values))

    def compile(self, folder: Path) -> Callable[..., int]:
        """The compiled entry, kept in Numba's cache under `folder`. Numba's own errors pass through."""
        path = folder / f"{self.name}_entry.py"
        fields = (f"{_CASTS[type(v)]}(me.params[{i}])" for i, v in enumerate(self.params.values()))
        text = f"def entry(me, table):\n    return as_action(decide(me, table, Params({', '.join(fields)})))\n"
        write_once(path, text)
        # Indices are checked: without it, me.cards[704] would be a card in the next seat's hand.
        # A module of its own, on disk and in sys.modules: Numba keeps and finds the machine code by both.
        module = ModuleType(f"{self.decide.__module__}_{self.name}_entry")
        sys.modules[module.__name__] = module
        decide = njit(boundscheck=True)(self.decide)
        vars(module).update(decide=decide, Params=self._params_type(), as_action=as_action, np=np)
        exec(compile(text, str(path), "exec"), vars(module))
        return njit(STRATEGY_SIGNATURE, cache=True)(module.entry)

    def _params_type(self) -> Any:
        return namedtuple("Params", self.params)  # noqa: PYI024 - fields known at run time


_CASTS = {float: "np.float64", int: "np.int64", bool: "np.bool_"}


def _cast(default: Param) -> Callable[[Any], Param]:
    return type(default)


def as_action(value):  # Numba wants overload and lambda to have the same bare signature
    """What a decision function returns, as an action code; in compiled code anything but an integer is refused."""
    return int(value)


@overload(as_action)
def _as_action_overload(value):
    if isinstance(value, types.Integer | types.Boolean):
        return lambda value: np.int64(value)  # noqa: PLW0108 - Numba compiles the lambda
    what = "not a number with a fraction" if isinstance(value, types.Float) else "and nothing else"
    if isinstance(value, types.Optional | types.NoneType):
        what = "but here a path ends without it"
    raise TypingError(f"a strategy returns FOLD, CALL or RAISE, {what}")


def strategy(
    bare: object = None, /, *, declares: tuple[str, ...] = (), **params: Param
) -> Callable[[Callable[..., int]], Strategy]:
    """Make a compiled strategy of `decide(me, table, p) -> action`.

    params: default values (float, int or bool; at most 16), found in `p` by name and set from YAML.
    declares: any of `DECLARATIONS`; what it says is relied on. Raises StrategyError for anything else.
    """
    if bare is not None:
        raise StrategyError("write @strategy() with brackets")
    if len(params) > N_PARAMS:
        raise StrategyError(f"{len(params)} parameters; at most {N_PARAMS}")
    for name, value in params.items():
        if keyword.iskeyword(name) or name.startswith("_"):
            raise StrategyError(f"{name} is not allowed as the name of a parameter: a letter first, no word of Python")
        if not isinstance(value, bool | int | float) or not abs(value) <= LARGEST:
            raise StrategyError(f"{name}: {value!r} is not allowed as a default: a number up to 2^53, true or false")
    declares = (declares,) if isinstance(declares, str) else declares
    for word in declares:
        if word not in DECLARATIONS:
            raise StrategyError(f"declares: {word!r} is not allowed: {', '.join(DECLARATIONS)}")
    return lambda decide: Strategy(decide, params, tuple(declares))
