"""Makes a process without what is to be written by hand, before a learner's code comes into it.

Where :func:`nbjudge.testing.by_hand` watches calls, this takes away what is called:

- PyTorch's operators, at its dispatcher, through which every spelling of a call goes, those of
  ``torch.ops``, ``vmap``, TorchScript and the C++ bindings too;
- Python functions, by giving them another body, so that it does not matter who holds them;
- modules, which can no longer be imported.

Each says what :data:`nbjudge.inside.kinds.KINDS` says of it. It holds for the life of
the process; there is no way back.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from nbjudge.inside.kinds import KINDS, Forbidden, check
from nbjudge.inside.program import folder_of, program
from nbjudge.inside.testing import closed
from nbjudge.inside.testing.by_hand import COUNTS, functions, refuse
from nbjudge.inside.testing.closed import implement, replace_body
from nbjudge.inside.values import Tensor, np, torch

_removed: tuple[str, ...] = ()

#: Every key under which an operator is looked up that could have a kernel of its own.
DISPATCH_KEYS = (
    *("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU", "CUDA", "Meta"),
    *("NestedTensorCPU", "SparseCPU", "AutogradCPU", "AutogradCUDA", "AutogradNestedTensor"),
    *("AutogradOther", "FuncTorchBatched", "FuncTorchBatchedDecomposition"),
    *("FuncTorchGradWrapper", "FuncTorchDynamicLayerFrontMode", "BatchedNestedTensor"),
    *("AutocastCPU", "Functionalize", "ADInplaceOrView", "Autograd"),
)


def removed() -> tuple[str, ...]:
    """The kinds that this process is wholly without, so that nobody need watch for them.

    Those whose PyTorch functions stay because no operator is theirs alone are not among them.
    Products of matrices are such: where one side is 1 long, only who watches the call can tell a
    product of matrices from one with a vector.
    """
    kinds = {name: KINDS[name] for name in _removed}
    return tuple(
        name
        for name, kind in kinds.items()
        if not kind.torch_functions or (kind.operators and not kind.matrices)
    )


def remove(*what: str) -> None:
    """Take away what these kinds name, in this process and for good.

    What is gone already is passed over.

    Parameters
    ----------
    what:
        Names out of :data:`nbjudge.inside.kinds.KINDS`.

    Raises
    ------
    ValueError
        If a name is not one of them.
    """
    global _removed
    check(what)
    what = tuple(name for name in what if name not in _removed)
    gone = tuple(f"{path}." for name in what for path in KINDS[name].modules)
    if any(KINDS[name].matrices or KINDS[name].gradients for name in what):
        _override_other_algebra()
    # Only where there are any: in a forked process, looking at every module copies their memory.
    for loaded in [m for m in sys.modules if f"{m}.".startswith(gone)] if gone else ():
        del sys.modules[loaded]
    for name in what:
        kind = KINDS[name]
        closed.without_words(kind.torch_functions)
        for function, told in functions(kind, load=False):
            for body in {function, inspect.unwrap(function)}:
                replace_body(body, f"{__name__}.refused", told, name)
        if kind.operators:
            _override(partial(_names_any, kind.operators), kind)
        if kind.matrices:
            _override_products(kind)
            _override_numpys(kind)
        if kind.gradients:
            _without_autograd()
        if kind.counts and torch is not None:
            _without_counts(kind)
    if what:
        sys.meta_path.insert(0, NotHere(what))
        closed.shut()
    _removed += what


def files(what: Sequence[str]) -> list[Path]:
    """Files and folders, the course's and other libraries', that hold what these kinds name.

    For a sandbox that can cover them: who takes the finder away still does not find them. PyTorch's
    own are not among them, as PyTorch itself reads some of them late.
    """
    found = []
    for path in {path for name in what for path in KINDS[name].modules}:
        top, *below = path.split(".")
        if below and top in program().packages:
            if folder := folder_of(top):
                place = folder.joinpath(*below)
                found += [p for p in (place, place.with_suffix(".py")) if p.exists()]
        elif not below and (spec := PathFinder.find_spec(path)):
            found += map(Path, spec.submodule_search_locations or filter(None, [spec.origin]))
    if what:
        found += closed.files()
    if np and any(KINDS[name].matrices for name in what):  # another program would have NumPy's
        found.append(Path(np.__file__).parent)
    return sorted(set(found))


def refused(name: str, kind: str) -> None:
    """What a function whose body was taken away calls instead."""
    refuse(name, KINDS[kind])


class NotHere:
    """An import finder that comes first and refuses the modules of these kinds."""

    def __init__(self, what: Sequence[str]):
        self.kinds = [KINDS[name] for name in what]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Explain itself for a module that is not to be had; leave all others to others."""
        for kind in self.kinds:
            for module in kind.modules:
                if name == module or name.startswith(f"{module}."):
                    refuse(name, kind)
        return None


