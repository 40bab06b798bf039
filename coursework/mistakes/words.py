"""Wrong ways to make and compare word vectors that learners are known to take, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor

from coursework.mistakes.later import later

Pairs = list[tuple[str, str]]


@later
def pair_mistakes(text: list[list[str]], window: int) -> dict[str, Pairs]:
    """What known mistakes make of the training pairs of a text: message → (centre, context) pairs.

    Parameters
    ----------
    text:
        Sentences, the words of each.
    window:
        How many words to either side are paired with a word.
    """
    offsets = [d for d in range(-window, window + 1) if d]
    right = _pairs(text, offsets)
    running = [[word for sentence in text for word in sentence]]
    return {
        "You pair the centre only with words after it. The window reaches to both sides.": (
            _pairs(text, range(1, window + 1))
        ),
        "You pair the centre only with words before it. The window reaches to both sides.": (
            _pairs(text, range(-window, 0))
        ),
        "Each word is paired with itself, too. Leave out the position j = i.": (
            _pairs(text, range(-window, window + 1))
        ),
        "The window is one word short on the right: range(i - m, i + m) and words[i - m : i + m] "
        "stop before i + m.": _pairs(text, [d for d in offsets if d != window]),
        f"You use {window} as the number of words in the whole window. It reaches {window} words "
        "to either side.": (_pairs(text, [d for d in offsets if abs(d) <= window // 2])),
        "Your code makes no pairs for words near the edge of a sentence. There the window "
        "is cut short where the sentence ends.": [
            (s[i], s[i + d]) for s in text for i in range(window, len(s) - window) for d in offsets
        ],
        "At the left edge the window wraps around to the end of the sentence: in Python "
        "words[-1] is the last word. Start at max(0, i - m).": [
            (s[i], s[i + d])
            for s in text
            for i in range(len(s))
            for d in offsets
            if -len(s) <= i + d < len(s)
        ],
        "Words before the centre are lost at the left edge: if i - m is negative, "
        "words[i - m : i] counts from the end. Start at max(0, i - m).": [
            (c, near)
            for s in text
            for i, c in enumerate(s)
            for near in s[i - window : i] + s[i + 1 : i + window + 1]
        ],
        "Your windows cross the border between two sentences. The last word of one is not a "
        "neighbour of the first word of the next.": _pairs(running, offsets),
        "A word that occurs twice in one window must be paired with itself. The positions must "
        "differ, i ≠ j, not the words.": [(c, o) for c, o in right if c != o],
        "You count each pair once. A pair that occurs twice in the text is trained on twice.": (
            list(dict.fromkeys(right))
        ),
    }


@later
def look_up_gradient_mistakes(ids: Tensor, G: Tensor, n: int) -> dict[str, Tensor]:
    """What known mistakes make of a look-up's gradient ``(n, D)``: message → gradient."""
    right = G.new_zeros(n, G.shape[1]).index_add_(0, ids, G)
    counts = torch.bincount(ids, minlength=n)[:, None].to(G.dtype)
    last, first = torch.zeros_like(right), torch.zeros_like(right)
    for row, g in zip(ids.tolist(), G, strict=True):
        last[row] = g
    for row, g in reversed(list(zip(ids.tolist(), G, strict=True))):
        first[row] = g
    lost = (
        "If a word comes twice, only its {} row of G is left: the rows add up. An assignment "
        "dW[ids] = G, and dW[ids] += G as well, writes each row once."
    )
    return {
        lost.format("last"): last,
        lost.format("first"): first,
        "If a word comes twice, you take the mean of its rows of G. They add up.": (
            right / counts.clamp(min=1)
        ),
        "You count how often each word comes. Add up its rows of G instead.": (
            counts.expand_as(right)
        ),
        "Your gradient is transposed. It must have the shape of W, a row for each word.": right.mT,
        "Your gradient has a row for each id. It must have one for each word, like W.": G,
    }


