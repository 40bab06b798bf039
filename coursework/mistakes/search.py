"""Wrong beam searches that learners are known to write, and what to say.

For the ``mistakes`` of :func:`nbjudge.testing.close`: message → what that mistake would
have returned. The model is a table ``(V, V)``: row = the word before, column = what may follow.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from coursework.mistakes.later import later

Found = tuple[Tensor | None, Tensor | None]


@later
def continuation_mistakes(total: Tensor, log_p: Tensor, K: int) -> dict[str, tuple]:
    """What known mistakes make of the ``K`` best continuations: message → (values, rows, words).

    Parameters
    ----------
    total:
        The log-probabilities ``(N,)`` of the running texts.
    log_p:
        What may follow each of them, ``(N, V)``.
    """
    N, V = log_p.shape
    both = total[:, None] + log_p
    values, rows, words = right = _top(both, K)
    found: dict[str, tuple] = {
        "Your ranking uses only the next word. Add the scores of the texts so far.": (
            _top(log_p.expand(N, V), K)
        ),
        "Your code multiplies log-probabilities. The logarithm of a product is a sum, so "
        "add them.": _top(total[:, None] * log_p, K),
        "You add probabilities. Those of a text's words are multiplied, so add their "
        "logarithms.": _top(total.exp()[:, None] + log_p.exp(), K),
        "You return probabilities. Return their logarithms.": (values.exp(), rows, words),
        "These are the worst continuations. A large log P means likely.": _turned(_top(-both, K)),
        "Rows and words are swapped: the second result says which text continues, the third "
        "with which word.": (values, words, rows),
        "You divide by the wrong number. Entry i of the flattened table is row i // V and word "
        "i % V, where V is the number of words.": (values, index(values, both) // N, words),
        "You return the index into the flattened table. Split it: row i // V, word i % V.": (
            (values, rows, index(values, both))
        ),
        "Your code puts the best last. The best comes first.": tuple(x.flip(0) for x in right),
        "Your code keeps each text's own best word. The continuations of all texts compete.": (
            _own_best(both, K)
        ),
        "All your continuations are of the likeliest text. Those of the other texts compete, "
        "too.": (_top(both[[int(total.argmax())]], min(K, V), int(total.argmax()))),
    }
    return {m: w for m, w in found.items() if not _equal(w, right)}


def index(values: Tensor, both: Tensor) -> Tensor:
    """Where these values stand in the flattened table."""
    return torch.stack([(both.flatten() == v).nonzero()[0, 0] for v in values])


def found_by_search(
    log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float
) -> tuple[Tensor, Tensor]:
    """What a beam search rightly finds: the ids of the best text, and its score.

    At each step the best ``K`` continuations that do not end go on, and those among the best ``K``
    of all that end are set aside. What still runs after ``longest`` words counts as it is. The
    score is log P / ((5 + n) / 6)^alpha, of a text of n words, the end counted.
    """
    ids, score = _Search(log_p, start, end, longest, K=K, alpha=alpha).best()
    return torch.tensor(ids, dtype=torch.long), torch.tensor(score, dtype=log_p.dtype)


@later
def search_mistakes(
    log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float
) -> dict[str, Found]:
    """What known mistakes find where a beam search is asked for: message → (ids, score)."""

    def search(**how: Any) -> tuple[Tensor, Tensor]:
        given: dict[str, Any] = {"K": K, "alpha": alpha, **how}
        ids, score = _Search(log_p, start, end, longest, **given).best()
        return torch.tensor(ids, dtype=torch.long), torch.tensor(score, dtype=log_p.dtype)

    ids, score = right = search()
    no_penalty, without_start = search(alpha=0.0), torch.tensor([start])
    power = ((5 + len(ids)) / 6) ** alpha if len(ids) else 0.0
    found: dict[str, Found] = {}
    if alpha:
        found = {
            "The length penalty is missing: divide log P by it.": no_penalty,
            "The length penalty comes too late to change the choice: divide before you compare, "
            "not afterwards.": (search(late=True)),
            "log P is multiplied by the length penalty: divide by it.": search(alpha=-alpha),
            "Your length penalty is the plain power of the length, not of (5 + n) / 6.": (
                search(plain=True)
            ),
            "Your length counts one word too many. The start is given, not written, so it does "
            "not count.": search(more=1),
            "Your length counts one word too few. The end is written, so it counts.": (
                search(more=-1)
            ),
        }
    found |= {
        "You continue texts that have ended. Nothing follows the end.": (search(go_on=True)),
        "You compare only texts that end in the last step. Keep those that ended before.": (
            search(forget=True)
        ),
        "Texts that end take the place of others that would go on. The best K texts that have "
        "not ended go on.": search(narrower=True),
        "Your search stops when K texts have ended, and the best of them may be poor: one that "
        "still runs may become better.": search(early=True),
        "Your beam gets narrower with each text that ends. The best K texts that have not ended "
        "go on, however many have ended.": search(shrinks=True),
        "Set a text aside only if it is among the best K continuations when it ends. Otherwise "
        "K = 1 would not be greedy search.": search(all_ends=True),
        "You drop texts that still run after `longest` words. Compare them with the others as "
        "they are.": (search(drop=True)),
        "This is the result of greedy search. Either only one text goes on, or the search "
        "begins with K copies of one text, which stay identical: begin with one.": (search(K=1)),
        "The first text that ends is returned: others that still run may become better.": (
            search(first=True)
        ),
        "Each running text keeps its own best continuation. Rank the continuations of all texts "
        "together.": (search(own=True)),
        "You append a new word to the wrong text. Append it to the text that it continues, not "
        "to the one with the same rank in the beam.": search(mixed=True),
        "You compare only texts that still run in the end. Those set aside count, too.": (
            search(lose=True)
        ),
        "You return the worst of the texts found.": search(worst=True),
        "Your code adds up probabilities. Those of a text's words are multiplied, so add "
        "their logarithms.": (search(add=True)[0], None),
    }
    found |= {
        "Your text begins with the start token. It was given, not written.": (
            (torch.cat([without_start, ids]), None)
        ),
        "The end is missing from your text: it is written, so it is returned.": (
            (ids[:-1] if len(ids) and ids[-1] == end else None, None)
        ),
        "You return the probability as the score. Return its logarithm.": ((ids, score.exp())),
        "You do not divide the score by the length penalty.": (
            (ids, score * power if alpha else None)
        ),
        "The score has the wrong sign: a log-probability is at most 0.": (ids, -score),
    }
    return {m: w for m, w in found.items() if not _equal(w, right)}


class _Search:
    """A beam search over a table that can be got wrong in many ways, one at a time."""

    def __init__(self, log_p: Tensor, start: int, end: int, longest: int, **how: Any) -> None:
        self.rows, self.how, self.end = log_p.double().tolist(), how, end
        self.aside: list[tuple[list[int], float]] = []
        self.running: list[tuple[list[int], float]] = [([], 0.0)]
        self.start, self.longest, K = start, longest, int(how["K"])
        for step in range(longest):
            self._step(K, step + 1 == longest)
            enough = 1 if how.get("first") else K if how.get("early") else math.inf
            self.stopped = len(self.aside) >= enough
            if not self.running or self.stopped:
                break

    def _step(self, K: int, last: bool) -> None:
        how, ranked = self.how, []
        for place, (text, total) in enumerate(self.running):
            row = self.rows[text[-1] if text else self.start]
            own = [
                ([*text, w], total + (math.exp(p) if how.get("add") else p), place)
                for w, p in enumerate(row)
            ]
            own.sort(key=lambda found: -found[1])
            ranked += own[:1] if how.get("own") and len(self.running) >= K else own
        ranked.sort(key=lambda found: -found[1])
        if how.get("mixed"):
            running = [text for text, _ in self.running]
            ranked = [
                ([*(running[at] if at < len(running) else text[:-1]), text[-1]], total, came)
                for at, (text, total, came) in enumerate(ranked)
            ]
        best = [(text, total) for text, total, _ in ranked]
        if how.get("go_on"):
            self.running = best[:K]
            return
        if how.get("forget") and not last:
            self.aside = []
        ended = best if how.get("all_ends") else best[:K]
        self.aside += [found for found in ended if found[0][-1] == self.end]
        going = [found for found in best if found[0][-1] != self.end]
        if how.get("narrower"):
            going = [found for found in best[:K] if found[0][-1] != self.end]
        room = K - len(self.aside) if how.get("shrinks") else K
        self.running = going[: max(room, 0)]

    def best(self) -> tuple[list[int], float]:
        how = self.how
        found = self.aside + ([] if how.get("drop") and self.aside else self.running)
        if how.get("lose") and self.running:
            found = self.running
        if self.stopped:
            found = self.aside
        pick = min if how.get("worst") else max
        if how.get("late"):
            text, total = pick(found, key=lambda one: one[1])
            return text, self._score(text, total)
        text, total = pick(found, key=lambda one: self._score(*one))
        return text, self._score(text, total)

    def _score(self, text: list[int], total: float) -> float:
        length, alpha = len(text) + int(self.how.get("more", 0)), float(self.how["alpha"])
        base = max(length, 1) if self.how.get("plain") else (5 + length) / 6
        return total / base**alpha


def _top(table: Tensor, K: int, first: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    values, at = table.flatten().topk(K)
    return values, first + at // table.shape[1], at % table.shape[1]


def _turned(found: tuple) -> tuple:
    return (-found[0], *found[1:])


def _own_best(both: Tensor, K: int) -> tuple:
    values, words = both.max(1)
    order = values.argsort(descending=True)[:K]
    return values[order], order, words[order]


def _equal(wrong: tuple, right: tuple) -> bool:
    def same(w: Tensor | None, r: Tensor) -> bool:
        return w is None or (w.shape == r.shape and torch.allclose(w, r, 1e-4, 1e-4))

    return all(same(w, r) for w, r in zip(wrong, right, strict=True))
