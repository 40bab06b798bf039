"""Every model trains a step and generates on a device other than the CPU, with equal results.

The device is simulated (``second_device.py``), so a tensor left on the CPU fails here even on a
machine without a GPU. If there is one, it is tested as well, without dropout: a GPU draws other
numbers than a CPU.
"""

import contextlib
import copy
import dataclasses

import pytest
import torch
from second_device import DEVICE, SecondDevice, There, numbers

from tfcourse.generation import beam_search, greedy, sample
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
    TransformerClassifier,
    TransformerClassifierConfig,
)
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig
from tfcourse.runs.masked import MaskedWord
from tfcourse.training import Classification, NextToken, Translation, fit, mean_loss, sgd

WHERE = (DEVICE, *[torch.device("cuda")] * torch.cuda.is_available())
V, T = 11, 6
SIZES = {"num_layers": 1, "num_heads": 2, "d_model": 8}


def ids(*shape):
    return torch.randint(1, V, shape, generator=torch.Generator().manual_seed(sum(shape)))


def writes(**choices):
    return lambda: GPT(GPTConfig(V, context_length=16, dropout=0.1, **SIZES, **choices))


def transformer(positions="sinusoidal"):
    sizes = {
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "num_heads": 2,
        "d_model": 8,
        "context_length": 16,
    }
    return Transformer(TransformerConfig(V, positions=positions, padding=0, **sizes))


def pairs_loss(model, batch):
    return model.loss(*batch), len(batch[0])


