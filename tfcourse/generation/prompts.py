"""What every kind of generation checks, prepares and returns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, check_integers, check_tensors
from tfcourse.generation.decoders import Decoder, decoder_of
from tfcourse.modes import direct_attributes, in_mode
from tfcourse.wrapped import unwrapped


class Generated(NamedTuple):
    """What a model wrote, without the prompt.

    Attributes
    ----------
    tokens:
        Ids ``(B, N)``, with ``N`` the length of the longest row. After a row's length comes the end
        token, or 0 if there is no end token.
    lengths, ended:
        How many tokens each row wrote, including its end token, and whether it wrote one; the other
        rows stopped at the maximum length.
    scores:
        Log-probability in nats of what was written, given the prompt, under the unmodified model,
        whatever was done to its probabilities to choose a token. From
        :func:`~tfcourse.generation.beam_search`, divided by the length penalty.
    """

    tokens: Int[Tensor, "B N"]
    lengths: Int[Tensor, " B"]
    scores: Float[Tensor, " B"]
    ended: Bool[Tensor, " B"]

    def copied(self) -> Generated:
        """A copy without the restrictions of inference tensors, which autograd may not use."""
        return Generated(*(part.clone() for part in self))

    def rows(self) -> list[list[int]]:
        """Each row's own tokens, without its end token: what a tokenizer decodes."""
        stops = (self.lengths - self.ended.long()).tolist()
        return [row[:stop] for row, stop in zip(self.tokens.tolist(), stops, strict=True)]


@contextmanager
def writing(
    model: nn.Module | Decoder,
    prompt: Tensor | int,
    max_new_tokens: int,
    source: Tensor | None,
    source_lengths: Tensor | None,
    beyond: str,
    cached: bool | str,
) -> Iterator[tuple[Tensor, Decoder]]:
    """The prompt as ids ``(B, T)`` on the model's device, and the model ready to read it.

    Within it there are no gradients and no dropout. Operations cost less in inference mode than
    under ``no_grad``.
    """
    at_least_one(max_new_tokens=max_new_tokens)
    if isinstance(prompt, int):
        prompt = torch.full((1 if source is None else len(source), 1), prompt)
    check_tensors(prompt=prompt, source=source, source_lengths=source_lengths)
    if isinstance(model, nn.Module):
        device = next(model.parameters()).device
        prompt = prompt.to(device)
        source, source_lengths = (
            None if x is None else x.to(device) for x in (source, source_lengths)
        )
    if prompt.dim() != 2 or not prompt.numel():
        raise ValueError(
            f"prompt must be ids (B, T) with at least 1 row and 1 token, got {tuple(prompt.shape)}"
        )
    if source is not None and len(source) != len(prompt):
        raise ValueError(
            f"prompt must have a row for each source, {len(source)}, got {len(prompt)}"
        )
    plain = unwrapped(model) if isinstance(model, nn.Module) else model
    with in_mode(model, train=False), torch.inference_mode(), direct_attributes(plain):
        # The last token that is written is never read.
        yield prompt, decoder_of(
            model, source=source, source_lengths=source_lengths,
            max_length=prompt.shape[1] + max_new_tokens - 1, beyond=beyond, cached=cached,
        )  # fmt: skip


def check_end(eos_id: int | None, logits: Tensor) -> None:
    """Raise ``ValueError`` for an end token outside the vocabulary."""
    if eos_id is None:
        return
    check_integers(eos_id=eos_id)
    if not 0 <= eos_id < logits.shape[-1]:
        raise ValueError(f"eos_id must lie between 0 and {logits.shape[-1] - 1}, got {eos_id}")
