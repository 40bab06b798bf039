"""Mistakes in an encoder's input, its embedding and its pooled output, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.norms import layer_norm_mistakes
from coursework.mistakes.telling import others

#: Ids, segments and which places are real; ``None`` for a part that the mistake leaves right.
Input = tuple[Tensor | None, Tensor | None, Tensor | None]


@later
def input_mistakes(
    first: Tensor, second: Tensor | None, longest: int, cls: int, sep: int, pad: int
) -> dict[str, Input]:
    """What known mistakes make of an input of one or two texts: message → (ids, segments, real).

    Parameters
    ----------
    first, second:
        Ids of the words, ``(n,)`` and ``(m,)``, or ``None`` for a single text.
    longest, cls, sep, pad:
        The length of the input, and the ids of [CLS], [SEP] and padding.
    """
    a, b = first.tolist(), None if second is None else second.tolist()
    room = longest - (2 if b is None else 3)

    def line(ids: list[int], fill: int) -> Tensor:
        return torch.tensor((ids + [fill] * longest)[:longest])

    def around(x: list[int], y: list[int] | None) -> list[int]:
        return [cls, *x, sep] + ([] if y is None else [*y, sep])

    def shortened(tie_first: bool = False, front: bool = False) -> list[int]:
        x, y = list(a), list(b or [])
        while len(x) + len(y) > room:
            longer = x if len(x) > len(y) or (tie_first and len(x) == len(y)) else y
            longer.pop(0 if front else -1)
        return around(x, None if b is None else y)

    ids = shortened()
    n, split = len(ids), ids.index(sep) + 1
    segments = [0] * split + [1] * (n - split)
    real = torch.arange(longest) < n
    whole = around(a, b)
    found: dict[str, Input] = {
        "The input is put together whole and then cut off: the [SEP] at its end is lost, and "
        "perhaps all of the second text. Shorten the texts first, word by word.": (
            (line(whole, pad), line(_segments(whole, sep), 0), torch.ones_like(real))
            if len(whole) > longest
            else (None, None, None)
        ),
        "The words at the beginning are taken off: take them off the end.": (
            (line(shortened(front=True), pad), None, None)
        ),
        "Padding stands in front of the texts: it stands behind them.": (
            (line([pad] * (longest - n) + ids, pad), None, None)
        ),
        "The [CLS] in front is missing.": (line(ids[1:], pad), None, None),
        "The [SEP] at the end is missing: each text has one behind it.": (
            (line(ids[:-1], pad), None, None)
        ),
        "The wrong places are marked as real: True = a real token, False = padding.": (
            (None, None, ~real)
        ),
        "[CLS] and [SEP] are real tokens, too: padding alone is not.": (
            (None, None, real & ~_is(line(ids, pad), cls, sep))
        ),
        "Padding is of segment 0 here: it is of no text, and 0 is what all are agreed on.": (
            (None, line(segments, 1), None)
        ),
    }
    if b is not None:
        half, rest = room // 2, room - room // 2
        found |= {
            "If both texts are equally long, the second one loses a word. Your code "
            "shortens the first.": (line(shortened(tie_first=True), pad), None, None),
            "The second text alone is shortened: a word goes off the text that is longer just "
            "then.": (line(around(a, b[: max(0, room - len(a))]), pad), None, None),
            "The first text alone is shortened: a word goes off the text that is longer just "
            "then.": (line(around(a[: max(0, room - len(b))], b), pad), None, None),
            "Each text gets half of the places, though one of them does not need its half: take "
            "words off the longer text only until all fits.": (
                (line(around(a[:rest], b[:half]), pad), None, None)
            ),
            "There is no [SEP] between the texts.": (
                (line(ids[: split - 1] + ids[split:], pad), None, None)
            ),
            "The [SEP] behind the first text belongs to it, and is of segment 0.": (
                (None, line([0] * (split - 1) + [1] * (n - split + 1), 0), None)
            ),
            "The [SEP] at the end belongs to the second text, and is of segment 1.": (
                (None, line([*segments[:-1], 0], 0), None)
            ),
            "The segments are counted from 1: the first text is segment 0.": (
                (None, line([s + 1 for s in segments], 0), None)
            ),
            "The segments are the wrong way round: 0 for the first text, 1 for the second.": (
                (None, line([1 - s for s in segments], 0), None)
            ),
            "All is of segment 0: the second text is segment 1.": (None, line([0], 0), None),
        }
    else:
        found |= {
            "A single text has one [SEP]. Your code adds an empty second text after it.": (
                (line([*ids, sep], pad), None, None)
            ),
            "A single text is of segment 0.": (None, line([1] * n, 0), None),
        }
    return others(found, (line(ids, pad), line(segments, 0), real))


def _segments(ids: list[int], sep: int) -> list[int]:
    split = ids.index(sep) + 1
    return [0] * split + [1] * (len(ids) - split)


def _is(ids: Tensor, *special: int) -> Tensor:
    return torch.isin(ids, torch.tensor(special))


# -- the vectors of the input ----------------------------------------------------------------------


@later
def embed_mistakes(
    ids: Tensor,
    segments: Tensor,
    E: Tensor,
    P: Tensor,
    S: Tensor,
    gain: Tensor,
    bias: Tensor,
    eps: float,
) -> dict[str, Tensor]:
    """What known mistakes make of an encoder's input: message → ``(B, T, D)``.

    Parameters
    ----------
    ids, segments:
        ``(B, T)``.
    E, P, S:
        The rows of words ``(V, D)``, of places ``(N, D)`` and of segments.
    gain, bias, eps:
        Of the norm.
    """
    (B, T), D = ids.shape, E.shape[1]
    words, places, texts = E[ids], P[:T], S[segments]

    def bare(x: Tensor, axes: tuple[int, ...] = (-1,)) -> Tensor:
        spread = x.var(axes, correction=0, keepdim=True)
        return (x - x.mean(axes, keepdim=True)) / (spread + eps).sqrt()

    def norm(x: Tensor) -> Tensor:
        return bare(x) * gain + bias

    added = words + places + texts
    restart = torch.arange(T) - (segments[:, None] < segments[..., None]).sum(-1)
    found: dict[str, Tensor] = {
        "The segments are missing: S has a row for each.": norm(words + places),
        "The places are missing: P has a row for each.": norm(words + texts),
        "The words are missing.": norm(places + texts + torch.zeros_like(words)),
        "Places and segments are missing: this is the norm of the words alone.": norm(words),
        "The norm is missing: the sum of the three is normalised.": added,
        "The words alone are normalised, before places and segments are added: add first.": (
            norm(words) + places + texts
        ),
        "Each of the three is normalised on its own: add first.": (
            norm(words) + norm(places) + norm(texts)
        ),
        "The words are multiplied by √D, as in the Transformer of 2017: BERT adds them as they "
        "are.": norm(D**0.5 * words + places + texts),
        "The three are multiplied: they are added.": norm(words * places * texts),
        "The segments are the wrong way round.": (
            norm(words + places + S[1 - segments]) if segments.max() < 2 else norm(added)
        ),
        "Every token has the row of the first segment.": norm(words + places + S[0]),
        "The places are counted backwards, from the end.": norm(words + places.flip(0) + texts),
        "Every token has the row of place 0.": norm(words + P[0] + texts),
        "The places begin anew with the second text: they are counted through from [CLS].": (
            norm(words + P[restart] + texts)
        ),
        "The rows of places are found by the words' ids: they are found by where a word stands.": (
            norm(words + P[ids.clamp(max=len(P) - 1)] + texts)
        ),
    }
    if len(P) > T:
        found["The places are counted from 1: [CLS] stands at place 0."] = norm(
            words + P[1 : T + 1] + texts
        )
    if len(P) >= B > 1:
        found["The places are counted along the batch: they are counted along each text."] = norm(
            words + P[:B, None] + texts
        )
    if B > 1:
        found[
            "One mean and one variance are taken over a whole text: each token has its own, over "
            "its D numbers."
        ] = bare(added, (1, 2)) * gain + bias
    if len(S) > 2:
        found[
            "Every segment but the first gets the second row of S: S has a row for each, 2 or more."
        ] = norm(words + places + S[segments.clamp(max=1)])
    found |= layer_norm_mistakes(added, gain, bias, eps)
    return others(found, norm(added))


# -- one vector for the whole ----------------------------------------------------------------------


@later
def cls_mistakes(
    X: Tensor, W_p: Tensor, b_p: Tensor, W_c: Tensor, b_c: Tensor
) -> dict[str, Tensor]:
    """What known mistakes make of the classes' logits from [CLS]: message → ``(B, C)``."""

    def head(x: Tensor, squash: Callable[[Tensor], Tensor] = torch.tanh) -> Tensor:
        return squash(x @ W_p + b_p) @ W_c + b_c

    first = X[:, 0]
    right = head(first)
    found = {
        "The last token is read: [CLS] is the first.": head(X[:, -1]),
        "The mean of all tokens is read: this head reads [CLS], the first token, alone.": (
            head(X.mean(1))
        ),
        "The largest of each number over the tokens is read: this head reads [CLS] alone.": (
            head(X.amax(1))
        ),
        "The tanh is missing: without it the two matrices are one.": head(first, lambda x: x),
        "The tanh stands after the second matrix: it stands between the two.": (
            (((first @ W_p + b_p) @ W_c) + b_c).tanh()
        ),
        "A tanh stands after the second matrix, too: logits may have any size.": right.tanh(),
        "This is a sigmoid: the head has a tanh.": head(first, torch.sigmoid),
        "This is a ReLU: the head has a tanh.": head(first, torch.relu),
        "b_p is missing.": (first @ W_p).tanh() @ W_c + b_c,
        "b_p is added behind the tanh: it is added before, and the tanh is taken of the sum.": (
            ((first @ W_p).tanh() + b_p) @ W_c + b_c
        ),
        "b_c is missing.": right - b_c,
        "The logits have been through a softmax: they are asked for as they are.": right.softmax(
            -1
        ),
        "This is the pooled vector: the second matrix makes logits of it.": (
            (first @ W_p + b_p).tanh()
        ),
        "The logits of every token come back: those of [CLS] alone are asked for.": head(X),
    }
    if W_p.shape[0] == W_p.shape[1]:
        found["W_p is turned round: tokens are rows, x W."] = (
            first @ W_p.T + b_p
        ).tanh() @ W_c + b_c
        found["The first matrix is missing, and its tanh."] = first @ W_c + b_c
    return others(found, right)


