"""What generation needs from a model: reading tokens, and selecting rows of the batch."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import check_tensors, checked, one_of
from tfcourse.attention import KeyValueCache
from tfcourse.generation.static_cache import StaticStep, check_static
from tfcourse.models.gpt import GPT
from tfcourse.models.recurrent_lm import RecurrentLM
from tfcourse.models.seq2seq import DecoderState, Seq2Seq
from tfcourse.models.transformer import Transformer
from tfcourse.modes import is_plain
from tfcourse.recurrent import State
from tfcourse.wrapped import unwrapped

#: What to do when a text would become longer than the model was trained on.
BEYOND = ("refuse", "go_on", "slide")
#: Whether keys, values and states are kept, and whether each step reads all memory of the cache.
CACHED = (True, False, "static")


@runtime_checkable
class Decoder(Protocol):
    """A model in the middle of generation: it remembers what it has read."""

    def read(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
        """Read tokens that follow those read before; return the logits of the next token."""
        ...

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Continue with these rows of the batch, some perhaps dropped and others duplicated."""
        ...


def decoder_of(
    model: nn.Module | Decoder,
    *,
    source: Int[Tensor, "B S"] | None = None,
    source_lengths: Int[Tensor, " B"] | None = None,
    max_length: int | None = None,
    beyond: str = "refuse",
    cached: bool | str = True,
) -> Decoder:
    """A model of this package, ready to generate; a :class:`Decoder` is returned unchanged.

    A compiled or data-parallel model generates without its wrapper.

    Arguments that do not fit the model, and a ``max_length`` past its positions, raise
    ``ValueError``.

    Parameters
    ----------
    model:
        A :class:`~tfcourse.models.gpt.GPT`, :class:`~tfcourse.models.recurrent_lm.RecurrentLM`,
        :class:`~tfcourse.models.transformer.Transformer` or
        :class:`~tfcourse.models.seq2seq.Seq2Seq`.
    source, source_lengths:
        What an encoder-decoder reads first, and how many of its tokens are real.
    max_length:
        The maximum number of tokens that will be read, which is checked and for which memory is
        allocated; defaults to the model's ``config.context_length``.
    beyond:
        What to do if that exceeds ``config.context_length``, the maximum length in training.
        ``"refuse"``: raise an error. ``"go_on"``: use positions past it, which learned ones do not
        have. ``"slide"``, for GPT: whenever ``config.context_length`` tokens are held, the newer
        half of them is read again from position 0 and the older half is forgotten.
    cached:
        ``False`` reads everything again for each token, as the formula does: slower, with the same
        results. ``"static"``, for a GPT without a window or biases of its positions: every step
        attends to a block of positions of the cache, filled or not, with a mask. So a compiled
        model has one graph for all steps of a block, which
        ``model.compile(mode="reduce-overhead")`` can replay on a GPU. On a CPU ``True`` is faster.
    """
    model = unwrapped(model) if isinstance(model, nn.Module) else model
    translates = isinstance(model, (Transformer, Seq2Seq))
    if not isinstance(model, (GPT, RecurrentLM)) and not translates:
        if isinstance(model, Decoder):
            return model
        raise ValueError(
            "model must be a GPT, RecurrentLM, Transformer or Seq2Seq, or have the methods "
            f"read and reorder, got {type(model).__name__}"
        )
    check_tensors(source=source, source_lengths=source_lengths)
    if (source is not None) != translates:
        raise ValueError(
            f"source must be {'given' if translates else 'None'} for a {type(model).__name__}, "
            f"got {'None' if source is None else tuple(source.shape)}"
        )
    one_of(BEYOND, beyond=beyond)
    one_of(CACHED, cached=cached)
    if cached == "static":
        check_static(model)
    if beyond == "slide" and not isinstance(model, GPT):
        raise ValueError(f'beyond must not be "slide" for a {type(model).__name__}')
    if isinstance(model, RecurrentLM):
        return _Recurrent(model, cached)
    if isinstance(model, Seq2Seq) and source is not None:
        return _Seq2Seq(model, source, source_lengths, cached)
    assert isinstance(model, GPT | Transformer)  # all others were returned or rejected
    most = model.config.context_length
    max_length = most if max_length is None else max_length
    _within(model.config, max_length, beyond)
    if isinstance(model, Transformer):
        assert source is not None
        return _Transformer(model, source, source_lengths, max_length, cached)
    slides = beyond == "slide"
    return _GPT(model, min(max_length, most) if slides else max_length, slides, cached)


def after_first(decoder: Decoder) -> AbstractContextManager[None]:
    """For the steps after the first read, whose tensors have the shapes that it has checked.

    What others wrote, and compiled steps, in which checks cost nothing, are checked at each step.
    """
    ours = isinstance(decoder, _WithoutCache) and is_plain(decoder.model)
    return checked() if ours else nullcontext()


def _within(config: Any, max_length: int, beyond: str) -> None:
    """Raise ``ValueError`` past the positions that a model has, or was trained on."""
    most, learned = config.context_length, config.positions == "learned"
    if max_length <= most or beyond == "slide" or (beyond == "go_on" and not learned):
        return
    why = "which it has learned" if learned else 'its training length; beyond="go_on" exceeds it'
    raise ValueError(
        f"prompt and max_new_tokens must stay within the model's {most} positions, {why}, "
        f"got {max_length} tokens in all"
    )


