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
    says=(
        "Set a text aside only if it is among the best K continuations when it ends. Otherwise K "
        "= 1 would not be greedy search."
    ),
    spares=["stop", "ties"],
    edit=("ranked[:K]", "ranked"),
)


wrong(
    "bound-undivided",
    says=(
        "Your search stops too soon. Divide the log P of a running text by the penalty of "
        "`longest` words, the largest that it can get."
    ),
    spares=["greedy", "ties"],
    edit=("max(running) / ((5 + longest) / 6) ** alpha", "max(running)"),
)


wrong(
    "continued",
    says="You continue texts that have ended. Nothing follows the end.",
    spares=["stop", "greedy"],
    edit=("[(t, p) for t, p in ranked if t[-1] != end][:K]", "ranked[:K]"),
)


wrong(
    "end-missing",
    says="The end is missing from your text. It is a word of the text, so return it, too.",
    spares=["stop", "steps"],
    edit=(
        "torch.tensor(aside[best][1])",
        "torch.tensor([word for word in aside[best][1] if word != end])",
    ),
)


wrong(
    "end-not-counted",
    says="Your length is one word too small. The end is a word of the text, so it counts.",
    spares=["stop", "greedy"],
    edit=("(5 + len(text))", "(4 + len(text))"),
)


wrong(
    "first-ended",
    says=(
        "Your search stops when one text, or K texts, have ended. It must stop as soon as no "
        "running text can still win, and not before."
    ),
    loses=["values", "ended", "steps"],
    edit=(
        "may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha)",
        "aside or not running",
    ),
)


wrong(
    "greedy",
    says=(
        "This is the result of greedy search. Do you keep only one running text, or begin with K "
        "copies of the empty text? Copies stay identical, so begin with one."
    ),
    loses=["values", "ended", "steps"],
    edit=("[([], 0.0)], [], 0", "[([], 0.0)] * K, [], 0"),
)


wrong(
    "k-ended",
    "stops when K texts have ended",
    says=(
        "Your search stops when one text, or K texts, have ended. It must stop as soon as no "
        "running text can still win, and not before."
    ),
    loses=["values", "ended", "steps"],
    edit=(
        "may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha)",
        "len(aside) >= K or not running",
    ),
)


wrong(
    "last-of-equals",
    "takes the last of equal texts",
    says="Of texts with equal scores you take the last. Take the one found first.",
    loses=["ties"],
    edit=("aside[i][0]", "(aside[i][0], i)"),
)


wrong(
    "last-step-only",
    says="You compare only texts that end in the last step. Keep those that ended before, too.",
    loses=["values", "ended", "steps"],
    edit=(
        "aside += [(score(t, p), t) for t, p in ranked",
        "aside = [(score(t, p), t) for t, p in ranked",
    ),
)


wrong(
    "late-penalty",
    says=(
        "The length penalty comes too late to change the choice: divide before you compare, not "
        "afterwards."
    ),
    loses=["values", "ended"],
    edit=("aside[i][0])", "aside[i][0] * ((5 + len(aside[i][1])) / 6) ** alpha)"),
)


wrong(
    "narrow",
    "texts that end take the place of running ones",
    says="Texts that end take up places in your beam. Keep the best K texts that have not ended.",
    loses=["ended"],
    edit=(
        "[(t, p) for t, p in ranked if t[-1] != end][:K]",
        "[(t, p) for t, p in ranked[:K] if t[-1] != end]",
    ),
)


wrong(
    "narrower-each-time",
    says=(
        "Your beam gets narrower with each text that ends. Keep the best K texts that have not "
        "ended, however many have ended."
    ),
    loses=["ended", "steps"],
    edit=(
        "[(t, p) for t, p in ranked if t[-1] != end][:K]",
        "[(t, p) for t, p in ranked if t[-1] != end][: max(K - len(aside), 0)]",
    ),
)


wrong(
    "never-stops",
    says="Your search goes on although no running text can still win.",
    loses=["steps"],
    edit=(
        "may_stop([p for _, p in running], [s for s, _ in aside], longest, alpha)",
        "not running",
    ),
)


wrong(
    "no-penalty",
    says="The length penalty is missing: divide log P by it.",
    spares=["greedy"],
    edit=[
        ("total / ((5 + len(text)) / 6) ** alpha", "total"),
        ("max(running) / ((5 + longest) / 6) ** alpha", "max(running)"),
    ],
)


@wrong(
    "now",
    "compares running texts with the penalty of their present length",
    says=(
        "Your search stops too soon. Divide the log P of a running text by the penalty of "
        "`longest` words, the largest that it can get."
    ),
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
    "plain-length",
    says="Your length penalty is the plain power of the length, not of (5 + n) / 6.",
    spares=["greedy"],
    edit=[
        ("total / ((5 + len(text)) / 6) ** alpha", "total / len(text) ** alpha"),
        ("max(running) / ((5 + longest) / 6) ** alpha", "max(running) / longest**alpha"),
    ],
)


wrong(
    "running-dropped",
    "forgets the texts that still run after the last step",
    says=(
        "You drop texts that are still running after `longest` words. They compete with the "
        "others, with the score of their present length."
    ),
    loses=["values", "ended"],
    edit=(
        "aside += [(score(t, p), t) for t, p in running]",
        "aside = aside or [(score(t, p), t) for t, p in running]",
    ),
)


wrong(
    "score-undivided",
    says="The score that you return is not divided by the length penalty.",
    loses=["values", "ended", "ties"],
    edit=("aside[best][0], n", "aside[best][0] * ((5 + len(aside[best][1])) / 6) ** alpha, n"),
)


wrong(
    "start-counted",
    says=(
        "Your length is one word too large. The start is given, not written, so it does not count."
    ),
    loses=["values", "ended", "ties"],
    edit=("(5 + len(text))", "(6 + len(text))"),
)


wrong(
    "steps-from-zero",
    says="Your number of steps is one too small. The first step writes the first word.",
    loses=["steps"],
    edit=("aside[best][0], n", "aside[best][0], n - 1"),
)


wrong(
    "strictly-better",
    says=(
        "Your search goes on although a running text can at best reach an equal score. Then the "
        "text found first wins, so stop."
    ),
    loses=["stop", "steps"],
    edit=("max(aside) >=", "max(aside) >"),
)


wrong(
    "times-penalty",
    says="You multiply log P by the length penalty. Divide by it.",
    spares=["greedy"],
    edit=[
        ("total / ((5 + len(text)) / 6) ** alpha", "total * ((5 + len(text)) / 6) ** alpha"),
        (
            "max(running) / ((5 + longest) / 6) ** alpha",
            "max(running) * ((5 + longest) / 6) ** alpha",
        ),
    ],
)


wrong(
    "with-start",
    says="Your text begins with the start token. The start is given, not written.",
    spares=["stop", "steps"],
    edit=("torch.tensor(aside[best][1])", "torch.tensor([start, *aside[best][1]])"),
)


wrong(
    "worst-aside",
    says=(
        "Your search waits until no running text can beat the worst of the texts set aside. Only "
        "the best one is returned, so compare with the best."
    ),
    loses=["stop", "steps"],
    edit=("max(aside) >=", "min(aside) >="),
)


broken("if not aside:\n        return False", "if not aside:\n        return True")
broken("could_be = max(running)", "could_be = running[0]")
broken("max(aside) >= could_be", "aside[0] >= could_be")
broken("penalty = ((5 + n) / 6) ** alpha", "penalty = ((6 + n) / 6) ** alpha")
broken("if one[0][-1] != end][:K]", "if one[0][-1] != end][: K - 1]")
