"""Train short, test long: how position schemes do beyond the training length."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse import data
from tfcourse.arguments import at_least_one
from tfcourse.attention import MultiHeadAttention
from tfcourse.batching import Batches, Windows
from tfcourse.flops import count_parameters
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.positions import Positions
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import NextToken, adamw, cosine, fit

#: The fraction of a text, at its end, that is held out for the test.
HELD_OUT = 0.1


class Sizes(NamedTuple):
    """What a scheme may need to know about its model: widths, heads, and training length."""

    d_model: int
    num_heads: int
    d_k: int
    train_length: int


@dataclass(frozen=True)
class Lengths:
    """Results of :func:`train_short_test_long`; each list has one entry per seed.

    Attributes
    ----------
    losses:
        For each test length, the mean loss over the held-out text, cut into windows of this length,
        in nats per token; ``None`` if the scheme rejected the length.
    by_position:
        For each accepted test length, the loss at each position, ``(seeds, length)``, averaged over
        the windows.
    steps, curve:
        The steps after which the loss at the training length was measured, and that loss ``(seeds,
        steps)`` on the first held-out windows.
    refused:
        For each length that the scheme rejected, its message.
    parameters:
        Number of learned parameters, including those of the scheme.
    also:
        By name, the losses of the same models tested with other schemes, as in ``losses``.
    """

    train_length: int
    losses: dict[int, list[float | None]]
    by_position: dict[int, Float[Tensor, "seeds length"]]
    steps: list[int]
    curve: Float[Tensor, "seeds steps"]
    refused: dict[int, str]
    parameters: int
    also: dict[str, dict[int, list[float]]]

    def means(self) -> dict[int, float | None]:
        """For each test length, the loss averaged over the seeds; ``None`` if rejected."""
        return {
            length: None
            if length in self.refused
            else sum(loss for loss in each if loss is not None) / len(each)
            for length, each in self.losses.items()
        }


def train_short_test_long(
    scheme: Positions | Callable[[Sizes], Positions],
    *,
    train_length: int = 32,
    test_lengths: Sequence[int] = (32, 64, 128, 256),
    seeds: Sequence[int] = (0, 1, 2),
    tested_as: Callable[[Positions, int], Positions] | None = None,
    also: Mapping[str, Callable[[Positions, int], Positions]] | None = None,
    text: Int[Tensor, " N"] | None = None,
    steps: int = 300,
    batch: int = 32,
    lr: float = 3e-3,
    num_layers: int = 2,
    num_heads: int = 4,
    d_model: int = 64,
    watch_every: int = 10,
    device: str | torch.device | None = None,
) -> Lengths:
    """Train small GPTs with a position scheme on short sequences, and test them on longer ones.

    Everything else is the same for every scheme: the text, its windows and their order, the initial
    weights, and the held-out test windows.

    Parameters
    ----------
    scheme:
        A function that makes a scheme for these :class:`Sizes`, called once per seed; or a scheme
        that learns nothing. One object serves the tokens and all layers: ``embed`` is applied once,
        ``rotate`` and ``bias`` in each layer.
    train_length, test_lengths, seeds:
        Sequence lengths, in training and in the tests. Each seed gives one model: it determines the
        weights and the order of the windows.
    tested_as:
        Given the trained scheme and a test length, returns the scheme to test this length with;
        default the trained one. Rotary positions can be stretched in this way.
    also:
        More such functions by name: every trained model is tested with each of them, too.
    text:
        A row of ids; default :func:`running_sentences`. Its last tenth is held out.
    steps, batch, lr, watch_every:
        Steps of AdamW, sequences per step, and the peak learning rate, which follows a cosine to
        zero; steps between measurements of the loss at the training length.
    device:
        As for :func:`tfcourse.training.fit`.

    A ``ValueError`` from the scheme at a length other than the training length means that it
    rejects the length. ``ValueError`` is raised if there is no seed or no length, if a scheme that
    learns is not given as a function, or if the held-out text is shorter than the longest test.

    Notes
    -----
    After Press et al. 2022 ("Train Short, Test Long"), section 2. The token vectors start with
    entries of variance 1, as in the paper of 2017, so that codes of that size do not drown them
    out.
    """
    at_least_one(
        train_length=train_length, steps=steps, batch=batch, watch_every=watch_every,
        **{f"test_lengths[{i}]": length for i, length in enumerate(test_lengths)},
    )  # fmt: skip
    if not test_lengths or not seeds:
        raise ValueError(
            f"test_lengths and seeds must not be empty, got {list(test_lengths)} and {list(seeds)}"
        )
    make = _maker(scheme)
    ids = running_sentences() if text is None else torch.as_tensor(text).long()
    train_text, held_out = _split(ids, max(test_lengths))
    vocab_size = int(ids.max()) + 1
    short = _first(Windows(held_out, train_length), 2 * batch)
    sizes = Sizes(d_model, num_heads, d_model // num_heads, train_length)
    tests = _Tests(held_out, train_length, test_lengths, tested_as, also or {})

    curve, watched, parameters = [], [], 0
    for seed in seeds:
        torch.manual_seed(seed)
        model = GPT(
            GPTConfig(vocab_size, train_length, num_layers, num_heads, d_model, positions="none",
                      tied=False, scale_embeddings=True)
        )  # fmt: skip
        nn.init.normal_(model.embedding.weight, std=d_model**-0.5)
        used = make(sizes)
        _told_by(model, used)
        history = fit(
            model,
            Batches(Windows(train_text, train_length, 1), batch, seed=seed, drop_last=True),
            loss=NextToken(), steps=steps, lr=cosine(lr, steps, warmup=max(1, steps // 20)),
            optimiser=adamw(), device=device, seed=seed, validate_every=watch_every,
            validate=lambda model: float(_by_place(model, *short).mean()),
        )  # fmt: skip
        watched = [int(step) for step in history.validation["step"]]
        curve.append(list(history.validation.values())[1])
        parameters = count_parameters(model)
        tests.test(model, used)
    return Lengths(
        train_length,
        tests.losses,
        {length: torch.stack(found) for length, found in tests.by_position.items() if found},
        watched,
        torch.tensor(curve),
        tests.refused,
        parameters,
        tests.also,
    )


class _Tests:
    """Tests on the held-out text at every length; the results are those of :class:`Lengths`.

    ``by_position`` lists the models' losses instead of stacking them.
    """

    def __init__(
        self,
        held_out: Int[Tensor, " N"],
        train_length: int,
        test_lengths: Sequence[int],
        tested_as: Callable[[Positions, int], Positions] | None,
        also: Mapping[str, Callable[[Positions, int], Positions]],
    ) -> None:
        self.train_length, self.test_lengths = train_length, test_lengths
        self.tested_as, self.others = tested_as, also
        # Windows of any length cover the same tokens; longer ones only show more context.
        longest = max(test_lengths)
        self.text = held_out[: (len(held_out) - 1) // longest * longest + 1]
        self.losses: dict[int, list[float | None]] = {length: [] for length in test_lengths}
        self.by_position: dict[int, list[Tensor]] = {length: [] for length in test_lengths}
        self.refused: dict[int, str] = {}
        self.also: dict[str, dict[int, list[float]]] = {
            name: {length: [] for length in test_lengths} for name in also
        }

    def test(self, model: GPT, trained: Positions) -> None:
        """Test a model, which was trained with this scheme, at every length."""
        for length in self.test_lengths:
            try:
                scheme = trained if self.tested_as is None else self.tested_as(trained, length)
                found = self._loss(model, scheme, length)
            except ValueError as error:
                if length == self.train_length:
                    raise
                self.refused[length] = str(error)
                self.losses[length].append(None)
            else:
                self.losses[length].append(float(found.mean()))
                self.by_position[length].append(found)
            for name, other in self.others.items():
                found = self._loss(model, other(trained, length), length)
                self.also[name][length].append(float(found.mean()))

    def _loss(self, model: GPT, scheme: Positions, length: int) -> Float[Tensor, " T"]:
        """The model's loss at each position of windows of this length, with this scheme."""
        _told_by(model, scheme)
        return _by_place(model, *_first(Windows(self.text, length)))


