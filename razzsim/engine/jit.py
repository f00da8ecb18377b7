"""How the kernels are compiled: their parts into them, and only there.

Numba by itself optimises each function with all that it calls and makes machine code of it, though for a part of a
kernel nobody runs it: two fifths of 20 s. Here a part stays what Numba wrote, to be linked into what calls it, and a
kernel is optimised twice instead: once makes code that takes about 1.04 times as long as with parts optimised before,
twice 1.00 to 1.02 (a noisy machine).
"""

from typing import Any

from numba import _dynfunc, njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _PartLibrary(JITCodeLibrary):
    """Code that waits to be linked into other code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _KernelLibrary(JITCodeLibrary):
    """Code that is optimised twice."""

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        super()._optimize_final_module()


def _library(kind: type[JITCodeLibrary], state: Any) -> JITCodeLibrary:
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    _name = "native_lowering_of_a_part"

    def run_pass(self, state: Any) -> bool:
        state.library = _library(_PartLibrary, state)
        state.flags.no_compile = True
        super().run_pass(state)
        what = state.cr.fndesc
        nowhere = 0  # the address of its code: it is for Numba, which knows functions by such an object
        named = (what.lookup_module(), what.qualname.split(".")[-1], "part of a kernel")
        handle = _dynfunc.make_function(*named, nowhere, state.cr.env, (state.library,))
        state.targetctx.insert_user_function(handle, what, [state.library])
        state.cr = state.cr._replace(cfunc=handle)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerKernel(NativeLowering):
    _name = "native_lowering_of_a_kernel"

    def run_pass(self, state: Any) -> bool:
        state.library = _library(_KernelLibrary, state)
        return bool(super().run_pass(state))


class _Compiler(CompilerBase):
    """Numba's own pipeline, with another way to lower."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(self.lowering if step is NativeLowering else step, why) for step, why in pipeline.passes]
        pipeline.finalize()
        return [pipeline]


class _PartCompiler(_Compiler):
    lowering = _LowerPart


class _KernelCompiler(_Compiler):
    lowering = _LowerKernel


_PART = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _PartCompiler}

inner = njit(**_PART)
"""A part of a kernel. Python must not call it: there is no code for that."""

inlined = njit(forceinline=True, **_PART)
"""A part that goes into its callers whole: what runs at every decision. LLVM then keeps in registers what Numba's own
calls pass through memory."""


def kernel_of(signature: Any, *, cache: bool = True) -> Any:
    """Decorator: a kernel, compiled at once or found on disk. Other threads run while it does."""
    return njit(signature, cache=cache, nogil=True, no_cfunc_wrapper=True, pipeline_class=_KernelCompiler)