LENGTHS = torch.tensor([T, 3])
TEXT, PAIRS = (ids(2, T), ids(2, T)), (ids(2, T), ids(2, 5), LENGTHS)
#: For each model how it is made, its loss and a batch.
MODELS = {
    "GPT learned": (writes(), NextToken(), TEXT),
    "GPT sinusoidal": (writes(positions="sinusoidal"), NextToken(0.1, ignore=3), TEXT),
    "GPT relative": (writes(positions="relative"), NextToken(), TEXT),
    "GPT alibi": (writes(positions="alibi", window=3), NextToken(), TEXT),
    "GPT yarn": (
        writes(positions="rotary_halves", rotary_scaling="yarn", rotary_factor=2.0, num_kv_heads=1,
               norm="rms", ffn="swiglu", bias=False, tied=False), NextToken(), TEXT,
    ),
    "GPT dynamic": (
        writes(positions="rotary_interleaved", rotary_scaling="dynamic", rotary_original=4),
        NextToken(), TEXT,
    ),
    "Transformer": (transformer, Translation(padding=0, smoothing=0.1), PAIRS),
    "Transformer learned": (lambda: transformer("learned"), Translation(0), PAIRS),
    "RecurrentLM": (
        lambda: RecurrentLM(RecurrentLMConfig(V, d_model=8, d_hidden=8)), NextToken(), TEXT
    ),
    **{
        f"Seq2Seq {kind}": (
            lambda kind=kind: Seq2Seq(
                Seq2SeqConfig(V, d_model=8, d_hidden=8, num_layers=1, attention=kind)
            ),
            Translation(0), PAIRS,
        )
        for kind in ("none", "additive", "general")
    },
    "BERT": (
        lambda: BERT(BERTConfig(V, context_length=16, predicts=("classes",), classes=3, **SIZES)),
        Classification(), (ids(2, T), torch.zeros(2, T).long(), LENGTHS, torch.tensor([0, 2])),
    ),
    "BERT words": (
        lambda: BERT(BERTConfig(V, context_length=16, **SIZES)), MaskedWord(),
        (ids(2, T), ids(2, T), ids(2, T) > V // 2),
    ),
    "ViT": (
        lambda: ViT(ViTConfig(3, image=8, patch=4, **SIZES)), Classification(),
        (torch.ones(2, 3, 8, 8), torch.tensor([0, 2])),
    ),
    "SkipGram": (
        lambda: SkipGram(SkipGramConfig(V, 4)), pairs_loss, (ids(5), ids(5), ids(5, 2))
    ),
    "TransformerClassifier": (
        lambda: TransformerClassifier(TransformerClassifierConfig(V, classes=3, **SIZES)),
        Classification(), (ids(2, T), LENGTHS, torch.tensor([0, 2])),
    ),
    "HierarchicalClassifier": (
        lambda: HierarchicalClassifier(HierarchicalConfig(V, classes=3, d_model=8, d_hidden=3)),
        Classification(),
        (ids(2, 3, T), torch.tensor([[6, 2, 1], [3, 4, 0]]), torch.tensor([0, 2])),
    ),
    "PoolingClassifier": (
        lambda: PoolingClassifier(PoolingConfig(V, classes=3, d_model=8, queries=1, d_hidden=3)),
        Classification(), (ids(2, T), LENGTHS, torch.tensor([0, 2])),
    ),
}  # fmt: skip
WRITERS = {
    name: MODELS[name][0]
    for name in ("GPT learned", "GPT relative", "GPT alibi", "GPT yarn", "GPT dynamic",
                 "RecurrentLM", "Transformer", "Seq2Seq additive")
}  # fmt: skip


def adam(model):
    return torch.optim.AdamW(model.parameters())  # the fused one is for real devices


def trained(model, loss, batch, device, optimiser=sgd(momentum=0.9)):  # noqa: B008
    # Not Adam, which makes steps of rounding errors, such as the gradients of b_K are.
    batches = [batch]
    history = fit(
        model, batches, loss=loss, steps=2, lr=0.01, optimiser=optimiser, device=device,
        accumulate=2, validate=mean_loss(loss, batches), seed=1,
    )  # fmt: skip
    return history.loss + list(history.validation["loss"])


def without_dropout(model):
    for part in model.modules():
        for name in vars(part):
            if name.endswith("dropout"):
                setattr(part, name, 0.0)
        if hasattr(part, "config"):
            names = [f.name for f in dataclasses.fields(part.config) if f.name.endswith("dropout")]
            part.config = dataclasses.replace(part.config, **dict.fromkeys(names, 0.0))
    return model


def at(device):
    return SecondDevice() if device == DEVICE else contextlib.nullcontext()


def held(x, device):
    return numbers(x) if device == DEVICE else x.cpu()


def parameters(model):
    return dict(model.named_parameters())


@pytest.mark.thorough("test of a training that is stopped or shared")
@pytest.mark.parametrize("device", WHERE, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_trains(name, device):
    make, loss, batch = MODELS[name]
    torch.manual_seed(0)
    here = make() if device == DEVICE else without_dropout(make())
    there = copy.deepcopy(here)
    expected = trained(here, loss, batch, "cpu")
    with at(device):
        got = trained(there, loss, batch, device)
        weights = {n: held(p.detach(), device) for n, p in parameters(there).items()}
    assert got == pytest.approx(expected, abs=1e-5)
    for n, p in parameters(here).items():
        torch.testing.assert_close(weights[n], p.detach(), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_without_dropout_training_draws_nothing_at_random(name):
    make, loss, batch = MODELS[name]

    def draws(model):
        trained(model, loss, batch, "cpu")
        return not torch.equal(torch.get_rng_state(), torch.manual_seed(1).get_state())

    assert not draws(without_dropout(make()))
    assert draws(make()) == (getattr(make().config, "dropout", 0) > 0)


@pytest.mark.thorough("test of a training that is stopped or shared")
@pytest.mark.parametrize("device", WHERE, ids=str)
@pytest.mark.parametrize("name", WRITERS)
def test_a_model_writes(name, device, monkeypatch):
    # A tensor that stands for another cannot be a view made in inference mode.
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)
    torch.manual_seed(0)
    model = WRITERS[name]()
    reads = "former" in name or "Seq2Seq" in name
    given = {"source": ids(2, T), "source_lengths": LENGTHS} if reads else {}
    prompt = 1 if given else ids(2, 3)
    asked = {"max_new_tokens": 6, "eos_id": 2, **given}
    ways = {
        "greedy": lambda m: greedy(m, prompt, **asked),
        "not cached": lambda m: greedy(m, prompt, cached=False, **asked),
        "drawn": lambda m: sample(m, prompt, top_k=5, top_p=0.9, temperature=0.8, **asked),
        "beams": lambda m: beam_search(m, prompt, num_beams=3, num_return_sequences=2, **asked),
    }
    if device != DEVICE:
        del ways["drawn"]  # a GPU draws other numbers
    if not given:
        lengths = torch.tensor([1, 3])
        ways["prompts"] = lambda m: greedy(m, prompt, prompt_lengths=lengths, **asked)
    for way, write in ways.items():
        torch.manual_seed(3)
        expected = write(model)
        drew = not torch.equal(torch.get_rng_state(), torch.manual_seed(3).get_state())
        assert drew == (way == "drawn"), way
        with at(device):
            got = [held(part, device) for part in write(copy.deepcopy(model).to(device))]
        assert torch.equal(got[0], expected.tokens), way
        torch.testing.assert_close(got[2], expected.scores, rtol=0, atol=1e-5)


class Careless(torch.nn.Module):
    """A model with the usual mistake: the places are made on the CPU."""

    def __init__(self, careful):
        super().__init__()
        self.table, self.careful = torch.nn.Embedding(V, 8), careful

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device if self.careful else None)
        return (self.table(tokens) + places[:, None]).square().mean()


def test_what_is_left_on_the_cpu_is_noticed():
    def loss(model, batch):
        return model(batch), batch.numel()

    with SecondDevice():
        trained(Careless(True), loss, ids(2, T), DEVICE, adam)
        with pytest.raises(RuntimeError, match=r"same device: aten.add.Tensor was given"):
            trained(Careless(False), loss, ids(2, T), DEVICE)


def test_the_second_device_is_one():
    with SecondDevice():
        x = torch.ones(2, 3)
        y = x.to(DEVICE)
        assert isinstance(y, There) and y.device == DEVICE and not isinstance(x, There)
        assert torch.equal(y.cpu(), x) and not isinstance(y.cpu(), There)
        assert (y + torch.tensor(2.0)).sum().item() == 18.0  # a single number may be from the CPU
        y[0] = 5.0
        assert numbers(y).tolist() == [[5, 5, 5], [1, 1, 1]] and x.sum() == 6
        with pytest.raises(RuntimeError, match="same device"):
            y @ torch.ones(3, 2)
        assert isinstance(torch.arange(3, device=DEVICE), There)
        z = y.clone().requires_grad_()
        (z[:, 1:] ** 2).sum().backward()
        assert numbers(z.grad).tolist() == [[0, 10, 10], [0, 2, 2]]


@pytest.mark.parametrize("name", MODELS)
def test_bfloat16_autocast_runs(name):
    make, loss, batch = MODELS[name]
    torch.manual_seed(0)
    model = make()
    history = fit(
        model, [batch], loss=loss, steps=2, lr=0.01, autocast="bfloat16", device="cpu", seed=1
    )
    assert all(p.dtype == torch.float32 for p in model.parameters())
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        mean, _ = loss(model.eval(), batch)
    assert mean.isfinite() and len(history) == 2
