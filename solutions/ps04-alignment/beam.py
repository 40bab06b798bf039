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
    says=(
        "Your code adds up probabilities. The probabilities of a text's words are multiplied, "
        "so add their logarithms."
    ),
    spares=["step"],
    edit=("[before]", "[before].exp()"),
)

wrong(
    "all-ends",
    "every text that ends is set aside",
    says=(
        "Set a text aside only if it is among the best K continuations when it ends. "
        "Otherwise K = 1 would not be greedy search."
    ),
    loses=["greedy", "values"],
    edit=("end and rank < K", "end"),
)

wrong(
    "copies",
    "begins with K copies",
    says=(
        "This is the result of greedy search. Either only one text goes on, or the search "
        "begins with K copies of one text, which stay identical: begin with one."
    ),
    spares=["step", "greedy"],
    edit=("[[]], log_p.new_zeros(1)", "[[]] * K, log_p.new_zeros(K)"),
)


@wrong(
    "early",
    "stops when K texts have ended",
    says=(
        "Your search stops when K texts have ended. A text that is still running may turn out "
        "better."
    ),
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
    says=(
        "You compare only the texts that are still running at the end. Compare those set aside, "
        "too."
    ),
    spares=["step"],
    edit=(
        "found += [(v / penalty, text) for v, text in zip(total, texts)]",
        "found = [(v / penalty, text) for v, text in zip(total, texts)]",
    ),
)


@wrong(
    "first-end",
    "returns the first text that ends",
    says="You return the first text that ends. A text that is still running may turn out better.",
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


wrong(
    "forgets",
    says="You compare only texts that end in the last step. Keep those that ended before.",
    spares=["step"],
    edit=("running = []", "running, found = [], []"),
)


@wrong(
    "go-on",
    "texts that have ended are continued",
    says="You continue texts that have ended. Nothing follows the end.",
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
    says=(
        "This is the result of greedy search. Either only one text goes on, or the search "
        "begins with K copies of one text, which stay identical: begin with one."
    ),
    spares=["step", "greedy"],
    edit=(
        "texts, total, found = [[]], log_p.new_zeros(1), []",
        "K = 1\n    texts, total, found = [[]], log_p.new_zeros(1), []",
    ),
)

wrong(
    "length-with-start",
    "the start counted",
    says=(
        "Your length counts one word too many. The start is given, not written, so it does "
        "not count."
    ),
    loses=["length"],
    edit=("5 + n", "6 + n"),
)

wrong(
    "length-without-end",
    "the end not counted",
    says="Your length counts one word too few. The end is written, so it counts.",
    loses=["length"],
    edit=("5 + n", "4 + n"),
)

wrong(
    "list",
    "a list of ids",
    match="expected a tensor|a tensor is expected",
    spares=["step"],
    edit=("torch.tensor(text)", "text"),
)


wrong(
    "mixed",
    "words behind the wrong text",
    says=(
        "You append a new word to the wrong text. Append it to the text that it continues, "
        "not to the one with the same rank in the beam."
    ),
    spares=["step", "greedy"],
    edit=(
        "grown = (texts[row] + [word], both[place])",
        (
            "at = min(len(running), len(texts) - 1)\n"
            "            grown = (texts[at] + [word], both[place])"
        ),
    ),
)


@wrong(
    "narrower",
    "texts that end take a place in the beam",
    says=(
        "In your code, a text that ends takes up a place in the beam. The best K texts that "
        "have not ended go on."
    ),
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
    says="The length penalty is missing: divide log P by it.",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6) ** alpha", "penalty = 1.0"),
)

wrong(
    "one-too-short",
    "stops one word early",
    says="Your search stops one step early: a text may have `longest` words.",
    spares=["step"],
    edit=("longest + 1", "longest"),
)


wrong(
    "own-best",
    says=(
        "Each running text keeps its own best continuation. Rank the continuations of all texts "
        "together."
    ),
    loses=["values", "ends"],
    edit=(
        "running = []",
        "if len(texts) == K:\n"
        "            each = both.view(K, -1)\n"
        "            best = each.max(dim=1, keepdim=True).values\n"
        "            both = each.where(each == best, -torch.inf).flatten()\n"
        "        running = []",
    ),
)


@wrong(
    "penalty-late",
    "divides after choosing",
    says=(
        "The length penalty comes too late to change the choice: divide before you "
        "compare, not afterwards."
    ),
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
    says="You multiply log P by the length penalty: divide by it instead.",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6) ** alpha", "penalty = ((5 + n) / 6) ** -alpha"),
)

wrong(
    "penalty-plain",
    "the plain power of the length",
    says="Your length penalty is the plain power of the length, not of (5 + n) / 6.",
    loses=["length"],
    edit=("penalty = ((5 + n) / 6)", "penalty = n"),
)

