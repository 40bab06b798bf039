"""How a checkpoint's names and shapes map onto a model's, and how mismatches are reported."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch import Tensor, nn

from tfcourse.attention import MultiHeadAttention
from tfcourse.models.common import MAY_BE_ZERO
from tfcourse.pretrained.settings import NEEDED, CheckpointConfig
from tfcourse.wrapped import plain_name, unwrapped, weights_of

#: The names of a stack's sizes in the ``config.json`` of BERT, Llama and ViT.
STACK = {
    "num_layers": "num_hidden_layers", "num_heads": "num_attention_heads",
    "d_model": "hidden_size", "d_ff": "intermediate_size",
}  # fmt: skip

#: The types in which models compute.
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

#: Entries of ``config.json`` that say that the tensors are codes, not weights.
QUANTISED = ("quantization_config", "compression_config")

#: Hugging Face's names of the activations, and ours.
ACTIVATION_NAMES = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


@dataclass(frozen=True)
class Weight:
    """One tensor of a checkpoint and its counterpart in the model.

    Attributes
    ----------
    theirs, ours:
        Its name in the checkpoint, and the parameter it corresponds to; if there are several, it
        holds them side by side, in this order.
    transposed, shape:
        Whether it is stored as ``(out, in)``, as in ``nn.Linear``, while ours is ``(in, out)``; and
        its shape, if its axes differ from ours.
    """

    theirs: str
    ours: tuple[str, ...]
    transposed: bool = False
    shape: tuple[int, ...] | None = None

    def export(self, parts: list[Tensor]) -> Tensor:
        """Our parameters as the checkpoint stores them."""
        joined = torch.cat(parts, dim=-1)
        joined = joined.T if self.transposed else joined
        return joined if self.shape is None else joined.reshape(self.shape)

    def parts(self, stored: Tensor, like: list[Tensor]) -> list[Tensor]:
        """The inverse of :meth:`export`; ``like`` gives the shapes of our parameters."""
        widths = [p.shape[-1] for p in like]
        flat = (*like[0].shape[:-1], sum(widths))
        joined = stored.reshape(flat[::-1] if self.transposed else flat)
        joined = joined.T if self.transposed else joined
        return list(joined.split(widths, dim=-1))


def affine(theirs: str, W: str, b: str | None = None, *, transposed: bool = True) -> list[Weight]:
    """A linear layer of the checkpoint; an ``nn.Linear`` stores its matrix transposed."""
    weights = [Weight(f"{theirs}.weight", (W,), transposed)]
    return weights if b is None else [*weights, Weight(f"{theirs}.bias", (b,))]


def norm(theirs: str, ours: str) -> list[Weight]:
    """A layer normalisation."""
    return [Weight(f"{theirs}.weight", (f"{ours}.gain",)),
            Weight(f"{theirs}.bias", (f"{ours}.shift",))]  # fmt: skip


def attention(theirs: dict[str, str], ours: str, *, bias: bool = True) -> list[Weight]:
    """Attention with four separate matrices; ``theirs`` names those of Q, K, V and O."""
    return [
        weight
        for letter, name in theirs.items()
        for weight in affine(name, f"{ours}.W_{letter}", f"{ours}.b_{letter}" if bias else None)
    ]


def encoder_block(theirs: str, ours: str, inner: str, norms: tuple[str, str]) -> list[Weight]:
    """A block with BERT's and ViT's names; ``norms`` are attention's and feed-forward's."""
    names = {x: f"{theirs}.attention.{inner}.{n}"
             for x, n in zip("QKV", ("query", "key", "value"), strict=True)}  # fmt: skip
    return [
        *attention(names | {"O": f"{theirs}.attention.output.dense"}, f"{ours}.attention"),
        *affine(f"{theirs}.intermediate.dense", f"{ours}.ffn.W_1", f"{ours}.ffn.b_1"),
        *affine(f"{theirs}.output.dense", f"{ours}.ffn.W_2", f"{ours}.ffn.b_2"),
        *norm(f"{theirs}.{norms[0]}", f"{ours}.attention_norm"),
        *norm(f"{theirs}.{norms[1]}", f"{ours}.ffn_norm"),
    ]


class Family:
    """The checkpoints of one architecture; each family overrides what is specific to it."""

    #: Its name in ``config.json``, our model that computes it, and that model's config.
    model_type: str
    model: type[nn.Module]
    configured: Any
    #: Required entries of ``config.json``, by the names of our config.
    needed: Mapping[str, str]
    #: Optional entries, with their names and defaults there.
    optional: Mapping[str, tuple[str, Any]] = {}
    #: Older names, as patterns with their replacements.
    renamed: tuple[tuple[str, str], ...] = ()
    #: Names of tensors that are not learned and can be left out.
    constant: str = r"(?!)"

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> Any:
        """Our config, from ``config.json`` and the stored tensors."""
        raise NotImplementedError

    def settings(self, config: Any) -> dict[str, Any]:
        """``config.json``, from our config."""
        raise NotImplementedError

    def weights(self, config: Any) -> list[Weight]:
        """Every tensor of a checkpoint."""
        raise NotImplementedError

    def differs(self, config: Any) -> list[str]:
        """The settings of our config that this architecture does not support; empty if it fits."""
        return []

    def copies(self, config: Any) -> dict[str, str]:
        """Names under which a shared tensor may be stored a second time."""
        return {}

    def tables(self, config: Any) -> dict[str, Tensor]:
        """Tensors that may be stored although a formula determines them."""
        return {}

    def read(self, settings: CheckpointConfig) -> dict[str, Any]:
        """The entries of ``config.json`` that have a name in our config, with its types."""
        kinds = {field.name: str(field.type) for field in dataclasses.fields(self.configured)}
        names = {ours: (theirs, NEEDED) for ours, theirs in self.needed.items()}
        return {
            ours: settings.typed(theirs, kinds[ours], default, least=int(ours not in MAY_BE_ZERO))
            for ours, (theirs, default) in {**names, **self.optional}.items()
        }

    def written(self, config: Any) -> dict[str, Any]:
        """The inverse of :meth:`read`."""
        names = {**self.needed, **{ours: theirs for ours, (theirs, _) in self.optional.items()}}
        return {theirs: getattr(config, ours) for ours, theirs in names.items()}

    def build(
        self,
        settings: CheckpointConfig,
        stored: Mapping[str, Tensor],
        dtype: torch.dtype | None,
        where: str,
    ) -> nn.Module:
        """Build the model from these settings and tensors."""
        tensors = {}
        for name, t in stored.items():
            for pattern, replacement in self.renamed:
                name = re.sub(pattern, replacement, name)
            if not re.search(self.constant, name):
                tensors[name] = t
        settings.must_be_absent(*QUANTISED)
        check_floats(tensors, where)
        config = self.config(settings, tensors)
        with torch.device("meta"):  # shapes only: every number comes from the checkpoint
            model = self.model(config)
        self._drop_repeated(config, tensors, where)
        self._fits(model, tensors, where)
        if dtype is None:
            dtype = reduce(torch.promote_types, (t.dtype for t in tensors.values()))
        model = model.to(dtype).to_empty(device="cpu")
        ours = _tensors(model)
        with torch.no_grad():
            for weight in self.weights(config):
                like = [ours[name] for name in weight.ours]
                for p, part in zip(like, weight.parts(tensors[weight.theirs], like), strict=True):
                    p.copy_(part)
        return model.eval()

    def export(self, model: nn.Module) -> dict[str, Tensor]:
        """The tensors of a checkpoint from a model."""
        ours = {name: p.detach().cpu() for name, p in _tensors(model).items()}
        return {
            w.theirs: w.export([ours[n] for n in w.ours]).contiguous()
            for w in self.weights(unwrapped(model).config)
        }

    def _drop_repeated(self, config: Any, tensors: dict[str, Tensor], where: str) -> None:
        """Drop tensors stored twice or determined by a formula, after checking them."""
        for name, of in self.copies(config).items():
            if name in tensors:
                copy = tensors.pop(name)
                if not torch.equal(tensors.setdefault(of, copy), copy):
                    raise ValueError(
                        f"the checkpoint in {where} must hold one tensor for {of} and {name}, "
                        "which the model shares; it holds two that differ"
                    )
        for name, table in self.tables(config).items():
            if name in tensors:
                given = tensors.pop(name)
                close = 4 * torch.finfo(given.dtype).eps
                if given.shape != table.shape or not torch.allclose(
                    given.double(), table, rtol=0, atol=close
                ):
                    raise ValueError(
                        f"the checkpoint in {where} must hold in {name} what the formula gives, "
                        "it holds something else"
                    )

    def _fits(self, model: nn.Module, tensors: Mapping[str, Tensor], where: str) -> None:
        """Raise ``ValueError`` for missing or unexpected names, and for shapes that differ."""
        ours = _tensors(model)
        want = {
            w.theirs: tuple(w.export([ours[n] for n in w.ours]).shape)
            for w in self.weights(model.config)
        }
        have = {name: tuple(t.shape) for name, t in tensors.items()}
        told = [
            _listed("missing", [f"{n} {s}" for n, s in want.items() if n not in have]),
            _listed("not known", [f"{n} {s}" for n, s in have.items() if n not in want]),
            _listed("of another shape", [
                f"{n} is {have[n]}, must be {s}"
                for n, s in want.items() if n in have and have[n] != s
            ]),
        ]  # fmt: skip
        if any(told):
            lines = "\n".join(line for line in told if line)
            name = type(model).__name__
            raise ValueError(f"the checkpoint in {where} does not fit {name}:\n{lines}")


def _tensors(model: nn.Module) -> dict[str, Tensor]:
    """The tensors by name, and the matrices that attention stores side by side in one."""
    found = weights_of(model)
    for path, layer in model.named_modules():
        if isinstance(layer, MultiHeadAttention):
            path = plain_name(model, path)
            for name, _ in layer.named_parameters(recurse=False):
                separate = layer.separate(name, found[f"{path}.{name}"])
                found |= {f"{path}.{part}": t for part, t in separate.items()}
    return found


def check_floats(tensors: Mapping[str, Tensor], where: str) -> None:
    """Raise ``ValueError`` for tensors of a type in which no model computes."""
    for name, t in tensors.items():
        if t.dtype not in FLOATS:
            raise ValueError(
                f"{name} in the checkpoint in {where} must be one of {list(FLOATS)}, got {t.dtype}"
            )


def _listed(title: str, entries: list[str], most: int = 12) -> str:
    if not entries:
        return ""
    more = f", and {len(entries) - most} more" if len(entries) > most else ""
    return f"  {title}: {', '.join(sorted(entries)[:most])}{more}"


def activation_name(ours: str) -> str:
    """Hugging Face's name for one of our activations."""
    return next(theirs for theirs, o in ACTIVATION_NAMES.items() if o == ours)
