"""Mistakes in training a language model and in choosing its tokens, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

Two = tuple[Tensor | None, Tensor | None]


@later
def window_mistakes(ids: Tensor, T: int) -> dict[str, Two]:
    """What known mistakes cut out of a text ``(N,)``: message → (inputs, targets)."""
    N = len(ids)
    M = (N - 1) // T
    x, y = ids[: M * T].view(M, T), ids[1 : M * T + 1].view(M, T)
    found: dict[str, Two] = {
        "Your target for a token is the token itself, so a model that copies would have no loss. "
        "The target is the token that follows.": (x, x),
        "Inputs and targets are swapped: the model would learn to predict what came before.": (
            (y, x)
        ),
        "The last target of a window is the window's own first token. It should be the next "
        "token of the text, the first of the next window.": (x, x.roll(-1, dims=1)),
        "Your windows begin one token apart. Each must begin where the last one ended, so that "
        "each token is predicted once.": (ids[:-1].unfold(0, T, 1), ids[1:].unfold(0, T, 1)),
        "Your text runs down the columns. A window is a row, with tokens that follow each other in "
        "the text.": (ids[: M * T].view(T, M).mT, ids[1 : M * T + 1].view(T, M).mT),
        "Your windows begin with the second token. Begin with the first, which is an input too.": (
            (ids[1:][: (N - 2) // T * T].view(-1, T), ids[2:][: (N - 2) // T * T].view(-1, T))
        ),
    }
    if N >= 2 + M * T:
        found["Your targets are two tokens ahead. Take the next one."] = (
            *(x, ids[2 : M * T + 2].view(M, T)),
        )
    if T > 1:
        K = N // T
        cut = ids[: K * T].view(K, T)
        found[
            "Your windows have T - 1 targets: the first token of each window is never predicted. "
            "Take the target of its last token from the next window."
        ] = (cut[:, :-1], cut[:, 1:])
    if M > 1:
        found["The last window is missing. It is complete, and so are its targets."] = (
            x[:-1],
            y[:-1],
        )
    return told_once(others(found, (x, y)))


@later
def loss_mistakes(logits: Tensor, tokens: Tensor, lengths: Tensor) -> dict[str, Tensor | None]:
    """What known mistakes make of the mean of -log P over the real tokens: message → loss.

    Parameters
    ----------
    logits, tokens:
        ``(B, T, V)`` and ids ``(B, T)``: the logits at position t are for the token at t + 1.
    lengths:
        How many tokens of each row are real, ``(B,)``.
    """
    log_p, T = logits.log_softmax(-1), tokens.shape[1]

    def of(says: Tensor, by: Tensor = log_p) -> Tensor:
        return -by.gather(-1, says[..., None])[..., 0]

    place = torch.arange(T)
    each, same = of(tokens[:, 1:], log_p[:, :-1]), of(tokens)
    real = place[1:] < lengths[:, None]  # (B, T - 1): is the token at t + 1 real?
    sums, counts = each.where(real, 0.0).sum(1), real.sum(1)
    right = sums.sum() / counts.sum()
    before = place[:-1] < lengths[:, None]  # is the token at t real?
    back = of(tokens[:, :-1], log_p[:, 1:])
    found: dict[str, Tensor | None] = {
        "You compare the logits at position t with the token at position t: that one was read "
        "already, and a model that copies has no loss. They are for the token at t + 1.": (
            same[place < lengths[:, None]].mean()
        ),
        "Your targets are the tokens that were read: the logits at position t are for the token at "
        "t + 1.": same[:, :-1][real].mean(),
        "You compare the logits at position t with the token before it. They are for the token at "
        "t + 1.": back[real].mean(),
        "Your code counts the padding. There is nothing to learn there, so leave it out "
        "of the sum and out of the number that you divide by.": each.mean(),
        "Your sum leaves out the padding, but you divide by all positions. Divide by the number of "
        "tokens that are predicted.": each.where(real, 0.0).mean(),
        "This is the mean over the rows of each row's own mean, so a token of a short "
        "text counts more. Every predicted token must count the same.": (
            (sums / counts.clamp(min=1)).sum() / (counts > 0).sum()
        ),
        "Your loss is the sum over the tokens. Return their mean.": sums.sum(),
        "You divide by all real tokens, but the first of each row is read and not predicted.": (
            sums.sum() / lengths.sum()
        ),
        "You count one padding token in each row: of n tokens the first is read and n - 1 are "
        "predicted.": each[before].mean(),
        "The last real token of each row is left out. It is predicted, too.": (
            each[place[1:] + 1 < lengths[:, None]].mean()
        ),
        "You recognise padding by its id. Here the end of a text has the same id, and it must be "
        "predicted. `lengths` says what is real.": (_by_id(each, tokens, lengths)),
        "The sign is wrong: this grows as the model gets better.": -right,
        "The logarithm is missing: these are the probabilities themselves.": (
            of(tokens[:, 1:], log_p.exp()[:, :-1])[real].mean()
        ),
        "The softmax is missing: these are the logits themselves.": (
            of(tokens[:, 1:], logits[:, :-1])[real].mean()
        ),
        "Your softmax runs over the positions. It must sum to 1 over the vocabulary.": (
            of(tokens[:, 1:], logits.log_softmax(1)[:, :-1])[real].mean()
        ),
        "Your softmax runs over the positions but the last. It must sum to 1 over the "
        "vocabulary.": (of(tokens[:, 1:], logits[:, :-1].log_softmax(1))[real].mean()),
        "That is in bits: take the natural logarithm, ln, and not log2.": right / math.log(2),
        "That is e to the power of the loss, the perplexity.": right.exp(),
        "You return a loss for each row. Return one for the whole batch.": sums / counts,
    }
    if len(tokens) > 1:
        found[
            "This is the sum over a row, averaged over the rows. Divide by the number of tokens "
            "that are predicted."
        ] = sums.mean()
    return told_once(others(found, right))


def _by_id(each: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor | None:
    padded = tokens[torch.arange(tokens.shape[1]) >= lengths[:, None]]
    if not len(padded):
        return None
    return each[tokens[:, 1:] != padded[0]].mean()


@later
def per_byte_mistakes(loss: float, predicted: int, count: int) -> dict[str, float]:
    """What known mistakes make of the perplexity per byte: message → number."""
    right = math.exp(loss * predicted / count)
    found = {
        "That is the perplexity per token. Divide the nats of all tokens by the bytes.": (
            math.exp(loss)
        ),
        "Tokens and bytes are swapped: loss times tokens gives all nats. Divide these by the "
        "bytes.": math.exp(loss * count / predicted),
        "Those are the nats per byte. The perplexity is e to that power.": loss * predicted / count,
        "Those are bits per byte. Return the perplexity per byte.": (
            loss * predicted / count / math.log(2)
        ),
        "You divide the perplexity by the bytes. Divide the nats, which add up, and take e to that "
        "power.": math.exp(loss) * predicted / count,
        "The loss is in nats: take e to that power, not 2.": 2 ** (loss * predicted / count),
        "The loss is a mean over the tokens: times their number, it is all nats.": (
            math.exp(loss / count)
        ),
    }
    return told_once({m: x for m, x in found.items() if abs(x - right) > 1e-6 * right})


@later
def top_k_mistakes(logits: Tensor, k: int) -> dict[str, Tensor]:
    """What known mistakes keep of logits ``(B, V)``: message → logits."""
    V = logits.shape[-1]

    def kept(lowest: Tensor) -> Tensor:
        return logits.masked_fill(logits < lowest, -torch.inf)

    def least(k: int) -> Tensor:
        return logits.topk(max(1, min(k, V))).values[..., -1:]

    right = kept(least(k))
    exact = torch.zeros_like(logits, dtype=torch.bool)
    exact = exact.scatter(-1, logits.topk(min(k, V)).indices, True)
    gone = right == -torch.inf
    found = {
        "Of the tokens as likely as the k-th, some are kept and some are not. Keep all of them.": (
            logits.masked_fill(~exact, -torch.inf)
        ),
        "The k-th likeliest is left out. Keep those that are at least as likely.": (
            logits.masked_fill(logits <= least(k), -torch.inf)
        ),
        "One token too few is kept.": kept(least(k - 1)),
        "One token too many is kept.": kept(least(k + 1)),
        "You keep the k least likely.": logits.masked_fill(
            logits > (-logits).topk(min(k, V)).values.neg()[..., -1:], -torch.inf
        ),
        "Your code sets the others to 0, and exp(0) = 1 is not a small weight. Set them to -∞.": (
            right.masked_fill(gone, 0.0)
        ),
        "You return probabilities. Return the logits, unchanged where they are kept.": (
            right.softmax(-1)
        ),
        "You return log-probabilities. Return the logits, unchanged where they are kept.": (
            right.log_softmax(-1)
        ),
        "The k likeliest of all rows together are kept: each row has its own.": (
            kept(logits.flatten().topk(min(k, logits.numel())).values[-1])
        ),
        "You return only the kept logits. Keep the shape, and set the others to -∞.": (
            logits.topk(min(k, V)).values
        ),
        **_finite(right),
    }
    return told_once(others(found, right))


@later
def top_p_mistakes(logits: Tensor, p: float) -> dict[str, Tensor]:
    """What known mistakes keep of logits ``(B, V)``: message → logits."""
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(-1)
    total = P.cumsum(-1)

    def cut(gone: Tensor) -> Tensor:
        return logits.masked_fill(gone.scatter(-1, order, gone), -torch.inf)

    def after(limit: float) -> Tensor:
        """The likeliest is kept, and others as long as those before have less than the limit."""
        return torch.nn.functional.pad((total >= limit)[..., :-1], (1, 0))

    gone = after(p) & torch.tensor(p < 1)
    right = cut(gone)
    every = logits.softmax(-1)
    rising, upwards = every.sort(dim=-1, stable=True)
    gone_from_below = rising.cumsum(-1) - rising >= p
    gone_from_below = gone_from_below.scatter(-1, upwards, gone_from_below)
    found = {
        "The token that crosses p is left out: what is kept must have at least p together.": (
            cut(total > p)
        ),
        "A nucleus of 1 - p is kept: p is what is kept, not what is cut off.": cut(after(1 - p)),
        "One token too many is kept: stop when p is reached.": (
            cut(torch.nn.functional.pad((total >= p)[..., :-2], (2, 0)))
        ),
        "You find what to cut in the sorted order, but use it in the vocabulary's order. Map it "
        "back first.": logits.masked_fill(gone, -torch.inf),
        "The logits come back sorted: the logit of token v must stay at index v.": (
            ordered.masked_fill(gone, -torch.inf)
        ),
        "You compare each token's own probability with p. The sum of the likelier ones "
        "decides.": logits.masked_fill(every < p, -torch.inf),
        "You compare each token's own probability with 1 - p. The sum of the likelier ones "
        "decides.": logits.masked_fill(every < 1 - p, -torch.inf),
        "Your sum begins with the least likely token. Begin with the likeliest.": (
            logits.masked_fill(gone_from_below, -torch.inf)
        ),
        "Your code sets the others to 0, and exp(0) = 1 is not a small weight. Set them to -∞.": (
            right.masked_fill(right == -torch.inf, 0.0)
        ),
        "You return probabilities. Return the logits, unchanged where they are kept.": (
            right.softmax(-1)
        ),
        "You return log-probabilities. Return the logits, unchanged where they are kept.": (
            right.log_softmax(-1)
        ),
        "You return probabilities, with 0 for what is cut off. Return logits, with -∞.": (
            every.masked_fill(right == -torch.inf, 0.0)
        ),
        "Nothing is cut off.": logits,
        **_finite(right),
    }
    crossing, first = total > p, torch.arange(P.shape[-1]) == 0
    if (crossing & first).any():
        found[
            "The token that crosses p is left out, unless it is the likeliest: what is kept must "
            "have at least p together."
        ] = cut(crossing & ~first)
    return told_once(others(found, right))


def _finite(right: Tensor) -> dict[str, Tensor]:
    """A large negative number where minus infinity is due: message → logits."""
    gone = right == -torch.inf
    lows = -1e4, -1e9, -1e10, torch.finfo(right.dtype).min
    return {
        f"Your code sets the others to {low}, which is still a number. Set them to -∞, "
        "-math.inf.": right.masked_fill(gone, low)
        for low in lows
    }
