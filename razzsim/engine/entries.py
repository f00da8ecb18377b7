"""How a kernel calls what is not compiled with it: by the address of its machine code.

Strategies: one compiled kernel serves all, those of tomorrow too, and stays valid in Numba's cache. Measured on
prepared views: see razzsim.engine.state. And the end of a hand, so that two processes compile a kernel, half each.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from razzsim.engine.state import ME, STRATEGY_RAISED, TABLE

STRATEGY_SIGNATURE = types.int64(ME, TABLE)


def address_of(entry: Any) -> int:
    """Where the machine code of an njit function of one signature is; valid while `entry` lives."""
    (compiled,) = entry.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def _call(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, Any]:
    """Code that calls the address arguments[0] with the others: (status, value)."""
    convention = context.call_conv
    kind = convention.get_function_type(signature.return_type, signature.args)
    entry = builder.inttoptr(arguments[0], kind.as_pointer())
    return convention.call_function(builder, entry, signature.return_type, signature.args, arguments[1:])


@intrinsic
def ask_nb(typing, address, me, table):
    """The action of the strategy at `address`, or STRATEGY_RAISED when it raises an exception."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        status, action = _call(context, builder, STRATEGY_SIGNATURE, arguments)
        return builder.select(status.is_ok, action, ir.Constant(ir.IntType(64), STRATEGY_RAISED))

    return types.int64(types.int64, *STRATEGY_SIGNATURE.args), generate


@intrinsic
def end_hand_nb(typing, address, rules, game, table, hand, work, tally):
    """What the code at `address` says of a hand that it ends; its exceptions are the caller's."""
    signature = types.int64(rules, game, table, hand, work, tally)

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        status, code = _call(context, builder, signature, arguments)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return code

    return types.int64(types.int64, *signature.args), generate
