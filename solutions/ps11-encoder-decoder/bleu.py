@right("strike-out", "without a Counter; logarithms")
def matches(hypothesis, references, n):
    grams = [" ".join(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    found = 0
    for gram in set(grams):
        most = 0
        for words in references:
            here = [" ".join(words[i : i + n]) == gram for i in range(len(words) - n + 1)]
            most = max(most, sum(here))
        found += min(grams.count(gram), most)
    return found, len(grams)


def corpus_bleu(matched, total, lengths, reference_lengths):
    found, there = matched.sum(0).double(), total.sum(0).double()
    if found.min() == 0:
        return 0.0
    log_p = (found / there).log().mean().item()
    ratio = (reference_lengths.sum() / lengths.sum()).item()
    return 100 * math.exp(log_p + min(0.0, 1 - ratio))


@right("zip", "n-grams by zip, the product of the precisions", edited=True)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    product = 1.0
    for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):
        product *= found / max(there, 1)
    c, r = lengths.sum().item(), reference_lengths.sum().item()
    return 100 * product**0.25 * math.exp(min(0, 1 - r / max(c, 1)))


wrong(
    "added-up",
    "clips by the references' counts together",
    says=(
        "You add up the counts of the references. Clip at the largest count that any one "
        "reference has."
    ),
    loses=["references"],
    edit=("count, max", "count, sum"),
)


wrong(
    "all-references",
    says="Your code accepts only n-grams that are in all references. One reference is enough.",
    loses=["references"],
    edit=("count, max", "count, min"),
)


wrong(
    "arithmetic-mean",
    says="You take the arithmetic mean of the precisions. Take the geometric one.",
    spares=["clipped", "references"],
    edit=[
        ("product = 1.0", "product = 0.0"),
        ("product *=", "product +="),
        ("product**0.25", "product / 4"),
    ],
)


wrong(
    "brevity-above-one",
    says=(
        "Your brevity penalty changes the score of long texts, too. It is at most 1, and it is 1 "
        "if c is at least r."
    ),
    loses=["brevity", "sentences"],
    edit=("min(0, 1 - r / max(c, 1))", "1 - r / max(c, 1)"),
)


wrong(
    "brevity-inverted",
    says=(
        "Your brevity penalty is inverted: for short translations it must be exp(1 - r/c), where "
        "r is the references' length."
    ),
    loses=["brevity", "sentences"],
    edit=("math.exp(min(0, 1 - r / max(c, 1)))", "(math.exp(1 - c / r) if c < r else 1.0)"),
)


wrong(
    "brevity-inverted-capped",
    says=(
        "Your brevity penalty is inverted, so it lowers the score of long translations instead "
        "of short ones. In exp(1 - r/c), r is the references' length."
    ),
    loses=["brevity", "sentences"],
    edit=("math.exp(min(0, 1 - r / max(c, 1)))", "math.exp(min(0, 1 - c / r))"),
)


wrong(
    "brevity-ratio",
    says="Your brevity penalty is the ratio of the lengths. Put it in an exponent: exp(1 - r/c).",
    loses=["brevity", "sentences"],
    edit=("math.exp(min(0, 1 - r / max(c, 1)))", "min(1, c / r)"),
)


wrong(
    "different-ones",
    says=(
        "Your code counts each n-gram once, in both numbers. Count it as often as it occurs, and "
        "clip the number of matches."
    ),
    loses=["clipped", "references", "sentences"],
    edit=[
        (
            "sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())",
            "sum(any(c[gram] for c in others) for gram in own)",
        ),
        ("own.total()", "len(own)"),
    ],
)


wrong(
    "different-ones-all",
    says="Your second number counts each different n-gram once. Count it as often as it occurs.",
    loses=["clipped", "references", "sentences"],
    edit=("own.total()", "len(own)"),
)


wrong(
    "different-ones-found",
    says=(
        "Your code counts each matching n-gram once. Count it as often as it occurs, up to what "
        "a reference has."
    ),
    loses=["clipped", "references", "sentences"],
    edit=(
        "sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())",
        "sum(any(c[gram] for c in others) for gram in own)",
    ),
)


wrong(
    "first-reference",
    says="Your code uses only the first reference.",
    loses=["references"],
    edit=("in references]", "in references[:1]]"),
)


wrong(
    "last-missing",
    says="The last n-gram is missing: L words have L - n + 1 n-grams.",
    loses=["clipped", "references", "sentences"],
    edit=(
        "Counter(zip(*(words[i:] for i in range(n))))",
        "Counter(tuple(words[i : i + n]) for i in range(len(words) - n))",
    ),
)


wrong(
    "last-reference",
    says="Your code uses only the last reference.",
    loses=["references"],
    edit=("in references]", "in references[-1:]]"),
)


@wrong(
    "log-of-zero",
    "takes the logarithm of a precision of 0, and leaves the penalty out",
    says="The brevity penalty is missing.",
    loses=["brevity", "zero", "sentences"],
)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    shares = [m / a for m, a in zip(matched.sum(0).tolist(), total.sum(0).tolist())]
    return 100 * math.exp(sum(math.log(share) for share in shares) / 4)


@wrong(
    "mean-of-sentences",
    "takes the mean of the sentences' BLEU",
    says="This is the mean of the sentences' BLEU. Add up the counts of all sentences first.",
    spares=["clipped", "references"],
)
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    scores = []
    for row, there, c, r in zip(
        matched.tolist(), total.tolist(), lengths.tolist(), reference_lengths.tolist()
    ):
        if min(row) == 0:
            scores.append(0.0)
            continue
        shares = [m / a for m, a in zip(row, there)]
        scores.append(100 * math.prod(shares) ** 0.25 * math.exp(min(0, 1 - r / c)))
    return sum(scores) / len(scores)


wrong(
    "mean-precisions",
    says="The precisions are means over the sentences. Add up the counts of all sentences first.",
    spares=["clipped", "references"],
    edit=(
        (
            "for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):\n"
            "        product *= found / max(there, 1)"
        ),
        "for share in (matched / total.clamp(min=1)).mean(0).tolist():\n        product *= share",
    ),
)


wrong(
    "negative-total",
    "counts fewer than no n-grams in a short text",
    says="A text of fewer than n words has 0 n-grams. Your L - n + 1 becomes negative there.",
    loses=["clipped"],
    edit=("own.total()", "len(hypothesis) - n + 1"),
)


wrong(
    "no-root",
    says="You multiply the precisions but do not take the fourth root.",
    spares=["clipped", "references"],
    edit=("product**0.25", "product"),
)


wrong(
    "one-precision",
    says="This is one precision over n-grams of all orders. Compute a precision for each order.",
    spares=["clipped", "references"],
    edit=("product**0.25", "(matched.sum() / total.sum()).item()"),
)


@wrong("ready-made", "asks sacrebleu", match="take the call out", spares=["clipped", "references"])
def matches(hypothesis, references, n):
    def grams(words):
        return Counter(zip(*(words[i:] for i in range(n))))

    own, others = grams(hypothesis), [grams(words) for words in references]
    found = sum(min(count, max(c[gram] for c in others)) for gram, count in own.items())
    return found, own.total()


def corpus_bleu(matched, total, lengths, reference_lengths):
    from sacrebleu.metrics import BLEU

    counts = (x.sum(0).tolist() for x in (matched, total, lengths, reference_lengths))
    return BLEU.compute_bleu(*counts).score


wrong(
    "short-grams",
    says="Your last n - 1 n-grams are shorter than n words: L words have L - n + 1 n-grams.",
    loses=["clipped", "references", "sentences"],
    edit=(
        "Counter(zip(*(words[i:] for i in range(n))))",
        "Counter(tuple(words[i : i + n]) for i in range(len(words)))",
    ),
)


wrong(
    "smoothed",
    says="You add 1 to the counts. There is no smoothing here.",
    spares=["clipped", "references"],
    edit=("found / max(there, 1)", "(found + 1) / (there + 1)"),
)


@wrong(
    "unclipped",
    "does not clip",
    says="The counts are not clipped: an n-gram counts at most as often as a reference has it.",
    loses=["clipped", "references", "sentences"],
)
def matches(hypothesis, references, n):
    def grams(words):
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = {gram for words in references for gram in grams(words)}
    return sum(gram in known for gram in grams(hypothesis)), len(grams(hypothesis))


def corpus_bleu(matched, total, lengths, reference_lengths):
    product = 1.0
    for found, there in zip(matched.sum(0).tolist(), total.sum(0).tolist()):
        product *= found / max(there, 1)
    c, r = lengths.sum().item(), reference_lengths.sum().item()
    return 100 * product**0.25 * math.exp(min(0, 1 - r / max(c, 1)))


wrong(
    "up-to-one",
    says="Your score lies between 0 and 1. It must lie between 0 and 100.",
    spares=["clipped", "references"],
    edit=("100 * product", "product"),
)


wrong(
    "words-counted",
    says="Your second number is the number of words. There are L - n + 1 n-grams.",
    loses=["clipped", "references", "sentences"],
    edit=("own.total()", "len(hypothesis)"),
)


wrong(
    "zeros-left-out",
    says="You leave out orders without a match. One precision of 0 makes BLEU 0.",
    loses=["zero"],
    edit=[
        ("product = 1.0", "product, orders = 1.0, 0"),
        (
            "        product *= found / max(there, 1)",
            "        if found:\n            product, orders = product * found / there, orders + 1",
        ),
        ("product**0.25", "product ** (1 / max(orders, 1))"),
    ],
)


broken("len(words) - n + 1", "len(words) - n")
broken("own & most", "own | most")
broken("sum(own.values())", "len(hypothesis) - n + 1")
broken("1.0 if c >= r else math.exp(1 - r / c)", "math.exp(1 - r / c)")
