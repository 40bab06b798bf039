"""Wrong ways to batch and pool documents of sentences, and to delete words, and what to say.

As in :mod:`coursework.mistakes.pooling`: message → what that mistake would have returned.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.pooling import Pair, masked_softmax, weighted_sum


@later
def batch_mistakes(documents: list[list[list[int]]]) -> dict[str, tuple]:
    """What known mistakes make of padded ids, words' mask and sentences' mask.

    Parameters
    ----------
    documents:
        Documents of sentences of ids.

    Returns
    -------
    mistakes
        Message → ``(ids, words, sentences)``; ``None`` where that part is as it should be.
    """
    ids, words = _padded(documents)
    sentences = words.any(-1)
    counted = torch.arange(ids.shape[1]) < torch.tensor([[len(d)] for d in documents])
    some = sentences.sum(1, keepdim=True)
    front, front_words = _padded(documents, front=True)
    dropped = [[s for s in d if s] for d in documents]
    found = {
        "Your code recognises padding by its id, 0. A word may have the id 0, too: use the "
        "lengths.": (None, ids != 0, (ids != 0).any(-1)),
        "Your code counts sentences without a word as sentences. The mask of the "
        "sentences is True where there is at least one word.": (None, None, counted),
        "A sentence without words may come between others. Your mask of the sentences assumes "
        "that the empty ones come last.": (None, None, torch.arange(ids.shape[1]) < some),
        "Your masks are the wrong way round: True = there is a word, or a sentence, here.": (
            None,
            ~words,
            ~sentences,
        ),
        "Your padding comes first. Words and sentences come first, padding last.": (
            front,
            front_words,
            front_words.any(-1),
        ),
        "Your masks allow one position too many: n words fill positions 0 to n - 1.": (
            None,
            torch.arange(ids.shape[2]) <= words.sum(-1, keepdim=True),
            None,
        ),
        "You pad with a number other than 0.": (ids.masked_fill(~words, -1), None, None),
        "You pad with the number 1, which is the id of a word. Pad with 0.": (
            ids.masked_fill(~words, 1),
            None,
            None,
        ),
    }
    if any(dropped):
        shorter, kept = _padded(dropped)
        found[
            "You leave out sentences without words, so the ones after them move up. Sentence n "
            "stays in row n."
        ] = (shorter, kept, kept.any(-1))
    right = (ids, words, sentences)
    return {message: _unlike(wrong, right) for message, wrong in found.items()}


@later
def level_mistakes(x: Tensor, words: Tensor, v: Tensor, u: Tensor) -> dict[str, Pair]:
    """What known mistakes make of pooling words, then sentences.

    Parameters
    ----------
    x, words:
        ``(B, N, S, D)``, and ``True`` where a word stands ``(B, N, S)``.
    v, u:
        The queries of the words and of the sentences, ``(D,)``.

    Returns
    -------
    mistakes
        Message → ``(document, shares)``, ``(B, D)`` and ``(B, N, S)``.
    """
    real = words.any(-1)
    a = masked_softmax(x @ v, words)
    s = (a[..., None] * x).sum(2)
    w = masked_softmax(s @ u, real)
    even = real / real.sum(1, keepdim=True).clamp(min=1)
    flat = masked_softmax((x @ v).flatten(1), words.flatten(1)).view_as(a)
    unmasked = (x @ v).softmax(-1)

    def by(beta: Tensor, alpha: Tensor = a) -> Pair:
        share = beta[..., None] * alpha
        return (share[..., None] * x).sum((1, 2)), share

    other = masked_softmax(x @ u, words)
    other_s = (other[..., None] * x).sum(2)
    return {
        "Sentences without words get weight: their vector is zeros, so their score is 0, and "
        "exp(0) = 1 is not a small weight. Mask them before the softmax over the sentences.": by(
            (s @ u).softmax(-1)
        ),
        "Your sentences all get the same weight: u is not used.": by(even),
        "Your sentences all get the same weight, and those without words are counted.": by(
            torch.ones_like(w) / w.shape[1]
        ),
        "Your softmax runs over all words of the document at once, which is one flat level. "
        "Take a softmax over the words of each sentence, then one over the sentences.": (
            (flat[..., None] * x).sum((1, 2)),
            flat,
        ),
        "You use the words' query v for the sentences, too. They have their own query, u.": by(
            masked_softmax(s @ v, real)
        ),
        "The queries are swapped: v is for the words, u for the sentences.": by(
            masked_softmax(other_s @ v, real), other
        ),
        "You use the sentences' query u for the words, too. They have their own query, v.": by(
            masked_softmax(other_s @ u, real), other
        ),
        "You add up the sentences without weights. Take a softmax over the sentences, too.": by(
            real.to(x.dtype)
        ),
        "Your sentences' weights sum to 1 over the documents of the batch. The second softmax "
        "runs over the sentences of each document.": by(masked_softmax(s @ u, real, dim=0)),
        "Padding gets weight among the words. Mask it before the softmax over the words.": by(
            masked_softmax((unmasked[..., None] * x).sum(2) @ u, real), unmasked
        ),
        "The shares that you return are the words' weights in their own sentences. Multiply "
        "them by the weight of the sentence.": (None, a),
        "The shares that you return are the sentences' weights. Multiply each word's weight by "
        "that of its sentence.": (None, w[..., None].expand_as(a) * words),
    }


@later
def deletion_mistakes(
    x: Tensor, mask: Tensor, v: Tensor, W: Tensor, b: Tensor, k: int
) -> dict[str, Tensor]:
    """What known mistakes make of the confidence that is left: message → ``(B,)``.

    Parameters
    ----------
    x, mask:
        Words ``(B, S, D)``, and ``True`` where one stands ``(B, S)``.
    v, W, b:
        The classifier's query ``(D,)``, matrix ``(D, C)`` and bias ``(C,)``.
    k:
        How many words were to go.
    """
    r = x @ v
    a = masked_softmax(r, mask)

    def classes(weights: Tensor, words: Tensor = x) -> Tensor:
        return (weighted_sum(weights, words)[0] @ W + b).softmax(-1)

    before = classes(a)
    c = before.argmax(-1, keepdim=True)
    rank = r.masked_fill(~mask, -torch.inf).argsort(1, descending=True)
    least = r.masked_fill(~mask, torch.inf).argsort(1)

    def without(places: Tensor) -> Tensor:
        return mask.scatter(1, places, False)

    kept = without(rank[:, :k])
    after = classes(masked_softmax(r, kept))
    found = {
        "The weights of the remaining words no longer sum to 1. Leave the deleted words out of "
        "the softmax.": classes(a * kept),
        "You set the deleted words' vectors to zero, but they still get weight: their score "
        "becomes 0, and exp(0) = 1. Leave them out of the softmax.": classes(
            masked_softmax((x * kept[..., None]) @ v, mask), x * kept[..., None]
        ),
        "You set the deleted words' scores to 0, and exp(0) = 1 is not a small weight. Set them "
        "to -∞.": classes(masked_softmax(r * kept, mask)),
        "You return the largest probability after the deletion, which may be another class's. "
        "Return that of the class predicted before.": after.amax(-1),
        "You delete the words with the smallest weights. Delete those with the largest.": classes(
            masked_softmax(r, without(least[:, :k]))
        ),
        "You return the confidence before anything is deleted.": before.amax(-1),
        "You return how much confidence was lost. Return how much is left.": (
            before.gather(1, c) - after.gather(1, c)
        )[:, 0],
        "You return the logarithm. Return the probability.": after.gather(1, c)[:, 0].log(),
        "You return the logit of the class, before the softmax over the classes.": (
            weighted_sum(masked_softmax(r, kept), x)[0] @ W + b
        ).gather(1, c)[:, 0],
        "You delete padding, too: if its score is high, it counts as a word. Rank only the "
        "words.": classes(masked_softmax(r, without(r.argsort(1, descending=True)[:, :k]))),
        "Padding gets weight in your softmax. Only words have weights.": classes(
            r.masked_fill(mask & ~kept, -torch.inf).softmax(-1).nan_to_num()
        ),
    }
    if k > 0:
        found |= {
            "You delete one word fewer than k.": classes(
                masked_softmax(r, without(rank[:, : k - 1]))
            ),
            "You delete one word more than k.": classes(
                masked_softmax(r, without(rank[:, : k + 1]))
            ),
        }
    return {
        message: wrong if wrong.ndim == 1 else wrong.gather(1, c)[:, 0]
        for message, wrong in found.items()
    }


def _padded(documents: list, front: bool = False) -> tuple[Tensor, Tensor]:
    """Ids ``(B, N, S)``, zeros where there is no word, and where there is one."""
    N = max(map(len, documents))
    S = max(len(sentence) for document in documents for sentence in document)
    ids = torch.zeros(len(documents), N, S, dtype=torch.long)
    words = torch.zeros_like(ids, dtype=torch.bool)
    for i, document in enumerate(documents):
        for n, sentence in enumerate(document, start=N - len(document) if front else 0):
            first = S - len(sentence) if front else 0
            ids[i, n, first : first + len(sentence)] = torch.tensor(sentence, dtype=torch.long)
            words[i, n, first : first + len(sentence)] = True
    return ids, words


def _unlike(wrong: tuple, right: tuple) -> tuple:
    """``None`` for each part that happens to be right."""
    return tuple(
        None if w is not None and w.shape == r.shape and torch.equal(w, r) else w
        for w, r in zip(wrong, right, strict=True)
    )
