@right("tensors", "ranked by a stable sort of a tensor, the best kept as it goes")
def may_stop(running, aside, longest, alpha):
    could = [p * (6 / (5 + longest)) ** alpha for p in running]
    return all(any(score >= p - 1e-12 for score in aside) for p in could)


def beam_search(log_p, start, end, K, longest, alpha):
    V, best = len(log_p), (-math.inf, None)
    texts, total = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, dtype=log_p.dtype)
    for step in range(longest):
        last = texts[:, -1] if step else torch.tensor([start])
        both = (total[:, None] + log_p[last]).flatten()
        values, places = both.sort(descending=True, stable=True)
        places = places[values > -torch.inf]
        words, lp = places % V, ((6 + step) / 6) ** alpha
        for place in places[:K][words[:K] == end]:
            score = both[place].item() / lp
            if score > best[0]:
                best = (score, [*texts[place // V].tolist(), end])
        going = places[words != end][:K]
        texts = torch.cat([texts[going // V], (going % V)[:, None]], dim=1)
        total = both[going]
        if not len(going) or best[0] >= total[0].item() / ((5 + longest) / 6) ** alpha:
            break
    if len(going) and total[0].item() / lp > best[0]:
        best = (total[0].item() / lp, texts[0].tolist())
    return torch.tensor(best[1]), best[0], step + 1


@right("uses-rule", "a while loop that asks may_stop", edited=True)
def may_stop(running, aside, longest, alpha):
    if not running or not aside:
        return not running
    return max(aside) >= max(running) / ((5 + longest) / 6) ** alpha


def beam_search(log_p, start, end, K, longest, alpha):
    def score(text, total):
        return total / ((5 + len(text)) / 6) ** alpha

    running, aside, n = [([], 0.0)], [], 0
    while n < longest:
        n += 1
        ranked = grown([t for t, _ in running], [p for _, p in running], log_p, start)
        aside += [(score(t, p), t) for t, p in ranked[:K] if t[-1] == end]
        running = [(t, p) for t, p in ranked if t[-1] != end][:K]
        if may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha):
            break
    aside += [(score(t, p), t) for t, p in running]
    best = max(range(len(aside)), key=lambda i: aside[i][0])
    return torch.tensor(aside[best][1]), aside[best][0], n


wrong(
    "all-ends",
    "sets aside every text that ends",
    told="only if it is among the best K",
    spares=["stop", "ties"],
    edit=("ranked[:K]", "ranked"),
)

wrong(
    "k-ended",
    "stops when K texts have ended",
    told="K texts have ended",
    loses=["values", "ended", "steps"],
    edit=(
        "may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha)",
        "len(aside) >= K or not running",
    ),
)

wrong(
    "last-of-equals",
    "takes the last of equal texts",
    told="Take the one found first",
    loses=["ties"],
    edit=("aside[i][0]", "(aside[i][0], i)"),
)

wrong(
    "narrow",
    "texts that end take the place of running ones",
    told="take the place of others",
    loses=["ended"],
    edit=(
        "[(t, p) for t, p in ranked if t[-1] != end][:K]",
        "[(t, p) for t, p in ranked[:K] if t[-1] != end]",
    ),
)


@wrong(
    "now",
    "compares running texts with the penalty of their present length",
    told="stops too soon|can reach",
    loses=["stop", "values", "steps"],
)
def may_stop(running, aside, longest, alpha):
    if not running or not aside:
        return not running
    return max(aside) >= max(running)


def beam_search(log_p, start, end, K, longest, alpha):
    texts, total, aside = [[]], [0.0], []
    for n in range(1, longest + 1):
        lp = ((5 + n) / 6) ** alpha
        ranked = grown(texts, total, log_p, start)
        aside += [(p / lp, t) for t, p in ranked[:K] if t[-1] == end]
        going = [(t, p) for t, p in ranked if t[-1] != end][:K]
        texts, total = [t for t, _ in going], [p for _, p in going]
        if not going or (aside and max(s for s, _ in aside) >= total[0] / lp):
            break
    aside += [(p / lp, t) for t, p in going]
    score, text = max(aside, key=lambda one: one[0])
    return torch.tensor(text), score, n


wrong(
    "running-dropped",
    "forgets the texts that still run after the last step",
    told="You drop texts that still run",
    loses=["values", "ended"],
    edit=(
        "aside += [(score(t, p), t) for t, p in running]",
        "aside = aside or [(score(t, p), t) for t, p in running]",
    ),
)

broken("if not aside:\n        return False", "if not aside:\n        return True")
broken("could_be = max(running)", "could_be = running[0]")
broken("max(aside) >= could_be", "aside[0] >= could_be")
broken("penalty = ((5 + n) / 6) ** alpha", "penalty = ((6 + n) / 6) ** alpha")
broken("if one[0][-1] != end][:K]", "if one[0][-1] != end][: K - 1]")