@cache
def operators() -> tuple[str, ...]:
    """The names of PyTorch's operators; none if its values are not switched on."""
    if torch is None:
        return ()
    every = torch._C._dispatch_get_all_op_names()
    return tuple(op.removeprefix("aten::") for op in every if op.startswith("aten::"))


def _override(chosen: Callable[[str], bool], kind: Forbidden) -> None:
    """Every operator of PyTorch's whose name is chosen refuses, under every key."""
    names = filter(chosen, operators())
    kernels = {name: _refusing(name.partition(".")[0], kind) for name in names}
    implement(kernels, DISPATCH_KEYS)


#: PyTorch's other ways to a product of matrices begin like this; they have keys of their own.
OTHER_PRODUCTS: tuple[str, ...] = ()
OTHER_PRODUCTS += ("_sparse_mm", "_sparse_addmm", "_sparse_sparse", "_sparse_semi", "_cslt")
OTHER_PRODUCTS += ("sspaddmm", "hspmm", "smm", "sparse_sampled", "mkldnn_conv", "mkldnn_linear")
OTHER_PRODUCTS += ("_convolution", "convolution_", "_conv_", "conv_tbc_", "thnn_conv", "slow_conv")
OTHER_PRODUCTS += ("_slow_conv", "_nnpack_spatial", "linear_backward", "matmul_backward")
OTHER_PRODUCTS += ("_foreach_mm", "_grouped_mm", "_scaled_", "_weight_int", "_dyn_quant", "fbgemm_")
OTHER_PRODUCTS += ("_mixed_dtypes_linear", "_wrapped_")
OTHER_PRODUCTS += ("quantized_",)
#: Sums of weighted rows, distances, and what undoes a product: each is one in disguise.
OTHER_PRODUCTS += ("embedding_bag", "_embedding_bag", "cdist", "_cdist", "pdist", "_pdist")
OTHER_PRODUCTS += ("_euclidean_dist", "lu_", "_lu", "triangular_solve", "cholesky", "_cholesky")
OTHER_PRODUCTS += ("inverse", "pinverse", "svd", "qr", "geqrf", "orgqr", "ormqr")

#: Of linear algebra's operators those that factor nothing and solve nothing.
PLAIN_ALGEBRA = tuple(
    f"linalg_{name}"
    for name in ("norm", "vector_norm", "matrix_norm", "_powsum", "vecdot", "cross", "diagonal")
) + ("linalg_matmul", "linalg_multi_dot")

#: Where tensors that are not plain have kernels of their own.
LAYOUTS = ("SparseCPU", "SparseCsrCPU", "MkldnnCPU", "NestedTensorCPU", "QuantizedCPU")


def _names_any(parts: Sequence[str], op: str) -> bool:
    return any(part in op for part in parts)


def _is_another_product(op: str) -> bool:
    algebra = op.startswith(("linalg_", "_linalg_")) and not op.startswith(PLAIN_ALGEBRA)
    return algebra or op.startswith(OTHER_PRODUCTS)


def _override_products(kind: Forbidden) -> None:
    """Products of two matrices refuse; those with a vector are computed, from sums."""

    def product(a: Tensor, b: Tensor, name: str = "@") -> Tensor:
        if min(a.shape[-2], a.shape[-1], b.shape[-1]) > 1:
            refuse(name, kind)
        return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2)

    def plus(c: Tensor, a: Tensor, b: Tensor, *, beta=1, alpha=1) -> Tensor:
        # As PyTorch has it, a beta of 0 ignores even NaN in what is added.
        scaled = product(a, b) * alpha
        return scaled + beta * c if beta else scaled

    def plus_batch(c: Tensor, a: Tensor, b: Tensor, *, beta=1, alpha=1) -> Tensor:
        return plus(c, a.movedim(0, 1).flatten(1), b.flatten(0, 1), beta=beta, alpha=alpha)

    kernels: dict[str, Callable] = {
        "mm": product,
        "bmm": product,
        "addmm": plus,
        "baddbmm": plus,
        "addbmm": plus_batch,
    }
    others = ("_addmm_activation", "_int_mm", "convolution", "conv_tbc", "_trilinear")
    implement({**kernels, **{name: _refusing(name, kind) for name in others}}, ["CPU"])
    refusing = {name: _refusing(name, kind) for name in (*kernels, "linear")}
    implement(refusing, LAYOUTS)
    # In place, into a given tensor, into another dtype: forms of the same with their own kernels.
    _override(lambda op: op.partition(".")[0].rstrip("_") in kernels and op not in kernels, kind)
    _override(_is_another_product, kind)


