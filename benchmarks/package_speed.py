"""Speed of the package's components compared with their peers: a training step, and attention.

Multi-head attention against PyTorch's. A GPT training step against nanoGPT's, Hugging Face's GPT-2
and ``nn.TransformerEncoder`` with a causal mask, plain and through ``torch.compile``. The
encoder-decoder's training step against ``nn.Transformer``, T5 and Marian. All have the same shape,
and all use the optimiser that ``fit`` makes: AdamW in one pass over each tensor. Ours has the loss
that ``fit`` takes, the others PyTorch's. One row has nanoGPT with the optimiser of its own training
script on a CPU, which is PyTorch's default.

On a CPU the models are small, in float32, with the exact GELU, which is cheaper there than the tanh
approximation. ``--device cuda`` uses GPT-2 with 124 million parameters and an encoder-decoder of
the base size, in bfloat16.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from _beside import OURS, Rows, alternating, keep, memory, profile, roof, row  # noqa: E402
from _peers import EncoderAsGPT, NanoGPT, TorchTransformer  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from tfcourse.attention import MultiHeadAttention  # noqa: E402
from tfcourse.flops import forward_flops
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402
from tfcourse.models.transformer import Transformer, TransformerConfig  # noqa: E402
from tfcourse.training import adamw, label_smoothed_loss  # noqa: E402

SEED = 0
NANO, HF, STACK = "nanoGPT", "Hugging Face GPT-2", "nn.TransformerEncoder"


@dataclass(frozen=True)
class Sizes:
    """Sizes of a model and of a batch; an encoder-decoder has this many layers on each side."""

    B: int
    T: int
    layers: int
    heads: int
    d_model: int
    vocabulary: int

    def __str__(self) -> str:
        return (
            f"{self.layers} layers of width {self.d_model}, {self.heads} heads, "
            f"{self.B} texts of {self.T} tokens"
        )


#: Sizes for a CPU within seconds, for a GPU, and for a quick check.
GPTS = {
    "cpu": [Sizes(12, 256, 4, 4, 128, 65), Sizes(12, 64, 4, 4, 128, 65)],
    "cuda": [Sizes(16, 1024, 12, 12, 768, 50304)],
    "quick": [Sizes(2, 8, 1, 2, 16, 65)],
}
PAIRS = {
    "cpu": [Sizes(64, 32, 3, 4, 256, 1000)],
    "cuda": [Sizes(128, 128, 6, 8, 512, 32000)],
    "quick": [Sizes(2, 8, 1, 2, 16, 65)],
}
ATTENTION = {
    "cpu": [(12, 256, 128, 4), (8, 128, 512, 8)],
    "cuda": [(16, 1024, 768, 12)],
    "quick": [(2, 8, 16, 2)],
}


def multi_head_attention(
    B: int, T: int, D: int, H: int, causal: bool, device: str
) -> dict[str, Callable[[], None]]:
    """Forward and backward of self-attention, without weights."""
    torch.manual_seed(SEED)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    ours, theirs = MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, batch_first=True)
    ours, theirs = ours.to(device, dtype), theirs.to(device, dtype)
    x = torch.randn(B, T, D, device=device, dtype=dtype, requires_grad=True)
    hidden = torch.ones(T, T, dtype=torch.bool, device=device).triu(1) if causal else None

    def run_ours() -> None:
        ours(x, causal=causal, fused=True)[0].sum().backward()

    def run_theirs() -> None:
        theirs(x, x, x, attn_mask=hidden, is_causal=causal, need_weights=False)[0].sum().backward()

    return {OURS: run_ours, "nn.MultiheadAttention": run_theirs}


def training_step(
    model: nn.Module,
    logits: Callable[[], Tensor],
    targets: Tensor,
    optimiser: torch.optim.Optimizer | None = None,
    loss_of: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy,
) -> Callable[[], None]:
    """Forward, loss, backward and a step of AdamW; in bfloat16 on a GPU."""
    if optimiser is None:
        optimiser = adamw()(model)
        for group in optimiser.param_groups:  # `fit` sets it before each step
            group["lr"] = 1e-4
    kind = targets.device.type

    def step() -> None:
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            loss = loss_of(logits().flatten(0, 1), targets.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def our_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """What `fit` has: a chunk of a large vocabulary's logits at a time."""
    return label_smoothed_loss(logits, targets)[0]