@later
def mean_mistakes(X: Tensor, real: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the mean of the real tokens: message → ``(B, D)``."""
    kept = real[..., None]
    n = kept.sum(1).clamp(min=1)
    total = (X * kept).sum(1)
    right = total / n
    late = kept.clone()
    late[:, 0] = False
    hidden = X.masked_fill(~kept, -torch.inf).amax(1)
    found = {
        "Padding is averaged, too.": X.mean(1),
        "Padding is out of your sum, but you divide by all places: divide by the number of real "
        "tokens.": total / X.shape[1],
        "Padding is still in your sum: it is divided by the number of real tokens.": X.sum(1) / n,
        "This is the sum: divide by the number of real tokens.": total,
        "The real tokens of the whole batch are counted: each text is divided by its own number.": (
            total / real.sum().clamp(min=1)
        ),
        "The padding is averaged, and not the real tokens: True = a real token.": (
            (X * ~kept).sum(1) / (~kept).sum(1).clamp(min=1)
        ),
        "The first token is left out: [CLS] is a real token here.": (
            (X * late).sum(1) / late.sum(1).clamp(min=1)
        ),
        "This is [CLS] alone.": X[:, 0],
        "This is the largest of each number: their mean is asked for.": hidden,
        "This is divided by the root of their number.": total / n.sqrt(),
        "The mean runs over the batch as well: one vector for each text is asked for.": (
            (total.sum(0) / real.sum().clamp(min=1)).expand_as(total)
        ),
    }
    return others(found, right)