@later
def noise_mistakes(counts: Tensor, power: float = 0.75) -> dict[str, Tensor]:
    """What known mistakes make of the noise distribution ``(n,)``: message → probabilities."""
    share = counts / counts.sum()
    return {
        "These are the words' plain shares of the text: raise counts to the power first.": share,
        "Your probabilities do not sum to 1: divide by the sum of the powers, after taking the "
        "power and not before.": share**power,
        "These are the powers of the counts: divide them by their sum.": counts**power,
        f"You divide by the sum of the counts, not by the sum of their powers, so what comes out "
        f"does not sum to 1. The power was {power:g}.": counts**power / counts.sum(),
        "Your power is inverted: 1/power makes frequent words more frequent, not less.": (
            _normalised(counts ** (1 / power))
        ),
        "Your code gives frequent words the smaller probabilities. The power is positive.": (
            _normalised(counts.clamp(min=1) ** -power)
        ),
        "A softmax of the counts gives everything to the most frequent word. Take powers, not "
        "exponentials.": (counts.softmax(0)),
        "Your code gives every word the same probability. Where do the counts come in?": (
            torch.full_like(counts, 1 / len(counts))
        ),
        "Your code may draw a word that never occurs. Its count is 0, and so is 0 to any "
        "power: add nothing to the counts.": _normalised((counts + 1) ** power),
    }


@later
def keep_mistakes(counts: Tensor, t: float) -> dict[str, Tensor]:
    """What known mistakes make of the chances to be kept ``(n,)``: message → probabilities."""
    share = counts / counts.sum()
    root = (t / share).sqrt()
    found = {
        "A rare word gets a probability above 1. It must be at most 1.": root,
        "These are the probabilities of being dropped. Return 1 minus them.": (
            (1 - root).clamp(min=0)
        ),
        "These are the probabilities of being dropped, and some are negative. Return 1 minus them, "
        "at most 1.": 1 - root,
        "The root is missing: √(t / f), not t / f.": (t / share).clamp(max=1),
        "t and f are swapped: the more frequent a word, the less often it is kept.": (
            (share / t).sqrt().clamp(max=1)
        ),
        "f is a word's share of the text: divide its count by the sum of all counts.": (
            (t / counts).sqrt().clamp(max=1)
        ),
        "f is a word's share of the whole text; you divide by the largest count.": (
            (t * counts.max() / counts).sqrt().clamp(max=1)
        ),
        "A word that never occurs gets 0 or NaN: √(t / f) grows without end as f goes to 0, so the "
        "limit is 1.": root.clamp(max=1).masked_fill(counts == 0, 0.0),
    }
    right = root.clamp(max=1)
    return {message: wrong for message, wrong in found.items() if not torch.equal(wrong, right)}


