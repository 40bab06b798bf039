@right("sorted", "lists and a sort")
def best_continuations(total, log_p, K):
    N, V = log_p.shape
    found = [(total[n] + log_p[n, v], n, v) for n in range(N) for v in range(V)]
    found.sort(key=lambda one: one[0].item(), reverse=True)
    values, rows, words = zip(*found[:K])
    return torch.stack(values), torch.tensor(rows), torch.tensor(words)


def beam_search(log_p, start, end, K, longest, alpha):
    def score(found):
        text, log_probability = found
        return log_probability / ((5 + len(text)) / 6) ** alpha

    running, aside = [((), log_p.new_zeros(()))], []
    for _ in range(longest):
        ranked = sorted(
            (
                ((*text, word), total + more)
                for text, total in running
                for word, more in enumerate(log_p[text[-1] if text else start])
            ),
            key=lambda found: -found[1].item(),
        )
        aside += [found for found in ranked[:K] if found[0][-1] == end]
        running = [found for found in ranked if found[0][-1] != end][:K]
    best = max(aside + running, key=score)
    return torch.tensor(best[0]), score(best)


@right("stops", "stops when nothing running can win")
def best_continuations(total, log_p, K):
    values, index = torch.sort((log_p + total.unsqueeze(1)).reshape(-1), descending=True)
    words = log_p.size(1)
    return values[:K], index[:K].div(words, rounding_mode="floor"), index[:K].remainder(words)


def beam_search(log_p, start, end, K, longest, alpha):
    V = log_p.shape[0]
    tokens = torch.zeros(1, 0, dtype=torch.long)
    total = torch.zeros(1, dtype=log_p.dtype)
    last = torch.tensor([start])
    best, best_score = None, torch.tensor(-torch.inf, dtype=log_p.dtype)
    for n in range(1, longest + 1):
        values, rows, words = best_continuations(total, log_p[last], len(last) * V)
        grown = torch.cat([tokens[rows], words[:, None]], dim=1)
        scores = values / ((5 + n) / 6) ** alpha
        ends = words == end
        counts = torch.ones_like(ends) if n == longest else ends
        for i in range(min(K, len(values))):
            if counts[i] and scores[i] > best_score:
                best, best_score = grown[i], scores[i]
        going = (~ends).nonzero()[:K, 0]
        tokens, total, last = grown[going], values[going], words[going]
        if best_score >= total[0] / ((5 + longest) / 6) ** alpha:
            break
    return best, best_score


wrong(
    "added",
    "probabilities added up",
    told="adds up probabilities",
    spares=["step"],
    edit=("[before]", "[before].exp()"),
)

wrong(
    "all-ends",
    "every text that ends is set aside",
    told="only if it is among the best K",
    loses=["greedy", "values"],
    edit=("end and rank < K", "end"),
)

wrong(
    "copies",
    "begins with K copies",
    told="This is the result of greedy search",
    spares=["step", "greedy"],
    edit=("[[]], log_p.new_zeros(1)", "[[]] * K, log_p.new_zeros(K)"),
)


@wrong(
    "early", "stops when K texts have ended", told="may be poor", loses=["values", "ends", "length"]
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        if len(found) >= K:
            break
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    if len(found) < K:
        found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "ended-dropped",
    "texts that end are forgotten",
    told="set aside count|ended before",
    spares=["step"],
    edit=(
        "found += [(v / penalty, text) for v, text in zip(total, texts)]",
        "found = [(v / penalty, text) for v, text in zip(total, texts)]",
    ),
)


