"""How a kernel calls strategies: by the address of their machine code.

One compiled kernel serves all strategies, those of tomorrow too, and stays valid in Numba's cache. Measured on
prepared views: see razzsim.engine.state.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from razzsim.engine.state import ME, STRATEGY_RAISED, TABLE

STRATEGY_SIGNATURE = types.int64(ME, TABLE)


def address_of(entry: Any) -> int:
    """Where the machine code of an njit function of STRATEGY_SIGNATURE is; valid while `entry` lives."""
    compiled = entry.overloads[STRATEGY_SIGNATURE.args]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


@intrinsic
def ask_nb(typing, address, me, table):
    """The action of the strategy at `address`, or STRATEGY_RAISED when it raises an exception."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        convention, records = context.call_conv, STRATEGY_SIGNATURE.args
        kind = convention.get_function_type(types.int64, records)
        entry = builder.inttoptr(arguments[0], kind.as_pointer())
        status, action = convention.call_function(builder, entry, types.int64, records, arguments[1:])
        return builder.select(status.is_ok, action, ir.Constant(ir.IntType(64), STRATEGY_RAISED))

    return types.int64(types.int64, ME, TABLE), generate
