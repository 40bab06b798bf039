"""What is to be written by hand cannot be called."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType

import torch
from torch.overrides import TorchFunctionMode

from tfcourse.grading.testing.mistake import Mistake


@dataclass(frozen=True)
class Forbidden:
    """One thing to be written by hand, and everything that would do it instead.

    Attributes
    ----------
    why:
        What to say of a call.
    torch_functions:
        PyTorch's functions, by name however they were imported.
    python:
        Python functions, and all functions of the classes and modules named, by dotted path.
    modules:
        Modules that are not to be had at all where a kernel is made without this.
    operators:
        Parts of the names of PyTorch's operators that such a kernel is made without.
    only:
        Which calls of ``torch_functions`` are meant; all of them unless said.
    """

    why: str
    torch_functions: frozenset[str]
    python: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    only: Callable[[tuple, dict], bool] = field(default=lambda args, kwargs: True)


def _two_matrices(args: tuple, kwargs: dict) -> bool:
    found = [*args, *kwargs.values()]
    found += [inner for value in found if isinstance(value, list | tuple) for inner in value]
    return sum(isinstance(value, torch.Tensor) and value.ndim >= 2 for value in found) >= 2


#: What a piece can ask to be written by hand.
KINDS: dict[str, Forbidden] = {
    "attention": Forbidden(
        why="does the whole of this piece for you. Here attention is written by hand, from "
        "products, a softmax and a sum: take the call out and follow the formula.",
        torch_functions=frozenset(
            {
                "scaled_dot_product_attention",
                "_scaled_dot_product_attention_math",
                "_scaled_dot_product_flash_attention_for_cpu",
                "multi_head_attention_forward",
                "_native_multi_head_attention",
                "_transformer_encoder_layer_fwd",
            }
        ),
        python=(
            "torch.nn.functional.multi_head_attention_forward",
            "torch.nn.MultiheadAttention",
            "torch.nn.Transformer",
            "torch.nn.TransformerEncoder",
            "torch.nn.TransformerEncoderLayer",
            "torch.nn.TransformerDecoder",
            "torch.nn.TransformerDecoderLayer",
            "torch.nn.attention.flex_attention",
            "torch._higher_order_ops.flex_attention",
            "torch.ao.nn.quantizable.modules.activation.MultiheadAttention",
            "torch.ao.nn.quantized.modules.activation.MultiheadAttention",
            "torch._decomp.decompositions.scaled_dot_product_flash_attention_for_cpu",
            "tfcourse.attention",
            "tfcourse.grading.mistakes.attention",
        ),
        modules=(
            "tfcourse.attention",
            "tfcourse.kernels",
            "tfcourse.layers",
            "tfcourse.models",
            "tfcourse.pretrained",
            "torch.nn.attention.bias",
            "torch.nn.attention.experimental",
            "torch.nn.attention.flex_attention",
            "torch.nn.attention.varlen",
            "torch.nested._internal.sdpa",
            "torch.onnx.ops",
            "torch.sparse._triton_ops",
            "transformers",
        ),
        operators=("attention", "scaled_dot", "_sdp_", "_transformer_encoder_layer"),
    ),
    "matrix products": Forbidden(
        why="multiplies two matrices at once. This piece is about the loop that such a product "
        "hides: take one query at a time (a product of a matrix and one vector is allowed).",
        torch_functions=frozenset(
            {"matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "tensordot", "linear"}
            | {"__matmul__", "__rmatmul__", "inner", "chain_matmul", "multi_dot"}
        ),
        only=_two_matrices,
    ),
    "word vectors": Forbidden(
        why="is one of the things that this problem set writes by hand: one-hot rows and look-ups, "
        "the log-sigmoid, the cosine. Take the call out and follow the formula.",
        torch_functions=frozenset(
            {"one_hot", "embedding", "embedding_bag", "cosine_similarity", "cosine_embedding_loss"}
            | {"logsigmoid", "log_sigmoid", "softplus", "soft_margin_loss"}
            | {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
            | {"multilabel_soft_margin_loss"}
        ),
        python=(
            "torch.nn.Embedding",
            "torch.nn.EmbeddingBag",
            "torch.nn.LogSigmoid",
            "torch.nn.CosineSimilarity",
            "tfcourse.models.skipgram",
            "tfcourse.grading.mistakes.words",
        ),
        modules=("tfcourse.models", "tfcourse.runs"),
        operators=(
            *("embedding", "one_hot", "log_sigmoid", "softplus", "cosine_similarity"),
            *("binary_cross_entropy", "soft_margin"),
        ),
    ),
    "recurrent nets": Forbidden(
        why="is one of the things that this problem set writes by hand: recurrent cells, and the "
        "nets made of them. Take the call out and follow the formula.",
        torch_functions=frozenset(
            {"rnn_tanh", "rnn_relu", "lstm", "gru", "rnn_tanh_cell", "rnn_relu_cell"}
            | {"lstm_cell", "gru_cell", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell"}
            | {"mkldnn_rnn_layer", "quantized_lstm_cell", "quantized_gru_cell"}
            | {"quantized_rnn_tanh_cell", "quantized_rnn_relu_cell"}
        ),
        python=(
            *(f"torch.nn.{name}" for name in ("RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase")),
            *(f"torch.nn.{name}" for name in ("RNNCell", "LSTMCell", "GRUCell")),
            "torch.ao.nn.quantizable.modules.rnn.LSTM",
            "torch.ao.nn.quantizable.modules.rnn.LSTMCell",
            *(f"torch._decomp.decompositions.{cell}_cell" for cell in ("rnn", "lstm", "gru")),
            *(f"torch._decomp.decompositions.one_layer_{net}" for net in ("rnn", "lstm")),
            "tfcourse.recurrent",
            "tfcourse.grading.mistakes.recurrence",
        ),
        modules=("tfcourse.recurrent", "tfcourse.models", "tfcourse.runs"),
        operators=("lstm", "gru", "rnn"),
    ),
    "clipping": Forbidden(
        why="clips for you. Here clipping is written by hand: take the call out and follow the "
        "formula.",
        torch_functions=frozenset(),
        python=("torch.nn.utils.clip_grad", "tfcourse.grading.mistakes.recurrence"),
    ),
    "autograd": Forbidden(
        why="lets PyTorch find the gradient. Here the gradient is written by hand: take the call "
        "out and follow the formula.",
        torch_functions=frozenset({"backward"}),
        python=(
            "torch.autograd.backward",
            "torch.autograd.grad",
            "torch.autograd.graph._engine_run_backward",
            "torch.autograd.forward_ad",
            "torch.autograd.functional",
            "torch._functorch.eager_transforms",
        ),
    ),
    "translation": Forbidden(
        why="does what this problem set writes by hand: the loss over the words of a batch, the "
        "search for the best text. Take the call out and follow the formula.",
        torch_functions=frozenset(
            {"cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d"}
        ),
        python=(
            "torch.nn.CrossEntropyLoss",
            "torch.nn.NLLLoss",
            "tfcourse.generation",
            "tfcourse.grading.mistakes.alignment",
            "tfcourse.grading.mistakes.search",
        ),
        modules=("tfcourse.generation", "tfcourse.models", "tfcourse.runs", "tfcourse.training"),
        operators=("cross_entropy", "nll_loss"),
    ),
}

_forbidden: tuple[str, ...] = ()

_refusals: list[Mistake] = []


def by_hand(*what: str) -> None:
    """Say what must be written by hand from here on: calling it in a verb explains itself.

    Holds while a verb runs a learner's code, until the next ``by_hand``. In a learner's notebook it
    is there to teach, and stops nobody who means to get round it; where work is graded, the kernel
    is made without what is named here.

    Parameters
    ----------
    what:
        Names out of :data:`KINDS`, such as ``"attention"``; none allows everything. Written out as
        texts: the grader reads them before it runs the cell.

    Raises
    ------
    ValueError
        Where a name is not one of them.
    """
    global _forbidden
    if unknown := sorted(set(what) - set(KINDS)):
        raise ValueError(f"what must be among {', '.join(sorted(KINDS))}; got {', '.join(unknown)}")
    _forbidden = what


def forbidden() -> tuple[str, ...]:
    """What :func:`by_hand` named last."""
    return _forbidden


def refuse(name: str, kind: Forbidden) -> None:
    """Say that what was just called is to be written by hand.

    Raises
    ------
    Mistake
        Always. Work that catches it is told of it all the same.
    """
    _refusals.append(Mistake(f"`{name}` {kind.why}"))
    raise _refusals[-1]


@contextmanager
def watched(known: tuple[str, ...] = ()) -> Iterator[None]:
    """Run a learner's code; what :func:`by_hand` forbids raises a :class:`Mistake` in it.

    ``known`` are kinds that need no watching, as they are not there.
    """
    kinds = [KINDS[name] for name in _forbidden if name not in known]
    _refusals.clear()
    try:
        with _watching(kinds):
            yield
    except Exception:
        # Work that catches the refusal, or fails on it in its own way, is told of it all the same.
        if _refusals:
            raise _refusals[0] from None
        raise
    if _refusals:
        raise _refusals[0]


@contextmanager
def _watching(kinds: list[Forbidden]) -> Iterator[None]:
    if not kinds:
        yield
        return
    codes = {code: (name, kind) for kind in kinds for code, name in _codes(kind)}

    def profile(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code in codes:
            refuse(*codes[frame.f_code])

    before = sys.getprofile()
    with _Watch(kinds):
        if codes:
            sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before)


class _Watch(TorchFunctionMode):
    """Sees every call of a PyTorch function, whatever name it goes by."""

    def __init__(self, kinds: list[Forbidden]) -> None:
        super().__init__()
        self.kinds = kinds

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "").partition(".")[0]  # torch.ops adds ".default"
        for kind in self.kinds:
            if name in kind.torch_functions and kind.only(args, kwargs):
                refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
        return func(*args, **kwargs)


def _codes(kind: Forbidden) -> Iterator[tuple[CodeType, str]]:
    """The code of every Python function that a kind names, with the name to tell a learner."""
    for function, name in functions(kind):
        yield inspect.unwrap(function).__code__, name


def functions(kind: Forbidden, load: bool = True) -> Iterator[tuple[FunctionType, str]]:
    """Every Python function that a kind names, with the name to tell a learner.

    With ``load`` false, of those modules alone that are loaded.
    """
    for path in kind.python:
        thing, name = _find(path, load), path.rpartition(".")[2]
        if not isinstance(thing, ModuleType):
            yield from ((function, name) for function in _functions_of(thing))
            continue
        for inner in list(vars(thing).values()):
            if str(getattr(inner, "__module__", "")).startswith(path):
                told = f"{path}.{getattr(inner, '__name__', '')}"
                yield from ((function, told) for function in _functions_of(inner))


def _functions_of(thing: object) -> Iterator[FunctionType]:
    inner = vars(thing).values() if inspect.isclass(thing) else [thing]
    for function in (getattr(part, "__func__", part) for part in inner):
        if inspect.isfunction(function):
            yield function


def _find(path: str, load: bool) -> object:
    """What a dotted path leads to; ``None`` where there is no such thing, or it is not loaded."""
    if load:
        with suppress(Exception):
            return importlib.import_module(path)
    elif path in sys.modules:
        return sys.modules[path]
    parent, _, name = path.rpartition(".")
    return getattr(_find(parent, load), name, None) if parent else None
