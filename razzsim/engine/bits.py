"""Masks, one machine instruction each where Python would loop.

Numba knows neither int.bit_count nor a count of trailing zeros. With compilation switched off the functions here
are plain Python.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def n_bits(mask):
    """Number of bits set in a mask (not negative)."""
    return int(mask).bit_count()


def lowest_bit(mask):
    """Place of the lowest bit set in a mask; 64 when none is.

    Unsigned when compiled: as an index it needs no code for negative ones, which count from the end.
    """
    return (int(mask) & -int(mask)).bit_length() - 1 if mask else 64


@intrinsic
def _ctpop(typing, mask):
    return types.int64(types.int64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


@intrinsic
def _cttz(typing, mask):
    def generate(context, builder, signature, arguments):
        place = builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))  # 0: of no bits at all it is 64
        return builder.trunc(place, ir.IntType(32))

    return types.uint32(types.int64), generate


@overload(n_bits, jit_options={"forceinline": True})
def _n_bits_compiled(mask):
    return lambda mask: _ctpop(mask)  # noqa: PLW0108 - Numba compiles the lambda


@overload(lowest_bit, jit_options={"forceinline": True})
def _lowest_bit_compiled(mask):
    return lambda mask: _cttz(mask)  # noqa: PLW0108