def decoders(sizes: Sizes, device: str) -> tuple[Tensor, Tensor, dict[str, nn.Module]]:
    """Tokens, next tokens, and the same decoder from each library."""
    from transformers import GPT2Config, GPT2LMHeadModel

    V, T, layers, heads, d_model = (
        sizes.vocabulary, sizes.T, sizes.layers, sizes.heads, sizes.d_model
    )  # fmt: skip
    torch.manual_seed(SEED)
    ids = torch.randint(V, (sizes.B, T + 1), device=device)
    config = GPT2Config(
        vocab_size=V, n_positions=T, n_embd=d_model, n_layer=layers, n_head=heads,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
        activation_function="gelu",
    )  # fmt: skip
    models = {
        OURS: GPT(GPTConfig(V, T, layers, heads, d_model, ffn="gelu", bias=False)),
        NANO: NanoGPT(V, T, layers, heads, d_model),
        HF: GPT2LMHeadModel(config),
        STACK: EncoderAsGPT(V, T, layers, heads, d_model),
    }
    for model in models.values():
        model.to(device).train()
    return ids[:, :-1].contiguous(), ids[:, 1:].contiguous(), models


def logits_of(name: str, run: Callable[[Tensor], Any], x: Tensor) -> Callable[[], Tensor]:
    """A call that returns only the logits."""
    return (lambda: run(x).logits) if name in (OURS, HF) else (lambda: run(x))


def gpt(sizes: Sizes, device: str, compiled: bool = False) -> dict[str, Callable[[], None]]:
    """Training steps of the same decoder."""
    x, y, models = decoders(sizes, device)
    if compiled and device == "cpu":  # the compiler takes half a minute per model there
        models = {name: models[name] for name in (OURS, NANO)}
    return {
        name: training_step(
            model,
            logits_of(name, torch.compile(model) if compiled else model, x),
            y,
            loss_of=our_loss if name == OURS else F.cross_entropy,
        )
        for name, model in models.items()
    }


def own_optimisers(sizes: Sizes, device: str) -> dict[str, Callable[[], None]]:
    """Ours and nanoGPT's, each with the optimiser that its training makes on this device."""
    x, y, models = decoders(sizes, device)
    theirs = torch.optim.AdamW(
        models[NANO].parameters(), lr=1e-4, fused=device == "cuda" or None
    )  # fmt: skip
    return {
        OURS: training_step(models[OURS], logits_of(OURS, models[OURS], x), y, loss_of=our_loss),
        NANO: training_step(models[NANO], logits_of(NANO, models[NANO], x), y, theirs),
    }


