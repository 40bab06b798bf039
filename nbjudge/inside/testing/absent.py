"""Removes from a process what must be written by hand, before a learner's code runs in it.

:func:`nbjudge.testing.by_hand` watches calls; this module removes what is called:

- PyTorch's operators, at its dispatcher, through which every form of a call goes, including those
  of ``torch.ops``, ``vmap``, TorchScript and the C++ bindings;
- Python functions, by replacing their bodies, so that it does not matter who holds them;
- modules, which can no longer be imported.

Each explains itself with the text in :data:`nbjudge.inside.kinds.KINDS`. The removal lasts for the
life of the process; it cannot be undone.
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
from nbjudge.inside.values import Tensor, loaded, np, torch

_removed: tuple[str, ...] = ()

#: Every dispatch key under which an operator could have its own kernel.
DISPATCH_KEYS = (
    *("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU", "CUDA", "Meta"),
    *("NestedTensorCPU", "SparseCPU", "AutogradCPU", "AutogradCUDA", "AutogradNestedTensor"),
    *("AutogradOther", "FuncTorchBatched", "FuncTorchBatchedDecomposition"),
    *("FuncTorchGradWrapper", "FuncTorchDynamicLayerFrontMode", "BatchedNestedTensor"),
    *("AutocastCPU", "Functionalize", "ADInplaceOrView", "Autograd"),
)


def removed() -> tuple[str, ...]:
    """The kinds that are entirely removed from this process and so need no watching.

    A kind is not among them if its PyTorch functions stay because no operator belongs to it alone.
    Matrix products are not either: if one side has length 1, only watching the call can tell a
    product of matrices from one with a vector.
    """
    kinds = {name: KINDS[name] for name in _removed}
    return tuple(
        name
        for name, kind in kinds.items()
        if not kind.torch_functions or (kind.operators and not kind.matrices)
    )


def remove(*what: str) -> None:
    """Remove what these kinds name, for the rest of this process's life.

    Kinds already removed are skipped.

    Parameters
    ----------
    what:
        Names in :data:`nbjudge.inside.kinds.KINDS`.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    global _removed
    check(what)
    what = tuple(name for name in what if name not in _removed)
    gone = tuple(f"{path}." for name in what for path in KINDS[name].modules)
    if any(KINDS[name].matrices or KINDS[name].gradients for name in what):
        _override_other_algebra()
    # Only if there are any: in a forked process, looking at every module copies its memory.
    for gone_with in [m for m in sys.modules if f"{m}.".startswith(gone)] if gone else ():
        del sys.modules[gone_with]
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
    """Files and folders, of the course and of other libraries, that hold what these kinds name.

    A sandbox can cover them, so that removing the import finder does not bring them back. Those of
    the course are named whether they exist or not, because they may appear later.
    PyTorch's own are not included, because PyTorch itself reads some of them late.
    """
    found = []
    for path in {path for name in what for path in KINDS[name].modules}:
        top, *below = path.split(".")
        if below and top in program().packages:
            if folder := folder_of(top):
                place = folder.joinpath(*below)
                found += [place, place.with_suffix(".py")]
        elif not below and (spec := PathFinder.find_spec(path)):
            found += map(Path, spec.submodule_search_locations or filter(None, [spec.origin]))
    if what:
        found += closed.files()
    if loaded("numpy") and any(
        KINDS[name].matrices for name in what
    ):  # a new process could load NumPy again
        found.append(Path(np.__file__).parent)
    return sorted(set(found))


def refused(name: str, kind: str) -> None:
    """Called by a function whose body was replaced."""
    refuse(name, KINDS[kind])


class NotHere:
    """An import finder that comes first and refuses the modules of these kinds."""

    def __init__(self, what: Sequence[str]):
        self.kinds = [KINDS[name] for name in what]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Explain why a removed module cannot be imported; leave all others to other finders."""
        for kind in self.kinds:
            for module in kind.modules:
                if name == module or name.startswith(f"{module}."):
                    refuse(name, kind)
        return None


@cache
def operators() -> tuple[str, ...]:
    """The names of PyTorch's operators; none if its values are not enabled."""
    if torch is None:
        return ()
    every = torch._C._dispatch_get_all_op_names()
    return tuple(op.removeprefix("aten::") for op in every if op.startswith("aten::"))


def _override(chosen: Callable[[str], bool], kind: Forbidden) -> None:
    """Make every PyTorch operator with a chosen name refuse, under every key."""
    names = filter(chosen, operators())
    kernels = {name: _refusing(name.partition(".")[0], kind) for name in names}
    implement(kernels, DISPATCH_KEYS)


#: Prefixes of PyTorch's other operators for matrix products, which have their own keys.
OTHER_PRODUCTS: tuple[str, ...] = ()
OTHER_PRODUCTS += ("_sparse_mm", "_sparse_addmm", "_sparse_sparse", "_sparse_semi", "_cslt")
OTHER_PRODUCTS += ("sspaddmm", "hspmm", "smm", "sparse_sampled", "mkldnn_conv", "mkldnn_linear")
OTHER_PRODUCTS += ("_convolution", "convolution_", "_conv_", "conv_tbc_", "thnn_conv", "slow_conv")
OTHER_PRODUCTS += ("_slow_conv", "_nnpack_spatial", "linear_backward", "matmul_backward")
OTHER_PRODUCTS += ("_foreach_mm", "_grouped_mm", "_scaled_", "_weight_int", "_dyn_quant", "fbgemm_")
OTHER_PRODUCTS += ("_mixed_dtypes_linear", "_wrapped_")
OTHER_PRODUCTS += ("quantized_",)
#: Sums of weighted rows, distances, and what inverts a product: each is a product in disguise.
OTHER_PRODUCTS += ("embedding_bag", "_embedding_bag", "cdist", "_cdist", "pdist", "_pdist")
OTHER_PRODUCTS += ("_euclidean_dist", "lu_", "_lu", "triangular_solve", "cholesky", "_cholesky")
OTHER_PRODUCTS += ("inverse", "pinverse", "svd", "qr", "geqrf", "orgqr", "ormqr")