@wrong(
    "first-end",
    "returns the first text that ends",
    told="first text that ends",
    spares=["step", "greedy"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        if found:
            break
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    if not found:
        found = [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong(
    "go-on",
    "texts that have ended are continued",
    told="You continue texts that have ended",
    spares=["step"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "greedy",
    "greedy search whatever K",
    told="This is the result of greedy search",
    spares=["step", "greedy"],
    edit=(
        "texts, total, found = [[]], log_p.new_zeros(1), []",
        "K = 1\n    texts, total, found = [[]], log_p.new_zeros(1), []",
    ),
)

wrong(
    "length-with-start",
    "the start counted",
    told="one word too many",
    loses=["length"],
    edit=("5 + n", "6 + n"),
)

wrong(
    "length-without-end",
    "the end not counted",
    told="one word too few",
    loses=["length"],
    edit=("5 + n", "4 + n"),
)

wrong(
    "list",
    "a list of ids",
    told="expected a tensor|a tensor is expected",
    spares=["step"],
    edit=("torch.tensor(text)", "text"),
)


@wrong(
    "mixed",
    "words behind the wrong text",
    told="behind the wrong text|wrong|it must be",
    spares=["step", "greedy"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            at = min(len(running), len(texts) - 1)
            grown = (texts[at] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong(
    "narrower",
    "texts that end take a place in the beam",
    told="take the place of others|gets narrower",
    loses=["length"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and rank < K:
                running.append(grown)
        if not running:
            return torch.tensor(max(found)[1]), max(found)[0]
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "no-penalty",
    "no length penalty",
    told="length penalty is missing",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6) ** alpha", "penalty = 1.0"),
)

wrong(
    "one-too-short",
    "stops one word early",
    told="it must be|wrong|shape",
    spares=["step"],
    edit=("longest + 1", "longest"),
)


@wrong("penalty-late", "divides after choosing", told="not afterwards", loses=["length"])
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place], grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score / ((5 + len(text)) / 6) ** alpha


wrong(
    "penalty-multiplied",
    "multiplies by the penalty",
    told="multiplied by the length penalty",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6) ** alpha", "penalty = ((5 + n) / 6) ** -alpha"),
)

wrong(
    "penalty-plain",
    "the plain power of the length",
    told="plain power",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6)", "penalty = n"),
)

wrong(
    "positive",
    "the score with a minus",
    told="wrong sign",
    spares=["step"],
    edit=("torch.tensor(text), score", "torch.tensor(text), -score"),
)

wrong(
    "probability",
    "the probability returned",
    told="You return the probability as the score",
    spares=["step"],
    edit=("torch.tensor(text), score", "torch.tensor(text), score.exp()"),
)


@wrong(
    "running-dropped",
    "running texts are dropped if one has ended",
    told="You drop texts that still run after",
    spares=["step", "greedy"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    if not found:
        found = [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong(
    "shrinks",
    "the beam shrinks with each text that ends",
    told="gets narrower|take the place",
    loses=["values", "ends", "length"],
)
def best_continuations(total, log_p, K):
    both = total[:, None] + log_p
    values, places = both.flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K - len(found):
                running.append(grown)
        if not running:
            return torch.tensor(max(found)[1]), max(found)[0]
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "step-added",
    "probabilities added",
    told="you add probabilities",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total.exp()[:, None] + log_p.exp()).flatten().topk(K)",
    ),
)


@wrong(
    "step-divisor",
    "divides by the number of texts",
    told="divide by the wrong number",
    loses=["step"],
)
def best_continuations(total, log_p, K):
    values, places = (total[:, None] + log_p).flatten().topk(K)
    return values, places // len(log_p), places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong(
    "step-flat",
    "the flat index returned",
    told="You return the index into the flattened",
    loses=["step"],
)
def best_continuations(total, log_p, K):
    values, places = (total[:, None] + log_p).flatten().topk(K)
    return values, places // log_p.shape[1], places


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "step-multiplied",
    "log-probabilities multiplied",
    told="multiplies log-probabilities",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total[:, None] * log_p).flatten().topk(K)",
    ),
)


@wrong(
    "step-one-text",
    "only the likeliest text goes on",
    told="All your continuations are of the likeliest|shape",
    loses=["step"],
)
def best_continuations(total, log_p, K):
    row = total.argmax()
    values, words = (total[row] + log_p[row]).topk(min(K, log_p.shape[1]))
    return values, row.expand(len(words)), words


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong("step-own-best", "each text keeps its best word", told="own best|shape", loses=["step"])
def best_continuations(total, log_p, K):
    values, words = (total[:, None] + log_p).max(dim=1)
    order = values.argsort(descending=True)[:K]
    return values[order], order, words[order]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong(
    "step-probabilities",
    "probabilities returned",
    told="You return probabilities",
    loses=["step"],
)
def best_continuations(total, log_p, K):
    values, places = (total[:, None] + log_p).flatten().topk(K)
    return values.exp(), places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong("step-ready-made", "the search of the course", told="take the call out", loses=["step"])
