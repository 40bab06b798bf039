"""Compile, export and run models as one graph; run by ``test_traceable.py`` as a program.

In a separate process, because the annotation checks that other tests install cannot be part of a
graph. Prints, as JSON, what went wrong in each case, if anything.
"""

import importlib.util
import json
import sys
import tempfile
import traceback
from pathlib import Path

import torch
from torch import nn
from torch.export import Dim, export

from tfcourse.attention import KeyValueCache
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig

V, LONGEST = 11, 16
SIZES = {"num_layers": 1, "num_heads": 2, "d_model": 8}
BATCH, T, S = Dim("batch"), Dim("T", max=LONGEST), Dim("S", max=LONGEST)
HELD = Dim("held", max=LONGEST - 1)


def ids(*shape):
    return torch.randint(V, shape)


def gpt(**choices):
    return GPT(GPTConfig(V, context_length=LONGEST, **SIZES, **choices)).eval()


def transformer():
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "num_heads": 2, "d_model": 8}
    return Transformer(
        TransformerConfig(V, context_length=LONGEST, positions="learned", **sizes)
    ).eval()


class Step(nn.Module):
    """One cached step as a function: what is held goes in and comes out as tensors."""

    given = 0  # how many inputs stand between the tokens and what is held

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        tokens, given, held = inputs[0], inputs[1 : 1 + self.given], inputs[1 + self.given :]
        # May be full after this step, which must be no graph of its own.
        caches = [KeyValueCache(LONGEST) for _ in range(len(held) // 2)]
        for cache, k, v in zip(caches, held[0::2], held[1::2], strict=True):
            cache.append(k, v)
        logits = self.read(tokens, caches, *given)
        return logits, *(x for cache in caches for x in cache.held())

    def read(self, tokens, caches):
        return self.model(tokens, caches=caches).logits


class TranslatingStep(Step):
    """The same with a memory, whose keys and values are held too: own caches, then those."""

    given = 2

    def read(self, tokens, caches, memory, lengths):
        half = len(caches) // 2
        return self.model.decode(
            tokens, memory, lengths, caches=caches[:half], context_caches=caches[half:]
        ).logits


class Logits(nn.Module):
    """Logits alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        return (self.model(*inputs).logits,)


def held(batch, length, heads=2):
    return [torch.randn(batch, heads, length, 4) for _ in range(2)]


def translating(B, S, length):
    return ids(B, 1), torch.randn(B, S, 8), S - torch.arange(B), *held(B, length), *held(B, S)


def reading(B, S, T):
    return ids(B, S), ids(B, T), S - torch.arange(B)


#: What is traced; its inputs from sizes, which sizes are free, and the sample's and other sizes.
CASES = {
    **{
        name: (lambda c=choices: Logits(gpt(**c)), lambda B, T: (ids(B, T),), [{0: BATCH, 1: T}],
               (2, 5), (3, 9))
        for name, choices in {
            "gpt learned": {},
            "gpt rotary grouped": {"positions": "rotary_halves", "num_kv_heads": 1},
            "gpt alibi": {"positions": "alibi"},
            "gpt relative": {"positions": "relative"},
        }.items()
    },
    "transformer with lengths": (
        lambda: Logits(transformer()), reading, [{0: BATCH, 1: S}, {0: BATCH, 1: T}, {0: BATCH}],
        (2, 5, 4), (3, 9, 7),
    ),
    "bert with lengths": (
        lambda: Logits(BERT(BERTConfig(V, context_length=LONGEST, **SIZES)).eval()),
        lambda B, T: (ids(B, T), ids(B, T) % 2, T - torch.arange(B)),
        [{0: BATCH, 1: T}, {0: BATCH, 1: T}, {0: BATCH}], (2, 5), (3, 9),
    ),
    "vit": (
        lambda: Logits(ViT(ViTConfig(3, image=8, patch=4, **SIZES)).eval()),
        lambda B: (torch.randn(B, 3, 8, 8),), [{0: BATCH}], (2,), (5,),
    ),
    "gpt cached step": (
        lambda: Step(gpt(positions="rotary_halves")),
        lambda B, length: (ids(B, 1), *held(B, length)),
        [{0: BATCH}, *[{0: BATCH, 2: HELD}] * 2], (2, 4), (3, 7),
    ),
    "transformer cached step with lengths": (
        lambda: TranslatingStep(transformer()), translating,
        [{0: BATCH}, {0: BATCH, 1: S}, {0: BATCH}, *[{0: BATCH, 2: HELD}] * 2,
         *[{0: BATCH, 2: S}] * 2], (2, 5, 3), (3, 9, 6),
    ),
}  # fmt: skip


def close(got, expected, atol):
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(torch.as_tensor(a), b, rtol=0, atol=atol)


@torch.no_grad()
def exported(name):
    """With free sizes: at other sizes than the sample's it gives what the model gives."""
    make, inputs, free, sample, other = CASES[name]
    torch.manual_seed(0)
    model = make().eval()
    for p in model.parameters():
        p.normal_(std=0.5)
    program = export(model, inputs(*sample), dynamic_shapes=(tuple(free),), strict=False)
    given = inputs(*other)
    expected = model(*given)
    close(program.module()(*given), expected, 1e-6)
    if ONNX:
        in_onnxruntime(program, given, expected)


def in_onnxruntime(program, given, expected):
    """The same program, run by onnxruntime."""
    import onnxruntime

    onnx = torch.onnx.export(program, dynamo=True, verbose=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(path)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    got = session.run(None, {n: x.numpy() for n, x in zip(names, given, strict=True)})
    close(got, expected, 1e-5)


class Counting:
    """A backend of ``torch.compile`` that runs graphs as they are and counts them."""

    graphs = 0

    def __call__(self, graph, inputs):
        self.graphs += 1
        return graph.forward


def compiled(name):
    """One graph for the first sizes and one more for all others."""
    make, inputs, _, sample, other = CASES[name]
    model, counting = make().eval(), Counting()
    graph = torch.compile(model, backend=counting, fullgraph=True)
    for sizes in (sample, other, other, [n + 1 for n in other]):
        given = inputs(*sizes)
        close(graph(*given), model(*given), 1e-5)
    assert counting.graphs <= 2, f"{counting.graphs} graphs"


def gradients(_):
    """They pass through a compiled model."""
    model = gpt()
    graph = torch.compile(model, backend="aot_eager", fullgraph=True)
    tokens, found = ids(2, 5), []
    for run in (model, graph):
        model.zero_grad()
        run(tokens).logits.square().sum().backward()
        found.append([p.grad.clone() for p in model.parameters()])
    close(*found, 1e-5)


@torch.no_grad()
def stepped(kind):
    """Cached steps need no more than two graphs, to the last one that the cache has room for."""
    model, counting = gpt() if kind == "gpt" else transformer(), Counting()
    tokens, lengths = ids(2, LONGEST), torch.tensor([5, 3])
    if kind == "gpt":
        caches = model.new_caches()
        graph = torch.compile(model, backend=counting, fullgraph=True)
        model(tokens[:, :3], caches=caches)
        expected = model(tokens).logits

        def step(t):
            return graph(tokens[:, t : t + 1], caches=caches)
    else:
        memory, _ = model.encode(ids(2, 5), lengths)
        caches = {"caches": model.new_caches(), "context_caches": model.new_context_caches(5)}
        decode = torch.compile(model.decode, backend=counting, fullgraph=True)
        model.decode(tokens[:, :3], memory, lengths, **caches)
        expected = model.decode(tokens, memory, lengths).logits

        def step(t):
            return decode(tokens[:, t : t + 1], memory, lengths, **caches)

    for t in range(3, LONGEST):
        close([step(t).logits[:, 0]], [expected[:, t]], 1e-5)
    assert counting.graphs <= 2, f"{counting.graphs} graphs"


WHOLE = ("gpt learned", "transformer with lengths", "bert with lengths", "vit")
ONNX = all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime"))
#: Each test with its cases.
TESTS = {
    exported: tuple(CASES), compiled: WHOLE, gradients: ("gpt",), stepped: ("gpt", "transformer")
}  # fmt: skip


def main(only=""):
    found = {}
    for test, names in TESTS.items():
        for name in names:
            case = f"{test.__name__}: {name}"
            if only not in case:
                continue
            torch._dynamo.reset()
            try:
                test(name)
                found[case] = ""
            except Exception:
                found[case] = traceback.format_exc()[-3000:]
    print(json.dumps({"onnx": ONNX, "found": found}))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
