"""How the kernels' parts are compiled: they are called by each other, never from Python."""

from numba import njit

_ONLY_FROM_KERNELS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

inner = njit(**_ONLY_FROM_KERNELS)
"""A part of a kernel. Python must not call it: there is no code for that, which would be a fifth of compiling."""

inlined = njit(forceinline=True, **_ONLY_FROM_KERNELS)
"""A part that goes into its callers whole: what runs at every decision. LLVM then keeps in registers what Numba's own
calls pass through memory."""
