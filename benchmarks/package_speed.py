"""How fast the package's components are beside their peers, in one process and in turn.

Multi-head attention beside PyTorch's; a GPT training step beside Hugging Face's GPT-2 and beside
``nn.TransformerEncoder`` with a causal mask, all of one shape; the encoder-decoder's training step
beside ``nn.Transformer``. Runs alternate, so that a busy moment falls on all alike, and what is
reported for each peer is the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from tfcourse import records  # noqa: E402
from tfcourse.attention import MultiHeadAttention  # noqa: E402
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402
from tfcourse.models.transformer import Transformer, TransformerConfig  # noqa: E402

SEED = 0
THREADS = 2


def compare(ways: dict[str, Callable[[], None]], repeats: int) -> dict:
    """Milliseconds of each way, and of how many times longer each peer takes than ours."""
    seen: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        for _ in range(3):
            way()
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seen[name].append(1000 * (time.perf_counter() - start))
    ours = seen["tfcourse"]
    return {
        "milliseconds": {n: round(statistics.median(times), 2) for n, times in seen.items()},
        "peer / ours, median of neighbouring runs": {
            name: round(statistics.median(t / o for t, o in zip(times, ours, strict=True)), 3)
            for name, times in seen.items()
            if name != "tfcourse"
        },
    }


def multi_head_attention(B: int, T: int, D: int, H: int, causal: bool, repeats: int) -> dict:
    """Forward and backward of self-attention, without weights."""
    torch.manual_seed(SEED)
    ours, theirs = MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, batch_first=True)
    x = torch.randn(B, T, D, requires_grad=True)
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1) if causal else None

    def run_ours() -> None:
        ours(x, causal=causal, fused=True)[0].sum().backward()

    def run_theirs() -> None:
        theirs(x, x, x, attn_mask=hidden, is_causal=causal, need_weights=False)[0].sum().backward()

    shape = {"B": B, "T": T, "D": D, "H": H, "causal": causal}
    return shape | compare({"tfcourse": run_ours, "nn.MultiheadAttention": run_theirs}, repeats)


class EncoderAsGPT(nn.Module):
    """``nn.TransformerEncoder`` with a causal mask, between an embedding and its transpose."""

    def __init__(self, vocabulary: int, longest: int, layers: int, heads: int, d_model: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.places = nn.Parameter(0.02 * torch.randn(longest, d_model))
        layer = nn.TransformerEncoderLayer(
            d_model, heads, 4 * d_model, dropout=0.0, activation=_gelu_tanh,
            batch_first=True, norm_first=True,
        )  # fmt: skip
        self.stack = nn.TransformerEncoder(
            layer, layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False
        )
        self.register_buffer("hidden", nn.Transformer.generate_square_subsequent_mask(longest))

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.shape[1]
        x = self.embedding(ids) + self.places[:T]
        x = self.stack(x, mask=self.hidden[:T, :T], is_causal=True)
        return x @ self.embedding.weight.T


def _gelu_tanh(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def training_step(model: nn.Module, logits: Callable[[], Tensor], targets: Tensor):
    """Forward, loss, backward and a step of AdamW."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        loss = F.cross_entropy(logits().flatten(0, 1), targets.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def gpt(B: int, T: int, repeats: int) -> dict:
    """A training step of 4 layers, 4 heads, width 128, vocabulary 65."""
    from transformers import GPT2Config, GPT2LMHeadModel

    V, layers, heads, d_model = 65, 4, 4, 128
    torch.manual_seed(SEED)
    ids = torch.randint(V, (B, T + 1))
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    ours = GPT(GPTConfig(V, longest=T, layers=layers, heads=heads, d_model=d_model))
    hf = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=V, n_positions=T, n_embd=d_model, n_layer=layers, n_head=heads,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
        )
    )  # fmt: skip
    encoder = EncoderAsGPT(V, T, layers, heads, d_model)
    ways = {
        "tfcourse": training_step(ours, lambda: ours(x).logits, y),
        "Hugging Face GPT-2": training_step(hf.train(), lambda: hf(x).logits, y),
        "nn.TransformerEncoder": training_step(encoder, lambda: encoder(x), y),
    }
    shape = {"B": B, "T": T, "layers": layers, "heads": heads, "d_model": d_model}
    return shape | compare(ways, repeats)


class TorchTransformer(nn.Module):
    """``nn.Transformer`` between one embedding and its transpose, with sinusoids."""

    def __init__(self, vocabulary: int, layers: int, heads: int, d_model: int, longest: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.stack = nn.Transformer(
            d_model, heads, layers, layers, 4 * d_model, dropout=0.0, batch_first=True,
            norm_first=True,
        )  # fmt: skip
        angle = torch.arange(longest)[:, None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))
        self.register_buffer("hidden", nn.Transformer.generate_square_subsequent_mask(longest))

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedding(ids) * math.sqrt(self.places.shape[1]) + self.places[: ids.shape[1]]

    def forward(self, source: Tensor, source_hidden: Tensor, target: Tensor) -> Tensor:
        T = target.shape[1]
        x = self.stack(
            self.embed(source), self.embed(target), tgt_mask=self.hidden[:T, :T],
            src_key_padding_mask=source_hidden, memory_key_padding_mask=source_hidden,
            tgt_is_causal=True,
        )  # fmt: skip
        return x @ self.embedding.weight.T


def encoder_decoder(B: int, T: int, repeats: int) -> dict:
    """A training step of width 256, 3 + 3 layers, vocabulary 1,000; sources padded."""
    V, layers, heads, d_model = 1000, 3, 4, 256
    torch.manual_seed(SEED)
    source, ids = torch.randint(V, (B, T)), torch.randint(V, (B, T + 1))
    lengths = torch.randint(T // 2, T + 1, (B,))
    source_hidden = torch.where(torch.arange(T) < lengths[:, None], 0.0, -torch.inf)
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    ours = Transformer(
        TransformerConfig(
            V, longest=T, encoder_layers=layers, decoder_layers=layers, heads=heads,
            d_model=d_model, norm="pre", dropout=0.0,
        )
    )  # fmt: skip
    theirs = TorchTransformer(V, layers, heads, d_model, T)
    ways = {
        "tfcourse": training_step(ours, lambda: ours(source, x, lengths).logits, y),
        "nn.Transformer": training_step(theirs, lambda: theirs(source, source_hidden, x), y),
    }
    shape = {"B": B, "T": T, "layers": layers, "heads": heads, "d_model": d_model}
    return shape | compare(ways, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=30, help="runs of each, alternating")
    repeats = parser.parse_args().repeats
    torch.set_num_threads(THREADS)
    results = {
        "multi-head attention, forward and backward": [
            multi_head_attention(12, 256, 128, 4, causal, repeats) for causal in (False, True)
        ]
        + [multi_head_attention(8, 128, 512, 8, causal, repeats) for causal in (False, True)],
        "GPT training step": [gpt(12, 256, repeats), gpt(12, 64, repeats)],
        "encoder-decoder training step": [encoder_decoder(64, 32, repeats)],
    }
    print(records.write("package-speed", results, seed=SEED).name)


if __name__ == "__main__":
    main()