@later
def log_sigmoid_mistakes(x: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of log σ(x): message → result."""
    return {
        "The logarithm is missing: this is σ(x).": torch.sigmoid(x),
        "The sign is wrong: σ(x) is below 1, so its logarithm is below 0.": -F.logsigmoid(x),
        "This is log σ(-x), which falls with x: log σ(x) grows.": F.logsigmoid(-x),
        "This is -log σ(-x), which is log(1 + eˣ).": -F.logsigmoid(-x),
    }


@later
def loss_mistakes(w: Tensor, v: Tensor, negatives: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the loss of negative sampling: message → loss.

    Parameters
    ----------
    w, v:
        Vectors ``(B, D)`` of centres and contexts.
    negatives:
        Vectors ``(B, N, D)`` of the words drawn as noise.
    """
    true = (w * v).sum(-1)
    drawn = (negatives * w[:, None]).sum(-1)
    log_true, log_drawn = F.logsigmoid(true), F.logsigmoid(-drawn)
    each = -log_true - log_drawn.sum(-1)
    found = {
        "You return one loss for each pair. Return their mean.": each,
        "Your loss is the sum over the pairs. Return their mean.": each.sum(),
        "Your loss takes the mean over the negatives. Add up a pair's negatives instead.": (
            (-log_true - log_drawn.mean(-1)).mean()
        ),
        "The sign is wrong: this grows as the model gets better. The loss has a minus.": (
            -each.mean()
        ),
        "The sign in the negatives' sigmoid is missing: their scores should become small, so it is "
        "σ(-w · n).": (-log_true - F.logsigmoid(drawn).sum(-1)).mean(),
        "Your code subtracts the negatives. Both parts of the loss have a minus.": (
            (-log_true + log_drawn.sum(-1)).mean()
        ),
        "The negatives are missing from your loss.": -log_true.mean(),
        "The true word is missing from your loss.": -log_drawn.sum(-1).mean(),
        "The logarithm is missing: these are the probabilities themselves.": (
            (-torch.sigmoid(true) - torch.sigmoid(-drawn).sum(-1)).mean()
        ),
        "The sigmoid is missing: the scores themselves are added up.": (
            (-true + drawn.sum(-1)).mean()
        ),
        "Your negatives share one sigmoid: the sigmoid of a sum is not the product of sigmoids. "
        "Each negative has its own.": (-log_true - F.logsigmoid(-drawn.sum(-1))).mean(),
        "This is a softmax over the true word and the negatives. Negative sampling asks for each "
        "word separately whether it is real: each has its own sigmoid.": F.cross_entropy(
            torch.cat([true[:, None], drawn], dim=1), torch.zeros(len(w), dtype=torch.long)
        ),
        "You compare the negatives with the context. Compare them with the centre: w · n.": (
            (-log_true - F.logsigmoid(-(negatives * v[:, None]).sum(-1)).sum(-1)).mean()
        ),
    }
    right = each.mean()
    return {message: wrong for message, wrong in found.items() if not torch.equal(wrong, right)}


Gradients = tuple[Tensor | None, Tensor | None, Tensor | None]


@later
def gradient_mistakes(w: Tensor, v: Tensor, negatives: Tensor) -> dict[str, Gradients]:
    """What known mistakes make of the loss's gradients with respect to the three inputs.

    Message → gradients of the shapes of ``w``, ``v`` and ``negatives``; ``None`` where that part
    tells nothing. The inputs are as for :func:`loss_mistakes`.
    """
    B = len(w)
    true = torch.sigmoid((w * v).sum(-1, keepdim=True))
    drawn = torch.sigmoid((negatives * w[:, None]).sum(-1, keepdim=True))

    def of(a: Tensor, b: Tensor, pairs: int = B) -> tuple[Tensor, Tensor, Tensor]:
        """The chain rule, from the derivatives by the scores."""
        return (a * v + (b * negatives).sum(1)) / pairs, a * w / pairs, b * w[:, None] / pairs

    dw, dv, dn = of(true - 1, drawn)
    found: dict[str, Gradients] = {
        "The sign is wrong: these gradients point to where the loss falls. A gradient points to "
        "where it grows; the step goes the other way.": (-dw, -dv, -dn),
        "The derivative of -log σ(s) is σ(s) - 1. You left out the -1 of the true word.": (
            of(true, drawn)
        ),
        "The derivative of -log σ(-s) is σ(s). You subtract 1 from it, as for the true word.": (
            of(true - 1, drawn - 1)
        ),
        "Your factors are σ'(s) = σ(s) (1 - σ(s)). The logarithm's derivative 1/σ(s) cancels one "
        "of the two: σ(s) - 1 for the true word, σ(s) for a negative.": of(
            -true * (1 - true), drawn * (1 - drawn)
        ),
        "Your factors are the scores without their sigmoid.": of(
            (w * v).sum(-1, keepdim=True) - 1, (negatives * w[:, None]).sum(-1, keepdim=True)
        ),
        "In the gradient of w there is only the true word. The negatives push w too.": (
            (true - 1) * v / B,
            None,
            None,
        ),
        "In the gradient of w the true word is missing. It pulls, and the negatives push.": (
            (drawn * negatives).sum(1) / B,
            None,
            None,
        ),
        "In the gradient of w you take the mean over the negatives: they add up.": (
            ((true - 1) * v + (drawn * negatives).mean(1)) / B,
            None,
            None,
        ),
        "The gradient with respect to v is a multiple of w, since the score is w · v. Yours is a "
        "multiple of v.": (None, (true - 1) * v / B, None),
        "The gradient with respect to a negative is a multiple of w. Yours is a multiple of the "
        "negative itself.": (None, None, drawn * negatives / B),
        "Return a gradient for each negative. Yours are added up over them.": (
            None,
            None,
            dn.sum(1),
        ),
    }
    if B > 1:
        found = {
            f"Your gradients are those of the sum over the pairs. The loss is their mean, so "
            f"divide by {B}.": of(true - 1, drawn, pairs=1),
            **found,
        }
    return found


@later
def neighbour_mistakes(W: Tensor, word: int, k: int) -> dict[str, Tensor]:
    """What known mistakes make of a word's ``k`` nearest neighbours: message → ids ``(k,)``."""
    w, lengths = W[word], W.norm(dim=1)
    products = W @ w
    cosines = products / (lengths * w.norm()).clamp(min=torch.finfo(W.dtype).tiny)
    itself = "The word itself is among its neighbours. Leave it out."
    zeros = (
        "Your code puts a vector of zeros first: its cosine is 0/0 = NaN, and NaN is "
        "sorted before every number. Make its cosine 0."
    )
    found = {
        itself: cosines.topk(k).indices,
        "In your code long vectors win: these are the largest dot products. A cosine "
        "divides by both lengths.": _others(products, word, k),
        "These have the smallest distance |w - w'|, which depends on lengths too. Look for the "
        "largest cosine.": _others(-(W - w).norm(dim=1), word, k),
        "These are the furthest words: a large cosine means near.": _others(-cosines, word, k),
        "A word that points the opposite way, with cosine -1, is far away. Take no absolute "
        "values.": (_others(cosines.abs(), word, k)),
        "You divide each product by the square of a length: the length is the root of the sum of "
        "squares.": _others(products / lengths.square().clamp(min=1e-30), word, k),
        "You return the cosines. Return the ids of the words.": cosines[_others(cosines, word, k)],
        "Your ids are right but in reverse order. The nearest comes first.": (
            _others(cosines, word, k).flip(0)
        ),
    }
    if (lengths == 0).any():
        found[zeros] = _others(products / lengths, word, k)
    return found


@later
def analogy_mistakes(W: Tensor, a: int, b: int, c: int) -> dict[str, set[int]]:
    """What known mistakes answer to "a is to b as c is to what": message → ids, never the right."""
    U = F.normalize(W, dim=1)
    target, raw = U[b] - U[a] + U[c], W[b] - W[a] + W[c]

    def best(scores: Tensor) -> int:
        return int(scores.clone().index_fill_(0, torch.tensor([a, b, c]), -torch.inf).argmax())

    found = {
        "The words of the question are not answers: leave out all three, a, b and c.": {a, b, c},
        "The signs are mixed up: the way from a to b is b - a. Add it to c.": {
            best(U @ wrong)
            for wrong in (U[a] - U[b] + U[c], U[b] - U[a] - U[c], U[a] + U[b] - U[c])
        },
        "In your code long vectors weigh more. Bring a, b and c to length 1 before you add them.": {
            best(U @ raw)
        },
        "In your code long vectors win. The answer has the largest cosine, so divide by "
        "its own length too.": {best(W @ target), best(W @ raw)},
        "The smallest distance is not the largest cosine.": {
            best(-(W - vector).norm(dim=1)) for vector in (target, raw)
        },
    }
    return {message: answers - {best(U @ target)} for message, answers in found.items()}


def _pairs(text: list[list[str]], offsets: Iterable[int]) -> Pairs:
    """Each word with those that stand at these offsets from it, in its sentence."""
    return [
        (s[i], s[i + d])
        for s in text
        for i in range(len(s))
        for d in offsets
        if 0 <= i + d < len(s)
    ]


def _normalised(weights: Tensor) -> Tensor:
    return weights / weights.sum()


def _others(scores: Tensor, word: int, k: int) -> Tensor:
    """The ``k`` highest-scoring ids without the word's own."""
    scores = scores.clone()
    scores[word] = -torch.inf
    return scores.topk(k).indices