def best_continuations(total, log_p, K):
    import tfcourse.generation

    tfcourse.generation.length_penalty(3, 1.0)
    values, places = (total[:, None] + log_p).flatten().topk(K)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong("step-reversed", "best last", told="puts the best last", loses=["step"])
def best_continuations(total, log_p, K):
    values, places = (total[:, None] + log_p).flatten().topk(K)
    values, places = values.flip(0), places.flip(0)
    return values, places // log_p.shape[1], places % log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


@wrong("step-swapped", "rows and words swapped", told="Rows and words are swapped", loses=["step"])
def best_continuations(total, log_p, K):
    values, places = (total[:, None] + log_p).flatten().topk(K)
    return values, places % log_p.shape[1], places // log_p.shape[1]


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "step-total-missing",
    "the texts so far do not count",
    told="Your ranking uses only the next word",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = log_p.flatten().topk(K)",
    ),
)


@wrong(
    "step-total-turned",
    "the texts’ log P laid along the words",
    told="Rows and words are swapped",
    loses=["step"],
)
def best_continuations(total, log_p, K):
    values, places = (total + log_p.T).flatten().topk(K)
    return values, places // len(total), places % len(total)


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, found = [[]], log_p.new_zeros(1), []
    for n in range(1, longest + 1):
        penalty = ((5 + n) / 6) ** alpha
        before = [text[-1] if text else start for text in texts]
        both = (total[:, None] + log_p[before]).flatten()
        running = []
        for rank, place in enumerate(both.argsort(descending=True)):
            row, word = divmod(place.item(), len(log_p))
            grown = (texts[row] + [word], both[place])
            if word == end and rank < K:
                found.append((both[place] / penalty, grown[0]))
            if word != end and len(running) < K:
                running.append(grown)
        texts = [text for text, _ in running]
        total = torch.stack([value for _, value in running])
    found += [(v / penalty, text) for v, text in zip(total, texts)]
    score, text = max(found, key=lambda pair: pair[0].item())
    return torch.tensor(text), score


wrong(
    "step-worst",
    "the worst first",
    told="worst continuations",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total[:, None] + log_p).flatten().topk(K, largest=False)",
    ),
)

wrong(
    "too-wide",
    "a beam wider than the number of texts fails",
    told="stops with",
    loses=["wide", "length"],
    edit=("both.argsort(descending=True)", "both.topk(2 * K).indices"),
)

wrong(
    "unpenalised-score",
    "the score not divided",
    told="You do not divide the score by",
    loses=["length"],
    edit=(
        "torch.tensor(text), score",
        "torch.tensor(text), score * ((5 + len(text)) / 6) ** alpha",
    ),
)

wrong(
    "with-start",
    "the start returned",
    told="begins with the start",
    spares=["step"],
    edit=("torch.tensor(text)", "torch.tensor([start] + text)"),
)

wrong(
    "without-end",
    "the end not returned",
    told="end is missing|it must be|shape",
    spares=["step"],
    edit=("torch.tensor(text)", "torch.tensor([word for word in text if word != end])"),
)

wrong(
    "worst",
    "the worst is returned",
    told="worst of the texts|text",
    spares=["step"],
    edit=("text = max", "text = min"),
)

broken("both = total[:, None] + log_p", "both = total[:, None] - log_p")
broken("(total[:, None] + log_p[before])", "(total[:, None] + log_p[:, before].T)")
broken("((5 + n) / 6)", "((5 + n) // 6)")
broken("text[-1] if text else start", "text[0] if text else start")
broken("word == end and rank < K", "word == end and rank < 1")