#: The linear algebra operators that neither factorise nor solve anything.
PLAIN_ALGEBRA = tuple(
    f"linalg_{name}"
    for name in ("norm", "vector_norm", "matrix_norm", "_powsum", "vecdot", "cross", "diagonal")
) + ("linalg_matmul", "linalg_multi_dot")

#: Dispatch keys of sparse, MKL-DNN, nested and quantized tensors, which have their own kernels.
LAYOUTS = ("SparseCPU", "SparseCsrCPU", "MkldnnCPU", "NestedTensorCPU", "QuantizedCPU")


def _names_any(parts: Sequence[str], op: str) -> bool:
    return any(part in op for part in parts)


def _is_another_product(op: str) -> bool:
    algebra = op.startswith(("linalg_", "_linalg_")) and not op.startswith(PLAIN_ALGEBRA)
    return algebra or op.startswith(OTHER_PRODUCTS)


def _override_products(kind: Forbidden) -> None:
    """Make products of two matrices refuse, and compute those with a vector from sums."""

    def product(a: Tensor, b: Tensor, name: str = "@") -> Tensor:
        if min(a.shape[-2], a.shape[-1], b.shape[-1]) > 1:
            refuse(name, kind)
        return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2)

    def plus(c: Tensor, a: Tensor, b: Tensor, *, beta=1, alpha=1) -> Tensor:
        # As in PyTorch, a beta of 0 ignores even NaN in what is added.
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
    # Variants with their own kernels: in place, into a given tensor, into another dtype.
    _override(lambda op: op.partition(".")[0].rstrip("_") in kernels and op not in kernels, kind)
    _override(_is_another_product, kind)


#: Dispatch keys at which operators record the backward pass, for tensors of every layout.
AUTOGRAD_KEYS = ("AutogradCPU", "AutogradOther", "AutogradNestedTensor")


def _without_autograd() -> None:
    """Keep every operator from recording a backward pass, so that there is no graph to run."""
    from torch.library import fallthrough_kernel as graph

    implement(dict.fromkeys(operators(), graph), AUTOGRAD_KEYS)
    engine = type(torch.autograd.Variable._execution_engine)
    closed.without_methods(engine, "run_backward", "queue_callback")


#: NumPy's ways to compute a matrix product.
NUMPY_PRODUCTS = (
    *("matmul", "dot", "vdot", "inner", "einsum", "c_einsum", "tensordot", "kron", "outer"),
    *("matvec", "vecmat", "vecdot", "multi_dot", "correlate", "convolve", "cross"),
    *("solve", "solve1", "inv", "pinv", "lstsq", "tensorsolve", "tensorinv", "matrix_power"),
    *("qr", "qr_r_raw", "qr_reduced", "qr_complete", "svd", "svd_f", "svd_s", "svdvals"),
    *("cholesky", "cholesky_lo", "cholesky_up", "eig", "eigh", "eigh_lo", "eigh_up"),
)


def _override_numpys(kind: Forbidden) -> None:
    """Make NumPy's products refuse; in an ``autograd.Function`` they could replace PyTorch's."""
    for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "numpy"]:
        for name in NUMPY_PRODUCTS:
            if callable(vars(module).get(name)):
                setattr(module, name, _refusing(f"numpy.{name}", kind))
    # A list of them all, which NumPy keeps for its tests.
    held = sys.modules["numpy._core.overrides"].ARRAY_FUNCTIONS
    held -= {found for found in held if found.__name__ in NUMPY_PRODUCTS}
    closed.without_methods(np.ndarray, "dot", "__matmul__", "__rmatmul__", "__imatmul__")
    for slot in ("nb_matrix_multiply", "nb_inplace_matrix_multiply"):
        closed.without_slot(np.ndarray, slot)


#: Parts of libraries that PyTorch loads for itself and keeps: matrices and derivatives in Python's
#: own numbers. In the rest of SymPy, the functions with these names differentiate.
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
    """Make SymPy's and mpmath's matrices and derivatives refuse, whoever still holds them."""

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
    """Let PyTorch's profiler measure times but count no operations."""
    start = torch.autograd.profiler.profile.__init__
    signature = inspect.signature(start)

    @functools.wraps(start)
    def timed(*args, **kwargs):
        if signature.bind(*args, **kwargs).arguments.get("with_flops"):
            refuse(COUNTS, kind)
        start(*args, **kwargs)

    torch.autograd.profiler.profile.__init__ = timed  # type: ignore[method-assign]
    # A profiler started in another way finds no counts either.
    event: Any = torch._C._autograd._KinetoEvent
    event.flops = lambda event: 0


def _refusing(name: str, kind: Forbidden) -> Callable:
    return lambda *args, **kwargs: refuse(name, kind)