class _WithoutCache:
    """Reads everything again each time: remembers the tokens, and nothing else."""

    model: Any

    def __init__(self, cached: bool | str) -> None:
        self.cached = bool(cached)
        self.tokens: Tensor | None = None

    def _all(self, tokens: Tensor) -> Tensor:
        """The tokens of all calls, ``(B, T)``."""
        self.tokens = tokens if self.tokens is None else torch.cat([self.tokens, tokens], dim=1)
        return self.tokens

    def _reorder_tokens(self, rows: Tensor) -> None:
        if self.tokens is not None:
            self.tokens = self.tokens[rows]


class _GPT(_WithoutCache):
    """A GPT with a cache for each block."""

    def __init__(self, model: GPT, max_length: int, slides: bool, cached: bool | str) -> None:
        super().__init__(cached)
        self.model, self.max_length, self.slides = model, max_length, slides
        self.static = cached == "static"
        self.step: StaticStep | None = None
        self.caches = model.new_caches(max_length) if cached else None

    def read(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
        if self.slides:
            tokens = self._slide(tokens)
        elif not self.cached:
            tokens = self._all(tokens)
        if self.static and self.caches and self.caches[0].length and tokens.shape[1] == 1:
            if self.step is None:
                self.step = StaticStep(self.model, self.caches, tokens.device)
            return self.step.read(tokens)
        self.step = None
        return self.model(tokens, caches=self.caches).logits[:, -1]

    def _slide(self, tokens: Tensor) -> Tensor:
        """The tokens to read: these, or the newest ones from position 0 if there is no room."""
        held = 0 if self.tokens is None else self.tokens.shape[1]
        both = self._all(tokens)
        if held + tokens.shape[1] > self.max_length:
            # Half of them, so that this is done rarely; a long prompt is read as far as it fits.
            keep = max(self.max_length // 2, 1) if held else self.max_length
            self.tokens = both = both[:, -max(keep, min(tokens.shape[1], self.max_length)) :]
            if self.cached:
                self.caches = self.model.new_caches(self.max_length)
            return both
        return tokens if self.cached else both

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        self._reorder_tokens(rows)
        _reorder(self.caches, rows)
        self.step = None  # the caches may have other memory now


class _Transformer(_WithoutCache):
    """An encoder-decoder: two caches for each block of its decoder."""

    def __init__(
        self,
        model: Transformer,
        source: Tensor,
        lengths: Tensor | None,
        most: int,
        cached: bool | str,
    ) -> None:
        super().__init__(cached)
        self.model, self.lengths = model, lengths
        self.memory, _ = model.encode(source, lengths)
        self.caches = model.new_caches(most) if cached else None
        self.context_caches = model.new_context_caches(source.shape[1]) if cached else None
        self.of = torch.arange(len(source), device=source.device)  # which source each row reads

    def read(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
        output = self.model.decode(
            tokens if self.cached else self._all(tokens), self.memory, self.lengths,
            caches=self.caches, context_caches=self.context_caches,
        )  # fmt: skip
        return output.logits[:, -1]

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        self._reorder_tokens(rows)
        _reorder(self.caches, rows)
        before, self.of = self.of, self.of[rows]
        if torch.equal(before, self.of):
            return  # hypotheses of one source changed places: they read the same source
        self.memory = self.memory[rows]
        self.lengths = None if self.lengths is None else self.lengths[rows]
        _reorder(self.context_caches, rows)


class _Seq2Seq(_WithoutCache):
    """A recurrent encoder-decoder, with its state."""

    def __init__(
        self, model: Seq2Seq, source: Tensor, lengths: Tensor | None, cached: bool | str
    ) -> None:
        super().__init__(cached)
        self.model = model
        self.state: DecoderState = model.encode(source, lengths)
        self.of = torch.arange(len(source), device=source.device)

    def read(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
        if not self.cached:
            return self.model.decode(self._all(tokens), self.state)[0].logits[:, -1]
        output, self.state = self.model.decode(tokens, self.state)
        return output.logits[:, -1]

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        self._reorder_tokens(rows)
        before, self.of = self.of, self.of[rows]
        self.state = self.state.reorder(rows, same_source=torch.equal(before, self.of))


class _Recurrent(_WithoutCache):
    """A recurrent language model, with its state."""

    def __init__(self, model: RecurrentLM, cached: bool | str) -> None:
        super().__init__(cached)
        self.model = model
        self.state: State | None = None

    def read(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
        if not self.cached:
            return self.model(self._all(tokens)).logits[:, -1]
        # For a single step a kernel gains nothing.
        logits, self.state = self.model.read(tokens, None, self.state, fused=tokens.shape[1] > 1)
        return logits[:, -1]

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        self._reorder_tokens(rows)
        if isinstance(self.state, tuple):
            h, c = self.state
            self.state = h[:, rows], c[:, rows]
        elif self.state is not None:
            self.state = self.state[:, rows]


def _reorder(caches: list[KeyValueCache] | None, rows: Tensor) -> None:
    for cache in caches or ():
        cache.reorder(rows)
