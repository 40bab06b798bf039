"""Tokens a second when a GPT writes: the package beside Hugging Face's and a loop without ceremony.

All have the same weights and write the same text greedily; runs alternate, so that a busy moment
falls on all alike. The plain loop is what one would write for this one model and no other: matrices
by name, queries, keys and values in one product, memory taken once, no checks. Our step is timed as
it is and through ``model.compile()``, whose graphs are made before the first run that counts.
"""

from __future__ import annotations

import argparse
import copy
import os
import statistics
import tempfile
import time
from collections.abc import Callable

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor  # noqa: E402

from coursebook import records
from tfcourse import pretrained  # noqa: E402
from tfcourse.generation import greedy  # noqa: E402
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402

SEED = 0
THREADS = 2
V, LAYERS, HEADS, D, CONTEXT = 65, 4, 4, 128, 256


class PlainLoop:
    """One GPT of learned positions as a list of matrices."""

    def __init__(self, model: GPT) -> None:
        self.E, self.P = model.embedding.weight, model.positions.P
        self.norm = model.norm.gain, model.norm.shift
        self.layers = []
        for block in model.blocks:
            a, f = block.attention, block.ffn
            self.layers.append(
                (
                    (block.attention_norm.gain, block.attention_norm.shift),
                    torch.cat([a.W_Q, a.W_K, a.W_V], dim=1).T.contiguous(),
                    torch.cat([a.b_Q, a.b_K, a.b_V]),
                    a.W_O.T.contiguous(), a.b_O,
                    (block.ffn_norm.gain, block.ffn_norm.shift),
                    f.W_1.T.contiguous(), f.b_1, f.W_2.T.contiguous(), f.b_2,
                )
            )  # fmt: skip

    @torch.no_grad()
    def write(self, prompt: Tensor, new_tokens: int) -> Tensor:
        """The likeliest text, ``(B, new_tokens)``."""
        B, T = prompt.shape
        k_all = [torch.empty(B, HEADS, T + new_tokens, D // HEADS) for _ in self.layers]
        v_all = [torch.empty(B, HEADS, T + new_tokens, D // HEADS) for _ in self.layers]
        text = torch.empty(B, new_tokens, dtype=torch.long)
        tokens, start = prompt, 0
        for n in range(new_tokens):
            stop = start + tokens.shape[1]
            x = self.E[tokens] + self.P[start:stop]
            for i, (norm, W, b, W_O, b_O, norm_2, W_1, b_1, W_2, b_2) in enumerate(self.layers):
                h = F.layer_norm(x, (D,), *norm)
                q, k, v = (
                    F.linear(h, W, b)
                    .view(B, -1, 3 * HEADS, D // HEADS)
                    .transpose(1, 2)
                    .chunk(3, dim=1)
                )
                k_all[i][:, :, start:stop], v_all[i][:, :, start:stop] = k, v
                o = F.scaled_dot_product_attention(
                    q, k_all[i][:, :, :stop], v_all[i][:, :, :stop], is_causal=start == 0
                )
                x = x + F.linear(o.transpose(1, 2).reshape(B, -1, D), W_O, b_O)
                h = F.gelu(F.linear(F.layer_norm(x, (D,), *norm_2), W_1, b_1), approximate="tanh")
                x = x + F.linear(h, W_2, b_2)
            logits = F.linear(F.layer_norm(x[:, -1], (D,), *self.norm), self.E)
            text[:, n] = logits.argmax(-1)
            tokens, start = text[:, n : n + 1], stop
        return text


def compare(B: int, new_tokens: int, repeats: int, backend: str = "inductor") -> dict:
    """Tokens a second of each, and how many times as fast ours is, by neighbouring runs."""
    from transformers import GPT2LMHeadModel

    torch.manual_seed(SEED)
    model = GPT(GPTConfig(V, CONTEXT + 1, LAYERS, HEADS, D)).eval()
    with tempfile.TemporaryDirectory() as folder:
        pretrained.save(model, folder)
        hf = GPT2LMHeadModel.from_pretrained(folder).eval()
    plain, prompt = PlainLoop(model), torch.randint(V, (B, 1))
    compiled = copy.deepcopy(model)
    compiled.compile(backend=backend)

    def theirs() -> Tensor:
        written = hf.generate(
            prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new_tokens,
            min_new_tokens=new_tokens, do_sample=False, pad_token_id=0, eos_token_id=None,
        )  # fmt: skip
        return written[:, 1:]

    ways: dict[str, Callable[[], Tensor]] = {
        "tfcourse": lambda: greedy(model, prompt, max_new_tokens=new_tokens).tokens,
        "tfcourse, compiled step": lambda: (
            greedy(compiled, prompt, max_new_tokens=new_tokens).tokens
        ),
        "plain loop": lambda: plain.write(prompt, new_tokens),
        "Hugging Face generate": theirs,
    }
    texts = {name: way() for name, way in ways.items()}
    same = {name: torch.equal(text, texts["tfcourse"]) for name, text in texts.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - start)
    return {
        "B": B, "new tokens": new_tokens, "layers": LAYERS, "heads": HEADS, "d_model": D,
        "tokens / s, median": {
            name: round(B * new_tokens / statistics.median(times))
            for name, times in seconds.items()
        },
        "ours / peer in speed, median of neighbouring runs": {
            mine: {
                name: round(statistics.median(t / o for t, o in zip(times, ours, strict=True)), 3)
                for name, times in seconds.items() if not name.startswith("tfcourse")
            }
            for mine, ours in seconds.items() if mine.startswith("tfcourse")
        },
        "same text": same,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10, help="runs of each, alternating")
    parser.add_argument("--quick", action="store_true", help="one short run; writes no record")
    choice = parser.parse_args()
    torch.set_num_threads(THREADS)
    if choice.quick:
        print(compare(2, 8, 1, backend="eager"))
        return
    results = [compare(B, CONTEXT, choice.repeats) for B in (1, 32)]
    print(records.write("generation-speed", results, seed=SEED).name)


if __name__ == "__main__":
    main()
