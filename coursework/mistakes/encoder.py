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

#: Ids, segments and which positions are real; ``None`` for a part that the mistake leaves right.
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
        "You build the whole input and then cut it off, so the [SEP] at its end is lost, and "
        "perhaps all of the second text. Shorten the texts first, word by word.": (
            (line(whole, pad), line(_segments(whole, sep), 0), torch.ones_like(real))
            if len(whole) > longest
            else (None, None, None)
        ),
        "You take words off the beginning. Take them off the end.": (
            (line(shortened(front=True), pad), None, None)
        ),
        "Your padding comes before the texts. It belongs after them.": (
            (line([pad] * (longest - n) + ids, pad), None, None)
        ),
        "The [CLS] at the beginning is missing.": (line(ids[1:], pad), None, None),
        "The [SEP] at the end is missing: each text ends with one.": (
            (line(ids[:-1], pad), None, None)
        ),
        "Your mask is the wrong way round: True = a real token, False = padding.": (
            (None, None, ~real)
        ),
        "Your mask hides [CLS] and [SEP]. They are real tokens: only padding is not.": (
            (None, None, real & ~_is(line(ids, pad), cls, sep))
        ),
        "Here padding belongs to segment 0.": ((None, line(segments, 1), None)),
    }
    if b is not None:
        half, rest = room // 2, room - room // 2
        found |= {
            "If both texts are equally long, shorten the second. Your code shortens the first.": (
                line(shortened(tie_first=True), pad),
                None,
                None,
            ),
            "You shorten only the second text. Take each word off the text that is longer at "
            "that moment.": (line(around(a, b[: max(0, room - len(a))]), pad), None, None),
            "You shorten only the first text. Take each word off the text that is longer at "
            "that moment.": (line(around(a[: max(0, room - len(b))], b), pad), None, None),
            "You give each text half of the positions, though one of them does not need its half. "
            "Take words off the longer text only until both fit.": (
                (line(around(a[:rest], b[:half]), pad), None, None)
            ),
            "The [SEP] between the texts is missing.": (
                (line(ids[: split - 1] + ids[split:], pad), None, None)
            ),
            "The [SEP] after the first text belongs to it: segment 0.": (
                (None, line([0] * (split - 1) + [1] * (n - split + 1), 0), None)
            ),
            "The [SEP] at the end belongs to the second text: segment 1.": (
                (None, line([*segments[:-1], 0], 0), None)
            ),
            "You number the segments from 1. The first text is segment 0.": (
                (None, line([s + 1 for s in segments], 0), None)
            ),
            "The segments are the wrong way round: 0 for the first text, 1 for the second.": (
                (None, line([1 - s for s in segments], 0), None)
            ),
            "Everything is in segment 0. The second text is segment 1.": (None, line([0], 0), None),
        }
    else:
        found |= {
            "A single text has one [SEP]. Your code adds an empty second text after it.": (
                (line([*ids, sep], pad), None, None)
            ),
            "A single text is in segment 0.": (None, line([1] * n, 0), None),
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
        The rows of words ``(V, D)``, of positions ``(N, D)`` and of segments.
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
        "The segments are missing: add a row of S for each token.": norm(words + places),
        "The positions are missing: add a row of P for each token.": norm(words + texts),
        "The words are missing: add a row of E for each token.": norm(
            places + texts + torch.zeros_like(words)
        ),
        "Positions and segments are missing: you normalise the words alone.": norm(words),
        "The norm is missing: normalise the sum of the three.": added,
        "You normalise the words before you add positions and segments. Add first.": (
            norm(words) + places + texts
        ),
        "You normalise each of the three by itself. Add first.": (
            norm(words) + norm(places) + norm(texts)
        ),
        "You multiply the words by √D, as in the Transformer of 2017. BERT does not.": norm(
            D**0.5 * words + places + texts
        ),
        "You multiply the three. Add them.": norm(words * places * texts),
        "The segments are the wrong way round.": (
            norm(words + places + S[1 - segments]) if segments.max() < 2 else norm(added)
        ),
        "Every token has the row of the first segment.": norm(words + places + S[0]),
        "Your positions count backwards, from the end.": norm(words + places.flip(0) + texts),
        "Every token gets position 0.": norm(words + P[0] + texts),
        "Your positions start again with the second text. Count on from [CLS] to the end.": (
            norm(words + P[restart] + texts)
        ),
        "You look up rows of P by the words' ids. Look them up by position.": (
            norm(words + P[ids.clamp(max=len(P) - 1)] + texts)
        ),
    }
    if len(P) > T:
        found["Your positions start at 1. [CLS] is at position 0."] = norm(
            words + P[1 : T + 1] + texts
        )
    if len(P) >= B > 1:
        found["Your positions run along the batch. They must run along each text."] = norm(
            words + P[:B, None] + texts
        )
    if B > 1:
        found[
            "You take one mean and one variance for a whole text. Each token has its own, over "
            "its D numbers."
        ] = bare(added, (1, 2)) * gain + bias
    if len(S) > 2:
        found[
            "Every segment but the first gets the second row of S. S has a row for each "
            "segment, and there may be more than 2."
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
        "You read the last token. [CLS] is the first.": head(X[:, -1]),
        "You read the mean of all tokens. This head reads only [CLS], the first token.": (
            head(X.mean(1))
        ),
        "You read the maximum over the tokens. This head reads only [CLS].": (head(X.amax(1))),
        "The tanh is missing. Without it, the two matrices amount to one.": head(
            first, lambda x: x
        ),
        "The tanh comes after the second matrix. It belongs between the two.": (
            (((first @ W_p + b_p) @ W_c) + b_c).tanh()
        ),
        "You apply a second tanh, after the second matrix. Logits may have any size.": right.tanh(),
        "You use a sigmoid. The head has a tanh.": head(first, torch.sigmoid),
        "You use a ReLU. The head has a tanh.": head(first, torch.relu),
        "b_p is missing.": (first @ W_p).tanh() @ W_c + b_c,
        "You add b_p after the tanh. Add it before.": (((first @ W_p).tanh() + b_p) @ W_c + b_c),
        "b_c is missing.": right - b_c,
        "The logits have been through a softmax. Return the logits themselves.": right.softmax(-1),
        "You return the pooled vector. Multiply it by the second matrix to get the logits.": (
            (first @ W_p + b_p).tanh()
        ),
        "You return the logits of every token. Return those of [CLS] alone.": head(X),
    }
    if W_p.shape[0] == W_p.shape[1]:
        found["W_p is transposed: tokens are rows, so it is x W_p."] = (
            first @ W_p.T + b_p
        ).tanh() @ W_c + b_c
        found["The first matrix and its tanh are missing."] = first @ W_c + b_c
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
        "Your mean includes the padding.": X.mean(1),
        "Your sum leaves out the padding, but you divide by all positions. Divide by the number of "
        "real tokens.": total / X.shape[1],
        "Padding is still in your sum, though you divide by the number of real tokens.": X.sum(1)
        / n,
        "This is the sum: divide by the number of real tokens.": total,
        "You divide by the number of real tokens in the whole batch. Divide each text by its "
        "own number.": (total / real.sum().clamp(min=1)),
        "You average the padding instead of the real tokens. True = a real token.": (
            (X * ~kept).sum(1) / (~kept).sum(1).clamp(min=1)
        ),
        "You leave out the first token. [CLS] is a real token here.": (
            (X * late).sum(1) / late.sum(1).clamp(min=1)
        ),
        "You return [CLS] alone.": X[:, 0],
        "You return the maximum over the tokens. Return their mean.": hidden,
        "You divide by the square root of the number of real tokens. Divide by the number "
        "itself.": total / n.sqrt(),
        "Your mean runs over the batch as well. Return one vector for each text.": (
            (total.sum(0) / real.sum().clamp(min=1)).expand_as(total)
        ),
    }
    return others(found, right)