wrong(
    "positive",
    "the score with a minus",
    says="The score has the wrong sign: a log-probability is at most 0.",
    spares=["step"],
    edit=("torch.tensor(text), score", "torch.tensor(text), -score"),
)

wrong(
    "probability",
    "the probability returned",
    says="You return the probability as the score. Return its logarithm.",
    spares=["step"],
    edit=("torch.tensor(text), score", "torch.tensor(text), score.exp()"),
)


wrong(
    "running-dropped",
    "running texts are dropped if one has ended",
    says=(
        "You drop the texts that are still running after `longest` words. Compare them with the "
        "others, just as they are."
    ),
    spares=["step", "greedy"],
    edit=(
        "found += [(v / penalty, text) for v, text in zip(total, texts)]",
        ("if not found:\n        found = [(v / penalty, text) for v, text in zip(total, texts)]"),
    ),
)


@wrong(
    "shrinks",
    "the beam shrinks with each text that ends",
    says=(
        "Your beam gets narrower with each text that ends. The best K texts that have not "
        "ended go on, however many have ended."
    ),
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
    says=(
        "Your code adds up probabilities. The probabilities of a text's words are multiplied, "
        "so add their logarithms."
    ),
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total.exp()[:, None] + log_p.exp()).flatten().topk(K)",
    ),
)


@wrong(
    "step-divisor",
    "divides by the number of texts",
    says=(
        "You divide by the wrong number. Entry i of the flattened table is row i // V and "
        "word i % V, where V is the number of words."
    ),
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
    says="You return the index into the flattened table. Split it: row i // V, word i % V.",
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
    says=(
        "Your code multiplies log-probabilities. The logarithm of a product is a sum, so add them."
    ),
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total[:, None] * log_p).flatten().topk(K)",
    ),
)


@wrong(
    "step-one-text",
    "only the likeliest text goes on",
    says=(
        "All your continuations are of the likeliest text. Those of the other texts compete, too."
    ),
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


@wrong(
    "step-own-best",
    "each text keeps its best word",
    says="Your code keeps each text's own best word. The continuations of all texts compete.",
    loses=["step"],
)
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
    says="You return probabilities. Return their logarithms.",
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


@wrong("step-ready-made", "the search of the course", match="take the call out", loses=["step"])
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


wrong(
    "step-reversed",
    "best last",
    says="Your code puts the best last. The best comes first.",
    loses=["step"],
    edit=(
        ("both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)"),
        (
            "values, places = (total[:, None] + log_p).flatten().topk(K)\n"
            "    values, places = values.flip(0), places.flip(0)"
        ),
    ),
)


@wrong(
    "step-swapped",
    "rows and words swapped",
    says=(
        "Rows and words are swapped: the second result says which text continues, the "
        "third with which word."
    ),
    loses=["step"],
)
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
    says="Your ranking uses only the next word. Add the scores of the texts so far.",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = log_p.flatten().topk(K)",
    ),
)


@wrong(
    "step-total-turned",
    "the texts’ log P laid along the words",
    says=(
        "Rows and words are swapped: the second result says which text continues, the "
        "third with which word."
    ),
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
    says="These are the worst continuations. A large log P means likely.",
    loses=["step"],
    edit=(
        "both = total[:, None] + log_p\n    values, places = both.flatten().topk(K)",
        "values, places = (total[:, None] + log_p).flatten().topk(K, largest=False)",
    ),
)

wrong(
    "too-wide",
    "a beam wider than the number of texts fails",
    match="stops with",
    loses=["wide", "length"],
    edit=("both.argsort(descending=True)", "both.topk(2 * K).indices"),
)

wrong(
    "unpenalised-score",
    "the score not divided",
    says="You do not divide the score by the length penalty.",
    loses=["length"],
    edit=(
        "torch.tensor(text), score",
        "torch.tensor(text), score * ((5 + len(text)) / 6) ** alpha",
    ),
)

wrong(
    "with-start",
    "the start returned",
    says="Your text begins with the start token. It was given, not written.",
    spares=["step"],
    edit=("torch.tensor(text)", "torch.tensor([start] + text)"),
)

wrong(
    "without-end",
    "the end not returned",
    says="The end is missing from your text: it is written, so it is returned.",
    spares=["step"],
    edit=("torch.tensor(text)", "torch.tensor([word for word in text if word != end])"),
)

wrong(
    "worst",
    "the worst is returned",
    says="You return the worst of the texts found. Return the best.",
    spares=["step"],
    edit=("text = max", "text = min"),
)

broken("both = total[:, None] + log_p", "both = total[:, None] - log_p")
broken("(total[:, None] + log_p[before])", "(total[:, None] + log_p[:, before].T)")
broken("((5 + n) / 6)", "((5 + n) // 6)")
broken("text[-1] if text else start", "text[0] if text else start")
broken("word == end and rank < K", "word == end and rank < 1")
