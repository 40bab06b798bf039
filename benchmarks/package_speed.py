"""How fast the package's components are beside their peers, in one process and in turn.

Multi-head attention beside PyTorch's. A GPT training step beside nanoGPT's (both without vectors),
Hugging Face's GPT-2 and ``nn.TransformerEncoder`` with a causal mask, all of one shape and with the
exact GELU, which on a CPU costs less than the one by tanh; then ours and nanoGPT's through
``torch.compile``. The encoder-decoder's training step beside ``nn.Transformer``, T5 and Marian.
Runs alternate, so that a busy moment falls on all alike, and what is reported for each peer is the
median of the ratios of neighbouring runs.

Every step is taken as its library takes it: ours with the optimiser that ``fit`` makes, nanoGPT's
with the one its training script makes on a CPU. A line of its own has our model with theirs, so
that one sees what the optimiser is worth. Memory is the growth of a process's peak while it takes
three steps, each way in a process of its own.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from coursebook import records  # noqa: E402
from tfcourse.attention import MultiHeadAttention  # noqa: E402
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402
from tfcourse.models.transformer import Transformer, TransformerConfig  # noqa: E402
from tfcourse.training import adamw  # noqa: E402

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
            d_model, heads, 4 * d_model, dropout=0.0, activation="gelu",
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


class NanoGPT(nn.Module):
    """nanoGPT's model, written from its description: a GPT-2 in which nothing has a vector.

    One linear layer for queries, keys and values, the fused kernel with ``is_causal``, the exact
    GELU, learned places, a head that is the embedding, and its loss inside.
    """

    def __init__(self, vocabulary: int, longest: int, layers: int, heads: int, d_model: int):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.places = nn.Embedding(longest, d_model)
        self.norm = nn.LayerNorm(d_model, bias=False)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_1": nn.LayerNorm(d_model, bias=False),
                    "qkv": nn.Linear(d_model, 3 * d_model, bias=False),
                    "out": nn.Linear(d_model, d_model, bias=False),
                    "norm_2": nn.LayerNorm(d_model, bias=False),
                    "up": nn.Linear(d_model, 4 * d_model, bias=False),
                    "down": nn.Linear(4 * d_model, d_model, bias=False),
                }
            )
            for _ in range(layers)
        )
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        self.head.weight = self.tokens.weight

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.shape
        x = self.tokens(ids) + self.places(torch.arange(T, device=ids.device))
        for part in self.blocks:
            q, k, v = part["qkv"](part["norm_1"](x)).split(x.shape[-1], dim=2)
            q, k, v = (y.view(B, T, self.heads, -1).transpose(1, 2) for y in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + part["out"](y.transpose(1, 2).contiguous().view(B, T, -1))
            x = x + part["down"](F.gelu(part["up"](part["norm_2"](x))))
        return self.head(self.norm(x))


def training_step(
    model: nn.Module,
    logits: Callable[[], Tensor],
    targets: Tensor,
    optimiser: torch.optim.Optimizer | None = None,
) -> Callable[[], None]:
    """Forward, loss, backward and a step of AdamW, PyTorch's as it comes unless given."""
    if optimiser is None:
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        loss = F.cross_entropy(logits().flatten(0, 1), targets.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def _with_rate(optimiser: torch.optim.Optimizer) -> torch.optim.Optimizer:
    """The optimiser with the rate that :func:`~tfcourse.training.fit` would set."""
    for group in optimiser.param_groups:
        group["lr"] = 1e-4
    return optimiser


def gpt(B: int, T: int) -> dict[str, Callable[[], None]]:
    """Training steps of 4 layers, 4 heads, width 128, vocabulary 65."""
    from transformers import GPT2Config, GPT2LMHeadModel

    V, layers, heads, d_model = 65, 4, 4, 128
    torch.manual_seed(SEED)
    ids = torch.randint(V, (B, T + 1))
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    ours, same = (
        GPT(GPTConfig(V, T, layers, heads, d_model, ffn="gelu", bias=False)) for _ in range(2)
    )
    hf = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=V, n_positions=T, n_embd=d_model, n_layer=layers, n_head=heads,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
            activation_function="gelu",
        )
    ).train()  # fmt: skip
    nano = NanoGPT(V, T, layers, heads, d_model)
    encoder = EncoderAsGPT(V, T, layers, heads, d_model)
    return {
        "tfcourse": training_step(ours, lambda: ours(x).logits, y, _with_rate(adamw()(ours))),
        "nanoGPT": training_step(nano, lambda: nano(x), y),
        "tfcourse, nanoGPT's optimiser": training_step(same, lambda: same(x).logits, y),
        "Hugging Face GPT-2": training_step(hf, lambda: hf(x).logits, y),
        "nn.TransformerEncoder": training_step(encoder, lambda: encoder(x), y),
    }


def compiled_gpt(B: int, T: int) -> dict[str, Callable[[], None]]:
    """The same of ours and of nanoGPT's, both through ``torch.compile``."""
    V, layers, heads, d_model = 65, 4, 4, 128
    torch.manual_seed(SEED)
    ids = torch.randint(V, (B, T + 1))
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    ours = GPT(GPTConfig(V, T, layers, heads, d_model, ffn="gelu", bias=False))
    nano = NanoGPT(V, T, layers, heads, d_model)
    run_ours, run_nano = torch.compile(ours), torch.compile(nano)
    return {
        "tfcourse": training_step(ours, lambda: run_ours(x).logits, y, _with_rate(adamw()(ours))),
        "nanoGPT": training_step(nano, lambda: run_nano(x), y),
    }


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


