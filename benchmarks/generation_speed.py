"""How fast a GPT generates: ours, plain and compiled, Hugging Face's variants, and a bare loop.

All have the same weights and write the same text greedily; runs alternate, so that a busy moment
affects all equally. The bare loop is written for this one model only: matrices by name, queries,
keys and values in one product, memory allocated once, no checks. Compilation happens before the
first timed run. Each variant also has the fraction that it reaches of the bandwidth limit: every
weight, and every cached key and value, is read once per token.

On a CPU the model is small and in float32. ``--device cuda`` uses GPT-2 with 124 million parameters
in bfloat16.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from _beside import OURS, Rows, alternating, keep, roof, row  # noqa: E402
from torch import Tensor  # noqa: E402

from tfcourse import pretrained  # noqa: E402
from tfcourse.generation import greedy  # noqa: E402
from tfcourse.models.gpt import GPT, GPTConfig  # noqa: E402

SEED = 0
#: Vocabulary, layers, heads, width, and number of tokens to generate.
SIZES = {
    "cpu": (65, 4, 4, 128, 256),
    "cuda": (50257, 12, 12, 768, 512),
    "quick": (65, 1, 2, 16, 8),
}
#: How ours is compiled, and how Hugging Face's. On a CPU both steps are called from C++, since
#: Python takes much of a small step; on a GPU both are CUDA graphs, each with a static cache.
LEAN = {"options": {"cpp_wrapper": True, "size_asserts": False}}
COMPILED: dict[str, tuple[dict, dict]] = {
    "cpu": (LEAN, LEAN),
    "cuda": ({"mode": "reduce-overhead"}, {"mode": "reduce-overhead"}),
    "quick": ({"backend": "eager"}, {"backend": "eager"}),
}


class PlainLoop:
    """A GPT with learned positions as a list of matrices."""

    def __init__(self, model: GPT) -> None:
        self.E, self.P = model.embedding.weight, model.positions.P
        self.heads, self.width = model.config.num_heads, model.config.d_model
        self.norm = model.norm.gain, model.norm.shift
        self.layers = []
        for block in model.blocks:
            a, f = block.attention, block.ffn
            self.layers.append(
                (
                    (block.attention_norm.gain, block.attention_norm.shift),
                    a.W_QKV.T.contiguous(), a.b_QKV,
                    a.W_O.T.contiguous(), a.b_O,
                    (block.ffn_norm.gain, block.ffn_norm.shift),
                    f.W_1.T.contiguous(), f.b_1, f.W_2.T.contiguous(), f.b_2,
                )
            )  # fmt: skip

    @torch.no_grad()
    def write(self, prompt: Tensor, new_tokens: int) -> Tensor:
        """The greedy text, ``(B, new_tokens)``."""
        B, T = prompt.shape
        D, H = self.width, self.heads
        k_all = [self.E.new_empty(B, H, T + new_tokens, D // H) for _ in self.layers]
        v_all = [self.E.new_empty(B, H, T + new_tokens, D // H) for _ in self.layers]
        text = prompt.new_empty(B, new_tokens)
        tokens, start = prompt, 0
        for n in range(new_tokens):
            stop = start + tokens.shape[1]
            x = self.E[tokens] + self.P[start:stop]
            for i, (norm, W, b, W_O, b_O, norm_2, W_1, b_1, W_2, b_2) in enumerate(self.layers):
                h = F.layer_norm(x, (D,), *norm)
                q, k, v = (
                    F.linear(h, W, b).view(B, -1, 3 * H, D // H).transpose(1, 2).chunk(3, dim=1)
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


def made(at: str, device: str) -> tuple[GPT, Any]:
    """Ours and Hugging Face's, with the same weights."""
    from transformers import GPT2LMHeadModel

    vocabulary, layers, heads, d_model, new = SIZES[at]
    torch.manual_seed(SEED)
    model = GPT(GPTConfig(vocabulary, new + 1, layers, heads, d_model)).eval()
    with tempfile.TemporaryDirectory() as folder:
        pretrained.save(model, folder)
        theirs = GPT2LMHeadModel.from_pretrained(folder).eval()
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    return model.to(device, dtype), theirs.to(device, dtype)


def ways_of(
    model: GPT, theirs: Any, prompt: Tensor, new: int, how: tuple[dict, dict]
) -> dict[str, Callable[[], Tensor]]:
    """Each way to generate ``new`` tokens after the prompt, ``(B, new)``.

    ``how`` ours and Hugging Face's are compiled: the arguments of ``torch.compile``.
    """
    from transformers import CompileConfig

    compiled = copy.deepcopy(model)
    compiled.compile(**how[0])
    plain = PlainLoop(model)
    cached = "static" if prompt.is_cuda else True

    def hugging_face(**more: Any) -> Tensor:
        written = theirs.generate(
            prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new,
            min_new_tokens=new, do_sample=False, pad_token_id=0, eos_token_id=None, **more,
        )  # fmt: skip
        return written[:, prompt.shape[1] :]

    anywhere = CompileConfig(**{"mode": None} | how[1])
    anywhere._compile_all_devices = True  # otherwise it silently compiles only on a GPU
    return {
        OURS: lambda: greedy(model, prompt, max_new_tokens=new).tokens,
        f"{OURS}, compiled": lambda: (
            greedy(compiled, prompt, max_new_tokens=new, cached=cached).tokens
        ),
        "plain loop": lambda: plain.write(prompt, new),
        "Hugging Face": hugging_face,
        "Hugging Face, static cache, compiled": lambda: hugging_face(
            cache_implementation="static", compile_config=anywhere
        ),
    }


def batch(
    B: int, at: str, models: tuple[GPT, Any], most: dict | None, device: str, repeats: int
) -> dict[str, Any]:
    """The row of a batch size."""
    vocabulary, layers, heads, d_model, new = SIZES[at]
    prompt = torch.randint(
        vocabulary, (B, 1), device=device, generator=torch.Generator(device).manual_seed(SEED)
    )
    # Each batch size by itself: with graphs of both, a step of one text was seen to take longer.
    torch.compiler.reset()
    ways = ways_of(*models, prompt, new, COMPILED[at])
    texts = {name: way() for name, way in ways.items()}
    found = row(
        f"generation, batch {B}",
        f"{layers} layers of width {d_model}, {heads} heads, {new} tokens after one, "
        f"{'bfloat16' if device == 'cuda' else 'float32'}",
        alternating(ways, repeats, device, warm=1),
        unit="tokens / s", amount=B * new,
        goal={"plain loop": 1.0, "Hugging Face": 2.0, "Hugging Face, static cache, compiled": 2.0},
    )  # fmt: skip
    found["same text"] = {name: torch.equal(text, texts[OURS]) for name, text in texts.items()}
    if most is not None:
        E = models[0].embedding.weight
        held = 2 * layers * d_model * B * (new + 1) / 2  # keys and values, on average
        bytes_each = E.element_size() * (sum(p.numel() for p in models[0].parameters()) + held)
        for way in found["ways"].values():
            speed = new * bytes_each * 1000 / way["ms"]
            way["share of the bandwidth"] = round(speed / most["bytes / s"], 3)
        found["most"] = most
    return found


def rows(device: str, quick: bool, repeats: int) -> Rows:
    """A row for each batch size."""
    at = "quick" if quick else device
    models = made(at, device)
    most = None if quick else roof(device)
    for B in (2,) if quick else (1, 32):
        yield f"batch {B}", partial(batch, B, at, models, most, device, repeats)


if __name__ == "__main__":
    keep("generation-speed", __doc__, rows, seed=SEED)