#: Where operators leave a note of how to go backwards, for tensors of every layout.
AUTOGRAD_KEYS = ("AutogradCPU", "AutogradOther", "AutogradNestedTensor")


def _without_autograd() -> None:
    """No operator leaves a note of how to go backwards: there is nothing to be called with it."""
    from torch.library import fallthrough_kernel as graph

    implement(dict.fromkeys(operators(), graph), AUTOGRAD_KEYS)
    engine = type(torch.autograd.Variable._execution_engine)
    closed.without_methods(engine, "run_backward", "queue_callback")


#: NumPy's ways to a product of matrices, with the modules that they lie in.
NUMPY_PRODUCTS = (
    *("matmul", "dot", "vdot", "inner", "einsum", "c_einsum", "tensordot", "kron", "outer"),
    *("matvec", "vecmat", "vecdot", "multi_dot", "correlate", "convolve", "cross"),
    *("solve", "solve1", "inv", "pinv", "lstsq", "tensorsolve", "tensorinv", "matrix_power"),
    *("qr", "qr_r_raw", "qr_reduced", "qr_complete", "svd", "svd_f", "svd_s", "svdvals"),
    *("cholesky", "cholesky_lo", "cholesky_up", "eig", "eigh", "eigh_lo", "eigh_up"),
)


def _override_numpys(kind: Forbidden) -> None:
    """NumPy's products refuse: through ``autograd.Function`` they would do for PyTorch's."""
    for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "numpy"]:
        for name in NUMPY_PRODUCTS:
            if callable(vars(module).get(name)):
                setattr(module, name, _refusing(f"numpy.{name}", kind))
    # A list of them all, kept for its tests.
    held = sys.modules["numpy._core.overrides"].ARRAY_FUNCTIONS
    held -= {found for found in held if found.__name__ in NUMPY_PRODUCTS}
    closed.without_methods(np.ndarray, "dot", "__matmul__", "__rmatmul__", "__imatmul__")
    for slot in ("nb_matrix_multiply", "nb_inplace_matrix_multiply"):
        closed.without_slot(np.ndarray, slot)


#: Parts of libraries that PyTorch loads for itself and holds on to: matrices and derivatives in
#: Python's own numbers. Of the rest of SymPy the functions of these names differentiate.
OTHER_ALGEBRA = ("sympy.matrices", "sympy.polys.matrices", "mpmath.matrices", "mpmath.calculus")
DERIVATIVES: tuple[str, ...] = (
    "diff",
    "fdiff",
    "_eval_derivative",
    "_eval_derivative_n_times",
    "_eval_diff",
)
DERIVATIVES += ("_derivative_dispatch", "nseries", "series", "_eval_nseries")


def _override_other_algebra() -> None:
    """SymPy's and mpmath's matrices and derivatives refuse, whoever still holds them."""

    def not_here(*args, **kwargs):
        from nbjudge.inside.testing.closed import refused

        refused("sympy")

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("sympy", "mpmath"):
            continue
        whole = f"{name}.".startswith(tuple(f"{part}." for part in OTHER_ALGEBRA))
        for found in list(vars(module).values()):
            if getattr(found, "__module__", "") != name:
                continue
            inner = vars(found).values() if inspect.isclass(found) else [found]
            for function in (inspect.unwrap(getattr(part, "__func__", part)) for part in inner):
                if not inspect.isfunction(function) or function.__code__.co_freevars:
                    continue
                if whole or function.__name__ in DERIVATIVES:
                    function.__defaults__ = function.__kwdefaults__ = None
                    function.__code__ = not_here.__code__


def _without_counts(kind: Forbidden) -> None:
    """PyTorch's profiler measures times, and counts no operations."""
    start = torch.autograd.profiler.profile.__init__
    signature = inspect.signature(start)

    @functools.wraps(start)
    def timed(*args, **kwargs):
        if signature.bind(*args, **kwargs).arguments.get("with_flops"):
            refuse(COUNTS, kind)
        start(*args, **kwargs)

    torch.autograd.profiler.profile.__init__ = timed  # type: ignore[method-assign]
    # Whoever starts it another way finds none either.
    event: Any = torch._C._autograd._KinetoEvent
    event.flops = lambda event: 0


def _refusing(name: str, kind: Forbidden) -> Callable:
    return lambda *args, **kwargs: refuse(name, kind)