@functools.cache
def running_sentences(examples: int = 6_000) -> Int[Tensor, " N"]:
    """Sentences of the corpus ``agreement`` as word ids; each ends with a token of its own."""
    corpus = data.load("agreement", "train", examples=examples)
    sentences = [" ".join(example.words).lower() + " ." for example in corpus]
    tokens = WordTokenizer.train(sentences)
    return torch.tensor(tokens.encode(" ".join(sentences)))


def _maker(scheme: Positions | Callable[[Sizes], Positions]) -> Callable[[Sizes], Positions]:
    """The function that makes the scheme for each seed."""
    if not isinstance(scheme, Positions):
        return scheme
    if any(p.requires_grad for p in scheme.parameters()):
        raise ValueError(
            f"scheme must be given by a function that makes it, since it learns and each seed "
            f"needs a fresh one: lambda sizes: {type(scheme).__name__}(...)"
        )
    return lambda sizes: scheme


def _split(
    ids: Int[Tensor, " N"], longest: int
) -> tuple[Int[Tensor, " train"], Int[Tensor, " held_out"]]:
    """The text to train on and the one held out, which must be long enough for a test."""
    ends = round(len(ids) * (1 - HELD_OUT))
    if len(ids) - ends < longest + 1:
        raise ValueError(
            f"text must leave at least {longest + 1} tokens in its last tenth for the longest "
            f"test, got {len(ids)} tokens in all"
        )
    return ids[:ends], ids[ends:]


def _told_by(model: GPT, scheme: Positions) -> None:
    """Make the model use this position scheme."""
    model.positions = scheme
    for part in model.modules():
        if isinstance(part, MultiHeadAttention):
            part.positions = scheme


def _first(windows: Windows, most: int | None = None) -> tuple[Tensor, Tensor]:
    """Inputs and targets of the first windows, by default of all."""
    return windows.batch(torch.arange(len(windows))[:most])


@torch.no_grad()
def _by_place(model: nn.Module, read: Tensor, follow: Tensor) -> Float[Tensor, " T"]:
    """The loss at each position, averaged over the sequences."""
    model.eval()
    sums = torch.zeros(read.shape[1], dtype=torch.float64)
    each = max(1, 4096 // read.shape[1])  # sequences at a time: the scores must fit the cache
    device = next(model.parameters()).device
    for x, y in zip(read.split(each), follow.split(each), strict=True):
        logits = model(x.to(device)).logits  # (B, T, V)
        sums += F.cross_entropy(logits.mT, y.to(device), reduction="none").sum(0).cpu().double()
    return sums / len(read)
