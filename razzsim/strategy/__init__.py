"""What a strategy is written with: the decorator, the three actions and the features of a view.

    from razzsim.strategy import strategy, FOLD, CALL, RAISE, features as f

    @strategy(open_max=8, declares=("deterministic", "stateless"))
    def tight(me, table, p):
        if table.street == 3 and f.n_low(me, p.open_max) < 3:
            return FOLD if me.to_call_chips else CALL
        return RAISE if me.legal_mask & 4 else CALL

`me` is what only the seat knows, `table` what everybody knows (fields and units: `razzsim.engine.state`),
`p` the parameters by name. FOLD is not legal for the seat that owes the bring-in; RAISE only when its bit is
set in `me.legal_mask`. An illegal action is an error, never repaired.
"""

from typing import TYPE_CHECKING

from razzsim.lazy import lazily
from razzsim.strategy.declaration import StrategyError

if TYPE_CHECKING:
    from razzsim.engine.state import CALL, FOLD, RAISE
    from razzsim.strategy import features
    from razzsim.strategy.definition import Strategy, strategy
    from razzsim.strategy.features import feature as helper

__all__ = ["CALL", "FOLD", "RAISE", "Strategy", "StrategyError", "features", "helper", "strategy"]

# Numba comes with them: a plan whose strategies are known to compile does without.
__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(("CALL", "FOLD", "RAISE"), "razzsim.engine.state"),
        **dict.fromkeys(("Strategy", "strategy"), "razzsim.strategy.definition"),
        "helper": "razzsim.strategy.features:feature",
    },
)


def __dir__() -> list[str]:
    return __all__
