"""One token at a time: the most likely, or one sampled from the model's probabilities."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import above_zero, at_least_one, check_fraction, check_tensors
from tfcourse.generation.decoders import Decoder, after_first
from tfcourse.generation.filters import keep_top_k, keep_top_p
from tfcourse.generation.prompts import Generated, check_end, writing

#: After how many tokens to ask a GPU whether all rows have ended.
ASKED_EVERY = 8


def greedy(
    model: nn.Module | Decoder,
    prompt: Int[Tensor, "B T"] | int,
    *,
    max_new_tokens: int,
    eos_id: int | None = None,
    prompt_lengths: Int[Tensor, " B"] | None = None,
    source: Int[Tensor, "B S"] | None = None,
    source_lengths: Int[Tensor, " B"] | None = None,
    beyond: str = "refuse",
    cached: bool | str = True,
) -> Generated:
    r"""Write the most likely token, read it, and so on; the result does not include the prompt.

    .. math:: y_t = \operatorname{argmax}_y P(y \mid y_{<t}, x)

    Arguments that do not fit the model or each other, and a text that would exceed the model's
    positions, raise ``ValueError``.

    Parameters
    ----------
    model:
        See :func:`~tfcourse.generation.decoder_of`. It generates without dropout, and its mode is
        restored afterwards.
    prompt, prompt_lengths:
        Ids to continue, and how many of each row are real, which come first; default all. A single
        id, such as the one that starts a sentence, is used for every source.
    max_new_tokens, eos_id:
        Maximum number of tokens to write, and the id that ends a row earlier; without one, all rows
        get the maximum.
    source, source_lengths, beyond, cached:
        What an encoder-decoder reads first; whether to write past the positions of training; and
        whether keys, values and states are cached. See :func:`~tfcourse.generation.decoder_of`.

    Notes
    -----
    224N section 3.6; UW "The Transformer Decoder".
    """
    asked = model, prompt, max_new_tokens, source, source_lengths, beyond, cached
    with writing(*asked) as (ids, decoder):
        found = _write(decoder, ids, prompt_lengths, max_new_tokens, eos_id, _likeliest)
    return found.copied()


def sample(
    model: nn.Module | Decoder,
    prompt: Int[Tensor, "B T"] | int,
    *,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    eos_id: int | None = None,
    prompt_lengths: Int[Tensor, " B"] | None = None,
    source: Int[Tensor, "B S"] | None = None,
    source_lengths: Int[Tensor, " B"] | None = None,
    beyond: str = "refuse",
    cached: bool | str = True,
) -> Generated:
    r"""Sample each token from the model's probabilities, optionally sharpened or truncated.

    .. math:: y_t \sim \operatorname{softmax}(\text{logits}_t / \tau)

    Everything else is as for :func:`greedy`. Numbers out of range also raise ``ValueError``.

    Parameters
    ----------
    temperature:
        The formula's tau: below 1 it sharpens the distribution, above 1 it flattens it.
    top_k, top_p:
        Which tokens are kept, after the temperature and in this order; see :func:`keep_top_k` and
        :func:`keep_top_p`. By default all are.
    generator:
        Source of random numbers, on the model's device; torch's default generator if omitted.

    Notes
    -----
    Fan et al. 2018 (top-k); Holtzman et al. 2020 (top-p).
    """
    above_zero(temperature=temperature)
    if top_k is not None:
        at_least_one(top_k=top_k)
    if top_p is not None:
        check_fraction(top_p=top_p)

    def drawn(logits: Tensor) -> Tensor:
        if temperature != 1:
            logits = logits / temperature
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if top_p is not None:
            logits = keep_top_p(logits, top_p)
        p = logits.softmax(dim=-1)
        if p.device.type == "cpu":
            return torch.multinomial(p, 1, generator=generator)[:, 0]
        return race(p, generator)

    asked = model, prompt, max_new_tokens, source, source_lengths, beyond, cached
    with writing(*asked) as (ids, decoder):
        found = _write(decoder, ids, prompt_lengths, max_new_tokens, eos_id, drawn)
    return found.copied()


def _likeliest(logits: Tensor) -> Tensor:
    return logits.argmax(dim=-1)


def race(p: Float[Tensor, "B V"], generator: torch.Generator | None) -> Int[Tensor, " B"]:
    """One draw from each row, as ``torch.multinomial`` makes it.

    It has no checks, for whose results the host would have to wait.
    """
    return (p / torch.empty_like(p).exponential_(generator=generator)).argmax(dim=-1)


def _write(
    decoder: Decoder,
    prompt: Tensor,
    prompt_lengths: Tensor | None,
    max_new_tokens: int,
    eos_id: int | None,
    choose: Callable[[Tensor], Tensor],
) -> Generated:
    """The loop that :func:`greedy` and :func:`sample` share: choose, write, read."""
    B, T = prompt.shape
    first, starts = T, None
    if prompt_lengths is not None:
        starts = _checked(prompt_lengths, B, T, prompt.device)
        first, T = int(starts.min()), int(starts.max())
        prompt = prompt[:, :T]
    last = T + max_new_tokens
    text = prompt.new_full((B, last), 0 if eos_id is None else eos_id)
    text[:, :T] = prompt
    going = torch.ones(B, dtype=torch.bool, device=prompt.device)  # has not written its end
    written = torch.full((B,), max_new_tokens, device=prompt.device)
    # To ask whether all rows have ended, the host must wait for the device, unless it is one.
    every = 1 if prompt.device.type == "cpu" else ASKED_EVERY
    logits = decoder.read(prompt[:, :first])
    check_end(eos_id, logits)
    scores = logits.new_zeros(B)
    with after_first(decoder):
        for t in range(first, last):
            chosen = choose(logits)
            loss = F.cross_entropy(logits, chosen, reduction="none")  # -log P(chosen)
            if starts is not None:
                # Longer prompts are still being read while shorter ones are already continued; a
                # row that began earlier stops earlier.
                given, full = t < starts, t >= starts + max_new_tokens
                chosen = torch.where(given, prompt[:, min(t, T - 1)], chosen)
                counts = going & ~given & ~full
            else:
                given, counts = None, going
            if eos_id is not None or starts is not None:
                loss = loss.masked_fill(~counts, 0.0)
                chosen = torch.where(
                    counts if given is None else counts | given, chosen, text[:, t]
                )
            scores -= loss
            text[:, t] = chosen
            if eos_id is not None:
                ends = counts & (chosen == eos_id)
                written = torch.where(ends, t + 1 - (T if starts is None else starts), written)
                going = going & ~ends
                if (t + 1 - first) % every == 0 and not going.any():
                    break
            if t + 1 < last:
                logits = decoder.read(chosen[:, None])
    N = int(written.max()) if eos_id is not None else max_new_tokens
    if starts is None:
        tokens = text[:, T : T + N]
    else:
        tokens = text.gather(1, starts[:, None] + torch.arange(N, device=text.device))
        beyond = torch.arange(N, device=text.device) >= written[:, None]
        tokens = tokens.masked_fill(beyond, 0 if eos_id is None else eos_id)
    return Generated(tokens, written, scores, ~going)


def _checked(lengths: Tensor, B: int, T: int, device: torch.device) -> Tensor:
    """The prompts' lengths on the prompts' device; one for each, from 1 to T."""
    check_tensors(prompt_lengths=lengths)
    if lengths.shape != (B,):
        raise ValueError(f"prompt_lengths must have shape ({B},), got {tuple(lengths.shape)}")
    if int(lengths.min()) < 1 or int(lengths.max()) > T:
        raise ValueError(f"prompt_lengths must lie between 1 and T={T}, got {lengths.tolist()}")
    return lengths.to(device)