def encoder_decoder(sizes: Sizes, device: str) -> dict[str, Callable[[], None]]:
    """Training steps of the same encoder-decoder; sources are padded."""
    from transformers import MarianConfig, MarianMTModel, T5Config, T5ForConditionalGeneration

    V, layers, heads, d_model, T = (
        sizes.vocabulary, sizes.layers, sizes.heads, sizes.d_model, sizes.T
    )  # fmt: skip
    torch.manual_seed(SEED)
    source = torch.randint(2, V, (sizes.B, T), device=device)
    ids = torch.randint(2, V, (sizes.B, T + 1), device=device)
    lengths = torch.randint(T // 2, T + 1, (sizes.B,), device=device)
    real = torch.arange(T, device=device) < lengths[:, None]
    source_hidden = torch.where(real, 0.0, -torch.inf)
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    ours = Transformer(
        TransformerConfig(
            V, context_length=T, num_encoder_layers=layers, num_decoder_layers=layers,
            num_heads=heads, d_model=d_model, norm="pre", dropout=0.0,
        )
    )  # fmt: skip
    theirs = TorchTransformer(V, layers, heads, d_model, T)
    t5 = T5ForConditionalGeneration(
        T5Config(
            vocab_size=V, d_model=d_model, d_kv=d_model // heads, d_ff=4 * d_model,
            num_layers=layers, num_heads=heads, dropout_rate=0.0, use_cache=False,
        )
    )  # fmt: skip
    marian = MarianMTModel(
        MarianConfig(
            vocab_size=V, d_model=d_model, encoder_layers=layers, decoder_layers=layers,
            encoder_attention_heads=heads, decoder_attention_heads=heads,
            encoder_ffn_dim=4 * d_model, decoder_ffn_dim=4 * d_model, dropout=0.0,
            attention_dropout=0.0, activation_dropout=0.0, activation_function="relu",
            max_position_embeddings=T, pad_token_id=0, decoder_start_token_id=0, use_cache=False,
        )
    )  # fmt: skip
    for model in (ours, theirs, t5, marian):
        model.to(device).train()

    def of(model: nn.Module) -> Callable[[], Tensor]:
        return lambda: model(input_ids=source, attention_mask=real, decoder_input_ids=x).logits

    return {
        OURS: training_step(ours, lambda: ours(source, x, lengths).logits, y, loss_of=our_loss),
        "nn.Transformer": training_step(theirs, lambda: theirs(source, source_hidden, x), y),
        "T5": training_step(t5, of(t5), y),
        "Marian": training_step(marian, of(marian), y),
    }


def numbers(device: str) -> str:
    """The number format."""
    return "bfloat16" if device == "cuda" else "float32"


def attention_row(
    B: int, T: int, D: int, H: int, causal: bool, device: str, repeats: int
) -> dict[str, Any]:
    """Multi-head attention, with or without the causal mask."""
    seen = alternating(multi_head_attention(B, T, D, H, causal, device), repeats, device)
    size = f"width {D}, {H} heads, {B} texts of {T} tokens, {numbers(device)}"
    return row(
        "multi-head attention, forward and backward", f"{size}{', causal' * causal}",
        seen, goal={"nn.MultiheadAttention": 1.04},
    )  # fmt: skip


def decoder_row(
    sizes: Sizes, compiled: bool, most: dict | None, full: bool, device: str, repeats: int
) -> dict[str, Any]:
    """The decoder's training step; ``full`` adds its memory and a profile."""
    goal = {NANO: 1.05, HF: 1.1 if device == "cuda" else 1.0, STACK: 1.0}
    steps = gpt(sizes, device, compiled)
    found = row(
        f"GPT training step{', compiled' * compiled}", f"{sizes}, {numbers(device)}",
        alternating(steps, repeats, device), unit="tokens / s", amount=sizes.B * sizes.T,
        goal={name: least for name, least in goal.items() if name in steps},
    )  # fmt: skip
    if most is not None:
        # The operations for MFU: a backward pass takes twice those of a forward pass.
        config = GPTConfig(
            sizes.vocabulary, sizes.T, sizes.layers, sizes.heads, sizes.d_model, bias=False
        )
        work = 3 * forward_flops(GPT(config), sizes.B, sizes.T)
        for way in found["ways"].values():
            way["MFU"] = round(1000 * work / way["ms"] / most["operations / s"], 3)
        found["most"] = most
    if full:
        _add(found, memory(gpt, {"sizes": sizes, "device": device}, device))
        found["share of the time"] = {n: profile(s, device) for n, s in steps.items()}
    return found


def optimisers_row(sizes: Sizes, device: str, repeats: int) -> dict[str, Any]:
    """The decoder's training step, each with its own optimiser."""
    return row(
        "GPT training step, each with its own optimiser", f"{sizes}, {numbers(device)}",
        alternating(own_optimisers(sizes, device), repeats, device),
        unit="tokens / s", amount=sizes.B * sizes.T, goal={NANO: 1.05},
    )  # fmt: skip


def pair_row(sizes: Sizes, full: bool, device: str, repeats: int) -> dict[str, Any]:
    """The encoder-decoder's training step; ``full`` adds its memory and a profile."""
    steps = encoder_decoder(sizes, device)
    found = row(
        "encoder-decoder training step", f"{sizes} on either side, {numbers(device)}",
        alternating(steps, repeats, device), unit="tokens / s", amount=2 * sizes.B * sizes.T,
        goal={"nn.Transformer": 1.1, "T5": 1.1, "Marian": 1.1},
    )  # fmt: skip
    if full:
        _add(found, memory(encoder_decoder, {"sizes": sizes, "device": device}, device))
        found["share of the time"] = {n: profile(s, device) for n, s in steps.items()}
    return found


def _add(found: dict[str, Any], grown: dict[str, float]) -> None:
    for name, way in found["ways"].items():
        way["peak MiB"] = grown[name]


def rows(device: str, quick: bool, repeats: int) -> Rows:
    """Every row; the first size of a decoder also compiled, with its memory and a profile."""
    at = "quick" if quick else device
    run = {"device": device, "repeats": repeats}
    for shape in ATTENTION[at]:
        for causal in (False, True):
            yield f"attention {shape} {causal}", partial(attention_row, *shape, causal, **run)
    most = None if quick else roof(device)
    for i, sizes in enumerate(GPTS[at]):
        full = not (quick or i)
        yield f"GPT {i}", partial(decoder_row, sizes, False, most, full, **run)
        if full:
            yield f"GPT {i} compiled", partial(decoder_row, sizes, True, most, False, **run)
    yield "GPT optimisers", partial(optimisers_row, GPTS[at][0], **run)
    for i, sizes in enumerate(PAIRS[at]):
        yield f"encoder-decoder {i}", partial(pair_row, sizes, not quick, **run)


if __name__ == "__main__":
    keep("package-speed", __doc__, rows, seed=SEED)
