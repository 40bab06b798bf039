"""Llama's checkpoints.

Pitfalls: its rotary positions pair coordinate ``i`` with ``i + d/2``, not with its neighbour; and
``transformers`` computes its normalisations and angles in float32 even in a float64 model, so the
two agree only to 1e-6 there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.positions import SCALINGS, YARN_TURNS
from tfcourse.pretrained.family import STACK, Family, Weight, affine, attention
from tfcourse.pretrained.settings import CheckpointConfig


class Llama(Family):
    """``LlamaForCausalLM`` without biases in its layers, with plain or scaled rotary positions.

    A family that differs in a few parts overrides the attributes and :meth:`norm`.
    """

    model_type = "llama"
    architecture = "LlamaForCausalLM"
    model = GPT
    configured = GPTConfig
    #: What our config must say.
    fixed: Mapping[str, Any] = {
        "positions": "rotary_halves", "norm": "rms", "ffn": "swiglu", "bias": False,
        "scale_embeddings": False, "window": None, "qk_norm": False,
    }  # fmt: skip
    #: What ``config.json`` must say.
    required: Mapping[str, Any] = {
        "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
    }  # fmt: skip
    #: The fraction of a head's coordinates that is rotated if ``config.json`` names none; ``None``
    #: if the family has no choice but all.
    rotary_fraction: float | None = None
    needed = {"vocab_size": "vocab_size", **STACK}
    optional = {
        "context_length": ("max_position_embeddings", 2048), "d_k": ("head_dim", None),
        "eps": ("rms_norm_eps", 1e-6), "tied": ("tie_word_embeddings", False),
        "dropout": ("attention_dropout", 0.0),
    }  # fmt: skip
    constant = r"\.rotary_emb\.inv_freq$"

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> GPTConfig:
        """Our config, from ``config.json``."""
        settings.must_be(**self.required)
        found = self.read(settings)
        config = GPTConfig(
            **self.fixed,
            **found,
            **_rotary(settings),
            num_kv_heads=settings.typed("num_key_value_heads", "int", found["num_heads"]),
        )
        given = _entries(settings)
        if self.rotary_fraction is None:
            given.must_be(partial_rotary_factor=1.0)
            return config
        fraction = given.typed("partial_rotary_factor", "float", self.rotary_fraction)
        if not 0 < fraction <= 1:
            given.refuse("partial_rotary_factor", "above 0, and at most 1")
        return replace(config, rotary_dim=int(_width(config) * fraction))

    def settings(self, config: GPTConfig) -> dict[str, Any]:
        """``config.json``, from our config; NTK scaling is written as the equivalent base."""
        d_k = _width(config)
        d = config.rotary_dim or d_k
        base = config.rotary_base
        if config.ntk > 1:
            base *= config.ntk ** (d / (d - 2))
        rotary = _parameters(config, base)
        if self.rotary_fraction is not None:
            rotary["partial_rotary_factor"] = _fraction(d, d_k)
        return {
            **self.written(config),
            **self.required,
            "architectures": [self.architecture],
            "num_key_value_heads": config.num_kv_heads or config.num_heads,
            "head_dim": d_k,
            "intermediate_size": config.d_ff or 8 * config.d_model // 3,
            "rope_parameters": rotary,
        }

    def differs(self, config: GPTConfig) -> list[str]:
        """The settings of our config that the architecture does not support."""
        fixed = dict(self.fixed)
        if self.rotary_fraction is None:
            fixed["rotary_dim"] = None
        if config.rotary_scaling == "dynamic":
            fixed["original"] = config.context_length  # it has no entry of its own there
        return [f"{n} must be {v!r}" for n, v in fixed.items() if getattr(config, n) != v]

    def norm(self, theirs: str, ours: str) -> list[Weight]:
        """A normalisation."""
        return [Weight(f"{theirs}.weight", (f"{ours}.gain",))]

    def copies(self, config: GPTConfig) -> dict[str, str]:
        """A tied head may be stored twice."""
        return {"lm_head.weight": "model.embed_tokens.weight"} if config.tied else {}

    def weights(self, config: GPTConfig) -> list[Weight]:
        """Every tensor of a checkpoint."""
        found = [
            Weight("model.embed_tokens.weight", ("embedding.weight",)),
            *self.norm("model.norm", "norm"),
        ]
        for i in range(config.num_layers):
            theirs, ours = f"model.layers.{i}", f"blocks.{i}"
            names = {x: f"{theirs}.self_attn.{x.lower()}_proj" for x in "QKVO"}
            found += [
                *self.norm(f"{theirs}.input_layernorm", f"{ours}.attention_norm"),
                *attention(names, f"{ours}.attention", bias=False),
                *self.norm(f"{theirs}.post_attention_layernorm", f"{ours}.ffn_norm"),
                *affine(f"{theirs}.mlp.gate_proj", f"{ours}.ffn.W_1"),
                *affine(f"{theirs}.mlp.up_proj", f"{ours}.ffn.W_3"),
                *affine(f"{theirs}.mlp.down_proj", f"{ours}.ffn.W_2"),
            ]
            for norm in ("q_norm", "k_norm") if config.qk_norm else ():
                found += self.norm(f"{theirs}.self_attn.{norm}", f"{ours}.attention.{norm}")
        return found if config.tied else [*found, *affine("lm_head", "W_U")]


def _width(config: GPTConfig) -> int:
    """The width of a head."""
    return config.d_k or config.d_model // config.num_heads


def _fraction(part: int, whole: int) -> float:
    """The fraction by which ``transformers`` finds the part again: it rounds the product down."""
    fraction = part / whole
    return fraction if int(whole * fraction) == part else math.nextafter(fraction, 1)


def _entries(settings: CheckpointConfig) -> CheckpointConfig:
    """What newer or older versions of ``config.json`` say of rotary positions."""
    names = ("rope_theta", "partial_rotary_factor")
    top = {name: settings.entries[name] for name in names if name in settings.entries}
    return CheckpointConfig(top | settings.part("rope_scaling") | settings.part("rope_parameters"))


def _rotary(settings: CheckpointConfig) -> dict[str, Any]:
    """The base and the scaling."""
    given = _entries(settings)
    kinds = {"default": "none"} | {name: name for name in SCALINGS[1:]}
    kind = given.named("rope_type" if given.entries.get("rope_type") else "type", kinds, "default")
    base = given.typed("rope_theta", "float", 10_000.0)
    found: dict[str, Any] = {"rotary_base": base, "rotary_scaling": kind}
    if kind == "none":
        return found
    found["rotary_factor"] = factor = given.typed("factor", "float")
    if factor <= 0:
        given.refuse("factor", "above 0")
    if kind == "yarn":
        # YaRN's other options; absent ones have the values used here.
        given.must_be(beta_fast=YARN_TURNS[0], beta_slow=YARN_TURNS[1], truncate=True,
                      attention_factor=0.1 * math.log(factor) + 1)  # fmt: skip
        if given.entries.get("mscale") and given.entries.get("mscale_all_dim"):
            given.refuse("mscale", "absent")
        found["rotary_original"] = given.typed("original_max_position_embeddings", "int", None)
    return found


def _parameters(config: GPTConfig, base: float) -> dict[str, Any]:
    """The base and the scaling for ``config.json``."""
    if config.rotary_scaling == "none":
        return {"rope_theta": base, "rope_type": "default"}
    told = {"rope_theta": base, "rope_type": config.rotary_scaling, "factor": config.rotary_factor}
    if config.rotary_scaling == "yarn":
        told["original_max_position_embeddings"] = config.original
    return told