def encoder_decoder(B: int, T: int) -> dict[str, Callable[[], None]]:
    """Training steps of width 256, 3 + 3 layers, vocabulary 1,000; sources padded."""
    from transformers import MarianConfig, MarianMTModel, T5Config, T5ForConditionalGeneration

    V, layers, heads, d_model = 1000, 3, 4, 256
    torch.manual_seed(SEED)
    source, ids = torch.randint(2, V, (B, T)), torch.randint(2, V, (B, T + 1))
    lengths = torch.randint(T // 2, T + 1, (B,))
    real = torch.arange(T) < lengths[:, None]
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
    ).train()  # fmt: skip
    marian = MarianMTModel(
        MarianConfig(
            vocab_size=V, d_model=d_model, encoder_layers=layers, decoder_layers=layers,
            encoder_attention_heads=heads, decoder_attention_heads=heads,
            encoder_ffn_dim=4 * d_model, decoder_ffn_dim=4 * d_model, dropout=0.0,
            attention_dropout=0.0, activation_dropout=0.0, activation_function="relu",
            max_position_embeddings=T, pad_token_id=0, decoder_start_token_id=0, use_cache=False,
        )
    ).train()  # fmt: skip

    def of(model: nn.Module) -> Callable[[], Tensor]:
        return lambda: model(input_ids=source, attention_mask=real, decoder_input_ids=x).logits

    return {
        "tfcourse": training_step(
            ours, lambda: ours(source, x, lengths).logits, y, _with_rate(adamw()(ours))
        ),
        "nn.Transformer": training_step(theirs, lambda: theirs(source, source_hidden, x), y),
        "T5": training_step(t5, of(t5), y),
        "Marian": training_step(marian, of(marian), y),
    }


#: What is measured: how the ways are made, and of which sizes.
KINDS = {
    "GPT training step": (gpt, [{"B": 12, "T": 256}, {"B": 12, "T": 64}]),
    "GPT training step, compiled": (compiled_gpt, [{"B": 12, "T": 256}]),
    "encoder-decoder training step": (encoder_decoder, [{"B": 64, "T": 32}]),
}


def peak() -> float:
    """The most memory that this process has held, in MiB.

    ``ru_maxrss`` would begin with the parent's: a new program inherits it, its own peak does not.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not tell a process's peak memory (VmHWM)")


def grown(kind: str, sizes: dict[str, int], name: str) -> float:
    """MiB by which this process's peak grows in three steps of one way."""
    torch.set_num_threads(THREADS)
    way = KINDS[kind][0](**sizes)[name]
    before = peak()
    for _ in range(3):
        way()
    return round(peak() - before, 1)


def memory(kind: str, sizes: dict[str, int], names: list[str]) -> dict[str, float]:
    """The growth of each way, each in a new process."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        return {name: pool.submit(grown, kind, sizes, name).result() for name in names}


def profile(step: Callable[[], None], runs: int = 5, shown: int = 5) -> dict[str, float]:
    """The share of a step's time that each of the longest operators takes on its own."""
    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        for _ in range(runs):
            step()
    took = {event.key: event.self_cpu_time_total for event in seen.key_averages()}
    longest = sorted(took, key=took.__getitem__, reverse=True)[:shown]
    return {name: round(took[name] / sum(took.values()), 3) for name in longest}


def measured(kind: str, repeats: int) -> list[dict]:
    """Time and memory of every way, for each size."""
    found = []
    for sizes in KINDS[kind][1]:
        ways = KINDS[kind][0](**sizes)
        result = sizes | compare(ways, repeats)
        if "compiled" not in kind:  # the compiler itself takes more than any step
            result["peak memory, MiB"] = memory(kind, sizes, list(ways))
            # What all of them call is no library's merit: it bounds what can be won beside a peer.
            result["share of the time"] = {name: profile(way) for name, way in ways.items()}
        found.append(result)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=30, help="runs of each, alternating")
    parser.add_argument("--only", nargs="+", choices=list(KINDS), help="these alone; no record")
    parser.add_argument("--quick", action="store_true", help="one short run; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(THREADS)
    if choice.quick:
        sizes = {"B": 2, "T": 8}
        print(multi_head_attention(2, 8, 16, 2, True, 1))
        print(compare(gpt(**sizes), 1), compare(encoder_decoder(**sizes), 1))
        return
    if choice.only:
        print({kind: measured(kind, choice.repeats) for kind in choice.only})
        return
    attention = [(12, 256, 128, 4), (8, 128, 512, 8)]
    results = {
        "multi-head attention, forward and backward": [
            multi_head_attention(*sizes, causal, choice.repeats)
            for sizes in attention for causal in (False, True)
        ]
    } | {kind: measured(kind, choice.repeats) for kind in KINDS}  # fmt: skip
    print(records.write("package-speed", results, seed=SEED).name)


if __name__ == "__main__":
    main()
